//! Conversions between native types.

use crate::Word;
use crate::ints::Fault;
use ir::{Native, Op};

/// A conversion op to the type it names.
pub(crate) fn convert(op: Op, value: Word, to: Native) -> Result<Word, Fault> {
    Ok(match op {
        Op::Sext => Word::from_bits(to, value.signed() as u64),
        Op::Zext | Op::Trunc | Op::Bitcast => Word::from_bits(to, value.bits()),
        // A direct cast rounds once; by way of a double it would round twice.
        Op::SintToFloat if to == Native::F32 => Word::F32(value.signed() as f32),
        Op::SintToFloat => Word::F64(value.signed() as f64),
        Op::UintToFloat if to == Native::F32 => Word::F32(value.unsigned() as f32),
        Op::UintToFloat => Word::F64(value.unsigned() as f64),
        Op::FloatToSintOrMin => {
            let least = -(1i128 << (to.bits() - 1));
            let fits = !is_nan(value) && (least..-least).contains(&truncated(value)?);
            Word::from_bits(to, if fits { truncated(value)? } else { least } as u64)
        }
        Op::FloatToSint => {
            let limit = 1i128 << (to.bits() - 1);
            Word::from_bits(to, truncated(value)?.clamp(-limit, limit - 1) as u64)
        }
        Op::FloatToUint => {
            let limit = 1i128 << to.bits();
            Word::from_bits(to, truncated(value)?.clamp(0, limit - 1) as u64)
        }
        Op::Fpext => match value {
            Word::F32(value) => Word::F64(value.into()),
            other => return Err(format!("{other} is no single")),
        },
        Op::Fptrunc => match value {
            Word::F64(value) => Word::F32(value as f32),
            other => return Err(format!("{other} is no double")),
        },
        Op::HalfToFloat => Word::F32(abi::half_to_float(value.bits() as u16)),
        Op::FloatToHalf => match value {
            Word::F32(value) => Word::from_bits(to, abi::float_to_half(value).into()),
            other => return Err(format!("{other} is no single")),
        },
        other => return Err(format!("`{}` is no conversion", other.info().name)),
    })
}

fn is_nan(value: Word) -> bool {
    match value {
        Word::F32(value) => value.is_nan(),
        Word::F64(value) => value.is_nan(),
        _ => false,
    }
}

/// The integer towards zero, saturated far outside every native type; 0 for NaN.
fn truncated(value: Word) -> Result<i128, Fault> {
    match value {
        Word::F32(value) => Ok(value as i128),
        Word::F64(value) => Ok(value as i128),
        other => Err(format!("{other} is no float")),
    }
}
