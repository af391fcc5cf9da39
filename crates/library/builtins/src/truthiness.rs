//! Truth testing, `not`, and identity.

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{CompareOp, Op, UnaryOp, Value};
use types::{SetKind, Type, TypeData, TypeTable};

const TRUTH: Key = Key::Unary(UnaryOp::Bool);

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(TRUTH, Rule::Generic(|types, args| truth(types, args, to_bool)));
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Generic(|types, args| if args.len() == 1 { truth(types, args, not) } else { None }),
    );
    catalog.add(
        Key::Construct(Type::BOOL),
        Rule::Generic(|types, args| {
            let is_sequence = args.iter().any(|&of| is_sequence(types, of));
            if is_sequence { None } else { truth(types, args, to_bool) }
        }),
    );
    // Of arrays and sequences NumPy's class makes arrays: `bool` gives their truth.
    catalog
        .add_nested("builtins.bool", |catalog, types, args| {
            let has_items =
                args.first().is_some_and(|&of| types.array(of).is_some() || is_sequence(types, of));
            let key = if has_items { TRUTH } else { Key::Construct(Type::BOOL) };
            catalog.resolve(types, &key, args)
        })
        .reads();
    for key in [TRUTH, Key::Construct(Type::BOOL)] {
        catalog.add(key, Rule::Nested(|c, t, a| truth_of_optional(c, t, a, optional_is_true)));
    }
    catalog
        .add(Key::Unary(UnaryOp::Not), Rule::Nested(|c, t, a| truth_of_optional(c, t, a, optional_is_false)));
    catalog.add_generic("rumba.present", |types, args| {
        let [ty] = *args else { return None };
        let content = match types.get(ty) {
            TypeData::Optional(inner) => inner,
            _ => ty,
        };
        Some(Resolution { result: content, params: vec![content], emit: identity })
    });
    catalog.state(&[("rumba.present", "returns=value@0")]);
    catalog.add(Key::Compare(CompareOp::Is), Rule::Generic(|types, args| identity_of(types, args, true)));
    catalog.add(Key::Compare(CompareOp::IsNot), Rule::Generic(|types, args| identity_of(types, args, false)));
}

/// Whether NumPy makes arrays of such values.
fn is_sequence(types: &TypeTable, ty: Type) -> bool {
    types.elements(ty).is_some()
        || types.starred(ty).is_some()
        || matches!(types.get(ty), TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Range(_))
}

fn truth(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else {
        return args.is_empty().then(|| Resolution { result: Type::BOOL, params: vec![], emit: to_bool });
    };
    let plain = types.unliteral(ty);
    let has_truth = plain == Type::BOOL
        || plain.is_number()
        || matches!(plain, Type::NONE | Type::UNDEFINED)
        || types.elements(plain).is_some()
        || matches!(types.get(plain), TypeData::Range(_));
    has_truth.then(|| Resolution { result: Type::BOOL, params: vec![plain], emit })
}

fn to_bool(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if args.is_empty() {
        return const_false(emit, args);
    }
    // Of nothing there is no value: this never runs.
    if matches!(args[0].ty, Type::NONE | Type::UNDEFINED) {
        let value = emit.b.bool(false);
        return single(Type::BOOL, value);
    }
    if let Some(elements) = emit.types.elements(args[0].ty) {
        let value = emit.b.bool(!elements.is_empty());
        return single(Type::BOOL, value);
    }
    if let TypeData::Range(_) = emit.types.get(args[0].ty) {
        return crate::range_sequence::is_filled(emit, args);
    }
    cast(emit, &args[0], Type::BOOL)
}

fn not(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = to_bool(emit, args)?.value();
    let one = emit.b.bool(true);
    let bool_not = emit.b.like_first(Op::Ixor, &[value, one]);
    single(Type::BOOL, bool_not)
}

/// Of what may be None: whether it is something, and that is true.
fn truth_of_optional(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    emit: EmitFn,
) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Optional(inner) = types.get(ty) else { return None };
    catalog.resolve(types, &TRUTH, &[inner])?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn optional_is_true(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Optional(inner) = emit.types.get(args[0].ty) else {
        return Err(unexpected("the truth of what cannot be None"));
    };
    let present = args[0].parts[0];
    let content = Operand::new(inner, args[0].parts[1..].iter().copied());
    let value = both_if_present(emit, present, inner, |emit| {
        Ok(emit.call(&TRUTH, std::slice::from_ref(&content))?.value())
    })?;
    single(Type::BOOL, value)
}

fn optional_is_false(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = optional_is_true(emit, args)?.value();
    let value = bool_not(emit, value);
    single(Type::BOOL, value)
}

fn is_made_of_numbers(types: &TypeTable, ty: Type) -> bool {
    let ty = types.unliteral(ty);
    match types.elements(ty) {
        Some(elements) => elements.iter().all(|&element| is_made_of_numbers(types, element)),
        None => ty == Type::BOOL || ty.is_number(),
    }
}

