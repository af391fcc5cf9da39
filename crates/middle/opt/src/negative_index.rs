//! Splits the bounds checks that remain in loops: tests the common case `0 <= i < len` first, and handles negative indices on a
//! cold path.
//!
//! ```text
//! %1: i1 = icmp slt, %at, 0                      %1: i1 = icmp uge, %at, %length
//! %2: i64 = iadd %at, %length                    branch %1, slow, found(%at)
//! %found: i64 = select %1, %2, %at     becomes   slow cold: %2: i64 = iadd %at, %length
//! %3: i1 = icmp uge, %found, %length             %3: i1 = icmp uge, %2, %length
//! branch %3, fails, goes_on                      branch %3, fails, found(%2)
//!                                                found(%found): jump goes_on
//! ```
//!
//! Most indices are counted from the front: they are compared once, and nothing is computed for them. An index that was
//! looked at on the way is not looked at again.
//!
//! A float that becomes an index is the least integer where it has none ([`Op::FloatToSintOrMin`]), which is asked right
//! before. The least integer is no index either, so that it is asked where the index was not found: one comparison
//! is left for both.

use crate::bounds_checks::{self, Check};
use entity::{HashMap, HashSet};
use flow::{Cfg, DominatorTree};
use ir::{Block, BlockCall, Builder, Effect, Function, IntCond, Native, Op, Value, ValueType};

/// Rewrites the checks that are left in the loops of a function.
pub fn split_negative_index(func: &mut Function) {
    let all = bounds_checks::find(func);
    if all.iter().all(|check| check.at == check.found) {
        return;
    }
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    let forest = flow::compute_loops(&cfg, &tree);
    let by_block: HashMap<Block, Check> = all.into_iter().map(|check| (check.block, check)).collect();
    let in_order = cfg.reverse_postorder().iter().filter_map(|block| by_block.get(block).copied());
    let is_wanted = |check: &Check| {
        let alone = cfg.predecessors(pass_block(func, check)).len() == 1;
        alone && check.at != check.found && forest.innermost(check.block).is_some()
    };
    let wanted: Vec<Check> = in_order.filter(is_wanted).collect();
    let escaping = used_elsewhere(func, &wanted, &tree);
    let mut known: Vec<(Check, Block, Value)> = Vec::new();
    let mut repeated: Vec<Check> = Vec::new();
    let mut replaced: HashMap<Value, Value> = HashMap::default();
    for check in wanted.into_iter().filter(|check| !escaping.contains(&check.found)) {
        let same = known.iter().find(|(earlier, goes_on, _)| {
            earlier.at == check.at && earlier.length == check.length && tree.dominates(*goes_on, check.block)
        });
        if let Some(&(_, _, index)) = same {
            replaced.insert(check.found, index);
            repeated.push(check);
            continue;
        }
        let goes_on = pass_block(func, &check);
        let index = in_two_steps(func, &check);
        if let Some(asks) = asks_for_least(func, &cfg, &tree, &check) {
            ask_for_least_later(func, asks, &check);
        }
        replaced.insert(check.found, index);
        known.push((check, goes_on, index));
    }
    bounds_checks::pass(func, &repeated);
    crate::spill_region::substitute(func, &replaced);
}

/// Where a check continues that passes.
fn pass_block(func: &Function, check: &Check) -> Block {
    func.insts[check.branch].targets[1].block
}

/// Indices that are used elsewhere than in their check and after it.
fn used_elsewhere(func: &Function, checks: &[Check], tree: &DominatorTree<Block>) -> HashSet<Value> {
    let by_place: HashMap<Value, &Check> = checks.iter().map(|check| (check.found, check)).collect();
    let mut escaping = HashSet::default();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            for value in data.uses() {
                let Some(check) = by_place.get(&value) else { continue };
                let compares = data.results.first() == func.insts[check.branch].args.first();
                if !compares && !tree.dominates(pass_block(func, check), block) {
                    escaping.insert(value);
                }
            }
        }
    }
    escaping
}

/// Rewrites one check; gives the index counted from the front.
fn in_two_steps(func: &mut Function, check: &Check) -> Value {
    let data = &func.insts[check.branch];
    let (fails, goes_on, span) = (data.targets[0].clone(), data.targets[1].clone(), data.span);
    let compared = data.args[0];
    let label = func.blocks[check.block].label;
    let (slow, found) = (func.add_block(label), func.add_block(label));
    func.blocks[slow].cold = true;
    let index = func.add_param(found, ValueType::Native(Native::I64));
    func.blocks[check.block].insts.pop();
    // The comparison is of the index that both steps lead to, which is not known here any more.
    let (insts, blocks) = (&func.insts, &mut func.blocks);
    blocks[check.block].insts.retain(|&inst| insts[inst].results.first() != Some(&compared));
    let mut builder = Builder::new(func, check.block);
    builder.span = span;
    let outside = builder.icmp(IntCond::Uge, check.at, check.length);
    builder.branch(outside, BlockCall::new(slow, []), BlockCall::new(found, [check.at]));
    builder.switch_to(slow);
    let from_end = builder.like_first(Op::Iadd, &[check.at, check.length]);
    let outside = builder.icmp(IntCond::Uge, from_end, check.length);
    builder.branch(outside, fails, BlockCall::new(found, [from_end]));
    builder.switch_to(found);
    builder.jump(goes_on.block, &goes_on.args);
    index
}

/// The block that asks whether the index is the least integer and continues to its check if it is not.
fn asks_for_least(
    func: &Function,
    cfg: &Cfg<Block>,
    tree: &DominatorTree<Block>,
    check: &Check,
) -> Option<Block> {
    let block = &func.blocks[check.block];
    let is_pure = |&inst: &ir::Inst| func.insts[inst].op.info().effect == Effect::Pure;
    let (_, before) = block.insts.split_last()?;
    if !block.params.is_empty() || !before.iter().all(is_pure) {
        return None;
    }
    cfg.predecessors(check.block).iter().copied().find(|&asks| {
        let branch = func.terminator(asks).map(|inst| &func.insts[inst]);
        tree.dominates(asks, check.block)
            && branch.is_some_and(|branch| {
                branch.op == Op::Branch
                    && branch.targets[1].block == check.block
                    && branch.targets[0].block != check.block
                    && bounds_checks::is_equality(func, branch.args[0], check.at, i64::MIN)
            })
    })
}

/// Turns the question whether an index is the least integer and its check in two steps around: the first step comes first.
fn ask_for_least_later(func: &mut Function, asks: Block, check: &Check) {
    let Some(question) = func.blocks[asks].insts.pop() else { return };
    let data = &func.insts[question];
    let (least, is_least, span) = (data.args[0], data.targets[0].clone(), data.span);
    let mut before = std::mem::take(&mut func.blocks[check.block].insts);
    let Some(first_step) = before.pop() else { return };
    func.blocks[check.block].insts.push(first_step);
    func.blocks[asks].insts.extend(before);
    let data = &func.insts[first_step];
    let (outside, steps) = (data.args[0], data.targets.clone());
    let later = func.add_block(func.blocks[asks].label);
    func.blocks[later].cold = true;
    let mut builder = Builder::new(func, asks);
    builder.span = span;
    builder.branch(outside, BlockCall::new(later, []), steps[1].clone());
    builder.switch_to(later);
    builder.branch(least, is_least, steps[0].clone());
}
