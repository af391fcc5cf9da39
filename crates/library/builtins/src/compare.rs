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

/// A 64-bit integer with a double: the double is compared with the closest one that is not below the integer, or not above it. That
/// follows from the integer alone, which often is the same for a whole loop.
fn compare_int_float<const OP: usize>(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let int_first = args[0].ty.is_int();
    let op = if int_first { OP } else { SWAPPED[OP] };
    let (int, float) = if int_first { (&args[0], &args[1]) } else { (&args[1], &args[0]) };
    let float = float.value();
    let rounded = Rounded::new(emit, int);
    let value = match op {
        // A double that is above the integer is above the greatest one that is not, and so on.
        0 | 5 => {
            let below = rounded.not_above(emit);
            emit.b.fcmp(CONDITIONS[op].2, below, float)
        }
        1 | 4 => {
            let above = rounded.not_below(emit);
            emit.b.fcmp(CONDITIONS[op].2, above, float)
        }
        _ => {
            let (is_exact, equal) =
                (rounded.is_exact(emit), emit.b.fcmp(FloatCond::Eq, rounded.float, float));
            let equal = bool_and(emit, equal, is_exact);
            if op == 2 { equal } else { bool_not(emit, equal) }
        }
    };
    single(Type::BOOL, value)
}

/// A 64-bit integer as a double, which may be rounded.
struct Rounded {
    float: Value,
    /// What is to be added to the double to get the integer, as a double that is rounded itself.
    error: Value,
}

impl Rounded {
    /// Both halves of the integer are doubles. Of their sum, the error of rounding is known (Dekker's Fast2Sum), in operations that
    /// processors have for vectors, too.
    fn new(emit: &mut Emit<'_>, int: &Operand) -> Rounded {
        let (shift, to_float) =
            if is_signed(int.ty) { (Op::Sshr, Op::SintToFloat) } else { (Op::Ushr, Op::UintToFloat) };
        let (half, scale) = (emit.b.iconst(Native::I64, 32), emit.b.fconst(Native::F64, 4294967296.0));
        let high = emit.b.like_first(shift, &[int.value(), half]);
        let high = emit.b.convert(Op::Trunc, high, Native::I32);
        let high = emit.b.convert(to_float, high, Native::F64);
        let high = emit.b.like_first(Op::Fmul, &[high, scale]);
        let low = emit.b.convert(Op::Trunc, int.value(), Native::I32);
        let low = emit.b.convert(Op::UintToFloat, low, Native::F64);
        let float = emit.b.like_first(Op::Fadd, &[high, low]);
        let taken = emit.b.like_first(Op::Fsub, &[float, high]);
        let error = emit.b.like_first(Op::Fsub, &[low, taken]);
        Rounded { float, error }
    }

    /// Whether the double is the integer.
    fn is_exact(&self, emit: &mut Emit<'_>) -> Value {
        let zero = emit.b.fconst(Native::F64, 0.0);
        emit.b.fcmp(FloatCond::Eq, self.error, zero)
    }

    /// The greatest double that is not above the integer.
    fn not_above(&self, emit: &mut Emit<'_>) -> Value {
        let zero = emit.b.fconst(Native::F64, 0.0);
        let is_rounded_up = emit.b.fcmp(FloatCond::Lt, self.error, zero);
        self.neighbor_if(emit, is_rounded_up, Op::Isub)
    }

    /// The least double that is not below the integer.
    fn not_below(&self, emit: &mut Emit<'_>) -> Value {
        let zero = emit.b.fconst(Native::F64, 0.0);
        let is_rounded_down = emit.b.fcmp(FloatCond::Gt, self.error, zero);
        self.neighbor_if(emit, is_rounded_down, Op::Iadd)
    }

    /// The next double by `op`, which is that of its bits: negative numbers are in the opposite order. What is rounded is not zero.
    fn neighbor_if(&self, emit: &mut Emit<'_>, condition: Value, op: Op) -> Value {
        let bits = emit.b.convert(Op::Bitcast, self.float, Native::I64);
        let (one, last) = (emit.b.iconst(Native::I64, 1), emit.b.iconst(Native::I64, 63));
        let sign = emit.b.like_first(Op::Sshr, &[bits, last]);
        let step = emit.b.like_first(Op::Ior, &[sign, one]);
        let moved = emit.b.like_first(op, &[bits, step]);
        let moved = emit.b.convert(Op::Bitcast, moved, Native::F64);
        emit.b.select(condition, moved, self.float)
    }
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
