//! Loop peeling: peels the first iterations of a loop if only they have negative indices.
//!
//! ```text
//! block1(%i = 0): branch %i < %n, block2, block3     becomes   block5: branch 0 < %n, block6, block3
//! block2: ... a[%i - 1] ...; jump block1(%i + 1)               block6: ... a[-1] ...; jump block1(1)
//!                                                              block1(%i): branch %i < %n, block2, block3
//! ```
//!
//! In `u[i] - u[i - 1]` starting at index 0, the neighbor of the first element is the last one. After the first iteration no index is
//! negative, so the checks can be removed ([`crate::loop_versioning`]), and the loop can be vectorized.

use crate::bounds_checks::{self, Check};
use crate::induction_variables::Step;
use crate::loop_copies::copy_iteration;
use crate::place_polls::remove_polls_in;
use crate::range_analysis::{Conditions, LoopAnalyses, Loops, Nest, number_of};
use crate::{mem2reg::mem2reg, spill_region};
use entity::HashSet;
use flow::LoopId;
use ir::{Attr, Block, Builder, Def, Function, IntCond, Native, Op, Value};

/// So many iterations are peeled at most.
const MAX_ITERATIONS: i64 = 2;

/// Instructions of a loop.
const MAX_INSTS: usize = 200;

/// Instructions that all iterations of a function may have.
const ALL_PEELED: usize = 1000;

/// Puts the first iterations of loops before them where checks pass after these.
pub fn peel_loops(func: &mut Function) {
    let mut room = ALL_PEELED;
    let plans = plans(func, &mut room);
    for plan in &plans {
        peel(func, plan);
    }
    if !plans.is_empty() {
        mem2reg(func);
    }
}

/// A loop to peel.
struct Plan {
    header: Block,
    entry: Block,
    blocks: Vec<Block>,
    iterations: i64,
    /// Which of the header's parameters counts, from where on, by how much.
    counter: (usize, i64, i64),
    /// Which one counts the iterations of a range that are left, and where the range ends.
    left: Option<(usize, Value)>,
}

fn plans(func: &Function, room: &mut usize) -> Vec<Plan> {
    let checks = bounds_checks::find(func);
    if checks.iter().all(|check| check.at == check.found) {
        return Vec::new();
    }
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return Vec::new();
    }
    let lengths = HashSet::default();
    let loops = analyses.loops(func, &lengths);
    loops.forest.innermost_loops().filter_map(|this| plan(&loops, this, &checks, room)).collect()
}

fn plan(loops: &Loops<'_>, this: LoopId, checks: &[Check], room: &mut usize) -> Option<Plan> {
    let (func, forest) = (loops.func, loops.forest);
    let header = forest.get(this).header;
    let [entry] = forest.get(this).entries[..] else { return None };
    let blocks = forest.body(this).to_vec();
    let is_plain = |&block: &Block| {
        let data = &func.blocks[block];
        let is_fit = |&inst: &ir::Inst| !matches!(func.insts[inst].op, Op::Suspend | Op::StackSlot);
        data.handler.is_none() && data.insts.iter().all(is_fit)
    };
    let size: usize = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
    if func.blocks[header].cold || size > MAX_INSTS || !blocks.iter().all(is_plain) {
        return None;
    }
    // After a condition an index may be asked for in later iterations only.
    let each_iteration = |check: &&Check| {
        forest.contains(this, check.block)
            && check.at != check.found
            && forest.get(this).latches.iter().all(|&latch| loops.tree.dominates(check.block, latch))
    };
    let mut wrapping =
        checks.iter().filter(each_iteration).filter_map(|check| iterations_from_end(loops, this, check.at));
    let (iterations, counter) = wrapping.next()?;
    let iterations = wrapping.filter(|more| more.1 == counter).map(|more| more.0).fold(iterations, i64::max);
    *room = room.checked_sub(size * iterations as usize)?;
    Some(Plan { header, entry, blocks, iterations, counter, left: iterations_left(loops, this, counter) })
}

