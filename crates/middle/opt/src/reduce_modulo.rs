//! Replaces remainders by a length, such as the indices of neighbors on a ring, by comparisons and sums.
//!
//! ```text
//! branch %n == 0, raises, block1
//! block1: branch %n == -1, block2, block3(%n)                      block1: %1 = select %v >= %n, %v - %n, %v
//! block2: jump block3(1)                                           %2 = select %v < 0, %v + %n, %1
//! block3(%d): %r = srem %v, %d                            becomes  jump block5(%2)
//! branch %r != 0 and %r ^ %d < 0, block4, block5(%r)
//! block4: %s = iadd %r, %d; jump block5(%s)
//! block5(%index): a check of %index against %n                     block5(%index): no check
//! ```
//!
//! This requires that the dividend is known to be between -n and 2n - 1, like `i - 1` and `i + 1` in a loop over n. For other
//! dividends the guard for -1 is removed, because a length is not negative, and the correction becomes a `select`. In both cases the
//! remainder is a valid index of an array with that length.

use crate::affine::Affine;
use crate::bounds_checks::{self, Check};
use crate::range_analysis::{Conditions, Interval, LoopAnalyses, Loops, Nest, number_of};
use entity::HashSet;
use flow::{Cfg, LoopForest};
use ir::{Attr, Block, BlockCall, Builder, Def, Function, Inst, IntCond, Op, Value};

/// Makes the remainders in loops cheap that are indices in something.
pub fn reduce_modulo(func: &mut Function) {
    let remainders = find(func);
    if remainders.is_empty() {
        return;
    }
    let checks = bounds_checks::find(func);
    let plans = plans(func, &remainders, &checks);
    if plans.is_empty() {
        return;
    }
    let mut passing = Vec::new();
    for (remainder, plan) in &plans {
        rewrite(func, remainder, plan);
        passing.extend(
            checks
                .iter()
                .filter(|check| check.at == remainder.index && check.length == remainder.by)
                .copied(),
        );
    }
    bounds_checks::remove(func, &passing);
}

/// The remainder as Python takes it, as `builtins` writes it.
struct Remainder {
    /// Asks whether the divisor is 0, and continues to `asks_minus_one`.
    asks_zero: Block,
    asks_minus_one: Block,
    /// Where the result is known, as the only parameter.
    done: Block,
    of: Value,
    by: Value,
    index: Value,
}

/// What a dividend needs.
enum Plan {
    /// It may be negative, or at least the divisor, but by less than one divisor.
    Wrap { below: Option<Beyond>, above: Option<Beyond> },
    /// It may be anything; or anything that is not negative.
    Divide { negative: bool },
}

/// How far a dividend may lie outside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// By one index, as that of a neighbor.
    Next,
    Far,
}

fn find(func: &Function) -> Vec<Remainder> {
    if !func
        .layout
        .iter()
        .flat_map(|&block| &func.blocks[block].insts)
        .any(|&inst| func.insts[inst].op == Op::Srem)
    {
        return Vec::new();
    }
    let cfg = Cfg::compute(func);
    func.layout.iter().filter_map(|&block| remainder_at(func, &cfg, block)).collect()
}

/// The remainder whose correction a block asks for.
fn remainder_at(func: &Function, cfg: &Cfg<Block>, block: Block) -> Option<Remainder> {
    let &[divisor] = &func.blocks[block].params[..] else { return None };
    let (condition, fixes, [corrected, done]) = branch(func, block)?;
    let [differs, opposite] = operands(func, condition, Op::Iand)?;
    let (IntCond::Ne, rest, zero) = comparison(func, differs)? else { return None };
    let (IntCond::Slt, signs, again_zero) = comparison(func, opposite)? else { return None };
    let [of, by] = operands(func, rest, Op::Srem)?;
    let is_zero = |value| number_of(func, value) == Some(0);
    let adds = fixes.args.is_empty() && corrected_to(func, fixes.block, done.block) == Some([rest, divisor]);
    let [index] = func.blocks[done.block].params[..] else { return None };
    let fits = is_zero(zero)
        && is_zero(again_zero)
        && by == divisor
        && operands(func, signs, Op::Ixor) == Some([rest, divisor])
        && done.args[..] == [rest]
        && corrected == fixes
        && adds
        && cfg.predecessors(done.block).len() == 2;
    let [one, other] = cfg.predecessors(block)[..] else { return None };
    let guards = [(one, other), (other, one)].into_iter().find_map(|(asks, replaces)| {
        let by = guarded(func, asks, replaces, block)?;
        Some((asks, by))
    });
    let (asks_minus_one, by) = guards.filter(|_| fits)?;
    let [asks_zero] = cfg.predecessors(asks_minus_one)[..] else { return None };
    let (condition, _, [_, goes_on]) = branch(func, asks_zero)?;
    let asks = equality(func, condition, by) == Some(0) && goes_on.block == asks_minus_one;
    asks.then_some(Remainder { asks_zero, asks_minus_one, done: done.block, of, by, index })
}

