//! Inserts zero-trip guards: a loop over a range that may be empty is entered only where it is not, and its trip count is the plain
//! difference of the bounds there. LLVM can prove little about a loop whose trip count is a maximum.
//!
//! ```text
//! block1: %c = icmp slt, %a, %b                    block1: %c = icmp slt, %a, %b
//!         %d = isub %b, %a                                 %d = isub %b, %a
//!         %s = select %c, %d, %zero                        %s = select %c, %d, %zero
//!         %e = iadd %a, %s                                 branch %c, block5, block4
//!         jump block2(%a)                ->        block5: %f = iadd %a, %d
//! block2(%i):                                              jump block2(%a)
//!     %t = icmp ne, %i, %e                         block2(%i):
//!     branch %t, block3, block4                        %t = icmp ne, %i, %f
//!                                                      branch %t, block3, block4
//! ```
//!
//! Absent: ranges with other steps than 1 and -1 (`trip_counts`).

use crate::jump_threading::{Way, constant, take};
use crate::mem2reg::mem2reg;
use crate::spill_region::substitute_in;
use entity::HashMap;
use flow::Cfg;
use ir::{Attr, Block, BlockCall, Builder, Def, Effect, Function, Inst, IntCond, Native, Op, Value, reloads};

/// Guards the innermost loops that may load what they have stored: LLVM keeps that in registers if it knows which iteration it is from.
pub fn insert_zero_trip_guards(func: &mut Function) {
    let cfg = Cfg::compute(func);
    let forest = flow::compute_loops(&cfg, &flow::compute_dominators(&cfg));
    let found: Vec<Loop> = forest
        .innermost_loops()
        .filter_map(|id| match forest.get(id).entries[..] {
            [before] if reloads(func, forest.body(id)) => ends_at_once(func, before, forest.get(id).header),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return;
    }
    for one in found {
        guard(func, &one);
    }
    mem2reg(func);
}

/// A loop over a range that may be empty.
struct Loop {
    /// The block before it.
    before: Block,
    header: Block,
    /// The way out of the header.
    exit: usize,
    /// How often it runs.
    count: Count,
}

/// `select %condition, %difference, 0`.
struct Count {
    selected: Value,
    condition: Value,
    difference: Value,
}

/// The loop, if its header leaves it where the range is empty.
fn ends_at_once(func: &Function, before: Block, header: Block) -> Option<Loop> {
    let jump = func.terminator(before)?;
    let (&last, body) = func.blocks[header].insts.split_last()?;
    let (jump, branch) = (&func.insts[jump], &func.insts[last]);
    let is_pure = |&inst: &Inst| func.insts[inst].op.info().effect == Effect::Pure;
    let is_plain = jump.op == Op::Jump
        && branch.op == Op::Branch
        && !func.blocks[before].cold
        && body.iter().all(is_pure);
    let Def::Result(test, _) = func.values[*branch.args.first()?].def else { return None };
    let test = &func.insts[test];
    let exit = match (test.op, test.attrs.first()) {
        (Op::Icmp, Some(Attr::IntCond(IntCond::Ne))) => 1,
        (Op::Icmp, Some(Attr::IntCond(IntCond::Eq))) => 0,
        _ => return None,
    };
    let first = |value: Value| match func.values[value].def {
        Def::Param(home, at) if home == header => jump.targets[0].args.get(usize::from(at)).copied(),
        _ => Some(value),
    };
    let (a, b) = (first(test.args[0])?, first(test.args[1])?);
    let count = [(a, b), (b, a)].into_iter().find_map(|(one, other)| trip_count(func, one, other))?;
    (is_plain && is_in(func, before, count.selected)).then_some(Loop { before, header, exit, count })
}

/// The count of iterations, if two numbers are equal for certain only where it is 0: it and 0, or a number and the sum of both.
fn trip_count(func: &Function, one: Value, other: Value) -> Option<Count> {
    if constant(func, other) == Some(0) {
        return count(func, one);
    }
    let Def::Result(sum, _) = func.values[one].def else { return None };
    let sum = &func.insts[sum];
    if sum.op != Op::Iadd || !sum.args.contains(&other) {
        return None;
    }
    count(func, sum.args[usize::from(sum.args[0] == other)])
}

/// The count of the iterations of a loop over a range.
fn count(func: &Function, selected: Value) -> Option<Count> {
    let Def::Result(select, _) = func.values[selected].def else { return None };
    let select = &func.insts[select];
    let (Op::Select, &[condition, difference, zero]) = (select.op, &select.args[..]) else { return None };
    let Def::Result(compared, _) = func.values[condition].def else { return None };
    let Def::Result(subtracted, _) = func.values[difference].def else { return None };
    let (compared, subtracted) = (&func.insts[compared], &func.insts[subtracted]);
    let (low, high) = match (compared.op, compared.attrs.first()) {
        (Op::Icmp, Some(Attr::IntCond(IntCond::Slt))) => (compared.args[0], compared.args[1]),
        (Op::Icmp, Some(Attr::IntCond(IntCond::Sgt))) => (compared.args[1], compared.args[0]),
        _ => return None,
    };
    let is_count = constant(func, zero) == Some(0)
        && func.native(selected) == Native::I64
        && subtracted.op == Op::Isub
        && subtracted.args[..] == [high, low];
    is_count.then_some(Count { selected, condition, difference })
}

/// Whether a block computes a value.
fn is_in(func: &Function, block: Block, value: Value) -> bool {
    matches!(func.values[value].def, Def::Result(inst, _) if func.blocks[block].insts.contains(&inst))
}

/// Enters a loop only where its range is not empty.
fn guard(func: &mut Function, one: &Loop) {
    let Some(jump) = func.terminator(one.before) else { return };
    let (span, label) = (func.insts[jump].span, func.blocks[one.before].label);
    let call = func.insts[jump].targets[0].clone();
    let (entered, empty) = (func.add_block(label), func.add_block(label));
    func.blocks[one.before].insts.pop();
    let mut builder = Builder::new(func, one.before);
    builder.span = span;
    builder.branch(one.count.condition, BlockCall::new(entered, []), BlockCall::new(empty, []));
    let mut builder = Builder::new(func, empty);
    builder.span = span;
    builder.jump(call.block, &call.args);
    let Some(edge) = func.terminator(empty) else { return };
    // What follows from the count follows from the difference once more.
    let mut exact: HashMap<Value, Value> = HashMap::from_iter([(one.count.selected, one.count.difference)]);
    let derived: Vec<Inst> = func.blocks[one.before].insts.clone();
    for inst in derived {
        let data = func.insts[inst].clone();
        if data.op == Op::Iadd && data.args.contains(&one.count.selected) {
            let args: Vec<Value> =
                data.args.iter().map(|arg| exact.get(arg).copied().unwrap_or(*arg)).collect();
            let mut builder = Builder::new(func, entered);
            builder.span = data.span;
            let sum = builder.like_first(Op::Iadd, &args);
            exact.insert(data.results[0], sum);
        }
    }
    let args: Vec<Value> = call.args.iter().map(|arg| exact.get(arg).copied().unwrap_or(*arg)).collect();
    let mut builder = Builder::new(func, entered);
    builder.span = span;
    builder.jump(call.block, &args);
    take(func, (edge, 0), &Way { blocks: vec![one.header], targets: vec![one.exit] });
    let tree = flow::compute_dominators(&Cfg::compute(func));
    substitute_in(func, tree.subtree(entered), &exact);
}
