//! True division, floor division and remainder, with Python's signs and errors.
//!
//! Source: the Python language reference, "Binary arithmetic operations": the remainder has the
//! sign of the divisor, and `x == (x//y)*y + (x%y)`.

use crate::arithmetic::MIXED;
use crate::emit_helpers::*;
use abi::ExceptionClass::ZeroDivisionError;
use abi::Runtime;
use catalog::{Catalog, Emit, ErrorModel, Key, Operand, Rule};
use diag::Result;
use ir::{BinaryOp, FloatCond, IntCond, Native, Op, Value};
use types::{Type, TypeTable};

const INT: &[Type] = &[Type::INT64, Type::INT64];
const UINT: &[Type] = &[Type::UINT64, Type::UINT64];
const SINGLE: &[Type] = &[Type::FLOAT32, Type::FLOAT32];
const DOUBLE: &[Type] = &[Type::FLOAT64, Type::FLOAT64];

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(
        Key::Binary(BinaryOp::TrueDiv),
        Rule::Cases(vec![
            case(Type::FLOAT64, INT, divide_ints),
            case(Type::FLOAT64, UINT, divide_ints),
            case(Type::FLOAT64, MIXED[0], divide_mixed),
            case(Type::FLOAT64, MIXED[1], divide_mixed),
            case(Type::FLOAT32, SINGLE, divide_floats),
            case(Type::FLOAT64, DOUBLE, divide_floats),
        ]),
    );
    catalog.add(
        Key::Binary(BinaryOp::FloorDiv),
        Rule::Cases(vec![
            case(Type::INT64, INT, floor_divide_ints),
            case(Type::UINT64, UINT, floor_divide_ints),
            case(Type::INT64, MIXED[0], floor_divide_ints),
            case(Type::INT64, MIXED[1], floor_divide_ints),
            case(Type::FLOAT32, SINGLE, floor_divide_floats),
            case(Type::FLOAT64, DOUBLE, floor_divide_floats),
        ]),
    );
    catalog.add(
        Key::Binary(BinaryOp::Mod),
        Rule::Cases(vec![
            case(Type::INT64, INT, remainder_of_ints),
            case(Type::UINT64, UINT, remainder_of_ints),
            case(Type::INT64, MIXED[0], remainder_of_ints),
            case(Type::INT64, MIXED[1], remainder_of_ints),
            case(Type::FLOAT32, SINGLE, remainder_of_floats),
            case(Type::FLOAT64, DOUBLE, remainder_of_floats),
        ]),
    );
    catalog.add(
        Key::RemainderIsZero,
        Rule::Cases(vec![
            case(Type::INT64, INT, remainder_or_zero),
            case(Type::UINT64, UINT, remainder_or_zero),
            case(Type::INT64, MIXED[0], remainder_or_zero),
            case(Type::INT64, MIXED[1], remainder_or_zero),
        ]),
    );
    catalog.add_generic("builtins.divmod", resolve_divmod).reads();
}

fn resolve_divmod(types: &TypeTable, args: &[Type]) -> Option<catalog::Resolution> {
    let [a, b] = *args else { return None };
    let (a, b) = (types.unliteral(a), types.unliteral(b));
    let integers = a.is_int() && b.is_int();
    // Integers of mixed sign are divided as signed ones.
    let joined =
        types::unify(types, a, b).map(|ty| if integers && ty.is_float() { Type::INT64 } else { ty })?;
    let part = match joined {
        Type::BOOL => Type::INT64,
        _ if joined.is_int() => Type::int(64, is_signed(joined)),
        _ if joined.is_float() => joined,
        _ => return None,
    };
    let result = types.tuple(&[part, part]);
    let emit = if part.is_int() { divmod_ints } else { divmod_floats };
    Some(catalog::Resolution { result, params: vec![part, part], emit })
}

/// Raises ZeroDivisionError if a float divisor is zero, in the error model that does.
pub(crate) fn check_float_divisor(emit: &mut Emit<'_>, divisor: Value, message: &str) {
    if emit.error_model == ErrorModel::Python {
        let native = emit.b.func.native(divisor);
        let zero = emit.b.fconst(native, 0.0);
        let is_zero = emit.b.fcmp(FloatCond::Eq, divisor, zero);
        emit.raise_if(is_zero, ZeroDivisionError, message);
    }
}

