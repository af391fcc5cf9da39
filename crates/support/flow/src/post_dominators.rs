//! Post-dominators: `a` post-dominates `b` if every path from `b` to an exit visits `a`.
//!
//! All exits lead to one virtual exit, which is the root and is not shown, so the result is a
//! forest. An infinite loop has no way out; to give its nodes a place, leaving is assumed to be
//! possible at every node of a strongly connected component that no edge leaves. So no node of
//! such a loop post-dominates another one, and code before the loop is post-dominated by what lies
//! on all paths into it. Nodes that can still reach an exit are not affected by that assumption
//! unless they also reach such a loop, where control may stay.

use crate::dominators::DominatorTree;
use crate::scc::compute_components;
use crate::semi_nca::{NONE, TwoWay, immediate_dominators};
use crate::{Cfg, Lists};
use entity::EntityRef;

entity::id!(
    /// A node of the reversed graph: the same index, and one more for the virtual exit.
    struct Vertex = "vertex"
);

struct Reversed {
    count: usize,
    forward: Lists<Vertex, Vertex>,
    backward: Lists<Vertex, Vertex>,
}

impl TwoWay for Reversed {
    type Node = Vertex;

    fn count(&self) -> usize {
        self.count
    }

    fn forward(&self, node: Vertex) -> &[Vertex] {
        self.forward.get(node)
    }

    fn backward(&self, node: Vertex) -> &[Vertex] {
        self.backward.get(node)
    }
}

/// The post-dominator forest of the reachable nodes of `cfg`: read `a` dominates `b` of the result
/// as "`a` post-dominates `b`".
pub fn compute_post_dominators<N: EntityRef>(cfg: &Cfg<N>) -> DominatorTree<N> {
    let count = cfg.node_count();
    let exit = Vertex::new(count);
    let mut edges = Vec::with_capacity(count * 2);
    for node in leaving_nodes(cfg) {
        edges.push((exit, Vertex::new(node.index())));
    }
    for &node in cfg.reverse_postorder() {
        let node_vertex = Vertex::new(node.index());
        for next in cfg.successors(node) {
            edges.push((Vertex::new(next.index()), node_vertex));
        }
    }
    let forward = Lists::from_pairs(count + 1, &edges);
    for edge in &mut edges {
        *edge = (edge.1, edge.0);
    }
    let backward = Lists::from_pairs(count + 1, &edges);
    let reversed = Reversed { count: count + 1, forward, backward };
    let mut parent = immediate_dominators(&reversed, exit);
    parent.pop();
    let mut roots = Vec::new();
    for &node in cfg.reverse_postorder() {
        if parent[node.index()] as usize == count {
            parent[node.index()] = NONE;
            roots.push(node);
        }
    }
    DominatorTree::from_parents(cfg, parent, roots)
}

/// The exits, and every node of a reachable component that nothing leaves.
fn leaving_nodes<N: EntityRef>(cfg: &Cfg<N>) -> impl Iterator<Item = N> + '_ {
    let components = compute_components(cfg);
    let order = cfg.reverse_postorder().iter().copied();
    order.filter(move |&node| {
        let component = components.component_of(node);
        components.successors(component).is_empty()
    })
}
