//! Between what the integers of a nest of loops lie, in terms of what does not change in it.

use crate::linear::Linear;
use entity::HashSet;
use flow::{Cfg, DominatorTree, LoopForest, LoopId};
use ir::{Attr, Block, BlockCall, Def, Function, Inst, IntCond, Native, Op, Value};

/// The least and the largest value. No value at all is possible, too: a loop may never run.
pub(crate) type Interval = (Linear, Linear);

/// What must be true for intervals to hold.
#[derive(Clone, Default, Debug)]
pub(crate) struct Conditions {
    /// Sums that are at least 0.
    pub naturals: Vec<Linear>,
    /// Sums that a machine word holds.
    pub small: Vec<Linear>,
}

impl Conditions {
    /// Whether nothing must be true.
    pub(crate) fn is_empty(&self) -> bool {
        self.naturals.is_empty() && self.small.is_empty()
    }
}

/// A function with its loops.
pub(crate) struct Loops<'a> {
    pub func: &'a Function,
    pub cfg: &'a Cfg<Block>,
    pub tree: &'a DominatorTree<Block>,
    pub forest: &'a LoopForest<Block>,
    /// Where each instruction stands.
    pub places: &'a entity::SideTable<Inst, entity::PackedOption<Block>>,
    /// Values that are lengths of arrays: at least 0.
    pub lengths: &'a HashSet<Value>,
}

/// What a variable of a loop changes by each time around.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Number(i64),
    Value(Value),
}

/// How deep sums of sums are looked into.
const DEPTH: u32 = 12;

/// Intervals of the values in one nest.
pub(crate) struct Nest<'a> {
    pub loops: &'a Loops<'a>,
    /// Its outermost loop.
    pub outer: LoopId,
    /// What was taken for granted so far.
    pub conditions: Conditions,
}

