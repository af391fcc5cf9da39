//! `math` and the NumPy ufuncs of the same meaning, on scalars.

use crate::emit_util::*;
use catalog::{Case, Catalog, Emit, EmitFn, Operand};
use diag::Result;
use ir::{FloatCond, Native, Op};
use types::Type;

/// Functions of one argument by `math`'s name, NumPy's name and the C library's.
const UNARY: &[(&str, &str, EmitFn)] = &[
    ("acos", "arccos", |e, a| libm(e, a, "acos")),
    ("acosh", "arccosh", |e, a| libm(e, a, "acosh")),
    ("asin", "arcsin", |e, a| libm(e, a, "asin")),
    ("asinh", "arcsinh", |e, a| libm(e, a, "asinh")),
    ("atan", "arctan", |e, a| libm(e, a, "atan")),
    ("atanh", "arctanh", |e, a| libm(e, a, "atanh")),
    ("cbrt", "cbrt", |e, a| libm(e, a, "cbrt")),
    ("cos", "cos", |e, a| libm(e, a, "cos")),
    ("cosh", "cosh", |e, a| libm(e, a, "cosh")),
    ("erf", "", |e, a| libm(e, a, "erf")),
    ("erfc", "", |e, a| libm(e, a, "erfc")),
    ("exp", "exp", |e, a| libm(e, a, "exp")),
    ("exp2", "exp2", |e, a| libm(e, a, "exp2")),
    ("expm1", "expm1", |e, a| libm(e, a, "expm1")),
    ("fabs", "fabs", fabs),
    ("log", "log", |e, a| libm(e, a, "log")),
    ("log10", "log10", |e, a| libm(e, a, "log10")),
    ("log1p", "log1p", |e, a| libm(e, a, "log1p")),
    ("log2", "log2", |e, a| libm(e, a, "log2")),
    ("sin", "sin", |e, a| libm(e, a, "sin")),
    ("sinh", "sinh", |e, a| libm(e, a, "sinh")),
    ("sqrt", "sqrt", |e, a| like_first(e, a, Op::Fsqrt)),
    ("tan", "tan", |e, a| libm(e, a, "tan")),
    ("tanh", "tanh", |e, a| libm(e, a, "tanh")),
    ("", "floor", |e, a| like_first(e, a, Op::Ffloor)),
    ("", "ceil", |e, a| like_first(e, a, Op::Fceil)),
    ("", "trunc", |e, a| like_first(e, a, Op::Ftrunc)),
    ("", "rint", |e, a| like_first(e, a, Op::Frint)),
];

/// Functions of two arguments.
const BINARY: &[(&str, &str, EmitFn)] = &[
    ("atan2", "arctan2", |e, a| libm(e, a, "atan2")),
    ("copysign", "copysign", |e, a| like_first(e, a, Op::Copysign)),
    ("fmod", "fmod", |e, a| like_first(e, a, Op::Frem)),
    ("hypot", "hypot", |e, a| libm(e, a, "hypot")),
    ("pow", "", |e, a| libm(e, a, "pow")),
];

pub(crate) fn add(catalog: &mut Catalog) {
    for &(python, numpy, emit) in UNARY {
        add_both(catalog, python, numpy, &float_cases(emit));
    }
    for &(python, numpy, emit) in BINARY {
        add_both(
            catalog,
            python,
            numpy,
            &[
                case(Type::FLOAT32, &[Type::FLOAT32, Type::FLOAT32], emit),
                case(Type::FLOAT64, &[Type::FLOAT64, Type::FLOAT64], emit),
            ],
        );
    }
    for (name, emit) in [("isnan", is_nan as EmitFn), ("isinf", is_infinite), ("isfinite", is_finite)] {
        let cases = [case(Type::BOOL, &[Type::FLOAT32], emit), case(Type::BOOL, &[Type::FLOAT64], emit)];
        add_both(catalog, name, name, &cases);
    }
}

fn float_cases(emit: EmitFn) -> [Case; 2] {
    [case(Type::FLOAT32, &[Type::FLOAT32], emit), case(Type::FLOAT64, &[Type::FLOAT64], emit)]
}

fn add_both(catalog: &mut Catalog, python: &str, numpy: &str, cases: &[Case]) {
    for (module, name) in [("math", python), ("numpy", numpy)] {
        if !name.is_empty() {
            catalog.add_function(&format!("{module}.{name}"), cases.iter().copied());
        }
    }
}

fn libm(emit: &mut Emit<'_>, args: &[Operand], name: &str) -> Result<Operand> {
    let values: Vec<ir::Value> = args.iter().map(Operand::value).collect();
    let value = call_libm(emit, name, &values);
    single(args[0].ty, value)
}

fn is_nan(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = emit.b.fcmp(FloatCond::Uno, args[0].value(), args[0].value());
    single(Type::BOOL, value)
}

/// The magnitude and infinity.
fn size_and_infinity(emit: &mut Emit<'_>, args: &[Operand]) -> (ir::Value, ir::Value) {
    let size = emit.b.like_first(Op::Fabs, &[args[0].value()]);
    let native: Native = emit.b.func.native(size);
    (size, emit.b.fconst(native, f64::INFINITY))
}

fn is_infinite(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (size, infinity) = size_and_infinity(emit, args);
    let value = emit.b.fcmp(FloatCond::Eq, size, infinity);
    single(Type::BOOL, value)
}

fn is_finite(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (size, infinity) = size_and_infinity(emit, args);
    let value = emit.b.fcmp(FloatCond::Lt, size, infinity);
    single(Type::BOOL, value)
}
