//! The control-flow summary that `RUMBA_DUMP_CFG` shows, as text.
//!
//! Six sections: adjacency lists, dominators, post-dominators, back edges, loops, node-to-loops.
//! Nodes are printed by labels of the caller (bytecode offsets); nodes, sets and loops are sorted
//! by label, successors keep the order of the graph. Unreachable nodes are left out. Irreducible
//! edges get a section of their own where there are any.

use crate::{Cfg, DominatorTree, LoopForest};
use crate::{compute_dominators, compute_loops, compute_post_dominators};
use entity::EntityRef;
use std::fmt::{self, Display};

/// The analyses of one graph and the way its nodes are printed.
#[derive(Clone, Debug)]
pub struct CfgReport<'a, N, F> {
    cfg: &'a Cfg<N>,
    dominators: DominatorTree<N>,
    post_dominators: DominatorTree<N>,
    loops: LoopForest<N>,
    label: F,
}

impl<'a, N: EntityRef, F> CfgReport<'a, N, F> {
    /// Analyses `cfg`; the result prints by [`Display`]. Labels of distinct nodes are distinct.
    pub fn new<L>(cfg: &'a Cfg<N>, label: F) -> Self
    where
        F: Fn(N) -> L,
        L: Display + Ord,
    {
        let dominators = compute_dominators(cfg);
        CfgReport {
            cfg,
            loops: compute_loops(cfg, &dominators),
            post_dominators: compute_post_dominators(cfg),
            dominators,
            label,
        }
    }
}

impl<N, F, L> Display for CfgReport<'_, N, F>
where
    N: EntityRef,
    F: Fn(N) -> L,
    L: Display + Ord,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut nodes = self.cfg.reverse_postorder().to_vec();
        nodes.sort_by_key(|&node| (self.label)(node));
        let map = |line_break, value: &dyn Fn(N) -> String| {
            let entries = nodes.iter();
            let entries = entries.map(|&node| format!("{}: {}", (self.label)(node), value(node)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(line_break))
        };
        let dominators = |tree: &DominatorTree<N>, node| self.set(tree.dominators(node));
        writeln!(f, "CFG adjacency lists:")?;
        writeln!(f, "{}", map(", ", &|node| self.successors(node)))?;
        writeln!(f, "CFG dominators:")?;
        writeln!(f, "{}", map(",\n ", &|node| dominators(&self.dominators, node)))?;
        writeln!(f, "CFG post-dominators:")?;
        writeln!(f, "{}", map(",\n ", &|node| dominators(&self.post_dominators, node)))?;
        writeln!(f, "CFG back edges: {}", self.edges(self.loops.back_edges()))?;
        if !self.loops.irreducible_edges().is_empty() {
            let edges = self.edges(self.loops.irreducible_edges());
            writeln!(f, "CFG irreducible edges: {edges}")?;
        }
        writeln!(f, "CFG loops:")?;
        writeln!(f, "{}", self.loops())?;
        writeln!(f, "CFG node-to-loops:")?;
        writeln!(f, "{}", map(", ", &|node| self.headers_around(node)))
    }
}

impl<N, F, L> CfgReport<'_, N, F>
where
    N: EntityRef,
    F: Fn(N) -> L,
    L: Display + Ord,
{
    fn successors(&self, node: N) -> String {
        let mut shown: Vec<N> = Vec::new();
        for &next in self.cfg.successors(node) {
            if !shown.contains(&next) {
                shown.push(next);
            }
        }
        let labels = shown.into_iter().map(&self.label);
        format!("[{}]", join(labels))
    }

    fn set(&self, nodes: impl IntoIterator<Item = N>) -> String {
        let mut labels: Vec<L> = nodes.into_iter().map(&self.label).collect();
        labels.sort();
        format!("{{{}}}", join(labels))
    }

    fn edges(&self, edges: &[(N, N)]) -> String {
        let label = |&(from, to): &(N, N)| ((self.label)(from), (self.label)(to));
        let mut labels: Vec<(L, L)> = edges.iter().map(label).collect();
        labels.sort();
        let shown = labels.iter().map(|(from, to)| format!("({from}, {to})"));
        format!("[{}]", join(shown))
    }

    fn loops(&self) -> String {
        let mut ids: Vec<_> = self.loops.ids().collect();
        ids.sort_by_key(|&id| (self.label)(self.loops.get(id).header));
        let shown = ids.into_iter().map(|id| {
            let one = self.loops.get(id);
            let header = (self.label)(one.header);
            let entries = self.set(one.entries.iter().copied());
            let exits = self.set(one.exits.iter().copied());
            let body = self.set(self.loops.body(id).iter().copied());
            format!("{header}: Loop(entries={entries}, exits={exits}, header={header}, body={body})")
        });
        format!("{{{}}}", shown.collect::<Vec<_>>().join(",\n "))
    }

    /// The headers of the loops around a node, from the innermost outwards.
    fn headers_around(&self, node: N) -> String {
        let headers = self.loops.loops_of(node);
        format!("[{}]", join(headers.map(|id| (self.label)(self.loops.get(id).header))))
    }
}

fn join(items: impl IntoIterator<Item = impl Display>) -> String {
    let shown: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AdjacencyList;

    entity::id!(
        /// A block of a test.
        struct Block = "block"
    );

    /// A loop with a `break`: 0 -> 1 -> 2(header) -> {5, 3}, 3 -> {2, 4}, 4 -> 6, 5 -> 6.
    const SHOWN: &str = "\
CFG adjacency lists:
{0: [6], 6: [19], 19: [54, 22], 22: [19, 47], 47: [55], 54: [55], 55: []}
CFG dominators:
{0: {0},
 6: {0, 6},
 19: {0, 6, 19},
 22: {0, 6, 19, 22},
 47: {0, 6, 19, 22, 47},
 54: {0, 6, 19, 54},
 55: {0, 6, 19, 55}}
CFG post-dominators:
{0: {0, 6, 19, 55},
 6: {6, 19, 55},
 19: {19, 55},
 22: {22, 55},
 47: {47, 55},
 54: {54, 55},
 55: {55}}
CFG back edges: [(22, 19)]
CFG loops:
{19: Loop(entries={6}, exits={47, 54}, header=19, body={19, 22})}
CFG node-to-loops:
{0: [], 6: [], 19: [19], 22: [19], 47: [], 54: [], 55: []}
";

    #[test]
    fn a_loop_with_a_break_shows_all_sections() {
        let edges = [(0, 1), (1, 2), (2, 5), (2, 3), (3, 2), (3, 4), (4, 6), (5, 6)];
        let cfg = Cfg::compute(&AdjacencyList::<Block>::from_edges(7, &edges));
        let offsets = [0, 6, 19, 22, 47, 54, 55];
        let report = CfgReport::new(&cfg, |block: Block| offsets[block.index()]);
        assert_eq!(report.to_string(), SHOWN);
    }

    #[test]
    fn one_block_shows_empty_loops() {
        let cfg = Cfg::compute(&AdjacencyList::<Block>::new(1));
        let text = CfgReport::new(&cfg, |_| 0).to_string();
        assert!(text.contains("CFG back edges: []\nCFG loops:\n{}\nCFG node-to-loops:\n{0: []}\n"));
    }
}
