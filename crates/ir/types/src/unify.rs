//! Unification: the common type of two types. For numeric types it is that of NumPy's `promote_types`.
//!
//! Absent: which values convert to which types, and how well ([`crate::convert`]).

use crate::array::unify_arrays;
use crate::conversion::{convert, kind, may_become_object};
use crate::record::unify_records;
use crate::{ArrayType, BufferKind, EnumKind, Layout, Type, TypeData, TypeTable};
use std::sync::Arc;

/// The common type of two types, if there is one.
pub fn unify(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    if a == b {
        return Some(a);
    }
    if a == Type::PYOBJECT || b == Type::PYOBJECT {
        return unify_with_object(table, if a == Type::PYOBJECT { b } else { a });
    }
    let (x, y) = (table.get(a), table.get(b));
    let may_be_absent =
        |data: &TypeData| matches!(data, TypeData::Undefined | TypeData::None | TypeData::Optional(_));
    if may_be_absent(&x) || may_be_absent(&y) {
        return unify_absent(table, (a, x), (b, y));
    }
    let (plain_a, plain_b) = (table.unliteral(a), table.unliteral(b));
    if plain_a != a || plain_b != b {
        return unify(table, plain_a, plain_b);
    }
    match (&x, &y) {
        (TypeData::TaggedUnion(_), _) | (_, TypeData::TaggedUnion(_)) => table.tagged_union(a, b),
        (TypeData::GeneratorObject { sent, .. }, TypeData::GeneratorObject { sent: other, .. }) => {
            unify_generators((a, *sent), (b, *other))
        }
        (TypeData::Tuple(x), TypeData::Tuple(y)) => unify_all(table, x, y).map(|joined| table.tuple(&joined)),
        (TypeData::StaticDict { .. }, TypeData::StaticDict { .. } | TypeData::Dict { .. })
        | (TypeData::Dict { .. }, TypeData::StaticDict { .. }) => unify_static_dicts(table, (a, &x), (b, &y)),
        (
            TypeData::LiteralSlice { .. } | TypeData::Slice { .. },
            TypeData::LiteralSlice { .. } | TypeData::Slice { .. },
        ) => Some(table.intern(TypeData::Slice { members: slice_members(&x).max(slice_members(&y)) })),
        (TypeData::Array(x), TypeData::Array(y)) => unify_arrays(table, x, y),
        (
            TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Dict { .. } | TypeData::Set { .. },
            TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Dict { .. } | TypeData::Set { .. },
        ) => table.unify_containers(a, b),
        (TypeData::Buffer(BufferKind::ObjectArray, x), TypeData::Buffer(BufferKind::ObjectArray, y)) => {
            unify_object_arrays(table, x, y)
        }
        _ if is_iterator(&x) && (table.is_open(a) || table.is_open(b)) => unify_open_iterators(table, x, y),
        (TypeData::Datetime { unit: x, span }, TypeData::Datetime { unit: y, span: other })
            if span == other =>
        {
            let joined = table.intern(TypeData::Datetime { unit: x.common(*y), span: *span });
            (convert(table, a, joined).is_some() && convert(table, b, joined).is_some()).then_some(joined)
        }
        (TypeData::CharSeq { .. }, _) | (_, TypeData::CharSeq { .. }) => {
            unify_charseqs(table, (a, &x), (b, &y))
        }
        (TypeData::Record(x), TypeData::Record(y)) => unify_records(table, x, y),
        (TypeData::FixedList(_), TypeData::FixedList(_) | TypeData::List { .. })
        | (TypeData::List { .. }, TypeData::FixedList(_)) => unify_fixed_lists(table, (a, &x), (b, &y)),
        (
            TypeData::Dispatcher(_) | TypeData::Closure { .. } | TypeData::Choice(_),
            TypeData::Dispatcher(_) | TypeData::Closure { .. } | TypeData::Choice(_),
        ) => unify_functions(table, a, b),
        (TypeData::Instance { .. } | TypeData::Union(_), TypeData::Instance { .. } | TypeData::Union(_)) => {
            unify_classes(table, a, b)
        }
        (TypeData::Caught(x), TypeData::Caught(y)) => Some(unify_caught(table, x, y)),
        (
            TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_),
            TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_),
        ) => Some(unify_exception_classes(table, &x, &y)),
        (TypeData::FunctionValue { .. }, TypeData::Dispatcher(_) | TypeData::Choice(_)) => {
            convert(table, b, a).map(|_| a)
        }
        (TypeData::Dispatcher(_) | TypeData::Choice(_), TypeData::FunctionValue { .. }) => {
            convert(table, a, b).map(|_| b)
        }
        (TypeData::Range(x), TypeData::Range(y)) => {
            let index = unify(table, *x, *y).filter(|t| t.is_int())?;
            Some(table.intern(TypeData::Range(index)))
        }
        _ => unify_enums(table, (a, &x), (b, &y)),
    }
}