fn divide_floats(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    check_float_divisor(emit, args[1].value(), "float division by zero");
    like_first(emit, args, Op::Fdiv)
}

/// Integers up to 2**53 are exact doubles, and one rounding remains; larger ones are divided by
/// the runtime, which rounds the exact quotient once.
fn divide_ints(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let signed = is_signed(args[0].ty);
    let (a, b) = (args[0].value(), args[1].value());
    let op = if signed { Op::SintToFloat } else { Op::UintToFloat };
    let (x, y) = (emit.b.convert(op, a, Native::F64), emit.b.convert(op, b, Native::F64));
    check_float_divisor(emit, y, "division by zero");
    let large = exceeds_double(emit, a, b, signed);
    let quotient = emit.if_else(
        large,
        |emit| {
            let divide = if signed { Runtime::DivideI64 } else { Runtime::DivideU64 };
            Ok([emit.call_runtime(divide, &[a, b])[0]].into_iter().collect())
        },
        |emit| Ok([emit.b.like_first(Op::Fdiv, &[x, y])].into_iter().collect()),
    )?;
    single(Type::FLOAT64, quotient[0])
}

/// Integers of mixed sign: the magnitude is divided as unsigned, the sign put back.
fn divide_mixed(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let signed = usize::from(is_signed(args[1].ty));
    let value = args[signed].value();
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, value, zero);
    let negated = emit.b.like_first(Op::Isub, &[zero, value]);
    let size = emit.b.select(negative, negated, value);
    let operand =
        |at: usize| Operand::single(Type::UINT64, if at == signed { size } else { args[at].value() });
    let quotient = divide_ints(emit, &[operand(0), operand(1)])?.value();
    let opposite = emit.b.like_first(Op::Fneg, &[quotient]);
    let value = emit.b.select(negative, opposite, quotient);
    single(Type::FLOAT64, value)
}

/// Whether one of two integers may not be an exact double: its magnitude is above 2**53.
fn exceeds_double(emit: &mut Emit<'_>, a: Value, b: Value, signed: bool) -> Value {
    const LIMIT: i64 = 1 << 53;
    let mut beyond = |value: Value| {
        let (shifted, span) = if signed { (LIMIT, 2 * LIMIT) } else { (0, LIMIT) };
        let shift = emit.b.iconst(Native::I64, shifted);
        let moved = emit.b.like_first(Op::Iadd, &[value, shift]);
        let span = emit.b.iconst(Native::I64, span);
        emit.b.icmp(IntCond::Ugt, moved, span)
    };
    let (first, second) = (beyond(a), beyond(b));
    emit.b.native(Op::Ior, [], &[first, second], Native::I1)
}

/// A divisor that is safe to divide by, and whether the original was -1.
struct Divisor {
    original: Value,
    safe: Value,
    minus_one: Option<Value>,
    zero: Option<Value>,
}

fn check_int_divisor(emit: &mut Emit<'_>, args: &[Operand], message: &str) -> Divisor {
    let divisor = args[1].value();
    let native = emit.b.func.native(divisor);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let is_zero = emit.b.icmp(IntCond::Eq, divisor, zero);
    let mut safe = divisor;
    let zero = match emit.error_model {
        ErrorModel::Python => {
            emit.raise_if(is_zero, ZeroDivisionError, message);
            None
        }
        ErrorModel::Numpy => {
            safe = emit.b.select(is_zero, one, safe);
            Some(is_zero)
        }
    };
    // The least integer divided by -1 does not fit; -1 is handled as negation, which wraps.
    let minus_one = is_signed(args[1].ty).then(|| {
        let minus_one = emit.b.iconst(native, -1);
        let found = emit.b.icmp(IntCond::Eq, divisor, minus_one);
        safe = match emit.b.known_int(divisor) {
            Some(_) => emit.b.select(found, one, safe),
            None => emit.select_unlikely(safe, found, |_| one),
        };
        found
    });
    Divisor { original: divisor, safe, minus_one, zero }
}