/// Whether something is there and the condition holds of it. Only numbers are looked at where there is nothing: what has memory
/// is not there, and a range without a step has no length.
pub(crate) fn both_if_present(
    emit: &mut Emit<'_>,
    present: Value,
    content: Type,
    condition: impl FnOnce(&mut Emit<'_>) -> Result<Value>,
) -> Result<Value> {
    if is_made_of_numbers(emit.types, content) {
        let holds = condition(emit)?;
        return Ok(bool_and(emit, present, holds));
    }
    let holds = emit.if_else(
        present,
        |emit| {
            let made_before = emit.refs.temporaries.len();
            let holds = condition(emit)?;
            emit.release_temporaries(made_before, &[]);
            Ok([holds].into_iter().collect())
        },
        |emit| Ok([emit.b.bool(false)].into_iter().collect()),
    )?;
    Ok(holds[0])
}

/// `is` and `is not` where types decide (`None`), or values do (booleans).
fn identity_of(types: &TypeTable, args: &[Type], same: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (types.unliteral(a), types.unliteral(b));
    let optional = |ty: Type| matches!(types.get(ty), TypeData::Optional(_));
    if let Some(found) = class_identity(types, args, same) {
        return Some(found);
    }
    // Only the run time knows what object it is.
    if [x, y].iter().any(|&ty| types.without_none(ty) == Type::PYOBJECT) {
        return None;
    }
    let emit: EmitFn = match (x, y) {
        (Type::NONE, Type::NONE) => {
            if same {
                const_true
            } else {
                const_false
            }
        }
        (Type::NONE, other) if optional(other) => {
            if same {
                second_is_none
            } else {
                second_is_some
            }
        }
        (other, Type::NONE) if optional(other) => {
            if same {
                first_is_none
            } else {
                first_is_some
            }
        }
        (Type::NONE, _) | (_, Type::NONE) => {
            if same {
                const_false
            } else {
                const_true
            }
        }
        _ if is_all_type(types, x) && is_all_type(types, y) => {
            let known = (x == y) == same;
            let emit = if known { const_true } else { const_false };
            return Some(Resolution { result: types.literal_bool(known), params: vec![x, y], emit });
        }
        (Type::BOOL, Type::BOOL) => {
            if same {
                bools_equal
            } else {
                bools_differ
            }
        }
        _ if different_kinds(types, x, y) => {
            let emit = if same { const_false } else { const_true };
            return Some(Resolution { result: types.literal_bool(!same), params: vec![x, y], emit });
        }
        // Integers have no identity in compiled code but their values.
        (a, b) if a == b && a.is_int() => {
            if same {
                integers_equal
            } else {
                integers_differ
            }
        }
        _ => return None,
    };
    Some(Resolution { result: Type::BOOL, params: vec![x, y], emit })
}

/// The class of what may be None, as `type` gives it, and another one: which is one is the same as which are equal.
pub(crate) fn class_identity(types: &TypeTable, args: &[Type], same: bool) -> Option<Resolution> {
    let [x, y] = *args else { return None };
    let (x, y) = (types.unliteral(x), types.unliteral(y));
    let of_optional = |ty: Type| match types.get(ty) {
        TypeData::Optional(inner) => Some(inner).filter(|&inner| is_all_type(types, inner)),
        _ => None,
    };
    let (class, other, first) = match (of_optional(x), of_optional(y)) {
        (Some(class), None) => (class, y, true),
        (None, Some(class)) => (class, x, false),
        _ => return None,
    };
    let of_none = types.intern(TypeData::Function("builtins.NoneType".into()));
    let emit: EmitFn = match (other == class, other == of_none, first) {
        (true, _, true) if same => first_is_some,
        (true, _, false) if same => second_is_some,
        (true, _, true) => first_is_none,
        (true, _, false) => second_is_none,
        (_, true, true) if same => first_is_none,
        (_, true, false) if same => second_is_none,
        (_, true, true) => first_is_some,
        (_, true, false) => second_is_some,
        _ if same => const_false,
        _ => const_true,
    };
    Some(Resolution { result: Type::BOOL, params: vec![x, y], emit })
}

/// Whether no object is of both types, whatever the classes of NumPy's numbers.
fn different_kinds(types: &TypeTable, x: Type, y: Type) -> bool {
    let kind = |ty: Type| match types.get(ty) {
        TypeData::Bool => Some(0),
        TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Complex { .. } => Some(1),
        TypeData::Str => Some(2),
        TypeData::Tuple(_) | TypeData::NamedTuple { .. } => Some(3),
        TypeData::List { .. } => Some(4),
        TypeData::Dict { .. } => Some(5),
        TypeData::Deque { .. } => Some(11),
        TypeData::Set { kind, .. } => Some(if kind == SetKind::Frozen { 12 } else { 6 }),
        TypeData::Array(_) => Some(7),
        _ => None,
    };
    kind(x).zip(kind(y)).is_some_and(|(x, y)| x != y)
}

/// Whether the type is all there is to know of a value.
fn is_all_type(types: &TypeTable, ty: Type) -> bool {
    matches!(
        types.get(ty),
        TypeData::Ellipsis
            | TypeData::Function(_)
            | TypeData::Class(_)
            | TypeData::NamedTupleClass { .. }
            | TypeData::Module(_)
            | TypeData::ExceptionClass(_)
            | TypeData::Dispatcher(_)
    )
}

fn first_is_some(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    single(Type::BOOL, args[0].parts[0])
}

fn first_is_none(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let one = emit.b.bool(true);
    let value = emit.b.like_first(Op::Ixor, &[args[0].parts[0], one]);
    single(Type::BOOL, value)
}

fn second_is_some(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    first_is_some(emit, &args[1..])
}

fn second_is_none(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    first_is_none(emit, &args[1..])
}

fn bools_differ(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    like_first(emit, args, Op::Ixor)
}

fn integers_equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    emit.call(&Key::Compare(CompareOp::Eq), args)
}

fn integers_differ(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    emit.call(&Key::Compare(CompareOp::Ne), args)
}

fn bools_equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let differ = bools_differ(emit, args)?;
    first_is_none(emit, &[differ])
}
