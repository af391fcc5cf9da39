//! NumPy's elementwise functions on scalars: floats to floats, complex numbers to complex numbers. (Arithmetic and
//! comparisons: `scalar_ufuncs_arithmetic`.)
//!
//! They never raise: an undefined result is NaN or infinite. Single precision stays single, integers of
//! up to 16 bits become singles and wider ones doubles, as in NumPy's loops.

use crate::cmath;
use crate::emit_helpers::*;
use crate::math::test;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, ErrorModel, Key, Operand, Resolution, cast};
use diag::Result;
use ir::{BinaryOp, FloatCond, IntCond, Native, Op, Value};
use std::f64::consts::{LN_2, LOG2_E, PI};
use types::{Type, TypeTable};

/// Functions of one float, and of one complex number where there is one.
const UNARY: &[(&str, EmitFn, Option<EmitFn>)] = &[
    ("arccos", |e, a| libm(e, a, "acos"), Some(|e, a| cmath::value(e, a, Runtime::Cacos))),
    ("arccosh", |e, a| libm(e, a, "acosh"), Some(|e, a| cmath::value(e, a, Runtime::Cacosh))),
    ("arcsin", |e, a| libm(e, a, "asin"), Some(|e, a| cmath::value(e, a, Runtime::Casin))),
    ("arcsinh", |e, a| libm(e, a, "asinh"), Some(|e, a| cmath::value(e, a, Runtime::Casinh))),
    ("arctan", |e, a| libm(e, a, "atan"), Some(|e, a| cmath::value(e, a, Runtime::Catan))),
    ("arctanh", |e, a| libm(e, a, "atanh"), Some(|e, a| cmath::value(e, a, Runtime::Catanh))),
    ("cbrt", |e, a| libm(e, a, "cbrt"), None),
    ("cos", |e, a| libm(e, a, "cos"), Some(|e, a| cmath::value(e, a, Runtime::Ccos))),
    ("cosh", |e, a| libm(e, a, "cosh"), Some(|e, a| cmath::value(e, a, Runtime::Ccosh))),
    ("deg2rad", |e, a| scaled(e, a, PI, 180.0), None),
    ("degrees", |e, a| scaled(e, a, 180.0, PI), None),
    ("exp", |e, a| libm(e, a, "exp"), Some(|e, a| cmath::value(e, a, Runtime::Cexp))),
    ("exp2", |e, a| libm(e, a, "exp2"), None),
    ("expm1", |e, a| libm(e, a, "expm1"), None),
    ("fabs", fabs, None),
    ("log", |e, a| libm(e, a, "log"), Some(|e, a| cmath::value(e, a, Runtime::Clog))),
    ("log10", |e, a| libm(e, a, "log10"), Some(|e, a| cmath::value(e, a, Runtime::Clog10))),
    ("log1p", |e, a| libm(e, a, "log1p"), None),
    ("log2", |e, a| libm(e, a, "log2"), None),
    ("rad2deg", |e, a| scaled(e, a, 180.0, PI), None),
    ("radians", |e, a| scaled(e, a, PI, 180.0), None),
    ("reciprocal", reciprocal, None),
    ("rint", |e, a| like_first(e, a, Op::Frint), None),
    ("sin", |e, a| libm(e, a, "sin"), Some(|e, a| cmath::value(e, a, Runtime::Csin))),
    ("sinh", |e, a| libm(e, a, "sinh"), Some(|e, a| cmath::value(e, a, Runtime::Csinh))),
    ("spacing", spacing, None),
    ("sqrt", |e, a| like_first(e, a, Op::Fsqrt), Some(|e, a| cmath::value(e, a, Runtime::Csqrt))),
    ("tan", |e, a| libm(e, a, "tan"), Some(|e, a| cmath::value(e, a, Runtime::Ctan))),
    ("tanh", |e, a| libm(e, a, "tanh"), Some(|e, a| cmath::value(e, a, Runtime::Ctanh))),
];