/// Whether remainder and divisor have different signs, so that Python rounds one further down.
fn needs_correction(emit: &mut Emit<'_>, remainder: Value, divisor: Value) -> Value {
    let native = emit.b.func.native(remainder);
    let zero = emit.b.iconst(native, 0);
    let inexact = emit.b.icmp(IntCond::Ne, remainder, zero);
    let signs = emit.b.like_first(Op::Ixor, &[remainder, divisor]);
    let differ = emit.b.icmp(IntCond::Slt, signs, zero);
    emit.b.native(Op::Iand, [], &[inexact, differ], Native::I1)
}

/// Operands of mixed sign, both taken as signed.
fn one_sign(args: &[Operand]) -> [Operand; 2] {
    let mixed = is_signed(args[0].ty) != is_signed(args[1].ty);
    [0, 1].map(|i| {
        if mixed { Operand { ty: Type::INT64, parts: args[i].parts.clone() } } else { args[i].clone() }
    })
}

fn floor_divide_ints(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let args = &one_sign(args);
    let divisor = check_int_divisor(emit, args, "integer division or modulo by zero");
    let quotient = floor_quotient(emit, args, &divisor);
    single(args[0].ty, quotient)
}

fn floor_quotient(emit: &mut Emit<'_>, args: &[Operand], divisor: &Divisor) -> Value {
    let dividend = args[0].value();
    let native = emit.b.func.native(dividend);
    let mut quotient = match divisor.minus_one {
        None => emit.b.like_first(Op::Udiv, &[dividend, divisor.safe]),
        Some(minus_one) => {
            let quotient = emit.b.like_first(Op::Sdiv, &[dividend, divisor.safe]);
            let remainder = emit.b.like_first(Op::Srem, &[dividend, divisor.safe]);
            let correct = needs_correction(emit, remainder, divisor.safe);
            let floored = if emit.b.known_int(divisor.original).is_some() {
                let correction = emit.b.convert(Op::Sext, correct, native);
                emit.b.like_first(Op::Iadd, &[quotient, correction])
            } else {
                let one = emit.b.iconst(native, 1);
                emit.select_unlikely(quotient, correct, |emit| emit.b.like_first(Op::Isub, &[quotient, one]))
            };
            let zero = emit.b.iconst(native, 0);
            let negated = emit.b.like_first(Op::Isub, &[zero, dividend]);
            match emit.b.known_int(divisor.original) {
                Some(_) => emit.b.select(minus_one, negated, floored),
                None => emit.select_unlikely(floored, minus_one, |_| negated),
            }
        }
    };
    if let Some(is_zero) = divisor.zero {
        let zero = emit.b.iconst(native, 0);
        quotient = emit.b.select(is_zero, zero, quotient);
    }
    quotient
}

fn remainder_of_ints(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let args = &one_sign(args);
    let divisor = check_int_divisor(emit, args, "integer modulo by zero");
    let remainder = floor_remainder(emit, args, &divisor);
    single(args[0].ty, remainder)
}

/// The machine's remainder, which is zero where Python's is.
fn remainder_or_zero(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let args = &one_sign(args);
    let divisor = check_int_divisor(emit, args, "integer modulo by zero");
    let op = if divisor.minus_one.is_some() { Op::Srem } else { Op::Urem };
    let remainder = emit.b.like_first(op, &[args[0].value(), divisor.safe]);
    single(args[0].ty, remainder)
}

/// A divisor of 1 stands for -1 and 0 here: the remainder is 0 then.
fn floor_remainder(emit: &mut Emit<'_>, args: &[Operand], divisor: &Divisor) -> Value {
    let dividend = args[0].value();
    if divisor.minus_one.is_none() {
        return emit.b.like_first(Op::Urem, &[dividend, divisor.safe]);
    }
    let remainder = emit.b.like_first(Op::Srem, &[dividend, divisor.safe]);
    let correct = needs_correction(emit, remainder, divisor.safe);
    let moved = |emit: &mut Emit<'_>| emit.b.like_first(Op::Iadd, &[remainder, divisor.safe]);
    if emit.b.known_int(divisor.original).is_some() {
        // LLVM knows this form, as of a remainder by a power of two.
        let corrected = moved(emit);
        return emit.b.select(correct, corrected, remainder);
    }
    emit.select_unlikely(remainder, correct, moved)
}

