//! NumPy's elementwise arithmetic, comparisons and logic on scalars.
//!
//! The result has the type that both operands promote to, narrow integers too: `np.add` of two int8
//! is an int8, where `+` of two int8 is an int64. Nothing raises but integers to negative powers.

use crate::datetime_compare::mixes_times;
use crate::emit_helpers::*;
use crate::math_integer::{divisor_wrapping, magnitudes};
use crate::scalar_ufuncs::without_errors;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{BinaryOp, CompareOp, FloatCond, IntCond, Op, UnaryOp, Value};
use types::{Type, TypeTable};

/// Types that a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    /// All numbers and booleans.
    All,
    /// Numbers.
    Numbers,
    /// Integers and floats.
    Real,
    /// Integers and booleans.
    Bits,
    /// Integers.
    Ints,
    /// Numbers; booleans as the narrowest integers.
    CountedNumbers,
    /// Integers and floats; booleans as the narrowest integers.
    CountedReal,
    /// Integers; booleans as the narrowest ones.
    CountedInts,
    /// Integers, floats and booleans.
    Ordered,
}

impl Domain {
    /// The type in which values of this one take part.
    fn counted(self, ty: Type) -> Type {
        let counts = matches!(self, Domain::CountedNumbers | Domain::CountedReal | Domain::CountedInts);
        if counts && ty == Type::BOOL { Type::INT8 } else { ty }
    }

    fn takes(self, ty: Type) -> bool {
        match self {
            Domain::All => ty == Type::BOOL || ty.is_number(),
            Domain::Numbers => ty.is_number(),
            Domain::Real => ty.is_int() || ty.is_float(),
            Domain::Bits => ty == Type::BOOL || ty.is_int(),
            Domain::Ints | Domain::CountedInts => ty.is_int(),
            Domain::CountedNumbers => ty.is_number(),
            Domain::CountedReal => ty.is_int() || ty.is_float(),
            Domain::Ordered => ty == Type::BOOL || ty.is_int() || ty.is_float(),
        }
    }
}

pub(crate) fn add(catalog: &mut Catalog) {
    add_arithmetic(catalog);
    add_unary(catalog);
    let extremes = ["numpy.minimum", "numpy.maximum", "numpy.fmin", "numpy.fmax"];
    catalog.state(&extremes.map(|name| (name, "chooses")));
    // A datetime and a timedelta are unequal for the operator alone.
    catalog
        .add_nested("numpy.equal", |catalog, types, args| {
            let resolution = catalog.resolve(types, &Key::Compare(CompareOp::Eq), args)?;
            (!mixes_times(types, args)).then_some(resolution)
        })
        .reads();
    catalog
        .add_nested("numpy.not_equal", |catalog, types, args| {
            let resolution = catalog.resolve(types, &Key::Compare(CompareOp::Ne), args)?;
            (!mixes_times(types, args)).then_some(resolution)
        })
        .reads();
    macro_rules! same_as {
        ($($name:literal => $key:expr;)*) => {
            $(catalog.add_nested($name, |catalog, types, args| catalog.resolve(types, &$key, args)).reads();)*
        };
    }
    same_as! {
        "numpy.less" => Key::Compare(CompareOp::Lt);
        "numpy.less_equal" => Key::Compare(CompareOp::Le);
        "numpy.greater" => Key::Compare(CompareOp::Gt);
        "numpy.greater_equal" => Key::Compare(CompareOp::Ge);
        "numpy.real" => Key::Getattr("real".into());
        "numpy.imag" => Key::Getattr("imag".into());
    }
    catalog
        .add_nested("numpy.logical_not", |catalog, types, args| {
            // A datetime has a truth value in NumPy, but not this function.
            let is_number = |&ty: &Type| types.unliteral(ty) == Type::BOOL || types.unliteral(ty).is_number();
            args.iter()
                .all(is_number)
                .then(|| catalog.resolve(types, &Key::Unary(UnaryOp::Not), args))
                .flatten()
        })
        .reads();
}

