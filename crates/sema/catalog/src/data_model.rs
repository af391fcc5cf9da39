//! The data model: how a value of a type is held in machine values.
//!
//! A value is a list of machine values (its *parts*), nothing is boxed: a complex number is two
//! floats, a tuple is the parts of its elements in order, an Optional is a truth value and the parts
//! of what it holds, a closure the parts of what it captures, `None` and functions are nothing at all. A
//! function value is three addresses, a choice of functions the number of the one it is and the parts of all; a variable that functions share is the address of its cell: whether it is bound, then its value.
//! An array is its owner, the address of its first item, its shape, and its strides where they do not follow from that;
//! a record is its owner and its address. A list, dict or set is the block that holds its head. Text of a fixed width is
//! in words, as it lies in memory; a value of a type that a library added is what the library says that it is held as; any other text is its owner, the address of its characters, and its length with their width
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

/// Tells of each owner where it is among the parts, and whether it keeps the state of an iterator alive.
fn find_owners(types: &TypeTable, ty: Type, start: usize, out: &mut dyn FnMut(usize, bool)) {
    let mut all = |members: &[Type], mut at: usize| {
        for &member in members {
            find_owners(types, member, at, out);
            at += machine_types(types, member).len();
        }
    };
    match types.get(ty) {
        TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Str
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::PyObject
        | TypeData::List { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::Instance { .. }
        | TypeData::GeneratorObject { .. } => out(start, false),
        TypeData::Optional(inner) => all(&[inner], start + 1),
        TypeData::Enumerate(inner) => {
            out(start + 1, true);
            find_owners(types, inner, start + 2, out);
        }
        TypeData::Enum { value, .. } => all(&[value], start),
        TypeData::Tuple(elements)
        | TypeData::NamedTuple { types: elements, .. }
        | TypeData::StaticDict { types: elements, .. } => all(&elements, start),
        TypeData::Zip(inner) => all(&inner, start),
        TypeData::Map { function, iterators, .. } => {
            let parts: SmallVec<[Type; 4]> =
                std::iter::once(function).chain(iterators.iter().copied()).collect();
            all(&parts, start);
        }
        TypeData::Filter { function, iterator } | TypeData::GeneratorExpr { function, iterator, .. } => {
            all(&[function, iterator], start)
        }
        TypeData::FixedList(inner)
        | TypeData::Omitted(inner)
        | TypeData::Method(inner, _)
        | TypeData::Manager { of: inner, .. } => all(&[inner], start),
        TypeData::Closure { captures, defaults, .. } => {
            let parts: SmallVec<[Type; 4]> = captures.iter().chain(defaults.iter()).copied().collect();
            all(&parts, start);
        }
        TypeData::Foreign { held, .. } => all(&[held], start),
        TypeData::Choice(members) => all(&members, start + 1),
        TypeData::Facet { facet, of } if facet.is_iterator() => {
            out(start + 1, true);
            find_owners(types, of, start + 2, out);
        }
        TypeData::Facet { of, .. } => all(&[of], start),
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
        TypeData::Enum { value, .. } => append(types, value, out),
        TypeData::Tuple(elements)
        | TypeData::NamedTuple { types: elements, .. }
        | TypeData::StaticDict { types: elements, .. } => {
            elements.iter().for_each(|&element| append(types, element, out));
        }
        TypeData::Range(index) => (0..3).for_each(|_| append(types, index, out)),
        TypeData::Slice { members } => out.extend((0..members).map(|_| Native::I64)),
        TypeData::Scratch(_) => out.push(Native::Ptr),
        // The state of an iterator changes: it has a place, mostly in the frame, and the owner of that. What it goes
        // through stays alive.
        TypeData::Iterator(of) => {
            out.extend([Native::Ptr, Native::I64]);
            match types.get(of) {
                TypeData::Array(_) | TypeData::Buffer(..) | TypeData::Str => append(types, of, out),
                _ => out.extend(owners(types, of).iter().map(|_| Native::I64)),
            }
        }
        // Its state lies in the frame.
        TypeData::ArrayBuilder { growable: true, .. } => out.extend([Native::Ptr, Native::I64]),
        TypeData::ArrayBuilder { array, .. } => {
            out.push(Native::Ptr);
            append(types, array, out);
        }
        TypeData::Array(array) | TypeData::Buffer(_, array) => {
            out.extend([Native::I64, Native::Ptr]);
            let strides = if array.has_strides() { array.ndim } else { 0 };
            out.extend((0..array.ndim + strides).map(|_| Native::I64));
        }
        TypeData::Str => out.extend([Native::I64, Native::Ptr, Native::I64]),
        // What keeps its memory alive, and where it lies.
        TypeData::Record(_) => out.extend([Native::I64, Native::Ptr]),
        TypeData::Datetime { .. } => out.push(Native::I64),
        // The block that keeps it.
        TypeData::Caught(_) | TypeData::CaughtClass | TypeData::CaughtTraceback => out.push(Native::I64),
        // The block that keeps it, or itself where it is lent.
        TypeData::PyObject => out.push(Native::I64),
        // Which of the classes it is.
        TypeData::ExceptionClassChoice(_) => out.push(Native::I64),
        // The block that holds its head.
        TypeData::List { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        // The block that holds its fields.
        | TypeData::Instance { .. }
        // The block that holds its frame.
        | TypeData::GeneratorObject { .. } => out.push(Native::I64),
        TypeData::CharSeq { count, wide } => {
            let bytes = count as usize * if wide { 4 } else { 1 };
            out.extend(std::iter::repeat_n(Native::I64, bytes.div_ceil(8)));
        }
        TypeData::Facet { facet, of } => {
            out.extend(facet.is_iterator().then_some([Native::Ptr, Native::I64]).into_iter().flatten());
            append(types, of, out);
        }
        TypeData::Enumerate(inner) => {
            out.extend([Native::Ptr, Native::I64]);
            append(types, inner, out);
        }
        TypeData::Map { function, iterators, .. } => {
            append(types, function, out);
            iterators.iter().for_each(|&iterator| append(types, iterator, out));
        }
        TypeData::Filter { function, iterator } | TypeData::GeneratorExpr { function, iterator, .. } => {
            append(types, function, out);
            append(types, iterator, out);
        }
        TypeData::Zip(inner) => inner.iter().for_each(|&iterator| append(types, iterator, out)),
        TypeData::FixedList(inner)
        | TypeData::Omitted(inner)
        | TypeData::Method(inner, _)
        | TypeData::Manager { of: inner, .. } => {
            append(types, inner, out)
        }
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).for_each(|&part| append(types, part, out));
        }
        TypeData::Foreign { held, .. } => append(types, held, out),
        TypeData::Choice(members) => {
            out.push(Native::I64);
            members.iter().for_each(|&member| append(types, member, out));
        }
        // Where compiled code calls it, where C does, and its Python object; what is not there is null.
        TypeData::FunctionValue { .. } => out.extend([Native::Ptr; 3]),
        // The bit generator as C sees it, and the Python object.
        TypeData::NumpyGenerator => out.extend([Native::Ptr; 2]),
        TypeData::Cell(_) | TypeData::Pointer(_) | TypeData::PythonFunction { .. } => out.push(Native::Ptr),
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
        | TypeData::Dispatcher(_) => {}
    }
}
