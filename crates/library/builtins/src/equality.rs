//! Comparison of tuples, of Optionals, and equality of values of different kinds.
//!
//! Numbers are compared in [`crate::compare`]. A value never equals one of another kind: `1 == None`
//! is False, and known at compile time.

use crate::emit_helpers::*;
use crate::number_methods::number_of_class;
use crate::truthiness::{both_if_present, class_identity};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{BlockCall, CompareOp, IntCond, Native, Op, UnaryOp, Value, ValueType};
use types::{BufferKind, EnumKind, Type, TypeData, TypeTable};

const EQ: Key = Key::Compare(CompareOp::Eq);
const TRUTH: Key = Key::Unary(UnaryOp::Bool);

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
    catalog.add(EQ, Rule::Generic(|types, args| class_identity(types, args, true)));
    catalog.add(Key::Compare(Ne), Rule::Generic(|types, args| class_identity(types, args, false)));
    catalog.add(
        EQ,
        Rule::Nested(|catalog, types, args| {
            resolve_optional(catalog, types, args, |emit, args| {
                let equal = optionals_equal(emit, &args[0], &args[1])?;
                single(Type::BOOL, equal)
            })
        }),
    );
    catalog.add(
        Key::Compare(Ne),
        Rule::Nested(|catalog, types, args| {
            resolve_optional(catalog, types, args, |emit, args| {
                let equal = optionals_equal(emit, &args[0], &args[1])?;
                let differ = bool_not(emit, equal);
                single(Type::BOOL, differ)
            })
        }),
    );
    catalog.add_nested("rumba.items_equal", |catalog, types, args| {
        let [a, b] = *args else { return None };
        are_comparable(catalog, types, a, b)?;
        let emit: EmitFn = |emit, args| {
            let equal = items_equal(emit, &args[0], &args[1])?;
            single(Type::BOOL, equal)
        };
        Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
    });
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
        let emit = if differ { const_true } else { const_false };
        return Some(Resolution { result: types.literal_bool(differ), params: args.to_vec(), emit });
    }
    for (&left, &right) in x.iter().zip(y.iter()) {
        resolve_truth(catalog, types, EQ, [left, right])?;
        if !equality {
            resolve_truth(catalog, types, Key::Compare(op), [left, right])?;
        }
    }
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// Whether a comparison gives something that is true or false.
fn resolve_truth(catalog: &Catalog, types: &TypeTable, key: Key, pair: [Type; 2]) -> Option<()> {
    let is_optional = pair.iter().any(|&ty| inner(types, ty) != ty);
    let pair = if key == EQ && is_optional { pair.map(|ty| inner(types, ty)) } else { pair };
    let found = catalog.resolve(types, &key, &pair)?.result;
    (types.unliteral(found) == Type::BOOL || catalog.resolve(types, &TRUTH, &[found]).is_some()).then_some(())
}

/// Whether items of these types can be compared by [`items_equal`].
pub(crate) fn are_comparable(catalog: &Catalog, types: &TypeTable, a: Type, b: Type) -> Option<()> {
    resolve_truth(catalog, types, EQ, [a, b])
}

/// Whether what a comparison gives is true.
fn compared(emit: &mut Emit<'_>, key: &Key, pair: &[Operand; 2]) -> Result<Value> {
    let made_before = emit.refs.temporaries.len();
    let found = emit.call(key, pair)?;
    if emit.types.unliteral(found.ty) == Type::BOOL {
        return Ok(found.value());
    }
    let truth = emit.call(&TRUTH, &[found])?.value();
    emit.release_temporaries(made_before, &[]);
    Ok(truth)
}

/// Whether two items are one or equal, as containers ask. Only arrays have an identity that matters: NumPy compares items,
/// and several of them have no truth value.
pub(crate) fn items_equal(emit: &mut Emit<'_>, a: &Operand, b: &Operand) -> Result<Value> {
    if inner(emit.types, a.ty) != a.ty || inner(emit.types, b.ty) != b.ty {
        return optionals_equal(emit, a, b);
    }
    let pair = [a.clone(), b.clone()];
    if a.ty != b.ty || emit.types.array(a.ty).is_none() {
        return compared(emit, &EQ, &pair);
    }
    let same = same_array(emit, a, b);
    let equal = emit.if_else(
        same,
        |emit| Ok([emit.b.bool(true)].into_iter().collect()),
        |emit| Ok([compared(emit, &EQ, &pair)?].into_iter().collect()),
    )?;
    Ok(equal[0])
}

/// The second bit of an owner word: the array is another one to Python, though it may be like the one that is borrowed.
const ANOTHER: i64 = 2;

/// Whether two arrays of one type are identical. Their owners are not compared: they differ if one is in a container.
fn same_array(emit: &mut Emit<'_>, a: &Operand, b: &Operand) -> Value {
    let either_owner = emit.b.like_first(Op::Ior, &[a.parts[0], b.parts[0]]);
    let another = emit.b.iconst(Native::I64, ANOTHER);
    let flag = emit.b.like_first(Op::Iand, &[either_owner, another]);
    let zero = emit.b.iconst(Native::I64, 0);
    let plain = emit.b.icmp(IntCond::Eq, flag, zero);
    let one_owner = emit.b.icmp(IntCond::Eq, a.parts[0], b.parts[0]);
    let mut same = bool_or(emit, plain, one_owner);
    for (&x, &y) in a.parts[1..].iter().zip(&b.parts[1..]) {
        let equal = emit.b.icmp(IntCond::Eq, x, y);
        same = bool_and(emit, same, equal);
    }
    same
}

