//! NumPy's elementwise functions of complex numbers that `cmath` does not have, and the choice of `where`.
//!
//! Complex numbers are ordered by their real parts, then by their imaginary ones; comparisons with NaN are false.

use crate::cmath;
use crate::emit_helpers::*;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, cast};
use diag::Result;
use ir::{FloatCond, Op, Value};
use std::f64::consts::{LN_2, LOG2_E};
use types::Type;

const UNARY: &[(&str, EmitFn)] = &[
    ("exp2", |e, a| {
        let scaled = scaled(e, &a[0], LN_2);
        cmath::value(e, &[scaled], Runtime::Cexp)
    }),
    ("expm1", expm1),
    ("log1p", log1p),
    ("log2", |e, a| {
        let log = cmath::value(e, a, Runtime::Clog)?;
        Ok(scaled(e, &log, LOG2_E))
    }),
    ("reciprocal", reciprocal),
    ("rint", |e, a| {
        let parts = [0, 1].map(|part| e.b.like_first(Op::Frint, &[a[0].parts[part]]));
        Ok(Operand::new(a[0].ty, parts))
    }),
];

const BINARY: &[(&str, EmitFn)] = &[
    ("maximum", |e, a| extreme(e, a, FloatCond::Ge, 0)),
    ("minimum", |e, a| extreme(e, a, FloatCond::Le, 0)),
    ("fmax", |e, a| extreme(e, a, FloatCond::Ge, 1)),
    ("fmin", |e, a| extreme(e, a, FloatCond::Le, 1)),
];

const ORDER: &[(&str, EmitFn)] = &[
    ("less", |e, a| ordered(e, a, FloatCond::Lt)),
    ("less_equal", |e, a| ordered(e, a, FloatCond::Le)),
    ("greater", |e, a| ordered(e, a, FloatCond::Gt)),
    ("greater_equal", |e, a| ordered(e, a, FloatCond::Ge)),
];

