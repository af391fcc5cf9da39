//! The data model: how the values of a type are represented by machine values.
//!
//! A value is a list of machine values (its *parts*), nothing is boxed: a complex number is two
//! floats, a tuple is the parts of its elements in order, an Optional is a boolean and the parts
//! of what it holds, a closure the parts of what it captures, `None` and functions are nothing at all. A
//! function value is three addresses, a choice of functions the number of the one it is and the parts of all; a variable that functions share is the address of its cell: whether it is bound, then its value.
//! An array is its owner, the address of its first item, its shape, and its strides where they do not follow from that;
//! a record is its owner and its address. A list, dict or set is the block that holds its head. A fixed-width string is
//! in words, as in memory; a value of a type that a library added is represented as the library defines; any other text is its owner, the address of its characters, and its length with their width
//! ([`crate::string`]).

use ir::Native;
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// Machine types of a value's parts.
pub fn machine_types(types: &TypeTable, ty: Type) -> SmallVec<[Native; 2]> {
    let mut out = SmallVec::new();
    append(types, ty, &mut out);
    out
}

/// Which parts of a value are owners: words that say what keeps memory alive, each counted while the value lives.
///
/// An owner is 0 (nothing), the address of a block of memory with a count (`rt::memory`), or with
/// its lowest bit set the address of a Python object that somebody else keeps alive. There the second bit says that the
/// value is another array to Python, though it may be like that one.
pub fn owners(types: &TypeTable, ty: Type) -> SmallVec<[usize; 1]> {
    let mut out = SmallVec::new();
    find_owners(types, ty, 0, &mut |part, _| out.push(part));
    out
}

/// Whether a value has owners of anything but the state of iterators, which most keep in the frame.
pub fn owns_memory(types: &TypeTable, ty: Type) -> bool {
    let mut found = false;
    find_owners(types, ty, 0, &mut |_, is_state| found |= !is_state);
    found
}

/// Whether a value has owners of the state of iterators.
pub fn owns_iterator_state(types: &TypeTable, ty: Type) -> bool {
    let mut found = false;
    find_owners(types, ty, 0, &mut |_, is_state| found |= is_state);
    found
}

/// The types whose parts a value has one after the other, if it has no part of its own.
fn inner_types(data: &TypeData) -> Option<SmallVec<[Type; 4]>> {
    Some(match data {
        TypeData::Tuple(types)
        | TypeData::NamedTuple { types, .. }
        | TypeData::StaticDict { types, .. }
        | TypeData::Zip(types) => types.iter().copied().collect(),
        TypeData::Map { function, iterators, .. } => {
            std::iter::once(*function).chain(iterators.iter().copied()).collect()
        }
        TypeData::Filter { function, iterator } | TypeData::GeneratorExpr { function, iterator, .. } => {
            SmallVec::from_slice(&[*function, *iterator])
        }
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).copied().collect()
        }
        TypeData::Enum { value: inner, .. }
        | TypeData::FixedList(inner)
        | TypeData::Omitted(inner)
        | TypeData::Method(inner, _)
        | TypeData::Manager { of: inner, .. }
        | TypeData::Foreign { held: inner, .. } => SmallVec::from_slice(&[*inner]),
        _ => return None,
    })
}

