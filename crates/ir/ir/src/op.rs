//! The op table: every op with its printed form, phases, operands, results and effect.

use crate::AttrKind::{self, *};
use crate::Phase;

/// What an instruction does besides giving its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: it may be removed, repeated or moved to where its operands are.
    Pure,
    /// It reads memory or run-time state.
    Read,
    /// It may write, call anything, raise or not return.
    Any,
    /// It ends its block.
    Terminator,
}

/// A count that an op declares: exactly `n`, or at least `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// This many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
}

impl Count {
    /// Whether `n` satisfies the count.
    pub fn admits(self, n: usize) -> bool {
        match self {
            Count::Exactly(want) => n == want,
            Count::AtLeast(least) => n >= least,
        }
    }
}

/// The row of an op in the table.
#[derive(Debug)]
pub struct OpInfo {
    /// Printed form.
    pub name: &'static str,
    /// In which phases it may stand.
    pub phases: &'static [Phase],
    /// Kinds of its immediate operands, in order.
    pub attrs: &'static [AttrKind],
    /// Number of value operands.
    pub args: Count,
    /// Number of results.
    pub results: Count,
    /// Number of successor blocks.
    pub targets: Count,
    /// Its effect.
    pub effect: Effect,
}

const UT: &[Phase] = &[Phase::Untyped, Phase::Typed];
const U: &[Phase] = &[Phase::Untyped];
const E: &[Phase] = &[Phase::Explicit];
const T: &[Phase] = &[Phase::Typed];
const TE: &[Phase] = &[Phase::Typed, Phase::Explicit];
const ALL: &[Phase] = &[Phase::Untyped, Phase::Typed, Phase::Explicit];

macro_rules! count {
    ($n:literal +) => {
        Count::AtLeast($n)
    };
    ($n:literal) => {
        Count::Exactly($n)
    };
}

