//! Liveness: which variables may still be read, by backward data flow over dense bit sets.
//!
//! Variables are any dense ids of the caller (names before SSA, values after). A block parameter is
//! a definition in its block; an argument of a branch is a use in the block of the branch.

use crate::{BitMatrix, Cfg};
use entity::EntityRef;
use std::collections::VecDeque;

/// What the caller tells about blocks before the analysis.
#[derive(Clone, Debug)]
pub struct BlockFacts<N, V> {
    /// Read in a block before any definition there.
    uses: BitMatrix<N, V>,
    defines: BitMatrix<N, V>,
    variables: usize,
    handlers: Vec<(N, N)>,
}

impl<N: EntityRef, V: EntityRef> BlockFacts<N, V> {
    /// No uses and definitions yet, of `variables` variables in the blocks of `cfg`.
    pub fn new(cfg: &Cfg<N>, variables: usize) -> Self {
        BlockFacts {
            uses: BitMatrix::new(cfg.node_count(), variables),
            defines: BitMatrix::new(cfg.node_count(), variables),
            variables,
            handlers: Vec::new(),
        }
    }

    /// `block` reads `variable`. Uses and definitions of a block come in program order.
    pub fn add_use(&mut self, block: N, variable: V) {
        if !self.defines.contains(block, variable) {
            self.uses.insert(block, variable);
        }
    }

    /// `block` assigns `variable` (or deletes it: what it held before is not read later).
    pub fn add_definition(&mut self, block: N, variable: V) {
        self.defines.insert(block, variable);
    }

    /// An exception anywhere in `block` leads to `handler`: what is live into the handler is live
    /// throughout the block, also before a definition there. The edge need not be in the graph.
    pub fn add_handler(&mut self, block: N, handler: N) {
        self.handlers.push((block, handler));
    }
}

/// The variables live at the borders of each block.
#[derive(Clone, Debug)]
pub struct Liveness<N, V> {
    live_in: BitMatrix<N, V>,
    live_out: BitMatrix<N, V>,
}

/// Solves the data-flow equations for all blocks, unreachable ones included.
pub fn compute_liveness<N, V>(cfg: &Cfg<N>, facts: &BlockFacts<N, V>) -> Liveness<N, V>
where
    N: EntityRef,
    V: EntityRef,
{
    let count = cfg.node_count();
    let mut result =
        Liveness { live_in: facts.uses.clone(), live_out: BitMatrix::new(count, facts.variables) };
    let handlers = crate::Lists::from_pairs(count, &facts.handlers);
    let backward: Vec<_> = facts.handlers.iter().map(|&(from, to)| (to, from)).collect();
    let protected = crate::Lists::from_pairs(count, &backward);
    // Postorder sees successors first, so most blocks are right at the first visit.
    let mut work: VecDeque<N> = cfg.postorder().chain(cfg.unreachable()).collect();
    let mut waiting = vec![true; count];
    while let Some(block) = work.pop_front() {
        waiting[block.index()] = false;
        if !result.update(cfg, facts, handlers.get(block), block) {
            continue;
        }
        for &before in cfg.predecessors(block).iter().chain(protected.get(block)) {
            if !waiting[before.index()] {
                waiting[before.index()] = true;
                work.push_back(before);
            }
        }
    }
    result
}

impl<N: EntityRef, V: EntityRef> Liveness<N, V> {
    /// Recomputes one block; whether what is live into it grew.
    fn update(&mut self, cfg: &Cfg<N>, facts: &BlockFacts<N, V>, handlers: &[N], block: N) -> bool {
        let out = self.live_out.row_mut(block);
        for &next in cfg.successors(block).iter().chain(handlers) {
            for (word, &live) in out.iter_mut().zip(self.live_in.row(next)) {
                *word |= live;
            }
        }
        let mut changed = false;
        for (i, &after) in out.iter().enumerate() {
            let through = after & !facts.defines.row(block)[i];
            let kept = handlers.iter().map(|&handler| self.live_in.row(handler)[i]);
            let live = kept.fold(through, |live, word| live | word);
            let word = &mut self.live_in.row_mut(block)[i];
            changed |= live & !*word != 0;
            *word |= live;
        }
        changed
    }

    /// Whether `variable` is live where `block` begins.
    pub fn is_live_in(&self, block: N, variable: V) -> bool {
        self.live_in.contains(block, variable)
    }

    /// Whether `variable` is live where `block` ends.
    pub fn is_live_out(&self, block: N, variable: V) -> bool {
        self.live_out.contains(block, variable)
    }

    /// The variables live where `block` begins, ascending.
    pub fn live_in(&self, block: N) -> impl Iterator<Item = V> + '_ {
        self.live_in.iter(block)
    }

    /// The variables live where `block` ends, ascending.
    pub fn live_out(&self, block: N) -> impl Iterator<Item = V> + '_ {
        self.live_out.iter(block)
    }
}
