//! Trip counts of loops that clear bits of a number until it is 0: at most the number of bits.
//!
//! ```text
//! block5(%v, %count):
//!     %1 = isub %v, 1
//!     %2 = iand %v, %1
//!     %3 = iadd %count, 1
//!     %4 = icmp ne, %2, 0
//!     branch %4, block5(%2, %3), block7(%3)
//! ```

use crate::counted_loops::{exit_test, handed, latch_test};
use crate::range_analysis::{Conditions, Loops, Nest, number_of};
use flow::LoopId;
use ir::{Block, Def, Function, IntCond, Op, Value};

/// The most iterations of a loop that takes bits off a number.
pub(crate) struct BitTripCount {
    pub most: u64,
    /// The parameter of the head that must not be negative when the loop begins: it would stay so.
    pub not_negative: Option<usize>,
}

/// How many iterations a loop has at most, if it takes bits off a number.
pub(crate) fn trip_count_of_bits(loops: &Loops<'_>, this: LoopId) -> Option<BitTripCount> {
    let tests = [Some(loops.forest.get(this).header), latch_test(loops, this)];
    tests.into_iter().flatten().find_map(|test| tested_at(loops, this, test))
}

fn tested_at(loops: &Loops<'_>, this: LoopId, test: Block) -> Option<BitTripCount> {
    let func = loops.func;
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let (_, cond, compared, bound) = exit_test(&nest, test)?;
    if number_of(func, bound) != Some(0) {
        return None;
    }
    let params = &func.blocks[loops.forest.get(this).header].params;
    (0..params.len()).find_map(|at| {
        let next = handed(loops, this, at)?;
        let if_natural = loses_bits(func, params[at], next, cond)?;
        (compared == params[at] || compared == next).then(|| BitTripCount {
            most: u64::from(func.native(compared).bits()),
            not_negative: if_natural.then_some(at),
        })
    })
}

/// Whether `next` is `value` with fewer bits, until the condition says that none is left: says whether that is so only if `value` is
/// not negative.
fn loses_bits(func: &Function, value: Value, next: Value, cond: IntCond) -> Option<bool> {
    let until_zero = matches!(cond, IntCond::Ne | IntCond::Sgt | IntCond::Ugt);
    let Def::Result(inst, _) = func.values[next].def else { return None };
    let data = &func.insts[inst];
    let shifts = |by: Value| number_of(func, by).is_some_and(|by| by >= 1);
    match (data.op, &data.args[..]) {
        (Op::Iand, &[a, b]) => {
            let less = a == value && is_one_less(func, b, value) || b == value && is_one_less(func, a, value);
            (until_zero && less).then_some(false)
        }
        (Op::Ushr, &[of, by]) => (until_zero && of == value && shifts(by)).then_some(false),
        // What is negative stays so.
        (Op::Sshr, &[of, by]) if of == value && shifts(by) => match cond {
            IntCond::Sgt => Some(false),
            IntCond::Ne => Some(true),
            _ => None,
        },
        // Rounded down: the correction is for negative numbers.
        (Op::Iadd | Op::Sdiv, _) => {
            let fewer = is_part(func, next, value) && matches!(cond, IntCond::Sgt | IntCond::Ne);
            fewer.then_some(cond == IntCond::Ne)
        }
        _ => None,
    }
}

/// Whether `part` is a number divided by a constant, rounded down.
fn is_part(func: &Function, part: Value, of: Value) -> bool {
    let computed = |value: Value, op: Op| match func.values[value].def {
        Def::Result(inst, 0) if func.insts[inst].op == op => Some(&func.insts[inst].args[..]),
        _ => None,
    };
    let divided = |value: Value, op: Op| match computed(value, op) {
        Some(&[a, b]) if a == of && number_of(func, b).is_some_and(|by| by >= 2) => number_of(func, b),
        _ => None,
    };
    if divided(part, Op::Sdiv).is_some() {
        return true;
    }
    // What is added is -1 where the rest has another sign than the divisor.
    let corrected = || {
        let [quotient, correction] = *computed(part, Op::Iadd)? else { return None };
        let [fixes] = *computed(correction, Op::Sext)? else { return None };
        let [_, opposite] = *computed(fixes, Op::Iand)? else { return None };
        let [signs, zero] = *computed(opposite, Op::Icmp)? else { return None };
        let [rest, by] = *computed(signs, Op::Ixor)? else { return None };
        let is_sign = number_of(func, zero) == Some(0) && is_less(func, opposite);
        let by = number_of(func, by);
        Some(is_sign && by.is_some() && divided(quotient, Op::Sdiv) == by && divided(rest, Op::Srem) == by)
    };
    corrected() == Some(true)
}

fn is_less(func: &Function, value: Value) -> bool {
    matches!(func.values[value].def, Def::Result(inst, _)
        if func.insts[inst].attrs.first() == Some(&ir::Attr::IntCond(IntCond::Slt)))
}

/// Whether a value is another one less 1.
fn is_one_less(func: &Function, less: Value, value: Value) -> bool {
    let Def::Result(inst, _) = func.values[less].def else { return false };
    let data = &func.insts[inst];
    match (data.op, &data.args[..]) {
        (Op::Isub, &[of, one]) => of == value && number_of(func, one) == Some(1),
        (Op::Iadd, &[of, one]) => of == value && number_of(func, one) == Some(-1),
        _ => false,
    }
}
