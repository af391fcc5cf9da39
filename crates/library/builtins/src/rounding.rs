//! `round`, `math.floor`, `math.ceil` and `math.trunc`: floats to integers, or to fewer digits.

use crate::emit_helpers::*;
use abi::ExceptionClass::{OverflowError, ValueError};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, cast};
use diag::Result;
use ir::{FloatCond, IntCond, Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.round", resolve_round).reads();
    for (name, emit) in [
        ("math.floor", (|e, a| to_int(e, a, Op::Ffloor)) as EmitFn),
        ("math.ceil", |e, a| to_int(e, a, Op::Fceil)),
        ("math.trunc", |e, a| to_int(e, a, Op::Ftrunc)),
    ] {
        catalog.add_function(name, integers(emit));
    }
}

/// Integers are themselves, floats are rounded as `emit` does.
fn integers(emit: EmitFn) -> [catalog::Case; 4] {
    [
        case(Type::INT64, &[Type::INT64], identity),
        case(Type::UINT64, &[Type::UINT64], identity),
        case(Type::INT64, &[Type::FLOAT64], emit),
        case(Type::INT64, &[Type::FLOAT32], emit),
    ]
}

fn resolve_round(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&value, digits) = args.split_first()?;
    let ty = match types.unliteral(value) {
        Type::BOOL => Type::INT64,
        ty if ty.is_int() => Type::int(64, is_signed(ty)),
        ty if ty.is_float() => ty,
        _ => return None,
    };
    let resolution = |result, params, emit| Some(Resolution { result, params, emit });
    match digits {
        [] | [Type::NONE] if ty.is_float() => {
            let params = [ty].into_iter().chain(digits.iter().copied()).collect();
            resolution(Type::INT64, params, |e, a| to_int(e, &a[..1], Op::Frint))
        }
        [] | [Type::NONE] => {
            resolution(ty, [ty].into_iter().chain(digits.iter().copied()).collect(), identity)
        }
        &[digits] if types.unliteral(digits).is_int() || types.unliteral(digits) == Type::BOOL => {
            let emit: EmitFn = if ty.is_float() { float_digits } else { int_digits };
            resolution(ty, vec![ty, Type::INT64], emit)
        }
        // Without digits the result is an integer, with them of the value's type: it is of that where either may be.
        &[digits] if matches!(types.get(digits), TypeData::Optional(inner) if inner.is_int()) => {
            let param = if ty == Type::UINT64 { Type::INT64 } else { ty };
            resolution(param, vec![param, types.optional(Type::INT64)], optional_digits)
        }
        _ => None,
    }
}

fn optional_digits(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let ty = args[0].ty;
    let digits = Operand::single(Type::INT64, args[1].parts[1]);
    let rounded = emit.if_else(
        args[1].parts[0],
        |emit| {
            let round = if ty.is_float() { float_digits } else { int_digits };
            Ok(round(emit, &[args[0].clone(), digits])?.parts)
        },
        |emit| {
            if !ty.is_float() {
                return Ok(args[0].parts.clone());
            }
            let whole = to_int(emit, &args[..1], Op::Frint)?;
            Ok(cast(emit, &whole, ty)?.parts)
        },
    )?;
    Ok(Operand::new(ty, rounded))
}

/// The integer that rounding gives; errors as in Python where there is none of 64 bits.
pub(crate) fn to_int(emit: &mut Emit<'_>, args: &[Operand], rounding: Op) -> Result<Operand> {
    let value = args[0].value();
    let native = emit.b.func.native(value);
    // The conversion itself rounds towards zero.
    let rounded = if rounding == Op::Ftrunc { value } else { emit.b.like_first(rounding, &[value]) };
    let found = emit.b.convert(Op::FloatToSintOrMin, rounded, Native::I64);
    let least = emit.b.iconst(Native::I64, i64::MIN);
    let rare = emit.b.icmp(IntCond::Eq, found, least);
    emit.when(rare, |emit| {
        let nan = is_nan(emit, value);
        emit.raise_if(nan, ValueError, "cannot convert float NaN to integer");
        let infinite = is_infinite(emit, value);
        emit.raise_if(infinite, OverflowError, "cannot convert float infinity to integer");
        let least = emit.b.fconst(native, -9223372036854775808.0);
        let beyond = emit.b.fcmp(FloatCond::Ne, rounded, least);
        emit.raise_if(beyond, OverflowError, "float too large to convert to a 64-bit integer");
        Ok(())
    })?;
    single(Type::INT64, found)
}

fn float_digits(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = cast(emit, &args[0], Type::FLOAT64)?.value();
    let rounded = emit.call_runtime(Runtime::RoundDigits, &[wide, args[1].value()]);
    let errors = [(1, OverflowError, "rounded value too large to represent")];
    raise_codes(emit, rounded[1], &errors);
    cast(emit, &Operand::single(Type::FLOAT64, rounded[0]), args[0].ty)
}

fn int_digits(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let values = [args[0].value(), args[1].value()];
    let round = if is_signed(args[0].ty) { Runtime::RoundInt } else { Runtime::RoundUnsigned };
    let rounded = emit.call_runtime(round, &values);
    raise_codes(emit, rounded[1], &[(1, OverflowError, "the result does not fit a 64-bit integer")]);
    single(args[0].ty, rounded[0])
}