fn add_arithmetic(catalog: &mut Catalog) {
    macro_rules! binary {
        ($($name:literal $domain:ident $emit:expr;)*) => {
            $(catalog.add(
                Key::Function($name.into()),
                Rule::Generic(|types, args| resolve(types, args, 2, Domain::$domain, $emit)),
            );)*
        };
    }
    binary! {
        "numpy.add" All |e, a| arithmetic(e, a, Op::Iadd, Op::Fadd, BinaryOp::Add);
        "numpy.subtract" Numbers |e, a| arithmetic(e, a, Op::Isub, Op::Fsub, BinaryOp::Sub);
        "numpy.multiply" All |e, a| arithmetic(e, a, Op::Imul, Op::Fmul, BinaryOp::Mul);
        "numpy.floor_divide" CountedReal |e, a| by_operator(e, a, BinaryOp::FloorDiv);
        "numpy.remainder" CountedReal |e, a| by_operator(e, a, BinaryOp::Mod);
        "numpy.power" CountedNumbers |e, a| by_operator(e, a, BinaryOp::Pow);
        "numpy.fmod" CountedReal truncated_remainder;
        "numpy.maximum" Ordered |e, a| extreme(e, a, true, true);
        "numpy.minimum" Ordered |e, a| extreme(e, a, false, true);
        "numpy.fmax" Ordered |e, a| extreme(e, a, true, false);
        "numpy.fmin" Ordered |e, a| extreme(e, a, false, false);
        "numpy.bitwise_and" Bits iand;
        "numpy.bitwise_or" Bits ior;
        "numpy.bitwise_xor" Bits ixor;
        "numpy.left_shift" CountedInts |e, a| shift(e, a, true);
        "numpy.right_shift" CountedInts |e, a| shift(e, a, false);
        "numpy.gcd" Ints divisor;
        "numpy.lcm" Ints multiple;
    }
    catalog.add_generic("numpy.divide", resolve_division).reads();
    catalog
        .add_generic("numpy.logical_and", |t, a| resolve_logical(t, a, |e, a| logical(e, a, bool_and)))
        .reads();
    catalog
        .add_generic("numpy.logical_or", |t, a| resolve_logical(t, a, |e, a| logical(e, a, bool_or)))
        .reads();
    catalog
        .add_generic("numpy.logical_xor", |t, a| {
            resolve_logical(t, a, |e, a| logical(e, a, |e, x, y| e.b.like_first(Op::Ixor, &[x, y])))
        })
        .reads();
    catalog
        .add_generic("numpy.divmod", |types, args| {
            let mut resolution = resolve(types, args, 2, Domain::CountedReal, |emit, args| {
                let pair =
                    without_errors(emit, |emit| emit.call(&Key::Function("builtins.divmod".into()), args))?;
                let ty = args[0].ty;
                let parts = elements(emit, &pair);
                let (quotient, rest) = (cast(emit, &parts[0], ty)?, cast(emit, &parts[1], ty)?);
                Ok(tuple_of(emit, &[quotient, rest]))
            })?;
            resolution.result = types.tuple(&[resolution.result; 2]);
            Some(resolution)
        })
        .reads();
}

fn add_unary(catalog: &mut Catalog) {
    macro_rules! unary {
        ($($name:literal $domain:ident $emit:expr;)*) => {
            $(catalog.add(
                Key::Function($name.into()),
                Rule::Generic(|types, args| resolve(types, args, 1, Domain::$domain, $emit)),
            );)*
        };
    }
    unary! {
        "numpy.negative" Numbers negative;
        "numpy.positive" Numbers identity;
        "numpy.square" CountedNumbers |e, a| {
            let twice = [a[0].clone(), a[0].clone()];
            arithmetic(e, &twice, Op::Imul, Op::Fmul, BinaryOp::Mul)
        };
        "numpy.sign" Real sign;
        "numpy.invert" Bits invert;
    }
    catalog
        .add_nested("numpy.conjugate", |catalog, types, args| {
            let [ty] = *args else { return None };
            types.array(ty).is_none().then_some(())?;
            let counted = Domain::CountedNumbers.counted(types.unliteral(ty));
            catalog
                .resolve(types, &Key::Function("method.conjugate".into()), &[counted])
                .map(|resolution| Resolution { params: vec![counted], ..resolution })
        })
        .reads();
    catalog
        .add_generic("numpy.absolute", |types, args| {
            let [ty] = *args else { return None };
            let ty = types.unliteral(ty);
            let result = if ty.is_complex() { ty.complex_part() } else { ty };
            Domain::All.takes(ty).then(|| Resolution { result, params: vec![ty], emit: absolute })
        })
        .reads();
}