/// How many iterations there are in which an index is counted from the end, and by what it counts.
fn iterations_from_end(loops: &Loops<'_>, this: LoopId, at: Value) -> Option<(i64, (usize, i64, i64))> {
    let func = loops.func;
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let (mut value, mut distance) = (at, 0i64);
    while let Def::Result(inst, _) = func.values[value].def {
        let data = &func.insts[inst];
        let sign = match data.op {
            Op::Iadd => 1,
            Op::Isub => -1,
            _ => return None,
        };
        distance = distance.checked_add(sign * number_of(func, data.args[1])?.checked_rem(1 << 20)?)?;
        value = data.args[0];
    }
    let (start, Step::Number(step)) = nest.counter(this, value)? else { return None };
    let Def::Param(_, number) = func.values[value].def else { return None };
    let start = number_of(func, start).filter(|start| start.abs() < 1 << 20)?;
    let first = start + distance;
    if step < 1 || first >= 0 || func.native(at) != Native::I64 {
        return None;
    }
    let iterations = (step - 1 - first) / step;
    (iterations <= MAX_ITERATIONS).then_some((iterations, (usize::from(number), start, step)))
}

/// The parameter that says how many iterations of a range with this counter are left, and the end of the range: see `ranges` of `builtins`.
fn iterations_left(loops: &Loops<'_>, this: LoopId, counter: (usize, i64, i64)) -> Option<(usize, Value)> {
    let (func, nest) = (loops.func, loops.forest.get(this));
    let (_, start, 1) = counter else { return None };
    let operands = |value: Value, op: Op| match func.values[value].def {
        Def::Result(inst, _) if func.insts[inst].op == op => Some(&func.insts[inst]),
        _ => None,
    };
    let is_start = |value: Value| number_of(func, value) == Some(start);
    let given = func.edges(nest.entries[0]).find(|call| call.block == nest.header)?;
    let found = given.args.iter().enumerate().find_map(|(at, &count)| {
        let chosen = operands(count, Op::Select)?;
        let any = operands(chosen.args[0], Op::Icmp)?;
        let span = operands(chosen.args[1], Op::Isub)?;
        let stop = span.args[0];
        let fits = any.attrs.first() == Some(&Attr::IntCond(IntCond::Slt))
            && is_start(any.args[0])
            && any.args[1] == stop
            && is_start(span.args[1])
            && number_of(func, chosen.args[2]) == Some(0);
        fits.then_some((at, stop))
    });
    let (at, stop) = found?;
    let param = func.blocks[nest.header].params[at];
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let down_by_one = matches!(nest.counter(this, param)?.1, Step::Number(-1));
    down_by_one.then_some((at, stop))
}

fn peel(func: &mut Function, plan: &Plan) {
    spill_region::spill(func, &plan.blocks);
    let (at, start, step) = plan.counter;
    let mut before = plan.entry;
    let mut copied: HashSet<Block> = HashSet::default();
    for iteration in 1..=plan.iterations {
        let copies = copy_iteration(func, plan.header, &plan.blocks);
        lead(func, before, plan.header, copies[&plan.header]);
        copied.extend(copies.values().copied());
        // All back edges of the copy meet, where it is known how far the counters are.
        let meet = func.add_block(func.blocks[plan.header].label);
        let params = func.blocks[plan.header].params.clone();
        let mut args: Vec<Value> = Vec::new();
        for param in params {
            args.push(func.add_param(meet, func.values[param].ty));
        }
        for &block in &plan.blocks {
            lead(func, copies[&block], plan.header, meet);
        }
        let mut builder = Builder::new(func, meet);
        let from = builder.iconst(Native::I64, start + iteration * step);
        args[at] = from;
        if let Some((left, stop)) = plan.left {
            let any = builder.icmp(IntCond::Slt, from, stop);
            let span = builder.like_first(Op::Isub, &[stop, from]);
            let none = builder.iconst(Native::I64, 0);
            args[left] = builder.select(any, span, none);
        }
        builder.jump(plan.header, &args);
        before = meet;
    }
    // They are no loop any more.
    remove_polls_in(func, |block| copied.contains(&block));
}

/// A block continues elsewhere than at the head of a loop.
fn lead(func: &mut Function, from: Block, header: Block, to: Block) {
    let Some(last) = func.terminator(from) else { return };
    let back = func.insts[last].targets.iter_mut().filter(|target| target.block == header);
    back.for_each(|target| target.block = to);
}
