//! Induction variable elimination: replaces a trip counter that counts down to 0 by the loop's own variable.
//!
//! ```text
//! head(%left, %i): %1: i1 = icmp ne, %left, 0        head(%i): %1: i1 = icmp ne, %i, %end
//! branch %1, body, behind                    becomes   branch %1, body, behind
//! body: ... jump head(%left - 1, %i + 1)               body: ... jump head(%i + 1)
//! ```
//!
//! Where the loop begins, `%end` is the first `%i` and the first `%left` together, as the machine adds them: both tests are
//! true in the same iterations, whatever wraps.

use crate::induction_variables::Step;
use crate::range_analysis::{Conditions, LoopAnalyses, Loops, Nest, number_of};
use entity::HashSet;
use flow::LoopId;
use ir::{Block, Builder, Def, Function, Inst, IntCond, Op, Value};

/// A loop, and how it can be tested by its variable.
struct Counted {
    entry: Block,
    /// The comparison at the loop's head.
    test: Inst,
    /// The variable that counts up, and where it starts.
    up: (Value, Value),
    /// What is left when the loop begins.
    count: Value,
}

/// Tests loops by the variable that they count up, where one counts down beside it by steps of 1.
pub fn eliminate_redundant_iv(func: &mut Function) {
    for Counted { entry, test, up: (up, start), count } in find(func) {
        let last = func.blocks[entry].insts.pop();
        let mut builder = Builder::new(func, entry);
        let end = match number_of(builder.func, start) {
            Some(0) => count,
            _ => builder.like_first(Op::Iadd, &[start, count]),
        };
        func.blocks[entry].insts.extend(last);
        func.insts[test].args = [up, end].into_iter().collect();
    }
}

fn find(func: &Function) -> Vec<Counted> {
    let (analyses, lengths) = (LoopAnalyses::of(func), HashSet::default());
    let loops = analyses.loops(func, &lengths);
    let uses = func.count_uses();
    let used_once = |value: Value| uses.get(&value) == Some(&1);
    loops.forest.ids().filter_map(|this| counted(&loops, this, used_once)).collect()
}

fn counted(loops: &Loops<'_>, this: LoopId, used_once: impl Fn(Value) -> bool) -> Option<Counted> {
    let nest = Nest { loops, outer: this, conditions: Conditions::default() };
    let func = loops.func;
    let header = loops.forest.get(this).header;
    let [entry] = loops.forest.get(this).entries[..] else { return None };
    let condition = *func.insts[func.terminator(header)?].args.first()?;
    let (cond, left, zero) = nest.comparison(condition)?;
    let Def::Result(test, _) = func.values[condition].def else { return None };
    let stops = matches!(cond, IntCond::Ne | IntCond::Eq) && number_of(func, zero) == Some(0);
    if !stops || !used_once(condition) {
        return None;
    }
    let (count, Step::Number(-1)) = nest.counter(this, left)? else { return None };
    let up = func.blocks[header].params.iter().find_map(|&param| match nest.counter(this, param)? {
        (start, Step::Number(1)) if func.native(param) == func.native(left) => Some((param, start)),
        _ => None,
    })?;
    Some(Counted { entry, test, up, count })
}
