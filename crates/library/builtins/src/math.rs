//! `math`: functions of floats, with Python's errors. (Functions of integers and of many values: `math_integer`;
//! NumPy's functions of the same names, which never raise: `scalar_ufuncs`.)
//!
//! A function calls the C library and does one comparison: only a suspicious result is checked
//! further, on a cold path. Single precision stays single.

use crate::emit_helpers::*;
use abi::ExceptionClass::{OverflowError, ValueError};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, ErrorModel, Operand, Resolution, cast};
use diag::Result;
use ir::{FloatCond, IntCond, Native, Op, Value};
use types::{Type, TypeTable};

pub(crate) const DOMAIN: &str = "math domain error";
pub(crate) const RANGE: &str = "math range error";

/// When a function has no value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errors {
    /// Never.
    None,
    /// Its result is NaN though no argument is.
    Domain,
    /// As `Domain`, or its result is infinite though the arguments are finite.
    Pole,
    /// Its result is infinite though the arguments are finite: OverflowError.
    Range,
    /// At zero and below.
    NotPositive,
}

/// Functions of floats by `math`'s name.
const FUNCTIONS: &[(&str, usize, EmitFn)] = &[
    ("acos", 1, |e, a| libm(e, a, "acos", Errors::Domain)),
    ("acosh", 1, |e, a| libm(e, a, "acosh", Errors::Domain)),
    ("asin", 1, |e, a| libm(e, a, "asin", Errors::Domain)),
    ("asinh", 1, |e, a| libm(e, a, "asinh", Errors::None)),
    ("atan", 1, |e, a| libm(e, a, "atan", Errors::None)),
    ("atan2", 2, |e, a| libm(e, a, "atan2", Errors::None)),
    ("atanh", 1, |e, a| libm(e, a, "atanh", Errors::Pole)),
    ("cbrt", 1, |e, a| libm(e, a, "cbrt", Errors::None)),
    ("copysign", 2, |e, a| like_first(e, a, Op::Copysign)),
    ("cos", 1, |e, a| libm(e, a, "cos", Errors::Domain)),
    ("cosh", 1, |e, a| libm(e, a, "cosh", Errors::Range)),
    ("degrees", 1, |e, a| scaled(e, a, 180.0 / std::f64::consts::PI)),
    ("erf", 1, |e, a| libm(e, a, "erf", Errors::None)),
    ("erfc", 1, |e, a| libm(e, a, "erfc", Errors::None)),
    ("exp", 1, |e, a| libm(e, a, "exp", Errors::Range)),
    ("exp2", 1, |e, a| libm(e, a, "exp2", Errors::Range)),
    ("expm1", 1, |e, a| libm(e, a, "expm1", Errors::Range)),
    ("fabs", 1, fabs),
    ("fmod", 2, fmod),
    ("gamma", 1, gamma),
    ("lgamma", 1, log_gamma),
    ("log", 1, |e, a| libm(e, a, "log", Errors::NotPositive)),
    ("log10", 1, |e, a| libm(e, a, "log10", Errors::NotPositive)),
    ("log1p", 1, |e, a| libm(e, a, "log1p", Errors::Pole)),
    ("log2", 1, |e, a| libm(e, a, "log2", Errors::NotPositive)),
    ("nextafter", 2, |e, a| libm(e, a, "nextafter", Errors::None)),
    ("pow", 2, power),
    ("radians", 1, |e, a| scaled(e, a, std::f64::consts::PI / 180.0)),
    ("remainder", 2, |e, a| libm(e, a, "remainder", Errors::Domain)),
    ("sin", 1, |e, a| libm(e, a, "sin", Errors::Domain)),
    ("sinh", 1, |e, a| libm(e, a, "sinh", Errors::Range)),
    ("sqrt", 1, square_root),
    ("tan", 1, |e, a| libm(e, a, "tan", Errors::Domain)),
    ("tanh", 1, |e, a| libm(e, a, "tanh", Errors::None)),
    ("ulp", 1, ulp),
];

