//! The conversion lattice and unification.
//!
//! Conversions are graded as users of Numba know them: exact, promote (same kind, wider), safe
//! (another kind, no value lost that matters) and unsafe. Two numeric types unify to the type
//! that NumPy's `promote_types` gives.

use crate::array::{convert_array, unify_arrays};
use crate::datetime_unit::convert_time;
use crate::record::{convert_record, unify_records};
use crate::{BufferKind, EnumKind, Facet, Layout, LiteralValue, Type, TypeData, TypeTable};
use std::sync::Arc;

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
            let parts = x.iter().zip(y.iter()).map(|(&from, &to)| convert(table, from, to));
            let worst = parts.collect::<Option<Vec<_>>>()?.into_iter().max();
            (a == b).then(|| worst.unwrap_or(Conversion::Exact).max(Conversion::Promote))
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
        (TypeData::CharSeq { count: a, wide }, TypeData::CharSeq { count: b, wide: other }) => {
            // Text that is too long is cut off.
            (wide == other).then_some(if a <= b { Conversion::Promote } else { Conversion::Unsafe })
        }
        (TypeData::CharSeq { wide: true, .. }, TypeData::Str) => Some(Conversion::Safe),
        (TypeData::CharSeq { wide: false, .. }, TypeData::Buffer(BufferKind::Bytes, items)) => {
            (items.layout == Layout::C).then_some(Conversion::Safe)
        }
        (TypeData::Datetime { unit: a, span: x }, TypeData::Datetime { unit: b, span: y }) => {
            convert_time((a, x), (b, y))
        }
        (_, TypeData::Choice(wanted)) => {
            let members = table.functions(from)?;
            members.iter().all(|member| wanted.contains(member)).then_some(Conversion::Promote)
        }
        (TypeData::Exception { .. }, TypeData::Caught(_)) => Some(Conversion::Promote),
        (TypeData::Caught(_), TypeData::Caught(_)) => Some(Conversion::Promote),
        (TypeData::ExceptionClass(class), TypeData::ExceptionClassChoice(wanted)) => {
            wanted.contains(&class).then_some(Conversion::Promote)
        }
        (TypeData::ExceptionClassChoice(classes), TypeData::ExceptionClassChoice(wanted)) => {
            classes.iter().all(|class| wanted.contains(class)).then_some(Conversion::Promote)
        }
        (TypeData::Pointer(_), TypeData::Pointer(None)) => Some(Conversion::Safe),
        // An address as a number, as `a.ctypes.data` gives it.
        (TypeData::Int { bits: 64, signed: false }, TypeData::Pointer(None)) => Some(Conversion::Safe),
        (TypeData::Pointer(None), TypeData::Int { bits: 64, signed: false }) => Some(Conversion::Unsafe),
        (TypeData::Facet { facet: Facet::Ctypes, of }, TypeData::Pointer(to)) => {
            let dtype = table.array(of)?.dtype;
            to.is_none_or(|to| to == dtype).then_some(Conversion::Safe)
        }
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

/// Rank of a numeric kind (truth values, integers, floats, complex numbers): each may become a later one.
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
            let exact_in_single = bits <= 16;
            let double = matches!(to, Type::FLOAT64 | Type::COMPLEX128);
            if exact_in_single || double { Conversion::Safe } else { Conversion::Unsafe }
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
    how <= Conversion::Safe
        || kind(table.unliteral(value)).is_some_and(|from| kind(item).is_some_and(|to| from <= to))
}

