//! The conversion lattice, graded as in Numba: exact, promote (same kind, wider), safe (another kind, no significant
//! value lost) and unsafe.
//!
//! Which values are Python objects where one is asked for stands at the end. Absent: the type that holds values of two types
//! ([`crate::unify`]).

use crate::array::convert_array;
use crate::datetime_unit::convert_time;
use crate::record::convert_record;
use crate::{
    BufferKind, EnumKind, Facet, Layout, LiteralValue, SetKind, Type, TypeData, TypeTable, USER_EXCEPTION,
};

/// How good a conversion is; smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Conversion {
    /// The same type.
    Exact,
    /// The same kind, wider.
    Promote,
    /// Another kind that holds every value (or, from 64-bit integers to double, nearly).
    Safe,
    /// Values may change.
    Unsafe,
}

/// How a value of type `from` becomes one of type `to`, if it can at all.
pub fn convert(table: &TypeTable, from: Type, to: Type) -> Option<Conversion> {
    if from == to {
        return Some(Conversion::Exact);
    }
    match (table.get(from), table.get(to)) {
        (TypeData::Undefined, _) => Some(Conversion::Promote),
        (_, TypeData::PyObject) => becomes_object(table, from).then_some(Conversion::Unsafe),
        (TypeData::PyObject, _) => is_read_from_object(table, to).then_some(Conversion::Unsafe),
        (TypeData::Foreign { .. }, _) | (_, TypeData::Foreign { .. })
            if let Some(cast) = table.cast(table.unliteral(from), to) =>
        {
            Some(cast.grade)
        }
        (TypeData::Literal(value), _) => convert_literal(table, &value, from, to),
        (TypeData::Omitted(inner), _) => convert(table, inner, to),
        (TypeData::None, TypeData::Optional(_)) => Some(Conversion::Promote),
        (TypeData::Optional(a), TypeData::Optional(b)) => convert(table, a, b),
        (_, TypeData::Optional(inner)) => convert(table, from, inner).map(|c| c.max(Conversion::Promote)),
        (TypeData::Optional(inner), _) => convert(table, inner, to).map(|c| c.max(Conversion::Safe)),
        (TypeData::Enum { value, kind: EnumKind::Integer, .. }, _) => {
            convert(table, value, to).map(|c| c.max(Conversion::Promote))
        }
        (TypeData::FixedList(a), TypeData::FixedList(b)) => convert(table, a, b),
        (TypeData::StaticDict { names: a, types: x }, TypeData::StaticDict { names: b, types: y }) => {
            (a == b).then(|| convert_parts(table, &x, &y))?
        }
        (TypeData::LiteralSlice { step, .. }, TypeData::Slice { members }) => {
            (step.is_none() || members == 3).then_some(Conversion::Promote)
        }
        (TypeData::Slice { members: a }, TypeData::Slice { members: b }) => {
            (a < b).then_some(Conversion::Promote)
        }
        (TypeData::Array(a), TypeData::Array(b)) => convert_array(&a, &b),
        (TypeData::Buffer(kind, a), TypeData::Buffer(other, b)) if kind == other => convert_array(&a, &b),
        (TypeData::Record(a), TypeData::Record(b)) => convert_record(&a, &b),
        (
            a @ TypeData::CharSeq { .. },
            b @ (TypeData::CharSeq { .. } | TypeData::Str | TypeData::Buffer(..)),
        ) => convert_charseq(&a, &b),
        (TypeData::Datetime { unit: a, span: x }, TypeData::Datetime { unit: b, span: y }) => {
            convert_time((a, x), (b, y))
        }
        (_, TypeData::Choice(wanted)) => {
            let members = table.functions(from)?;
            members.iter().all(|member| wanted.contains(member)).then_some(Conversion::Promote)
        }
        (_, TypeData::TaggedUnion(members)) => table.convert_to_union(from, &members),
        (TypeData::Instance { .. } | TypeData::Union(_), TypeData::Union(wanted)) => {
            let classes = table.classes(from)?;
            classes.iter().all(|class| wanted.contains(class)).then_some(Conversion::Promote)
        }
        (TypeData::Exception { .. } | TypeData::Caught(_), TypeData::Caught(_)) => Some(Conversion::Promote),
        (TypeData::ExceptionClass(class), TypeData::ExceptionClassChoice(wanted)) => {
            wanted.contains(&class).then_some(Conversion::Promote)
        }
        (TypeData::ExceptionClassChoice(classes), TypeData::ExceptionClassChoice(wanted)) => {
            classes.iter().all(|class| wanted.contains(class)).then_some(Conversion::Promote)
        }
        (a, b) if is_pointer(&a) || is_pointer(&b) => convert_pointer(table, &a, &b),
        // The function is compiled for the signature.
        (_, TypeData::FunctionValue { .. }) => {
            let members = table.functions(from)?;
            let named = |&member: &Type| matches!(table.get(member), TypeData::Dispatcher(_));
            members.iter().all(named).then_some(Conversion::Safe)
        }
        (a, b) => match (table.elements(from), table.elements(to)) {
            (Some(x), Some(y)) => convert_elements(table, &a, &b, &x, &y),
            _ => convert_scalar(from, to),
        },
    }
}

