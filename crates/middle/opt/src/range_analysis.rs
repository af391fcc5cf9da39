//! Range analysis: symbolic bounds of the integers of a loop nest, in terms of loop invariants.

use crate::affine::Affine;
use entity::{HashSet, PackedOption, SideTable};
use flow::{Cfg, DominatorTree, LoopForest, LoopId};
use ir::{Attr, Block, Def, Function, Inst, IntCond, Native, Op, Value};

/// The least and the largest value. No value at all is possible, too: a loop may never run.
pub(crate) type Interval = (Affine, Affine);

/// What must be true for intervals to hold.
#[derive(Clone, Default, Debug)]
pub(crate) struct Conditions {
    /// Sums that are at least 0.
    pub nonnegative: Vec<Affine>,
    /// Sums that a machine word holds.
    pub small: Vec<Affine>,
}

impl Conditions {
    /// Whether nothing must be true.
    pub(crate) fn is_empty(&self) -> bool {
        self.nonnegative.is_empty() && self.small.is_empty()
    }
}

/// What is computed of a function for [`Loops`].
pub(crate) struct LoopAnalyses {
    cfg: Cfg<Block>,
    tree: DominatorTree<Block>,
    pub forest: LoopForest<Block>,
    block_of: SideTable<Inst, PackedOption<Block>>,
}

impl LoopAnalyses {
    pub(crate) fn of(func: &Function) -> LoopAnalyses {
        let cfg = Cfg::compute(func);
        let tree = flow::compute_dominators(&cfg);
        let forest = flow::compute_loops(&cfg, &tree);
        let mut block_of: SideTable<Inst, PackedOption<Block>> = SideTable::new();
        for &block in &func.layout {
            func.blocks[block].insts.iter().for_each(|&inst| block_of[inst] = block.into());
        }
        LoopAnalyses { cfg, tree, forest, block_of }
    }

    /// Whether a way leads into the midst of a loop.
    pub(crate) fn is_irreducible(&self) -> bool {
        !self.forest.irreducible_edges().is_empty()
    }

    /// The loops of the same function, where these values are lengths.
    pub(crate) fn loops<'a>(&'a self, func: &'a Function, lengths: &'a HashSet<Value>) -> Loops<'a> {
        let LoopAnalyses { cfg, tree, forest, block_of } = self;
        Loops { func, cfg, tree, forest, block_of, lengths }
    }
}

/// A function with its loops.
pub(crate) struct Loops<'a> {
    pub func: &'a Function,
    pub cfg: &'a Cfg<Block>,
    pub tree: &'a DominatorTree<Block>,
    pub forest: &'a LoopForest<Block>,
    /// Where each instruction stands.
    pub block_of: &'a SideTable<Inst, PackedOption<Block>>,
    /// Values that are lengths of arrays: at least 0.
    pub lengths: &'a HashSet<Value>,
}

/// How deep sums of sums are looked into.
const DEPTH: u32 = 12;

