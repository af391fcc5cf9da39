//! Arithmetic of datetimes and timedeltas, as in NumPy. [`crate::datetime_compare`] has comparisons.
//!
//! Operands are converted to the finer unit of both. An integer is a timedelta without a unit. NaT gives
//! NaT.

use crate::emit_helpers::*;
use catalog::datetime::{NO_TIME, is_no_time, no_time_if};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{BinaryOp, IntCond, Native, Op, UnaryOp, Value};
use types::{LiteralValue, TimeUnit, Type, TypeData, TypeTable};

type Resolve = fn(&TypeTable, &[Type]) -> Option<Resolution>;

pub(crate) fn add(catalog: &mut Catalog) {
    add_arithmetic(catalog);
    let one: [(Key, &str, Resolve); 5] = [
        (Key::Unary(UnaryOp::Pos), "numpy.positive", |types, args| span_of(types, args, identity)),
        (Key::Unary(UnaryOp::Neg), "numpy.negative", |types, args| span_of(types, args, negated)),
        (function("builtins.abs"), "numpy.absolute", |types, args| span_of(types, args, magnitude)),
        (function("numpy.sign"), "numpy.sign", |types, args| span_of(types, args, sign)),
        (function("numpy.isnat"), "numpy.isnat", |types, args| {
            types.time(*args.first()?)?;
            Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit: is_none })
        }),
    ];
    for (key, name, resolve) in one {
        add_both(catalog, key, name, resolve);
    }
    catalog.add_generic("numpy.isnan", |types, args| truth(types, args, is_none)).reads();
    catalog.add_generic("numpy.isfinite", |types, args| truth(types, args, is_some)).reads();
    catalog.add_generic("numpy.isinf", |types, args| truth(types, args, never)).reads();
    catalog.add(Key::Unary(UnaryOp::Bool), Rule::Generic(|types, args| truth(types, args, is_true)));
    catalog.add(Key::Construct(Type::BOOL), Rule::Generic(|types, args| truth(types, args, is_true)));
    catalog.add(Key::Unary(UnaryOp::Not), Rule::Generic(|types, args| truth(types, args, is_false)));
    catalog.add_generic("builtins.int", number).reads();
    catalog.add_generic("numpy.timedelta64", |types, args| construct(types, args, true)).reads();
    catalog.add_generic("numpy.datetime64", |types, args| construct(types, args, false)).reads();
}

fn function(name: &str) -> Key {
    Key::Function(name.into())
}

/// Adds a rule under a key and under NumPy's name for it.
fn add_both(catalog: &mut Catalog, key: Key, name: &str, resolve: Resolve) {
    if key != function(name) {
        catalog.add(function(name), Rule::Generic(resolve));
    }
    catalog.add(key, Rule::Generic(resolve));
}

fn add_arithmetic(catalog: &mut Catalog) {
    use BinaryOp::{Add, FloorDiv, Mod, Mul, Sub, TrueDiv};
    let bool_and: [(BinaryOp, &str, Resolve); 6] = [
        (Add, "numpy.add", |types, args| sum(types, args, Add)),
        (Sub, "numpy.subtract", |types, args| sum(types, args, Sub)),
        (Mul, "numpy.multiply", product),
        (TrueDiv, "numpy.divide", |types, args| quotient(types, args, ratio, Type::FLOAT64)),
        (FloorDiv, "numpy.floor_divide", |types, args| quotient(types, args, floor_ratio, Type::INT64)),
        (Mod, "numpy.remainder", remainder),
    ];
    for (op, name, resolve) in bool_and {
        catalog.add(Key::Binary(op), Rule::Generic(resolve));
        catalog.add_generic(name, resolve).reads();
    }
    catalog
        .add_generic("builtins.divmod", |types, args| {
            let unit = common(types, args).filter(|&ty| types.time(ty).is_some_and(|(_, span)| span))?;
            let emit: EmitFn = |emit, args| {
                let (quotient, rest) = (floor_ratio(emit, args)?, rest_of(emit, args)?);
                Ok(tuple_of(emit, &[quotient, rest]))
            };
            Some(Resolution { result: types.tuple(&[Type::INT64, unit]), params: vec![unit; 2], emit })
        })
        .reads();
}