/// Functions of two floats.
const BINARY: &[(&str, EmitFn)] = &[
    ("arctan2", |e, a| libm(e, a, "atan2")),
    ("copysign", |e, a| like_first(e, a, Op::Copysign)),
    ("heaviside", heaviside),
    ("hypot", |e, a| libm(e, a, "hypot")),
    ("logaddexp", |e, a| log_add(e, a, "exp", 1.0, LN_2)),
    ("logaddexp2", |e, a| log_add(e, a, "exp2", LOG2_E, 1.0)),
    ("nextafter", |e, a| libm(e, a, "nextafter")),
];

pub(crate) fn add(catalog: &mut Catalog) {
    // Before the rules for floats, to which integers convert.
    catalog
        .add_generic("numpy.reciprocal", |types, args| {
            let [ty] = *args else { return None };
            // Booleans take part as the narrowest integers.
            let ty = if types.unliteral(ty) == Type::BOOL { Type::INT8 } else { types.unliteral(ty) };
            ty.is_int().then(|| Resolution { result: ty, params: vec![ty], emit: whole_reciprocal })
        })
        .reads();
    for &(name, float, complex) in UNARY {
        let mut cases =
            vec![case(Type::FLOAT32, &[Type::FLOAT32], float), case(Type::FLOAT64, &[Type::FLOAT64], float)];
        if let Some(emit) = complex {
            cases.push(case(Type::COMPLEX64, &[Type::COMPLEX64], emit));
            cases.push(case(Type::COMPLEX128, &[Type::COMPLEX128], emit));
        }
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    for &(name, emit) in BINARY {
        let cases =
            [case(Type::FLOAT32, &[Type::FLOAT32; 2], emit), case(Type::FLOAT64, &[Type::FLOAT64; 2], emit)];
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    catalog.add_function("numpy.nextafter", [case(Type::FLOAT16, &[Type::FLOAT16; 2], next_half)]);
    catalog.add_function("numpy.spacing", [case(Type::FLOAT16, &[Type::FLOAT16], spacing_of_half)]);
    let powers = [
        case(Type::FLOAT64, &[Type::FLOAT64; 2], |e, a| libm(e, a, "pow")),
        case(Type::COMPLEX128, &[Type::COMPLEX128; 2], |e, a| {
            without_errors(e, |e| e.call(&Key::Binary(BinaryOp::Pow), a))
        }),
    ];
    catalog.add_function("numpy.float_power", powers);
    add_tests(catalog);
    add_rounding(catalog);
    catalog.add_generic("numpy.modf", |types, args| resolve_parts(types, args, false)).reads();
    catalog.add_generic("numpy.frexp", |types, args| resolve_parts(types, args, true)).reads();
    let ldexp = [
        case(Type::FLOAT32, &[Type::FLOAT32, Type::INT64], ldexp),
        case(Type::FLOAT64, &[Type::FLOAT64, Type::INT64], ldexp),
    ];
    catalog.add_function("numpy.ldexp", ldexp);
    let angles = [
        case(Type::FLOAT32, &[Type::FLOAT32], cmath::angle_of_real),
        case(Type::FLOAT64, &[Type::FLOAT64], cmath::angle_of_real),
        case(Type::FLOAT64, &[Type::COMPLEX128], cmath::angle),
        case(Type::FLOAT32, &[Type::COMPLEX64], cmath::angle),
    ];
    catalog.add_function("numpy.angle", angles);
}

fn add_tests(catalog: &mut Catalog) {
    let tests: [(&str, EmitFn, EmitFn); 3] = [
        ("isnan", |e, a| test(e, a, is_nan), |e, a| by_parts(e, a, is_nan, bool_or)),
        ("isinf", |e, a| test(e, a, is_infinite), |e, a| by_parts(e, a, is_infinite, bool_or)),
        ("isfinite", |e, a| test(e, a, is_finite), |e, a| by_parts(e, a, is_finite, bool_and)),
    ];
    for (name, float, complex) in tests {
        let cases = [
            case(Type::BOOL, &[Type::FLOAT32], float),
            case(Type::BOOL, &[Type::FLOAT64], float),
            case(Type::BOOL, &[Type::COMPLEX64], complex),
            case(Type::BOOL, &[Type::COMPLEX128], complex),
        ];
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    let signs = [case(Type::BOOL, &[Type::FLOAT32], sign_bit), case(Type::BOOL, &[Type::FLOAT64], sign_bit)];
    catalog.add_function("numpy.signbit", signs);
}

fn add_rounding(catalog: &mut Catalog) {
    let floor: fn(&TypeTable, &[Type]) -> Option<Resolution> =
        |t, a| whole(t, a, |e, a| like_first(e, a, Op::Ffloor));
    catalog.add_generic("numpy.floor", floor).reads();
    catalog.add_generic("numpy.ceil", |t, a| whole(t, a, |e, a| like_first(e, a, Op::Fceil))).reads();
    catalog.add_generic("numpy.trunc", |t, a| whole(t, a, |e, a| like_first(e, a, Op::Ftrunc))).reads();
    for name in ["numpy.round", "numpy.around"] {
        catalog
            .add_generic(name, |t, a| {
                if a.len() == 1 { whole(t, a, |e, a| like_first(e, a, Op::Frint)) } else { to_digits(t, a) }
            })
            .reads();
    }
}

/// Floats alone: integers stay integers, which is the library's matter.
fn to_digits(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty, digits] = *args else { return None };
    let (ty, digits) = (types.unliteral(ty), types.unliteral(digits));
    let fits = ty.is_float() && (digits.is_int() || digits == Type::BOOL);
    fits.then(|| Resolution { result: ty, params: vec![ty, Type::INT64], emit: round_digits })
}

/// Integers and booleans are whole already.
fn whole(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let ty = types.unliteral(ty);
    let emit = match ty {
        Type::BOOL => identity,
        _ if ty.is_int() => identity,
        _ if ty.is_float() => emit,
        _ => return None,
    };
    Some(Resolution { result: ty, params: vec![ty], emit })
}

/// Emits under the error model that does not raise.
pub(crate) fn without_errors<T>(emit: &mut Emit<'_>, body: impl FnOnce(&mut Emit<'_>) -> T) -> T {
    let model = std::mem::replace(&mut emit.error_model, ErrorModel::Numpy);
    let result = body(emit);
    emit.error_model = model;
    result
}

fn libm(emit: &mut Emit<'_>, args: &[Operand], name: &str) -> Result<Operand> {
    let values: Vec<Value> = args.iter().map(Operand::value).collect();
    let value = call_libm(emit, name, &values);
    single(args[0].ty, value)
}

/// A number times the quotient of two others, which is as exact as the number.
fn scaled(emit: &mut Emit<'_>, args: &[Operand], upper: f64, lower: f64) -> Result<Operand> {
    let native = emit.b.func.native(args[0].value());
    let factor = if native == Native::F32 { f64::from(upper as f32 / lower as f32) } else { upper / lower };
    let factor = emit.b.fconst(native, factor);
    let product = emit.b.like_first(Op::Fmul, &[args[0].value(), factor]);
    single(args[0].ty, product)
}

fn reciprocal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let native = emit.b.func.native(args[0].value());
    let one = emit.b.fconst(native, 1.0);
    let quotient = emit.b.like_first(Op::Fdiv, &[one, args[0].value()]);
    single(args[0].ty, quotient)
}

