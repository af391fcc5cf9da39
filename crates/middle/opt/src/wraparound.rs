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
struct Place {
    block: Block,
    at: Value,
    found: Value,
    length: Value,
}

/// Takes indices as they are that are not negative.
pub fn eliminate_wraparound(func: &mut Function) {
    let places = unchecked(func);
    if places.is_empty() {
        return;
    }
    let replaced = natural(func, &places);
    substitute(func, &replaced);
}

fn unchecked(func: &Function) -> Vec<Place> {
    let checked: HashSet<Value> = bounds_checks::find(func).iter().map(|check| check.found).collect();
    let mut places = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if func.insts[inst].op != Op::Select {
                continue;
            }
            let found = func.result(inst);
            if let Some((at, length)) = bounds_checks::counted_from_end(func, found)
                && !checked.contains(&found)
            {
                places.push(Place { block, at, found, length });
            }
        }
    }
    places
}

/// What stands for the indices in loops that are not negative for certain.
fn natural(func: &Function, found: &[Place]) -> HashMap<Value, Value> {
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return HashMap::default();
    }
    let lengths: HashSet<Value> = found.iter().map(|place| place.length).collect();
    let loops = analyses.loops(func, &lengths);
    let is_natural = |place: &&Place| {
        analyses.forest.loops_of(place.block).any(|outer| {
            let mut nest = Nest { loops: &loops, outer, conditions: Conditions::default() };
            let low = nest.interval(place.at, place.block, 0).map(|(low, _): (Affine, Affine)| low);
            low.is_some_and(|low| {
                nest.conditions.is_empty() && low.is_natural(&lengths) == Some(true) && nest.is_exact(&low)
            })
        })
    };
    found.iter().filter(is_natural).map(|place| (place.found, place.at)).collect()
}