/// A time, or an integer as a span without a unit: the unit, and whether it is a span.
fn time(types: &TypeTable, ty: Type) -> Option<(TimeUnit, bool)> {
    let plain = types.unliteral(ty);
    types.time(plain).or_else(|| (plain.is_int() || plain == Type::BOOL).then_some((TimeUnit::Generic, true)))
}

/// Whether any of the operands is a time.
fn any_time(types: &TypeTable, args: &[Type]) -> bool {
    args.iter().any(|&ty| types.time(ty).is_some())
}

/// The type that two points or two spans are both converted to.
pub(crate) fn common(types: &TypeTable, args: &[Type]) -> Option<Type> {
    let [a, b] = *args else { return None };
    let ((x, span), (y, other)) = (time(types, a)?, time(types, b)?);
    let joined = types.intern(TypeData::Datetime { unit: x.common(y), span });
    let fits = |ty| converts(types, ty, joined);
    (any_time(types, args) && span == other && fits(a) && fits(b)).then_some(joined)
}

/// Whether every value of a type has one in the unit of another.
fn converts(types: &TypeTable, from: Type, to: Type) -> bool {
    let plain = types.unliteral(from);
    plain.is_int() || plain == Type::BOOL || types::convert(types, plain, to).is_some()
}

/// A time of a unit, of one that is coarser or of an integer.
fn in_unit(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    if emit.types.time(value.ty).is_some() {
        return cast(emit, value, to);
    }
    let count = cast(emit, value, Type::INT64)?.value();
    single(to, count)
}

/// `a + b` and `a - b`: spans, or a point and a span; points have a difference.
fn sum(types: &TypeTable, args: &[Type], op: BinaryOp) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let ((x, first), (y, second)) = (time(types, a)?, time(types, b)?);
    let unit = x.common(y);
    let (left, right) = (
        types.intern(TypeData::Datetime { unit, span: first }),
        types.intern(TypeData::Datetime { unit, span: second }),
    );
    let result = match (op, first, second) {
        (_, true, true) | (BinaryOp::Sub, false, false) => types.span(unit),
        (_, false, true) | (BinaryOp::Add, true, false) => types.date(unit),
        _ => return None,
    };
    if !any_time(types, args) || !converts(types, a, left) || !converts(types, b, right) {
        return None;
    }
    let emit: EmitFn =
        if op == BinaryOp::Add { |e, a| added(e, a, Op::Iadd) } else { |e, a| added(e, a, Op::Isub) };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn added(emit: &mut Emit<'_>, args: &[Operand], op: Op) -> Result<Operand> {
    let unknown = || unexpected("a time without a unit");
    let (x, y) = (time(emit.types, args[0].ty), time(emit.types, args[1].ty));
    let ((x, first), (y, second)) = (x.ok_or_else(unknown)?, y.ok_or_else(unknown)?);
    let unit = x.common(y);
    let mut counts = Vec::new();
    for (operand, span) in [(&args[0], first), (&args[1], second)] {
        let ty = emit.types.intern(TypeData::Datetime { unit, span });
        counts.push(in_unit(emit, operand, ty)?.value());
    }
    let value = emit.b.like_first(op, &counts);
    let none = any_is_none(emit, &counts);
    let value = no_time_if(emit, none, value);
    single(args[0].ty, value)
}

pub(crate) fn any_is_none(emit: &mut Emit<'_>, counts: &[Value]) -> Value {
    let (first, second) = (is_no_time(emit, counts[0]), is_no_time(emit, counts[1]));
    bool_or(emit, first, second)
}

