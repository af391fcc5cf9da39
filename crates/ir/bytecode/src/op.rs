//! The common instruction set: the effect of an instruction of any CPython version on the stack machine.
//!
//! Lives here: [`Op`] and its ids. The operators it names are in `operator`, stack effects in
//! `effect`, the way from each version's opcodes in `lower`. Absent: version numbers, opcode numbers, caches.

use crate::operator::{BinaryOp, CompareOp, Conversion, FunctionAttribute, Intrinsic1, Intrinsic2, UnaryOp};

entity::id! {
    /// A slot of the frame: index into [`CodeSnapshot::locals`](crate::CodeSnapshot::locals).
    pub struct LocalId = "local"
}
entity::id! {
    /// Index into [`CodeSnapshot::names`](crate::CodeSnapshot::names).
    pub struct NameId = "name"
}
entity::id! {
    /// Index into [`CodeSnapshot::constants`](crate::CodeSnapshot::constants).
    pub struct ConstId = "const"
}

/// One common instruction.
///
/// Stacks are written bottom to top: `[a, b]` has `b` on top. Ids are in range of their
/// [`CodeSnapshot`](crate::CodeSnapshot), jump targets are byte offsets of instructions, and
/// counts are at most the code's `stack_size`: `decode` has checked all three. The stack is
/// never deeper than `stack_size`, but for a constant that the next instruction returns.
///
/// **Null.** `PushNull` pushes a marker that only `Call` and `CallFunctionEx` may consume.
/// Where it stands is known statically on every path. CPython 3.11 and 3.12 push it below the
/// callable, 3.13 above; [`Op::Call`] says how one rule reads both.
///
/// **Slots.** A slot of the frame holds a value, nothing (unbound), or a cell. `MakeCell`
/// puts the slot's content into a new cell and the cell into the slot; slots of free
/// variables hold cells from the start. `LoadFastAndClear` and `StoreFast` may save and
/// restore any of the three around an inlined comprehension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Nothing. Stands where an opcode has no meaning of its own (`RESUME`, `PRECALL`,
    /// `KW_NAMES`, `END_FOR`...), so that every jump target exists.
    Nop,

    // The stack itself.
    /// `[a] -> []`
    PopTop,
    /// `[] -> [Null]`
    PushNull,
    /// Pushes the n-th element from the top once more; 1 is the top.
    Copy(u32),
    /// Exchanges the top with the n-th element from the top; 2 is the one below it.
    Swap(u32),

    // Constants and variables.
    /// `[] -> [constant]`
    LoadConst(ConstId),
    /// `[] -> [value]`; UnboundLocalError if the slot is unbound.
    LoadFast(LocalId),
    /// `[] -> [content]`, and the slot becomes unbound; an unbound slot pushes "unbound".
    LoadFastAndClear(LocalId),
    /// `[content] -> []`; the content may be an "unbound" of `LoadFastAndClear`.
    StoreFast(LocalId),
    /// Makes the slot unbound; UnboundLocalError if it is already.
    DeleteFast(LocalId),
    /// Wraps the slot's content (or nothing) into a new cell.
    MakeCell(LocalId),
    /// `[] -> [cell]`: the cell itself, for a closure.
    LoadClosure(LocalId),
    /// `[] -> [value]`: the content of the slot's cell; NameError if empty.
    LoadDeref(LocalId),
    /// `[value] -> []`: into the slot's cell.
    StoreDeref(LocalId),
    /// Empties the slot's cell; NameError if empty.
    DeleteDeref(LocalId),
    /// `[mapping] -> [value]`: the variable's name in the mapping, else the cell's content.
    LoadFromDictOrDeref(LocalId),
    /// `[mapping] -> [value]`: the name in the mapping, else global, else builtin.
    LoadFromDictOrGlobals(NameId),
    /// `[] -> [mapping]`: the namespace of a class body or module.
    LoadLocals,
    /// `[] -> [value]`: global, else builtin.
    LoadGlobal(NameId),
    /// `[value] -> []`
    StoreGlobal(NameId),
    /// Deletes a global.
    DeleteGlobal(NameId),
    /// `[] -> [value]`: in the namespace of a class body or module, else global, else builtin.
    LoadName(NameId),
    /// `[value] -> []`: in the namespace of a class body or module.
    StoreName(NameId),
    /// Deletes from the namespace of a class body or module.
    DeleteName(NameId),
    /// `[] -> [builtins.__build_class__]`
    LoadBuildClass,
    /// `[] -> [AssertionError]`, the builtin one whatever the globals say.
    LoadAssertionError,
    /// Creates `__annotations__` in the namespace if it is missing.
    SetupAnnotations,

    // Attributes, items.
    /// `[object] -> [attribute]`
    LoadAttr(NameId),
    /// `[object] -> [callable, self or Null]`: an attribute that is called next. The pair
    /// `[attribute, Null]` is always right.
    LoadMethod(NameId),
    /// `[super, class, self] -> [attribute]`, with `method` `[callable, self or Null]`.
    LoadSuperAttr {
        /// The attribute.
        name: NameId,
        /// It is called next: two results, as [`Op::LoadMethod`].
        method: bool,
        /// `super(class, self)` was written out; otherwise `super()`.
        explicit: bool,
    },
    /// `[value, object] -> []`
    StoreAttr(NameId),
    /// `[object] -> []`
    DeleteAttr(NameId),
    /// `[object, key] -> [item]`
    BinarySubscr,
    /// `[value, object, key] -> []`
    StoreSubscr,
    /// `[object, key] -> []`
    DeleteSubscr,
    /// `[object, start, stop] -> [item]`
    BinarySlice,
    /// `[value, object, start, stop] -> []`
    StoreSlice,
    /// `[start, stop] -> [slice]`, with 3 `[start, stop, step] -> [slice]`
    BuildSlice(u32),

    // Operators.
    /// `[a] -> [result]`
    Unary(UnaryOp),
    /// `[a] -> [bool(a)]`
    ToBool,
    /// `[a, b] -> [result]`
    Binary(BinaryOp),
    /// `[a, b] -> [result]`, the augmented assignment's operator.
    InplaceBinary(BinaryOp),
    /// `[a, b] -> [result]`
    Compare(CompareOp),
    /// `[a, b] -> [a is b]`
    Is {
        /// `is not`
        invert: bool,
    },
    /// `[a, b] -> [a in b]`
    Contains {
        /// `not in`
        invert: bool,
    },

    // Building and taking apart.
    /// `[n items] -> [tuple]`
    BuildTuple(u32),
    /// `[n items] -> [list]`
    BuildList(u32),
    /// `[n items] -> [set]`
    BuildSet(u32),
    /// `[n pairs of key, value] -> [dict]`
    BuildMap(u32),
    /// `[n values, tuple of n keys] -> [dict]`
    BuildConstKeyMap(u32),
    /// `[n strings] -> [string]`
    BuildString(u32),
    /// `[item] -> []`; the list is the n-th from the top *after* the pop, as below.
    ListAppend(u32),
    /// `[item] -> []`
    SetAdd(u32),
    /// `[key, value] -> []`
    MapAdd(u32),
    /// `[iterable] -> []`
    ListExtend(u32),
    /// `[iterable] -> []`
    SetUpdate(u32),
    /// `[mapping] -> []`
    DictUpdate(u32),
    /// `[mapping] -> []`; TypeError on a key that is there (keywords of a call).
    DictMerge(u32),
    /// `[list] -> [tuple]`
    ListToTuple,
    /// `[sequence] -> [n items]`, the first on top.
    UnpackSequence(u32),
    /// `[iterable] -> [items]`: `before` items, a list, `after` items; the first on top.
    UnpackEx {
        /// Items before the starred target.
        before: u32,
        /// Items after it.
        after: u32,
    },

    // Formatted strings.
    /// `[value] -> [string]`
    ConvertValue(Conversion),
    /// `[value] -> [format(value, "")]`
    FormatSimple,
    /// `[value, spec] -> [format(value, spec)]`
    FormatWithSpec,

    // Functions and calls.
    /// `[x, y, argc arguments] -> [result]`. Of the two slots `x` and `y` the one that is Null
    /// is dropped; the first that is left is the callable, what follows it the arguments. (So
    /// if none is Null, `y` is one more positional argument, the first.)
    Call {
        /// Positional and keyword arguments, without `y`.
        argc: u32,
        /// A constant tuple of strings: the names of the last arguments. `decode` has checked
        /// that it is one and not longer than `argc`.
        keywords: Option<ConstId>,
    },
    /// `[x, y, tuple] -> [result]`, with `keywords` `[x, y, tuple, dict] -> [result]`; `x` and
    /// `y` as in [`Op::Call`], exactly one of them is Null.
    CallFunctionEx {
        /// There is a mapping of keyword arguments.
        keywords: bool,
    },
    /// `[code] -> [function]`
    MakeFunction,
    /// `[attribute, function] -> [function]`
    SetFunctionAttribute(FunctionAttribute),
    /// `[a] -> [result]`
    CallIntrinsic1(Intrinsic1),
    /// `[a, b] -> [result]`
    CallIntrinsic2(Intrinsic2),
    /// `[level, names] -> [module]`
    ImportName(NameId),
    /// `[module] -> [module, attribute]`
    ImportFrom(NameId),

    // Jumps and ends.
    /// Goes there.
    Jump(u32),
    /// `[a] -> []`, goes there if `a` is true (of any type).
    PopJumpIfTrue(u32),
    /// `[a] -> []`, goes there if `a` is false (of any type).
    PopJumpIfFalse(u32),
    /// `[a] -> []`, goes there if `a` is None.
    PopJumpIfNone(u32),
    /// `[a] -> []`, goes there if `a` is not None.
    PopJumpIfNotNone(u32),
    /// Goes there with `a` on the stack if it is true, else `[a] -> []`.
    JumpIfTrueOrPop(u32),
    /// Goes there with `a` on the stack if it is false, else `[a] -> []`.
    JumpIfFalseOrPop(u32),
    /// `[iterable] -> [iterator]`
    GetIter,
    /// `[iterator] -> [iterator, item]`; at its end `[iterator] -> []` and goes to `exit`.
    ForIter {
        /// Where the loop continues when the iterator is used up.
        exit: u32,
    },
    /// `[value] -> `, the stack is empty then.
    Return,
    /// `[]`, `[exception]` or `[exception, cause]` by the number: raises (again).
    Raise(u32),
    /// `[exception] -> `: raises it again.
    Reraise {
        /// If not 0, the n-th below the exception is the offset of the instruction that raised.
        lasti: u32,
    },

    // Exceptions and `with`.
    /// `[exception] -> [previous, exception]`: it is the handled one from here.
    PushExcInfo,
    /// `[previous] -> []`: that is the handled one again.
    PopExcept,
    /// `[exception, type] -> [exception, bool]`
    CheckExcMatch,
    /// `[group, type] -> [rest, match or None]`
    CheckEgMatch,
    /// `[manager] -> [exit, result of enter]`
    BeforeWith,
    /// `[manager] -> [exit, awaitable]`
    BeforeAsyncWith,
    /// `[exit, lasti, previous, exception] -> [exit, lasti, previous, exception, result]`
    WithExceptStart,

    // Generators and coroutines.
    /// `[] -> [None]`: makes the generator and returns it; what follows is its body, started
    /// with the value that was sent, which is None.
    ReturnGenerator,
    /// `[value] -> [sent value]`
    Yield,
    /// `[iterable] -> [iterator]` for `yield from`; generators and coroutines stay.
    GetYieldFromIter,
    /// `[a] -> [awaitable]`; 1 for the result of `__aenter__`, 2 for `__aexit__`'s.
    GetAwaitable(u32),
    /// `[a] -> [asynchronous iterator]`
    GetAiter,
    /// `[asynchronous iterator] -> [asynchronous iterator, awaitable]`
    GetAnext,
    /// `[asynchronous iterator, exception] -> []` if it is StopAsyncIteration, else raises it.
    EndAsyncFor,
    /// `[receiver, value] -> [receiver, yielded]`; when the receiver returns
    /// `[receiver, value] -> [returned]` and goes to `exit`.
    Send {
        /// Where it continues with what the receiver returned.
        exit: u32,
    },
    /// `[receiver, value, exception] -> [returned]` if it is StopIteration, else raises it.
    CleanupThrow,

    // Patterns.
    /// `[subject] -> [subject, len(subject)]`
    GetLen,
    /// `[subject] -> [subject, bool]`
    MatchMapping,
    /// `[subject] -> [subject, bool]`
    MatchSequence,
    /// `[subject, keys] -> [subject, keys, tuple of values or None]`
    MatchKeys,
    /// `[subject, class, names] -> [tuple of attributes or None]`; the number of positional
    /// patterns.
    MatchClass(u32),
}
