//! A list as a whole: header, `len(l)`, truth, iteration.

use crate::truth_identity::compare_with_zero;
use abi::ExceptionClass::{MemoryError, RuntimeError, ValueError};
use abi::Runtime;
use catalog::item_layout::Slot;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, UnaryOp, Value};
use std::mem::offset_of;
use types::{Type, TypeData, TypeTable};

use rt::list::ListHead;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.len", |types, args| with_list(types, args, Type::INT64, length)).reads();
    catalog.add(
        Key::Unary(UnaryOp::Bool),
        Rule::Generic(|types, args| with_list(types, args, Type::BOOL, is_filled)),
    );
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Generic(|types, args| with_list(types, args, Type::BOOL, is_empty)),
    );
    catalog.add(Key::Getiter, Rule::Generic(resolve_iterator));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

/// A list taken apart.
pub(crate) struct ListParts {
    /// Address of its head.
    pub head: Value,
    /// Type of its items.
    pub item: Type,
    /// How they lie in memory.
    pub slot: Slot,
    /// Whether it is a `typed.List`.
    pub typed: bool,
    /// Whether it is a `collections.deque`.
    deque: bool,
}

impl ListParts {
    pub fn open(emit: &mut Emit<'_>, list: &Operand) -> Result<ListParts> {
        let item = emit.types.list_item(list.ty);
        let found = item.and_then(|item| Some((item, Slot::of(emit.types, item)?)));
        let Some((item, slot)) = found else {
            let name = emit.types.name(list.ty);
            return Err(Diagnostic::internal("emission", format!("{name} is no list")));
        };
        let block = emit.b.convert(Op::Bitcast, list.value(), Native::Ptr);
        let items = emit.b.iconst(Native::I64, rt::ITEMS);
        let head = emit.b.native(Op::PtrAdd, [], &[block, items], Native::Ptr);
        Ok(ListParts {
            head,
            item,
            slot,
            typed: is_typed(emit.types, list.ty),
            deque: emit.types.is_deque(list.ty),
        })
    }

    pub fn length(&self, emit: &mut Emit<'_>) -> Value {
        emit.b.load(Native::I64, self.head, offset_of!(ListHead, len) as i64)
    }

    pub fn set_length(&self, emit: &mut Emit<'_>, length: Value) {
        emit.b.store(self.head, offset_of!(ListHead, len) as i64, length);
    }

    pub fn capacity(&self, emit: &mut Emit<'_>) -> Value {
        emit.b.load(Native::I64, self.head, offset_of!(ListHead, capacity) as i64)
    }

    /// Python's list, if this is a copy of one, is to be changed too. (Appending says so by the length.)
    pub fn mark_changed(&self, emit: &mut Emit<'_>) {
        let changed = emit.b.iconst(Native::I64, rt::list::CHANGED);
        emit.b.store(self.head, offset_of!(ListHead, copied) as i64, changed);
    }

    /// Before a change: ValueError if the list was made immutable, which only a `typed.List` can be.
    pub fn check_mutable(&self, emit: &mut Emit<'_>) {
        if self.typed {
            let frozen = self.is_frozen(emit);
            emit.raise_if(frozen, ValueError, "list is immutable");
        }
    }

    /// One more than the `maxlen` of a deque, 0 if it has none.
    pub fn bound(&self, emit: &mut Emit<'_>) -> Value {
        emit.b.load(Native::I64, self.head, offset_of!(ListHead, bound) as i64)
    }

    /// Gives a deque a `maxlen`, told in the same way.
    pub fn set_bound(&self, emit: &mut Emit<'_>, bound: Value) {
        emit.b.store(self.head, offset_of!(ListHead, bound) as i64, bound);
    }

    /// What IndexError says where there is no such item.
    pub fn out_of_range(&self) -> &'static str {
        if self.deque { "deque index out of range" } else { "list index out of range" }
    }

    /// The same where an item is assigned.
    pub fn assignment_out_of_range(&self) -> &'static str {
        if self.deque { "deque index out of range" } else { "list assignment index out of range" }
    }

    /// Whether it was made immutable.
    pub fn is_frozen(&self, emit: &mut Emit<'_>) -> Value {
        let frozen = emit.b.load(Native::I64, self.head, offset_of!(ListHead, frozen) as i64);
        let zero = emit.b.iconst(Native::I64, 0);
        emit.b.icmp(IntCond::Ne, frozen, zero)
    }

    /// Makes it one that cannot be changed.
    pub fn freeze(&self, emit: &mut Emit<'_>) {
        let one = emit.b.iconst(Native::I64, 1);
        emit.b.store(self.head, offset_of!(ListHead, frozen) as i64, one);
    }

    /// Where the items lie until the list grows. Read before an index is checked, it leaves a loop that does
    /// not change the list, and LLVM sees that item follows item.
    pub fn items(&self, emit: &mut Emit<'_>) -> Value {
        emit.b.load(Native::Ptr, self.head, offset_of!(ListHead, items) as i64)
    }

    /// Address of an item.
    pub fn address(&self, emit: &mut Emit<'_>, items: Value, index: Value) -> Value {
        let size = emit.b.iconst(Native::I64, self.slot.size);
        let offset = emit.b.like_first(Op::Imul, &[index, size]);
        emit.b.native(Op::PtrAdd, [], &[items, offset], Native::Ptr)
    }

    pub fn load(&self, emit: &mut Emit<'_>, items: Value, index: Value) -> Operand {
        let address = self.address(emit, items, index);
        self.slot.load(emit, self.item, address)
    }

    pub fn store(&self, emit: &mut Emit<'_>, items: Value, index: Value, value: &Operand) {
        let address = self.address(emit, items, index);
        self.slot.store(emit, address, value);
    }
}