/// What is left of the reciprocal of an integer: something of 1 and -1 alone. Of 0 it is what NumPy gives, the least
/// number of 32 and 64 bits, if they have a sign.
fn whole_reciprocal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, ty) = (args[0].value(), args[0].ty);
    let native = emit.b.func.native(x);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let mut unit = emit.b.icmp(IntCond::Eq, x, one);
    if is_signed(ty) {
        let minus_one = emit.b.iconst(native, -1);
        let negative = emit.b.icmp(IntCond::Eq, x, minus_one);
        unit = bool_or(emit, unit, negative);
    }
    let mut value = emit.b.select(unit, x, zero);
    if is_signed(ty) && native.bits() >= 32 {
        let least = emit.b.iconst(native, if native.bits() == 32 { i64::from(i32::MIN) } else { i64::MIN });
        let is_zero = emit.b.icmp(IntCond::Eq, x, zero);
        value = emit.b.select(is_zero, least, value);
    }
    single(ty, value)
}

/// The distance to the next float away from zero, with the sign of the argument; that of both zeros is positive.
fn spacing(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let native = emit.b.func.native(args[0].value());
    let zero = emit.b.fconst(native, 0.0);
    let x = emit.b.like_first(Op::Fadd, &[args[0].value(), zero]);
    let infinity = emit.b.fconst(native, f64::INFINITY);
    let away = emit.b.like_first(Op::Copysign, &[infinity, x]);
    let next = call_libm(emit, "nextafter", &[x, away]);
    let distance = emit.b.like_first(Op::Fsub, &[next, x]);
    single(args[0].ty, distance)
}