/// Whether values of a type are read from objects, with a check at run time.
fn is_read_from_object(table: &TypeTable, to: Type) -> bool {
    match table.get(to) {
        TypeData::Optional(inner) => is_read_from_object(table, inner),
        TypeData::None | TypeData::Str => true,
        _ => kind(to).is_some(),
    }
}

fn is_pointer(data: &TypeData) -> bool {
    matches!(data, TypeData::Pointer(_))
}

/// Addresses, also as numbers, as `a.ctypes.data` gives them.
fn convert_pointer(table: &TypeTable, from: &TypeData, to: &TypeData) -> Option<Conversion> {
    match (from, to) {
        (TypeData::Pointer(_), TypeData::Pointer(None)) => Some(Conversion::Safe),
        (TypeData::Int { bits: 64, signed: false }, TypeData::Pointer(None)) => Some(Conversion::Safe),
        (TypeData::Pointer(None), TypeData::Int { bits: 64, signed: false }) => Some(Conversion::Unsafe),
        (TypeData::Facet { facet: Facet::Ctypes, of }, TypeData::Pointer(to)) => {
            let dtype = table.array(*of)?.dtype;
            to.is_none_or(|to| to == dtype).then_some(Conversion::Safe)
        }
        _ => None,
    }
}

/// Items of arrays of strings. Text that is too long is cut off.
fn convert_charseq(from: &TypeData, to: &TypeData) -> Option<Conversion> {
    match (from, to) {
        (TypeData::CharSeq { count: a, wide }, TypeData::CharSeq { count: b, wide: other }) => {
            (wide == other).then_some(if a <= b { Conversion::Promote } else { Conversion::Unsafe })
        }
        (TypeData::CharSeq { wide: true, .. }, TypeData::Str) => Some(Conversion::Safe),
        (TypeData::CharSeq { wide: false, .. }, TypeData::Buffer(BufferKind::Bytes, items)) => {
            (items.layout == Layout::C).then_some(Conversion::Safe)
        }
        _ => None,
    }
}

/// The values of a dict with known keys, one by one.
fn convert_parts(table: &TypeTable, x: &[Type], y: &[Type]) -> Option<Conversion> {
    let parts = x.iter().zip(y).map(|(&from, &to)| convert(table, from, to));
    let worst = parts.collect::<Option<Vec<_>>>()?.into_iter().max();
    Some(worst.unwrap_or(Conversion::Exact).max(Conversion::Promote))
}

fn convert_literal(table: &TypeTable, value: &LiteralValue, from: Type, to: Type) -> Option<Conversion> {
    if table.literal(to).is_some() {
        return None;
    }
    if let (LiteralValue::Str(text), TypeData::CharSeq { wide, .. }) = (value, table.get(to)) {
        return (wide || text.is_ascii()).then_some(Conversion::Safe);
    }
    if let (LiteralValue::Int(v), Some((bits, signed))) = (value, to.as_int()) {
        // A literal that fits is no worse than a promotion, whatever the width and sign.
        if bits < 64 && literal_fits(*v, bits, signed) {
            return Some(Conversion::Safe);
        }
    }
    let plain = table.unliteral(from);
    convert(table, plain, to).map(|c| c.max(Conversion::Promote))
}