/// An object and a value of another type: what has an object of its own becomes that, and a container is to be made as one.
fn unify_with_object(table: &TypeTable, other: Type) -> Option<Type> {
    (other == Type::UNDEFINED || may_become_object(table, other)).then_some(Type::PYOBJECT)
}

/// The same where one of the values may be None, or is not known yet.
fn unify_absent(table: &TypeTable, (a, x): (Type, TypeData), (b, y): (Type, TypeData)) -> Option<Type> {
    match (x, y) {
        (TypeData::Undefined, _) => Some(b),
        (_, TypeData::Undefined) => Some(a),
        (TypeData::None, TypeData::None) => Some(Type::NONE),
        (TypeData::None, TypeData::StaticDict { .. }) => Some(table.optional(table.dict_of_keywords(b)?)),
        (TypeData::StaticDict { .. }, TypeData::None) => Some(table.optional(table.dict_of_keywords(a)?)),
        (TypeData::None, y) => boxable(&y).then(|| table.optional(b)),
        (x, TypeData::None) => boxable(&x).then(|| table.optional(a)),
        (TypeData::Optional(i), TypeData::Optional(j)) => Some(table.optional(unify(table, i, j)?)),
        (TypeData::Optional(i), _) => Some(table.optional(unify(table, i, b)?)),
        (_, TypeData::Optional(j)) => Some(table.optional(unify(table, a, j)?)),
        _ => None,
    }
}

/// Numbers, and members of enumerations that are numbers: where both are not of one class, they are the numbers that they hold.
fn unify_enums(table: &TypeTable, (a, x): (Type, &TypeData), (b, y): (Type, &TypeData)) -> Option<Type> {
    let is_number = |data: &TypeData| matches!(data, TypeData::Enum { kind: EnumKind::Integer, .. });
    match is_number(x) || is_number(y) {
        true => unify_numbers(table.without_enums(a), table.without_enums(b)),
        false => unify_numbers(a, b),
    }
}

/// Of a generator of which nobody knows yet what is sent to it, the other one knows.
fn unify_generators((a, sent): (Type, Type), (b, other): (Type, Type)) -> Option<Type> {
    match (sent, other) {
        (Type::UNDEFINED, _) => Some(b),
        (_, Type::UNDEFINED) => Some(a),
        _ => None,
    }
}

/// One type for each pair, if there are as many of both.
fn unify_all(table: &TypeTable, x: &[Type], y: &[Type]) -> Option<Vec<Type>> {
    (x.len() == y.len()).then(|| x.iter().zip(y).map(|(&a, &b)| unify(table, a, b)).collect())?
}

/// Dicts with known keys of the same names, or as dicts like any other.
fn unify_static_dicts(
    table: &TypeTable,
    (a, x): (Type, &TypeData),
    (b, y): (Type, &TypeData),
) -> Option<Type> {
    if let (TypeData::StaticDict { names, types: x }, TypeData::StaticDict { names: others, types: y }) =
        (x, y)
        && names == others
    {
        let types = unify_all(table, x, y)?.into();
        return Some(table.intern(TypeData::StaticDict { names: names.clone(), types }));
    }
    let plain = |ty| table.dict_of_keywords(ty).unwrap_or(ty);
    let (x, y) = (plain(a), plain(b));
    table.keywords(x).or_else(|| table.keywords(y)).is_none().then(|| unify(table, x, y))?
}