/// Operands in the type that all promote to, which is the result's.
fn resolve(
    types: &TypeTable,
    args: &[Type],
    arity: usize,
    domain: Domain,
    emit: EmitFn,
) -> Option<Resolution> {
    if args.len() != arity {
        return None;
    }
    let first = types.unliteral(args[0]);
    let joined = args.iter().try_fold(first, |joined, &ty| types::unify(types, joined, ty))?;
    let joined = domain.counted(joined);
    if !domain.takes(joined) {
        return None;
    }
    Some(Resolution { result: joined, params: vec![joined; arity], emit })
}

fn arithmetic(emit: &mut Emit<'_>, args: &[Operand], int: Op, float: Op, op: BinaryOp) -> Result<Operand> {
    match args[0].ty {
        // Of booleans the sum is `or` and the product `and`.
        Type::BOOL => like_first(emit, args, if op == BinaryOp::Add { Op::Ior } else { Op::Iand }),
        ty if ty.is_int() => like_first(emit, args, int),
        ty if ty.is_float() => like_first(emit, args, float),
        _ if op == BinaryOp::Mul => complex_product(emit, args),
        _ => emit.call(&Key::Binary(op), args),
    }
}

/// The product of complex numbers as NumPy's loops have it: the second product of each part is rounded, the first
/// one is not.
fn complex_product(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (&args[0].parts, &args[1].parts);
    let of_imaginary = emit.b.like_first(Op::Fmul, &[a[1], b[1]]);
    let negated = emit.b.like_first(Op::Fneg, &[of_imaginary]);
    let mixed = emit.b.like_first(Op::Fmul, &[a[1], b[0]]);
    let re = emit.b.like_first(Op::Fma, &[a[0], b[0], negated]);
    let im = emit.b.like_first(Op::Fma, &[a[0], b[1], mixed]);
    Ok(Operand::new(args[0].ty, [re, im]))
}

/// The quotient of complex numbers as NumPy's loops have it: by Smith's way, with one division for both parts. A
/// divisor that is zero divides each part.
fn complex_quotient(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (&args[0].parts, &args[1].parts);
    let native = emit.b.func.native(a[0]);
    let (zero, one) = (emit.b.fconst(native, 0.0), emit.b.fconst(native, 1.0));
    let sizes = [0, 1].map(|part| emit.b.like_first(Op::Fabs, &[b[part]]));
    let by_real = emit.b.fcmp(FloatCond::Ge, sizes[0], sizes[1]);
    let no_size = emit.b.fcmp(FloatCond::Eq, sizes[0], zero);
    let by_zero = bool_and(emit, by_real, no_size);
    let (large, small) = (emit.b.select(by_real, b[0], b[1]), emit.b.select(by_real, b[1], b[0]));
    // The part of the dividend that goes with the larger part of the divisor, and the other one.
    let (first, second) = (emit.b.select(by_real, a[0], a[1]), emit.b.select(by_real, a[1], a[0]));
    let ratio = emit.b.like_first(Op::Fdiv, &[small, large]);
    let rest = emit.b.like_first(Op::Fmul, &[small, ratio]);
    let denominator = emit.b.like_first(Op::Fadd, &[large, rest]);
    // Through zero goes each part of the dividend by itself.
    let denominator = emit.b.select(by_zero, sizes[0], denominator);
    let scale = emit.b.like_first(Op::Fdiv, &[one, denominator]);
    let beside = emit.b.like_first(Op::Fmul, &[second, ratio]);
    let sum = emit.b.like_first(Op::Fadd, &[first, beside]);
    let beside = emit.b.like_first(Op::Fmul, &[first, ratio]);
    let difference = emit.b.like_first(Op::Fsub, &[second, beside]);
    let opposite = emit.b.like_first(Op::Fsub, &[beside, second]);
    let difference = emit.b.select(by_real, difference, opposite);
    let parts = [(sum, a[0]), (difference, a[1])].map(|(upper, part)| {
        let upper = emit.b.select(by_zero, part, upper);
        emit.b.like_first(Op::Fmul, &[upper, scale])
    });
    Ok(Operand::new(args[0].ty, parts))
}