fn literal_fits(value: i64, bits: u8, signed: bool) -> bool {
    let (low, high) =
        if signed { (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1) } else { (0, (1i64 << bits) - 1) };
    (low..=high).contains(&value)
}

fn convert_elements(
    table: &TypeTable,
    from: &TypeData,
    to: &TypeData,
    x: &[Type],
    y: &[Type],
) -> Option<Conversion> {
    if let (TypeData::NamedTuple { class: a, .. }, TypeData::NamedTuple { class: b, .. }) = (from, to)
        && a != b
    {
        return None;
    }
    if x.len() != y.len() || matches!((from, to), (TypeData::Tuple(_), TypeData::NamedTuple { .. })) {
        return None;
    }
    let mut worst = Conversion::Promote;
    for (&a, &b) in x.iter().zip(y) {
        worst = worst.max(convert(table, a, b)?);
    }
    Some(worst)
}

/// Rank of a numeric kind (booleans, integers, floats, complex numbers): each may become a later one.
pub fn kind(ty: Type) -> Option<u8> {
    match ty {
        Type::BOOL => Some(0),
        _ if ty.is_int() => Some(1),
        _ if ty.is_float() => Some(2),
        _ if ty.is_complex() => Some(3),
        _ => None,
    }
}

fn convert_scalar(from: Type, to: Type) -> Option<Conversion> {
    let (source, target) = (kind(from)?, kind(to)?);
    Some(match (from.as_int(), to.as_int()) {
        (Some((a, s)), Some((b, t))) if s == t => {
            if b > a {
                Conversion::Promote
            } else {
                Conversion::Unsafe
            }
        }
        (Some((a, false)), Some((b, true))) if b > a => Conversion::Safe,
        (Some(_), Some(_)) => Conversion::Unsafe,
        (Some((bits, _)), None) if target >= 2 => {
            // 64-bit integers to double count as safe: `int64 + float64` is float64.
            let is_exact = bits <= if to == Type::FLOAT16 { 8 } else { 16 };
            let double = matches!(to, Type::FLOAT64 | Type::COMPLEX128);
            if is_exact || double { Conversion::Safe } else { Conversion::Unsafe }
        }
        _ if from == Type::BOOL => Conversion::Safe,
        _ if source == 2 && target == 2 || source == 3 && target == 3 => {
            if width(to) > width(from) {
                Conversion::Promote
            } else {
                Conversion::Unsafe
            }
        }
        _ if source == 2 && target == 3 => {
            if width(to) >= 2 * width(from) {
                Conversion::Safe
            } else {
                Conversion::Unsafe
            }
        }
        // A complex number does not become a real one by itself.
        _ if source == 3 => return None,
        _ => Conversion::Unsafe,
    })
}

fn width(ty: Type) -> u32 {
    match ty {
        Type::FLOAT16 => 16,
        Type::FLOAT32 => 32,
        Type::FLOAT64 | Type::COMPLEX64 => 64,
        Type::COMPLEX128 => 128,
        _ => ty.as_int().map_or(8, |(bits, _)| bits.into()),
    }
}

/// Whether a value can be put into a container of items of type `item`: numbers become those of its kind, whatever the width.
/// An integer that is out of range is an exception at run time.
pub fn fits_item(table: &TypeTable, value: Type, item: Type) -> bool {
    let Some(how) = convert(table, value, item) else { return false };
    let numbers_fit =
        || kind(table.unliteral(value)).is_some_and(|from| kind(item).is_some_and(|to| from <= to));
    // A conversion of tuples has as many elements on both sides.
    let elements_fit = || match (table.elements(value), table.elements(item)) {
        (Some(from), Some(to)) => from.iter().zip(to.iter()).all(|(&from, &to)| fits_item(table, from, to)),
        _ => false,
    };
    how <= Conversion::Safe || numbers_fit() || elements_fit()
}

