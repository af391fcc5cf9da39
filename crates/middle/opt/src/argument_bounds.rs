//! Loops that are short unless the arguments of their function are large: the limits of these arguments.
//!
//! ```text
//! def f(a, n):                            f ends soon if word 2, the length of `a`, and `n`
//!     for x in a:                         are no larger than 1,449
//!         for i in range(n): ...
//! ```
//!
//! Who calls the function compares the words of its arguments, and calls another version of it where one is larger. Absent: bounds that are
//! read from memory.

use crate::counted_loops::Counted;
use crate::range_analysis::{Loops, number_of};
use entity::SideTable;
use flow::LoopId;
use ir::{Attr, Block, Def, Function, IntCond, Native, Op, Value};
use std::cell::RefCell;

/// What all loops that are bounded so cost together.
const LONG: u64 = 1 << 26;

/// Powers of two between which the largest argument is looked for: it is worth nothing if it is smaller.
const MIN_LOG2: u32 = 6;
const MAX_LOG2: u32 = 40;

/// How deep sums of sums are looked into.
const DEPTH: u32 = 10;

/// What the arguments of a function must be so that its loops end soon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentBounds {
    /// The parameters that count.
    pub params: Vec<usize>,
    /// The largest unsigned number that each of them may be.
    pub most: u64,
}

/// A loop as far as it matters how long it takes.
pub(crate) struct Timed {
    pub parent: Option<LoopId>,
    /// What its own instructions cost, if that has a bound.
    pub own: Option<u64>,
    /// Where nothing counts it, it goes around so often at most, if that is known.
    pub iterations: Option<u64>,
    pub counted: Option<Counted>,
}

/// The loops of a function, outer ones before inner ones.
pub(crate) struct Bounds<'a> {
    pub loops: &'a Loops<'a>,
    pub timed: Vec<(LoopId, Timed)>,
}

impl Bounds<'_> {
    /// The largest arguments with which all loops end soon that do so with small ones.
    pub(crate) fn find(&self) -> Option<ArgumentBounds> {
        let fits = |most: u64| self.bounded(most);
        let small = fits(1 << MIN_LOG2)?;
        let holds = |most: u64| fits(most).is_some_and(|found| small.iter().all(|id| found.contains(id)));
        let (mut power, mut above) = (MIN_LOG2, MAX_LOG2);
        while above - power > 1 {
            let middle = power + (above - power) / 2;
            if holds(1 << middle) { power = middle } else { above = middle }
        }
        // The first digits are enough.
        let low = (1..8u64)
            .map(|more| (1u64 << power) + (more << power >> 3))
            .take_while(|&most| holds(most))
            .last();
        let low = low.unwrap_or(1 << power);
        let reader = Reader { func: self.loops.func, bounds: self, most: low, read: RefCell::default() };
        for (_, timed) in self.timed.iter().filter(|(id, _)| small.contains(id)) {
            if let Some(counted) = &timed.counted {
                reader.trip_count(counted);
            }
        }
        let mut params = reader.read.into_inner();
        params.sort_unstable();
        params.dedup();
        (!params.is_empty()).then_some(ArgumentBounds { params, most: low })
    }

    /// The loops that end soon with such arguments, in total; nothing if there are none.
    fn bounded(&self, most: u64) -> Option<Vec<LoopId>> {
        let totals = self.totals(most);
        let outermost = self.timed.iter().filter(|(_, timed)| timed.parent.is_none());
        let all = outermost.filter_map(|&(id, _)| totals[id]).fold(0u64, u64::saturating_add);
        let found: Vec<LoopId> =
            self.timed.iter().map(|&(id, _)| id).filter(|&id| totals[id].is_some()).collect();
        (all <= LONG && !found.is_empty()).then_some(found)
    }

    /// What each loop costs with such arguments, where it ends soon.
    pub(crate) fn totals(&self, most: u64) -> SideTable<LoopId, Option<u64>> {
        let mut totals: SideTable<LoopId, Option<u64>> = SideTable::new();
        let mut inner: SideTable<LoopId, Option<u64>> = SideTable::new();
        let reader = Reader { func: self.loops.func, bounds: self, most, read: RefCell::default() };
        for (id, _) in &self.timed {
            inner[*id] = Some(0);
        }
        for &(id, ref timed) in self.timed.iter().rev() {
            let iterations = timed.iterations.or_else(|| reader.trip_count(timed.counted.as_ref()?));
            let cost = timed.own.zip(inner[id]).map(|(own, inner)| own.saturating_add(inner));
            let total = cost.zip(iterations).map(|(cost, iterations)| cost.saturating_mul(iterations));
            totals[id] = total.filter(|&total| total <= LONG);
            if let Some(parent) = timed.parent {
                inner[parent] = inner[parent].zip(totals[id]).map(|(sum, total)| sum.saturating_add(total));
            }
        }
        totals
    }
}

/// Reads how large values are at most.
struct Reader<'a> {
    func: &'a Function,
    bounds: &'a Bounds<'a>,
    most: u64,
    /// The parameters that were asked for.
    read: RefCell<Vec<usize>>,
}

