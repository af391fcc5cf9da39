//! Sum, difference, product, sign and absolute value of integers and floats.
//!
//! Integers have at least 64 bits in arithmetic (`int32 + int32` is int64) and wrap around.

use crate::emit_helpers::*;
use catalog::{Case, Catalog, Emit, EmitFn, Key, Operand, Rule};
use diag::Result;
use ir::{BinaryOp, IntCond, UnaryOp};
use types::Type;

const INT: &[Type] = &[Type::INT64, Type::INT64];
const UINT: &[Type] = &[Type::UINT64, Type::UINT64];
/// Integers of mixed sign: the unsigned one is taken as signed, and wraps.
pub(crate) const MIXED: [&[Type]; 2] = [&[Type::INT64, Type::UINT64], &[Type::UINT64, Type::INT64]];
const SINGLE: &[Type] = &[Type::FLOAT32, Type::FLOAT32];
const DOUBLE: &[Type] = &[Type::FLOAT64, Type::FLOAT64];

fn real(int: EmitFn, float: EmitFn) -> Rule {
    Rule::Cases(vec![
        case(Type::INT64, INT, int),
        case(Type::UINT64, UINT, int),
        case(Type::FLOAT32, SINGLE, float),
        case(Type::FLOAT64, DOUBLE, float),
        // Of mixed sign the result is signed.
        case(Type::INT64, MIXED[0], int),
        case(Type::INT64, MIXED[1], int),
    ])
}

fn unary(int: EmitFn, float: EmitFn) -> Vec<Case> {
    vec![
        case(Type::INT64, &[Type::INT64], int),
        case(Type::UINT64, &[Type::UINT64], int),
        case(Type::FLOAT32, &[Type::FLOAT32], float),
        case(Type::FLOAT64, &[Type::FLOAT64], float),
    ]
}

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Binary(BinaryOp::Add), real(iadd, fadd));
    catalog.add(Key::Binary(BinaryOp::Sub), real(isub, fsub));
    catalog.add(Key::Binary(BinaryOp::Mul), real(imul, fmul));
    let negations = [unary(negate, fneg), narrow_unsigned(negate_narrow).to_vec()].concat();
    catalog.add(Key::Unary(UnaryOp::Neg), Rule::Cases(negations));
    catalog.add(Key::Unary(UnaryOp::Pos), Rule::Cases(unary(identity, identity)));
    catalog.add_function("builtins.abs", unary(absolute, fabs));
}

/// Unsigned integers narrower than a word, which unary operators change in their own width before
/// the result is widened.
pub(crate) fn narrow_unsigned(emit: EmitFn) -> [Case; 3] {
    [
        case(Type::UINT64, &[Type::UINT8], emit),
        case(Type::UINT64, &[Type::UINT16], emit),
        case(Type::UINT64, &[Type::UINT32], emit),
    ]
}

fn negate_narrow(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let negated = negate(emit, args)?;
    catalog::cast(emit, &negated, Type::UINT64)
}

fn negate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = args[0].value();
    let native = emit.b.func.native(value);
    let zero = emit.b.iconst(native, 0);
    let negated = emit.b.like_first(ir::Op::Isub, &[zero, value]);
    single(args[0].ty, negated)
}

fn absolute(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if !is_signed(args[0].ty) {
        return Ok(args[0].clone());
    }
    let value = args[0].value();
    let native = emit.b.func.native(value);
    let zero = emit.b.iconst(native, 0);
    let negative = emit.b.icmp(IntCond::Slt, value, zero);
    let negated = negate(emit, args)?.value();
    let absolute = emit.b.select(negative, negated, value);
    single(args[0].ty, absolute)
}