/// The type that holds values of both types, if there is one.
pub fn unify(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    if a == b {
        return Some(a);
    }
    let (x, y) = (table.get(a), table.get(b));
    match (&x, &y) {
        (TypeData::Undefined, _) => return Some(b),
        (_, TypeData::Undefined) => return Some(a),
        (TypeData::None, TypeData::None) => return Some(Type::NONE),
        (TypeData::None, TypeData::StaticDict { .. }) => {
            return Some(table.optional(table.dict_of_keywords(b)?));
        }
        (TypeData::StaticDict { .. }, TypeData::None) => {
            return Some(table.optional(table.dict_of_keywords(a)?));
        }
        (TypeData::None, _) => return boxable(&y).then(|| table.optional(b)),
        (_, TypeData::None) => return boxable(&x).then(|| table.optional(a)),
        (TypeData::Optional(i), TypeData::Optional(j)) => return Some(table.optional(unify(table, *i, *j)?)),
        (TypeData::Optional(i), _) => return Some(table.optional(unify(table, *i, b)?)),
        (_, TypeData::Optional(j)) => return Some(table.optional(unify(table, a, *j)?)),
        _ => {}
    }
    let (plain_a, plain_b) = (table.unliteral(a), table.unliteral(b));
    if plain_a != a || plain_b != b {
        return unify(table, plain_a, plain_b);
    }
    match (x, y) {
        // A generator of which nobody knows yet what is sent to it.
        (TypeData::GeneratorObject { sent: Type::UNDEFINED, .. }, TypeData::GeneratorObject { .. }) => {
            Some(b)
        }
        (TypeData::GeneratorObject { .. }, TypeData::GeneratorObject { sent: Type::UNDEFINED, .. }) => {
            Some(a)
        }
        (TypeData::Tuple(x), TypeData::Tuple(y)) if x.len() == y.len() => {
            let joined: Option<Vec<Type>> =
                x.iter().zip(y.iter()).map(|(&a, &b)| unify(table, a, b)).collect();
            joined.map(|elements| table.tuple(&elements))
        }
        (TypeData::StaticDict { names, types: x }, TypeData::StaticDict { names: others, types: y })
            if names == others =>
        {
            let pairs = x.iter().zip(y.iter());
            let types: Option<Arc<[Type]>> = pairs.map(|(&a, &b)| unify(table, a, b)).collect();
            Some(table.intern(TypeData::StaticDict { names, types: types? }))
        }
        (TypeData::StaticDict { .. }, TypeData::StaticDict { .. } | TypeData::Dict { .. })
        | (TypeData::Dict { .. }, TypeData::StaticDict { .. }) => {
            let plain = |ty| table.dict_of_keywords(ty).unwrap_or(ty);
            let (x, y) = (plain(a), plain(b));
            table.keywords(x).or_else(|| table.keywords(y)).is_none().then(|| unify(table, x, y))?
        }
        (
            x @ (TypeData::LiteralSlice { .. } | TypeData::Slice { .. }),
            y @ (TypeData::LiteralSlice { .. } | TypeData::Slice { .. }),
        ) => Some(table.intern(TypeData::Slice { members: slice_members(&x).max(slice_members(&y)) })),
        (TypeData::Array(x), TypeData::Array(y)) => unify_arrays(table, &x, &y),
        (
            TypeData::List { .. } | TypeData::Dict { .. } | TypeData::Set { .. },
            TypeData::List { .. } | TypeData::Dict { .. } | TypeData::Set { .. },
        ) => table.unify_containers(a, b),
        (
            x @ (TypeData::Iterator(_)
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
            | TypeData::Facet { .. }),
            y,
        ) if table.is_open(a) || table.is_open(b) => unify_open_iterators(table, x, y),
        (TypeData::Datetime { unit: x, span }, TypeData::Datetime { unit: y, span: other })
            if span == other =>
        {
            let joined = table.intern(TypeData::Datetime { unit: x.common(y), span });
            (convert(table, a, joined).is_some() && convert(table, b, joined).is_some()).then_some(joined)
        }
        (TypeData::CharSeq { count: x, wide }, TypeData::CharSeq { count: y, wide: other })
            if wide == other =>
        {
            Some(table.intern(TypeData::CharSeq { count: x.max(y), wide }))
        }
        (TypeData::CharSeq { wide: true, .. }, TypeData::Str)
        | (TypeData::Str, TypeData::CharSeq { wide: true, .. }) => Some(Type::STR),
        (TypeData::Buffer(BufferKind::Bytes, _), TypeData::CharSeq { wide: false, .. }) => {
            convert(table, b, a).map(|_| a)
        }
        (TypeData::CharSeq { wide: false, .. }, TypeData::Buffer(BufferKind::Bytes, _)) => {
            convert(table, a, b).map(|_| b)
        }
        (TypeData::Record(x), TypeData::Record(y)) => unify_records(table, &x, &y),
        (TypeData::FixedList(x), TypeData::FixedList(y)) => match unify(table, x, y) {
            Some(tuple) => Some(table.intern(TypeData::FixedList(tuple))),
            None => unify(table, table.list_of_starred(a)?, table.list_of_starred(b)?),
        },
        (TypeData::FixedList(_), TypeData::List { .. }) => unify(table, table.list_of_starred(a)?, b),
        (TypeData::List { .. }, TypeData::FixedList(_)) => unify(table, a, table.list_of_starred(b)?),
        (
            TypeData::Dispatcher(_) | TypeData::Closure { .. } | TypeData::Choice(_),
            TypeData::Dispatcher(_) | TypeData::Closure { .. } | TypeData::Choice(_),
        ) => unify_functions(table, a, b),
        (TypeData::Caught(x), TypeData::Caught(y)) => Some(unify_caught(table, &x, &y)),
        (
            x @ (TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_)),
            y @ (TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_)),
        ) => {
            let mut classes = [classes_of(&x), classes_of(&y)].concat();
            classes.sort_unstable();
            classes.dedup();
            Some(table.intern(TypeData::ExceptionClassChoice(classes.into())))
        }
        (TypeData::FunctionValue { .. }, TypeData::Dispatcher(_) | TypeData::Choice(_)) => {
            convert(table, b, a).map(|_| a)
        }
        (TypeData::Dispatcher(_) | TypeData::Choice(_), TypeData::FunctionValue { .. }) => {
            convert(table, a, b).map(|_| b)
        }
        (TypeData::Range(x), TypeData::Range(y)) => {
            let index = unify(table, x, y).filter(|t| t.is_int())?;
            Some(table.intern(TypeData::Range(index)))
        }
        // Where both are not of one class, they are the numbers that they hold.
        (TypeData::Enum { kind: EnumKind::Integer, .. }, _)
        | (_, TypeData::Enum { kind: EnumKind::Integer, .. }) => {
            unify_numbers(table.without_enums(a), table.without_enums(b))
        }
        _ => unify_numbers(a, b),
    }
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
const MOST_FUNCTIONS: usize = 32;

