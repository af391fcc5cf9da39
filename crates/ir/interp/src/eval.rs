//! Selects the function that evaluates an op, for ops without control flow and memory access.

use crate::ints::Fault;
use crate::{Word, convert, floats, ints};
use ir::{Attr, Native, Op};
use smallvec::{SmallVec, smallvec};

/// The results of a pure op. Types are right: the function was verified.
pub(crate) fn compute(op: Op, attrs: &[Attr], args: &[Word]) -> Result<SmallVec<[Word; 2]>, Fault> {
    let value = match (op, attrs, args) {
        (Op::Iconst, &[Attr::Native(ty), Attr::Int(value)], _) => int_constant(ty, value)?,
        (Op::Fconst, &[Attr::Native(Native::F32), Attr::Float(bits)], _) => {
            Word::F32(f64::from_bits(bits) as f32)
        }
        (Op::Fconst, &[_, Attr::Float(bits)], _) => Word::F64(f64::from_bits(bits)),
        (
            Op::Iadd
            | Op::Isub
            | Op::Imul
            | Op::Sdiv
            | Op::Udiv
            | Op::Srem
            | Op::Urem
            | Op::Iand
            | Op::Ior
            | Op::Ixor
            | Op::Ishl
            | Op::Sshr
            | Op::Ushr
            | Op::Umulhi,
            _,
            &[a, b],
        ) => ints::binary(op, a, b)?,
        (Op::Clz | Op::Ctz | Op::Popcount, _, &[a]) => ints::unary(op, a)?,
        (Op::SaddOverflow | Op::SmulOverflow, _, &[a, b]) => {
            let (value, wrapped) = ints::overflowing(op, a, b);
            return Ok(smallvec![value, wrapped]);
        }
        (Op::Icmp, &[Attr::IntCond(cond)], &[a, b]) => ints::compare(cond, a, b),
        (Op::Fcmp, &[Attr::FloatCond(cond)], &[a, b]) => floats::compare(cond, a, b)?,
        (
            Op::Fadd
            | Op::Fsub
            | Op::Fmul
            | Op::Fdiv
            | Op::Frem
            | Op::Fma
            | Op::Fneg
            | Op::Fabs
            | Op::Fsqrt
            | Op::Ffloor
            | Op::Fceil
            | Op::Ftrunc
            | Op::Frint
            | Op::Copysign,
            _,
            args,
        ) => floats::compute(op, args)?,
        (
            Op::Sext
            | Op::Zext
            | Op::Trunc
            | Op::SintToFloat
            | Op::UintToFloat
            | Op::FloatToSint
            | Op::FloatToSintOrMin
            | Op::FloatToUint
            | Op::Fpext
            | Op::Fptrunc
            | Op::HalfToFloat
            | Op::FloatToHalf
            | Op::Bitcast,
            &[Attr::Native(ty)],
            &[a],
        ) => convert::convert(op, a, ty)?,
        (Op::PtrAdd, _, &[pointer, bytes]) => Word::Ptr(pointer.bits().wrapping_add(bytes.bits())),
        _ => return Err("the interpreter does not know this op".into()),
    };
    Ok(smallvec![value])
}

/// A constant of the type. It may be written signed or unsigned, but not cut.
fn int_constant(ty: Native, value: i64) -> Result<Word, Fault> {
    let word = Word::from_bits(ty, value as u64);
    let same = word.signed() == i128::from(value) || word.unsigned() == value as u128;
    match ty {
        Native::Ptr if value != 0 => Err(format!("{value} is no pointer constant; only 0 is")),
        _ if !same => Err(format!("{value} does not fit {}", ty.text())),
        _ => Ok(word),
    }
}
