//! Graph analyses for Python code: `rumba.numba_ir.controlflow` passes the edges of numbered nodes and gets tables of
//! numbers back. Node labels are handled in Python.

use entity::EntityRef;
use flow::{AdjacencyList, Cfg, DominatorTree, LoopForest};
use flow::{compute_dominators, compute_frontiers, compute_loops, compute_post_dominators};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

entity::id!(
    /// A node, as Python numbers it.
    struct Node = "node"
);

/// Header, entries, exits and body of a loop.
type LoopTable = (usize, Vec<usize>, Vec<usize>, Vec<usize>);

/// `rumba._rumba.FlowGraph`: a control-flow graph that does not change any more.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct FlowGraph {
    cfg: Cfg<Node>,
    dominators: DominatorTree<Node>,
    loops: LoopForest<Node>,
}

fn numbers<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Vec<usize> {
    nodes.into_iter().map(|node| node.index()).collect()
}

impl FlowGraph {
    /// One row per node.
    fn table<T>(&self, row: impl Fn(Node) -> T) -> Vec<T> {
        self.cfg.nodes().map(row).collect()
    }
}

#[pymethods]
impl FlowGraph {
    #[new]
    fn new(node_count: usize, edges: Vec<(usize, usize)>, entry: usize) -> PyResult<FlowGraph> {
        let ends = edges.iter().flat_map(|&(from, to)| [from, to]);
        if let Some(node) = ends.chain([entry]).find(|&node| node >= node_count) {
            return Err(PyIndexError::new_err(format!("there is no node {node} among {node_count}")));
        }
        let mut graph = AdjacencyList::from_edges(node_count, &edges);
        graph.set_entry(Node::new(entry));
        let cfg = Cfg::compute(&graph);
        let dominators = compute_dominators(&cfg);
        let loops = compute_loops(&cfg, &dominators);
        Ok(FlowGraph { cfg, dominators, loops })
    }

    /// The nodes that the entry reaches, each before its successors except along retreating edges.
    fn reverse_postorder(&self) -> Vec<usize> {
        numbers(self.cfg.reverse_postorder())
    }

    /// The immediate dominator of every node; none for the entry and what it does not reach.
    fn immediate_dominators(&self) -> Vec<Option<usize>> {
        self.table(|node| self.dominators.immediate_dominator(node).map(EntityRef::index))
    }

    /// For every node, the nodes that are on all paths from it out of the graph.
    fn post_dominators(&self) -> Vec<Vec<usize>> {
        let tree = compute_post_dominators(&self.cfg);
        self.table(|node| tree.dominators(node).map(EntityRef::index).collect())
    }

    /// The dominance frontier of every node.
    fn frontiers(&self) -> Vec<Vec<usize>> {
        let frontiers = compute_frontiers(&self.cfg, &self.dominators);
        self.table(|node| numbers(frontiers.get(node)))
    }

    /// Edges to a node that dominates their source.
    fn back_edges(&self) -> Vec<(usize, usize)> {
        self.loops.back_edges().iter().map(|(from, to)| (from.index(), to.index())).collect()
    }

    /// The natural loops, a loop before the loops inside it.
    fn loops(&self) -> Vec<LoopTable> {
        let table = |id| {
            let one = self.loops.get(id);
            let body = numbers(self.loops.body(id));
            (one.header.index(), numbers(&one.entries), numbers(&one.exits), body)
        };
        self.loops.ids().map(table).collect()
    }

    /// For every node, the positions in `loops` of the loops around it, from the innermost outwards.
    fn loops_of_nodes(&self) -> Vec<Vec<usize>> {
        self.table(|node| self.loops.loops_of(node).map(EntityRef::index).collect())
    }
}
