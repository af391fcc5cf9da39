//! Sum, difference, product, sign and absolute value of integers and floats.
//!
//! Integers have at least 64 bits in arithmetic (`int32 + int32` is int64) and wrap.

use crate::emit_util::*;
use catalog::{Case, Catalog, Emit, EmitFn, Key, Operand, Rule};
use diag::Result;
use ir::{BinaryOp, IntCond, UnaryOp};
use types::Type;

const INT: &[Type] = &[Type::INT64, Type::INT64];
const UINT: &[Type] = &[Type::UINT64, Type::UINT64];
const SINGLE: &[Type] = &[Type::FLOAT32, Type::FLOAT32];
const DOUBLE: &[Type] = &[Type::FLOAT64, Type::FLOAT64];

fn real(int: EmitFn, float: EmitFn) -> Rule {
    Rule::Cases(vec![
        case(Type::INT64, INT, int),
        case(Type::UINT64, UINT, int),
        case(Type::FLOAT32, SINGLE, float),
        case(Type::FLOAT64, DOUBLE, float),
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
    catalog.add(Key::Unary(UnaryOp::Neg), Rule::Cases(unary(negate, fneg)));
    catalog.add(Key::Unary(UnaryOp::Pos), Rule::Cases(unary(identity, identity)));
    catalog.add_function("builtins.abs", unary(absolute, fabs));
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
