//! Loops that take bits off a number until it is 0: they have no more rounds than it has bits.
//!
//! ```text
//! block5(%v, %count):
//!     %1 = isub %v, 1
//!     %2 = iand %v, %1
//!     %3 = iadd %count, 1
//!     %4 = icmp ne, %2, 0
//!     branch %4, block5(%2, %3), block7(%3)
//! ```

use crate::counted_loops::{exit_test, handed, test_behind};
use crate::range_analysis::{Conditions, Loops, Nest, number_of};
use flow::LoopId;
use ir::{Block, Def, Function, IntCond, Op, Value};

/// How many rounds a loop has at most, if it takes bits off a number.
pub(crate) fn rounds_of_bits(loops: &Loops<'_>, this: LoopId) -> Option<u64> {
    let tests = [Some(loops.forest.get(this).header), test_behind(loops, this)];
    tests.into_iter().flatten().find_map(|test| tested_at(loops, this, test))
}

fn tested_at(loops: &Loops<'_>, this: LoopId, test: Block) -> Option<u64> {
    let func = loops.func;
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let (_, cond, compared, bound) = exit_test(&nest, test)?;
    if number_of(func, bound) != Some(0) {
        return None;
    }
    let params = &func.blocks[loops.forest.get(this).header].params;
    let is_taken_off = |at: usize| {
        let Some(next) = handed(loops, this, at) else { return false };
        (compared == params[at] || compared == next) && loses_bits(func, params[at], next, cond)
    };
    (0..params.len()).any(is_taken_off).then(|| u64::from(func.native(compared).bits()))
}

/// Whether `next` is `value` with fewer bits, until the condition says that none is left.
fn loses_bits(func: &Function, value: Value, next: Value, cond: IntCond) -> bool {
    let until_zero = matches!(cond, IntCond::Ne | IntCond::Sgt | IntCond::Ugt);
    let Def::Result(inst, _) = func.values[next].def else { return false };
    let data = &func.insts[inst];
    let shifts = |by: Value| number_of(func, by).is_some_and(|by| by >= 1);
    match (data.op, &data.args[..]) {
        (Op::Iand, &[a, b]) => {
            until_zero
                && (a == value && is_one_less(func, b, value) || b == value && is_one_less(func, a, value))
        }
        (Op::Ushr, &[of, by]) => until_zero && of == value && shifts(by),
        // What is negative stays so.
        (Op::Sshr, &[of, by]) => cond == IntCond::Sgt && of == value && shifts(by),
        _ => false,
    }
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
