//! Jump threading by dominating branches: an edge into a block whose branch the branches before it decide leads directly to the
//! successor.
//!
//! ```text
//! block1: %c = icmp slt, %j, %m                    block1: %c = icmp slt, %j, %m
//!         branch %c, block2, block3(%j)                    branch %c, block2, block3(%j)
//! block2: ...                                      block2: ...
//!         branch %d, block1(%next), block3(%j)  ->         branch %d, block1(%next), block5
//! block3(%i):                                      block3(%i):
//!     %e = icmp eq, %i, %m                             %e = icmp eq, %i, %m
//!     branch %e, block4, block5                        branch %e, block4, block5
//! ```
//!
//! So a search (`while j < m and a[j] != x`) does not ask behind the loop how the loop ended.
//!
//! Absent: edges with constants ([`crate::thread_jumps`]).

use crate::branch_conditions::same;
use crate::jump_threading::{Edge, Way, take};
use crate::mem2reg::mem2reg;
use entity::HashSet;
use flow::{Cfg, DominatorTree};
use ir::{Attr, Block, Def, Effect, Function, Inst, IntCond, Op, Value};

/// How many edges of a function are led elsewhere.
const MAX_EDGES: usize = 16;

/// How many instructions are copied for an edge.
const MAX_COPIED: usize = 8;

/// How many branches before an edge are looked at.
const MAX_DOMINATORS: usize = 16;

/// Leads edges to where they go in the end.
pub fn thread_correlated_branches(func: &mut Function) {
    let mut threaded = false;
    for _ in 0..MAX_EDGES {
        let candidates: Vec<Block> =
            func.layout.iter().copied().filter(|&block| question(func, block).is_some()).collect();
        if candidates.is_empty() {
            break;
        }
        let Some((edge, way)) = find(func, &candidates) else { break };
        take(func, edge, &way);
        threaded = true;
    }
    if threaded {
        let cfg = Cfg::compute(func);
        func.layout.retain(|&block| cfg.is_reachable(block));
        mem2reg(func);
    }
}

/// A comparison of integers.
type Comparison = (IntCond, Value, Value);

/// What a short block without effects asks, if its parameters take part in it.
fn question(func: &Function, block: Block) -> Option<Comparison> {
    let data = &func.blocks[block];
    let (&last, body) = data.insts.split_last()?;
    let branch = &func.insts[last];
    let is_pure = |&inst: &Inst| func.insts[inst].op.info().effect == Effect::Pure;
    if branch.op != Op::Branch
        || data.cold
        || data.handler.is_some()
        || body.len() > MAX_COPIED
        || !body.iter().all(is_pure)
        || branch.targets.iter().any(|target| target.block == block)
    {
        return None;
    }
    let asked = comparison(func, branch.args[0])?;
    let is_param = |value: Value| matches!(func.values[value].def, Def::Param(home, _) if home == block);
    (is_param(asked.1) || is_param(asked.2)).then_some(asked)
}

/// The comparison that a condition is.
fn comparison(func: &Function, condition: Value) -> Option<Comparison> {
    let Def::Result(inst, _) = func.values[condition].def else { return None };
    let data = &func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Icmp, Some(&Attr::IntCond(cond))) => Some((cond, data.args[0], data.args[1])),
        _ => None,
    }
}

/// An edge into one of the blocks for which the answer is known, and the way behind it.
fn find(func: &Function, candidates: &[Block]) -> Option<(Edge, Way)> {
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    // An edge past the head of a loop would be a second way into the loop.
    let is_head = |block: Block| cfg.predecessors(block).iter().any(|&from| tree.dominates(block, from));
    let joins: HashSet<Block> = candidates
        .iter()
        .copied()
        .filter(|&block| cfg.is_reachable(block) && cfg.predecessors(block).len() > 1 && !is_head(block))
        .collect();
    if joins.is_empty() {
        return None;
    }
    let all = func.layout.iter().copied().filter(|&from| cfg.is_reachable(from) && !func.blocks[from].cold);
    for from in all {
        let last = func.terminator(from)?;
        for (number, target) in func.insts[last].targets.iter().enumerate() {
            if !joins.contains(&target.block) {
                continue;
            }
            let (cond, a, b) = question(func, target.block)?;
            let handed = |value: Value| match func.values[value].def {
                Def::Param(home, at) if home == target.block => target.args[usize::from(at)],
                _ => value,
            };
            let asked = (cond, handed(a), handed(b));
            if let Some(truth) = answer(func, &known_on(func, &cfg, &tree, (from, number)), asked) {
                let way = Way { blocks: vec![target.block], targets: vec![usize::from(!truth)] };
                return Some(((last, number), way));
            }
        }
    }
    None
}

