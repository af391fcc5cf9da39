//! The graph interface of the analyses, and the simplest graph that implements it.

use entity::EntityRef;

/// A directed graph whose nodes are the ids `0..node_count()`.
pub trait Graph {
    /// The id of a node.
    type Node: EntityRef;

    /// How many nodes there are; every node's index is smaller.
    fn node_count(&self) -> usize;

    /// The targets of the edges that leave `node`, in the graph's own order; repeats are allowed.
    fn successors(&self, node: Self::Node) -> impl Iterator<Item = Self::Node> + '_;
}

/// A graph with the node where control enters.
pub trait FlowGraph: Graph {
    /// The entry block.
    fn entry(&self) -> Self::Node;
}

/// A graph as a list of successors per node; its entry is node 0 unless set.
#[derive(Clone, Debug)]
pub struct AdjacencyList<N> {
    entry: N,
    successors: Vec<Vec<N>>,
}

impl<N: EntityRef> AdjacencyList<N> {
    /// A graph of `node_count` nodes without edges.
    pub fn new(node_count: usize) -> Self {
        AdjacencyList { entry: N::new(0), successors: vec![Vec::new(); node_count] }
    }

    /// The graph with the edges `(from, to)`, given as indices.
    pub fn from_edges(node_count: usize, edges: &[(usize, usize)]) -> Self {
        let mut graph = Self::new(node_count);
        for &(from, to) in edges {
            graph.add_edge(N::new(from), N::new(to));
        }
        graph
    }

    /// Adds a node and returns it.
    pub fn add_node(&mut self) -> N {
        self.successors.push(Vec::new());
        N::new(self.successors.len() - 1)
    }

    /// Adds an edge after those that leave `from` already.
    pub fn add_edge(&mut self, from: N, to: N) {
        self.successors[from.index()].push(to);
    }

    /// Makes `entry` the entry node.
    pub fn set_entry(&mut self, entry: N) {
        self.entry = entry;
    }
}

impl<N: EntityRef> Graph for AdjacencyList<N> {
    type Node = N;

    fn node_count(&self) -> usize {
        self.successors.len()
    }

    fn successors(&self, node: N) -> impl Iterator<Item = N> + '_ {
        self.successors[node.index()].iter().copied()
    }
}

impl<N: EntityRef> FlowGraph for AdjacencyList<N> {
    fn entry(&self) -> N {
        self.entry
    }
}
