//! Induction variables of loops: start, step, and the bound of the exit test.

use crate::range_analysis::{Interval, Nest, number_of};
use flow::LoopId;
use ir::{Attr, Block, BlockCall, Def, IntCond, Op, Value};

/// What a variable of a loop changes by each time around.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Number(i64),
    Value(Value),
}

impl Nest<'_> {
    /// The interval of a variable that a loop counts with.
    pub(crate) fn induction(
        &mut self,
        this: LoopId,
        param: Value,
        user: Block,
        depth: u32,
    ) -> Option<Interval> {
        let ahead = self.apart(|nest| nest.tested_ahead(this, param, user, depth));
        let found = ahead.or_else(|| self.apart(|nest| nest.tested_behind(this, param, user, depth)));
        let (interval, conditions) = found?;
        self.conditions.nonnegative.extend(conditions.nonnegative);
        self.conditions.small.extend(conditions.small);
        Some(interval)
    }

    /// The same after the test at the loop's head.
    fn tested_ahead(&mut self, this: LoopId, param: Value, user: Block, depth: u32) -> Option<Interval> {
        let (start, step) = self.counter(this, param)?;
        let body = self.body_of(this)?;
        if !self.loops.tree.dominates(body, user) || !self.loops.forest.contains(this, user) {
            return None;
        }
        let entry = self.loops.forest.get(this).entries[0];
        let up = match step {
            Step::Number(step) => step > 0,
            Step::Value(step) => {
                let (low, high) = self.interval(step, entry, depth + 1)?;
                let exact = self.is_exact(&low) && self.is_exact(&high);
                if !exact || low.plus_number(-1)?.is_natural(self.loops.lengths) != Some(true) {
                    return None;
                }
                true
            }
        };
        let stop = match self.test_of(this)? {
            (IntCond::Ne, left, zero) if number_of(self.func(), zero) == Some(0) => {
                let (count, down_by_one) = self.counter(this, left)?;
                if !matches!(down_by_one, Step::Number(-1)) {
                    return None;
                }
                // How many are left when the loop begins, from start to stop in these steps.
                (self.stop_of(count, start, step, up, entry, depth)?, 1)
            }
            (cond, value, bound) if value == param => {
                let beyond = match (cond, up) {
                    (IntCond::Slt, true) | (IntCond::Sgt, false) => 1,
                    (IntCond::Sle, true) | (IntCond::Sge, false) => 0,
                    _ => return None,
                };
                let bound = self.interval(bound, body, depth + 1)?;
                // The step after the last must not wrap.
                let Step::Number(step) = step else { return None };
                let last = if up { &bound.1 } else { &bound.0 };
                let behind = last.plus_number(step)?.plus_number(if up { -beyond } else { beyond })?;
                self.take_as_exact(&behind);
                (bound, beyond)
            }
            _ => return None,
        };
        let first = self.interval(start, entry, depth + 1)?;
        for sum in [&first.0, &first.1, &stop.0.0, &stop.0.1] {
            self.take_as_exact(sum);
        }
        let (bound, beyond) = stop;
        Some(if up {
            (first.0, bound.1.plus_number(-beyond)?)
        } else {
            (bound.0.plus_number(beyond)?, first.1)
        })
    }

    /// Where a parameter of a loop's head starts and by what it changes each time around.
    pub(crate) fn counter(&self, this: LoopId, param: Value) -> Option<(Value, Step)> {
        let header = self.loops.forest.get(this).header;
        let Def::Param(home, number) = self.func().values[param].def else { return None };
        if home != header {
            return None;
        }
        let [entry] = self.loops.forest.get(this).entries[..] else { return None };
        let given = |block: Block| {
            let calls = self.func().edges(block).filter(|call| call.block == header);
            let mut given = calls.map(|call: &BlockCall| call.args[usize::from(number)]);
            let value = given.next()?;
            given.all(|other| other == value).then_some(value)
        };
        let mut latches = self.loops.forest.get(this).latches.iter();
        let next = given(*latches.next()?)?;
        if !latches.all(|&latch| given(latch) == Some(next)) {
            return None;
        }
        let Def::Result(inst, _) = self.func().values[next].def else { return None };
        let data = &self.func().insts[inst];
        let step = match data.op {
            Op::Iadd if data.args[0] == param => data.args[1],
            Op::Iadd if data.args[1] == param => data.args[0],
            Op::Isub if data.args[0] == param => {
                let step = number_of(self.func(), data.args[1])?.checked_neg()?;
                return Some((given(entry)?, Step::Number(step)));
            }
            _ => return None,
        };
        let start = given(entry)?;
        match number_of(self.func(), step) {
            Some(number) => Some((start, Step::Number(number))),
            None => {
                (!self.loops.forest.contains(this, self.home(step)?)).then_some((start, Step::Value(step)))
            }
        }
    }

    /// The interval of the stop of a range, from how many values it has: see `ranges` of `builtins`.
    ///
    /// ```text
    /// low < high ? (high - low - 1) / |step| + 1 : 0, and high - low where the step is 1
    /// ```
    fn stop_of(
        &mut self,
        count: Value,
        start: Value,
        step: Step,
        up: bool,
        user: Block,
        depth: u32,
    ) -> Option<Interval> {
        let (any, all, none) = self.three(count, Op::Select)?;
        if number_of(self.func(), none) != Some(0) {
            return None;
        }
        let (cond, low, high) = self.comparison(any)?;
        let ends = [self.chosen(low, user, depth), self.chosen(high, user, depth)];
        let [low, high] = ends;
        let (own, stop) = if up { (low, high) } else { (high, low) };
        if cond != IntCond::Slt || own != start {
            return None;
        }
        let mut span = all;
        if let Some((quotient, one)) = self.two(all, Op::Iadd) {
            let (before, stride) = self.two(quotient, Op::Udiv)?;
            let (whole, again_one) = self.two(before, Op::Isub)?;
            let stride = self.chosen(stride, user, depth);
            let is_step = |value: Value| match step {
                Step::Number(number) => number_of(self.func(), value) == Some(number),
                Step::Value(step) => value == step,
            };
            let strides = if up {
                is_step(stride)
            } else {
                let (zero, of) = self.two(stride, Op::Isub)?;
                number_of(self.func(), zero) == Some(0) && is_step(of)
            };
            if !strides || [one, again_one].iter().any(|&one| number_of(self.func(), one) != Some(1)) {
                return None;
            }
            span = whole;
        } else if !matches!(step, Step::Number(1)) {
            return None;
        }
        let (to, from) = self.two(span, Op::Isub)?;
        if (self.chosen(to, user, depth), self.chosen(from, user, depth)) != (high, low) {
            return None;
        }
        self.interval(stop, user, depth + 1)
    }

    /// The operands of an instruction of this kind that computes a value.
    fn operands(&self, value: Value, op: Op) -> Option<&[Value]> {
        let Def::Result(inst, _) = self.func().values[value].def else { return None };
        let data = &self.func().insts[inst];
        (data.op == op).then_some(&data.args[..])
    }

    fn two(&self, value: Value, op: Op) -> Option<(Value, Value)> {
        self.operands(value, op).map(|args| (args[0], args[1]))
    }

    fn three(&self, value: Value, op: Op) -> Option<(Value, Value, Value)> {
        self.operands(value, op).map(|args| (args[0], args[1], args[2]))
    }

    pub(crate) fn comparison(&self, value: Value) -> Option<(IntCond, Value, Value)> {
        let (a, b) = self.two(value, Op::Icmp)?;
        let Def::Result(inst, _) = self.func().values[value].def else { return None };
        match self.func().insts[inst].attrs.first() {
            Some(&Attr::IntCond(cond)) => Some((cond, a, b)),
            _ => None,
        }
    }

    /// What a `select` comes to, where its condition is known.
    fn chosen(&mut self, value: Value, user: Block, depth: u32) -> Value {
        let Some((condition, then, other)) = self.three(value, Op::Select) else { return value };
        match self.decided(condition, user, depth + 1) {
            Some(true) => then,
            Some(false) => other,
            None => value,
        }
    }

    /// The test at a loop's head as it is where the loop continues.
    fn test_of(&self, this: LoopId) -> Option<(IntCond, Value, Value)> {
        let header = self.loops.forest.get(this).header;
        let branch = &self.func().insts[self.func().terminator(header)?];
        let (cond, a, b) = self.comparison(*branch.args.first()?)?;
        let goes_on = self.loops.forest.contains(this, branch.targets[0].block);
        let cond = if goes_on { cond } else { opposite(cond)? };
        Some((cond, a, b))
    }

    /// The block that a loop continues in after the test at its head.
    fn body_of(&self, this: LoopId) -> Option<Block> {
        let header = self.loops.forest.get(this).header;
        let branch = &self.func().insts[self.func().terminator(header)?];
        let mut inside =
            branch.targets.iter().filter(|target| self.loops.forest.contains(this, target.block));
        let (body, None) = (inside.next()?.block, inside.next()) else { return None };
        // Nothing else leads there.
        let only = self
            .func()
            .layout
            .iter()
            .all(|&block| block == header || self.func().edges(block).all(|call| call.block != body));
        (branch.op == Op::Branch && only && body != header).then_some(body)
    }
}

pub(crate) fn opposite(cond: IntCond) -> Option<IntCond> {
    use IntCond::{Eq, Sge, Sgt, Sle, Slt};
    matches!(cond, Eq | Slt | Sge | Sle | Sgt).then(|| cond.negated())
}
