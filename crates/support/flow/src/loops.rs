//! Natural loops and their nesting.
//!
//! A back edge leads to a node that dominates its source. All back edges to one header form one
//! loop: the header and every node that reaches a latch without passing the header. A retreating
//! edge whose target does not dominate its source enters a cycle that has several entries; such
//! edges are reported as irreducible and form no loop.

use crate::{Cfg, DominatorTree, Lists, compute_components};
use entity::{EntityRef, SideTable, Table};

entity::id!(
    /// A natural loop, numbered so that a loop comes before the loops inside it.
    pub struct LoopId = "loop"
);

/// What is known about one loop. Its body is [`LoopForest::body`].
#[derive(Clone, Debug)]
pub struct NaturalLoop<N> {
    /// The node that every way into the loop passes.
    pub header: N,
    /// The innermost loop around this one.
    pub parent: Option<LoopId>,
    /// How many loops a node is in whose innermost loop this is; 1 for an outermost loop.
    pub depth: u32,
    /// The sources of the back edges, each once.
    pub latches: Vec<N>,
    /// The nodes outside with an edge to the header.
    pub entries: Vec<N>,
    /// The nodes outside that an edge from inside leads to, in reverse postorder.
    pub exits: Vec<N>,
    /// Range of the body in [`LoopForest::bodies`].
    span: (u32, u32),
}

/// All loops of a graph.
#[derive(Clone, Debug)]
pub struct LoopForest<N> {
    loops: Table<LoopId, NaturalLoop<N>>,
    innermost: Vec<Option<LoopId>>,
    /// The nodes inside loops; a loop's body is contiguous, its header first.
    bodies: Vec<N>,
    back_edges: Vec<(N, N)>,
    irreducible_edges: Vec<(N, N)>,
}

/// The loops of the reachable part of `cfg`.
pub fn compute_loops<N: EntityRef>(cfg: &Cfg<N>, tree: &DominatorTree<N>) -> LoopForest<N> {
    let (back_edges, irreducible_edges) = retreating_edges(cfg, tree);
    let headers = find_nesting(cfg, &back_edges);
    let mut forest = LoopForest {
        loops: Table::new(),
        innermost: vec![None; cfg.node_count()],
        bodies: Vec::new(),
        back_edges,
        irreducible_edges,
    };
    forest.add_loops(cfg, &headers);
    forest.add_borders(cfg);
    forest
}

/// For each node whether it may run again: it is on a cycle.
pub fn compute_in_loops<N: EntityRef>(cfg: &Cfg<N>) -> SideTable<N, bool> {
    let mut found = SideTable::new();
    if !cfg.has_cycle() {
        return found;
    }
    let components = compute_components(cfg);
    for &node in cfg.reverse_postorder() {
        found[node] = components.is_cyclic(components.component_of(node));
    }
    found
}

/// The back edges and the irreducible edges, each once, in reverse postorder of their sources.
#[allow(clippy::type_complexity)] // two lists of edges
fn retreating_edges<N: EntityRef>(cfg: &Cfg<N>, tree: &DominatorTree<N>) -> (Vec<(N, N)>, Vec<(N, N)>) {
    let mut back = Vec::new();
    let mut irreducible = Vec::new();
    for &from in cfg.reverse_postorder() {
        for &to in cfg.successors(from) {
            if cfg.order_of(to) > cfg.order_of(from) {
                continue;
            }
            let is_back_edge = tree.dominates(to, from);
            let edges = if is_back_edge { &mut back } else { &mut irreducible };
            push_once(edges, (from, to));
        }
    }
    (back, irreducible)
}

/// Adds an edge unless it is there; edges of one source stand together at the end.
fn push_once<N: EntityRef>(edges: &mut Vec<(N, N)>, edge: (N, N)) {
    let mut same_source = edges.iter().rev().take_while(|other| other.0 == edge.0);
    if !same_source.any(|&other| other == edge) {
        edges.push(edge);
    }
}

