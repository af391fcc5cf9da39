//! The data model: how a value of a type is held in machine values.
//!
//! A value is a list of machine values (its *parts*), nothing is boxed: a complex number is two
//! floats, a tuple is the parts of its elements in order, an Optional is a truth value and the parts
//! of what it holds, a closure the parts of what it captures, `None` and functions are nothing at all. A
//! function value is three addresses, a choice of functions the number of the one it is and the parts of all; a variable that functions share is the address of its cell: whether it is bound, then its value.

use ir::Native;
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// Machine types of a value's parts.
pub fn machine_types(types: &TypeTable, ty: Type) -> SmallVec<[Native; 2]> {
    let mut out = SmallVec::new();
    append(types, ty, &mut out);
    out
}

fn append(types: &TypeTable, ty: Type, out: &mut SmallVec<[Native; 2]>) {
    match types.get(ty) {
        TypeData::Bool => out.push(Native::I1),
        TypeData::Int { bits, .. } => out.push(Native::int(bits.into())),
        TypeData::Float { bits: 32 } => out.push(Native::F32),
        TypeData::Float { .. } => out.push(Native::F64),
        TypeData::Complex { bits: 64 } => out.extend([Native::F32; 2]),
        TypeData::Complex { .. } => out.extend([Native::F64; 2]),
        TypeData::Literal(_) => {
            let plain = types.unliteral(ty);
            if plain != Type::STR {
                append(types, plain, out);
            }
        }
        TypeData::Optional(inner) => {
            out.push(Native::I1);
            append(types, inner, out);
        }
        TypeData::Tuple(elements)
        | TypeData::NamedTuple { types: elements, .. }
        | TypeData::Keywords { types: elements, .. } => {
            elements.iter().for_each(|&element| append(types, element, out));
        }
        TypeData::Range(index) => (0..3).for_each(|_| append(types, index, out)),
        TypeData::Slice { members } => out.extend((0..members).map(|_| Native::I64)),
        // The state of an iterator changes: it lives in the frame.
        TypeData::Iterator(_) | TypeData::Room(_) => out.push(Native::Ptr),
        TypeData::Enumerate(inner) => {
            out.push(Native::Ptr);
            append(types, inner, out);
        }
        TypeData::Map { function, iterators, .. } => {
            append(types, function, out);
            iterators.iter().for_each(|&iterator| append(types, iterator, out));
        }
        TypeData::Filter { function, iterator } => {
            append(types, function, out);
            append(types, iterator, out);
        }
        TypeData::Zip(inner) => inner.iter().for_each(|&iterator| append(types, iterator, out)),
        TypeData::Starred(inner) | TypeData::Omitted(inner) | TypeData::Method(inner, _) => {
            append(types, inner, out)
        }
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).for_each(|&part| append(types, part, out));
        }
        TypeData::Choice(members) => {
            out.push(Native::I64);
            members.iter().for_each(|&member| append(types, member, out));
        }
        // Where compiled code calls it, where C does, and its Python object; what is not there is null.
        TypeData::FunctionValue { .. } => out.extend([Native::Ptr; 3]),
        TypeData::Cell(_) | TypeData::Pointer(_) => out.push(Native::Ptr),
        TypeData::Undefined
        | TypeData::LiteralSlice { .. }
        | TypeData::None
        | TypeData::Ellipsis
        | TypeData::Str
        | TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::NamedTupleClass { .. }
        | TypeData::Module(_)
        | TypeData::ExceptionClass(_)
        | TypeData::Exception(_)
        | TypeData::Opaque { .. }
        | TypeData::Object { .. }
        | TypeData::Native { .. }
        | TypeData::Dispatcher(_) => {}
    }
}