/// The next half towards another one, both in single precision.
fn next_half(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, towards) = (args[0].value(), args[1].value());
    let next = half_beside(emit, x, towards);
    let sum = emit.b.like_first(Op::Fadd, &[x, towards]);
    let unordered = emit.b.fcmp(FloatCond::Uno, x, towards);
    let next = emit.b.select(unordered, sum, next);
    let equal = emit.b.fcmp(FloatCond::Eq, x, towards);
    single(Type::FLOAT32, emit.b.select(equal, towards, next))
}

/// The half after one that is another number than `towards`, in single precision as they are.
fn half_beside(emit: &mut Emit<'_>, x: Value, towards: Value) -> Value {
    let zero = emit.b.fconst(Native::F32, 0.0);
    let bits = emit.b.convert(Op::FloatToHalf, x, Native::I16);
    let (up, negative) = (emit.b.fcmp(FloatCond::Gt, towards, x), emit.b.fcmp(FloatCond::Lt, x, zero));
    let grows = emit.b.like_first(Op::Ixor, &[up, negative]);
    let constant = |emit: &mut Emit<'_>, value: i64| emit.b.iconst(Native::I16, value);
    let (one, minus_one) = (constant(emit, 1), constant(emit, -1));
    let step = emit.b.select(grows, one, minus_one);
    let beside = emit.b.like_first(Op::Iadd, &[bits, step]);
    let least_below = constant(emit, i64::from(0x8001_u16.cast_signed()));
    let beside_zero = emit.b.select(up, one, least_below);
    let is_zero = emit.b.fcmp(FloatCond::Eq, x, zero);
    let beside = emit.b.select(is_zero, beside_zero, beside);
    emit.b.convert(Op::HalfToFloat, beside, Native::F32)
}

fn spacing_of_half(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.fconst(Native::F32, 0.0);
    let x = emit.b.like_first(Op::Fadd, &[args[0].value(), zero]);
    let infinity = emit.b.fconst(Native::F32, f64::INFINITY);
    let away = emit.b.like_first(Op::Copysign, &[infinity, x]);
    let next = half_beside(emit, x, away);
    let distance = emit.b.like_first(Op::Fsub, &[next, x]);
    let size = emit.b.like_first(Op::Fabs, &[x]);
    let is_infinite = emit.b.fcmp(FloatCond::Eq, size, infinity);
    // That of halves has no sign.
    let distance = emit.b.like_first(Op::Fabs, &[distance]);
    let none = emit.b.fconst(Native::F32, f64::NAN);
    single(Type::FLOAT32, emit.b.select(is_infinite, none, distance))
}

fn heaviside(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, at_zero) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(x);
    let (zero, one) = (emit.b.fconst(native, 0.0), emit.b.fconst(native, 1.0));
    let positive = emit.b.fcmp(FloatCond::Gt, x, zero);
    let negative = emit.b.fcmp(FloatCond::Lt, x, zero);
    let nan = is_nan(emit, x);
    let value = emit.b.select(negative, zero, at_zero);
    let value = emit.b.select(positive, one, value);
    let value = emit.b.select(nan, x, value);
    single(args[0].ty, value)
}

