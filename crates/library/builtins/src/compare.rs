//! Comparisons of booleans, integers and floats, exact for mixed types.
//!
//! An integer and a float are compared as numbers, as Python does, not after rounding the integer.

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, FloatCond, IntCond, Native, Op, Value};
use types::{LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    for op in [CompareOp::Lt, CompareOp::Le, CompareOp::Eq, CompareOp::Ne, CompareOp::Gt, CompareOp::Ge] {
        let resolve = match op {
            CompareOp::Lt => resolve::<0>,
            CompareOp::Le => resolve::<1>,
            CompareOp::Eq => resolve::<2>,
            CompareOp::Ne => resolve::<3>,
            CompareOp::Gt => resolve::<4>,
            _ => resolve::<5>,
        };
        catalog.add(Key::Compare(op), Rule::Generic(resolve));
    }
}

/// Signed, unsigned and float condition of the comparisons, in the order of `CompareOp`.
const CONDITIONS: [(IntCond, IntCond, FloatCond); 6] = [
    (IntCond::Slt, IntCond::Ult, FloatCond::Lt),
    (IntCond::Sle, IntCond::Ule, FloatCond::Le),
    (IntCond::Eq, IntCond::Eq, FloatCond::Eq),
    (IntCond::Ne, IntCond::Ne, FloatCond::Ne),
    (IntCond::Sgt, IntCond::Ugt, FloatCond::Gt),
    (IntCond::Sge, IntCond::Uge, FloatCond::Ge),
];

/// The comparison with its operands exchanged.
const SWAPPED: [usize; 6] = [4, 5, 2, 3, 0, 1];

fn resolve<const OP: usize>(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [left, right] = *args else { return None };
    let (a, b) = (types.unliteral(left), types.unliteral(right));
    let real = |ty: Type| ty.is_int() || ty.is_float() || ty == Type::BOOL;
    if matches!(OP, 2 | 3) && (a.is_complex() && real(b) || real(a) && b.is_complex()) {
        // Exact: the real number is not rounded to a part of the complex one.
        let emit: EmitFn = if OP == 2 { complex_equals_real } else { complex_differs_from_real };
        return Some(Resolution { result: Type::BOOL, params: vec![a, b], emit });
    }
    if !real(a) || !real(b) {
        return None;
    }
    let resolution = |a, b, emit: EmitFn| Some(Resolution { result: Type::BOOL, params: vec![a, b], emit });
    let exact = |ty: Type, literal: Type| {
        let narrow = ty.as_int().is_none_or(|(bits, _)| bits <= 32);
        let small =
            matches!(types.literal(literal), Some(LiteralValue::Int(v)) if v.unsigned_abs() <= 1 << 53);
        narrow || small
    };
    let wide = |ty: Type| if ty == Type::BOOL { Type::INT64 } else { Type::int(64, is_signed(ty)) };
    match (a.is_float(), b.is_float()) {
        (true, true) => {
            let joined = if a == b { a } else { Type::FLOAT64 };
            resolution(joined, joined, compare_floats::<OP>)
        }
        (false, false) => match (wide(a), wide(b)) {
            (Type::INT64, Type::INT64) => resolution(Type::INT64, Type::INT64, compare_signed::<OP>),
            (Type::UINT64, Type::UINT64) => resolution(Type::UINT64, Type::UINT64, compare_unsigned::<OP>),
            // A narrower unsigned type fits a signed one.
            _ if a.as_int().is_some_and(|(bits, signed)| !signed && bits < 64)
                || b.as_int().is_some_and(|(bits, signed)| !signed && bits < 64) =>
            {
                resolution(Type::INT64, Type::INT64, compare_signed::<OP>)
            }
            (Type::INT64, _) => resolution(Type::INT64, Type::UINT64, compare_mixed::<OP>),
            _ => resolution(Type::UINT64, Type::INT64, compare_mixed::<OP>),
        },
        (false, true) if exact(a, left) => resolution(Type::FLOAT64, Type::FLOAT64, compare_floats::<OP>),
        (true, false) if exact(b, right) => resolution(Type::FLOAT64, Type::FLOAT64, compare_floats::<OP>),
        (false, true) => resolution(wide(a), Type::FLOAT64, compare_int_float::<OP>),
        (true, false) => resolution(Type::FLOAT64, wide(b), compare_int_float::<OP>),
    }
}

