//! Decides which array operations of a block are fused.
//!
//! First trees are formed: an operation joins the tree of its user if all its users are in one tree. Then groups
//! of trees: those that read the same array or each other's results, and whose results have the same number of dimensions in the same order. A group
//! takes the position of its last tree, so nothing before that may use its results.

use super::fusion::{Node, Pair};
use entity::HashMap;
use ir::{Block, Function, Value};
use std::collections::HashSet;

/// Most arrays that a group gives, and reads.
const MAX_ARRAYS: usize = 16;

/// What is joined.
pub(super) struct Joined {
    /// The operations of the block, in its order.
    pub nodes: Vec<Node>,
    /// Those whose results are new arrays, by these.
    pub by_result: HashMap<Value, usize>,
    /// The root of each one's tree.
    pub root: Vec<usize>,
    /// All trees, by their roots.
    pub groups: Vec<Group>,
    /// Where in the block each result is used.
    users: HashMap<Value, Vec<usize>>,
    /// Results that are used in other blocks.
    used_elsewhere: HashSet<Value>,
    /// The node at an index of the block.
    by_index: HashMap<usize, usize>,
}

/// Trees that are one expression.
pub(super) struct Group {
    /// Their roots, in the order of the block.
    pub roots: Vec<usize>,
    /// The arrays that they read and do not make.
    reads: HashSet<Value>,
}

/// Joins the operations of a block.
pub(super) fn join(func: &Function, block: Block, nodes: Vec<Node>, uses: &HashMap<Value, u32>) -> Joined {
    let by_result: HashMap<Value, usize> =
        nodes.iter().enumerate().filter_map(|(number, node)| Some((node.result?, number))).collect();
    let mut users: HashMap<Value, Vec<usize>> = HashMap::default();
    for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
        for value in func.insts[inst].uses() {
            if by_result.contains_key(&value) {
                users.entry(value).or_default().push(at);
            }
        }
    }
    let here = |value: &Value| users.get(value).map_or(0, Vec::len);
    let all = |value: &Value| uses.get(value).map_or(0, |&count| count as usize);
    let used_elsewhere = by_result.keys().copied().filter(|value| all(value) != here(value)).collect();
    let by_index = nodes.iter().enumerate().map(|(number, node)| (node.at, number)).collect();
    let root = (0..nodes.len()).collect();
    let mut joined = Joined { nodes, by_result, root, groups: Vec::new(), users, used_elsewhere, by_index };
    for number in (0..joined.nodes.len()).rev() {
        joined.root[number] = joined.user_tree(number).unwrap_or(number);
    }
    for number in 0..joined.nodes.len() {
        if joined.root[number] == number {
            joined.add_tree(number);
        }
    }
    joined
}

impl Joined {
    /// The tree to which all belong that use a node's result, if the node may belong to it, too.
    fn user_tree(&self, number: usize) -> Option<usize> {
        let node = &self.nodes[number];
        let value = node.result?;
        let users = self.users.get(&value).filter(|_| !self.used_elsewhere.contains(&value))?;
        let mut found = None;
        for index in users {
            let &user = self.by_index.get(index)?;
            let root = self.root[user];
            let is_read = !self.nodes[user].writes_to(value);
            if !is_read || found.is_some_and(|other| other != root) {
                return None;
            }
            found = Some(root);
        }
        found.filter(|&root| self.why_not(node, &self.nodes[root]).is_none())
    }