/// The logarithm of the sum of two powers, from their exponents, without overflow.
fn log_add(emit: &mut Emit<'_>, args: &[Operand], power: &str, scale: f64, twice: f64) -> Result<Operand> {
    let (x, y) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(x);
    let difference = emit.b.like_first(Op::Fsub, &[x, y]);
    let zero = emit.b.fconst(native, 0.0);
    let first = emit.b.fcmp(FloatCond::Gt, difference, zero);
    let larger = emit.b.select(first, x, y);
    let size = emit.b.like_first(Op::Fabs, &[difference]);
    let negated = emit.b.like_first(Op::Fneg, &[size]);
    let ratio = call_libm(emit, power, &[negated]);
    let log = call_libm(emit, "log1p", &[ratio]);
    let scale = emit.b.fconst(native, scale);
    let log = emit.b.like_first(Op::Fmul, &[log, scale]);
    let sum = emit.b.like_first(Op::Fadd, &[larger, log]);
    // Equal exponents, infinite ones too: the sum is twice the power.
    let twice = emit.b.fconst(native, twice);
    let doubled = emit.b.like_first(Op::Fadd, &[x, twice]);
    let equal = emit.b.fcmp(FloatCond::Eq, x, y);
    let sum = emit.b.select(equal, doubled, sum);
    single(args[0].ty, sum)
}

fn by_parts(
    emit: &mut Emit<'_>,
    args: &[Operand],
    test: fn(&mut Emit<'_>, Value) -> Value,
    join: fn(&mut Emit<'_>, Value, Value) -> Value,
) -> Result<Operand> {
    let (re, im) = (test(emit, args[0].parts[0]), test(emit, args[0].parts[1]));
    let value = join(emit, re, im);
    single(Type::BOOL, value)
}

fn sign_bit(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let native = if args[0].ty == Type::FLOAT32 { Native::I32 } else { Native::I64 };
    let bits = emit.b.convert(Op::Bitcast, args[0].value(), native);
    let zero = emit.b.iconst(native, 0);
    let negative = emit.b.icmp(IntCond::Slt, bits, zero);
    single(Type::BOOL, negative)
}

/// NumPy rounds by way of a power of ten, which is faster and less exact than `round`.
fn round_digits(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, digits) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(x);
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, digits, zero);
    let negated = emit.b.like_first(Op::Isub, &[zero, digits]);
    let size = emit.b.select(negative, negated, digits);
    let exponent = emit.b.convert(Op::SintToFloat, size, Native::F64);
    let ten = emit.b.fconst(Native::F64, 10.0);
    let power = call_libm(emit, "pow", &[ten, exponent]);
    let power = if native == Native::F32 { emit.b.convert(Op::Fptrunc, power, native) } else { power };
    let (more, less) = (emit.b.like_first(Op::Fmul, &[x, power]), emit.b.like_first(Op::Fdiv, &[x, power]));
    let moved = emit.b.select(negative, less, more);
    let rounded = emit.b.like_first(Op::Frint, &[moved]);
    let (up, down) =
        (emit.b.like_first(Op::Fmul, &[rounded, power]), emit.b.like_first(Op::Fdiv, &[rounded, power]));
    let value = emit.b.select(negative, up, down);
    single(args[0].ty, value)
}

fn resolve_parts(types: &TypeTable, args: &[Type], mantissa: bool) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let ty = if types.unliteral(ty) == Type::FLOAT32 { Type::FLOAT32 } else { Type::FLOAT64 };
    types::convert(types, args[0], ty)?;
    let second = if mantissa { Type::INT32 } else { ty };
    let emit: EmitFn =
        if mantissa { |e, a| parts(e, a, "math.frexp") } else { |e, a| parts(e, a, "math.modf") };
    Some(Resolution { result: types.tuple(&[ty, second]), params: vec![ty], emit })
}

/// `math`'s function, its parts in the types that NumPy gives them.
fn parts(emit: &mut Emit<'_>, args: &[Operand], function: &str) -> Result<Operand> {
    let bool_and = emit.call(&catalog::Key::Function(function.into()), args)?;
    let bool_and = elements(emit, &bool_and);
    let second = if function == "math.frexp" { Type::INT32 } else { args[0].ty };
    let first = cast(emit, &bool_and[0], args[0].ty)?;
    let second = cast(emit, &bool_and[1], second)?;
    Ok(tuple_of(emit, &[first, second]))
}

fn ldexp(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    without_errors(emit, |emit| crate::math::ldexp(emit, args))
}