pub(crate) fn add(catalog: &mut Catalog) {
    // Double first: integers become doubles.
    for &(name, arity, emit) in FUNCTIONS {
        let cases = match arity {
            1 => [case(Type::FLOAT64, &[Type::FLOAT64], emit), case(Type::FLOAT32, &[Type::FLOAT32], emit)],
            _ => [
                case(Type::FLOAT64, &[Type::FLOAT64; 2], emit),
                case(Type::FLOAT32, &[Type::FLOAT32; 2], emit),
            ],
        };
        catalog.add_function(&format!("math.{name}"), cases);
    }
    let with_base = [
        case(Type::FLOAT64, &[Type::FLOAT64; 2], log_to_base),
        case(Type::FLOAT32, &[Type::FLOAT32; 2], log_to_base),
    ];
    catalog.add_function("math.log", with_base);
    let tests: [(&str, EmitFn); 3] = [
        ("math.isnan", |e, a| test(e, a, is_nan)),
        ("math.isinf", |e, a| test(e, a, is_infinite)),
        ("math.isfinite", |e, a| test(e, a, is_finite)),
    ];
    for (name, emit) in tests {
        let cases = [case(Type::BOOL, &[Type::FLOAT64], emit), case(Type::BOOL, &[Type::FLOAT32], emit)];
        catalog.add_function(name, cases);
    }
    catalog.add_generic("math.frexp", |types, args| resolve_parts(types, args, Type::INT64, frexp)).reads();
    catalog.add_generic("math.modf", |types, args| resolve_parts(types, args, Type::FLOAT64, modf)).reads();
    catalog.add_function(
        "math.ldexp",
        [
            case(Type::FLOAT64, &[Type::FLOAT64, Type::INT64], ldexp),
            case(Type::FLOAT32, &[Type::FLOAT32, Type::INT64], ldexp),
        ],
    );
    let isclose = [
        case(Type::BOOL, &[Type::FLOAT64; 2], is_close),
        case(Type::BOOL, &[Type::FLOAT64; 3], is_close),
        case(Type::BOOL, &[Type::FLOAT64; 4], is_close),
    ];
    catalog.add_function("math.isclose", isclose);
}

pub(crate) fn test(
    emit: &mut Emit<'_>,
    args: &[Operand],
    test: fn(&mut Emit<'_>, Value) -> Value,
) -> Result<Operand> {
    let value = test(emit, args[0].value());
    single(Type::BOOL, value)
}

fn values(args: &[Operand]) -> Vec<Value> {
    args.iter().map(Operand::value).collect()
}

fn libm(emit: &mut Emit<'_>, args: &[Operand], name: &str, errors: Errors) -> Result<Operand> {
    let values = values(args);
    let zero = emit.b.fconst(emit.b.func.native(values[0]), 0.0);
    if errors == Errors::NotPositive {
        raise_where(emit, FloatCond::Le, values[0], zero);
    }
    let result = call_libm(emit, name, &values);
    check(emit, result, &values, errors)?;
    single(args[0].ty, result)
}

/// ValueError where a comparison holds.
fn raise_where(emit: &mut Emit<'_>, condition: FloatCond, value: Value, limit: Value) {
    if emit.error_model == ErrorModel::Python {
        let outside = emit.b.fcmp(condition, value, limit);
        emit.raise_if(outside, ValueError, DOMAIN);
    }
}

fn all(emit: &mut Emit<'_>, values: &[Value], test: fn(&mut Emit<'_>, Value) -> Value) -> Value {
    let start = emit.b.bool(true);
    values.iter().fold(start, |all, &value| {
        let here = test(emit, value);
        bool_and(emit, all, here)
    })
}

fn is_number(emit: &mut Emit<'_>, value: Value) -> Value {
    emit.b.fcmp(FloatCond::Ord, value, value)
}

/// Looks closer at a result that is suspicious.
fn check(emit: &mut Emit<'_>, result: Value, args: &[Value], errors: Errors) -> Result<()> {
    if emit.error_model == ErrorModel::Numpy {
        return Ok(());
    }
    let suspicious = match errors {
        Errors::None | Errors::NotPositive => return Ok(()),
        Errors::Domain => is_nan(emit, result),
        Errors::Range => is_infinite(emit, result),
        Errors::Pole => {
            let finite = is_finite(emit, result);
            bool_not(emit, finite)
        }
    };
    emit.when(suspicious, |emit| {
        if matches!(errors, Errors::Domain | Errors::Pole) {
            let (nan, numbers) = (is_nan(emit, result), all(emit, args, is_number));
            let outside = bool_and(emit, nan, numbers);
            emit.raise_if(outside, ValueError, DOMAIN);
        }
        if matches!(errors, Errors::Pole | Errors::Range) {
            let (infinite, finite) = (is_infinite(emit, result), all(emit, args, is_finite));
            let beyond = bool_and(emit, infinite, finite);
            let (class, message) =
                if errors == Errors::Pole { (ValueError, DOMAIN) } else { (OverflowError, RANGE) };
            emit.raise_if(beyond, class, message);
        }
        Ok(())
    })
}

