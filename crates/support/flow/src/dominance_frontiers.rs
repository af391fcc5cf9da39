//! Dominance frontiers: where the dominance of a node ends, hence where values meet.
//!
//! Source: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001, section 4.

use crate::{Cfg, DominatorTree, Lists};
use entity::EntityRef;

/// The dominance frontier of every node.
#[derive(Clone, Debug)]
pub struct Frontiers<N> {
    lists: Lists<N, N>,
}

/// The dominance frontiers of `cfg`; those of unreachable nodes are empty.
pub fn compute_frontiers<N: EntityRef>(cfg: &Cfg<N>, tree: &DominatorTree<N>) -> Frontiers<N> {
    let mut pairs = Vec::new();
    let mut last: Vec<Option<N>> = vec![None; cfg.node_count()];
    for &join in cfg.reverse_postorder() {
        let stop = tree.immediate_dominator(join);
        for from in cfg.reachable_predecessors(join) {
            let mut runner = Some(from);
            while let Some(node) = runner.filter(|_| runner != stop) {
                // All above were reached the same way when this one was.
                if last[node.index()] == Some(join) {
                    break;
                }
                last[node.index()] = Some(join);
                pairs.push((node, join));
                runner = tree.immediate_dominator(node);
            }
        }
    }
    Frontiers { lists: Lists::from_pairs(cfg.node_count(), &pairs) }
}

impl<N: EntityRef> Frontiers<N> {
    /// The nodes that `node` does not strictly dominate but one of whose predecessors it
    /// dominates, in reverse postorder of the graph.
    pub fn get(&self, node: N) -> &[N] {
        self.lists.get(node)
    }

    /// The iterated frontier of `nodes`: where a variable that is assigned in them needs a block
    /// parameter. In order of discovery, each node once.
    pub fn iterated(&self, nodes: impl IntoIterator<Item = N>) -> Vec<N> {
        let mut found = vec![false; self.lists.key_count()];
        let mut result = Vec::new();
        let mut work: Vec<N> = nodes.into_iter().collect();
        while let Some(node) = work.pop() {
            for &join in self.lists.get(node) {
                if !found[join.index()] {
                    found[join.index()] = true;
                    result.push(join);
                    work.push(join);
                }
            }
        }
        result
    }
}
