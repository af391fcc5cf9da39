//! Estimates how often the functions of a unit run: a bounded number of times per call from Python, or repeatedly.
//!
//! In code that runs once per call, a nanosecond more is negligible compared to the call, and LLVM's fast
//! code generator needs a quarter of the compile time.

use crate::Unit;
use entity::HashMap;
use ir::Function;

/// For each function of a unit whether it has no loop and runs a bounded number of times per call
/// from Python: no compiled code calls it in a loop or in a recursion, or it is known to run seldom.
pub(crate) fn run_rarely(unit: &Unit) -> Vec<bool> {
    let numbers: HashMap<&str, usize> =
        unit.functions.iter().enumerate().map(|(number, member)| (member.symbol.as_str(), number)).collect();
    let mut callers: Vec<Vec<Option<usize>>> = unit.functions.iter().map(|_| Vec::new()).collect();
    let mut straight = Vec::with_capacity(unit.functions.len());
    for (number, member) in unit.functions.iter().enumerate() {
        let looping = flow::compute_in_loops(&flow::Cfg::compute(member.func));
        straight.push(member.func.layout.iter().all(|&block| !looping[block]));
        for &block in &member.func.layout {
            let called = member.func.blocks[block].insts.iter().filter_map(|&inst| member.func.callee(inst));
            for callee in called.filter_map(|name| numbers.get(name)) {
                // A call in a loop has no caller that runs a bounded number of times.
                callers[*callee].push((!looping[block]).then_some(number));
            }
        }
    }
    // Whoever has an address calls it from anywhere.
    for member in &unit.functions {
        for callee in member.func.addressed().filter_map(|name| numbers.get(name)) {
            callers[*callee].push(None);
        }
    }
    let mut bounded: Vec<bool> = unit.functions.iter().map(|_| false).collect();
    // From the entries down; what a recursion reaches never becomes bounded.
    for _ in 0..unit.functions.len() {
        for (number, member) in unit.functions.iter().enumerate() {
            bounded[number] = !member.exported
                && callers[number].iter().all(|caller| caller.is_some_and(|caller| bounded[caller]));
        }
    }
    let is_told = |number: usize| unit.functions[number].func.is_rare;
    let rarely = |(number, straight): (usize, bool)| is_told(number) || straight && bounded[number];
    straight.into_iter().enumerate().map(rarely).collect()
}

/// Whether the function has a loop that LLVM's passes for loops look at. What a generator's code continues in the middle of is none.
pub(crate) fn loops(func: &Function) -> bool {
    let cfg = flow::Cfg::compute(func);
    cfg.has_cycle() && !flow::compute_loops(&cfg, &flow::compute_dominators(&cfg)).is_empty()
}