/// What the operator gives where nothing raises, in the type of the operands.
fn by_operator(emit: &mut Emit<'_>, args: &[Operand], op: BinaryOp) -> Result<Operand> {
    let value = without_errors(emit, |emit| emit.call(&Key::Binary(op), args))?;
    cast(emit, &value, args[0].ty)
}

/// The greatest common divisor, which wraps where it does not fit.
fn divisor(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = if is_signed(args[0].ty) { Type::INT64 } else { Type::UINT64 };
    let wider = [cast(emit, &args[0], wide)?, cast(emit, &args[1], wide)?];
    let value = divisor_wrapping(emit, &wider)?;
    cast(emit, &Operand::single(wide, value.value()), args[0].ty)
}

/// The least common multiple, which wraps where it does not fit.
fn multiple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = if is_signed(args[0].ty) { Type::INT64 } else { Type::UINT64 };
    let wider = [cast(emit, &args[0], wide)?, cast(emit, &args[1], wide)?];
    let sizes = magnitudes(emit, &wider);
    let value = emit.call_runtime(abi::Runtime::LcmWrapping, &sizes)[0];
    cast(emit, &Operand::single(wide, value), args[0].ty)
}

/// The remainder with the sign of the dividend; 0 of a division by the integer 0.
fn truncated_remainder(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if args[0].ty.is_float() {
        return like_first(emit, args, Op::Frem);
    }
    let (x, y) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(y);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let mut unsafe_divisor = emit.b.icmp(IntCond::Eq, y, zero);
    if is_signed(args[0].ty) {
        let minus_one = emit.b.iconst(native, -1);
        let overflows = emit.b.icmp(IntCond::Eq, y, minus_one);
        unsafe_divisor = bool_or(emit, unsafe_divisor, overflows);
    }
    let divisor = emit.b.select(unsafe_divisor, one, y);
    let op = if is_signed(args[0].ty) { Op::Srem } else { Op::Urem };
    let rest = emit.b.like_first(op, &[x, divisor]);
    single(args[0].ty, rest)
}

/// The larger or the smaller; NaN wins or loses.
fn extreme(emit: &mut Emit<'_>, args: &[Operand], larger: bool, nan_wins: bool) -> Result<Operand> {
    let (x, y) = (args[0].value(), args[1].value());
    let ty = args[0].ty;
    if ty == Type::BOOL {
        return if larger { like_first(emit, args, Op::Ior) } else { like_first(emit, args, Op::Iand) };
    }
    if let Some((_, signed)) = ty.as_int() {
        let condition = match (larger, signed) {
            (true, true) => IntCond::Sge,
            (true, false) => IntCond::Uge,
            (false, true) => IntCond::Sle,
            (false, false) => IntCond::Ule,
        };
        let first = emit.b.icmp(condition, x, y);
        let value = emit.b.select(first, x, y);
        return single(ty, value);
    }
    let first = emit.b.fcmp(if larger { FloatCond::Ge } else { FloatCond::Le }, x, y);
    let nan = is_nan(emit, if nan_wins { x } else { y });
    let first = bool_or(emit, first, nan);
    let value = emit.b.select(first, x, y);
    single(ty, value)
}

/// Counts of the width and more shift everything out.
fn shift(emit: &mut Emit<'_>, args: &[Operand], left: bool) -> Result<Operand> {
    let (x, count) = (args[0].value(), args[1].value());
    let native = emit.b.func.native(x);
    let most = emit.b.iconst(native, i64::from(native.bits()) - 1);
    let large = emit.b.icmp(IntCond::Ugt, count, most);
    let safe = emit.b.select(large, most, count);
    let op = match (left, is_signed(args[0].ty)) {
        (true, _) => Op::Ishl,
        (false, true) => Op::Sshr,
        (false, false) => Op::Ushr,
    };
    let shifted = emit.b.like_first(op, &[x, safe]);
    if op == Op::Sshr {
        return single(args[0].ty, shifted);
    }
    let zero = emit.b.iconst(native, 0);
    let value = emit.b.select(large, zero, shifted);
    single(args[0].ty, value)
}