fn divmod_ints(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let divisor = check_int_divisor(emit, args, "integer division or modulo by zero");
    let quotient = floor_quotient(emit, args, &divisor);
    let remainder = floor_remainder(emit, args, &divisor);
    let ty = emit.types.tuple(&[args[0].ty, args[0].ty]);
    Ok(Operand::new(ty, [quotient, remainder]))
}

/// Quotient and remainder as CPython computes them: from C's `fmod`, corrected once.
fn float_divmod(emit: &mut Emit<'_>, args: &[Operand]) -> (Value, Value) {
    let (x, y) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(x);
    let (zero, one) = (emit.b.fconst(native, 0.0), emit.b.fconst(native, 1.0));
    let raw = emit.b.like_first(Op::Frem, &[x, y]);
    let inexact = emit.b.fcmp(FloatCond::Ne, raw, zero);
    let correct = float_needs_correction(emit, raw, y, inexact);

    let moved = emit.b.like_first(Op::Fadd, &[raw, y]);
    let corrected = emit.b.select(correct, moved, raw);
    let signed_zero = emit.b.like_first(Op::Copysign, &[zero, y]);
    let remainder = emit.b.select(inexact, corrected, signed_zero);

    let difference = emit.b.like_first(Op::Fsub, &[x, raw]);
    let exact = emit.b.like_first(Op::Fdiv, &[difference, y]);
    let lower = emit.b.like_first(Op::Fsub, &[exact, one]);
    let quotient = emit.b.select(correct, lower, exact);
    let floored = emit.b.like_first(Op::Ffloor, &[quotient]);
    let off = emit.b.like_first(Op::Fsub, &[quotient, floored]);
    let half = emit.b.fconst(native, 0.5);
    let too_low = emit.b.fcmp(FloatCond::Gt, off, half);
    let raised = emit.b.like_first(Op::Fadd, &[floored, one]);
    let rounded = emit.b.select(too_low, raised, floored);
    let true_quotient = emit.b.like_first(Op::Fdiv, &[x, y]);
    let tiny = emit.b.like_first(Op::Copysign, &[zero, true_quotient]);
    let not_zero = emit.b.fcmp(FloatCond::Ne, quotient, zero);
    (emit.b.select(not_zero, rounded, tiny), remainder)
}

/// Whether a remainder other than zero has not the sign of the divisor.
fn float_needs_correction(emit: &mut Emit<'_>, remainder: Value, divisor: Value, inexact: Value) -> Value {
    let native = emit.b.func.native(remainder);
    let zero = emit.b.fconst(native, 0.0);
    let a = emit.b.fcmp(FloatCond::Lt, remainder, zero);
    let b = emit.b.fcmp(FloatCond::Lt, divisor, zero);
    let differ = emit.b.icmp(IntCond::Ne, a, b);
    emit.b.native(Op::Iand, [], &[inexact, differ], Native::I1)
}

fn floor_divide_floats(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    check_float_divisor(emit, args[1].value(), "float floor division by zero");
    let quotient = float_divmod(emit, args).0;
    let quotient = quotient_or_infinity(emit, args, quotient);
    single(args[0].ty, quotient)
}

/// Where division by zero does not raise it is what true division gives.
fn quotient_or_infinity(emit: &mut Emit<'_>, args: &[Operand], quotient: Value) -> Value {
    if emit.error_model == ErrorModel::Python {
        return quotient;
    }
    let (x, y) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(y);
    let zero = emit.b.fconst(native, 0.0);
    let by_zero = emit.b.fcmp(FloatCond::Eq, y, zero);
    let infinite = emit.b.like_first(Op::Fdiv, &[x, y]);
    emit.b.select(by_zero, infinite, quotient)
}

fn remainder_of_floats(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let message = if emit.catalog.python_minor < 13 { "float modulo" } else { "float modulo by zero" };
    check_float_divisor(emit, args[1].value(), message);
    let remainder = float_divmod(emit, args).1;
    single(args[0].ty, remainder)
}

fn divmod_floats(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    check_float_divisor(emit, args[1].value(), "float divmod()");
    let (quotient, remainder) = float_divmod(emit, args);
    let quotient = quotient_or_infinity(emit, args, quotient);
    let ty = emit.types.tuple(&[args[0].ty, args[0].ty]);
    Ok(Operand::new(ty, [quotient, remainder]))
}