fn square_root(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.fconst(emit.b.func.native(args[0].value()), 0.0);
    raise_where(emit, FloatCond::Lt, args[0].value(), zero);
    like_first(emit, args, Op::Fsqrt)
}

fn scaled(emit: &mut Emit<'_>, args: &[Operand], factor: f64) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::FLOAT64)?.value();
    let factor = emit.b.fconst(Native::F64, factor);
    let product = emit.b.like_first(Op::Fmul, &[wide, factor]);
    cast(emit, &Operand::single(Type::FLOAT64, product), args[0].ty)
}

fn fmod(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let result = emit.b.like_first(Op::Frem, &values(args));
    check(emit, result, &values(args), Errors::Domain)?;
    single(args[0].ty, result)
}

fn power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let values = values(args);
    let result = call_libm(emit, "pow", &values);
    if emit.error_model == ErrorModel::Python {
        let finite = is_finite(emit, result);
        let suspicious = bool_not(emit, finite);
        emit.when(suspicious, |emit| {
            let finite = all(emit, &values, is_finite);
            let nan = is_nan(emit, result);
            let zero = emit.b.fconst(emit.b.func.native(result), 0.0);
            let of_zero = emit.b.fcmp(FloatCond::Eq, values[0], zero);
            let outside = bool_or(emit, nan, of_zero);
            let domain = bool_and(emit, finite, outside);
            emit.raise_if(domain, ValueError, DOMAIN);
            emit.raise_if(finite, OverflowError, RANGE);
            Ok(())
        })?;
    }
    single(args[0].ty, result)
}

/// log(x) / log(base); a base of 1 divides by zero.
fn log_to_base(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = libm(emit, &args[..1], "log", Errors::NotPositive)?.value();
    let base = libm(emit, &args[1..], "log", Errors::NotPositive)?.value();
    crate::division::check_float_divisor(emit, base, "float division by zero");
    let quotient = emit.b.like_first(Op::Fdiv, &[value, base]);
    single(args[0].ty, quotient)
}

/// A function of the runtime in double precision.
fn runtime(emit: &mut Emit<'_>, args: &[Operand], function: Runtime) -> Result<(Value, Value)> {
    let wide = cast(emit, &args[0], Type::FLOAT64)?.value();
    Ok((wide, emit.call_runtime(function, &[wide])[0]))
}

/// Poles at zero and the negative integers.
fn raise_at_poles(emit: &mut Emit<'_>, x: Value, result: Value) -> Result<()> {
    if emit.error_model == ErrorModel::Numpy {
        return Ok(());
    }
    let finite = is_finite(emit, result);
    let suspicious = bool_not(emit, finite);
    emit.when(suspicious, |emit| {
        let (nan, number) = (is_nan(emit, result), is_number(emit, x));
        let outside = bool_and(emit, nan, number);
        emit.raise_if(outside, ValueError, DOMAIN);
        let argument_finite = is_finite(emit, x);
        let zero = emit.b.fconst(Native::F64, 0.0);
        let whole = emit.b.like_first(Op::Ffloor, &[x]);
        let integral = emit.b.fcmp(FloatCond::Eq, whole, x);
        let not_positive = emit.b.fcmp(FloatCond::Le, x, zero);
        let pole = bool_and(emit, integral, not_positive);
        let pole = bool_and(emit, pole, argument_finite);
        emit.raise_if(pole, ValueError, DOMAIN);
        let infinite = is_infinite(emit, result);
        let beyond = bool_and(emit, infinite, argument_finite);
        emit.raise_if(beyond, OverflowError, RANGE);
        Ok(())
    })
}

fn gamma(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, result) = runtime(emit, args, Runtime::Gamma)?;
    raise_at_poles(emit, x, result)?;
    cast(emit, &Operand::single(Type::FLOAT64, result), args[0].ty)
}

fn log_gamma(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, result) = runtime(emit, args, Runtime::Lgamma)?;
    raise_at_poles(emit, x, result)?;
    cast(emit, &Operand::single(Type::FLOAT64, result), args[0].ty)
}