pub(crate) fn add(catalog: &mut Catalog) {
    const KINDS: [(Type, [Type; 2]); 2] =
        [(Type::COMPLEX64, [Type::COMPLEX64; 2]), (Type::COMPLEX128, [Type::COMPLEX128; 2])];
    const SINGLE: &[Type] = &KINDS[0].1;
    const DOUBLE: &[Type] = &KINDS[1].1;
    for &(name, emit) in UNARY {
        let cases = [case(Type::COMPLEX64, &SINGLE[..1], emit), case(Type::COMPLEX128, &DOUBLE[..1], emit)];
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    for &(name, emit) in BINARY {
        let cases = [case(Type::COMPLEX64, SINGLE, emit), case(Type::COMPLEX128, DOUBLE, emit)];
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    for &(name, emit) in ORDER {
        let cases = [case(Type::BOOL, SINGLE, emit), case(Type::BOOL, DOUBLE, emit)];
        catalog.add_function(&format!("numpy.{name}"), cases);
    }
    // Of complex numbers themselves: a boolean has no sign.
    catalog
        .add_generic("numpy.sign", |types, args| {
            let [ty] = *args else { return None };
            let ty = types.unliteral(ty);
            ty.is_complex().then(|| Resolution { result: ty, params: vec![ty], emit: sign })
        })
        .reads();
    // The items of `numpy.where`.
    catalog.add_generic("rumba.where", |types, args| {
        let [condition, a, b] = *args else { return None };
        let condition = types.unliteral(condition);
        (condition == Type::BOOL || condition.is_number()).then_some(())?;
        let result = types::unify(types, types.unliteral(a), types.unliteral(b))?;
        Some(Resolution { result, params: vec![condition, result, result], emit: choose })
    });
}

fn choose(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let condition = cast(emit, &args[0], Type::BOOL)?.value();
    let parts: Vec<Value> =
        args[1].parts.iter().zip(&args[2].parts).map(|(&a, &b)| emit.b.select(condition, a, b)).collect();
    Ok(Operand::new(args[1].ty, parts))
}

fn scaled(emit: &mut Emit<'_>, value: &Operand, factor: f64) -> Operand {
    let native = emit.b.func.native(value.parts[0]);
    let factor = emit.b.fconst(native, factor);
    Operand::new(value.ty, [0, 1].map(|part| emit.b.like_first(Op::Fmul, &[value.parts[part], factor])))
}

fn expm1(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (re, im) = (args[0].parts[0], args[0].parts[1]);
    let native = emit.b.func.native(re);
    let two = emit.b.fconst(native, 2.0);
    let half = emit.b.like_first(Op::Fdiv, &[im, two]);
    let (a, cos, sin) =
        (call_libm(emit, "sin", &[half]), call_libm(emit, "cos", &[im]), call_libm(emit, "sin", &[im]));
    let (small, whole) = (call_libm(emit, "expm1", &[re]), call_libm(emit, "exp", &[re]));
    let square = emit.b.like_first(Op::Fmul, &[a, a]);
    let twice = emit.b.like_first(Op::Fmul, &[two, square]);
    let product = emit.b.like_first(Op::Fmul, &[small, cos]);
    let re = emit.b.like_first(Op::Fsub, &[product, twice]);
    let im = emit.b.like_first(Op::Fmul, &[whole, sin]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

fn log1p(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (re, im) = (args[0].parts[0], args[0].parts[1]);
    let one = emit.b.fconst(emit.b.func.native(re), 1.0);
    let more = emit.b.like_first(Op::Fadd, &[re, one]);
    let size = call_libm(emit, "hypot", &[more, im]);
    let (re, im) = (call_libm(emit, "log", &[size]), call_libm(emit, "atan2", &[im, more]));
    Ok(Operand::new(args[0].ty, [re, im]))
}

/// By Smith's way, which does not overflow: the smaller part is divided by the larger one.
fn reciprocal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (re, im) = (args[0].parts[0], args[0].parts[1]);
    let one = emit.b.fconst(emit.b.func.native(re), 1.0);
    let (size_re, size_im) = (emit.b.like_first(Op::Fabs, &[re]), emit.b.like_first(Op::Fabs, &[im]));
    let real = emit.b.fcmp(FloatCond::Le, size_im, size_re);
    let (small, large) = (emit.b.select(real, im, re), emit.b.select(real, re, im));
    let ratio = emit.b.like_first(Op::Fdiv, &[small, large]);
    let rest = emit.b.like_first(Op::Fmul, &[small, ratio]);
    let sum = emit.b.like_first(Op::Fadd, &[large, rest]);
    let (first, second) = (emit.b.select(real, one, ratio), emit.b.select(real, ratio, one));
    let re = emit.b.like_first(Op::Fdiv, &[first, sum]);
    let second = emit.b.like_first(Op::Fneg, &[second]);
    let im = emit.b.like_first(Op::Fdiv, &[second, sum]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

/// The number divided by its size; 0 of 0, and where one part alone is infinite the sign of that one.
fn sign(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (re, im) = (args[0].parts[0], args[0].parts[1]);
    let native = emit.b.func.native(re);
    let (zero, one) = (emit.b.fconst(native, 0.0), emit.b.fconst(native, 1.0));
    let size = call_libm(emit, "hypot", &[re, im]);
    let is_zero = emit.b.fcmp(FloatCond::Eq, size, zero);
    let infinite = [re, im].map(|part| is_infinite(emit, part));
    let nan = [re, im].map(|part| is_nan(emit, part));
    let either_nan = bool_or(emit, nan[0], nan[1]);
    let part = |emit: &mut Emit<'_>, own: usize, value: Value| {
        let usual = emit.b.like_first(Op::Fdiv, &[value, size]);
        let unit = emit.b.like_first(Op::Copysign, &[one, value]);
        let other_finite = bool_not(emit, infinite[1 - own]);
        let alone = bool_and(emit, infinite[own], other_finite);
        let other_finite = bool_not(emit, infinite[own]);
        let beside = bool_and(emit, infinite[1 - own], other_finite);
        let found = emit.b.select(is_zero, zero, usual);
        let found = emit.b.select(alone, unit, found);
        let found = emit.b.select(beside, zero, found);
        let missing = emit.b.fconst(native, f64::NAN);
        emit.b.select(either_nan, missing, found)
    };
    let (re, im) = (part(emit, 0, re), part(emit, 1, im));
    Ok(Operand::new(args[0].ty, [re, im]))
}

fn ordered(emit: &mut Emit<'_>, args: &[Operand], condition: FloatCond) -> Result<Operand> {
    let value = in_order(emit, &args[0], &args[1], condition);
    single(Type::BOOL, value)
}

fn in_order(emit: &mut Emit<'_>, x: &Operand, y: &Operand, condition: FloatCond) -> Value {
    let strictly = match condition {
        FloatCond::Le => FloatCond::Lt,
        FloatCond::Ge => FloatCond::Gt,
        strict => strict,
    };
    let before = emit.b.fcmp(strictly, x.parts[0], y.parts[0]);
    let nan = [x, y].map(|value| is_nan(emit, value.parts[1]));
    let nan = bool_or(emit, nan[0], nan[1]);
    let known = bool_not(emit, nan);
    let before = bool_and(emit, before, known);
    let equal = emit.b.fcmp(FloatCond::Eq, x.parts[0], y.parts[0]);
    let by_second = emit.b.fcmp(condition, x.parts[1], y.parts[1]);
    let second = bool_and(emit, equal, by_second);
    bool_or(emit, before, second)
}

/// The larger or the smaller one; the operand of this number wins if the comparison holds or a NaN says so.
fn extreme(emit: &mut Emit<'_>, args: &[Operand], condition: FloatCond, asked: usize) -> Result<Operand> {
    let first = in_order(emit, &args[0], &args[1], condition);
    let nan = emit.call(&Key::Function("numpy.isnan".into()), &args[asked..=asked])?.value();
    let first = bool_or(emit, first, nan);
    let parts = [0, 1].map(|part| emit.b.select(first, args[0].parts[part], args[1].parts[part]));
    Ok(Operand::new(args[0].ty, parts))
}
