//! Dominator trees: immediate dominators, and "does a dominate b?" in constant time.
//!
//! The tree type serves dominators and post-dominators; the algorithm stands in `semi_nca`.

use crate::semi_nca::{NONE, TwoWay, immediate_dominators};
use crate::{Cfg, Lists};
use entity::EntityRef;

/// A dominator tree, or the forest of post-dominators where several exits exist.
///
/// Nodes that the analysis does not reach are outside the tree: nothing dominates them and they
/// dominate nothing but themselves.
#[derive(Clone, Debug)]
pub struct DominatorTree<N> {
    parent: Vec<u32>,
    children: Lists<N, N>,
    roots: Vec<N>,
    preorder: Vec<N>,
    /// The subtree of a node is `preorder[first..end]`; `(NONE, 0)` outside the tree.
    span: Vec<(u32, u32)>,
}

/// The dominator tree of `cfg`: `a` dominates `b` if every path from the entry to `b` visits `a`.
pub fn compute_dominators<N: EntityRef>(cfg: &Cfg<N>) -> DominatorTree<N> {
    let parent = immediate_dominators(cfg, cfg.entry());
    DominatorTree::from_parents(cfg, parent, vec![cfg.entry()])
}

impl<N: EntityRef> TwoWay for Cfg<N> {
    type Node = N;

    fn count(&self) -> usize {
        self.node_count()
    }

    fn forward(&self, node: N) -> &[N] {
        self.successors(node)
    }

    fn backward(&self, node: N) -> &[N] {
        self.predecessors(node)
    }
}

impl<N: EntityRef> DominatorTree<N> {
    /// Children and roots are kept in reverse postorder of `cfg`.
    pub(crate) fn from_parents(cfg: &Cfg<N>, parent: Vec<u32>, roots: Vec<N>) -> Self {
        let mut pairs = Vec::with_capacity(parent.len());
        for &node in cfg.reverse_postorder() {
            let above = parent[node.index()];
            if above != NONE {
                pairs.push((N::new(above as usize), node));
            }
        }
        let mut tree = DominatorTree {
            children: Lists::from_pairs(parent.len(), &pairs),
            span: vec![(NONE, 0); parent.len()],
            preorder: Vec::with_capacity(pairs.len() + roots.len()),
            parent,
            roots,
        };
        tree.number_nodes();
        tree
    }

    fn number_nodes(&mut self) {
        let mut stack: Vec<N> = self.roots.iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            let number = self.preorder.len() as u32;
            self.span[node.index()] = (number, number + 1);
            self.preorder.push(node);
            stack.extend(self.children.get(node).iter().rev());
        }
        // A subtree ends where its last child's subtree ends; children come after their parent.
        for &node in self.preorder.iter().rev() {
            let above = self.parent[node.index()];
            if above != NONE {
                let end = self.span[node.index()].1;
                let span = &mut self.span[above as usize];
                span.1 = span.1.max(end);
            }
        }
    }

    /// Whether `a` dominates `b`. Every node dominates itself.
    pub fn dominates(&self, a: N, b: N) -> bool {
        let (first, end) = self.span[a.index()];
        let number = self.span[b.index()].0;
        a == b || (first <= number && number < end)
    }

    /// Whether `a` dominates `b` and is another node.
    pub fn strictly_dominates(&self, a: N, b: N) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The closest strict dominator of `node`; none for a root and outside the tree.
    pub fn immediate_dominator(&self, node: N) -> Option<N> {
        let above = self.parent[node.index()];
        (above != NONE).then(|| N::new(above as usize))
    }

    /// The nodes that `node` dominates immediately, in reverse postorder of the graph.
    pub fn children(&self, node: N) -> &[N] {
        self.children.get(node)
    }

    /// Whether the analysis reached `node`.
    pub fn contains(&self, node: N) -> bool {
        self.span[node.index()].0 != NONE
    }

    /// The nodes without an immediate dominator: the entry, or for post-dominators every node that
    /// only leaving the function post-dominates.
    pub fn roots(&self) -> &[N] {
        &self.roots
    }

    /// The nodes of the tree, each before those it dominates.
    pub fn preorder(&self) -> &[N] {
        &self.preorder
    }

    /// `node` and all it dominates, in preorder.
    pub fn subtree(&self, node: N) -> &[N] {
        match self.span[node.index()] {
            (NONE, _) => &[],
            (first, end) => &self.preorder[first as usize..end as usize],
        }
    }

    /// `node`, its immediate dominator, and so on up to a root; nothing outside the tree.
    pub fn dominators(&self, node: N) -> impl Iterator<Item = N> + '_ {
        let start = self.contains(node).then_some(node);
        std::iter::successors(start, |&node| self.immediate_dominator(node))
    }

    /// The closest node that dominates both; none in different trees of a forest.
    pub fn common_dominator(&self, a: N, b: N) -> Option<N> {
        self.dominators(a).find(|&above| self.dominates(above, b))
    }
}