/// Lists of fixed length of the same length, or as lists like any other.
fn unify_fixed_lists(
    table: &TypeTable,
    (a, x): (Type, &TypeData),
    (b, y): (Type, &TypeData),
) -> Option<Type> {
    if let (TypeData::FixedList(x), TypeData::FixedList(y)) = (x, y)
        && let Some(tuple) = unify(table, *x, *y)
    {
        return Some(table.intern(TypeData::FixedList(tuple)));
    }
    let plain = |ty, data: &TypeData| match data {
        TypeData::FixedList(_) => table.list_of_starred(ty),
        _ => Some(ty),
    };
    unify(table, plain(a, x)?, plain(b, y)?)
}

/// Items of arrays of strings, with each other and with strings and bytes.
fn unify_charseqs(table: &TypeTable, (a, x): (Type, &TypeData), (b, y): (Type, &TypeData)) -> Option<Type> {
    match (x, y) {
        (TypeData::CharSeq { count: x, wide }, TypeData::CharSeq { count: y, wide: other }) => {
            let count = *x.max(y);
            (wide == other).then(|| table.intern(TypeData::CharSeq { count, wide: *wide }))
        }
        (TypeData::CharSeq { wide: true, .. }, TypeData::Str)
        | (TypeData::Str, TypeData::CharSeq { wide: true, .. }) => Some(Type::STR),
        (TypeData::Buffer(BufferKind::Bytes, _), TypeData::CharSeq { wide: false, .. }) => {
            convert(table, b, a).map(|_| a)
        }
        (TypeData::CharSeq { wide: false, .. }, TypeData::Buffer(BufferKind::Bytes, _)) => {
            convert(table, a, b).map(|_| b)
        }
        _ => None,
    }
}

/// A class of exceptions that is one of either.
fn unify_exception_classes(table: &TypeTable, x: &TypeData, y: &TypeData) -> Type {
    let mut classes = [classes_of(x), classes_of(y)].concat();
    classes.sort_unstable();
    classes.dedup();
    table.intern(TypeData::ExceptionClassChoice(classes.into()))
}

/// Iterators and views, which go through something else.
fn is_iterator(data: &TypeData) -> bool {
    matches!(
        data,
        TypeData::Iterator(_)
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
            | TypeData::Facet { .. }
    )
}

fn slice_members(slice: &TypeData) -> u8 {
    match slice {
        TypeData::Slice { members } => *members,
        TypeData::LiteralSlice { step: None, .. } => 2,
        _ => 3,
    }
}

/// An exception that is one of either; of one instance there is one type.
fn unify_caught(table: &TypeTable, x: &[Type], y: &[Type]) -> Type {
    table.caught(&[x, y].concat())
}

fn classes_of(data: &TypeData) -> Vec<u32> {
    match data {
        TypeData::ExceptionClass(class) => vec![*class],
        TypeData::ExceptionClassChoice(classes) => classes.to_vec(),
        _ => Vec::new(),
    }
}

/// How many functions a value may be one of.
const MAX_FUNCTIONS: usize = 32;

fn unify_functions(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    let (a, b) = (table.functions(a)?, table.functions(b)?);
    let mut members: Vec<Type> = a.iter().chain(b.iter()).copied().collect();
    members.sort();
    members.dedup();
    (members.len() <= MAX_FUNCTIONS).then(|| table.intern(TypeData::Choice(members.into())))
}

/// Objects of one of several classes. Structrefs stay apart: libraries choose implementations by their exact types.
fn unify_classes(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    let members = [table.classes(a)?, table.classes(b)?].concat();
    let has_constructor = |&ty: &Type| table.class(ty).is_some_and(|class| class.constructor.is_some());
    members.iter().all(has_constructor).then(|| table.union_of(&members))?
}

/// The common type that represents values of both types without conversion: an Optional, or a choice of functions.
pub fn unify_unchanged(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    let joined = unify(table, a, b)?;
    (stays(table, a, joined) && stays(table, b, joined)).then_some(joined)
}

