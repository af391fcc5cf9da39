//! Devirtualization: an indirect call of a known address becomes a direct one.
//!
//! ```text
//! %0: ptr = address_of fn0                          %0: ptr = address_of fn0
//! %1: i64 = call_indirect fn1, %0, %x     becomes   %1: i64 = call_external fn2, %x
//! ```
//!
//! Inlining exposes such calls: a function with a function value as a parameter is inlined into a caller that knows
//! the value. The test whether the function has an address is removed, too.

use crate::range_analysis::number_of;
use flow::Cfg;
use ir::{Attr, Def, External, Function, Inst, IntCond, Op, Value};

/// Makes calls of functions that `is_known` direct; whether there were any.
pub fn devirtualize_calls(func: &mut Function, is_known: &dyn Fn(&str) -> bool) -> bool {
    let mut found = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if let Some(symbol) = known_callee(func, inst).filter(|symbol| is_known(symbol)) {
                found.push((inst, symbol.to_owned()));
            }
        }
    }
    for (inst, name) in &found {
        if let Some(&Attr::External(signature)) = func.insts[*inst].attrs.first() {
            let signature = func.externals.get(signature).clone();
            let callee = func.externals.intern(External { name: name.clone(), ..signature });
            let data = &mut func.insts[*inst];
            data.op = Op::CallExternal;
            data.attrs[0] = Attr::External(callee);
            data.args.remove(0);
        }
    }
    if !found.is_empty() {
        take_known_branches(func);
    }
    !found.is_empty()
}

/// Branches on whether a known address is null become jumps.
fn take_known_branches(func: &mut Function) {
    for block in func.layout.clone() {
        let Some(last) = func.terminator(block).filter(|&last| func.insts[last].op == Op::Branch) else {
            continue;
        };
        if let Some(holds) = compares_with_null(func, func.insts[last].args[0]) {
            func.insts[last].jump_to(usize::from(!holds));
        }
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// Whether a comparison of a known address with null holds.
fn compares_with_null(func: &Function, condition: Value) -> Option<bool> {
    let Def::Result(inst, _) = func.values[condition].def else { return None };
    let data = &func.insts[inst];
    let Some(&Attr::IntCond(cond @ (IntCond::Eq | IntCond::Ne))) = data.attrs.first() else { return None };
    let is_address = |value: Value| match func.values[value].def {
        Def::Result(inst, _) => func.insts[inst].op == Op::AddressOf,
        Def::Param(..) => false,
    };
    let is_null = |value: Value| number_of(func, value) == Some(0);
    let [a, b] = data.args[..] else { return None };
    (is_address(a) && is_null(b) || is_null(a) && is_address(b)).then_some(cond == IntCond::Ne)
}

/// The symbol whose address an instruction calls.
fn known_callee(func: &Function, inst: Inst) -> Option<&str> {
    let data = &func.insts[inst];
    if data.op != Op::CallIndirect {
        return None;
    }
    let Def::Result(address, _) = func.values[data.args[0]].def else { return None };
    match (func.insts[address].op, func.insts[address].attrs.first()) {
        (Op::AddressOf, Some(&Attr::External(id))) => Some(func.externals.get(id).name.as_str()),
        _ => None,
    }
}
