//! How often the functions of a unit run: once or twice per call from Python, or again and again.
//!
//! A nanosecond more in code that runs once per call is nothing beside the call, and LLVM's fast
//! code generator takes a quarter of the time.

use crate::Unit;
use entity::{HashMap, SideTable};
use ir::{Attr, Block, Function, Op};

/// For each function of a unit whether it has no loop and runs a bounded number of times per call
/// from Python: no compiled code calls it in a loop or in a recursion.
pub(crate) fn run_rarely(unit: &Unit) -> Vec<bool> {
    let numbers: HashMap<&str, usize> =
        unit.functions.iter().enumerate().map(|(number, member)| (member.symbol.as_str(), number)).collect();
    let mut callers: Vec<Vec<Option<usize>>> = unit.functions.iter().map(|_| Vec::new()).collect();
    let mut straight = Vec::with_capacity(unit.functions.len());
    for (number, member) in unit.functions.iter().enumerate() {
        let looping = in_loops(member.func);
        straight.push(member.func.layout.iter().all(|&block| !looping[block]));
        for &block in &member.func.layout {
            for callee in callees(member.func, block).filter_map(|name| numbers.get(name)) {
                // A call in a loop has no caller that runs a bounded number of times.
                callers[*callee].push((!looping[block]).then_some(number));
            }
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
    bounded.iter().zip(straight).map(|(&bounded, straight)| bounded && straight).collect()
}

/// The functions that a block calls by their symbols.
fn callees(func: &Function, block: Block) -> impl Iterator<Item = &str> {
    func.blocks[block].insts.iter().filter_map(|&inst| {
        match (func.insts[inst].op, &func.insts[inst].attrs[..]) {
            (Op::CallExternal, &[Attr::External(id), ..]) => Some(func.externals.get(id).name.as_str()),
            _ => None,
        }
    })
}

/// The blocks that stand in a loop.
fn in_loops(func: &Function) -> SideTable<Block, bool> {
    let mut found = SideTable::new();
    let cfg = flow::Cfg::compute(func);
    if !has_loop(&cfg) {
        return found;
    }
    let loops = flow::compute_loops(&cfg, &flow::compute_dominators(&cfg));
    for &block in cfg.reverse_postorder() {
        found[block] = loops.innermost(block).is_some() || !loops.irreducible_edges().is_empty();
    }
    found
}

/// Whether some edge leads backwards.
fn has_loop(cfg: &flow::Cfg<Block>) -> bool {
    let order = cfg.reverse_postorder().iter();
    let mut edges = order.flat_map(|&from| cfg.successors(from).iter().map(move |&to| (from, to)));
    edges.any(|(from, to)| cfg.order_of(to) <= cfg.order_of(from))
}

/// Whether the function has a loop.
pub(crate) fn loops(func: &Function) -> bool {
    has_loop(&flow::Cfg::compute(func))
}
