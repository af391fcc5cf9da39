//! Recognizes loops that only sum polynomials of their induction variable: LLVM computes their final values and removes
//! them.
//!
//! ```text
//! block2(%i, %sum):
//!     %1 = icmp ne, %i, %n
//!     branch %1, block3, block5
//! block3:
//!     %2 = iadd %sum, %i
//!     %3 = iadd %i, 1
//!     jump block2(%3, %2)
//! ```
//!
//! Such a loop takes no time, whatever its trip count, unless something in it prevents this.

use crate::counted_loops::{Counted, handed};
use crate::range_analysis::{Conditions, Loops, Nest};
use flow::LoopId;
use ir::{Block, Function, IntCond, Op, Value};

/// The limit on products of sums of sums that are expanded.
const DEPTH: usize = 4;

/// Whether a loop that counts becomes a formula.
pub(crate) fn has_closed_form(loops: &Loops<'_>, this: LoopId, counted: &Counted) -> bool {
    let (func, forest) = (loops.func, loops.forest);
    let body = forest.body(this);
    let is_plain = |&block: &Block| {
        forest.innermost(block) == Some(this)
            && (block == counted.test || !leaves_or_chooses(func, block))
            && func.blocks[block].insts.iter().all(|&inst| {
                let op = func.insts[inst].op;
                matches!(op, Op::Iconst | Op::Iadd | Op::Isub | Op::Imul | Op::Icmp)
                    || matches!(op, Op::Jump | Op::Branch | Op::Poll)
            })
    };
    let header = forest.get(this).header;
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    // As loops over ranges count. LLVM knows less of how often others run.
    let is_range = counted.cond == IntCond::Ne && counted.ahead && !counted.changes;
    is_range
        && body.iter().all(is_plain)
        && func.blocks[header].params.iter().all(|&param| is_polynomial(&nest, this, param, &mut Vec::new()))
}

/// Whether a block ends with a branch on anything but a poll.
fn leaves_or_chooses(func: &Function, block: Block) -> bool {
    let is_poll = |value: Value| match func.values[value].def {
        ir::Def::Result(inst, _) => func.insts[inst].op == Op::Poll,
        ir::Def::Param(..) => false,
    };
    let branch = func.terminator(block).filter(|&last| func.insts[last].op == Op::Branch);
    branch.is_some_and(|branch| !is_poll(func.insts[branch].args[0]))
}

/// Whether a value is a polynomial of the number of the iteration. `within` are the sums that it is part of.
fn is_polynomial(nest: &Nest<'_>, this: LoopId, value: Value, within: &mut Vec<Value>) -> bool {
    if nest.is_invariant(value) {
        return true;
    }
    if within.contains(&value) || within.len() > DEPTH {
        return false;
    }
    let func = nest.func();
    within.push(value);
    let found = match func.values[value].def {
        ir::Def::Param(block, at) if block == nest.loops.forest.get(this).header => {
            added(nest, this, (value, at))
                .is_some_and(|rest| rest.is_none_or(|rest| is_polynomial(nest, this, rest, within)))
        }
        ir::Def::Param(..) => false,
        ir::Def::Result(inst, _) => {
            let data = &func.insts[inst];
            matches!(data.op, Op::Iconst | Op::Iadd | Op::Isub | Op::Imul)
                && data.args.iter().all(|&arg| is_polynomial(nest, this, arg, within))
        }
    };
    within.pop();
    found
}

/// What is added to a parameter of the head for the next iteration, if it is no other one: nothing where it stays.
fn added(nest: &Nest<'_>, this: LoopId, (param, at): (Value, u16)) -> Option<Option<Value>> {
    let func = nest.func();
    let next = handed(nest.loops, this, usize::from(at))?;
    if next == param {
        return Some(None);
    }
    let ir::Def::Result(inst, _) = func.values[next].def else { return None };
    let data = &func.insts[inst];
    match (data.op, &data.args[..]) {
        (Op::Iadd | Op::Isub, &[sum, rest]) if sum == param => Some(Some(rest)),
        (Op::Iadd, &[rest, sum]) if sum == param => Some(Some(rest)),
        _ => None,
    }
}