/// Integers are divided as doubles.
fn resolve_division(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let mut resolution = resolve(types, args, 2, Domain::All, |emit, args| {
        if args[0].ty.is_float() { like_first(emit, args, Op::Fdiv) } else { complex_quotient(emit, args) }
    })?;
    if resolution.result == Type::BOOL || resolution.result.is_int() {
        resolution.result = Type::FLOAT64;
        resolution.params = vec![Type::FLOAT64; 2];
    }
    Some(resolution)
}

fn resolve_logical(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (a, b) = (types.unliteral(a), types.unliteral(b));
    let has_truth = |ty| Domain::All.takes(ty) || types.time(ty).is_some();
    (has_truth(a) && has_truth(b)).then(|| Resolution { result: Type::BOOL, params: vec![a, b], emit })
}

fn logical(
    emit: &mut Emit<'_>,
    args: &[Operand],
    join: fn(&mut Emit<'_>, Value, Value) -> Value,
) -> Result<Operand> {
    let truth = Key::Unary(UnaryOp::Bool);
    let (x, y) = (emit.call(&truth, &args[..1])?, emit.call(&truth, &args[1..])?);
    let value = join(emit, x.value(), y.value());
    single(Type::BOOL, value)
}

fn negative(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if !args[0].ty.is_int() {
        return emit.call(&Key::Unary(UnaryOp::Neg), args);
    }
    let zero = emit.b.iconst(emit.b.func.native(args[0].value()), 0);
    let value = emit.b.like_first(Op::Isub, &[zero, args[0].value()]);
    single(args[0].ty, value)
}

fn invert(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let native = emit.b.func.native(args[0].value());
    let ones = emit.b.iconst(native, if args[0].ty == Type::BOOL { 1 } else { -1 });
    let value = emit.b.like_first(Op::Ixor, &[args[0].value(), ones]);
    single(args[0].ty, value)
}

fn absolute(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, ty) = (args[0].value(), args[0].ty);
    if ty.is_complex() {
        let size = call_libm(emit, "hypot", &args[0].parts);
        return single(ty.complex_part(), size);
    }
    if ty.is_float() {
        return fabs(emit, args);
    }
    if !is_signed(ty) {
        return Ok(args[0].clone());
    }
    let zero = emit.b.iconst(emit.b.func.native(x), 0);
    let below = emit.b.icmp(IntCond::Slt, x, zero);
    let negated = emit.b.like_first(Op::Isub, &[zero, x]);
    let value = emit.b.select(below, negated, x);
    single(ty, value)
}

/// -1, 0 or 1 in the type of the argument; NaN of NaN.
fn sign(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (x, ty) = (args[0].value(), args[0].ty);
    let native = emit.b.func.native(x);
    if ty.is_float() {
        let (zero, one, minus) =
            (emit.b.fconst(native, 0.0), emit.b.fconst(native, 1.0), emit.b.fconst(native, -1.0));
        let (above, below) = (emit.b.fcmp(FloatCond::Gt, x, zero), emit.b.fcmp(FloatCond::Lt, x, zero));
        let is_zero = emit.b.fcmp(FloatCond::Eq, x, zero);
        let value = emit.b.select(is_zero, zero, x);
        let value = emit.b.select(below, minus, value);
        let value = emit.b.select(above, one, value);
        return single(ty, value);
    }
    let (zero, one, minus) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1), emit.b.iconst(native, -1));
    let is_zero = emit.b.icmp(IntCond::Eq, x, zero);
    let mut value = emit.b.select(is_zero, zero, one);
    if is_signed(ty) {
        let below = emit.b.icmp(IntCond::Slt, x, zero);
        value = emit.b.select(below, minus, value);
    }
    single(ty, value)
}