fn unify_functions(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    let (a, b) = (table.functions(a)?, table.functions(b)?);
    let mut members: Vec<Type> = a.iter().chain(b.iter()).copied().collect();
    members.sort();
    members.dedup();
    (members.len() <= MOST_FUNCTIONS).then(|| table.intern(TypeData::Choice(members.into())))
}

/// The type that holds values of both types as they are: beside None, as one of several functions.
pub fn unify_unchanged(table: &TypeTable, a: Type, b: Type) -> Option<Type> {
    let joined = unify(table, a, b)?;
    (stays(table, a, joined) && stays(table, b, joined)).then_some(joined)
}

/// Whether a value of one type is the same value in another one.
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
        (_, TypeData::Choice(_) | TypeData::FunctionValue { .. }) => true,
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
    let all = |x: &[Type], y: &[Type]| -> Option<Arc<[Type]>> {
        (x.len() == y.len()).then(|| x.iter().zip(y).map(|(&x, &y)| unify(table, x, y)).collect())?
    };
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

/// Whether a value of this type may stand beside None in an Optional.
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
    let single_int = low.as_int().is_none_or(|(bits, _)| bits <= 16);
    let single = |ty: Type| matches!(ty, Type::FLOAT32 | Type::COMPLEX64) || ty.is_int() && single_int;
    let both_single = single(low) && single(high);
    Some(match (high.is_complex(), both_single) {
        (true, true) => Type::COMPLEX64,
        (true, false) => Type::COMPLEX128,
        (false, true) => Type::FLOAT32,
        (false, false) => Type::FLOAT64,
    })
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

    #[test]
    fn numbers_unify_as_numpy_promotes() {
        let t = TypeTable::default();
        let join = |a, b| unify(&t, a, b);
        assert_eq!(join(Type::INT64, Type::UINT64), Some(Type::FLOAT64));
        assert_eq!(join(Type::INT8, Type::UINT8), Some(Type::INT16));
        assert_eq!(join(Type::UINT32, Type::INT8), Some(Type::INT64));
        assert_eq!(join(Type::INT16, Type::FLOAT32), Some(Type::FLOAT32));
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
