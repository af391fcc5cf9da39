//! Functions of `math` of integers, and those of many values: `gcd`, `comb`, `hypot`, `fsum` and so on.

use crate::emit_helpers::*;
use crate::tuples::store_elements;
use abi::ExceptionClass::{OverflowError, ValueError};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, cast};
use diag::Result;
use ir::{BinaryOp, IntCond, Native, Op, Value};
use types::{Type, TypeTable};

const TOO_LARGE: &str = "the result does not fit a 64-bit integer";
const NEGATIVE_N: &str = "n must be a non-negative integer";
const NEGATIVE_K: &str = "k must be a non-negative integer";

pub(crate) fn add(catalog: &mut Catalog) {
    const ONE: &[Type] = &[Type::INT64];
    const TWO: &[Type] = &[Type::INT64, Type::INT64];
    catalog.add_function("math.factorial", [case(Type::INT64, ONE, factorial)]);
    catalog
        .add_function("math.perm", [case(Type::INT64, ONE, factorial), case(Type::INT64, TWO, permutations)]);
    catalog
        .add_generic("math.perm", |types, args| {
            let [n, Type::NONE] = *args else { return None };
            let int = types.unliteral(n).is_int();
            int.then(|| Resolution {
                result: Type::INT64,
                params: vec![Type::INT64, Type::NONE],
                emit: factorial,
            })
        })
        .reads();
    catalog.add_function("math.comb", [case(Type::INT64, TWO, combinations)]);
    catalog.add_function(
        "math.isqrt",
        [case(Type::INT64, ONE, integer_root), case(Type::UINT64, &[Type::UINT64], integer_root)],
    );
    catalog.add_generic("math.gcd", |types, args| resolve_ints(types, args, divisor)).reads();
    catalog.add_generic("math.lcm", |types, args| resolve_ints(types, args, multiple)).reads();
    catalog.add_generic("math.hypot", resolve_hypot).reads();
    catalog.add_generic("math.dist", resolve_distance).reads();
    catalog.add_generic("math.fsum", |types, args| {
        let [tuple] = *args else { return None };
        all_real(types, tuple)?;
        Some(Resolution { result: Type::FLOAT64, params: vec![tuple], emit: exact_sum })
    });
    catalog.add_nested("math.prod", resolve_product);
    catalog.state(&[("math.fsum", "exhausts=seq@0"), ("math.prod", "exhausts=iterable@0:tuple")]);
}

/// A function of the runtime with a result and a code.
fn coded(
    emit: &mut Emit<'_>,
    args: &[Operand],
    function: Runtime,
    errors: &[(i64, abi::ExceptionClass, &str)],
) -> Result<Operand> {
    let values: Vec<Value> = args.iter().map(Operand::value).collect();
    let result = emit.call_runtime(function, &values);
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Ne, result[1], zero);
    emit.when(failed, |emit| {
        raise_codes(emit, result[1], errors);
        Ok(())
    })?;
    single(Type::INT64, result[0])
}

fn factorial(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let negative = "factorial() not defined for negative values";
    let errors = [(1, OverflowError, TOO_LARGE), (2, ValueError, negative)];
    coded(emit, &args[..1], Runtime::Factorial, &errors)
}

fn permutations(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let errors = [(1, OverflowError, TOO_LARGE), (2, ValueError, NEGATIVE_N), (3, ValueError, NEGATIVE_K)];
    coded(emit, args, Runtime::Perm, &errors)
}

fn combinations(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let errors = [(1, OverflowError, TOO_LARGE), (2, ValueError, NEGATIVE_N), (3, ValueError, NEGATIVE_K)];
    coded(emit, args, Runtime::Comb, &errors)
}

fn integer_root(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let n = args[0].value();
    if is_signed(args[0].ty) {
        let zero = emit.b.iconst(Native::I64, 0);
        let negative = emit.b.icmp(IntCond::Slt, n, zero);
        emit.raise_if(negative, ValueError, "isqrt() argument must be nonnegative");
    }
    let root = emit.call_runtime(Runtime::Isqrt, &[n])[0];
    single(args[0].ty, root)
}

/// Any number of integers, as int64 if all are signed.
fn resolve_ints(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let plain: Vec<Type> = args.iter().map(|&ty| types.unliteral(ty)).collect();
    if !plain.iter().all(|ty| ty.is_int() || *ty == Type::BOOL) {
        return None;
    }
    let params: Vec<Type> =
        plain.iter().map(|ty| if *ty == Type::UINT64 { Type::UINT64 } else { Type::INT64 }).collect();
    let unsigned = !params.is_empty() && params.iter().all(|&ty| ty == Type::UINT64);
    let result = if unsigned { Type::UINT64 } else { Type::INT64 };
    Some(Resolution { result, params, emit })
}

pub(crate) fn magnitudes(emit: &mut Emit<'_>, args: &[Operand]) -> Vec<Value> {
    let mut sizes = Vec::new();
    for arg in args {
        let mut value = arg.value();
        if is_signed(arg.ty) {
            let zero = emit.b.iconst(Native::I64, 0);
            let negative = emit.b.icmp(IntCond::Slt, value, zero);
            let negated = emit.b.like_first(Op::Isub, &[zero, value]);
            value = emit.b.select(negative, negated, value);
        }
        sizes.push(value);
    }
    sizes
}