/// Whether a value is or holds an array: comparing it may raise, so it is compared only where Python does.
pub(crate) fn holds_array(types: &TypeTable, ty: Type) -> bool {
    types.array(ty).is_some()
        || types
            .components(inner(types, ty))
            .is_some_and(|all| all.iter().any(|&part| holds_array(types, part)))
        || inner(types, ty) != ty && holds_array(types, inner(types, ty))
}

/// The first elements that differ decide; the lengths do if there are none.
fn compare_tuples(emit: &mut Emit<'_>, args: &[Operand], op: CompareOp) -> Result<Operand> {
    let (x, y) = (elements(emit, &args[0]), elements(emit, &args[1]));
    let is_lazy = args.iter().any(|arg| holds_array(emit.types, arg.ty));
    let lengths = match op {
        // Tuples of different lengths did not come here.
        CompareOp::Eq | CompareOp::Ne => true,
        CompareOp::Lt => x.len() < y.len(),
        CompareOp::Le => x.len() <= y.len(),
        CompareOp::Gt => x.len() > y.len(),
        _ => x.len() >= y.len(),
    };
    let pairs: Vec<[Operand; 2]> = x.into_iter().zip(y).map(|(a, b)| [a, b]).collect();
    if is_lazy {
        return compare_in_turn(emit, &pairs, op, lengths);
    }
    let mut value = emit.b.bool(lengths);
    for pair in pairs.iter().rev() {
        let equal = items_equal(emit, &pair[0], &pair[1])?;
        value = match op {
            CompareOp::Eq | CompareOp::Ne => bool_and(emit, equal, value),
            _ => {
                let here = emit.call(&Key::Compare(op), pair)?.value();
                emit.b.select(equal, value, here)
            }
        };
    }
    if op == CompareOp::Ne {
        value = bool_not(emit, value);
    }
    single(Type::BOOL, value)
}

/// The same where no element is looked at after the first ones that differ. `alike` is whether no difference means that the
/// lengths are as the comparison wants them.
fn compare_in_turn(
    emit: &mut Emit<'_>,
    pairs: &[[Operand; 2]],
    op: CompareOp,
    alike: bool,
) -> Result<Operand> {
    let join = emit.b.new_block();
    let value = emit.b.func.add_param(join, ValueType::Native(Native::I1));
    for pair in pairs {
        let equal = items_equal(emit, &pair[0], &pair[1])?;
        let (next, differ) = (emit.b.new_block(), emit.b.new_block());
        emit.b.branch(equal, BlockCall::new(next, []), BlockCall::new(differ, []));
        emit.b.switch_to(differ);
        let here = match op {
            CompareOp::Eq => emit.b.bool(false),
            CompareOp::Ne => emit.b.bool(true),
            _ => compared(emit, &Key::Compare(op), pair)?,
        };
        emit.b.jump(join, &[here]);
        emit.b.switch_to(next);
    }
    let alike = emit.b.bool(alike && op != CompareOp::Ne);
    emit.b.jump(join, &[alike]);
    emit.b.switch_to(join);
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
    // Of arrays `==` gives an array, or nothing where one is None.
    let found = catalog.resolve(types, &EQ, &[x, y])?.result;
    (types.unliteral(found) == Type::BOOL).then(|| Resolution {
        result: Type::BOOL,
        params: args.to_vec(),
        emit,
    })
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
fn optionals_equal(emit: &mut Emit<'_>, a: &Operand, b: &Operand) -> Result<Value> {
    let ((some_a, a), (some_b, b)) = (opened(emit, a), opened(emit, b));
    let (there, one) = (bool_and(emit, some_a, some_b), bool_or(emit, some_a, some_b));
    let contents = emit.types.tuple(&[a.ty, b.ty]);
    let equal = both_if_present(emit, there, contents, |emit| items_equal(emit, &a, &b))?;
    for (array, is_array, other) in [(&a, some_a, some_b), (&b, some_b, some_a)] {
        if emit.types.array(array.ty).is_some() {
            // NumPy compares its items with None, and several or no items of the result have no truth value.
            let is_absent = bool_not(emit, other);
            let alone = bool_and(emit, is_array, is_absent);
            emit.when(alone, |emit| compared(emit, &EQ, &[array.clone(), array.clone()]).map(|_| ()))?;
        }
    }
    let absent = bool_not(emit, one);
    Ok(bool_or(emit, equal, absent))
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
        TypeData::FixedList(_) | TypeData::List { .. } => 8,
        TypeData::Dict { .. } | TypeData::StaticDict { .. } => 9,
        TypeData::Set { .. } => 10,
        TypeData::Buffer(BufferKind::Bytes | BufferKind::ByteArray, _)
        | TypeData::CharSeq { wide: false, .. } => 11,
        TypeData::Enum { kind: EnumKind::Plain, .. } => 12,
        TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::NamedTupleClass { .. }
        | TypeData::Dispatcher(_)
        | TypeData::Module(_) => 7,
        _ => return None,
    })
}

/// Whether two classes mean the same items: a dtype equals Python's own class of its numbers.
fn same_dtype(types: &TypeTable, x: Type, y: Type) -> bool {
    number_of_class(types, x).zip(number_of_class(types, y)).is_some_and(|(x, y)| x == y)
}

fn resolve_kinds(types: &TypeTable, args: &[Type], equal: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (x, y) = (types.unliteral(a), types.unliteral(b));
    let same = match (kind(types, x)?, kind(types, y)?) {
        // Things of which the type is all there is to know.
        (1, 1) | (4, 4) => true,
        (7, 7) => x == y || same_dtype(types, x, y),
        (3, 3) => types.literal(a)? == types.literal(b)?,
        (first, second) if first != second => false,
        _ => return None,
    };
    let emit = if same == equal { const_true } else { const_false };
    Some(Resolution { result: types.literal_bool(same == equal), params: args.to_vec(), emit })
}
