//! Evaluates integer operations on constants as the machine would.

use entity::HashMap;
use ir::{Attr, Def, Function, InstData, IntCond, Native, Op, Value};

/// How deep operations over operations are looked into.
const DEPTH: u32 = 10;

/// The number that a value is, where some values are known.
pub(crate) fn evaluate(func: &Function, value: Value, known: &HashMap<Value, i64>) -> Option<i64> {
    evaluate_at(func, value, known, 0)
}

fn evaluate_at(func: &Function, value: Value, known: &HashMap<Value, i64>, depth: u32) -> Option<i64> {
    if let Some(&number) = known.get(&value) {
        return Some(number);
    }
    let Def::Result(inst, 0) = func.values[value].def else { return None };
    if depth > DEPTH {
        return None;
    }
    fold(func, &func.insts[inst], &|value| evaluate_at(func, value, known, depth + 1))
}

/// The number that an instruction computes, if its operands are numbers.
fn fold(func: &Function, data: &InstData, of: &dyn Fn(Value) -> Option<i64>) -> Option<i64> {
    let native = func.native(*data.results.first()?);
    if !native.is_int() {
        return None;
    }
    let two = || Some((of(data.args[0])?, of(data.args[1])?));
    let number = match data.op {
        Op::Iconst => match data.attrs[..] {
            [_, Attr::Int(number)] => number,
            _ => return None,
        },
        Op::Iadd => two().map(|(a, b)| a.wrapping_add(b))?,
        Op::Isub => two().map(|(a, b)| a.wrapping_sub(b))?,
        Op::Imul => two().map(|(a, b)| a.wrapping_mul(b))?,
        Op::Iand => two().map(|(a, b)| a & b)?,
        Op::Ior => two().map(|(a, b)| a | b)?,
        Op::Ixor => two().map(|(a, b)| a ^ b)?,
        Op::Udiv if native == Native::I64 => {
            let (a, b) = two()?;
            (a as u64).checked_div(b as u64)? as i64
        }
        Op::Ishl if native == Native::I64 => {
            let (a, b) = two()?;
            a.checked_shl(u32::try_from(b).ok()?)?
        }
        Op::Sshr if native == Native::I64 => {
            let (a, b) = two()?;
            a.checked_shr(u32::try_from(b).ok()?)?
        }
        Op::Ushr if native == Native::I64 => {
            let (a, b) = two()?;
            (a as u64).checked_shr(u32::try_from(b).ok()?)? as i64
        }
        Op::Icmp => compare(func, data, two()?)?,
        Op::Select => of(data.args[if of(data.args[0])? & 1 == 1 { 1 } else { 2 }])?,
        Op::Sext | Op::Trunc => of(data.args[0])?,
        Op::Zext => unsigned(func.native(data.args[0]), of(data.args[0])?) as i64,
        _ => return None,
    };
    Some(wrapped(native, number))
}

fn compare(func: &Function, data: &InstData, (a, b): (i64, i64)) -> Option<i64> {
    let native = func.native(data.args[0]);
    let Some(&Attr::IntCond(cond)) = data.attrs.first() else { return None };
    if !native.is_int() || native == Native::I1 && !matches!(cond, IntCond::Eq | IntCond::Ne) {
        return None;
    }
    let (high_a, high_b) = (unsigned(native, a), unsigned(native, b));
    let truth = match cond {
        IntCond::Eq => a == b,
        IntCond::Ne => a != b,
        IntCond::Slt => a < b,
        IntCond::Sle => a <= b,
        IntCond::Sgt => a > b,
        IntCond::Sge => a >= b,
        IntCond::Ult => high_a < high_b,
        IntCond::Ule => high_a <= high_b,
        IntCond::Ugt => high_a > high_b,
        IntCond::Uge => high_a >= high_b,
    };
    Some(truth.into())
}

/// A number as a machine word of this width holds it: 0 or 1, or else with a sign.
pub(crate) fn wrapped(native: Native, number: i64) -> i64 {
    match native {
        Native::I1 => number & 1,
        Native::I8 => number as i8 as i64,
        Native::I16 => number as i16 as i64,
        Native::I32 => number as i32 as i64,
        _ => number,
    }
}

fn unsigned(native: Native, number: i64) -> u64 {
    match native {
        Native::I1 => number as u64 & 1,
        Native::I8 => number as u8 as u64,
        Native::I16 => number as u16 as u64,
        Native::I32 => number as u32 as u64,
        _ => number as u64,
    }
}