/// The comparisons that are true on an edge.
fn known_on(
    func: &Function,
    cfg: &Cfg<Block>,
    tree: &DominatorTree<Block>,
    (from, number): (Block, usize),
) -> Vec<Comparison> {
    let mut known = Vec::new();
    known.extend(outcome(func, from, number));
    for above in tree.dominators(from).filter(|&above| above != from).take(MAX_DOMINATORS) {
        let Some(last) = func.terminator(above) else { continue };
        let leads = |target: &ir::BlockCall| {
            cfg.predecessors(target.block).len() == 1 && tree.dominates(target.block, from)
        };
        if let Some(number) = func.insts[last].targets.iter().position(leads) {
            known.extend(outcome(func, above, number));
        }
    }
    known
}

/// What is true where a block is left by one of its edges.
fn outcome(func: &Function, block: Block, number: usize) -> Option<Comparison> {
    let data = &func.insts[func.terminator(block)?];
    if data.op != Op::Branch || data.targets[0].block == data.targets[1].block {
        return None;
    }
    let (cond, a, b) = comparison(func, data.args[0])?;
    Some((if number == 0 { cond } else { cond.negated() }, a, b))
}

/// Whether a comparison is true, if others that are true say so.
fn answer(func: &Function, known: &[Comparison], (cond, a, b): Comparison) -> Option<bool> {
    // Equal numbers are so with and without sign, but not which one is less.
    [true, false].into_iter().find_map(|signed| {
        let asked = orders(cond, signed)?;
        let possible = known.iter().fold(Orders::ALL, |possible, &(cond, x, y)| {
            let Some(orders) = orders(cond, signed) else { return possible };
            if same(func, x, a, 0) && same(func, y, b, 0) {
                possible.both(orders)
            } else if same(func, x, b, 0) && same(func, y, a, 0) {
                possible.both(orders.swapped())
            } else {
                possible
            }
        });
        match (possible.both(asked), possible.both(asked.others())) {
            // No way leads here.
            (Orders::NONE, Orders::NONE) => None,
            (_, Orders::NONE) => Some(true),
            (Orders::NONE, _) => Some(false),
            _ => None,
        }
    })
}

/// In which orders two numbers may be.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Orders {
    less: bool,
    equal: bool,
    greater: bool,
}

impl Orders {
    const ALL: Self = Self { less: true, equal: true, greater: true };
    const NONE: Self = Self { less: false, equal: false, greater: false };

    fn both(self, other: Self) -> Self {
        Self {
            less: self.less && other.less,
            equal: self.equal && other.equal,
            greater: self.greater && other.greater,
        }
    }

    fn others(self) -> Self {
        Self { less: !self.less, equal: !self.equal, greater: !self.greater }
    }

    fn swapped(self) -> Self {
        Self { less: self.greater, equal: self.equal, greater: self.less }
    }
}

/// The orders in which a comparison is true; none if it reads the sign otherwise.
fn orders(cond: IntCond, signed: bool) -> Option<Orders> {
    let (less, equal, greater) = match cond {
        IntCond::Eq => (false, true, false),
        IntCond::Ne => (true, false, true),
        IntCond::Slt if signed => (true, false, false),
        IntCond::Sle if signed => (true, true, false),
        IntCond::Sgt if signed => (false, false, true),
        IntCond::Sge if signed => (false, true, true),
        IntCond::Ult if !signed => (true, false, false),
        IntCond::Ule if !signed => (true, true, false),
        IntCond::Ugt if !signed => (false, false, true),
        IntCond::Uge if !signed => (false, true, true),
        _ => return None,
    };
    Some(Orders { less, equal, greater })
}
