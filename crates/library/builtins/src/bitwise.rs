//! Bitwise operators and shifts of integers and booleans.

use crate::arithmetic::narrow_unsigned;
use crate::emit_helpers::*;
use abi::ExceptionClass::ValueError;
use catalog::{Case, Catalog, Emit, Key, Operand, Rule};
use diag::Result;
use ir::{BinaryOp, IntCond, Native, Op, UnaryOp, Value};
use types::Type;

const INT: &[Type] = &[Type::INT64, Type::INT64];
const UINT: &[Type] = &[Type::UINT64, Type::UINT64];

pub(crate) fn add(catalog: &mut Catalog) {
    for (op, emit) in [(BinaryOp::And, iand as catalog::EmitFn), (BinaryOp::Or, ior), (BinaryOp::Xor, ixor)] {
        let mut cases = vec![case(Type::BOOL, &[Type::BOOL, Type::BOOL], emit)];
        cases.extend(integers(emit));
        catalog.add(Key::Binary(op), Rule::Cases(cases));
    }
    catalog.add(Key::Binary(BinaryOp::Shl), Rule::Cases(shifts(shift_left)));
    catalog.add(Key::Binary(BinaryOp::Shr), Rule::Cases(shifts(shift_right)));
    catalog.add(
        Key::Unary(UnaryOp::Invert),
        Rule::Cases(
            [
                case(Type::BOOL, &[Type::BOOL], invert),
                case(Type::INT64, &[Type::INT64], invert),
                case(Type::UINT64, &[Type::UINT64], invert),
            ]
            .into_iter()
            .chain(narrow_unsigned(|emit, args| {
                let bool_not = invert(emit, args)?;
                catalog::cast(emit, &bool_not, Type::UINT64)
            }))
            .collect(),
        ),
    );
}

/// Integers of mixed sign work on the bits as signed ones.
fn integers(emit: catalog::EmitFn) -> Vec<Case> {
    vec![
        case(Type::INT64, INT, emit),
        case(Type::UINT64, UINT, emit),
        case(Type::INT64, &[Type::INT64, Type::UINT64], emit),
        case(Type::INT64, &[Type::UINT64, Type::INT64], emit),
    ]
}

/// The result has the sign of the shifted operand.
fn shifts(emit: catalog::EmitFn) -> Vec<Case> {
    vec![
        case(Type::INT64, INT, emit),
        case(Type::UINT64, UINT, emit),
        case(Type::INT64, &[Type::INT64, Type::UINT64], emit),
        case(Type::UINT64, &[Type::UINT64, Type::INT64], emit),
    ]
}

fn invert(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = args[0].value();
    let native = emit.b.func.native(value);
    let ones = emit.b.iconst(native, if native == Native::I1 { 1 } else { -1 });
    let bool_not = emit.b.like_first(Op::Ixor, &[value, ones]);
    single(args[0].ty, bool_not)
}

/// The count checked (ValueError if negative), and whether it is as large as the width: not at all of one that the
/// source says and that is not.
fn check_count(emit: &mut Emit<'_>, count: &Operand) -> (Value, Option<Value>) {
    let value = count.value();
    if emit.b.known_int(value).is_some_and(|count| (0..64).contains(&count)) {
        return (value, None);
    }
    if is_signed(count.ty) {
        let zero = emit.b.iconst(Native::I64, 0);
        let negative = emit.b.icmp(IntCond::Slt, value, zero);
        emit.raise_if(negative, ValueError, "negative shift count");
    }
    let most = emit.b.iconst(Native::I64, 63);
    let large = emit.b.icmp(IntCond::Ugt, value, most);
    (emit.b.select(large, most, value), Some(large))
}

/// 0 where the count is too large.
fn or_zero(emit: &mut Emit<'_>, large: Option<Value>, shifted: Value) -> Value {
    let Some(large) = large else { return shifted };
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.select(large, zero, shifted)
}

fn shift_left(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (count, large) = check_count(emit, &args[1]);
    let shifted = emit.b.like_first(Op::Ishl, &[args[0].value(), count]);
    let value = or_zero(emit, large, shifted);
    single(args[0].ty, value)
}

fn shift_right(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (count, large) = check_count(emit, &args[1]);
    if is_signed(args[0].ty) {
        let shifted = emit.b.like_first(Op::Sshr, &[args[0].value(), count]);
        return single(args[0].ty, shifted);
    }
    let shifted = emit.b.like_first(Op::Ushr, &[args[0].value(), count]);
    let value = or_zero(emit, large, shifted);
    single(args[0].ty, value)
}