/// The divisor that a block asks whether it is -1, and hands to `to` if not, or else another one hands 1.
fn guarded(func: &Function, asks: Block, replaces: Block, to: Block) -> Option<Value> {
    let (condition, minus_one, [_, goes_on]) = branch(func, asks)?;
    let [by] = goes_on.args[..] else { return None };
    let other = &func.insts[func.terminator(replaces)?];
    let hands_one = other.op == Op::Jump
        && other.targets[0].block == to
        && number_of(func, *other.targets[0].args.first()?) == Some(1);
    let only = func.blocks[asks].params.is_empty()
        && func.blocks[asks].insts.iter().all(|&inst| is_quiet(func, inst));
    let asks_minus_one = equality(func, condition, by) == Some(-1);
    (only && hands_one && asks_minus_one && minus_one.block == replaces && goes_on.block == to).then_some(by)
}

fn is_quiet(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::Iconst | Op::Icmp | Op::Branch)
}

/// The operands of the sum that a block computes and hands to another.
fn corrected_to(func: &Function, block: Block, to: Block) -> Option<[Value; 2]> {
    let last = &func.insts[func.terminator(block)?];
    let target = last.targets.first().filter(|target| last.op == Op::Jump && target.block == to)?;
    let [sum] = target.args[..] else { return None };
    operands(func, sum, Op::Iadd)
}

/// The condition of a branch, its first target, and both.
fn branch(func: &Function, block: Block) -> Option<(Value, BlockCall, [BlockCall; 2])> {
    let data = &func.insts[func.terminator(block)?];
    let [then, other] = &data.targets[..] else { return None };
    Some((*data.args.first()?, then.clone(), [then.clone(), other.clone()]))
}

fn operands(func: &Function, value: Value, op: Op) -> Option<[Value; 2]> {
    let Def::Result(inst, 0) = func.values[value].def else { return None };
    let data = &func.insts[inst];
    (data.op == op).then(|| [data.args[0], data.args[1]])
}

fn comparison(func: &Function, value: Value) -> Option<(IntCond, Value, Value)> {
    let [a, b] = operands(func, value, Op::Icmp)?;
    let Def::Result(inst, _) = func.values[value].def else { return None };
    match func.insts[inst].attrs.first() {
        Some(&Attr::IntCond(cond)) => Some((cond, a, b)),
        _ => None,
    }
}

/// The number with which a value is compared.
fn equality(func: &Function, condition: Value, of: Value) -> Option<i64> {
    match comparison(func, condition)? {
        (IntCond::Eq, left, right) if left == of => number_of(func, right),
        _ => None,
    }
}

fn plans<'a>(func: &Function, remainders: &'a [Remainder], checks: &[Check]) -> Vec<(&'a Remainder, Plan)> {
    let lengths: HashSet<Value> =
        checks.iter().filter(|check| check.at != check.found).map(|check| check.length).collect();
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return Vec::new();
    }
    let loops = analyses.loops(func, &lengths);
    let of = |remainder: &'a Remainder| {
        lengths
            .contains(&remainder.by)
            .then(|| plan(&loops, &analyses.forest, remainder))
            .flatten()
            .map(|plan| (remainder, plan))
    };
    remainders.iter().filter_map(of).collect()
}

