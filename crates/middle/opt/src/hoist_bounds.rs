//! Hoists loop bounds: sums and products of loop invariants that an induction variable is compared with are computed
//! before the loop.
//!
//! ```text
//! block1: jump block2(%zero)                       block1: %2 = isub %length, %one
//! block2(%i): ...                                          jump block2(%zero)
//!     %2 = isub %length, %one          becomes     block2(%i): ...
//!     %3 = icmp slt, %next, %2                         %3 = icmp slt, %next, %2
//!     branch %3, block2(%next), block3                 branch %3, block2(%next), block3
//! ```
//!
//! Later passes recognize loop invariants by the position of their definition.

use crate::range_analysis::{Conditions, LoopAnalyses, Loops, Nest};
use entity::HashSet;
use flow::LoopId;
use ir::{Block, Def, Function, Inst, Op, Value};

/// How deep sums of sums are looked into.
const DEPTH: u32 = 6;

/// Moves what bounds of loops are computed by.
pub fn hoist_bounds(func: &mut Function) {
    if !func.layout.iter().any(|&block| compared(func, block).any(|value| sum(func, value).is_some())) {
        return;
    }
    let analyses = LoopAnalyses::of(func);
    let lengths = HashSet::default();
    let loops = analyses.loops(func, &lengths);
    let moves: Vec<(Inst, Block)> = loops.forest.ids().flat_map(|this| moves(&loops, this)).collect();
    let moved: HashSet<Inst> = moves.iter().map(|&(inst, _)| inst).collect();
    for block in func.layout.clone() {
        func.blocks[block].insts.retain(|inst| !moved.contains(inst));
    }
    let mut done: HashSet<Inst> = HashSet::default();
    for (inst, to) in moves {
        if done.insert(inst) {
            let end = func.blocks[to].insts.len() - 1;
            func.blocks[to].insts.insert(end, inst);
        }
    }
}

/// What the branch at the end of a block compares.
fn compared(func: &Function, block: Block) -> impl Iterator<Item = Value> {
    let last = func.terminator(block).map(|last| &func.insts[last]).filter(|last| last.op == Op::Branch);
    let comparison = last.and_then(|last| match func.values[last.args[0]].def {
        Def::Result(inst, _) => Some(&func.insts[inst]).filter(|data| data.op == Op::Icmp),
        Def::Param(..) => None,
    });
    comparison.into_iter().flat_map(|data| data.args.iter().copied())
}

/// The instruction that computes a sum or a product.
fn sum(func: &Function, value: Value) -> Option<Inst> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    matches!(func.insts[inst].op, Op::Iadd | Op::Isub | Op::Imul).then_some(inst)
}

/// What goes before a loop, in the order in which it is computed.
fn moves(loops: &Loops<'_>, this: LoopId) -> Vec<(Inst, Block)> {
    let mut found = Vec::new();
    let [entry] = loops.forest.get(this).entries[..] else { return found };
    for &block in loops.forest.body(this) {
        let leaves = loops.func.edges(block).any(|call| !loops.forest.contains(this, call.block));
        for value in compared(loops.func, block).filter(|_| leaves) {
            if sum(loops.func, value).is_some() {
                let mut insts = Vec::new();
                if collect(loops, this, value, &mut insts, DEPTH).is_some() {
                    found.extend(insts.into_iter().map(|inst| (inst, entry)));
                }
            }
        }
    }
    found
}

/// What a value is computed by in the loop; nothing if that changes.
fn collect(loops: &Loops<'_>, this: LoopId, value: Value, insts: &mut Vec<Inst>, depth: u32) -> Option<()> {
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    if nest.is_invariant(value) {
        return Some(());
    }
    let Def::Result(inst, _) = loops.func.values[value].def else { return None };
    let data = &loops.func.insts[inst];
    let moves = matches!(data.op, Op::Iconst | Op::Iadd | Op::Isub | Op::Imul);
    (moves && depth > 0).then_some(())?;
    for &arg in &data.args {
        collect(loops, this, arg, insts, depth - 1)?;
    }
    if !insts.contains(&inst) {
        insts.push(inst);
    }
    Some(())
}
