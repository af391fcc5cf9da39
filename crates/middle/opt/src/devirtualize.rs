//! Devirtualization: an indirect call of a known address becomes a direct one.
//!
//! ```text
//! %0: ptr = address_of fn0                          %0: ptr = address_of fn0
//! %1: i64 = call_indirect fn1, %0, %x     becomes   %1: i64 = call_external fn2, %x
//! ```
//!
//! Inlining shows such calls: a function that is passed a compiled function as a value goes into the one that
//! knows which it is.

use ir::{Attr, Def, External, Function, Inst, Op};

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
    !found.is_empty()
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