    /// Why a node cannot belong to a tree.
    fn why_not(&self, node: &Node, root: &Node) -> Option<&'static str> {
        let takes_long = node.function.is_some_and(|function| !function.is_quick());
        if node.epoch != root.epoch {
            Some("what stands between them may write to an array or run other code")
        } else if root.stores() && node.raises {
            Some("it may raise when some items are written")
        } else if takes_long && node.space.0 < root.space.0 {
            Some("it has fewer items, and each takes long")
        } else {
            None
        }
    }

    /// Whether anything but the trees with these roots uses the result of one of them.
    pub fn is_output(&self, root: usize, roots: &[usize]) -> bool {
        let Some(value) = self.nodes[root].result.filter(|_| roots.last() != Some(&root)) else {
            return true;
        };
        let users = self.users.get(&value).map_or(&[][..], |users| users);
        let is_inside = |index: &usize| {
            self.by_index
                .get(index)
                .is_some_and(|&user| roots.contains(&self.root[user]) && !self.nodes[user].writes_to(value))
        };
        self.used_elsewhere.contains(&value) || users.is_empty() || !users.iter().all(is_inside)
    }

    /// Puts a tree into the groups that it belongs to, which become one; or into its own one.
    fn add_tree(&mut self, root: usize) {
        let alone = Group { roots: vec![root], reads: self.arrays_read(root) };
        if self.nodes[root].stores() {
            self.groups.push(alone);
            return;
        }
        let mut with: Vec<usize> =
            (0..self.groups.len()).filter(|&at| self.meet(&self.groups[at], &alone)).collect();
        loop {
            let roots: Vec<usize> =
                with.iter().flat_map(|&at| self.groups[at].roots.iter().copied()).chain([root]).collect();
            let stays = |&at: &usize| {
                self.groups[at].roots.iter().all(|&own| !self.is_used_before(own, root, &roots))
            };
            let mut left: Vec<usize> = with.iter().copied().filter(stays).collect();
            if left.len() == with.len() && self.are_too_many(&alone, &left) {
                left.remove(0);
            }
            if left.len() == with.len() {
                break;
            }
            with = left;
        }
        let mut all = alone;
        for &at in with.iter().rev() {
            let group = self.groups.remove(at);
            all.roots.extend(group.roots);
            all.reads.extend(group.reads);
        }
        all.roots.sort_unstable();
        self.groups.push(all);
    }

    fn are_too_many(&self, tree: &Group, with: &[usize]) -> bool {
        let groups = || with.iter().map(|&at| &self.groups[at]);
        let read: HashSet<Value> =
            groups().flat_map(|group| &group.reads).chain(&tree.reads).copied().collect();
        let roots: usize = groups().map(|group| group.roots.len()).sum();
        !with.is_empty() && (roots >= MAX_ARRAYS || read.len() > MAX_ARRAYS)
    }

    /// Whether a group may hold this tree for its place and shape, and gains by it.
    fn meet(&self, group: &Group, tree: &Group) -> bool {
        let (one, other) = (&self.nodes[group.roots[0]], &self.nodes[tree.roots[0]]);
        let makes =
            |value: &Value| self.by_result.get(value).is_some_and(|&made| group.roots.contains(&made));
        !one.stores()
            && one.epoch == other.epoch
            && one.space == other.space
            && tree.reads.iter().any(|value| group.reads.contains(value) || makes(value))
    }

    /// The arrays that a tree reads.
    fn arrays_read(&self, root: usize) -> HashSet<Value> {
        let of_tree = (0..self.nodes.len()).filter(|&node| self.root[node] == root);
        let is_made = |value: &Value| self.by_result.get(value).is_some_and(|&made| self.root[made] == root);
        let arrays = of_tree.flat_map(|node| &self.nodes[node].arrays);
        arrays.copied().filter(|value| !is_made(value)).collect()
    }

    /// Whether what is none of these trees uses a root's result before another root.
    fn is_used_before(&self, own: usize, root: usize, roots: &[usize]) -> bool {
        let Some(value) = self.nodes[own].result else { return false };
        let users = self.users.get(&value).map_or(&[][..], |users| users);
        users.iter().any(|index| match self.by_index.get(index) {
            // A node stands where its tree does.
            Some(&user) => {
                let tree = self.root[user];
                let is_one = roots.contains(&tree) && !self.nodes[user].writes_to(value);
                !is_one && tree < root
            }
            None => *index < self.nodes[root].at,
        })
    }

    /// What became of the operations that use others' results.
    pub fn pairs(&self, func: &Function) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (number, user) in self.nodes.iter().enumerate() {
            let mut seen: HashSet<Value> = HashSet::new();
            for &value in user.operands.iter().filter(|&&value| !user.writes_to(value)) {
                let Some(&made) = self.by_result.get(&value).filter(|_| seen.insert(value)) else { continue };
                let (node, root) = (&self.nodes[made], &self.nodes[self.root[number]]);
                let trees = [self.root[number], self.root[made]];
                let are_one = trees[0] == trees[1]
                    || self.groups.iter().any(|group| trees.iter().all(|tree| group.roots.contains(tree)));
                let used_once = !self.used_elsewhere.contains(&value) && self.users[&value].len() == 1;
                let reason = match are_one {
                    true => None,
                    false if used_once => self.why_not(node, root).or(Some(ELSEWHERE)),
                    false => Some(ELSEWHERE),
                };
                let span = |node: &Node| func.insts[node.inst].span;
                pairs.push(Pair { user: span(user), operand: span(node), reason });
            }
        }
        pairs
    }
}

const ELSEWHERE: &str = "its result is used elsewhere, too";