/// Whether a value keeps its representation in another type.
fn stays(table: &TypeTable, from: Type, to: Type) -> bool {
    let from = table.unliteral(from);
    if from == to {
        return true;
    }
    match (table.get(from), table.get(to)) {
        (TypeData::None, TypeData::Optional(_)) => true,
        (TypeData::Optional(inner), TypeData::Optional(wanted)) => stays(table, inner, wanted),
        (_, TypeData::Optional(wanted)) => stays(table, from, wanted),
        (TypeData::Tuple(x), TypeData::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(&from, &to)| stays(table, from, to))
        }
        // Arrays know their strides or not.
        (TypeData::Array(x), TypeData::Array(y)) => x.dtype == y.dtype && x.ndim == y.ndim,
        (_, TypeData::Choice(_) | TypeData::FunctionValue { .. } | TypeData::Union(_)) => true,
        (TypeData::Caught(_), TypeData::Caught(_)) => true,
        (
            TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_),
            TypeData::ExceptionClassChoice(_),
        ) => true,
        _ => false,
    }
}

/// The type of iterators, or views, of which one goes through a container that will hold what that of the other holds.
fn unify_open_iterators(table: &TypeTable, x: TypeData, y: TypeData) -> Option<Type> {
    let all = |x: &[Type], y: &[Type]| -> Option<Arc<[Type]>> { unify_all(table, x, y).map(Arc::from) };
    Some(table.intern(match (x, y) {
        (TypeData::Iterator(x), TypeData::Iterator(y)) => TypeData::Iterator(unify(table, x, y)?),
        (TypeData::Enumerate(x), TypeData::Enumerate(y)) => TypeData::Enumerate(unify(table, x, y)?),
        (TypeData::Facet { facet, of: x }, TypeData::Facet { facet: other, of: y }) if facet == other => {
            TypeData::Facet { facet, of: unify(table, x, y)? }
        }
        (TypeData::Zip(x), TypeData::Zip(y)) => TypeData::Zip(all(&x, &y)?),
        (
            TypeData::Map { function: f, iterators: x, item },
            TypeData::Map { function: g, iterators: y, item: other },
        ) => TypeData::Map {
            function: unify_open_functions(table, f, g)?,
            iterators: all(&x, &y)?,
            item: unify(table, item, other)?,
        },
        (TypeData::Filter { function: f, iterator: x }, TypeData::Filter { function: g, iterator: y }) => {
            TypeData::Filter { function: unify_open_functions(table, f, g)?, iterator: unify(table, x, y)? }
        }
        (
            TypeData::GeneratorExpr { function: f, iterator: x, item },
            TypeData::GeneratorExpr { function: g, iterator: y, item: other },
        ) => TypeData::GeneratorExpr {
            function: unify_open_functions(table, f, g)?,
            iterator: unify(table, x, y)?,
            item: unify(table, item, other)?,
        },
        _ => return None,
    }))
}

/// The function of iterators that are the same but for what containers hold, which it may have captured.
fn unify_open_functions(table: &TypeTable, f: Type, g: Type) -> Option<Type> {
    if f == g {
        return Some(f);
    }
    match (table.get(f), table.get(g)) {
        (
            TypeData::Closure { function, captures, defaults, optional },
            TypeData::Closure { function: other, captures: others, defaults: same, .. },
        ) if function == other && defaults == same && captures.len() == others.len() => {
            let joined: Option<Arc<[Type]>> =
                captures.iter().zip(others.iter()).map(|(&x, &y)| unify(table, x, y)).collect();
            Some(table.intern(TypeData::Closure { function, captures: joined?, defaults, optional }))
        }
        _ => None,
    }
}

/// Whether there may be an Optional of this type.
fn boxable(data: &TypeData) -> bool {
    !matches!(
        data,
        TypeData::Function(_)
            | TypeData::Module(_)
            | TypeData::Method(..)
            | TypeData::Dispatcher(_)
            | TypeData::Closure { .. }
            | TypeData::Choice(_)
            | TypeData::StaticDict { .. }
            | TypeData::Object { .. }
            | TypeData::FunctionValue { .. }
            | TypeData::PythonFunction { .. }
            | TypeData::Pointer(_)
            | TypeData::Cell(_)
            | TypeData::HeapCell(_)
            | TypeData::Iterator(_)
            | TypeData::Facet { .. }
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
            | TypeData::Scratch(_)
            | TypeData::NumpyGenerator
    )
}

