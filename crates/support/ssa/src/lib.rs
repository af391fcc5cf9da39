//! SSA construction for code with variables that several blocks assign.
//!
//! Two halves: [`place_params`] decides which blocks need a parameter for a variable, and a [`Walk`] over the dominator tree
//! keeps the value of each variable in [`ReachingDefs`], so that every use gets its value. The value of a variable on entry to a
//! block is its value at the end of the immediate dominator, unless the block has a parameter for it.
//!
//! Source: R. Cytron and others, "Efficiently computing static single assignment form and the control dependence
//! graph", 1991; parameters stand only where the variable is live.
//!
//! ```
//! use flow::{AdjacencyList, BlockFacts, Cfg};
//!
//! entity::id!(struct Block = "block");
//! entity::id!(struct Name = "name");
//! use entity::EntityRef;
//!
//! // The branches of an `if` assign a variable that is read after it.
//! let graph = AdjacencyList::<Block>::from_edges(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
//! let (cfg, name) = (Cfg::compute(&graph), Name::new(0));
//! let tree = flow::compute_dominators(&cfg);
//! let mut facts = BlockFacts::new(&cfg, 1);
//! facts.add_use(Block::new(3), name);
//! let live = flow::compute_liveness(&cfg, &facts);
//! let frontiers = flow::compute_frontiers(&cfg, &tree);
//! let assigned = vec![Block::new(1), Block::new(2)];
//! assert_eq!(ssa::place_params(&frontiers, &live, name, assigned, &[]), [Block::new(3)]);
//! ```
//!
//! Absent: what a block is, what reads and writes a variable.

use entity::EntityRef;
use flow::{DominatorTree, Frontiers, Liveness};

/// The blocks that need a parameter for a variable that these blocks assign. `forced` are some that need one in any
/// case: a handler sees what a name reaching before its block, not what the block's end assigned. In order of discovery.
pub fn place_params<N: EntityRef, V: EntityRef>(
    frontiers: &Frontiers<N>,
    live: &Liveness<N, V>,
    variable: V,
    mut assigned: Vec<N>,
    forced: &[N],
) -> Vec<N> {
    assigned.extend(forced);
    let mut found = match assigned.iter().all(|&block| frontiers.get(block).is_empty()) {
        true => Vec::new(),
        false => frontiers.iterated(assigned),
    };
    for &block in forced {
        if !found.contains(&block) {
            found.push(block);
        }
    }
    found.retain(|&block| live.is_live_in(block, variable));
    found
}

/// What each variable holds at the place where a walk is.
pub struct ReachingDefs<V, T> {
    now: Vec<Option<T>>,
    /// What to put back when the walk goes up.
    undo: Vec<(V, Option<T>)>,
}

impl<V: EntityRef, T: Copy> ReachingDefs<V, T> {
    /// So many variables, which hold nothing.
    pub fn new(variables: usize) -> Self {
        ReachingDefs { now: vec![None; variables], undo: Vec::new() }
    }

    /// What a variable holds.
    pub fn get(&self, variable: V) -> Option<T> {
        self.now[variable.index()]
    }

    /// A variable holds something else from here on.
    pub fn set(&mut self, variable: V, value: T) {
        let old = self.now[variable.index()].replace(value);
        self.undo.push((variable, old));
    }

    fn undo_to(&mut self, mark: usize) {
        for (variable, old) in self.undo.drain(mark..).rev() {
            self.now[variable.index()] = old;
        }
    }
}

/// A walk over a dominator tree, from the root down.
pub struct Walk<'t, N> {
    tree: &'t DominatorTree<N>,
    next: usize,
    /// Ancestors of the current block, each with the length of the undo list when it began.
    path: Vec<(N, usize)>,
}

impl<'t, N: EntityRef> Walk<'t, N> {
    /// A walk that begins at the root. What variables hold by then, they hold everywhere.
    pub fn new(tree: &'t DominatorTree<N>) -> Self {
        Walk { tree, next: 0, path: Vec::new() }
    }

    /// The next block; variables hold what they reaching at the end of its immediate dominator.
    pub fn next<V: EntityRef, T: Copy>(&mut self, reaching: &mut ReachingDefs<V, T>) -> Option<N> {
        let &block = self.tree.preorder().get(self.next)?;
        self.next += 1;
        let dominator = self.tree.immediate_dominator(block);
        while let Some(&(last, mark)) = self.path.last().filter(|&&(last, _)| Some(last) != dominator) {
            debug_assert!(last != block);
            self.path.pop();
            reaching.undo_to(mark);
        }
        self.path.push((block, reaching.undo.len()));
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::{AdjacencyList, BlockFacts, Cfg};

    entity::id!(
        /// A block.
        struct Block = "block"
    );
    entity::id!(
        /// A variable.
        struct Name = "name"
    );

    fn blocks(numbers: &[usize]) -> Vec<Block> {
        numbers.iter().map(|&number| Block::new(number)).collect()
    }

    /// Where a variable needs parameters that these blocks assign and those read.
    fn check(
        edges: &[(usize, usize)],
        assigned: &[usize],
        read: &[usize],
        forced: &[usize],
        wanted: &[usize],
    ) {
        let count = edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap_or(1);
        let cfg = Cfg::compute(&AdjacencyList::<Block>::from_edges(count, edges));
        let tree = flow::compute_dominators(&cfg);
        let name = Name::new(0);
        let mut facts = BlockFacts::new(&cfg, 1);
        for &block in &blocks(read) {
            facts.add_use(block, name);
        }
        for &block in &blocks(assigned) {
            facts.add_definition(block, name);
        }
        let live = flow::compute_liveness(&cfg, &facts);
        let frontiers = flow::compute_frontiers(&cfg, &tree);
        let mut found = place_params(&frontiers, &live, name, blocks(assigned), &blocks(forced));
        found.sort_unstable();
        assert_eq!(found, blocks(wanted));
    }

    #[test]
    fn parameters_stand_where_a_live_variable_meets_itself() {
        let branches = [(0, 1), (0, 2), (1, 3), (2, 3)];
        check(&branches, &[1, 2], &[3], &[], &[3]);
        check(&branches, &[1, 2], &[], &[], &[]);
        check(&branches, &[0], &[3], &[], &[]);
        // A loop: its header joins what was before and what the body leaves.
        check(&[(0, 1), (1, 2), (2, 1), (1, 3)], &[0, 2], &[2, 3], &[], &[1]);
    }

    #[test]
    fn handlers_have_theirs_in_any_case() {
        check(&[(0, 1), (1, 2)], &[0, 1], &[2], &[2], &[2]);
        check(&[(0, 1), (1, 2)], &[0, 1], &[], &[2], &[]);
    }

    #[test]
    fn what_a_branch_assigns_is_undone_behind_it() {
        let cfg = Cfg::compute(&AdjacencyList::<Block>::from_edges(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
        let tree = flow::compute_dominators(&cfg);
        let name = Name::new(0);
        let mut reaching = ReachingDefs::new(1);
        let mut seen = vec![None; 4];
        let mut walk = Walk::new(&tree);
        while let Some(block) = walk.next(&mut reaching) {
            seen[block.index()] = reaching.get(name);
            reaching.set(name, block.index());
        }
        assert_eq!(seen, [None, Some(0), Some(0), Some(0)]);
    }
}