/// Loops while they are known by their headers only.
struct Headers<N> {
    /// The header of the innermost loop of a node; a header names itself.
    innermost: Vec<Option<N>>,
    /// The header of the loop around the loop of a header.
    outer: Vec<Option<N>>,
    /// The sources of the back edges to a header.
    latches: Lists<N, N>,
}

/// Finds bodies from the innermost loops outwards: a header's loops come later in reverse
/// postorder, so walking it backwards every inner loop is complete and is skipped in one step.
fn find_nesting<N: EntityRef>(cfg: &Cfg<N>, back_edges: &[(N, N)]) -> Headers<N> {
    let count = cfg.node_count();
    let pairs: Vec<_> = back_edges.iter().map(|&(from, to)| (to, from)).collect();
    let mut found = Headers {
        innermost: vec![None; count],
        outer: vec![None; count],
        latches: Lists::from_pairs(count, &pairs),
    };
    // The outermost known loop around a header, with paths compressed.
    let mut outermost: Vec<Option<N>> = vec![None; count];
    let mut work = Vec::new();
    for header in cfg.postorder() {
        if found.latches.get(header).is_empty() {
            continue;
        }
        found.innermost[header.index()] = Some(header);
        work.extend_from_slice(found.latches.get(header));
        while let Some(node) = work.pop() {
            let Some(inner) = found.innermost[node.index()] else {
                found.innermost[node.index()] = Some(header);
                work.extend(cfg.reachable_predecessors(node));
                continue;
            };
            let top = climb(&mut outermost, inner);
            if top != header {
                outermost[top.index()] = Some(header);
                found.outer[top.index()] = Some(header);
                work.extend(cfg.reachable_predecessors(top));
            }
        }
    }
    found
}

/// The last header on the way outwards from `from`; halves the path for the next time.
fn climb<N: EntityRef>(outermost: &mut [Option<N>], mut from: N) -> N {
    while let Some(above) = outermost[from.index()] {
        if let Some(top) = outermost[above.index()] {
            outermost[from.index()] = Some(top);
        }
        from = above;
    }
    from
}

impl<N: EntityRef> LoopForest<N> {
    /// Creates the loops in reverse postorder of their headers, outer loops first.
    fn add_loops(&mut self, cfg: &Cfg<N>, found: &Headers<N>) {
        let mut of_header: Vec<Option<LoopId>> = vec![None; cfg.node_count()];
        for &node in cfg.reverse_postorder() {
            let Some(header) = found.innermost[node.index()] else {
                continue;
            };
            if header == node {
                let outer = found.outer[node.index()];
                let parent = outer.and_then(|outer| of_header[outer.index()]);
                let id = self.loops.push(NaturalLoop {
                    header,
                    parent,
                    depth: parent.map_or(1, |parent| self.loops[parent].depth + 1),
                    latches: found.latches.get(header).to_vec(),
                    entries: Vec::new(),
                    exits: Vec::new(),
                    span: (0, 0),
                });
                of_header[node.index()] = Some(id);
            }
            self.innermost[node.index()] = of_header[header.index()];
        }
        self.place_bodies(cfg);
    }

    /// Gives each loop a range: its own nodes, then the ranges of the loops inside it.
    fn place_bodies(&mut self, cfg: &Cfg<N>) {
        let own = |node: &&N| self.innermost[node.index()];
        let order = cfg.reverse_postorder().iter();
        let pairs: Vec<_> = order.filter_map(|node| Some((own(&node)?, *node))).collect();
        let own = Lists::from_pairs(self.loops.len(), &pairs);
        let mut size: Vec<u32> = self.loops.keys().map(|id| own.get(id).len() as u32).collect();
        for id in self.loops.keys().rev() {
            if let Some(parent) = self.loops[id].parent {
                size[parent.index()] += size[id.index()];
            }
        }
        // Where the next range inside each loop, and the next outermost one, begins.
        let mut next = vec![0u32; size.len()];
        let mut next_outermost = 0;
        self.bodies = pairs.iter().map(|pair| pair.1).collect();
        for id in self.loops.keys() {
            let position = match self.loops[id].parent {
                Some(parent) => &mut next[parent.index()],
                None => &mut next_outermost,
            };
            let start = *position;
            *position += size[id.index()];
            self.loops[id].span = (start, start + size[id.index()]);
            let nodes = own.get(id);
            let end = start as usize + nodes.len();
            self.bodies[start as usize..end].copy_from_slice(nodes);
            next[id.index()] = end as u32;
        }
    }

