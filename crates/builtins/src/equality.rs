//! Comparison of tuples, of Optionals, and equality of values of different kinds.
//!
//! Numbers are compared in [`crate::compare`]. A value never equals one of another kind: `1 == None`
//! is False, and known when the function compiles.

use crate::emit_util::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, Value};
use types::{Type, TypeData, TypeTable};

const EQ: Key = Key::Compare(CompareOp::Eq);

pub(crate) fn add(catalog: &mut Catalog) {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    macro_rules! tuples {
        ($($op:ident)*) => {
            $(catalog.add(Key::Compare($op), Rule::Nested(|catalog, types, args| {
                resolve_tuples(catalog, types, args, $op, |emit, args| compare_tuples(emit, args, $op))
            }));)*
        };
    }
    tuples! { Eq Ne Lt Le Gt Ge }
    catalog.add(
        EQ,
        Rule::Nested(|catalog, types, args| {
            resolve_optional(catalog, types, args, |emit, args| optionals_equal(emit, &args[0], &args[1]))
        }),
    );
    catalog.add(
        Key::Compare(Ne),
        Rule::Nested(|catalog, types, args| {
            resolve_optional(catalog, types, args, |emit, args| {
                let equal = optionals_equal(emit, &args[0], &args[1])?.value();
                let differ = inverted(emit, equal);
                single(Type::BOOL, differ)
            })
        }),
    );
    catalog.add(EQ, Rule::Generic(|types, args| resolve_kinds(types, args, true)));
    catalog.add(Key::Compare(Ne), Rule::Generic(|types, args| resolve_kinds(types, args, false)));
}

fn resolve_tuples(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    op: CompareOp,
    emit: EmitFn,
) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (types.elements(a)?, types.elements(b)?);
    let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
    if equality && x.len() != y.len() {
        let differ = op == CompareOp::Ne;
        let emit = if differ { yes } else { no };
        return Some(Resolution { result: types.literal_bool(differ), params: args.to_vec(), emit });
    }
    for (&left, &right) in x.iter().zip(y.iter()) {
        catalog.resolve(types, &EQ, &[left, right])?;
        if !equality {
            catalog.resolve(types, &Key::Compare(op), &[left, right])?;
        }
    }
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// The first elements that differ decide; the lengths do if there are none.
fn compare_tuples(emit: &mut Emit<'_>, args: &[Operand], op: CompareOp) -> Result<Operand> {
    let (x, y) = (elements(emit, &args[0]), elements(emit, &args[1]));
    let lengths = match op {
        // Tuples of different lengths did not come here.
        CompareOp::Eq | CompareOp::Ne => true,
        CompareOp::Lt => x.len() < y.len(),
        CompareOp::Le => x.len() <= y.len(),
        CompareOp::Gt => x.len() > y.len(),
        _ => x.len() >= y.len(),
    };
    let mut value = emit.b.bool(lengths);
    let pairs: Vec<[Operand; 2]> = x.into_iter().zip(y).map(|(a, b)| [a, b]).collect();
    for pair in pairs.iter().rev() {
        let equal = emit.call(&EQ, pair)?.value();
        value = match op {
            CompareOp::Eq | CompareOp::Ne => both(emit, equal, value),
            _ => {
                let here = emit.call(&Key::Compare(op), pair)?.value();
                emit.b.select(equal, value, here)
            }
        };
    }
    if op == CompareOp::Ne {
        value = inverted(emit, value);
    }
    single(Type::BOOL, value)
}

fn inner(types: &TypeTable, ty: Type) -> Type {
    match types.get(ty) {
        TypeData::Optional(inner) => inner,
        _ => ty,
    }
}

fn resolve_optional(catalog: &Catalog, types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (inner(types, a), inner(types, b));
    if x == a && y == b {
        return None;
    }
    catalog.resolve(types, &EQ, &[x, y])?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// Whether an operand is there, and its content.
fn opened(emit: &mut Emit<'_>, operand: &Operand) -> (Value, Operand) {
    match emit.types.get(operand.ty) {
        TypeData::Optional(inner) => {
            (operand.parts[0], Operand::new(inner, operand.parts[1..].iter().copied()))
        }
        other => (emit.b.bool(other != TypeData::None), operand.clone()),
    }
}

/// Both are None, or both are something and that is equal.
fn optionals_equal(emit: &mut Emit<'_>, a: &Operand, b: &Operand) -> Result<Operand> {
    let ((some_a, a), (some_b, b)) = (opened(emit, a), opened(emit, b));
    let contents = emit.call(&EQ, &[a, b])?.value();
    let (there, one) = (both(emit, some_a, some_b), either(emit, some_a, some_b));
    let equal = both(emit, there, contents);
    let absent = inverted(emit, one);
    let value = either(emit, equal, absent);
    single(Type::BOOL, value)
}

/// What kind of thing a type is, where values of different kinds are never equal.
fn kind(types: &TypeTable, ty: Type) -> Option<u8> {
    Some(match types.get(ty) {
        TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Complex { .. } => 0,
        TypeData::None => 1,
        TypeData::Tuple(_) | TypeData::NamedTuple { .. } => 2,
        TypeData::Str => 3,
        TypeData::Ellipsis => 4,
        TypeData::Range(_) => 5,
        TypeData::Slice { .. } | TypeData::LiteralSlice { .. } => 6,
        TypeData::Starred(_) => 8,
        TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::NamedTupleClass { .. }
        | TypeData::Dispatcher(_)
        | TypeData::Module(_) => 7,
        _ => return None,
    })
}

fn resolve_kinds(types: &TypeTable, args: &[Type], equal: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (types.unliteral(a), types.unliteral(b));
    let same = match (kind(types, x)?, kind(types, y)?) {
        // Things of which the type is all there is to know.
        (1, 1) | (4, 4) => true,
        (7, 7) => x == y,
        (3, 3) => types.literal(a)? == types.literal(b)?,
        (first, second) if first != second => false,
        _ => return None,
    };
    let emit = if same == equal { yes } else { no };
    Some(Resolution { result: types.literal_bool(same == equal), params: args.to_vec(), emit })
}
