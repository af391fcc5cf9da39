//! `cmath`: functions of complex numbers, with Python's errors.
//!
//! The runtime computes in double precision; errors are checked only if a result is not finite.

use crate::emit_helpers::*;
use crate::math::{DOMAIN, RANGE, tolerances};
use abi::ExceptionClass::{OverflowError, ValueError};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, ErrorModel, Operand, Resolution, cast};
use diag::Result;
use ir::{FloatCond, Native, Op, Value};
use types::{Type, TypeTable};

const FUNCTIONS: &[(&str, EmitFn)] = &[
    ("acos", |e, a| checked(e, a, Runtime::Cacos)),
    ("acosh", |e, a| checked(e, a, Runtime::Cacosh)),
    ("asin", |e, a| checked(e, a, Runtime::Casin)),
    ("asinh", |e, a| checked(e, a, Runtime::Casinh)),
    ("atan", |e, a| checked(e, a, Runtime::Catan)),
    ("atanh", |e, a| checked(e, a, Runtime::Catanh)),
    ("cos", |e, a| checked(e, a, Runtime::Ccos)),
    ("cosh", |e, a| checked(e, a, Runtime::Ccosh)),
    ("exp", |e, a| checked(e, a, Runtime::Cexp)),
    ("log", |e, a| checked(e, a, Runtime::Clog)),
    ("log10", |e, a| checked(e, a, Runtime::Clog10)),
    ("sin", |e, a| checked(e, a, Runtime::Csin)),
    ("sinh", |e, a| checked(e, a, Runtime::Csinh)),
    ("sqrt", |e, a| checked(e, a, Runtime::Csqrt)),
    ("tan", |e, a| checked(e, a, Runtime::Ctan)),
    ("tanh", |e, a| checked(e, a, Runtime::Ctanh)),
];

pub(crate) fn add(catalog: &mut Catalog) {
    for &(name, emit) in FUNCTIONS {
        catalog.add_function(&format!("cmath.{name}"), complex_cases(emit));
    }
    let with_base = [
        case(Type::COMPLEX128, &[Type::COMPLEX128; 2], log_to_base),
        case(Type::COMPLEX64, &[Type::COMPLEX64; 2], log_to_base),
    ];
    catalog.add_function("cmath.log", with_base);
    let tests: [(&str, EmitFn); 3] = [
        ("cmath.isnan", |e, a| either_part(e, a, is_nan)),
        ("cmath.isinf", |e, a| either_part(e, a, is_infinite)),
        ("cmath.isfinite", |e, a| {
            let (re, im) = (is_finite(e, a[0].parts[0]), is_finite(e, a[0].parts[1]));
            let value = bool_and(e, re, im);
            single(Type::BOOL, value)
        }),
    ];
    for (name, emit) in tests {
        let cases = [case(Type::BOOL, &[Type::COMPLEX128], emit), case(Type::BOOL, &[Type::COMPLEX64], emit)];
        catalog.add_function(name, cases);
    }
    let phase =
        [case(Type::FLOAT64, &[Type::COMPLEX128], angle), case(Type::FLOAT32, &[Type::COMPLEX64], angle)];
    catalog.add_function("cmath.phase", phase);
    catalog.add_generic("cmath.polar", resolve_polar).reads();
    catalog.add_function("cmath.rect", [case(Type::COMPLEX128, &[Type::FLOAT64; 2], rect)]);
    let isclose = [
        case(Type::BOOL, &[Type::COMPLEX128; 2], is_close),
        case(Type::BOOL, &[Type::COMPLEX128, Type::COMPLEX128, Type::FLOAT64], is_close),
        case(Type::BOOL, &[Type::COMPLEX128, Type::COMPLEX128, Type::FLOAT64, Type::FLOAT64], is_close),
    ];
    catalog.add_function("cmath.isclose", isclose);
}

/// Double first: other numbers become doubles.
pub(crate) fn complex_cases(emit: EmitFn) -> [catalog::Case; 2] {
    [case(Type::COMPLEX128, &[Type::COMPLEX128], emit), case(Type::COMPLEX64, &[Type::COMPLEX64], emit)]
}

/// The value of a function of the runtime, without a look at errors.
pub(crate) fn value(emit: &mut Emit<'_>, args: &[Operand], function: Runtime) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::COMPLEX128)?;
    let parts = emit.call_runtime(function, &wide.parts);
    cast(emit, &Operand::new(Type::COMPLEX128, parts), args[0].ty)
}

fn checked(emit: &mut Emit<'_>, args: &[Operand], function: Runtime) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::COMPLEX128)?;
    let parts = emit.call_runtime(function, &wide.parts);
    raise_errors(emit, function, &wide.parts, &parts)?;
    cast(emit, &Operand::new(Type::COMPLEX128, parts), args[0].ty)
}

