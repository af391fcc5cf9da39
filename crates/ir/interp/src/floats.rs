//! Float ops, in the precision of their operands.

use crate::Word;
use crate::ints::Fault;
use ir::{FloatCond, Op};

/// The same rules for both precisions.
macro_rules! precision {
    ($module:ident $float:ident) => {
        mod $module {
            use super::*;

            pub(super) fn compute(op: Op, args: &[$float]) -> Option<$float> {
                Some(match (op, args) {
                    (Op::Fadd, &[a, b]) => a + b,
                    (Op::Fsub, &[a, b]) => a - b,
                    (Op::Fmul, &[a, b]) => a * b,
                    (Op::Fdiv, &[a, b]) => a / b,
                    // Rust's remainder of floats is C's `fmod`.
                    (Op::Frem, &[a, b]) => a % b,
                    (Op::Fma, &[a, b, c]) => a.mul_add(b, c),
                    (Op::Fneg, &[a]) => -a,
                    (Op::Fabs, &[a]) => a.abs(),
                    (Op::Fsqrt, &[a]) => a.sqrt(),
                    (Op::Ffloor, &[a]) => a.floor(),
                    (Op::Fceil, &[a]) => a.ceil(),
                    (Op::Ftrunc, &[a]) => a.trunc(),
                    (Op::Frint, &[a]) => a.round_ties_even(),
                    (Op::Copysign, &[a, b]) => a.copysign(b),
                    _ => return None,
                })
            }

            pub(super) fn compare(cond: FloatCond, a: $float, b: $float) -> bool {
                match cond {
                    FloatCond::Eq => a == b,
                    FloatCond::Ne => a != b,
                    FloatCond::Lt => a < b,
                    FloatCond::Le => a <= b,
                    FloatCond::Gt => a > b,
                    FloatCond::Ge => a >= b,
                    FloatCond::Uno => a.is_nan() || b.is_nan(),
                    FloatCond::Ord => !a.is_nan() && !b.is_nan(),
                }
            }
        }
    };
}

precision!(single f32);
precision!(double f64);

/// An op on one to three floats of one type with one result of this type.
pub(crate) fn compute(op: Op, args: &[Word]) -> Result<Word, Fault> {
    let singles: Option<Vec<f32>> = args.iter().map(|&a| single_of(a)).collect();
    let doubles: Option<Vec<f64>> = args.iter().map(|&a| double_of(a)).collect();
    let value = match (singles, doubles) {
        (Some(args), None) => single::compute(op, &args).map(Word::F32),
        (None, Some(args)) => double::compute(op, &args).map(Word::F64),
        _ => None,
    };
    value.ok_or_else(|| format!("`{}` does not take these operands", op.info().name))
}

/// `fcmp`.
pub(crate) fn compare(cond: FloatCond, a: Word, b: Word) -> Result<Word, Fault> {
    match (a, b) {
        (Word::F32(a), Word::F32(b)) => Ok(Word::I1(single::compare(cond, a, b))),
        (Word::F64(a), Word::F64(b)) => Ok(Word::I1(double::compare(cond, a, b))),
        _ => Err("`fcmp` compares two floats of one type".into()),
    }
}

fn single_of(word: Word) -> Option<f32> {
    if let Word::F32(value) = word { Some(value) } else { None }
}

fn double_of(word: Word) -> Option<f64> {
    if let Word::F64(value) = word { Some(value) } else { None }
}
