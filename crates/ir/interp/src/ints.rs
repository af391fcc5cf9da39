//! Integer ops. Everything is computed with 128-bit integers, which cannot overflow, and truncated at the end.

use crate::Word;
use ir::{IntCond, Native, Op};

/// Why an op cannot be computed: its precondition does not hold.
pub type Fault = String;

/// The word of this type with the low bits of `value`.
fn cut(ty: Native, value: i128) -> Word {
    Word::from_bits(ty, value as u64)
}

/// Whether the value is representable as a signed integer of the type.
fn fits(ty: Native, value: i128) -> bool {
    cut(ty, value).signed() == value
}

/// An op on two integers of one type with one result of this type.
pub(crate) fn binary(op: Op, a: Word, b: Word) -> Result<Word, Fault> {
    let ty = a.ty();
    let (sa, sb) = (a.signed(), b.signed());
    let (ua, ub) = (a.unsigned() as i128, b.unsigned() as i128);
    let value = match op {
        Op::Iadd => sa + sb,
        Op::Isub => sa - sb,
        Op::Imul => sa * sb,
        Op::Sdiv | Op::Srem => signed_division(op, ty, sa, sb)?,
        Op::Udiv | Op::Urem if ub == 0 => return Err("the divisor is 0".into()),
        Op::Udiv => ua / ub,
        Op::Urem => ua % ub,
        Op::Iand => ua & ub,
        Op::Ior => ua | ub,
        Op::Ixor => ua ^ ub,
        Op::Ishl => ua << count(ty, ub)?,
        Op::Sshr => sa >> count(ty, ub)?,
        Op::Ushr => ua >> count(ty, ub)?,
        Op::Umulhi => ((a.unsigned() * b.unsigned()) >> ty.bits()) as i128,
        other => return Err(format!("`{}` is no op on two integers", other.info().name)),
    };
    Ok(cut(ty, value))
}

fn signed_division(op: Op, ty: Native, a: i128, b: i128) -> Result<i128, Fault> {
    if b == 0 {
        return Err("the divisor is 0".into());
    }
    if !fits(ty, a / b) {
        return Err(format!("the quotient {a} / {b} does not fit"));
    }
    Ok(if op == Op::Sdiv { a / b } else { a % b })
}

fn count(ty: Native, count: i128) -> Result<u32, Fault> {
    if count >= i128::from(ty.bits()) {
        return Err(format!("the shift count {count} is not below the width"));
    }
    Ok(count as u32)
}

/// `clz`, `ctz`, `popcount`.
pub(crate) fn unary(op: Op, a: Word) -> Result<Word, Fault> {
    let (bits, width) = (a.bits(), a.ty().bits());
    let value = match op {
        Op::Clz => bits.leading_zeros() - (64 - width),
        Op::Ctz => bits.trailing_zeros().min(width),
        Op::Popcount => bits.count_ones(),
        other => return Err(format!("`{}` is no op on an integer", other.info().name)),
    };
    Ok(cut(a.ty(), value.into()))
}

/// `sadd_overflow`, `smul_overflow`: the wrapped result, and whether it wrapped.
pub(crate) fn overflowing(op: Op, a: Word, b: Word) -> (Word, Word) {
    let (a, b, ty) = (a.signed(), b.signed(), a.ty());
    let value = if op == Op::SaddOverflow { a + b } else { a * b };
    (cut(ty, value), Word::I1(!fits(ty, value)))
}

/// `icmp`.
pub(crate) fn compare(cond: IntCond, a: Word, b: Word) -> Word {
    let (sa, sb, ua, ub) = (a.signed(), b.signed(), a.unsigned(), b.unsigned());
    Word::I1(match cond {
        IntCond::Eq => ua == ub,
        IntCond::Ne => ua != ub,
        IntCond::Slt => sa < sb,
        IntCond::Sle => sa <= sb,
        IntCond::Sgt => sa > sb,
        IntCond::Sge => sa >= sb,
        IntCond::Ult => ua < ub,
        IntCond::Ule => ua <= ub,
        IntCond::Ugt => ua > ub,
        IntCond::Uge => ua >= ub,
    })
}
