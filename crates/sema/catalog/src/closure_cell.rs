//! A variable shared by several functions: a slot in the frame of the function that created it, with a word that tells
//! whether the variable is bound, followed by the parts of its value, eight bytes each.
//!
//! Where a function that changes the variable outlives that frame, the same words are the fields of an object on the heap
//! ([`TypeData::HeapCell`]), and the frame holds a reference to it.

use crate::data_model::machine_types;
use crate::{Emit, Operand, owners};
use abi::{ExceptionClass, Runtime};
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

/// Bytes before the value.
const HEAD: i64 = 8;

/// Words of a cell on the heap, whose owners are one mask.
const MAX_WORDS: usize = 64;

/// What a cell holds, of a table whose entries are [`TypeData::HeapCell`] where cells are on the heap.
pub fn content(types: &TypeTable, cells: &[Type], number: u32) -> Option<Type> {
    let &known = cells.get(number as usize)?;
    Some(if let TypeData::HeapCell(content) = types.get(known) { content } else { known })
}

/// Whether a cell on the heap can hold values of a type.
pub fn fits_heap(types: &TypeTable, content: Type) -> bool {
    crate::item_layout::Slot::of(types, content).is_some() && machine_types(types, content).len() < MAX_WORDS
}

/// Where a cell lies; nothing for a value that is no cell.
pub fn address(emit: &mut Emit<'_>, cell: &Operand) -> Option<Value> {
    match emit.types.get(cell.ty) {
        TypeData::Cell(_) => Some(cell.value()),
        TypeData::HeapCell(_) => Some(fields(emit, cell.value())),
        _ => None,
    }
}

fn fields(emit: &mut Emit<'_>, owner: Value) -> Value {
    let block = emit.b.convert(Op::Bitcast, owner, Native::Ptr);
    let head = emit.b.iconst(Native::I64, abi::ITEMS + abi::FIELDS);
    emit.b.native(Op::PtrAdd, [], &[block, head], Native::Ptr)
}

/// A cell on the heap by the place of its words, as long as its maker's frame holds it.
pub(crate) fn block_of(emit: &mut Emit<'_>, cell: &Operand, ty: Type) -> Operand {
    let head = emit.b.iconst(Native::I64, -(abi::ITEMS + abi::FIELDS));
    let block = emit.b.native(Op::PtrAdd, [], &[cell.value(), head], Native::Ptr);
    Operand::single(ty, emit.b.convert(Op::Bitcast, block, Native::I64))
}

/// A new cell on the heap, as [`create`]: it lives as long as this frame or whatever else refers to it.
pub fn create_on_heap(emit: &mut Emit<'_>, ty: Type, content: Type, value: Option<&Operand>) -> Value {
    let words = 1 + emit.machine_types(content).len();
    let owned = owners(emit.types, content).into_iter().fold(0u64, |mask, part| mask | 2 << part);
    let words = emit.b.iconst(Native::I64, words as i64);
    let owned = emit.b.iconst(Native::I64, owned.cast_signed());
    let owner = emit.call_runtime(Runtime::ObjectNew, &[words, owned])[0];
    let nothing = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, owner, nothing);
    emit.raise_if(failed, ExceptionClass::MemoryError, "cannot allocate a variable");
    emit.refs.temporaries.push(owner);
    create(emit, ty, Some(&Operand::single(ty, owner)));
    let address = fields(emit, owner);
    if let Some(value) = value {
        store(emit, address, value);
    }
    address
}

/// A new cell for values of type `content`, with a value if there is one.
pub fn create(emit: &mut Emit<'_>, content: Type, value: Option<&Operand>) -> Value {
    let words = emit.machine_types(content).len() as u32;
    let address = emit.frame_slot(HEAD as u32 + 8 * words);
    if !owners(emit.types, content).is_empty() {
        // It is released on every exit path, also on those that lie before this point.
        emit.at_entry(|b| {
            let unbound = b.iconst(Native::I64, 0);
            b.store(address, 0, unbound);
        });
        emit.refs.cells.push((address, content));
        emit.release_cell(address, content);
    }
    match value {
        Some(value) => store(emit, address, value),
        None => {
            let unbound = emit.b.iconst(Native::I64, 0);
            emit.b.store(address, 0, unbound);
        }
    }
    address
}

/// Binds the variable.
pub fn store(emit: &mut Emit<'_>, address: Value, value: &Operand) {
    for owner in emit.owners(value) {
        emit.retain(owner);
    }
    emit.give_refs(value);
    let bound = emit.b.iconst(Native::I64, 1);
    emit.b.store(address, 0, bound);
    for (index, &part) in value.parts.iter().enumerate() {
        emit.b.store(address, HEAD + 8 * index as i64, part);
    }
}

/// Ends the variable, if it is bound.
pub fn unbind(emit: &mut Emit<'_>, address: Value, content: Type) {
    let owned = owners(emit.types, content);
    if !owned.is_empty() {
        emit.release_cell(address, content);
    }
    let unbound = emit.b.iconst(Native::I64, 0);
    emit.b.store(address, 0, unbound);
    // The end of an object releases its owners, whether the variable is bound or not.
    for part in owned {
        emit.b.store(address, HEAD + 8 * part as i64, unbound);
    }
}

/// The variable's value; the exception if it has none.
pub fn load(
    emit: &mut Emit<'_>,
    address: Value,
    content: Type,
    unbound: Option<(ExceptionClass, &str)>,
) -> Operand {
    if let Some((class, message)) = unbound {
        let bound = emit.b.load(Native::I64, address, 0);
        let zero = emit.b.iconst(Native::I64, 0);
        let missing = emit.b.icmp(IntCond::Eq, bound, zero);
        emit.raise_if(missing, class, message);
    }
    let natives = emit.machine_types(content);
    let parts: Vec<Value> = natives
        .into_iter()
        .enumerate()
        .map(|(index, native)| emit.b.load(native, address, HEAD + 8 * index as i64))
        .collect();
    Operand::new(content, parts)
}
