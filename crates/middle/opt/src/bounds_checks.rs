//! Recognizes bounds checks, and rewrites one that is proven to pass.
//!
//! ```text
//! %1: i1 = icmp slt, %at, 0
//! %2: i64 = iadd %at, %length
//! %found: i64 = select %1, %2, %at
//! %3: i1 = icmp uge, %found, %length
//! branch %3, block_that_fails, block
//! ```

use crate::range_analysis::number_of;
use entity::{HashMap, SideTable};
use ir::{Attr, Block, Def, Function, Inst, IntCond, Native, Op, Value};

/// A check of an index against a length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// Where it stands.
    pub block: Block,
    /// The branch.
    pub branch: Inst,
    /// The index as the program computes it.
    pub at: Value,
    /// The index counted from the front.
    pub found: Value,
    /// The length.
    pub length: Value,
    /// Whether the index is known to be negative, where the check is removed.
    pub from_end: bool,
}

/// All checks of a function.
pub(crate) fn find(func: &Function) -> Vec<Check> {
    let failing = raising_blocks(func);
    let found = func.layout.iter().filter_map(|&block| check_at(func, block, &failing));
    found.collect()
}

fn check_at(func: &Function, block: Block, failing: &SideTable<Block, bool>) -> Option<Check> {
    let branch = func.terminator(block)?;
    let data = &func.insts[branch];
    let fails = |number: usize| failing[data.targets[number].block];
    if data.op != Op::Branch || !fails(0) || fails(1) {
        return None;
    }
    let (IntCond::Uge, found, length) = comparison(func, data.args[0])? else { return None };
    let at = wrapped(func, found, length).unwrap_or(found);
    (func.native(length) == Native::I64).then_some(Check {
        block,
        branch,
        at,
        found,
        length,
        from_end: false,
    })
}

fn comparison(func: &Function, value: Value) -> Option<(IntCond, Value, Value)> {
    let data = computed(func, value, Op::Icmp)?;
    match data.attrs[0] {
        Attr::IntCond(cond) => Some((cond, data.args[0], data.args[1])),
        _ => None,
    }
}

/// The index that `found` is, counted from the end where it is negative.
fn wrapped(func: &Function, found: Value, length: Value) -> Option<Value> {
    let select = computed(func, found, Op::Select)?;
    let (IntCond::Slt, at, zero) = comparison(func, select.args[0])? else { return None };
    let from_end = computed(func, select.args[1], Op::Iadd)?;
    let fits = number_of(func, zero) == Some(0) && from_end.args[..] == [at, length] && select.args[2] == at;
    fits.then_some(at)
}

/// The index that a value is, counted from the end where it is negative, and the length of what it is in.
pub(crate) fn counted_from_end(func: &Function, found: Value) -> Option<(Value, Value)> {
    let select = computed(func, found, Op::Select)?;
    let length = *computed(func, select.args[1], Op::Iadd)?.args.get(1)?;
    Some((wrapped(func, found, length)?, length))
}

/// Whether a value says that another one is a number.
pub(crate) fn is_equality(func: &Function, value: Value, of: Value, number: i64) -> bool {
    let compared = comparison(func, value);
    compared.is_some_and(|(cond, left, right)| {
        cond == IntCond::Eq && left == of && number_of(func, right) == Some(number)
    })
}

fn computed(func: &Function, value: Value, op: Op) -> Option<&ir::InstData> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    Some(&func.insts[inst]).filter(|data| data.op == op)
}

/// The blocks from which the function can only fail.
pub(crate) fn failing_blocks(func: &Function) -> SideTable<Block, bool> {
    let mut failing: SideTable<Block, bool> = SideTable::new();
    let cfg = flow::Cfg::compute(func);
    for block in cfg.postorder() {
        let Some(last) = func.terminator(block) else { continue };
        let data = &func.insts[last];
        failing[block] = match data.op {
            Op::Fail => true,
            Op::Jump | Op::Branch => data.targets.iter().all(|target| failing[target.block]),
            _ => false,
        };
    }
    failing
}

/// The same, and those that raise an exception which the function handles.
fn raising_blocks(func: &Function) -> SideTable<Block, bool> {
    let mut raising = failing_blocks(func);
    for &block in &func.layout {
        raising[block] |= func.blocks[block].insts.iter().any(|&inst| func.insts[inst].op == Op::SiteStatus);
    }
    raising
}

/// Removes checks that cannot fail.
pub(crate) fn remove(func: &mut Function, checks: &[Check]) {
    let counted = checks.iter().filter(|check| check.found != check.at);
    let index = |check: &Check| match computed(func, check.found, Op::Select) {
        Some(select) if check.from_end => select.args[1],
        _ => check.at,
    };
    let replaced: HashMap<Value, Value> = counted.map(|check| (check.found, index(check))).collect();
    pass(func, checks);
    crate::spill_region::substitute(func, &replaced);
    let cfg = flow::Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// Goes on after checks without looking.
pub(crate) fn pass(func: &mut Function, checks: &[Check]) {
    for check in checks {
        func.insts[check.branch].jump_to(1);
    }
}
