//! The header of a loop over an iterator: its last two instructions, which are lowered together.

use ir::{Function, Inst, Op};

/// Whether the instruction is an `iternext` and the other a branch on whether there was an item.
pub(crate) fn is_loop_head(typed: &Function, next: Inst, branch: Inst) -> bool {
    let (next, branch) = (&typed.insts[next], &typed.insts[branch]);
    next.op == Op::Iternext && branch.op == Op::Branch && branch.args[0] == next.results[1]
}