/// The distance to the next float away from zero; at the largest, to the one before.
fn ulp(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::FLOAT64)?.value();
    let x = emit.b.like_first(Op::Fabs, &[wide]);
    let infinity = emit.b.fconst(Native::F64, f64::INFINITY);
    let down = emit.b.fconst(Native::F64, f64::NEG_INFINITY);
    let next = call_libm(emit, "nextafter", &[x, infinity]);
    let before = call_libm(emit, "nextafter", &[x, down]);
    let usual = emit.b.like_first(Op::Fsub, &[next, x]);
    let last = emit.b.like_first(Op::Fsub, &[x, before]);
    let at_end = emit.b.fcmp(FloatCond::Eq, next, infinity);
    let distance = emit.b.select(at_end, last, usual);
    let infinite = emit.b.fcmp(FloatCond::Eq, x, infinity);
    let distance = emit.b.select(infinite, x, distance);
    let result = Operand::single(Type::FLOAT64, distance);
    cast(emit, &result, args[0].ty)
}

fn resolve_parts(types: &TypeTable, args: &[Type], second: Type, emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let ty = types.unliteral(ty);
    let real = ty == Type::BOOL || ty.is_int() || ty.is_float();
    let result = types.tuple(&[Type::FLOAT64, second]);
    real.then(|| Resolution { result, params: vec![Type::FLOAT64], emit })
}

fn frexp(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = emit.call_runtime(Runtime::Frexp, &[args[0].value()]);
    Ok(Operand::new(emit.types.tuple(&[Type::FLOAT64, Type::INT64]), parts))
}

fn modf(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let x = args[0].value();
    let whole = emit.b.like_first(Op::Ftrunc, &[x]);
    let rest = emit.b.like_first(Op::Fsub, &[x, whole]);
    let (infinite, zero) = (is_infinite(emit, x), emit.b.fconst(Native::F64, 0.0));
    let rest = emit.b.select(infinite, zero, rest);
    let rest = emit.b.like_first(Op::Copysign, &[rest, x]);
    Ok(Operand::new(emit.types.tuple(&[Type::FLOAT64; 2]), [rest, whole]))
}

/// Beyond this every double has become zero or infinite.
const MAX_SCALE: i64 = 5000;

pub(crate) fn ldexp(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::FLOAT64)?.value();
    let (low, high) = (emit.b.iconst(Native::I64, -MAX_SCALE), emit.b.iconst(Native::I64, MAX_SCALE));
    let mut by = args[1].value();
    for (condition, limit) in [(IntCond::Slt, low), (IntCond::Sgt, high)] {
        let beyond = emit.b.icmp(condition, by, limit);
        by = emit.b.select(beyond, limit, by);
    }
    let by = emit.b.convert(Op::Trunc, by, Native::I32);
    let external = ir::External::new("ldexp", vec![Native::F64, Native::I32], vec![Native::F64]);
    let external = ir::External { pure: true, ..external };
    let result = emit.b.call_external(external, &[wide, by])[0];
    check(emit, result, &[wide], Errors::Range)?;
    cast(emit, &Operand::single(Type::FLOAT64, result), args[0].ty)
}

/// Relative and absolute, given or as Python has them.
pub(crate) fn tolerances(emit: &mut Emit<'_>, args: &[Operand]) -> (Value, Value) {
    let (relative, absolute) = (emit.b.fconst(Native::F64, 1e-9), emit.b.fconst(Native::F64, 0.0));
    (args.get(2).map_or(relative, Operand::value), args.get(3).map_or(absolute, Operand::value))
}

fn is_close(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (args[0].value(), args[1].value());
    let (relative, absolute) = tolerances(emit, args);
    let zero = emit.b.fconst(Native::F64, 0.0);
    let first = emit.b.fcmp(FloatCond::Lt, relative, zero);
    let second = emit.b.fcmp(FloatCond::Lt, absolute, zero);
    let negative = bool_or(emit, first, second);
    emit.raise_if(negative, ValueError, "tolerances must be non-negative");
    let difference = emit.b.like_first(Op::Fsub, &[b, a]);
    let difference = emit.b.like_first(Op::Fabs, &[difference]);
    let mut close = emit.b.fcmp(FloatCond::Le, difference, absolute);
    for side in [a, b] {
        let tolerance = emit.b.like_first(Op::Fmul, &[relative, side]);
        let tolerance = emit.b.like_first(Op::Fabs, &[tolerance]);
        let within = emit.b.fcmp(FloatCond::Le, difference, tolerance);
        close = bool_or(emit, close, within);
    }
    let (x, y) = (is_infinite(emit, a), is_infinite(emit, b));
    let infinite = bool_or(emit, x, y);
    let finite = bool_not(emit, infinite);
    let close = bool_and(emit, close, finite);
    let equal = emit.b.fcmp(FloatCond::Eq, a, b);
    let close = bool_or(emit, close, equal);
    single(Type::BOOL, close)
}