fn compare_signed<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.b.icmp(CONDITIONS[OP].0, args[0].value(), args[1].value());
    single(Type::BOOL, value)
}

fn compare_unsigned<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.b.icmp(CONDITIONS[OP].1, args[0].value(), args[1].value());
    single(Type::BOOL, value)
}

fn compare_floats<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.b.fcmp(CONDITIONS[OP].2, args[0].value(), args[1].value());
    single(Type::BOOL, value)
}

/// int64 with uint64: a negative number is below every unsigned one.
fn compare_mixed<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let signed_first = is_signed(args[0].ty);
    let (a, b) = (args[0].value(), args[1].value());
    let signed = if signed_first { a } else { b };
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, signed, zero);
    let usual = emit.b.icmp(CONDITIONS[OP].1, a, b);
    // With a negative left operand `<`, `<=` and `!=` hold, with a negative right one `>`, `>=`, `!=`.
    let holds = if signed_first { matches!(OP, 0 | 1 | 3) } else { matches!(OP, 3..=5) };
    let otherwise = emit.b.bool(holds);
    let value = emit.b.select(negative, otherwise, usual);
    single(Type::BOOL, value)
}

/// A 64-bit integer with a double. Rounding the integer keeps the order, so only where the
/// rounded integer equals the double do the integers themselves decide.
fn compare_int_float<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let int_first = args[0].ty.is_int();
    let op = if int_first { OP } else { SWAPPED[OP] };
    let (int, float) = if int_first { (&args[0], &args[1]) } else { (&args[1], &args[0]) };
    let signed = is_signed(int.ty);
    let (int, float) = (int.value(), float.value());
    let (to_float, to_int) =
        if signed { (Op::SintToFloat, Op::FloatToSint) } else { (Op::UintToFloat, Op::FloatToUint) };
    let rounded = emit.b.convert(to_float, int, Native::F64);
    let by_float = emit.b.fcmp(CONDITIONS[op].2, rounded, float);
    let equal = emit.b.fcmp(FloatCond::Eq, rounded, float);
    // What decides there follows from the integer alone, which often is the same for a whole loop.
    let back = emit.b.convert(to_int, rounded, Native::I64);
    let condition = if signed { CONDITIONS[op].0 } else { CONDITIONS[op].1 };
    let by_int = emit.b.icmp(condition, int, back);
    // The bound itself is a double but no integer of this type: every integer is below it.
    let bound =
        emit.b.fconst(Native::F64, if signed { 9223372036854775808.0 } else { 18446744073709551616.0 });
    let beyond = emit.b.fcmp(FloatCond::Ge, rounded, bound);
    let below: Value = emit.b.bool(matches!(op, 0 | 1 | 3));
    let exact = emit.b.select(beyond, below, by_int);
    let value = emit.b.select(equal, exact, by_float);
    single(Type::BOOL, value)
}

fn complex_equals_real(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (complex, real) = if args[0].ty.is_complex() { (&args[0], &args[1]) } else { (&args[1], &args[0]) };
    let part = complex.ty.complex_part();
    let same =
        emit.call(&Key::Compare(CompareOp::Eq), &[Operand::single(part, complex.parts[0]), real.clone()])?;
    let zero = emit.b.fconst(emit.b.func.native(complex.parts[1]), 0.0);
    let is_real = emit.b.fcmp(FloatCond::Eq, complex.parts[1], zero);
    let equal = bool_and(emit, same.value(), is_real);
    single(Type::BOOL, equal)
}

fn complex_differs_from_real(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let equal = complex_equals_real(emit, args)?.value();
    let differ = bool_not(emit, equal);
    single(Type::BOOL, differ)
}
