//! Conversion of datetimes and timedeltas between units.

use crate::no_cast::no_cast;
use crate::{Emit, Operand};
use abi::{ExceptionClass, Runtime};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value, ValueType};
use types::{TimeUnit, Type};

/// The number that stands for no time at all (NaT).
pub const NO_TIME: i64 = i64::MIN;

/// Whether a number of time units is NaT.
pub fn is_no_time(emit: &mut Emit<'_>, value: Value) -> Value {
    let none = emit.b.iconst(Native::I64, NO_TIME);
    emit.b.icmp(IntCond::Eq, value, none)
}

/// `value`, or where the condition holds NaT.
pub fn no_time_if(emit: &mut Emit<'_>, condition: Value, value: Value) -> Value {
    let none = emit.b.iconst(Native::I64, NO_TIME);
    emit.b.select(condition, none, value)
}

/// A time in a finer unit. What is beyond 64 bits wraps, as in NumPy, or raises where conversions are exact.
pub(crate) fn cast_time(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    let (Some((from, span)), Some((unit, _))) = (emit.types.time(value.ty), emit.types.time(to)) else {
        return Err(Diagnostic::internal("emission", "a time that is none"));
    };
    let count = value.value();
    if from == unit || from == TimeUnit::Generic {
        return Ok(Operand::single(to, count));
    }
    let mut lost = emit.b.bool(false);
    let converted = match from.factor_to(unit) {
        Some(factor) => times(emit, count, factor, &mut lost),
        None if !span && from.is_of_calendar() => in_days(emit, count, from, unit, &mut lost)?,
        None => return Err(no_cast(emit, value.ty, to)),
    };
    let none = is_no_time(emit, count);
    if emit.exact_times {
        let never = emit.b.bool(false);
        let misfit = emit.b.select(none, never, lost);
        let message = format!("{} out of bounds for {}", emit.types.name(value.ty), emit.types.name(to));
        emit.raise_if(misfit, ExceptionClass::OverflowError, &message);
    }
    Ok(Operand::single(to, no_time_if(emit, none, converted)))
}

/// A product; where conversions are exact, `lost` says whether it, or one before, is beyond 64 bits.
fn times(emit: &mut Emit<'_>, count: Value, factor: i64, lost: &mut Value) -> Value {
    let factor = emit.b.iconst(Native::I64, factor);
    if !emit.exact_times {
        return emit.b.like_first(Op::Imul, &[count, factor]);
    }
    let types = [ValueType::Native(Native::I64), ValueType::Native(Native::I1)];
    let product = emit.b.inst(Op::SmulOverflow, [], &[count, factor], &types);
    let (product, wraps) = {
        let results = &emit.b.func.insts[product].results;
        (results[0], results[1])
    };
    *lost = emit.b.like_first(Op::Ior, &[*lost, wraps]);
    product
}

/// Years or months as weeks, days or parts of them.
fn in_days(
    emit: &mut Emit<'_>,
    count: Value,
    from: TimeUnit,
    to: TimeUnit,
    lost: &mut Value,
) -> Result<Value> {
    let months = if from == TimeUnit::Year { times(emit, count, 12, lost) } else { count };
    let days = emit.call_runtime(Runtime::DaysOfMonths, &[months])[0];
    if to == TimeUnit::Week {
        // The week that the day is in.
        let week = emit.b.iconst(Native::I64, 7);
        let rest = emit.b.like_first(Op::Srem, &[days, week]);
        let zero = emit.b.iconst(Native::I64, 0);
        let before = emit.b.icmp(IntCond::Slt, rest, zero);
        let weeks = emit.b.like_first(Op::Sdiv, &[days, week]);
        let one = emit.b.iconst(Native::I64, 1);
        let earlier = emit.b.like_first(Op::Isub, &[weeks, one]);
        return Ok(emit.b.select(before, earlier, weeks));
    }
    let factor = TimeUnit::Day.factor_to(to);
    let factor =
        factor.ok_or_else(|| Diagnostic::internal("emission", "a unit of which a day has too many"))?;
    Ok(times(emit, days, factor, lost))
}
