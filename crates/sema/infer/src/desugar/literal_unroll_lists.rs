//! Arguments of `literal_unroll`: lists of constants become tuples, so that their items may have different types;
//! anything but a list or tuple is an error.
//!
//! ```text
//!     %a = build_list %0, %1            %a = build_tuple %0, %1
//!     %u = call literal_unroll, %a      %u = call literal_unroll, %a
//! ```
//!
//! Absent: the loops (`literal_unroll`).

use crate::overloads::literally;
use crate::solver::Solver;
use catalog::{Catalog, GlobalValue, Host, Special};
use diag::{Diagnostic, codes};
use ir::{Attr, Def, Function, Inst, Op, Value};
use types::{Type, TypeData};

/// Turns the lists of constants that `literal_unroll` gets into tuples.
pub(crate) fn tuples_from_lists(func: &mut Function, host: &dyn Host, catalog: &Catalog) {
    let calls = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let lists: Vec<Inst> = calls.filter_map(|&call| list_for(func, host, catalog, call)).collect();
    for list in lists {
        func.insts[list].op = Op::BuildTuple;
    }
}

/// The list of constants that a call passes to `literal_unroll`.
fn list_for(func: &Function, host: &dyn Host, catalog: &Catalog, call: Inst) -> Option<Inst> {
    let (Op::Call, &[callee, value]) = (func.insts[call].op, &func.insts[call].args[..]) else { return None };
    let list = list_of(func, value)?;
    let constant = first_variable(func, list).is_none();
    let unrolls = || match named_by(func, host, callee) {
        Some(GlobalValue::Function(name)) => catalog.special(&name) == Some(Special::LiteralUnroll),
        _ => false,
    };
    (constant && unrolls()).then_some(list)
}

/// Where a value is written out as a list.
fn list_of(func: &Function, value: Value) -> Option<Inst> {
    match func.values[value].def {
        Def::Result(inst, _) if func.insts[inst].op == Op::BuildList => Some(inst),
        _ => None,
    }
}

/// The place of the first item of a list that is no constant.
fn first_variable(func: &Function, list: Inst) -> Option<usize> {
    let is_constant = |&item: &Value| matches!(func.values[item].def, Def::Result(inst, _) if func.insts[inst].op == Op::Const);
    func.insts[list].args.iter().position(|item| !is_constant(item))
}

/// What a name, or an attribute of modules, stands for outside the function.
fn named_by(func: &Function, host: &dyn Host, mut value: Value) -> Option<GlobalValue> {
    let mut attributes = Vec::new();
    let mut found = loop {
        let Def::Result(inst, _) = func.values[value].def else { return None };
        let data = &func.insts[inst];
        match (data.op, data.attrs.first()) {
            (Op::Getattr, Some(&Attr::Symbol(name))) => {
                attributes.push(func.symbols.get(name));
                value = data.args[0];
            }
            (Op::Global, Some(&Attr::Symbol(name))) => break host.global(func.symbols.get(name))?,
            (Op::Freevar, Some(&Attr::Int(index))) => break host.freevar(index as usize)?,
            _ => return None,
        }
    };
    while let Some(name) = attributes.pop() {
        let GlobalValue::Module(module) = found else { return None };
        found = host.module_attribute(&module, name)?;
    }
    Some(found)
}

/// Why these arguments are nothing that a loop can be written out for.
pub(crate) fn explain(solver: &Solver<'_>, call: Inst, args: &[Type]) -> Box<Diagnostic> {
    let &[ty] = args else {
        let message = format!("literal_unroll takes one argument, found {}", args.len());
        return report(solver, call, message, "called here", "Write `for x in literal_unroll(items):`.");
    };
    let shown = solver.cx.types.name(ty);
    let value = solver.func.insts[call].args[1];
    if literally::parameter(solver, value).is_some() {
        let message = format!("Invalid use of literal_unroll with a function argument that is {shown}");
        let hint =
            "Pass a tuple: its length and the types of its items are known when the function compiles.";
        return report(solver, call, message, "called here", hint);
    }
    if let Some(list) = list_of(&solver.func, value)
        && let Some(position) = first_variable(&solver.func, list)
    {
        let message =
            format!("Found non-constant value at position {position} in a list argument to literal_unroll");
        return report(solver, list, message, "made here", "Write a tuple, whose items may be any values.");
    }
    let message = format!(
        "Invalid use of literal_unroll: its argument should be a tuple or a list of constant values, not {shown}"
    );
    let hint = match solver.cx.types.get(ty) {
        TypeData::List { .. } => "Write the list where it is used, of constants alone, or use a tuple.",
        _ => "Loop over a tuple: its items are known when the function compiles.",
    };
    report(solver, call, message, "called here", hint)
}

fn report(solver: &Solver<'_>, at: Inst, message: String, label: &str, hint: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message).label(solver.func.insts[at].span, label).hint(hint)
}
