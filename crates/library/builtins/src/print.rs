//! `print`: passes the values to Python, which formats and writes them.
//!
//! The host's `rumba_print(rumba_context, count, words)` reads, for each value, its type id and the words
//! of its parts. The first four values are `sep`, `end`, `flush` and `file`. It returns 0, or sets an exception in Python.

use abi::{ExceptionClass, Runtime};
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::Result;
use entity::EntityRef;
use ir::{IntCond, Native};
use types::{LiteralValue, SetKind, Type, TypeData, TypeTable};

/// How many arguments say how to print.
const OPTIONS: usize = 4;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.print", resolve).reads();
    catalog.state(&[("builtins.print", "shows_in_tuples special=print")]);
}

/// Whether Python can be given a value of this type.
fn is_printable(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Literal(LiteralValue::Str(_)) => true,
        TypeData::Optional(inner) => types.literal(inner).is_none() && is_printable(types, inner),
        TypeData::Tuple(elements) => elements.iter().all(|&element| is_printable(types, element)),
        TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().all(|&element| is_printable(types, element) && types.literal(element).is_none())
        }
        TypeData::TaggedUnion(members) => members.iter().all(|&member| is_item_printable(types, member)),
        // What is in a container is made as a value of Python's.
        TypeData::List { item, typed: false } => is_item_printable(types, item),
        TypeData::Set { item, kind } => kind != SetKind::Typed && is_item_printable(types, item),
        TypeData::Dict { key, value, .. } => is_item_printable(types, key) && is_item_printable(types, value),
        TypeData::FixedList(tuple) => {
            types.elements(tuple).is_some_and(|items| items.iter().all(|&item| is_printable(types, item)))
        }
        TypeData::None
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::PyObject
        | TypeData::Str
        | TypeData::Ellipsis
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Literal(_)
        | TypeData::Slice { .. }
        | TypeData::LiteralSlice { .. }
        | TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Datetime { .. }
        | TypeData::CharSeq { .. }
        | TypeData::Instance { .. } => true,
        _ => false,
    }
}

/// The same for an item of a container, where NumPy numbers would be printed like Python's.
fn is_item_printable(types: &TypeTable, ty: Type) -> bool {
    ty == Type::UNDEFINED
        || types.literal(ty).is_none()
            && is_printable(types, ty)
            && !matches!(ty, Type::FLOAT32 | Type::COMPLEX64)
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let fits = args.len() >= OPTIONS && args[OPTIONS..].iter().all(|&arg| is_printable(types, arg));
    fits.then(|| Resolution { result: Type::NONE, params: args.to_vec(), emit: print })
}

fn print(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let mut words = Vec::new();
    for arg in args {
        words.push(emit.b.iconst(Native::I64, arg.ty.index() as i64));
        for &part in &arg.parts {
            let word = catalog::as_word(emit, part);
            words.push(word);
        }
        // Python objects hold it as well.
        for owner in emit.owners(arg) {
            emit.retain(owner);
        }
        emit.give_refs(arg);
    }
    let address = emit.frame_slot(8 * words.len() as u32);
    for (index, &word) in words.iter().enumerate() {
        emit.b.store(address, 8 * index as i64, word);
    }
    let context = emit.b.address_of("rumba_context");
    let count = emit.b.iconst(Native::I64, args.len() as i64);
    let status = emit.call_runtime(Runtime::Print, &[context, count, address])[0];
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Ne, status, zero);
    emit.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
    Ok(Operand::new(Type::NONE, []))
}