/// An empty list of a type with a given capacity, owned by the instruction being emitted.
pub fn new_list(emit: &mut Emit<'_>, ty: Type, capacity: Value) -> Result<Operand> {
    let item = emit.types.list_item(ty);
    let Some(slot) = item.and_then(|item| Slot::of(emit.types, item)) else {
        return Err(Diagnostic::internal("emission", format!("no list: {}", emit.types.name(ty))));
    };
    let size = emit.b.iconst(Native::I64, slot.size);
    let owners = emit.b.iconst(Native::I64, slot.owners.cast_signed());
    let owner = emit.call_runtime(Runtime::ListNew, &[size, owners, capacity])[0];
    let nothing = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, owner, nothing);
    emit.raise_if(failed, MemoryError, "cannot allocate list");
    emit.refs.temporaries.push(owner);
    Ok(Operand::single(ty, owner))
}

/// The items' type of a list that compiled code can hold.
pub(crate) fn item_of(types: &TypeTable, list: Type) -> Option<Type> {
    types.list_item(list).filter(|&item| Slot::of(types, item).is_some())
}

fn with_list(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [list] = *args else { return None };
    item_of(types, list)?;
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    Ok(Operand::single(Type::INT64, list.length(emit)))
}

fn is_filled(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = length(emit, args)?.value();
    Ok(compare_with_zero(emit, length, IntCond::Ne))
}

fn is_empty(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = length(emit, args)?.value();
    Ok(compare_with_zero(emit, length, IntCond::Eq))
}

/// An iterator keeps the next position in the frame and, beside it, the list.
fn resolve_iterator(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list] = *args else { return None };
    item_of(types, list)?;
    let result = types.intern(TypeData::Iterator(list));
    let emit: EmitFn = |emit, args| {
        let [state, owner] = emit.iterator_state(16);
        let zero = emit.b.iconst(Native::I64, 0);
        emit.b.store(state, 0, zero);
        if keeps_length(emit.types, args[0].ty) {
            let length = length(emit, args)?.value();
            emit.b.store(state, 8, length);
        }
        let ty = emit.types.intern(TypeData::Iterator(args[0].ty));
        Ok(Operand::new(ty, [state, owner, args[0].value()]))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [iterator] = *args else { return None };
    let TypeData::Iterator(list) = types.get(iterator) else { return None };
    Some(Resolution { result: item_of(types, list)?, params: args.to_vec(), emit: next_item })
}

/// Whether a list must not change its length while it is iterated over.
fn keeps_length(types: &TypeTable, list: Type) -> bool {
    is_typed(types, list) || types.is_deque(list)
}

/// Whether this is a `typed.List`.
fn is_typed(types: &TypeTable, list: Type) -> bool {
    matches!(types.get(list), TypeData::List { typed: true, .. })
}

/// The list may become longer or shorter while it is iterated over: its length is looked at each time.
fn next_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Iterator(list) = emit.types.get(args[0].ty) else {
        return Err(Diagnostic::internal("emission", "next of what is no iterator"));
    };
    let state = args[0].parts[0];
    let keeps_length = keeps_length(emit.types, list);
    let list = ListParts::open(emit, &Operand::single(list, args[0].parts[2]))?;
    let at = emit.b.load(Native::I64, state, 0);
    let length = list.length(emit);
    let items = list.items(emit);
    if keeps_length {
        let before = emit.b.load(Native::I64, state, 8);
        let changed = emit.b.icmp(IntCond::Ne, before, length);
        let message =
            if list.deque { "deque mutated during iteration" } else { "list was mutated during iteration" };
        emit.raise_if(changed, RuntimeError, message);
    }
    let valid = emit.b.icmp(IntCond::Ult, at, length);
    emit.exit_iteration_unless(valid)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(state, 0, following);
    Ok(list.load(emit, items, at))
}