/// Tells of each owner where it is among the parts, and whether it keeps the state of an iterator alive.
fn find_owners(types: &TypeTable, ty: Type, start: usize, out: &mut dyn FnMut(usize, bool)) {
    let mut all = |members: &[Type], mut at: usize| {
        for &member in members {
            find_owners(types, member, at, out);
            at += machine_types(types, member).len();
        }
    };
    let data = types.get(ty);
    if let Some(inner) = inner_types(&data) {
        return all(&inner, start);
    }
    match data {
        TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Str
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::PyObject
        | TypeData::List { .. }
        | TypeData::Deque { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::Instance { .. }
        | TypeData::HeapCell(_)
        | TypeData::GeneratorObject { .. } => out(start, false),
        TypeData::NumpyGenerator => out(start + 1, false),
        TypeData::Union(_) => out(start + 1, false),
        TypeData::Optional(inner) => all(&[inner], start + 1),
        TypeData::Choice(members) | TypeData::TaggedUnion(members) => all(&members, start + 1),
        TypeData::Facet { of, facet } if !facet.is_iterator() => all(&[of], start),
        TypeData::Enumerate(inner) | TypeData::Facet { of: inner, .. } => {
            out(start + 1, true);
            find_owners(types, inner, start + 2, out);
        }
        TypeData::ArrayBuilder { .. } => out(start + 1, false),
        TypeData::Iterator(of) => {
            out(start + 1, true);
            match types.get(of) {
                TypeData::Array(_) | TypeData::Buffer(..) | TypeData::Str => out(start + 2, false),
                _ => (0..owners(types, of).len()).for_each(|owner| out(start + 2 + owner, false)),
            }
        }
        _ => {}
    }
}

fn append(types: &TypeTable, ty: Type, out: &mut SmallVec<[Native; 2]>) {
    let data = types.get(ty);
    if let Some(inner) = inner_types(&data) {
        return inner.iter().for_each(|&inner| append(types, inner, out));
    }
    if let Some(words) = words_of(&data) {
        return out.extend_from_slice(words);
    }
    match data {
        TypeData::Int { bits, .. } => out.push(Native::int(bits.into())),
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
        TypeData::Range(index) => (0..3).for_each(|_| append(types, index, out)),
        TypeData::Slice { members } => out.extend((0..members).map(|_| Native::I64)),
        // The state of an iterator changes: it has a place, mostly in the frame, and the owner of that. What it goes
        // through stays alive.
        TypeData::Iterator(of) => {
            out.extend([Native::Ptr, Native::I64]);
            match types.get(of) {
                TypeData::Array(_) | TypeData::Buffer(..) | TypeData::Str => append(types, of, out),
                _ => out.extend(owners(types, of).iter().map(|_| Native::I64)),
            }
        }
        TypeData::Enumerate(inner) => {
            out.extend([Native::Ptr, Native::I64]);
            append(types, inner, out);
        }
        TypeData::Facet { facet, of } => {
            out.extend(facet.is_iterator().then_some([Native::Ptr, Native::I64]).into_iter().flatten());
            append(types, of, out);
        }
        TypeData::ArrayBuilder { array, .. } => {
            out.push(Native::Ptr);
            append(types, array, out);
        }
        TypeData::Array(array) | TypeData::Buffer(_, array) => {
            out.extend([Native::I64, Native::Ptr]);
            let strides = if array.has_strides() { array.ndim } else { 0 };
            out.extend((0..array.ndim + strides).map(|_| Native::I64));
        }
        TypeData::CharSeq { count, wide } => {
            let bytes = count as usize * if wide { 4 } else { 1 };
            out.extend(std::iter::repeat_n(Native::I64, bytes.div_ceil(8)));
        }
        TypeData::Choice(members) | TypeData::TaggedUnion(members) => {
            out.push(Native::I64);
            members.iter().for_each(|&member| append(types, member, out));
        }
        // These have the same parts always, or those of other types.
        other => debug_assert!(false, "{other:?} has no data model"),
    }
}

/// The parts of types that always have the same ones.
fn words_of(data: &TypeData) -> Option<&'static [Native]> {
    Some(match data {
        TypeData::Bool => &[Native::I1],
        // Its bits.
        TypeData::Float { bits: 16 } => &[Native::I16],
        TypeData::Float { bits: 32 } => &[Native::F32],
        TypeData::Float { .. } => &[Native::F64],
        TypeData::Complex { bits: 64 } => &[Native::F32; 2],
        TypeData::Complex { .. } => &[Native::F64; 2],
        TypeData::Datetime { .. } => &[Native::I64],
        TypeData::Str => &[Native::I64, Native::Ptr, Native::I64],
        // The owner of its memory, and its address.
        TypeData::Record(_) => &[Native::I64, Native::Ptr],
        // Its state is in the frame.
        TypeData::ArrayBuilder { growable: true, .. } => &[Native::Ptr, Native::I64],
        // The block that keeps it; of an object itself where it is borrowed.
        TypeData::Caught(_) | TypeData::CaughtClass | TypeData::CaughtTraceback | TypeData::PyObject => {
            &[Native::I64]
        }
        // Which of the classes it is.
        TypeData::ExceptionClassChoice(_) => &[Native::I64],
        // The block that holds its head, its fields, its frame, its value.
        TypeData::List { .. }
        | TypeData::Deque { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::Instance { .. }
        | TypeData::HeapCell(_)
        | TypeData::GeneratorObject { .. } => &[Native::I64],
        // Which of the classes it is of, and its block.
        TypeData::Union(_) => &[Native::I64; 2],
        // Where compiled code calls it, where C does, and its Python object; what is not there is null.
        TypeData::FunctionValue { .. } => &[Native::Ptr; 3],
        // The bit generator as C sees it, and what keeps the Python object.
        TypeData::NumpyGenerator => &[Native::Ptr, Native::I64],
        TypeData::Scratch(_) | TypeData::Cell(_) | TypeData::Pointer(_) | TypeData::PythonFunction { .. } => {
            &[Native::Ptr]
        }
        // All is in the type.
        TypeData::Undefined
        | TypeData::LiteralSlice { .. }
        | TypeData::None
        | TypeData::Ellipsis
        | TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::NamedTupleClass { .. }
        | TypeData::Module(_)
        | TypeData::ExceptionClass(_)
        | TypeData::Exception { .. }
        | TypeData::Opaque { .. }
        | TypeData::Object { .. }
        | TypeData::Native { .. }
        | TypeData::Dispatcher(_) => &[],
        _ => return None,
    })
}