/// Whether there is a Python object which is the value, or a copy of what does not change.
pub fn has_python_object(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => has_python_object(types, inner),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().all(|&element| has_python_object(types, element))
        }
        TypeData::TaggedUnion(members) => members.iter().all(|&member| has_python_object(types, member)),
        TypeData::List { typed, .. } => typed,
        TypeData::Set { kind, .. } => kind != SetKind::Plain,
        TypeData::None
        | TypeData::Ellipsis
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Str
        | TypeData::Literal(_)
        | TypeData::Enum { .. }
        | TypeData::Slice { .. }
        | TypeData::LiteralSlice { .. }
        | TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Datetime { .. }
        | TypeData::CharSeq { .. }
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::PyObject
        | TypeData::Class(_)
        | TypeData::Dispatcher(_)
        | TypeData::FunctionValue { .. }
        | TypeData::NumpyGenerator
        | TypeData::Instance { .. }
        | TypeData::Foreign { .. } => true,
        _ => false,
    }
}

/// Built-in functions that ask the Python frame that calls them, of which compiled code has none.
const OF_FRAMES: &[&str] = &[
    "builtins.__import__",
    "builtins.breakpoint",
    "builtins.dir",
    "builtins.eval",
    "builtins.exec",
    "builtins.globals",
    "builtins.locals",
    "builtins.super",
    "builtins.vars",
];

/// The dotted name by which Python finds a function, a module or a class that is all in its type.
pub fn python_name(types: &TypeTable, ty: Type) -> Option<String> {
    let name = match types.get(ty) {
        TypeData::Function(name) => name.to_string(),
        TypeData::Module(name) => return Some(name.to_string()),
        _ => return None,
    };
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_ours = name.starts_with("rumba.") || !name.contains('.');
    let is_known = !is_ours && !OF_FRAMES.contains(&name.as_str());
    (is_known && name.split('.').all(is_word)).then_some(name)
}

/// Whether a value is an object where one is asked for, or may be made as one: a container is, and what holds one.
pub fn may_become_object(types: &TypeTable, ty: Type) -> bool {
    let is_container =
        types.contents(ty).is_some() || types.starred(ty).is_some() || types.keywords(ty).is_some();
    is_container
        || becomes_object(types, ty)
        || match types.get(ty) {
            TypeData::Optional(inner) => may_become_object(types, inner),
            _ => types.elements(ty).is_some_and(|all| all.iter().all(|&one| may_become_object(types, one))),
        }
}

/// Whether a value is a Python object, or a tuple that holds one.
pub fn holds_object(types: &TypeTable, ty: Type) -> bool {
    ty == Type::PYOBJECT
        || types.elements(ty).is_some_and(|all| all.iter().any(|&one| holds_object(types, one)))
}

/// Whether a value can be an operand of an operation on objects.
pub fn becomes_object(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Method(of, _) => becomes_object(types, of),
        TypeData::ExceptionClass(class) => class & USER_EXCEPTION == 0,
        TypeData::Tuple(elements) => elements.iter().all(|&element| becomes_object(types, element)),
        _ => has_python_object(types, ty) || python_name(types, ty).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_graded() {
        let t = TypeTable::default();
        let grade = |a, b| convert(&t, a, b);
        assert_eq!(grade(Type::INT32, Type::INT64), Some(Conversion::Promote));
        assert_eq!(grade(Type::INT64, Type::INT32), Some(Conversion::Unsafe));
        assert_eq!(grade(Type::UINT32, Type::INT64), Some(Conversion::Safe));
        assert_eq!(grade(Type::INT64, Type::FLOAT64), Some(Conversion::Safe));
        assert_eq!(grade(Type::INT32, Type::FLOAT32), Some(Conversion::Unsafe));
        assert_eq!(grade(Type::FLOAT64, Type::FLOAT32), Some(Conversion::Unsafe));
        assert_eq!(grade(Type::COMPLEX128, Type::FLOAT64), None);
        assert_eq!(grade(Type::NONE, t.optional(Type::INT64)), Some(Conversion::Promote));
        assert_eq!(grade(t.literal_int(7), Type::INT8), Some(Conversion::Safe));
    }

    #[test]
    fn items_keep_their_kind() {
        let t = TypeTable::default();
        assert!(fits_item(&t, Type::INT64, Type::INT8) && fits_item(&t, Type::FLOAT64, Type::FLOAT32));
        assert!(fits_item(&t, t.literal_int(3), Type::FLOAT32) && !fits_item(&t, Type::FLOAT64, Type::INT64));
        assert!(!fits_item(&t, Type::STR, Type::INT64) && fits_item(&t, Type::NONE, t.optional(Type::INT64)));
    }
}