/// `span * number` and `number * span`.
fn product(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let is_span = |ty| types.time(ty).is_some_and(|(_, span)| span);
    let (span, number, swapped) = if is_span(a) { (a, b, false) } else { (b, a, true) };
    let factor = factor_type(types, number).filter(|_| is_span(span))?;
    let params = if swapped { vec![factor, span] } else { vec![span, factor] };
    let emit: EmitFn = |emit, args| {
        let swapped = emit.types.time(args[0].ty).is_none();
        let (span, number) = if swapped { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        scaled(emit, span, number, Op::Imul, Op::Fmul)
    };
    Some(Resolution { result: span, params, emit })
}

/// What a number is for spans: int64 or float64.
fn factor_type(types: &TypeTable, number: Type) -> Option<Type> {
    let plain = types.unliteral(number);
    match plain {
        _ if plain.is_float() => Some(Type::FLOAT64),
        _ if plain.is_int() || plain == Type::BOOL => Some(Type::INT64),
        _ => None,
    }
}

/// A span times or through a number; what is cut off of a float is its fraction, and what is no number is no time.
fn scaled(
    emit: &mut Emit<'_>,
    span: &Operand,
    number: &Operand,
    of_ints: Op,
    of_floats: Op,
) -> Result<Operand> {
    let (count, number) = (span.value(), number.value());
    let none = is_no_time(emit, count);
    if !emit.b.func.native(number).is_float() {
        if of_ints == Op::Sdiv {
            return divided(emit, span, number, none);
        }
        let value = emit.b.like_first(of_ints, &[count, number]);
        let value = no_time_if(emit, none, value);
        return single(span.ty, value);
    }
    let wide = emit.b.convert(Op::SintToFloat, count, Native::F64);
    let value = emit.b.like_first(of_floats, &[wide, number]);
    let size = emit.b.like_first(Op::Fabs, &[value]);
    let limit = emit.b.fconst(Native::F64, 9_223_372_036_854_775_808.0);
    let fits = emit.b.fcmp(ir::FloatCond::Lt, size, limit);
    let misfit = bool_not(emit, fits);
    let whole = emit.b.convert(Op::FloatToSint, value, Native::I64);
    let absent = bool_or(emit, none, misfit);
    let value = no_time_if(emit, absent, whole);
    single(span.ty, value)
}

/// A span through an integer, toward zero.
fn divided(emit: &mut Emit<'_>, span: &Operand, number: Value, none: Value) -> Result<Operand> {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let by_zero = emit.b.icmp(IntCond::Eq, number, zero);
    let absent = bool_or(emit, none, by_zero);
    // The machine divides neither by zero nor the least integer by -1.
    let (count, number) = (emit.b.select(absent, zero, span.value()), emit.b.select(absent, one, number));
    let value = emit.b.like_first(Op::Sdiv, &[count, number]);
    let value = no_time_if(emit, absent, value);
    single(span.ty, value)
}

/// `a / b` and `a // b`: of a span and a number a span, of two spans a number.
fn quotient(types: &TypeTable, args: &[Type], of_spans: EmitFn, number: Type) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (_, span) = types.time(a)?;
    if let Some(factor) = factor_type(types, b).filter(|_| span) {
        let emit: EmitFn = |emit, args| scaled(emit, &args[0], &args[1], Op::Sdiv, Op::Fdiv);
        return Some(Resolution { result: a, params: vec![a, factor], emit });
    }
    let unit = common(types, args).filter(|_| span)?;
    Some(Resolution { result: number, params: vec![unit; 2], emit: of_spans })
}

fn ratio(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let counts = [args[0].value(), args[1].value()];
    let floats = counts.map(|count| emit.b.convert(Op::SintToFloat, count, Native::F64));
    let value = emit.b.like_first(Op::Fdiv, &floats);
    let (none, nan) = (any_is_none(emit, &counts), emit.b.fconst(Native::F64, f64::NAN));
    let value = emit.b.select(none, nan, value);
    single(Type::FLOAT64, value)
}

/// Quotient toward minus infinity and what remains; both are 0 where there is none, which is the third value.
fn floor_division(emit: &mut Emit<'_>, args: &[Operand]) -> (Value, Value, Value) {
    let counts = [args[0].value(), args[1].value()];
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let none = any_is_none(emit, &counts);
    let by_zero = emit.b.icmp(IntCond::Eq, counts[1], zero);
    let absent = bool_or(emit, none, by_zero);
    let (a, b) = (emit.b.select(absent, zero, counts[0]), emit.b.select(absent, one, counts[1]));
    let (quotient, rest) = (emit.b.like_first(Op::Sdiv, &[a, b]), emit.b.like_first(Op::Srem, &[a, b]));
    let uneven = emit.b.icmp(IntCond::Ne, rest, zero);
    let signs = emit.b.like_first(Op::Ixor, &[rest, b]);
    let opposite = emit.b.icmp(IntCond::Slt, signs, zero);
    let below = bool_and(emit, uneven, opposite);
    let (less, more) =
        (emit.b.like_first(Op::Isub, &[quotient, one]), emit.b.like_first(Op::Iadd, &[rest, b]));
    (emit.b.select(below, less, quotient), emit.b.select(below, more, rest), absent)
}

