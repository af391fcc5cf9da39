//! Loop versioning: a version of a loop without checks, for the case that all of them would pass.
//!
//! A check inside a loop is an exit, and LLVM does not vectorize loops with many exits. The operands of the checks
//! are mostly known before the loop: an induction variable between two bounds, a length. Checks that are proven are
//! removed. If the others pass whenever certain sums are not negative, these sums are computed before the loop, which
//! then exists in two versions: without these checks, and, for the case that one would fail, unchanged
//! ([`crate::outline`]). An exception is raised at the same point as before.

use crate::affine::Affine;
use crate::bounds_checks::{self, Check};
use crate::branch_conditions::Bound;
use crate::outline::{self, CompileWhen};
use crate::range_analysis::{Conditions, Interval, LoopAnalyses, Loops, Nest};
use crate::{dce::eliminate_dead_code, mem2reg::mem2reg, spill_region};
use entity::HashSet;
use flow::{Cfg, LoopId};
use ir::{Block, BlockCall, Builder, Function, IntCond, Native, Op, Value};

/// Instructions of a nest that is copied as a whole; of a larger one its inner loops may be.
const MAX_COPIED: usize = 2000;

/// Instructions that all copies together may have.
const ALL_COPIES: usize = 6000;

/// Instructions that are looked at in all: the function is analyzed again after each copy.
const MAX_WORK: usize = 200_000;

/// Takes the checks out of loops that pass, or that are seen to pass before the loop.
/// Gives the functions that are called where one would fail, with their symbols, which begin with that of the function.
pub fn version_loops(func: &mut Function, symbol: &str, when: CompileWhen) -> Vec<(String, Function)> {
    let mut outlined = Vec::new();
    let mut tried: HashSet<Block> = HashSet::default();
    let mut lengths: HashSet<Value> = HashSet::default();
    let (mut room, mut work) = (ALL_COPIES, MAX_WORK);
    while let Some(found) = next_change(func, &mut tried, &mut lengths, room) {
        match found {
            Change::Remove(checks) => bounds_checks::remove(func, &checks),
            Change::Copy(plan) => {
                room -= size(func, &plan.blocks);
                work = work.saturating_sub(func.len());
                room = if work == 0 { 0 } else { room };
                let name = format!("{symbol}.checked{}", outlined.len());
                if let Some(mut slow) = copy(func, plan, (&name, when)) {
                    eliminate_dead_code(&mut slow);
                    outlined.push((name, slow));
                }
            }
        }
    }
    outlined
}

fn size(func: &Function, blocks: &[Block]) -> usize {
    blocks.iter().map(|&block| func.blocks[block].insts.len()).sum()
}

enum Change {
    /// These pass in any case.
    Remove(Vec<Check>),
    /// These pass under a condition.
    Copy(Plan),
}

/// A nest of loops that is to exist twice.
struct Plan {
    entry: Block,
    header: Block,
    blocks: Vec<Block>,
    checks: Vec<Check>,
    conditions: Conditions,
}

/// What is to be done about the first loop that was not tried before.
fn next_change(
    func: &Function,
    tried: &mut HashSet<Block>,
    lengths: &mut HashSet<Value>,
    room: usize,
) -> Option<Change> {
    let checks = bounds_checks::find(func);
    if checks.is_empty() {
        return None;
    }
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return None;
    }
    // Only what counts from the end where it is negative is certainly an index in something.
    lengths.extend(checks.iter().filter(|check| check.at != check.found).map(|check| check.length));
    let loops = analyses.loops(func, lengths);
    let forest = &analyses.forest;
    if tried.is_empty() {
        let mut certain: Vec<Check> =
            forest.ids().flat_map(|this| classify_checks(&loops, this, &checks).0).collect();
        if !certain.is_empty() {
            certain.sort_unstable_by_key(|check| check.block);
            certain.dedup_by_key(|check| check.block);
            return Some(Change::Remove(certain));
        }
    }
    for this in forest.ids() {
        if !tried.insert(forest.get(this).header) {
            continue;
        }
        let (certain, plan) = classify_checks(&loops, this, &checks);
        if !certain.is_empty() {
            tried.remove(&forest.get(this).header);
            return Some(Change::Remove(certain));
        }
        if let Some(plan) = plan
            && size(func, &plan.blocks) <= MAX_COPIED.min(room)
        {
            return Some(Change::Copy(plan));
        }
    }
    None
}

