//! Computes trip counts: a loop whose variable grows by more than 1 while it is below a bound is rewritten to count its
//! iterations, so that the trip count is known even though the variable might wrap around.
//!
//! ```text
//! block1: jump block2(%zero)                       block1: %iterations = ... (%n - %zero - 1) / 2 + 1, at least 1
//! block2(%i): ...                                          jump block2(%zero, %zero)
//!     %next = iadd %i, 2               becomes     block2(%i, %iteration): ...
//!     %1 = icmp slt, %next, %n                         %next = iadd %i, 2
//!     branch %1, block2(%next), block3                 %2 = iadd %iteration, 1
//!                                                      %1 = icmp ult, %2, %iterations
//!                                                      branch %1, block2(%next, %2), block3
//! ```
//!
//! A loop whose variable would step over the bound and wrap around runs for centuries: its trip count is the largest number.

use crate::counted_loops::Counted;
use crate::range_analysis::{LoopAnalyses, number_of};
use entity::HashSet;
use ir::{Attr, Block, Builder, Def, Function, IntCond, Native, Op, Value, ValueType};

/// A loop that is to count its iterations.
struct Plan {
    counted: Counted,
    entry: Block,
    header: Block,
    latch: Block,
}

/// Lets loops with steps count.
pub fn compute_trip_counts(func: &mut Function) {
    if func.layout.iter().any(|&block| asks_for_less(func, block)) {
        for plan in plans(func) {
            plan.form(func);
        }
    }
}

/// Whether a block ends by asking whether a number is less than another one.
fn asks_for_less(func: &Function, block: Block) -> bool {
    let last = func.terminator(block).map(|last| &func.insts[last]).filter(|last| last.op == Op::Branch);
    last.is_some_and(|last| match func.values[last.args[0]].def {
        Def::Result(inst, _) => {
            matches!(func.insts[inst].attrs[..], [Attr::IntCond(IntCond::Slt | IntCond::Sge)])
        }
        Def::Param(..) => false,
    })
}

fn plans(func: &Function) -> Vec<Plan> {
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return Vec::new();
    }
    let lengths = HashSet::default();
    let loops = analyses.loops(func, &lengths);
    let mut outer = HashSet::default();
    outer.extend(loops.forest.ids().filter_map(|id| loops.forest.get(id).parent));
    let inner = loops.forest.ids().filter(|id| !outer.contains(id));
    let plan = |this| {
        let nest = loops.forest.get(this);
        let ([entry], [latch]) = (&nest.entries[..], &nest.latches[..]) else { return None };
        let counted = Counted::find(&loops, this)?;
        let steps = !counted.ahead && !counted.changes && counted.cond == IntCond::Slt && counted.step > 1;
        let fits = steps && func.native(counted.bound) == Native::I64;
        fits.then(|| Plan { counted, entry: *entry, header: nest.header, latch: *latch })
    };
    inner.filter_map(plan).collect()
}

impl Plan {
    fn form(self, func: &mut Function) {
        let Some(branch) = func.terminator(self.counted.test) else { return };
        let Some(last) = func.blocks[self.entry].insts.pop() else { return };
        let mut builder = Builder::new(func, self.entry);
        builder.span = builder.func.insts[last].span;
        let iterations = self.trip_count(&mut builder);
        let first = builder.iconst(Native::I64, 0);
        func.blocks[self.entry].insts.push(last);
        let iteration = func.add_param(self.header, ValueType::Native(Native::I64));
        let test = &mut func.blocks[self.counted.test].insts;
        test.pop();
        let mut builder = Builder::new(func, self.counted.test);
        builder.span = builder.func.insts[branch].span;
        let one = builder.iconst(Native::I64, 1);
        let next = builder.like_first(Op::Iadd, &[iteration, one]);
        let cond = if self.counted.out == 1 { IntCond::Ult } else { IntCond::Uge };
        let more = builder.icmp(cond, next, iterations);
        func.insts[branch].args[0] = more;
        func.blocks[self.counted.test].insts.push(branch);
        for (block, value) in [(self.entry, first), (self.latch, next)] {
            let Some(last) = func.terminator(block) else { continue };
            let header = self.header;
            let targets = func.insts[last].targets.iter_mut().filter(|target| target.block == header);
            targets.for_each(|target| target.args.push(value));
        }
    }

    /// How many iterations there are: the first one runs in any case.
    fn trip_count(&self, builder: &mut Builder<'_>) -> Value {
        let number = |builder: &mut Builder<'_>, number| builder.iconst(Native::I64, number);
        let Counted { start, bound, step, .. } = self.counted;
        let [start, bound] = [start, bound].map(|value| match number_of(builder.func, value) {
            Some(known) => number(builder, known),
            None => value,
        });
        let (one, width) = (number(builder, 1), number(builder, step));
        let apart = builder.like_first(Op::Isub, &[bound, start]);
        let before = builder.like_first(Op::Isub, &[apart, one]);
        let whole = builder.like_first(Op::Udiv, &[before, width]);
        let iterations = builder.like_first(Op::Iadd, &[whole, one]);
        // What is left above the last value of the variable must hold one more step.
        let most = number(builder, i64::MAX);
        let above = builder.like_first(Op::Isub, &[most, start]);
        let steps = builder.like_first(Op::Imul, &[whole, width]);
        let left = builder.like_first(Op::Isub, &[above, steps]);
        let wraps = builder.icmp(IntCond::Ult, left, width);
        let endless = number(builder, -1);
        let iterations = builder.select(wraps, endless, iterations);
        let any = builder.icmp(IntCond::Slt, start, bound);
        builder.select(any, iterations, one)
    }
}
