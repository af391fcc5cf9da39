//! The form of a control-flow graph that the analyses read: edges both ways and the reverse
//! postorder, computed once.

use crate::{FlowGraph, Graph, Lists, compute_postorder};
use entity::EntityRef;

/// A snapshot of a control-flow graph. It does not follow later changes of the graph.
#[derive(Clone, Debug)]
pub struct Cfg<N> {
    entry: N,
    successors: Lists<N, N>,
    predecessors: Lists<N, N>,
    reverse_postorder: Vec<N>,
    /// Position in `reverse_postorder`, or `u32::MAX` for an unreachable node.
    number: Vec<u32>,
}

impl<N: EntityRef> Cfg<N> {
    /// Reads every edge of `graph`, also those of unreachable nodes.
    ///
    /// The graph must have at least its entry node.
    pub fn compute(graph: &impl FlowGraph<Node = N>) -> Self {
        let count = graph.node_count();
        let mut edges = Vec::with_capacity(count * 2);
        for from in (0..count).map(N::new) {
            edges.extend(graph.successors(from).map(|to| (from, to)));
        }
        let successors = Lists::from_pairs(count, &edges);
        for edge in &mut edges {
            *edge = (edge.1, edge.0);
        }
        let predecessors = Lists::from_pairs(count, &edges);
        let entry = graph.entry();
        let mut order = compute_postorder(&successors, entry);
        order.reverse();
        let mut number = vec![u32::MAX; count];
        for (i, node) in order.iter().enumerate() {
            number[node.index()] = i as u32;
        }
        Cfg { entry, successors, predecessors, reverse_postorder: order, number }
    }

    /// The entry node.
    pub fn entry(&self) -> N {
        self.entry
    }

    /// How many nodes there are, unreachable ones included.
    pub fn node_count(&self) -> usize {
        self.number.len()
    }

    /// All nodes by index, unreachable ones included.
    pub fn nodes(&self) -> impl Iterator<Item = N> + use<N> {
        (0..self.number.len()).map(N::new)
    }

    /// The targets of the edges out of `node`, in the graph's order, once per edge.
    pub fn successors(&self, node: N) -> &[N] {
        self.successors.get(node)
    }

    /// The sources of the edges into `node` by index, once per edge. Unreachable nodes count:
    /// see [`Cfg::reachable_predecessors`].
    pub fn predecessors(&self, node: N) -> &[N] {
        self.predecessors.get(node)
    }

    /// The sources of the edges into `node` that can be executed.
    pub fn reachable_predecessors(&self, node: N) -> impl Iterator<Item = N> + '_ {
        let all = self.predecessors.get(node).iter().copied();
        all.filter(|&from| self.is_reachable(from))
    }

    /// Whether the entry reaches `node`.
    pub fn is_reachable(&self, node: N) -> bool {
        self.number[node.index()] != u32::MAX
    }

    /// The reachable nodes, each before its successors except along retreating edges.
    pub fn reverse_postorder(&self) -> &[N] {
        &self.reverse_postorder
    }

    /// The reachable nodes, each after its successors except along retreating edges.
    pub fn postorder(&self) -> impl Iterator<Item = N> + '_ {
        self.reverse_postorder.iter().rev().copied()
    }

    /// The position of `node` in the reverse postorder; none for an unreachable node.
    pub fn order_of(&self, node: N) -> Option<usize> {
        let number = self.number[node.index()];
        (number != u32::MAX).then_some(number as usize)
    }

    /// Whether some edge between reachable nodes leads backwards, so that a node may run again.
    pub fn has_cycle(&self) -> bool {
        let mut edges = self
            .reverse_postorder
            .iter()
            .flat_map(|&from| self.successors(from).iter().map(move |&to| (from, to)));
        edges.any(|(from, to)| self.order_of(to) <= self.order_of(from))
    }

    /// The nodes that the entry does not reach.
    pub fn unreachable(&self) -> impl Iterator<Item = N> + '_ {
        self.nodes().filter(|&node| !self.is_reachable(node))
    }

    /// The reachable nodes without successors (returns, raises), in reverse postorder.
    pub fn exits(&self) -> impl Iterator<Item = N> + '_ {
        let order = self.reverse_postorder.iter().copied();
        order.filter(|&node| self.successors(node).is_empty())
    }
}

impl<N: EntityRef> Graph for Cfg<N> {
    type Node = N;

    fn node_count(&self) -> usize {
        self.number.len()
    }

    fn successors(&self, node: N) -> impl Iterator<Item = N> + '_ {
        self.successors.get(node).iter().copied()
    }
}

impl<N: EntityRef> FlowGraph for Cfg<N> {
    fn entry(&self) -> N {
        self.entry
    }
}