/// The checks in a nest that pass for certain, and a plan for those that do under a condition.
fn classify_checks(loops: &Loops<'_>, this: LoopId, checks: &[Check]) -> (Vec<Check>, Option<Plan>) {
    let mut certain = Vec::new();
    let mut likely = Vec::new();
    let mut all = Conditions::default();
    for &check in checks.iter().filter(|check| loops.forest.contains(this, check.block)) {
        let (from_end, conditions) = match conditions_from_end(loops, this, check) {
            Some(conditions) => (true, conditions),
            None => match conditions_of(loops, this, check) {
                Some(conditions) => (false, conditions),
                None => continue,
            },
        };
        let check = Check { from_end, ..check };
        if conditions.is_empty() {
            certain.push(check);
            continue;
        }
        likely.push(check);
        for (known, more) in
            [(&mut all.nonnegative, conditions.nonnegative), (&mut all.small, conditions.small)]
        {
            for sum in more {
                if !known.contains(&sum) {
                    known.push(sum);
                }
            }
        }
    }
    let nest = loops.forest.get(this);
    let (false, [entry]) = (likely.is_empty(), &nest.entries[..]) else { return (certain, None) };
    let blocks = loops.forest.body(this).to_vec();
    let plan = Plan { entry: *entry, header: nest.header, blocks, checks: likely, conditions: all };
    (certain, Some(plan))
}

/// What must be true for a check to pass each time whose index is negative for certain.
fn conditions_from_end(loops: &Loops<'_>, outer: LoopId, check: Check) -> Option<Conditions> {
    let mut nest = Nest { loops, outer, conditions: Conditions::default() };
    if check.found == check.at || !nest.is_invariant(check.length) {
        return None;
    }
    let (low, high) = nest.interval(check.at, check.block, 0)?;
    if high.known()? >= 0 {
        return None;
    }
    nest.take_as_exact(&low);
    let first = nest.length(check.length).plus(&low, 1)?;
    conjunction(loops, [(first, nest.conditions.clone()), (high.plus(&high, -1)?, nest.conditions)])
}

/// What must be true for a check in a nest to pass each time; nothing if that is not known or never so.
fn conditions_of(loops: &Loops<'_>, outer: LoopId, check: Check) -> Option<Conditions> {
    let nest = || Nest { loops, outer, conditions: Conditions::default() };
    let mut apart = nest();
    let interval = apart.interval(check.at, check.block, 0);
    let found = conditions_within(loops, nest(), check, (interval.clone(), apart.conditions));
    if found.as_ref().is_some_and(Conditions::is_empty) {
        return found;
    }
    // Bounds that one counter has by another are closer.
    let mut layers = nest();
    let layered = layers.interval_by_layers(check.at, check.block);
    let closer = layered.filter(|layered| interval.as_ref() != Some(layered));
    let by_layers =
        closer.and_then(|closer| conditions_within(loops, nest(), check, (Some(closer), layers.conditions)));
    by_layers.or(found)
}

/// The same, if the index is in an interval under conditions.
fn conditions_within(
    loops: &Loops<'_>,
    mut nest: Nest<'_>,
    check: Check,
    (interval, computed): (Option<Interval>, Conditions),
) -> Option<Conditions> {
    if !nest.is_invariant(check.length) {
        return None;
    }
    let last = nest.length(check.length).plus_number(-1)?;
    let lows = nest.bounds(check.at, check.block, true);
    let highs = nest.bounds(check.at, check.block, false);
    let own = |sum: Affine| (sum, computed.clone());
    let both = interval.clone().and_then(|(low, high)| Some([own(low), own(last.plus(&high, -1)?)]));
    let by_interval = both.and_then(|both| conjunction(loops, both));
    if by_interval.as_ref().is_some_and(Conditions::is_empty) || (lows.is_empty() && highs.is_empty()) {
        return by_interval;
    }
    let by_branches = conditions_by_branches(loops, nest, &last, (interval, computed), lows, highs);
    by_branches.or(by_interval)
}

/// The same with bounds that branches tell.
fn conditions_by_branches(
    loops: &Loops<'_>,
    mut nest: Nest<'_>,
    last: &Affine,
    (interval, computed): (Option<Interval>, Conditions),
    lows: Vec<Bound>,
    highs: Vec<Bound>,
) -> Option<Conditions> {
    // Branches speak of the value that the machine computes: where one bound comes from them, the other must, too.
    if let Some((low, high)) = &interval {
        nest.conditions = computed;
        nest.take_as_exact(low);
        nest.take_as_exact(high);
    }
    let exact = nest.conditions;
    let low = tightest_bound(loops, lows).or_else(|| Some((interval.clone()?.0, exact.clone())))?;
    let rooms = highs.into_iter().filter_map(|(high, conditions)| Some((last.plus(&high, -1)?, conditions)));
    let room =
        tightest_bound(loops, rooms.collect()).or_else(|| Some((last.plus(&interval?.1, -1)?, exact)))?;
    conjunction(loops, [low, room])
}