fn floor_ratio(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (quotient, ..) = floor_division(emit, args);
    single(Type::INT64, quotient)
}

fn rest_of(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (_, rest, absent) = floor_division(emit, args);
    let rest = no_time_if(emit, absent, rest);
    single(args[0].ty, rest)
}

/// `a % b` of spans.
fn remainder(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let unit = common(types, args).filter(|&ty| types.time(ty).is_some_and(|(_, span)| span))?;
    args.iter().all(|&ty| types.time(ty).is_some()).then_some(())?;
    Some(Resolution { result: unit, params: vec![unit; 2], emit: rest_of })
}

/// What takes one span and gives one.
fn span_of(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    types.time(ty).filter(|&(_, span)| span)?;
    Some(Resolution { result: ty, params: args.to_vec(), emit })
}

/// NaT is the least integer, which is its own negative.
fn negated(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let value = emit.b.like_first(Op::Isub, &[zero, args[0].value()]);
    single(args[0].ty, value)
}

fn magnitude(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, args[0].value(), zero);
    let other = negated(emit, args)?.value();
    let value = emit.b.select(negative, other, args[0].value());
    single(args[0].ty, value)
}

fn sign(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let [zero, one, minus_one] = [0, 1, -1].map(|number| emit.b.iconst(Native::I64, number));
    let negative = emit.b.icmp(IntCond::Slt, args[0].value(), zero);
    let positive = emit.b.icmp(IntCond::Sgt, args[0].value(), zero);
    let value = emit.b.select(positive, one, zero);
    let value = emit.b.select(negative, minus_one, value);
    single(args[0].ty, value)
}

fn is_none(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let none = is_no_time(emit, args[0].value());
    single(Type::BOOL, none)
}

fn is_some(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let none = emit.b.iconst(Native::I64, NO_TIME);
    let some = emit.b.icmp(IntCond::Ne, args[0].value(), none);
    single(Type::BOOL, some)
}

fn never(emit: &mut Emit<'_>, _: &[Operand]) -> Result<Operand> {
    let const_false = emit.b.iconst(Native::I1, 0);
    single(Type::BOOL, const_false)
}

fn truth(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    types.time(*args.first()?)?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn is_true(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let truth = emit.b.icmp(IntCond::Ne, args[0].value(), zero);
    single(Type::BOOL, truth)
}

fn is_false(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let truth = emit.b.icmp(IntCond::Eq, args[0].value(), zero);
    single(Type::BOOL, truth)
}

/// `int(x)`, which NumPy knows of times in nanoseconds: finer ones are no objects of `datetime`.
fn number(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let (unit, _) = types.time(ty)?;
    let emit: EmitFn = |_, args| single(Type::INT64, args[0].value());
    (unit == TimeUnit::Nanosecond).then_some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

/// `np.timedelta64(5, 's')`, `np.datetime64('NaT', 'ns')`: of an integer or of no time, in a constant unit.
fn construct(types: &TypeTable, args: &[Type], span: bool) -> Option<Resolution> {
    let unit = match *args {
        [_] => TimeUnit::Generic,
        [_, unit] => match types.literal(unit)? {
            LiteralValue::Str(name) => TimeUnit::from_name(&name)?,
            _ => return None,
        },
        _ => return None,
    };
    let value = types.unliteral(args[0]);
    let is_none =
        matches!(types.literal(args[0]), Some(LiteralValue::Str(text)) if text.eq_ignore_ascii_case("nat"));
    // A datetime without a unit is no time.
    let is_number = value.is_int() && (span || unit != TimeUnit::Generic);
    if !is_number && !is_none {
        return None;
    }
    let emit: EmitFn = |emit, args| {
        let value = match args[0].parts.is_empty() {
            true => emit.b.iconst(Native::I64, NO_TIME),
            false => cast(emit, &args[0], Type::INT64)?.value(),
        };
        single(Type::INT64, value)
    };
    Some(Resolution { result: types.intern(TypeData::Datetime { unit, span }), params: args.to_vec(), emit })
}
