//! Counted loops, which run as long as a variable compares with a bound: their end and trip count.

use crate::constant_folding::evaluate;
use crate::induction_variables::{Step, opposite};
use crate::range_analysis::{Conditions, Loops, Nest, number_of};
use entity::HashMap;
use flow::LoopId;
use ir::{Block, Builder, Function, IntCond, Native, Op, Value};

/// A loop that continues as long as a variable compares with a bound.
#[derive(Clone)]
pub(crate) struct Counted {
    /// The block that tests, and which target of its branch leads out.
    pub test: Block,
    pub out: usize,
    /// What is compared: a parameter of the head, or what it is in the next iteration.
    pub compared: Value,
    pub cond: IntCond,
    pub bound: Value,
    /// Whether the bound may be another one in each iteration.
    pub changes: bool,
    /// Which parameter of the head it is, where it starts, by what it changes.
    pub param: usize,
    pub start: Value,
    pub step: i64,
    /// Whether the head tests, or else the end of an iteration.
    pub ahead: bool,
}

impl Counted {
    pub(crate) fn find(loops: &Loops<'_>, this: LoopId) -> Option<Counted> {
        let header = loops.forest.get(this).header;
        let ahead = Self::tested_at(loops, this, header, true);
        ahead.or_else(|| Self::tested_at(loops, this, latch_test(loops, this)?, false))
    }

    /// The same of a loop that may also end elsewhere, by one of the tests that each iteration makes: there are no more iterations than it says.
    pub(crate) fn at_most(loops: &Loops<'_>, this: LoopId) -> Option<Counted> {
        Self::find(loops, this).or_else(|| {
            let nest = loops.forest.get(this);
            let [latch] = nest.latches[..] else { return None };
            let each_iteration =
                loops.tree.dominators(latch).filter(|&block| loops.forest.contains(this, block));
            let mut found = each_iteration.filter_map(|block| Self::tested_at(loops, this, block, false));
            found.find(|counted| counted.cond != IntCond::Ne)
        })
    }

    fn tested_at(loops: &Loops<'_>, this: LoopId, test: Block, ahead: bool) -> Option<Counted> {
        let func = loops.func;
        let nest = Nest { loops, outer: this, conditions: Conditions::default() };
        let (out, cond, a, b) = exit_test(&nest, test)?;
        let (cond, compared, bound) = match is_constant(func, a) || nest.is_invariant(a) {
            true => (swapped(cond)?, b, a),
            false => (cond, a, b),
        };
        // The length of a list is read before each iteration.
        let changes = !is_constant(func, bound) && !nest.is_invariant(bound);
        if changes && (!ahead || cond == IntCond::Ne || nest.home(bound) != Some(test)) {
            return None;
        }
        let header = loops.forest.get(this).header;
        let params = &func.blocks[header].params;
        let (param, start, step) = (0..params.len()).find_map(|at| {
            let is_it = compared == params[at] || !ahead && Some(compared) == handed(loops, this, at);
            let (start, Step::Number(step)) = is_it.then(|| nest.counter(this, params[at]))?? else {
                return None;
            };
            Some((at, start, step))
        })?;
        let counts = match cond {
            IntCond::Ne => (step == 1 || step == -1) && (ahead || differs(loops, this, start, bound)),
            IntCond::Slt | IntCond::Sle | IntCond::Ult => step > 0,
            IntCond::Sgt | IntCond::Sge => step < 0,
            _ => false,
        };
        // The size of a step is small beside what the type holds.
        let fits = func.native(bound).bits() >= 32 && step.unsigned_abs() <= 1 << 12;
        (counts && fits).then_some(Counted {
            test,
            out,
            compared,
            cond,
            bound,
            changes,
            param,
            start,
            step,
            ahead,
        })
    }

    /// How many iterations there are at most, if that is known.
    pub(crate) fn trip_count(&self, func: &Function) -> Option<u64> {
        let number = |value: Value| evaluate(func, value, &HashMap::default());
        let (start, bound) = (number(self.start)?, number(self.bound)?);
        let apart = if self.step > 0 { bound.checked_sub(start)? } else { start.checked_sub(bound)? };
        Some(apart.max(0) as u64 / self.step.unsigned_abs() + 2)
    }
}

/// Whether a loop is entered only where two values differ.
fn differs(loops: &Loops<'_>, this: LoopId, a: Value, b: Value) -> bool {
    let func = loops.func;
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let same =
        |x: Value, y: Value| x == y || is_constant(func, x) && number_of(func, x) == number_of(func, y);
    let [mut block] = loops.forest.get(this).entries[..] else { return false };
    let mut to = loops.forest.get(this).header;
    loop {
        let Some(last) = func.terminator(block).map(|last| &func.insts[last]) else { return false };
        if last.op == Op::Branch {
            let Some((cond, x, y)) = nest.comparison(last.args[0]) else { return false };
            let way = usize::from(cond == IntCond::Eq);
            let compares = same(x, a) && same(y, b) || same(x, b) && same(y, a);
            let leads = last.targets[way].block == to && last.targets[1 - way].block != to;
            return compares && leads && matches!(cond, IntCond::Eq | IntCond::Ne);
        }
        let [before] = loops.cfg.predecessors(block)[..] else { return false };
        (block, to) = (before, block);
    }
}

/// The same comparison of the operands in the other order.
fn swapped(cond: IntCond) -> Option<IntCond> {
    Some(match cond {
        IntCond::Ne => IntCond::Ne,
        IntCond::Slt => IntCond::Sgt,
        IntCond::Sle => IntCond::Sge,
        IntCond::Sgt => IntCond::Slt,
        IntCond::Sge => IntCond::Sle,
        IntCond::Ugt => IntCond::Ult,
        _ => return None,
    })
}