/// NumPy's `promote_types` on bool, integers, floats and complex numbers.
fn unify_numbers(a: Type, b: Type) -> Option<Type> {
    let (low, high) = if kind(a)? <= kind(b)? { (a, b) } else { (b, a) };
    if low == Type::BOOL {
        return Some(high);
    }
    match (low.as_int(), high.as_int()) {
        (Some((m, s)), Some((n, t))) if s == t => return Some(Type::int(m.max(n), s)),
        (Some((m, s)), Some((n, _))) => {
            let (signed, unsigned) = if s { (m, n) } else { (n, m) };
            return Some(match signed.max(unsigned.saturating_mul(2)) {
                bits @ 8..=64 => Type::int(bits, true),
                _ => Type::FLOAT64,
            });
        }
        _ => {}
    }
    let half = |ty: Type| ty == Type::FLOAT16 || ty.as_int().is_some_and(|(bits, _)| bits == 8);
    if half(low) && high == Type::FLOAT16 {
        return Some(high);
    }
    let single_int = low.as_int().is_none_or(|(bits, _)| bits <= 16);
    let single =
        |ty: Type| matches!(ty, Type::FLOAT16 | Type::FLOAT32 | Type::COMPLEX64) || ty.is_int() && single_int;
    let both_single = single(low) && single(high);
    Some(match (high.is_complex(), both_single) {
        (true, true) => Type::COMPLEX64,
        (true, false) => Type::COMPLEX128,
        (false, true) => Type::FLOAT32,
        (false, false) => Type::FLOAT64,
    })
}

/// An array of objects that is either: its items may be of the classes of both.
fn unify_object_arrays(table: &TypeTable, a: &ArrayType, b: &ArrayType) -> Option<Type> {
    let dtype = unify(table, a.dtype, b.dtype).filter(|_| a.ndim == b.ndim)?;
    let layout = if a.layout == b.layout { a.layout } else { Layout::Any };
    let items = ArrayType { dtype, layout, mutable: a.mutable && b.mutable, ..*a };
    Some(table.intern(TypeData::Buffer(BufferKind::ObjectArray, items)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_unify_as_numpy_promotes() {
        let t = TypeTable::default();
        let join = |a, b| unify(&t, a, b);
        assert_eq!(join(Type::INT64, Type::UINT64), Some(Type::FLOAT64));
        assert_eq!(join(Type::INT8, Type::UINT8), Some(Type::INT16));
        assert_eq!(join(Type::UINT32, Type::INT8), Some(Type::INT64));
        assert_eq!(join(Type::INT16, Type::FLOAT32), Some(Type::FLOAT32));
        assert_eq!(join(Type::UINT8, Type::FLOAT16), Some(Type::FLOAT16));
        assert_eq!(join(Type::BOOL, Type::FLOAT16), Some(Type::FLOAT16));
        assert_eq!(join(Type::INT16, Type::FLOAT16), Some(Type::FLOAT32));
        assert_eq!(join(Type::INT32, Type::FLOAT16), Some(Type::FLOAT64));
        assert_eq!(join(Type::FLOAT16, Type::FLOAT32), Some(Type::FLOAT32));
        assert_eq!(join(Type::FLOAT16, Type::COMPLEX64), Some(Type::COMPLEX64));
        assert_eq!(join(Type::INT32, Type::FLOAT32), Some(Type::FLOAT64));
        assert_eq!(join(Type::COMPLEX64, Type::FLOAT64), Some(Type::COMPLEX128));
        assert_eq!(join(Type::BOOL, Type::INT64), Some(Type::INT64));
        assert_eq!(join(Type::STR, Type::INT64), None);
        assert_eq!(join(t.literal_int(1), t.literal_int(2)), Some(Type::INT64));
        assert_eq!(join(Type::NONE, t.literal_int(2)), Some(t.optional(Type::INT64)));
    }

    #[test]
    fn tuples_unify_element_by_element() {
        let t = TypeTable::default();
        let a = t.tuple(&[Type::INT64, Type::FLOAT64]);
        let b = t.tuple(&[Type::FLOAT64, Type::FLOAT64]);
        assert_eq!(unify(&t, a, b), Some(b));
        assert_eq!(unify(&t, a, t.tuple(&[Type::INT64])), None);
    }
}