/// What is known of a remainder in the outermost loop around it in which the divisor does not change.
fn plan(loops: &Loops<'_>, forest: &LoopForest<Block>, remainder: &Remainder) -> Option<Plan> {
    let around: Vec<_> = forest.loops_of(remainder.asks_zero).collect();
    let mut plan = None;
    for outer in around {
        let mut nest = Nest { loops, outer, conditions: Conditions::default() };
        if !nest.is_invariant(remainder.by) {
            break;
        }
        let interval = nest.interval(remainder.of, remainder.asks_zero, 0);
        let interval = interval
            .filter(|(low, high)| nest.conditions.is_empty() && nest.is_exact(low) && nest.is_exact(high));
        let found = interval.and_then(|interval| wrap(&nest, remainder.by, &interval));
        match (found, &plan) {
            (Some(found @ Plan::Wrap { .. }), _) => return Some(found),
            (Some(Plan::Divide { negative: false }), _) => plan = Some(Plan::Divide { negative: false }),
            (_, None) => plan = Some(Plan::Divide { negative: true }),
            _ => {}
        }
    }
    plan
}

fn wrap(nest: &Nest<'_>, by: Value, (low, high): &Interval) -> Option<Plan> {
    let length = nest.length(by);
    let natural = |sum: &Affine| sum.is_natural(nest.loops.lengths) == Some(true);
    let last = length.plus_number(-1)?;
    // As there is a dividend at all, the length is not 0 where it is larger than the interval. So `last` is natural, too.
    let spans = natural(&last.plus(high, -1)?.plus(low, 1)?);
    let natural_here = |sum: &Affine| natural(sum) || sum.plus(&last, -1).is_some_and(|rest| natural(&rest));
    let from_below = natural_here(&low.plus(&length, 1)?);
    let from_above = natural_here(&last.plus(&length, 1)?.plus(high, -1)?);
    if spans && from_below && from_above {
        let beyond = |inside: &Affine| -> Option<Option<Beyond>> {
            let far = if natural_here(&inside.plus_number(1)?) { Beyond::Next } else { Beyond::Far };
            Some((!natural_here(inside)).then_some(far))
        };
        return Some(Plan::Wrap { below: beyond(low)?, above: beyond(&last.plus(high, -1)?)? });
    }
    natural(low).then_some(Plan::Divide { negative: false })
}

fn rewrite(func: &mut Function, remainder: &Remainder, plan: &Plan) {
    let &Remainder { asks_zero, asks_minus_one, done, of, by, .. } = remainder;
    let Some(last) = func.blocks[asks_minus_one].insts.pop() else { return };
    let native = func.native(of);
    let span = func.insts[last].span;
    let mut builder = Builder::new(func, asks_minus_one);
    builder.span = span;
    let zero = builder.iconst(native, 0);
    let result = match *plan {
        Plan::Wrap { below, above } => {
            let mut result = of;
            if let Some(far) = above {
                let next = far == Beyond::Next;
                let beyond = builder.icmp(if next { IntCond::Eq } else { IntCond::Sge }, of, by);
                let less = if next { zero } else { builder.like_first(Op::Isub, &[of, by]) };
                result = builder.select(beyond, less, result);
            }
            if let Some(far) = below {
                let negative = builder.icmp(IntCond::Slt, of, zero);
                let (from, to) =
                    if far == Beyond::Next { (by, builder.iconst(native, -1)) } else { (of, by) };
                let more = builder.like_first(Op::Iadd, &[from, to]);
                result = builder.select(negative, more, result);
            }
            result
        }
        Plan::Divide { negative } => {
            let rest = builder.like_first(Op::Srem, &[of, by]);
            if negative {
                let below = builder.icmp(IntCond::Slt, rest, zero);
                let more = builder.like_first(Op::Iadd, &[rest, by]);
                builder.select(below, more, rest)
            } else {
                rest
            }
        }
    };
    builder.jump(done, &[result]);
    if matches!(plan, Plan::Wrap { .. })
        && let Some(asks) = func.terminator(asks_zero)
    {
        func.insts[asks].jump_to(1);
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}