/// How much deeper one looks after a block where several paths meet.
const JOIN: u32 = 4;

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
    pub(crate) fn home(&self, value: Value) -> Option<Block> {
        match self.func().values[value].def {
            Def::Param(block, _) => Some(block),
            Def::Result(inst, _) => self.loops.block_of[inst].expand(),
        }
    }

    /// Whether a value is the same throughout the nest.
    pub fn is_invariant(&self, value: Value) -> bool {
        self.home(value).is_some_and(|home| !self.loops.forest.contains(self.outer, home))
    }

    /// A length, as a sum.
    pub fn length(&self, length: Value) -> Affine {
        number_of(self.func(), length).and_then(Affine::number).unwrap_or_else(|| Affine::value(length))
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
        let found = self.apart(|nest| match nest.func().values[value].def {
            Def::Param(block, number) => match nest.loops.forest.loop_of_header(block) {
                Some(this) => nest.induction(this, value, user, depth),
                None => nest.joined(block, usize::from(number), depth),
            },
            Def::Result(inst, _) => nest.computed(inst, depth),
        });
        let (interval, conditions) = self.narrowed(found, value, user)?;
        self.conditions.nonnegative.extend(conditions.nonnegative);
        self.conditions.small.extend(conditions.small);
        Some(interval)
    }

    /// The interval of what comes into a block by several ways, if it is known which of their ends is the outer one.
    fn joined(&mut self, block: Block, number: usize, depth: u32) -> Option<Interval> {
        let loops = self.loops;
        let ways = loops.cfg.reachable_predecessors(block);
        let given = ways.flat_map(|from| loops.func.edges(from).map(move |call| (from, call)));
        let mut all: Option<Interval> = None;
        for (from, call) in given.filter(|(_, call)| call.block == block) {
            let (low, high) = self.interval(call.args[number], from, depth + JOIN)?;
            all = Some(match all {
                None => (low, high),
                Some(known) => (self.lesser(known.0, low)?, self.larger(known.1, high)?),
            });
        }
        all
    }

    /// The one of two sums that is not larger, whatever their values are.
    fn lesser(&self, one: Affine, other: Affine) -> Option<Affine> {
        match self.apart_by(&one, &other)? {
            true => Some(other),
            false => Some(one),
        }
    }

    /// The one that is not less.
    fn larger(&self, one: Affine, other: Affine) -> Option<Affine> {
        match self.apart_by(&one, &other)? {
            true => Some(one),
            false => Some(other),
        }
    }

    /// Whether the first of two sums is the larger one, or else the second is or both are the same.
    fn apart_by(&self, one: &Affine, other: &Affine) -> Option<bool> {
        if one.plus(other, -1)?.is_natural(self.loops.lengths) == Some(true) {
            return Some(true);
        }
        let less = other.plus(one, -1)?.is_natural(self.loops.lengths) == Some(true);
        less.then_some(false)
    }

    /// A value that does not change in the nest, as a sum of such. The sum may differ from the value by a
    /// multiple of 2 to the 64th.
    pub(crate) fn invariant(&self, value: Value, depth: u32) -> Option<Affine> {
        let opaque = Affine::value(value);
        let Def::Result(inst, _) = self.func().values[value].def else { return Some(opaque) };
        let data = &self.func().insts[inst];
        if let (Op::Iconst, &[_, Attr::Int(number)]) = (data.op, &data.attrs[..]) {
            return Some(Affine::number(number).unwrap_or(opaque));
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
        let home = self.loops.block_of[inst].expand()?;
        let data = self.func().insts[inst].clone();
        let operand = |nest: &mut Self, number: usize| nest.interval(data.args[number], home, depth + 1);
        match data.op {
            Op::Iconst => match data.attrs[1] {
                Attr::Int(number) => Affine::number(number).map(|number| (number.clone(), number)),
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
                Some((Affine::number(0)?, Affine::number(255)?))
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
                let zero = Affine::number(0)?;
                let ends = (zero.plus(&other.0, low)?, zero.plus(&other.1, low)?);
                return Some(if low >= 0 { ends } else { (ends.1, ends.0) });
            }
        }
        self.conditions.nonnegative.extend([a.0.clone(), b.0.clone()]);
        Some((a.0.times(&b.0)?, a.1.times(&b.1)?))
    }

    /// Whether a condition is true, or is not, wherever it is computed in the nest: comparisons with 0.
    pub(crate) fn decided(&mut self, condition: Value, user: Block, depth: u32) -> Option<bool> {
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
    pub(crate) fn is_exact(&self, sum: &Affine) -> bool {
        sum.fits(self.loops.lengths)
    }

    /// Notes that a sum must be what the machine computes.
    pub(crate) fn take_as_exact(&mut self, sum: &Affine) {
        if !self.is_exact(sum) {
            self.conditions.small.push(sum.clone());
        }
    }
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
