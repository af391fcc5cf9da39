//! Comparison, truth, length and membership of strings.

use crate::layout::{Parts, is_text, resolution, truth};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, string};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    catalog.add(Key::Compare(Eq), Rule::Generic(|types, args| equality(types, args, equal)));
    catalog.add(Key::Compare(Ne), Rule::Generic(|types, args| equality(types, args, differ)));
    macro_rules! orders {
        ($($op:ident $condition:ident)*) => {
            $(catalog.add(Key::Compare($op), Rule::Generic(|types, args| {
                both(types, args, |emit, args| order(emit, args, IntCond::$condition))
            }));)*
        };
    }
    orders! { Lt Slt Le Sle Gt Sgt Ge Sge }
    catalog.add_generic("builtins.len", |types, args| one(types, args, Type::INT64, length)).reads();
    catalog
        .add(Key::Unary(UnaryOp::Bool), Rule::Generic(|types, args| one(types, args, Type::BOOL, is_filled)));
    catalog.add(
        Key::Construct(Type::BOOL),
        Rule::Generic(|types, args| one(types, args, Type::BOOL, is_filled)),
    );
    catalog
        .add(Key::Unary(UnaryOp::Not), Rule::Generic(|types, args| one(types, args, Type::BOOL, is_empty)));
}

fn one(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    if is_text(types, ty) { resolution(result, &[Type::STR], emit) } else { None }
}

fn both(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let texts = is_text(types, a) && is_text(types, b);
    if texts { resolution(Type::BOOL, &[Type::STR; 2], emit) } else { None }
}

/// A short constant stays one: its bytes are compared in place.
fn equality(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let found = both(types, args, emit)?;
    let params = args.iter().map(|&ty| match types.literal(ty) {
        Some(LiteralValue::Str(text)) if string::encode(&text).0.len() <= MAX_IN_PLACE => ty,
        _ => Type::STR,
    });
    let params: Vec<Type> = params.collect();
    // Of two constants one is enough.
    let both_known = params.iter().all(|&param| param != Type::STR);
    Some(if both_known { found } else { Resolution { params, ..found } })
}

/// Bytes of a constant that are compared in place.
const MAX_IN_PLACE: usize = 16;

fn differ(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let equal = equal(emit, args)?.value();
    let one = emit.b.bool(true);
    Ok(truth(emit.b.like_first(Op::Ixor, &[equal, one])))
}

/// A short constant is compared in place.
fn equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let known = |operand: &Operand| match emit.types.literal(operand.ty) {
        Some(LiteralValue::Str(text)) => Some(string::encode(&text)),
        _ => None,
    };
    let (constant, other) = match (known(&args[0]), known(&args[1])) {
        (Some(constant), _) => (constant, &args[1]),
        (_, Some(constant)) => (constant, &args[0]),
        _ => return equal_parts(emit, Parts::of(&args[0]), Parts::of(&args[1])).map(truth),
    };
    let (bytes, meta) = constant;
    let other = Parts::of(other);
    let meta = emit.b.iconst(Native::I64, meta);
    let alike = emit.b.icmp(IntCond::Eq, other.meta, meta);
    let same = emit.if_else(
        alike,
        |emit| Ok([same_in_place(emit, other.data, &bytes)].into_iter().collect()),
        |emit| Ok([emit.b.bool(false)].into_iter().collect()),
    )?;
    Ok(truth(same[0]))
}

/// Whether these bytes lie at an address, where there are as many.
fn same_in_place(emit: &mut Emit<'_>, data: Value, bytes: &[u8]) -> Value {
    let mut all = emit.b.bool(true);
    let mut at = 0;
    while at < bytes.len() {
        let size = [8, 4, 2, 1].into_iter().find(|&size| at + size <= bytes.len()).unwrap_or(1);
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[at..at + size]);
        let native = Native::int(8 * size as u32);
        let wanted = emit.b.iconst(native, sign_extended(u64::from_le_bytes(word), size));
        let found = emit.b.load_unaligned(native, data, at as i64);
        let same = emit.b.icmp(IntCond::Eq, found, wanted);
        all = emit.b.like_first(Op::Iand, &[all, same]);
        at += size;
    }
    all
}

/// A constant of a given number of bytes as an IR literal.
fn sign_extended(value: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size as u32;
    (value << unused).cast_signed() >> unused
}

fn order(emit: &mut Emit<'_>, args: &[Operand], condition: IntCond) -> Result<Operand> {
    let (a, b) = (Parts::of(&args[0]), Parts::of(&args[1]));
    Ok(truth(order_parts(emit, a, b, condition)))
}

/// How two strings stand to each other.
pub(crate) fn order_parts(emit: &mut Emit<'_>, a: Parts, b: Parts, condition: IntCond) -> Value {
    let order = emit.call_runtime(Runtime::TextOrder, &[a.data, a.meta, b.data, b.meta])[0];
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.icmp(condition, order, zero)
}

/// Whether two strings are equal: they have as many characters as wide, which are the same.
pub(crate) fn equal_parts(emit: &mut Emit<'_>, a: Parts, b: Parts) -> Result<Value> {
    let alike = emit.b.icmp(IntCond::Eq, a.meta, b.meta);
    let same = emit.if_else(
        alike,
        |emit| {
            let size = a.size(emit);
            Ok([emit.call_runtime(Runtime::TextSame, &[a.data, b.data, size])[0]].into_iter().collect())
        },
        |emit| Ok([emit.b.bool(false)].into_iter().collect()),
    )?;
    Ok(same[0])
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = Parts::of(&args[0]).length(emit);
    Ok(Operand::single(Type::INT64, length))
}

fn is_filled(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = Parts::of(&args[0]).length(emit);
    let zero = emit.b.iconst(Native::I64, 0);
    Ok(truth(emit.b.icmp(IntCond::Ne, length, zero)))
}

fn is_empty(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = Parts::of(&args[0]).length(emit);
    let zero = emit.b.iconst(Native::I64, 0);
    Ok(truth(emit.b.icmp(IntCond::Eq, length, zero)))
}
