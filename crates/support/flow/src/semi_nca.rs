//! Immediate dominators of a rooted graph by the semi-NCA algorithm.
//!
//! Semidominators come from one pass over the depth-first numbers with path compression; an
//! immediate dominator is the nearest common ancestor of a node's parent and its semidominator in
//! the part of the tree that is finished. Source: L. Georgiadis, "Linear-Time Algorithms for
//! Dominators and Related Problems", 2005, chapter 2.
//!
//! Both dominators and post-dominators (on reversed edges) are built here; nothing else is.

use entity::EntityRef;

/// The absence of a node in tables of raw numbers.
pub(crate) const NONE: u32 = u32::MAX;

/// Edges of a graph, looked at from both ends.
pub(crate) trait TwoWay {
    /// The id of a node.
    type Node: EntityRef;
    /// How many nodes there are.
    fn count(&self) -> usize;
    /// Where edges out of `node` lead.
    fn forward(&self, node: Self::Node) -> &[Self::Node];
    /// Where edges into `node` come from.
    fn backward(&self, node: Self::Node) -> &[Self::Node];
}

/// The reachable nodes in depth-first preorder.
struct Search<N> {
    /// The node with a number.
    nodes: Vec<N>,
    /// The number of a node, or [`NONE`].
    number: Vec<u32>,
    /// The number of the tree parent of a number; the root is its own.
    parent: Vec<u32>,
}

fn search<G: TwoWay>(graph: &G, root: G::Node) -> Search<G::Node> {
    let mut result = Search {
        nodes: Vec::with_capacity(graph.count()),
        number: vec![NONE; graph.count()],
        parent: Vec::with_capacity(graph.count()),
    };
    let mut stack = vec![(root, 0)];
    while let Some((node, parent)) = stack.pop() {
        if result.number[node.index()] != NONE {
            continue;
        }
        let number = result.nodes.len() as u32;
        result.number[node.index()] = number;
        result.nodes.push(node);
        result.parent.push(parent);
        for &next in graph.forward(node).iter().rev() {
            if result.number[next.index()] == NONE {
                stack.push((next, number));
            }
        }
    }
    result
}

/// The forest of the nodes that have a semidominator already, its paths compressed.
struct Forest {
    ancestor: Vec<u32>,
    /// The smallest semidominator on the compressed path below `ancestor`.
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The smallest semidominator on the path from `from` up to the first node at or below number
    /// `limit`, which is exclusive: those nodes are not linked yet.
    fn evaluate(&mut self, from: u32, limit: u32) -> u32 {
        if from <= limit {
            return from;
        }
        let mut top = from;
        while self.ancestor[top as usize] > limit {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        let mut above = top;
        while let Some(node) = self.path.pop() {
            let label = self.label[above as usize];
            self.label[node as usize] = self.label[node as usize].min(label);
            self.ancestor[node as usize] = self.ancestor[top as usize];
            above = node;
        }
        self.label[from as usize]
    }
}

/// The immediate dominator of each node by index, [`NONE`] for the root and for unreachable nodes.
pub(crate) fn immediate_dominators<G: TwoWay>(graph: &G, root: G::Node) -> Vec<u32> {
    let Search { nodes, number, parent } = search(graph, root);
    let count = nodes.len() as u32;
    let mut forest = Forest { ancestor: parent.clone(), label: (0..count).collect(), path: Vec::new() };
    let mut semi = vec![0; nodes.len()];
    for i in (1..count).rev() {
        let mut smallest = parent[i as usize];
        for from in graph.backward(nodes[i as usize]) {
            let from = number[from.index()];
            if from != NONE {
                smallest = smallest.min(forest.evaluate(from, i));
            }
        }
        semi[i as usize] = smallest;
        forest.label[i as usize] = smallest;
    }
    let mut dominator = parent;
    for i in 1..count as usize {
        let mut candidate = dominator[i];
        while candidate > semi[i] {
            candidate = dominator[candidate as usize];
        }
        dominator[i] = candidate;
    }
    let mut result = vec![NONE; graph.count()];
    for i in 1..count as usize {
        result[nodes[i].index()] = nodes[dominator[i] as usize].index() as u32;
    }
    result
}