    /// Finds entries and exits. An edge leaves all loops around its source up to the first that
    /// contains its target.
    fn add_borders(&mut self, cfg: &Cfg<N>) {
        for &to in cfg.reverse_postorder() {
            let from_all = || cfg.reachable_predecessors(to);
            if let Some(id) = self.innermost[to.index()].filter(|&id| self.loops[id].header == to) {
                let mut entries = Vec::new();
                for from in from_all().filter(|&from| !self.contains(id, from)) {
                    if entries.last() != Some(&from) {
                        entries.push(from);
                    }
                }
                self.loops[id].entries = entries;
            }
            for from in from_all() {
                let mut inside = self.innermost[from.index()];
                while let Some(id) = inside.filter(|&id| !self.contains(id, to)) {
                    // All loops further out have seen this exit as well.
                    if self.loops[id].exits.last() == Some(&to) {
                        break;
                    }
                    self.loops[id].exits.push(to);
                    inside = self.loops[id].parent;
                }
            }
        }
    }

    /// The loops, each before those inside it.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<N> {
        self.loops.keys()
    }

    /// The loops that no other loop is in.
    pub fn innermost_loops(&self) -> impl Iterator<Item = LoopId> + use<N> {
        let mut is_outer = vec![false; self.len()];
        for parent in self.ids().filter_map(|id| self.get(id).parent) {
            is_outer[parent.index()] = true;
        }
        self.ids().filter(move |id| !is_outer[id.index()])
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// Header, nesting, latches, entries and exits of a loop.
    pub fn get(&self, id: LoopId) -> &NaturalLoop<N> {
        &self.loops[id]
    }

    /// The nodes of a loop, those of inner loops included; the header comes first.
    pub fn body(&self, id: LoopId) -> &[N] {
        let (start, end) = self.loops[id].span;
        &self.bodies[start as usize..end as usize]
    }

    /// Whether `node` is in the body of a loop.
    pub fn contains(&self, id: LoopId, node: N) -> bool {
        let Some(inner) = self.innermost[node.index()] else {
            return false;
        };
        let (start, end) = self.loops[id].span;
        let (inner_start, inner_end) = self.loops[inner].span;
        start <= inner_start && inner_end <= end
    }

    /// The innermost loop that `node` is in.
    pub fn innermost(&self, node: N) -> Option<LoopId> {
        self.innermost[node.index()]
    }

    /// The loops that `node` is in, from the innermost outwards.
    pub fn loops_of(&self, node: N) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(node), |&id| self.loops[id].parent)
    }

    /// In how many loops `node` is.
    pub fn depth(&self, node: N) -> u32 {
        self.innermost(node).map_or(0, |id| self.loops[id].depth)
    }

    /// The loop whose header `node` is.
    pub fn loop_of_header(&self, node: N) -> Option<LoopId> {
        self.innermost(node).filter(|&id| self.loops[id].header == node)
    }

    /// The edges `(latch, header)`, each once.
    pub fn back_edges(&self) -> &[(N, N)] {
        &self.back_edges
    }

    /// The retreating edges into cycles with several entries, each once. Empty for what structured
    /// source gives.
    pub fn irreducible_edges(&self) -> &[(N, N)] {
        &self.irreducible_edges
    }
}
