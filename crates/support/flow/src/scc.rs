//! Strongly connected components of any graph, and the acyclic graph between them.
//!
//! Source: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972, with a stack of its
//! own in place of recursion.

use crate::{Graph, Lists};
use entity::{EntityRef, Table};

entity::id!(
    /// A strongly connected component, numbered in topological order.
    pub struct Component = "scc"
);

/// The components of a graph (its condensation). An edge between two components always leads from
/// a smaller to a larger id; walk the ids backwards to see targets first.
#[derive(Clone, Debug)]
pub struct Components<N> {
    component: Vec<Component>,
    members: Lists<Component, N>,
    successors: Lists<Component, Component>,
    cyclic: Table<Component, bool>,
}

const UNVISITED: u32 = u32::MAX;

/// One depth-first search. Components get raw numbers in reverse topological order.
struct Search {
    /// Depth-first number of a node.
    number: Vec<u32>,
    /// The smallest number on the stack that the node is known to reach.
    low: Vec<u32>,
    /// The raw component of a finished node.
    raw: Vec<u32>,
    /// Nodes whose component is not complete.
    open: Vec<u32>,
    /// The path of the search: a node and the end of its successors in `pending`.
    path: Vec<(u32, usize)>,
    /// Successors still to be looked at, those of the last node of `path` on top.
    pending: Vec<u32>,
    visited: u32,
    found: u32,
}

/// The strongly connected components of `graph`, all nodes included.
pub fn compute_components<G: Graph>(graph: &G) -> Components<G::Node> {
    let count = graph.node_count();
    let mut search = Search {
        number: vec![UNVISITED; count],
        low: vec![0; count],
        raw: vec![UNVISITED; count],
        open: Vec::new(),
        path: Vec::new(),
        pending: Vec::new(),
        visited: 0,
        found: 0,
    };
    for root in 0..count as u32 {
        if search.number[root as usize] == UNVISITED {
            search.run(graph, root);
        }
    }
    condense(graph, &search)
}

impl Search {
    fn run<G: Graph>(&mut self, graph: &G, root: u32) {
        self.enter(graph, root);
        while let Some(&(node, end)) = self.path.last() {
            if self.pending.len() == end {
                self.leave(node);
                continue;
            }
            let Some(next) = self.pending.pop() else {
                unreachable!("pending is longer than the end of this node's successors");
            };
            if self.number[next as usize] == UNVISITED {
                self.enter(graph, next);
            } else if self.raw[next as usize] == UNVISITED {
                let reached = self.number[next as usize];
                let low = &mut self.low[node as usize];
                *low = (*low).min(reached);
            }
        }
    }

    fn enter<G: Graph>(&mut self, graph: &G, node: u32) {
        self.number[node as usize] = self.visited;
        self.low[node as usize] = self.visited;
        self.visited += 1;
        self.open.push(node);
        self.path.push((node, self.pending.len()));
        let successors = graph.successors(G::Node::new(node as usize));
        self.pending.extend(successors.map(|next| next.index() as u32));
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(above, _)) = self.path.last() {
            let above = &mut self.low[above as usize];
            *above = (*above).min(low);
        }
        if low != self.number[node as usize] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.raw[member as usize] = self.found;
            if member == node {
                break;
            }
        }
        self.found += 1;
    }
}

fn condense<G: Graph>(graph: &G, search: &Search) -> Components<G::Node> {
    let nodes = (0..graph.node_count()).map(G::Node::new);
    let last = search.found.wrapping_sub(1);
    let raw = search.raw.iter();
    let component: Vec<Component> = raw.map(|&raw| Component::new((last - raw) as usize)).collect();
    let of = |node: G::Node| component[node.index()];
    let found = search.found as usize;
    let pairs: Vec<_> = nodes.map(|node| (of(node), node)).collect();
    let members = Lists::from_pairs(found, &pairs);

    let mut cyclic = Table::with_capacity(found);
    let mut edges = Vec::new();
    let mut seen = vec![None; found];
    for from in (0..found).map(Component::new) {
        let nodes = members.get(from);
        let mut is_cyclic = nodes.len() > 1;
        for to in nodes.iter().flat_map(|&node| graph.successors(node)).map(of) {
            is_cyclic |= to == from;
            if to != from && seen[to.index()] != Some(from) {
                seen[to.index()] = Some(from);
                edges.push((from, to));
            }
        }
        cyclic.push(is_cyclic);
    }
    Components { successors: Lists::from_pairs(found, &edges), component, members, cyclic }
}

impl<N: EntityRef> Components<N> {
    /// How many components there are.
    pub fn len(&self) -> usize {
        self.cyclic.len()
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.cyclic.is_empty()
    }

    /// The components in topological order: sources of edges first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Component> + use<N> {
        (0..self.cyclic.len()).map(Component::new)
    }

    /// The component that `node` belongs to.
    pub fn component_of(&self, node: N) -> Component {
        self.component[node.index()]
    }

    /// The nodes of a component, by index.
    pub fn members(&self, component: Component) -> &[N] {
        self.members.get(component)
    }

    /// The other components that edges out of `component` lead to, each once.
    pub fn successors(&self, component: Component) -> &[Component] {
        self.successors.get(component)
    }

    /// Whether a node of `component` reaches itself: several members, or an edge to itself.
    pub fn is_cyclic(&self, component: Component) -> bool {
        self.cyclic[component]
    }
}

impl<N: EntityRef> Graph for Components<N> {
    type Node = Component;

    fn node_count(&self) -> usize {
        self.cyclic.len()
    }

    fn successors(&self, node: Component) -> impl Iterator<Item = Component> + '_ {
        self.successors.get(node).iter().copied()
    }
}
