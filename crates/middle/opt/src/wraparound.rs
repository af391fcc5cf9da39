//! Removes the adjustment of negative indices from unchecked accesses whose index cannot be negative in its loop.
//!
//! ```text
//! %1: i1 = icmp slt, %at, 0
//! %2: i64 = iadd %at, %length
//! %found: i64 = select %1, %2, %at        becomes   %at in the place of %found
//! ```
//!
//! So loops without checks (`boundscheck=False`) have addresses that move by steps. With checks, `version_loops` does the same.

use crate::affine::Affine;
use crate::bounds_checks;
use crate::range_analysis::{Conditions, LoopAnalyses, Nest};
use crate::spill_region::substitute;
use entity::{HashMap, HashSet};
use ir::{Block, Function, Op, Value};

/// An index that is not checked.
struct UncheckedIndex {
    block: Block,
    at: Value,
    found: Value,
    length: Value,
}

/// Takes indices as they are that are not negative.
pub fn eliminate_wraparound(func: &mut Function) {
    let indices = unchecked(func);
    if indices.is_empty() {
        return;
    }
    let replaced = natural(func, &indices);
    substitute(func, &replaced);
}

fn unchecked(func: &Function) -> Vec<UncheckedIndex> {
    let checked: HashSet<Value> = bounds_checks::find(func).iter().map(|check| check.found).collect();
    let mut indices = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if func.insts[inst].op != Op::Select {
                continue;
            }
            let found = func.result(inst);
            if let Some((at, length)) = bounds_checks::counted_from_end(func, found)
                && !checked.contains(&found)
            {
                indices.push(UncheckedIndex { block, at, found, length });
            }
        }
    }
    indices
}

/// What stands for the indices in loops that are not negative for certain.
fn natural(func: &Function, found: &[UncheckedIndex]) -> HashMap<Value, Value> {
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return HashMap::default();
    }
    let lengths: HashSet<Value> = found.iter().map(|index| index.length).collect();
    let loops = analyses.loops(func, &lengths);
    let is_natural = |index: &&UncheckedIndex| {
        analyses.forest.loops_of(index.block).any(|outer| {
            let mut nest = Nest { loops: &loops, outer, conditions: Conditions::default() };
            let low = nest.interval(index.at, index.block, 0).map(|(low, _): (Affine, Affine)| low);
            low.is_some_and(|low| {
                nest.conditions.is_empty() && low.is_natural(&lengths) == Some(true) && nest.is_exact(&low)
            })
        })
    };
    found.iter().filter(is_natural).map(|index| (index.found, index.at)).collect()
}