impl Reader<'_> {
    /// Iterations of a counted loop, at most.
    fn trip_count(&self, counted: &Counted) -> Option<u64> {
        let (start, bound) = (self.interval(counted.start, 0)?, self.interval(counted.bound, 0)?);
        // Which one comes first must be known where the loop continues until it hits the bound.
        let apart = match counted.step > 0 {
            _ if counted.cond == IntCond::Ult && (start.0 < 0 || bound.0 < 0) => return None,
            true if counted.cond == IntCond::Ne && start.1 > bound.0 => return None,
            false if counted.cond == IntCond::Ne && start.0 < bound.1 => return None,
            true => bound.1.saturating_sub(start.0),
            false => start.1.saturating_sub(bound.0),
        };
        Some(apart.max(0) as u64 / counted.step.unsigned_abs() + 2)
    }

    /// The least and the largest number that a value may be, if that is no large one.
    fn interval(&self, value: Value, depth: u32) -> Option<(i64, i64)> {
        if depth > DEPTH {
            return None;
        }
        if let Some(number) = number_of(self.func, value) {
            return Some((number, number));
        }
        let inst = match self.func.values[value].def {
            Def::Result(inst, 0) => inst,
            Def::Result(..) => return None,
            Def::Param(block, at) => return self.param(value, (block, usize::from(at)), depth),
        };
        let data = &self.func.insts[inst];
        let of = |at: usize| self.interval(data.args[at], depth + 1);
        let found = match (data.op, &data.attrs[..]) {
            (Op::Arg, &[Attr::Int(index), ..]) if self.func.native(value) == Native::I64 => {
                self.read.borrow_mut().push(usize::try_from(index).ok()?);
                (0, self.most as i64)
            }
            (Op::Iadd, _) => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)
            }
            (Op::Isub, _) => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)
            }
            (Op::Imul, _) => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0 >= 0 && b.0 >= 0).then_some(())?;
                (a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)
            }
            (Op::Udiv, _) => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0 >= 0 && b.0 > 0).then_some((a.0 / b.1, a.1 / b.0))?
            }
            (Op::Select, _) if self.is_count(&data.args) => {
                // Large differences do not wrap: all numbers are small.
                let apart = self.interval(self.difference(data.args[1])?, depth + 1)?;
                (0, apart.1.max(0))
            }
            (Op::Select, _) => {
                let (a, b) = (of(1)?, of(2)?);
                (a.0.min(b.0), a.1.max(b.1))
            }
            _ => return None,
        };
        let small = -1 << 61..1 << 61;
        (small.contains(&found.0) && small.contains(&found.1)).then_some(found)
    }

    /// Whether the operands of a `select` are those of the number of values of a range:
    /// `low < high ? (high - low - 1) / step + 1 : 0`, and `high - low` where the step is 1.
    fn is_count(&self, args: &[Value]) -> bool {
        let less = self.operands(args[0], Op::Icmp);
        let apart = self.difference(args[1]).and_then(|apart| self.operands(apart, Op::Isub));
        let (Some((less, &[Attr::IntCond(cond)])), Some((apart, _))) = (less, apart) else { return false };
        let (low, high) = match cond {
            IntCond::Slt => (less[0], less[1]),
            IntCond::Sgt => (less[1], less[0]),
            _ => return false,
        };
        let same = |a: Value, b: Value| {
            let numbers = number_of(self.func, a).zip(number_of(self.func, b));
            a == b || numbers.is_some_and(|(a, b)| a == b)
        };
        number_of(self.func, args[2]) == Some(0) && same(apart[0], high) && same(apart[1], low)
    }

    /// `high - low` in one of these sums.
    fn difference(&self, count: Value) -> Option<Value> {
        let is_one = |value: Value| number_of(self.func, value) == Some(1);
        let Some((sum, _)) = self.operands(count, Op::Iadd).filter(|(sum, _)| is_one(sum[1])) else {
            return Some(count);
        };
        let (quotient, _) = self.operands(sum[0], Op::Udiv)?;
        number_of(self.func, quotient[1]).filter(|&step| step > 0)?;
        let (rest, _) = self.operands(quotient[0], Op::Isub)?;
        is_one(rest[1]).then_some(rest[0])
    }

    fn operands(&self, value: Value, op: Op) -> Option<(&[Value], &[Attr])> {
        let Def::Result(inst, 0) = self.func.values[value].def else { return None };
        let data = &self.func.insts[inst];
        (data.op == op).then_some((&data.args[..], &data.attrs[..]))
    }

    /// The same of the parameter of a block.
    fn param(&self, value: Value, (block, at): (Block, usize), depth: u32) -> Option<(i64, i64)> {
        let Loops { cfg, forest, .. } = self.bounds.loops;
        if forest.ids().any(|id| forest.get(id).header == block) {
            return self.counter(value, depth);
        }
        let edges = cfg.reachable_predecessors(block).flat_map(|from| self.func.edges(from));
        let mut given = edges.filter(|call| call.block == block).map(|call| call.args[at]);
        let first = self.interval(given.next()?, depth + 1)?;
        given.try_fold(first, |known, value| {
            let more = self.interval(value, depth + 1)?;
            Some((known.0.min(more.0), known.1.max(more.1)))
        })
    }

    /// The same of the counter of a loop around.
    fn counter(&self, value: Value, depth: u32) -> Option<(i64, i64)> {
        let counted = self.bounds.timed.iter().find_map(|(id, timed)| {
            let header = self.bounds.loops.forest.get(*id).header;
            let counted = timed.counted.as_ref()?;
            (self.func.blocks[header].params[counted.param] == value).then_some(counted)
        })?;
        // The loop continues until it hits the bound, or once beyond.
        self.trip_count(counted)?;
        let (start, bound) =
            (self.interval(counted.start, depth + 1)?, self.interval(counted.bound, depth + 1)?);
        let (low, high) = (start.0.min(bound.0), start.1.max(bound.1));
        let step = counted.step;
        Some((low.checked_add(step.min(0))?, high.checked_add(step.max(0))?))
    }
}
