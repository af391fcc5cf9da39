//! Complex numbers: arithmetic, comparison, parts.
//!
//! Products are the four-multiplication formula and quotients Smith's method (R. L. Smith,
//! "Algorithm 116: Complex division", 1962), as CPython computes them.

use crate::division::check_float_divisor;
use crate::emit_helpers::*;
use abi::ExceptionClass::{OverflowError, ZeroDivisionError};
use abi::Runtime;
use catalog::{Case, Catalog, Emit, EmitFn, ErrorModel, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{BinaryOp, CompareOp, FloatCond, IntCond, Native, Op, UnaryOp, Value};
use types::{Type, TypeTable};

const SINGLE: &[Type] = &[Type::COMPLEX64, Type::COMPLEX64];
const DOUBLE: &[Type] = &[Type::COMPLEX128, Type::COMPLEX128];

pub(crate) fn add(catalog: &mut Catalog) {
    let binary = |emit: EmitFn| {
        Rule::Cases(vec![case(Type::COMPLEX64, SINGLE, emit), case(Type::COMPLEX128, DOUBLE, emit)])
    };
    catalog.add(Key::Binary(BinaryOp::Add), binary(add_complex));
    catalog.add(Key::Binary(BinaryOp::Sub), binary(subtract_complex));
    catalog.add(Key::Binary(BinaryOp::Mul), binary(multiply_complex));
    catalog.add(Key::Binary(BinaryOp::TrueDiv), binary(divide_complex));
    let compare =
        |emit: EmitFn| Rule::Cases(vec![case(Type::BOOL, SINGLE, emit), case(Type::BOOL, DOUBLE, emit)]);
    catalog.add(Key::Compare(CompareOp::Eq), compare(equal));
    catalog.add(Key::Compare(CompareOp::Ne), compare(differ));
    for key in [Key::Binary(BinaryOp::Pow), Key::Function("builtins.pow".into())] {
        catalog.add(key, binary(power));
    }
    catalog.add(Key::Unary(UnaryOp::Neg), Rule::Cases(unary(negate)));
    catalog.add(Key::Unary(UnaryOp::Pos), Rule::Cases(unary(identity)));
    catalog.add_function(
        "builtins.abs",
        [
            case(Type::FLOAT32, &[Type::COMPLEX64], magnitude),
            case(Type::FLOAT64, &[Type::COMPLEX128], magnitude),
        ],
    );
    catalog.add(Key::Getattr("real".into()), Rule::Generic(real_part));
    catalog.add(Key::Getattr("imag".into()), Rule::Generic(imaginary_part));
    catalog.add(Key::Function("method.conjugate".into()), Rule::Generic(conjugate));
}

fn unary(emit: EmitFn) -> Vec<Case> {
    vec![case(Type::COMPLEX64, &[Type::COMPLEX64], emit), case(Type::COMPLEX128, &[Type::COMPLEX128], emit)]
}

fn by_parts(emit: &mut Emit<'_>, args: &[Operand], op: Op) -> Result<Operand> {
    let re = emit.b.like_first(op, &[args[0].parts[0], args[1].parts[0]]);
    let im = emit.b.like_first(op, &[args[0].parts[1], args[1].parts[1]]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

fn add_complex(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    by_parts(emit, args, Op::Fadd)
}

fn subtract_complex(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    by_parts(emit, args, Op::Fsub)
}

fn multiply_complex(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (&args[0].parts, &args[1].parts);
    let mut product = |x: Value, y: Value| emit.b.like_first(Op::Fmul, &[x, y]);
    let (rr, ii) = (product(a[0], b[0]), product(a[1], b[1]));
    let (ri, ir) = (product(a[0], b[1]), product(a[1], b[0]));
    let re = emit.b.like_first(Op::Fsub, &[rr, ii]);
    let im = emit.b.like_first(Op::Fadd, &[ri, ir]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

fn divide_complex(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (args[0].parts.clone(), args[1].parts.clone());
    let (re, im) = (emit.b.like_first(Op::Fabs, &[b[0]]), emit.b.like_first(Op::Fabs, &[b[1]]));
    // Zero only if both parts are.
    let size = emit.b.like_first(Op::Fadd, &[re, im]);
    check_float_divisor(emit, size, "complex division by zero");
    let by_zero = emit.error_model == ErrorModel::Numpy;
    let by_real = emit.b.fcmp(FloatCond::Ge, re, im);
    let quotient = emit.if_else(
        by_real,
        |emit| {
            let (x_ratio, y, denominator, real) = smith(emit, b[0], b[1], a[0], a[1]);
            let upper = emit.b.like_first(Op::Fsub, &[y, x_ratio]);
            let imaginary = emit.b.like_first(Op::Fdiv, &[upper, denominator]);
            let parts = [real, imaginary];
            let parts = if by_zero { divide_by_zero(emit, &a, re, parts) } else { parts };
            Ok(parts.into_iter().collect())
        },
        |emit| {
            let (x_ratio, y, denominator, real) = smith(emit, b[1], b[0], a[1], a[0]);
            let upper = emit.b.like_first(Op::Fsub, &[x_ratio, y]);
            let imaginary = emit.b.like_first(Op::Fdiv, &[upper, denominator]);
            // A NaN in the divisor makes both parts NaN.
            let by_imaginary = emit.b.fcmp(FloatCond::Ge, im, re);
            let native = emit.b.func.native(real);
            let nan = emit.b.fconst(native, f64::NAN);
            let real = emit.b.select(by_imaginary, real, nan);
            let imaginary = emit.b.select(by_imaginary, imaginary, nan);
            Ok([real, imaginary].into_iter().collect())
        },
    )?;
    Ok(Operand::new(args[0].ty, quotient))
}

/// The parts of a quotient: those given, or where the divisor is zero, as its larger part says, those of the dividend by
/// that zero without its sign, as in NumPy.
fn divide_by_zero(emit: &mut Emit<'_>, dividend: &[Value], larger: Value, parts: [Value; 2]) -> [Value; 2] {
    let native = emit.b.func.native(larger);
    let zero = emit.b.fconst(native, 0.0);
    let is_zero = emit.b.fcmp(FloatCond::Eq, larger, zero);
    [0, 1].map(|at| {
        let quotient = emit.b.like_first(Op::Fdiv, &[dividend[at], larger]);
        emit.b.select(is_zero, quotient, parts[at])
    })
}

/// For a divisor whose larger part is `p` and whose other part is `q`, and `x`, `y` the parts of the
/// dividend that go with them: x * q/p, y, the common denominator p + q * q/p, and the real part.
///
/// (Branches around this serve better than selecting p and q: the divisions wait for nothing.)
fn smith(emit: &mut Emit<'_>, p: Value, q: Value, x: Value, y: Value) -> (Value, Value, Value, Value) {
    let ratio = emit.b.like_first(Op::Fdiv, &[q, p]);
    let q_ratio = emit.b.like_first(Op::Fmul, &[q, ratio]);
    let denominator = emit.b.like_first(Op::Fadd, &[p, q_ratio]);
    let y_ratio = emit.b.like_first(Op::Fmul, &[y, ratio]);
    let upper = emit.b.like_first(Op::Fadd, &[x, y_ratio]);
    let real = emit.b.like_first(Op::Fdiv, &[upper, denominator]);
    let x_ratio = emit.b.like_first(Op::Fmul, &[x, ratio]);
    (x_ratio, y, denominator, real)
}

/// Computed in double precision by the runtime, which multiplies for small integral exponents.
fn power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (cast(emit, &args[0], Type::COMPLEX128)?, cast(emit, &args[1], Type::COMPLEX128)?);
    let values = [a.parts[0], a.parts[1], b.parts[0], b.parts[1]];
    let value = emit.call_runtime(Runtime::Cpow, &values);
    if emit.error_model == ErrorModel::Python {
        let code = emit.call_runtime(Runtime::CpowError, &values)[0];
        let zero = emit.b.iconst(Native::I64, 0);
        let failed = emit.b.icmp(IntCond::Ne, code, zero);
        emit.when(failed, |emit| {
            let errors = [
                (1, ZeroDivisionError, "0.0 to a negative or complex power"),
                (2, OverflowError, "complex exponentiation"),
            ];
            raise_codes(emit, code, &errors);
            Ok(())
        })?;
    }
    cast(emit, &Operand::new(Type::COMPLEX128, value), args[0].ty)
}

fn negate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let re = emit.b.like_first(Op::Fneg, &[args[0].parts[0]]);
    let im = emit.b.like_first(Op::Fneg, &[args[0].parts[1]]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

fn equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let re = emit.b.fcmp(FloatCond::Eq, args[0].parts[0], args[1].parts[0]);
    let im = emit.b.fcmp(FloatCond::Eq, args[0].parts[1], args[1].parts[1]);
    let bool_and = emit.b.native(Op::Iand, [], &[re, im], Native::I1);
    single(Type::BOOL, bool_and)
}

fn differ(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let re = emit.b.fcmp(FloatCond::Ne, args[0].parts[0], args[1].parts[0]);
    let im = emit.b.fcmp(FloatCond::Ne, args[0].parts[1], args[1].parts[1]);
    let bool_or = emit.b.native(Op::Ior, [], &[re, im], Native::I1);
    single(Type::BOOL, bool_or)
}

/// OverflowError where finite parts give no finite magnitude.
fn magnitude(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let size = call_libm(emit, "hypot", &args[0].parts);
    if emit.error_model == ErrorModel::Python {
        let infinite = is_infinite(emit, size);
        let parts = args[0].parts.clone();
        emit.when(infinite, |emit| {
            let (re, im) = (is_finite(emit, parts[0]), is_finite(emit, parts[1]));
            let wrong = bool_and(emit, re, im);
            emit.raise_if(wrong, OverflowError, "absolute value too large");
            Ok(())
        })?;
    }
    single(args[0].ty.complex_part(), size)
}

/// The type itself if it is a number, a boolean as an integer.
fn number(types: &TypeTable, args: &[Type]) -> Option<Type> {
    let ty = types.unliteral(*args.first()?);
    if ty == Type::BOOL { Some(Type::INT64) } else { Some(ty).filter(|ty| ty.is_number()) }
}

fn real_part(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let ty = number(types, args).filter(|_| args.len() == 1)?;
    if !ty.is_complex() {
        return Some(Resolution { result: ty, params: vec![ty], emit: identity });
    }
    let emit: EmitFn = |_, args| single(args[0].ty.complex_part(), args[0].parts[0]);
    Some(Resolution { result: ty.complex_part(), params: vec![ty], emit })
}

fn imaginary_part(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let ty = number(types, args)?;
    if !ty.is_complex() {
        let emit: EmitFn = |emit, args| Ok(emit.undefined(args[0].ty));
        return Some(Resolution { result: ty, params: vec![ty], emit });
    }
    let emit: EmitFn = |_, args| single(args[0].ty.complex_part(), args[0].parts[1]);
    Some(Resolution { result: ty.complex_part(), params: vec![ty], emit })
}

fn conjugate(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let ty = number(types, args).filter(|_| args.len() == 1)?;
    if !ty.is_complex() {
        return Some(Resolution { result: ty, params: vec![ty], emit: identity });
    }
    let emit: EmitFn = |emit, args| {
        let im = emit.b.like_first(Op::Fneg, &[args[0].parts[1]]);
        Ok(Operand::new(args[0].ty, [args[0].parts[0], im]))
    };
    Some(Resolution { result: ty, params: vec![ty], emit })
}
