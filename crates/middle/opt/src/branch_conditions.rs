//! Facts implied by dominating branches, and rotated loops, which test after the body.

use crate::affine::Affine;
use crate::induction_variables::{Step, opposite};
use crate::range_analysis::{Conditions, Interval, Nest, number_of};
use flow::LoopId;
use ir::{Block, Def, Function, IntCond, Op, Value};

/// How many branches on the way to a block are looked at.
const MAX_DOMINATORS: usize = 24;

/// A comparison that is true.
type Fact = (IntCond, Value, Value);

/// A bound with what must be true for it to hold.
pub(crate) type Bound = (Affine, Conditions);

impl Nest<'_> {
    /// What the branches that lead to a block say.
    fn facts(&self, block: Block) -> Vec<Fact> {
        let dominators =
            self.loops.tree.dominators(block).filter(|&above| above != block).take(MAX_DOMINATORS);
        dominators
            .filter_map(|above| self.fact_of(above, |side| self.loops.tree.dominates(side, block)))
            .collect()
    }

    /// What is true after the side of a block's branch that is chosen, if the other is not.
    fn fact_of(&self, block: Block, chosen: impl Fn(Block) -> bool) -> Option<Fact> {
        let last = self.func().terminator(block)?;
        let data = &self.func().insts[last];
        if data.op != Op::Branch || data.targets[0].block == data.targets[1].block {
            return None;
        }
        let leads = |number: usize| {
            let side = data.targets[number].block;
            chosen(side) && self.loops.cfg.predecessors(side).len() == 1
        };
        let (cond, a, b) = self.comparison(data.args[0])?;
        match (leads(0), leads(1)) {
            (true, false) => Some((cond, a, b)),
            (false, true) => Some((opposite(cond)?, a, b)),
            _ => None,
        }
    }

    /// What is true of values on the way from a block to another.
    fn facts_between(&self, from: Block, to: Block) -> Vec<Fact> {
        let mut facts = self.facts(from);
        if let Some(last) = self.func().terminator(from)
            && let [then, other] = &self.func().insts[last].targets[..]
            && (then.block == to) != (other.block == to)
            && let Some((cond, a, b)) = self.comparison(self.func().insts[last].args[0])
        {
            let cond = if then.block == to { Some(cond) } else { opposite(cond) };
            facts.extend(cond.map(|cond| (cond, a, b)));
        }
        facts
    }

    /// The values that a value is below (or above), each with the minimum distance.
    fn compared(&self, facts: &[Fact], value: Value, above: bool) -> Vec<(Value, i64)> {
        let bounds = facts.iter().filter_map(|&(cond, a, b)| {
            let (own, other, below) = match cond {
                IntCond::Slt | IntCond::Sle => (a, b, true),
                IntCond::Sgt | IntCond::Sge => (a, b, false),
                _ => return None,
            };
            let apart = i64::from(matches!(cond, IntCond::Slt | IntCond::Sgt));
            if below != above && same(self.func(), own, value, 0) {
                Some((other, apart))
            } else if below == above && same(self.func(), other, value, 0) {
                Some((own, apart))
            } else {
                None
            }
        });
        bounds.collect()
    }

    /// Does something under conditions of its own.
    pub(crate) fn apart<T>(
        &mut self,
        compute: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(T, Conditions)> {
        let before = std::mem::take(&mut self.conditions);
        let found = compute(self);
        let conditions = std::mem::replace(&mut self.conditions, before);
        found.map(|found| (found, conditions))
    }

    /// Lower (or upper) bounds of a value in a block, by what it is compared with on the way there.
    pub(crate) fn bounds(&mut self, value: Value, block: Block, lower: bool) -> Vec<Bound> {
        let facts = self.facts(block);
        let others = self.compared(&facts, value, lower);
        let bound = |(other, apart): (Value, i64)| {
            self.apart(|nest| {
                let (low, high) = nest.interval(other, block, 1)?;
                let end = if lower { low } else { high };
                nest.take_as_exact(&end);
                end.plus_number(if lower { apart } else { -apart })
            })
        };
        others.into_iter().filter_map(bound).collect()
    }

    /// The interval of a value, within what the branches on the way to `user` compare it with: numbers, and what does not change in the nest.
    pub(crate) fn narrowed(
        &mut self,
        found: Option<(Interval, Conditions)>,
        value: Value,
        user: Block,
    ) -> Option<(Interval, Conditions)> {
        let facts = self.facts(user);
        let (low, high) = (self.fixed_bound(&facts, value, true), self.fixed_bound(&facts, value, false));
        if low.is_none() && high.is_none() {
            return found;
        }
        let Some(((from, to), conditions)) = found else {
            let ((low, mut conditions), (high, more)) = (low?, high?);
            conditions.small.extend(more.small);
            return Some(((low, high), conditions));
        };
        let lengths = self.loops.lengths;
        let exceeds = |one: &Affine, other: &Affine| {
            let apart = one.plus(other, -1);
            apart.is_some_and(|apart| apart.known() != Some(0) && apart.is_natural(lengths) == Some(true))
        };
        let low = low.filter(|(low, _)| exceeds(low, &from));
        let high = high.filter(|(high, _)| exceeds(&to, high));
        if low.is_none() && high.is_none() {
            return Some(((from, to), conditions));
        }
        // Branches speak of the value that the machine computes.
        let mut exact = Nest { loops: self.loops, outer: self.outer, conditions };
        exact.take_as_exact(&from);
        exact.take_as_exact(&to);
        let mut end = |bound: Option<Bound>, otherwise: Affine| {
            let Some((sum, more)) = bound else { return otherwise };
            exact.conditions.small.extend(more.small);
            sum
        };
        let interval = (end(low, from), end(high, to));
        Some((interval, exact.conditions))
    }

    /// A lower (or upper) bound of a value that is the same throughout the nest.
    fn fixed_bound(&mut self, facts: &[Fact], value: Value, lower: bool) -> Option<Bound> {
        let lengths = self.loops.lengths;
        let others = self.compared(facts, value, lower);
        let bounds = others.into_iter().filter_map(|(other, apart)| {
            self.apart(|nest| {
                let end = match number_of(nest.func(), other) {
                    Some(number) => Affine::number(number)?,
                    None if nest.is_invariant(other) => nest.invariant(other, 0)?,
                    None => return None,
                };
                nest.take_as_exact(&end);
                end.plus_number(if lower { apart } else { -apart })
            })
        });
        bounds.reduce(|one, other| {
            let apart = one.0.plus(&other.0, -1).and_then(|apart| apart.is_natural(lengths));
            if apart == Some(lower) { one } else { other }
        })
    }

    /// The interval of a variable of a loop that is tested before it begins and after each iteration.
    pub(crate) fn tested_behind(
        &mut self,
        this: LoopId,
        param: Value,
        user: Block,
        depth: u32,
    ) -> Option<Interval> {
        let (start, Step::Number(step)) = self.counter(this, param)? else { return None };
        if !self.loops.forest.contains(this, user) {
            return None;
        }
        let nest = self.loops.forest.get(this).clone();
        let Def::Param(_, number) = self.func().values[param].def else { return None };
        let up = step > 0;
        let mut ends: Option<Affine> = None;
        for &from in nest.entries.iter().chain(&nest.latches) {
            let call = self.func().edges(from).find(|call| call.block == nest.header)?;
            let value = call.args[usize::from(number)];
            let facts = self.facts_between(from, nest.header);
            let others = self.compared(&facts, value, !up);
            let is_fixed = |other: Value| self.is_invariant(other) || number_of(self.func(), other).is_some();
            let (other, apart) = *others.iter().find(|(other, _)| is_fixed(*other))?;
            let (low, high) = self.interval(other, nest.header, depth + 1)?;
            let end = if up { high.plus_number(-apart)? } else { low.plus_number(apart)? };
            if *ends.get_or_insert_with(|| end.clone()) != end {
                return None;
            }
        }
        let end = ends?;
        let first = self.interval(start, nest.entries[0], depth + 1)?;
        // The step after the last must not wrap.
        let behind = end.plus_number(step)?;
        for sum in [&first.0, &first.1, &end, &behind] {
            self.take_as_exact(sum);
        }
        Some(if up { (first.0, end) } else { (end, first.1) })
    }
}

/// Whether two values are computed alike from the same ones.
pub(crate) fn same(func: &Function, one: Value, other: Value, depth: u32) -> bool {
    if one == other {
        return true;
    }
    if let (Some(a), Some(b)) = (number_of(func, one), number_of(func, other)) {
        return a == b && func.native(one) == func.native(other);
    }
    if func.native(one) != func.native(other) {
        return false;
    }
    let (Def::Result(one, _), Def::Result(other, _)) = (func.values[one].def, func.values[other].def) else {
        return false;
    };
    let (one, other) = (&func.insts[one], &func.insts[other]);
    depth < 4
        && one.op == other.op
        && matches!(one.op, Op::Iadd | Op::Isub | Op::Imul | Op::Zext | Op::Sext)
        && one.args.iter().zip(&other.args).all(|(&a, &b)| same(func, a, b, depth + 1))
}
