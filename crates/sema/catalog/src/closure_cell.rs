//! A variable shared by several functions: a slot in the frame of the function that created it, with a word that tells
//! whether the variable is bound, followed by the parts of its value, eight bytes each.

use crate::{Emit, Operand, owners};
use abi::ExceptionClass;
use ir::{IntCond, Native, Value};
use types::Type;

/// Bytes before the value.
const HEAD: i64 = 8;

/// A new cell for values of type `content`, with a value if there is one.
pub fn create(emit: &mut Emit<'_>, content: Type, value: Option<&Operand>) -> Value {
    let words = emit.machine_types(content).len() as u32;
    let place = emit.frame_slot(HEAD as u32 + 8 * words);
    if !owners(emit.types, content).is_empty() {
        // It is released on every exit path, also on those that lie before this place.
        emit.at_entry(|b| {
            let unbound = b.iconst(Native::I64, 0);
            b.store(place, 0, unbound);
        });
        emit.refs.cells.push((place, content));
        emit.release_cell(place, content);
    }
    match value {
        Some(value) => store(emit, place, value),
        None => {
            let unbound = emit.b.iconst(Native::I64, 0);
            emit.b.store(place, 0, unbound);
        }
    }
    place
}

/// Binds the variable.
pub fn store(emit: &mut Emit<'_>, place: Value, value: &Operand) {
    for owner in emit.owners(value) {
        emit.retain(owner);
    }
    emit.give_refs(value);
    let bound = emit.b.iconst(Native::I64, 1);
    emit.b.store(place, 0, bound);
    for (index, &part) in value.parts.iter().enumerate() {
        emit.b.store(place, HEAD + 8 * index as i64, part);
    }
}

/// Ends the variable, if it is bound.
pub fn unbind(emit: &mut Emit<'_>, place: Value, content: Type) {
    if !owners(emit.types, content).is_empty() {
        emit.release_cell(place, content);
    }
    let unbound = emit.b.iconst(Native::I64, 0);
    emit.b.store(place, 0, unbound);
}

/// The variable's value; the exception if it has none.
pub fn load(
    emit: &mut Emit<'_>,
    place: Value,
    content: Type,
    unbound: Option<(ExceptionClass, &str)>,
) -> Operand {
    if let Some((class, message)) = unbound {
        let bound = emit.b.load(Native::I64, place, 0);
        let zero = emit.b.iconst(Native::I64, 0);
        let missing = emit.b.icmp(IntCond::Eq, bound, zero);
        emit.raise_if(missing, class, message);
    }
    let natives = emit.machine_types(content);
    let parts: Vec<Value> = natives
        .into_iter()
        .enumerate()
        .map(|(index, native)| emit.b.load(native, place, HEAD + 8 * index as i64))
        .collect();
    Operand::new(content, parts)
}