impl Nest<'_> {
    pub(crate) fn func(&self) -> &Function {
        self.loops.func
    }

    /// The block that defines a value.
    fn home(&self, value: Value) -> Option<Block> {
        match self.func().values[value].def {
            Def::Param(block, _) => Some(block),
            Def::Result(inst, _) => self.loops.places[inst].expand(),
        }
    }

    /// Whether a value is the same throughout the nest.
    pub fn is_invariant(&self, value: Value) -> bool {
        self.home(value).is_some_and(|home| !self.loops.forest.contains(self.outer, home))
    }

    /// A length, as a sum.
    pub fn length(&self, length: Value) -> Linear {
        number_of(self.func(), length).and_then(Linear::number).unwrap_or_else(|| Linear::value(length))
    }

    /// The interval of a 64-bit value where it is used in `user`.
    pub fn interval(&mut self, value: Value, user: Block, depth: u32) -> Option<Interval> {
        if depth > DEPTH || self.func().native(value) != Native::I64 {
            return None;
        }
        if self.is_invariant(value) {
            let sum = self.invariant(value, depth)?;
            return Some((sum.clone(), sum));
        }
        match self.func().values[value].def {
            Def::Param(header, _) => {
                let this = self.loops.forest.loop_of_header(header)?;
                self.induction(this, value, user, depth)
            }
            Def::Result(inst, _) => self.computed(inst, depth),
        }
    }

    /// A value that does not change in the nest, as a sum of such. The sum may differ from the value by a
    /// multiple of 2 to the 64th.
    fn invariant(&self, value: Value, depth: u32) -> Option<Linear> {
        let opaque = Linear::value(value);
        let Def::Result(inst, _) = self.func().values[value].def else { return Some(opaque) };
        let data = &self.func().insts[inst];
        if let (Op::Iconst, &[_, Attr::Int(number)]) = (data.op, &data.attrs[..]) {
            return Some(Linear::number(number).unwrap_or(opaque));
        }
        let factor = match data.op {
            Op::Iadd => 1,
            Op::Isub => -1,
            _ => return Some(opaque),
        };
        if depth > DEPTH || self.loops.lengths.contains(&value) {
            return Some(opaque);
        }
        let (a, b) = (self.invariant(data.args[0], depth + 1)?, self.invariant(data.args[1], depth + 1)?);
        Some(a.plus(&b, factor).unwrap_or(opaque))
    }

    fn computed(&mut self, inst: Inst, depth: u32) -> Option<Interval> {
        let home = self.loops.places[inst].expand()?;
        let data = self.func().insts[inst].clone();
        let operand = |nest: &mut Self, number: usize| nest.interval(data.args[number], home, depth + 1);
        match data.op {
            Op::Iconst => match data.attrs[1] {
                Attr::Int(number) => Linear::number(number).map(|number| (number.clone(), number)),
                _ => None,
            },
            Op::Iadd => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                Some((a.0.plus(&b.0, 1)?, a.1.plus(&b.1, 1)?))
            }
            Op::Isub => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                Some((a.0.plus(&b.1, -1)?, a.1.plus(&b.0, -1)?))
            }
            Op::Imul => {
                let (a, b) = (operand(self, 0)?, operand(self, 1)?);
                self.product(a, b)
            }
            Op::Zext if self.func().native(data.args[0]) == Native::I8 => {
                Some((Linear::number(0)?, Linear::number(255)?))
            }
            Op::Select => {
                let chosen = self.decided(data.args[0], home, depth + 1)?;
                operand(self, if chosen { 1 } else { 2 })
            }
            _ => None,
        }
    }

    fn product(&mut self, a: Interval, b: Interval) -> Option<Interval> {
        for (number, other) in [(&a, &b), (&b, &a)] {
            if let (Some(low), Some(high)) = (number.0.known(), number.1.known())
                && low == high
            {
                let zero = Linear::number(0)?;
                let ends = (zero.plus(&other.0, low)?, zero.plus(&other.1, low)?);
                return Some(if low >= 0 { ends } else { (ends.1, ends.0) });
            }
        }
        self.conditions.naturals.extend([a.0.clone(), b.0.clone()]);
        Some((a.0.times(&b.0)?, a.1.times(&b.1)?))
    }

    /// Whether a condition is true, or is not, wherever it is computed in the nest: comparisons with 0.
    fn decided(&mut self, condition: Value, user: Block, depth: u32) -> Option<bool> {
        let (cond, value, zero) = self.comparison(condition)?;
        if cond != IntCond::Slt || number_of(self.func(), zero) != Some(0) {
            return None;
        }
        if let Some(number) = number_of(self.func(), value) {
            return Some(number < 0);
        }
        let (low, high) = self.interval(value, user, depth)?;
        if low.is_natural(self.loops.lengths) == Some(true) && self.is_exact(&low) && self.is_exact(&high) {
            return Some(false);
        }
        (high.known()? < 0).then_some(true)
    }

    /// Whether a machine word holds the sum for certain.
    fn is_exact(&self, sum: &Linear) -> bool {
        sum.fits(self.loops.lengths)
    }

    /// Notes that a sum must be what the machine computes.
    pub(crate) fn take_as_exact(&mut self, sum: &Linear) {
        if !self.is_exact(sum) {
            self.conditions.small.push(sum.clone());
        }
    }

    // ---- loops ----

    /// The interval of a variable that a loop counts with.
    fn induction(&mut self, this: LoopId, param: Value, user: Block, depth: u32) -> Option<Interval> {
        let ahead = self.apart(|nest| nest.tested_ahead(this, param, user, depth));
        let found = ahead.or_else(|| self.apart(|nest| nest.tested_behind(this, param, user, depth)));
        let (interval, conditions) = found?;
        self.conditions.naturals.extend(conditions.naturals);
        self.conditions.small.extend(conditions.small);
        Some(interval)
    }

    /// The same behind the test at the loop's head.
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
                // The step behind the last must not wrap.
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

    /// The test at a loop's head as it is where the loop goes on.
    fn test_of(&self, this: LoopId) -> Option<(IntCond, Value, Value)> {
        let header = self.loops.forest.get(this).header;
        let branch = &self.func().insts[self.func().terminator(header)?];
        let (cond, a, b) = self.comparison(*branch.args.first()?)?;
        let goes_on = self.loops.forest.contains(this, branch.targets[0].block);
        let cond = if goes_on { cond } else { opposite(cond)? };
        Some((cond, a, b))
    }

    /// The block that a loop goes on in behind the test at its head.
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
    Some(match cond {
        IntCond::Eq => IntCond::Ne,
        IntCond::Slt => IntCond::Sge,
        IntCond::Sge => IntCond::Slt,
        IntCond::Sle => IntCond::Sgt,
        IntCond::Sgt => IntCond::Sle,
        _ => return None,
    })
}

/// The number that a value is.
pub(crate) fn number_of(func: &Function, value: Value) -> Option<i64> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    let data = &func.insts[inst];
    match (data.op, &data.attrs[..]) {
        (Op::Iconst, &[_, Attr::Int(number)]) => Some(number),
        _ => None,
    }
}