macro_rules! ops {
    ($($(#[$meta:meta])* $op:ident $name:literal $phases:ident [$($attr:ident),*]
        ($($args:tt)+) -> ($($results:tt)+) $effect:ident $(=> ($($targets:tt)+))?;)*) => {
        /// What an instruction does. The table below says what each takes and gives.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Op { $($(#[$meta])* $op),* }

        const TABLE: &[OpInfo] = &[$(OpInfo {
            name: $name,
            phases: $phases,
            attrs: &[$($attr),*],
            args: count!($($args)+),
            results: count!($($results)+),
            targets: ops!(@targets $($($targets)+)?),
            effect: Effect::$effect,
        }),*];

        impl Op {
            /// Every op.
            pub const ALL: &[Op] = &[$(Op::$op),*];

            /// The op with this printed form.
            pub fn from_name(name: &str) -> Option<Op> {
                match name { $($name => Some(Op::$op),)* _ => None }
            }
        }
    };
    (@targets) => { Count::Exactly(0) };
    (@targets $($targets:tt)+) => { count!($($targets)+) };
}

impl Op {
    /// The op's row in the table.
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// Whether the op only says who holds a reference, and becomes no code.
    pub fn is_transfer(self) -> bool {
        matches!(self, Op::TakeRef | Op::GiveRef | Op::NullRef)
    }

    /// Whether the op ends its block.
    pub fn is_terminator(self) -> bool {
        self.info().effect == Effect::Terminator
    }
}

ops! {
    // ---- Untyped and Typed: what Python does -------------------------------------------------

    /// Parameter number n, called so.
    Arg "arg" ALL [Int, Symbol] (0) -> (1) Pure;
    /// A constant of the code object.
    Const "const" UT [Const] (0) -> (1) Pure;
    /// The value of a name that is not bound here; only `check_bound` may look at it.
    Undef "undef" UT [] (0) -> (1) Pure;
    /// The value, or UnboundLocalError for the name if the second operand is False.
    CheckBound "check_bound" UT [Symbol] (2) -> (1) Any;
    /// A global or built-in name.
    Global "global" UT [Symbol] (0) -> (1) Read;
    /// The value of a closure variable of the function, by index and name.
    Freevar "freevar" UT [Int, Symbol] (0) -> (1) Read;
    /// A new cell that holds the operand.
    MakeCell "make_cell" UT [Symbol] (1) -> (1) Any;
    /// A new cell that holds nothing yet; Typed: for values of the type.
    EmptyCell "empty_cell" UT [Symbol, Type] (0) -> (1) Any;
    /// The cell of a closure variable of the function, by index and name.
    FreeCell "free_cell" UT [Int, Symbol] (0) -> (1) Read;
    /// Part n of what a closure shares with the function around it; of a choice of functions the n-th.
    Capture "capture" UT [Int] (1) -> (1) Pure;
    /// What a cell holds. If nothing: NameError where the second attribute is 1, because the code is that of an inner
    /// function, which has the name as a free variable, and UnboundLocalError where it is 0.
    LoadCell "load_cell" UT [Symbol, Int] (1) -> (1) Any;
    /// Puts the second operand into the cell.
    StoreCell "store_cell" UT [Symbol] (2) -> (0) Any;
    /// `a + b` and the like.
    Binary "binary" UT [Binary] (2) -> (1) Any;
    /// `a += b` and the like.
    Inplace "inplace" UT [Binary] (2) -> (1) Any;
    /// `-a` and the like.
    Unary "unary" UT [Unary] (1) -> (1) Any;
    /// `a < b` and the like.
    Compare "compare" UT [Compare] (2) -> (1) Any;
    /// Whether the operand is None.
    IsNone "is_none" UT [] (1) -> (1) Pure;
    /// The operand, which a branch has shown not to be None.
    NotNone "not_none" U [] (1) -> (1) Pure;
    /// Whether an object is an instance of a class; of what may be None, whether the object is if there is one.
    IsInstance "is_instance" UT [Type] (1) -> (1) Pure;
    /// An object of one of several classes, which a branch has shown to be an instance of a class (1), or not to be (0).
    Narrow "narrow" U [Type, Int] (1) -> (1) Pure;
    /// `a.name`.
    Getattr "getattr" UT [Symbol] (1) -> (1) Any;
    /// `a.name = b`.
    Setattr "setattr" UT [Symbol] (2) -> (0) Any;
    /// `a[b]`.
    Getitem "getitem" UT [] (2) -> (1) Any;
    /// `a[b] = c`.
    Setitem "setitem" UT [] (3) -> (0) Any;
    /// `del a[b]`.
    Delitem "delitem" UT [] (2) -> (0) Any;
    /// `callee(args...)`; the last operands belong to the keywords.
    Call "call" UT [Symbols] (1 +) -> (1) Any;
    /// `callee(*args)`, or with a third operand `callee(*args, **kwargs)`.
    CallEx "call_ex" UT [] (2 +) -> (1) Any;
    /// `(a, b, ...)`.
    BuildTuple "build_tuple" UT [] (0 +) -> (1) Pure;
    /// `[a, b, ...]`.
    BuildList "build_list" UT [] (0 +) -> (1) Any;
    /// `{a, b, ...}`.
    BuildSet "build_set" UT [] (0 +) -> (1) Any;
    /// `{key: value, ...}`, keys and values in turn.
    BuildMap "build_map" UT [] (0 +) -> (1) Any;
    /// `collections.defaultdict(factory)`.
    BuildDefaultDict "build_default_dict" T [] (1) -> (1) Any;
    /// A new container of the same class with the items of another, converted to those of the result's type.
    CopyContents "copy_contents" T [] (1) -> (1) Any;
    /// `slice(a, b)` or `slice(a, b, c)`.
    BuildSlice "build_slice" UT [] (2 +) -> (1) Pure;
    /// Joins the strings of an f-string.
    BuildString "build_string" UT [] (0 +) -> (1) Pure;
    /// `format(a, spec)` after the conversion: 0 none, 1 str, 2 repr, 3 ascii.
    Format "format" UT [Int] (1 +) -> (1) Any;
    /// `a.append(b)` of a list being built.
    ListAppend "list_append" UT [] (2) -> (0) Any;
    /// `a.extend(b)` of a list being built.
    ListExtend "list_extend" UT [] (2) -> (0) Any;
    /// `a.add(b)` of a set being built.
    SetAdd "set_add" UT [] (2) -> (0) Any;
    /// `a.update(b)` of a set being built.
    SetUpdate "set_update" UT [] (2) -> (0) Any;
    /// `a[b] = c` of a dict being built.
    MapAdd "map_add" UT [] (3) -> (0) Any;
    /// `a.update(b)` of a dict being built; with flag 1 a repeated key is a TypeError. With a result, `a` stays
    /// and the result is the dict with both.
    MapUpdate "map_update" UT [Int] (2) -> (0 +) Any;
    /// `tuple(a)` of a list being built.
    ListToTuple "list_to_tuple" UT [] (1) -> (1) Any;
    /// Exactly as many items of the operand as there are results.
    Unpack "unpack" UT [] (1) -> (0 +) Any;
    /// n items, a list of the rest, the items after; the attribute is n.
    UnpackEx "unpack_ex" UT [Int] (1) -> (1 +) Any;
    /// `iter(a)`.
    Getiter "getiter" UT [] (1) -> (1) Any;
    /// The next item and True, or an undefined value and False. What a generator gets when it continues may stand after it: the
    /// value that is sent, and the status that it is to fail with.
    Iternext "iternext" UT [] (1 +) -> (2) Any;
    /// Gives a value to whoever asked the generator for one; what was sent, when it continues. With the iterator that the value
    /// is from, it does not fail: its second result is the status that this one is to fail with.
    Yield "yield" UT [] (1 +) -> (1 +) Any;
    /// A function of this code constant; flags tell the operands: 1 defaults, 2 keyword defaults,
    /// 4 annotations, 8 closure.
    MakeFunction "make_function" UT [Const, Int] (0 +) -> (1) Any;
    /// A value converted to the type that the user declared for the name it is stored to.
    Declared "declared" UT [Symbol, Type] (1) -> (1) Any;
    /// A value on its way out of the function.
    Cast "cast" UT [] (1) -> (1) Any;
    /// A value converted to the type of a name that holds values of several.
    Promote "promote" T [] (1) -> (1) Any;
    /// Functions of arrays, item by item: a program on the operands, in postfix order (`arrays::elementwise`), with as many results as it
    /// leaves over.
    Arrayexpr "arrayexpr" T [Symbols] (1 +) -> (0 +) Any;
    /// Runs the body of a loop over `prange`, a function of the group by its handle, on several threads: the range, what the body
    /// takes of the function around it, and the values that go from one iteration to the next; the names say how those of
    /// chunks become one, the second number about how many nanoseconds an iteration takes (0: nobody knows). The results are these values after the
    /// loop.
    ParallelFor "parallel_for" T [Int, Symbols, Int] (1 +) -> (0 +) Any;
    /// Anything else that CPython does, by name, with a number where it needs one. Later phases
    /// refuse it by this name.
    Python "python" UT [Symbol, Int] (0 +) -> (0 +) Any;
    /// Leaves the function with the operand.
    Return "return" ALL [] (0 +) -> (0) Terminator;
    /// `raise`, `raise a`, `raise a from b`.
    Raise "raise" UT [] (0 +) -> (0) Terminator;
    /// Raises the exception that is being handled again.
    Reraise "reraise" UT [] (1 +) -> (0) Terminator;
    /// Goes on in another block.
    Jump "jump" ALL [] (0) -> (0) Terminator => (1);
    /// Goes on in the first block if the operand is true, else in the second.
    Branch "branch" ALL [] (1) -> (0) Terminator => (2);
    /// Is never reached.
    Unreachable "unreachable" ALL [] (0) -> (0) Terminator;
    /// Lets Python's handlers of signals run, if signals have come. Explicit: whether one raised; its exception is set in
    /// Python then.
    Poll "poll" TE [] (0) -> (0 +) Any;

    // ---- Explicit: what a machine does -------------------------------------------------------

    /// An integer, boolean or (only 0) pointer constant.
    Iconst "iconst" E [Native, Int] (0) -> (1) Pure;
    /// A float constant by its bits as a double.
    Fconst "fconst" E [Native, Float] (0) -> (1) Pure;
    /// Wrapping sum.
    Iadd "iadd" E [] (2) -> (1) Pure;
    /// Wrapping difference.
    Isub "isub" E [] (2) -> (1) Pure;
    /// Wrapping product.
    Imul "imul" E [] (2) -> (1) Pure;
    /// Signed quotient towards zero. The divisor is not 0 and the quotient fits.
    Sdiv "sdiv" E [] (2) -> (1) Pure;
    /// Unsigned quotient. The divisor is not 0.
    Udiv "udiv" E [] (2) -> (1) Pure;
    /// Signed remainder with the sign of the dividend. As for `sdiv`.
    Srem "srem" E [] (2) -> (1) Pure;
    /// Unsigned remainder. The divisor is not 0.
    Urem "urem" E [] (2) -> (1) Pure;
    /// Bitwise and.
    Iand "iand" E [] (2) -> (1) Pure;
    /// Bitwise or.
    Ior "ior" E [] (2) -> (1) Pure;
    /// Bitwise exclusive or.
    Ixor "ixor" E [] (2) -> (1) Pure;
    /// Shift left. The count is below the width.
    Ishl "ishl" E [] (2) -> (1) Pure;
    /// Shift right, copies of the sign come in. The count is below the width.
    Sshr "sshr" E [] (2) -> (1) Pure;
    /// Shift right, zeros come in. The count is below the width.
    Ushr "ushr" E [] (2) -> (1) Pure;
    /// High half of the unsigned product of twice the width.
    Umulhi "umulhi" E [] (2) -> (1) Pure;
    /// Leading zero bits; the width for 0.
    Clz "clz" E [] (1) -> (1) Pure;
    /// Trailing zero bits; the width for 0.
    Ctz "ctz" E [] (1) -> (1) Pure;
    /// Number of ones.
    Popcount "popcount" E [] (1) -> (1) Pure;
    /// Wrapping signed sum, and whether it wrapped.
    SaddOverflow "sadd_overflow" E [] (2) -> (2) Pure;
    /// Wrapping signed product, and whether it wrapped.
    SmulOverflow "smul_overflow" E [] (2) -> (2) Pure;
    /// Compares integers or pointers.
    Icmp "icmp" E [IntCond] (2) -> (1) Pure;
    /// IEEE 754 sum.
    Fadd "fadd" E [] (2) -> (1) Pure;
    /// IEEE 754 difference.
    Fsub "fsub" E [] (2) -> (1) Pure;
    /// IEEE 754 product.
    Fmul "fmul" E [] (2) -> (1) Pure;
    /// IEEE 754 quotient.
    Fdiv "fdiv" E [] (2) -> (1) Pure;
    /// C's `fmod`: exact, with the sign of the dividend.
    Frem "frem" E [] (2) -> (1) Pure;
    /// `a * b + c` rounded once.
    Fma "fma" E [] (3) -> (1) Pure;
    /// Sign flipped.
    Fneg "fneg" E [] (1) -> (1) Pure;
    /// Sign cleared.
    Fabs "fabs" E [] (1) -> (1) Pure;
    /// Correctly rounded square root; NaN below zero.
    Fsqrt "fsqrt" E [] (1) -> (1) Pure;
    /// Rounded towards minus infinity.
    Ffloor "ffloor" E [] (1) -> (1) Pure;
    /// Rounded towards plus infinity.
    Fceil "fceil" E [] (1) -> (1) Pure;
    /// Rounded towards zero.
    Ftrunc "ftrunc" E [] (1) -> (1) Pure;
    /// Rounded to the nearest integer, ties to even.
    Frint "frint" E [] (1) -> (1) Pure;
    /// Magnitude of the first, sign of the second.
    Copysign "copysign" E [] (2) -> (1) Pure;
    /// Compares floats.
    Fcmp "fcmp" E [FloatCond] (2) -> (1) Pure;
    /// The second operand if the first is true, else the third.
    Select "select" E [] (3) -> (1) Pure;
    /// Widened with copies of the sign.
    Sext "sext" E [Native] (1) -> (1) Pure;
    /// Widened with zeros.
    Zext "zext" E [Native] (1) -> (1) Pure;
    /// The low bits.
    Trunc "trunc" E [Native] (1) -> (1) Pure;
    /// Signed integer to the nearest float.
    SintToFloat "sint_to_float" E [Native] (1) -> (1) Pure;
    /// Unsigned integer to the nearest float.
    UintToFloat "uint_to_float" E [Native] (1) -> (1) Pure;
    /// Float to signed integer towards zero; what does not fit saturates, NaN gives 0.
    FloatToSint "float_to_sint" E [Native] (1) -> (1) Pure;
    /// Float to signed integer of 32 or 64 bits towards zero; NaN and what does not fit give the least integer.
    FloatToSintOrMin "float_to_sint_or_min" E [Native] (1) -> (1) Pure;
    /// Float to unsigned integer towards zero; what does not fit saturates, NaN gives 0.
    FloatToUint "float_to_uint" E [Native] (1) -> (1) Pure;
    /// Single to double.
    Fpext "fpext" E [Native] (1) -> (1) Pure;
    /// Double to the nearest single.
    Fptrunc "fptrunc" E [Native] (1) -> (1) Pure;
    /// Half, in 16 bits, to single.
    HalfToFloat "half_to_float" E [Native] (1) -> (1) Pure;
    /// Single to the nearest half, in 16 bits.
    FloatToHalf "float_to_half" E [Native] (1) -> (1) Pure;
    /// The same bits as another type of the same width.
    Bitcast "bitcast" E [Native] (1) -> (1) Pure;
    /// Address of this many bytes of the frame, aligned to 16; the same one each time it runs.
    StackSlot "stack_slot" E [Int] (0) -> (1) Pure;
    /// A debugger finds the variable with this number (`Function::variables`) at the address, which is a slot of the frame.
    DeclareVariable "declare_variable" E [Int] (1) -> (0) Any;
    /// Pointer plus bytes.
    PtrAdd "ptr_add" E [] (2) -> (1) Pure;
    /// Reads a value at pointer plus constant offset.
    Load "load" E [Native, Int] (1) -> (1) Read;
    /// Writes the second operand at pointer plus constant offset.
    Store "store" E [Int] (2) -> (0) Any;
    /// `load` at an address that need not be a multiple of anything.
    LoadUnaligned "load_unaligned" E [Native, Int] (1) -> (1) Read;
    /// `load` that is neither left out nor moved: somebody else may write at any time.
    LoadVolatile "load_volatile" E [Native, Int] (1) -> (1) Any;
    /// `store` at an address that need not be a multiple of anything.
    StoreUnaligned "store_unaligned" E [Int] (2) -> (0) Any;
    /// Adds the integer in the second operand to the one in memory, at once for all threads: what was there. (The address of this
    /// and the ops below is a multiple of the integer's size.)
    AtomicAdd "atomic_add" E [] (2) -> (1) Any;
    /// Puts an integer into memory, at once for all threads: what was there.
    AtomicExchange "atomic_exchange" E [] (2) -> (1) Any;
    /// Puts the third operand into memory if the second one is there, at once for all threads: what was there.
    AtomicCas "atomic_cas" E [] (3) -> (1) Any;
    /// A new block of a given size in bytes, zeroed if the second operand is not 0: its address, which is a reference to
    /// it; null if there is no memory.
    Alloc "alloc" E [] (2) -> (1) Any;
    /// One reference more to what the owner word keeps alive.
    Incref "incref" E [] (1) -> (0) Any;
    /// One reference less; what nobody refers to is freed.
    Decref "decref" E [] (1) -> (0) Any;
    /// A reference that memory held is the function's from here on. No code.
    TakeRef "take_ref" E [] (1) -> (0) Any;
    /// A reference of the function is held by memory from here on. No code.
    GiveRef "give_ref" E [] (1) -> (0) Any;
    /// The owner word is 0 here, as something beside it says. No code.
    NullRef "null_ref" E [] (1) -> (0) Any;
    /// Calls a function outside this one.
    CallExternal "call_external" E [External] (0 +) -> (0 +) Any;
    /// Calls the function at the address in the first operand with the others; the external, which has no
    /// name, tells its signature.
    CallIndirect "call_indirect" E [External] (1 +) -> (0 +) Any;
    /// Address of what is called so: a function of the unit, or what it is linked to.
    AddressOf "address_of" E [External] (0) -> (1) Pure;
    /// The status that stands for a place that raises; never 0.
    SiteStatus "site_status" E [Site] (0) -> (1) Pure;
    /// Address of the byte that is not 0 where this thread should look for signals.
    PollFlag "poll_flag" E [] (0) -> (1) Read;
    /// Looks for signals, and leaves the function with this status if a handler raised, where nothing is held. The code
    /// generator puts it aside: nothing but this instruction knows of the way out.
    PollAside "poll_out_of_line" E [Site] (0) -> (0) Any;
    /// Of a generator: leaves it with these values, which whoever resumed it gets. When it continues, the first result is 0, or
    /// the status that it is to fail with at this place; after it are the parts of what was sent. References among the operands are given up
    /// before it (`give_ref`).
    Suspend "suspend" E [] (0 +) -> (1 +) Any;
    /// Leaves the function with a status other than 0.
    Fail "fail" E [] (1) -> (0) Terminator;
}