/// The one of some sums that is certainly not negative, or else the first.
fn tightest_bound(loops: &Loops<'_>, mut sums: Vec<Bound>) -> Option<Bound> {
    let certain =
        |(sum, conditions): &Bound| sum.is_natural(loops.lengths) == Some(true) && conditions.is_empty();
    let at = sums.iter().position(certain).unwrap_or(0);
    (at < sums.len()).then(|| sums.swap_remove(at))
}

/// What must be true for these sums not to be negative; nothing if one certainly is.
fn conjunction(loops: &Loops<'_>, sums: [Bound; 2]) -> Option<Conditions> {
    let mut all = Conditions::default();
    for (sum, conditions) in sums {
        for sum in conditions.nonnegative.into_iter().chain([sum]) {
            match sum.is_natural(loops.lengths) {
                Some(true) => {}
                Some(false) => return None,
                None => all.nonnegative.push(sum),
            }
        }
        all.small.extend(conditions.small.into_iter().filter(|sum| !sum.fits(loops.lengths)));
    }
    Some(all)
}

/// Makes two of a nest: one without the checks of the plan, and the one that there was, as a function of its own under
/// this name.
fn copy(func: &mut Function, plan: Plan, name: (&str, CompileWhen)) -> Option<Function> {
    let Plan { entry, header, blocks, checks, conditions } = plan;
    let last = func.terminator(entry)?;
    let args = func.insts[last].targets.iter().find(|target| target.block == header)?.args.clone();
    let span = func.insts[last].span;
    let (slow, call) = outline(func, header, &blocks, name, &args);
    let slots = spill_region::spill(func, &blocks);
    let label = func.blocks[header].label;
    let (guard, otherwise) = (func.add_block(label), func.add_block(label));
    call.emit(func, otherwise, &slots, span);
    for target in &mut func.insts[last].targets {
        if target.block == header {
            *target = BlockCall::new(guard, []);
        }
    }
    let mut builder = Builder::new(func, guard);
    builder.span = span;
    let passes = emit(&mut builder, &conditions);
    builder.branch(passes, BlockCall { block: header, args }, BlockCall::new(otherwise, []));
    bounds_checks::remove(func, &checks);
    mem2reg(func);
    Some(slow)
}

/// A nest of loops as a function of its own.
pub(crate) fn outline(
    func: &Function,
    header: Block,
    blocks: &[Block],
    (name, when): (&str, CompileWhen),
    args: &[Value],
) -> (Function, outline::Call) {
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    let failing = bounds_checks::failing_blocks(func);
    let nest = outline::Nest {
        func,
        tree: &tree,
        cfg: &cfg,
        header,
        blocks,
        when,
        failing: &|block| failing[block],
    };
    nest.outline(name, args)
}

/// Whether all conditions are true.
fn emit(builder: &mut Builder<'_>, conditions: &Conditions) -> Value {
    let mut limits: Vec<(Value, i64)> = Vec::new();
    for sum in conditions.nonnegative.iter().chain(&conditions.small) {
        for (value, limit) in sum.limits() {
            match limits.iter_mut().find(|known| known.0 == value) {
                Some(known) => known.1 = known.1.min(limit),
                None => limits.push((value, limit)),
            }
        }
    }
    let mut passes = builder.bool(true);
    for (value, limit) in limits {
        let up = builder.iconst(Native::I64, limit);
        let moved = builder.like_first(Op::Iadd, &[value, up]);
        let width = builder.iconst(Native::I64, 2 * limit);
        let holds = builder.icmp(IntCond::Ult, moved, width);
        passes = builder.like_first(Op::Iand, &[passes, holds]);
    }
    for sum in &conditions.nonnegative {
        let zero = builder.iconst(Native::I64, 0);
        // As loops ask whether they have an iteration, so that those in the nest need not ask again.
        let holds = match sum.above_zero() {
            Some(value) => builder.icmp(IntCond::Slt, zero, value),
            None => {
                let sum = sum.emit(builder);
                builder.icmp(IntCond::Sge, sum, zero)
            }
        };
        passes = builder.like_first(Op::Iand, &[passes, holds]);
    }
    passes
}