fn is_constant(func: &Function, value: Value) -> bool {
    number_of(func, value).is_some()
}

impl Counted {
    /// Whether the loop ends within this many iterations from a value of the counter on.
    pub(crate) fn ends_within(&self, builder: &mut Builder<'_>, start: Value, iterations: i64) -> Value {
        let native = builder.func.native(self.bound);
        let bound = match number_of(builder.func, self.bound) {
            Some(number) => builder.iconst(native, number),
            None => self.bound,
        };
        if self.cond == IntCond::Ne {
            let (from, to) = if self.step > 0 { (start, bound) } else { (bound, start) };
            let left = builder.like_first(Op::Isub, &[to, from]);
            let iterations = builder.iconst(native, iterations);
            return builder.icmp(IntCond::Ult, left, iterations);
        }
        let length = builder.iconst(native, iterations * self.step);
        let (sum, wraps) = self.sum(builder, start, length);
        let before = self.before();
        let ends = builder.icmp(before, bound, sum);
        builder.like_first(Op::Ior, &[wraps, ends])
    }

    /// The end of a strip of this many iterations that begins with a value of the counter, assuming the bound does not change.
    pub(crate) fn limit(&self, builder: &mut Builder<'_>, start: Value, iterations: i64) -> Value {
        let Counted { cond, bound, step, changes, .. } = *self;
        let native = builder.func.native(bound);
        let bound = match number_of(builder.func, bound) {
            Some(number) => builder.iconst(native, number),
            None => bound,
        };
        if cond == IntCond::Ne {
            // So many iterations are left, as the machine counts them.
            let (from, to) = if step > 0 { (start, bound) } else { (bound, start) };
            let left = builder.like_first(Op::Isub, &[to, from]);
            let length = builder.iconst(native, iterations);
            let few = builder.icmp(IntCond::Ult, left, length);
            let iterations = builder.select(few, left, length);
            return builder.like_first(if step > 0 { Op::Iadd } else { Op::Isub }, &[start, iterations]);
        }
        let length = builder.iconst(native, iterations * step);
        let (sum, wraps) = self.sum(builder, start, length);
        let last = match (changes, cond) {
            (false, _) => bound,
            (true, IntCond::Ult) => builder.iconst(native, -1),
            (true, _) => {
                let most = i64::MAX >> (64 - native.bits());
                builder.iconst(native, if step > 0 { most } else { -most - 1 })
            }
        };
        let limit = builder.select(wraps, last, sum);
        if changes { limit } else { nearer(builder, self, limit, bound) }
    }

    /// A value of the counter some iterations later, and whether there is no such value.
    pub(crate) fn sum(&self, builder: &mut Builder<'_>, start: Value, length: Value) -> (Value, Value) {
        if self.cond == IntCond::Ult {
            let sum = builder.like_first(Op::Iadd, &[start, length]);
            return (sum, builder.icmp(IntCond::Ult, sum, start));
        }
        let native = builder.func.native(start);
        let types = [ir::ValueType::Native(native), ir::ValueType::Native(Native::I1)];
        let sum = builder.inst(Op::SaddOverflow, [], &[start, length], &types);
        let results = &builder.func.insts[sum].results;
        (results[0], results[1])
    }

    /// The comparison that is true of a value and one that the counter has later.
    fn before(&self) -> IntCond {
        match self.cond {
            IntCond::Ult => IntCond::Ult,
            _ if self.step > 0 => IntCond::Slt,
            _ => IntCond::Sgt,
        }
    }
}

/// What the back edge hands to a parameter of the head, if there is one way.
pub(crate) fn handed(loops: &Loops<'_>, this: LoopId, at: usize) -> Option<Value> {
    let [latch] = loops.forest.get(this).latches[..] else { return None };
    let header = loops.forest.get(this).header;
    loops.func.edges(latch).find(|call| call.block == header)?.args.get(at).copied()
}

/// The comparison by which a block of the outer loop of a nest stays in it, and which of its two edges leads out.
pub(crate) fn exit_test(nest: &Nest<'_>, test: Block) -> Option<(usize, IntCond, Value, Value)> {
    let (func, forest) = (nest.loops.func, nest.loops.forest);
    let branch = &func.insts[func.terminator(test)?];
    let inside = |number: usize| forest.contains(nest.outer, branch.targets[number].block);
    if branch.op != Op::Branch || !forest.contains(nest.outer, test) || inside(0) == inside(1) {
        return None;
    }
    let (cond, a, b) = nest.comparison(branch.args[0])?;
    let out = usize::from(inside(0));
    Some((out, if out == 1 { cond } else { opposite(cond)? }, a, b))
}

/// The block after an iteration that tests whether there is another: the back edge leads from it to the poll, from there to the head.
pub(crate) fn latch_test(loops: &Loops<'_>, this: LoopId) -> Option<Block> {
    let [latch] = loops.forest.get(this).latches[..] else { return None };
    let [poll] = loops.cfg.predecessors(latch)[..] else { return None };
    let [test] = loops.cfg.predecessors(poll)[..] else { return None };
    Some(test)
}

/// The one of two ends of a loop that it reaches first.
pub(crate) fn nearer(builder: &mut Builder<'_>, counted: &Counted, one: Value, other: Value) -> Value {
    let is_nearer = builder.icmp(counted.before(), other, one);
    builder.select(is_nearer, other, one)
}