fn divisor(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let found = divisor_wrapping(emit, args)?;
    check_magnitude(emit, args, found)
}

/// OverflowError where the magnitude of the least integer is a result of signed ones.
fn check_magnitude(emit: &mut Emit<'_>, args: &[Operand], result: Operand) -> Result<Operand> {
    if args.iter().any(|arg| is_signed(arg.ty)) {
        let zero = emit.b.iconst(Native::I64, 0);
        let wraps = emit.b.icmp(IntCond::Slt, result.value(), zero);
        emit.raise_if(wraps, OverflowError, TOO_LARGE);
    }
    Ok(result)
}

/// The greatest common divisor, which wraps where it does not fit.
pub(crate) fn divisor_wrapping(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let mut result = None;
    for size in magnitudes(emit, args) {
        result = Some(match result {
            None => size,
            Some(before) => emit.call_runtime(Runtime::Gcd, &[before, size])[0],
        });
    }
    let zero = emit.b.iconst(Native::I64, 0);
    single(Type::INT64, result.unwrap_or(zero))
}

fn multiple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let mut result = None;
    for size in magnitudes(emit, args) {
        result = Some(match result {
            None => size,
            Some(before) => {
                let pair = [before, size].map(|value| Operand::single(Type::INT64, value));
                coded(emit, &pair, Runtime::Lcm, &[(1, OverflowError, TOO_LARGE)])?.value()
            }
        });
    }
    let one = emit.b.iconst(Native::I64, 1);
    check_magnitude(emit, args, Operand::single(Type::INT64, result.unwrap_or(one)))
}

fn is_real(types: &TypeTable, ty: Type) -> bool {
    let ty = types.unliteral(ty);
    ty == Type::BOOL || ty.is_int() || ty.is_float()
}

/// The number of elements of a tuple of real numbers.
fn all_real(types: &TypeTable, tuple: Type) -> Option<usize> {
    let elements = types.elements(tuple)?;
    elements.iter().all(|&element| is_real(types, element)).then_some(elements.len())
}

fn resolve_hypot(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let real = args.iter().all(|&arg| is_real(types, arg));
    let emit: EmitFn = |emit, args| norm(emit, args);
    real.then(|| Resolution { result: Type::FLOAT64, params: vec![Type::FLOAT64; args.len()], emit })
}

/// The Euclidean norm of doubles.
fn norm(emit: &mut Emit<'_>, values: &[Operand]) -> Result<Operand> {
    let norm = match values {
        [x, y] => emit.call_runtime(Runtime::Hypot, &[x.value(), y.value()])[0],
        _ => call_with_floats(emit, values, Runtime::Norm)[0],
    };
    single(Type::FLOAT64, norm)
}

/// Calls a function of the runtime with the address and number of doubles.
fn call_with_floats(
    emit: &mut Emit<'_>,
    values: &[Operand],
    function: Runtime,
) -> smallvec::SmallVec<[Value; 1]> {
    let (slot, _) = store_elements(emit, values);
    let count = emit.b.iconst(Native::I64, values.len() as i64);
    emit.call_runtime(function, &[slot, count])
}

fn doubles(emit: &mut Emit<'_>, tuple: &Operand) -> Result<Vec<Operand>> {
    elements(emit, tuple).iter().map(|element| cast(emit, element, Type::FLOAT64)).collect()
}

fn resolve_distance(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [p, q] = *args else { return None };
    all_real(types, p)?;
    all_real(types, q)?;
    Some(Resolution { result: Type::FLOAT64, params: args.to_vec(), emit: distance })
}

fn distance(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (p, q) = (doubles(emit, &args[0])?, doubles(emit, &args[1])?);
    if p.len() != q.len() {
        let always = emit.b.bool(true);
        emit.raise_if(always, ValueError, "both points must have the same number of dimensions");
    }
    let mut differences = Vec::new();
    for (a, b) in p.iter().zip(&q) {
        let difference = emit.b.like_first(Op::Fsub, &[a.value(), b.value()]);
        differences.push(Operand::single(Type::FLOAT64, difference));
    }
    norm(emit, &differences)
}

fn exact_sum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let values = doubles(emit, &args[0])?;
    let sum = call_with_floats(emit, &values, Runtime::Fsum);
    let errors = [(1, OverflowError, "intermediate overflow in fsum"), (2, ValueError, "-inf + inf in fsum")];
    raise_codes(emit, sum[1], &errors);
    single(Type::FLOAT64, sum[0])
}

const MULTIPLY: Key = Key::Binary(BinaryOp::Mul);

fn resolve_product(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (tuple, start) = match *args {
        [tuple] => (tuple, Type::INT64),
        [tuple, start] => (tuple, types.unliteral(start)),
        _ => return None,
    };
    let elements = types.elements(tuple)?;
    let result = elements.iter().try_fold(start, |product, &element| {
        Some(catalog.resolve(types, &MULTIPLY, &[product, element])?.result)
    })?;
    let params = [tuple].into_iter().chain(args.get(1).map(|_| start)).collect();
    Some(Resolution { result, params, emit: product })
}

fn product(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let one = emit.b.iconst(Native::I64, 1);
    let mut product = args.get(1).cloned().unwrap_or_else(|| Operand::single(Type::INT64, one));
    for element in elements(emit, &args[0]) {
        product = emit.call(&MULTIPLY, &[product, element])?;
    }
    Ok(product)
}