/// Asks the runtime what is wrong if a part of the result is not finite.
fn raise_errors(emit: &mut Emit<'_>, function: Runtime, args: &[Value], result: &[Value]) -> Result<()> {
    let errors = Runtime::from_symbol(&format!("{}_error", function.symbol()));
    let errors = errors.ok_or_else(|| unexpected("a function without one that tells its errors"))?;
    if emit.error_model == ErrorModel::Numpy {
        return Ok(());
    }
    let (re, im) = (is_finite(emit, result[0]), is_finite(emit, result[1]));
    let fine = bool_and(emit, re, im);
    let suspicious = bool_not(emit, fine);
    emit.when(suspicious, |emit| {
        let code = emit.call_runtime(errors, args)[0];
        raise_codes(emit, code, &[(1, ValueError, DOMAIN), (2, OverflowError, RANGE)]);
        Ok(())
    })
}

fn log_to_base(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (z, base) = (cast(emit, &args[0], Type::COMPLEX128)?, cast(emit, &args[1], Type::COMPLEX128)?);
    let all = [z.parts[0], z.parts[1], base.parts[0], base.parts[1]];
    let parts = emit.call_runtime(Runtime::ClogBase, &all);
    if emit.error_model == ErrorModel::Python {
        // A quotient by zero is finite, so the error is asked for in any case.
        let code = emit.call_runtime(Runtime::ClogBaseError, &all)[0];
        raise_codes(emit, code, &[(1, ValueError, DOMAIN)]);
    }
    cast(emit, &Operand::new(Type::COMPLEX128, parts), args[0].ty)
}

fn either_part(
    emit: &mut Emit<'_>,
    args: &[Operand],
    test: fn(&mut Emit<'_>, Value) -> Value,
) -> Result<Operand> {
    let (re, im) = (test(emit, args[0].parts[0]), test(emit, args[0].parts[1]));
    let value = bool_or(emit, re, im);
    single(Type::BOOL, value)
}

pub(crate) fn angle(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let angle = call_libm(emit, "atan2", &[args[0].parts[1], args[0].parts[0]]);
    single(args[0].ty.complex_part(), angle)
}

/// The angle of a number on the real axis.
pub(crate) fn angle_of_real(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let real = args[0].value();
    let native = emit.b.func.native(real);
    let zero = emit.b.fconst(native, 0.0);
    let angle = call_libm(emit, "atan2", &[zero, real]);
    single(args[0].ty, angle)
}

fn resolve_polar(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let ty = types.unliteral(ty);
    let result = types.tuple(&[Type::FLOAT64; 2]);
    let number = ty == Type::BOOL || ty.is_number();
    number.then(|| Resolution { result, params: vec![Type::COMPLEX128], emit: polar })
}

fn polar(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = args[0].parts.clone();
    let size = call_libm(emit, "hypot", &parts);
    let angle = angle(emit, args)?.value();
    if emit.error_model == ErrorModel::Python {
        let infinite = is_infinite(emit, size);
        emit.when(infinite, |emit| {
            let (re, im) = (is_finite(emit, parts[0]), is_finite(emit, parts[1]));
            let beyond = bool_and(emit, re, im);
            emit.raise_if(beyond, OverflowError, RANGE);
            Ok(())
        })?;
    }
    Ok(Operand::new(emit.types.tuple(&[Type::FLOAT64; 2]), [size, angle]))
}

fn rect(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let values = [args[0].value(), args[1].value()];
    let parts = emit.call_runtime(Runtime::Crect, &values);
    raise_errors(emit, Runtime::Crect, &values, &parts)?;
    Ok(Operand::new(Type::COMPLEX128, parts))
}

fn magnitude(emit: &mut Emit<'_>, re: Value, im: Value) -> Value {
    call_libm(emit, "hypot", &[re, im])
}

fn is_close(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (args[0].parts.clone(), args[1].parts.clone());
    let (relative, absolute) = tolerances(emit, args);
    let zero = emit.b.fconst(Native::F64, 0.0);
    let first = emit.b.fcmp(FloatCond::Lt, relative, zero);
    let second = emit.b.fcmp(FloatCond::Lt, absolute, zero);
    let negative = bool_or(emit, first, second);
    emit.raise_if(negative, ValueError, "tolerances must be non-negative");
    let re = emit.b.like_first(Op::Fsub, &[a[0], b[0]]);
    let im = emit.b.like_first(Op::Fsub, &[a[1], b[1]]);
    let difference = magnitude(emit, re, im);
    let mut close = emit.b.fcmp(FloatCond::Le, difference, absolute);
    let mut finite = emit.b.bool(true);
    for side in [&a, &b] {
        let size = magnitude(emit, side[0], side[1]);
        let tolerance = emit.b.like_first(Op::Fmul, &[relative, size]);
        let within = emit.b.fcmp(FloatCond::Le, difference, tolerance);
        close = bool_or(emit, close, within);
        for &part in side.iter() {
            let infinite = is_infinite(emit, part);
            let here = bool_not(emit, infinite);
            finite = bool_and(emit, finite, here);
        }
    }
    let close = bool_and(emit, close, finite);
    let re = emit.b.fcmp(FloatCond::Eq, a[0], b[0]);
    let im = emit.b.fcmp(FloatCond::Eq, a[1], b[1]);
    let equal = bool_and(emit, re, im);
    let close = bool_or(emit, close, equal);
    single(Type::BOOL, close)
}
