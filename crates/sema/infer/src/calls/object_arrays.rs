//! Arrays of objects that are made with the dtype `object`, which does not tell the class: it grows, as that of lists does.
//!
//! ```text
//! %a = call numpy.empty, %n, object     becomes   %a = call numpy.empty, %n, optional(P)
//! setitem %a, 0, %p
//! ```
//!
//! Absent: which functions make such arrays (rules of the catalog).

use crate::desugar::expansion::Expansion;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use ir::{Attr, Inst, Op, ValueType};
use types::{Type, TypeData, TypeTable, unify};

/// Whether an instruction is a call that is told to make an array of objects.
pub(crate) fn is_made(solver: &Solver<'_>, inst: Inst) -> bool {
    let data = &solver.func.insts[inst];
    data.op == Op::Call
        && data
            .args
            .iter()
            .skip(1)
            .any(|&arg| solver.ty(arg).is_some_and(|ty| is_object(solver.cx.types, ty)))
}

fn is_object(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::Function(name) if *name == *"builtins.object")
}

/// The type of an array of objects that holds what another one, a part or a copy of it, is to hold.
pub(crate) fn holding(types: &TypeTable, array: Type, part: Type) -> Option<Type> {
    types.items_of_object_array(array)?;
    let items = types.items_of_object_array(part)?;
    types.with_contents(array, &[items.dtype])
}

/// The type of what a call gives: an array of objects holds what is put into it elsewhere, too.
pub(crate) fn with_growth(solver: &Solver<'_>, inst: Inst, given: Types) -> Types {
    let mut given = given?;
    if let [Some(ty)] = given[..]
        && solver.cx.types.items_of_object_array(ty).is_some()
        && is_made(solver, inst)
    {
        let types = solver.cx.types;
        let grown = solver.grown.get(&inst).and_then(|&grown| holding(types, ty, unify(types, ty, grown)?));
        given[0] = Some(grown.unwrap_or(ty));
    }
    Ok(given)
}

/// The dtype of a call that makes an array of objects is the type that was found.
pub(crate) fn expand(pass: &mut Expansion<'_, '_>, inst: Inst) {
    let types = pass.solver.cx.types;
    let Some(&result) = pass.func.insts[inst].results.first() else { return };
    let Some(items) =
        types.items_of_object_array(pass.ty(result)).filter(|items| items.dtype != Type::UNDEFINED)
    else {
        return;
    };
    let args = pass.func.insts[inst].args.clone();
    for (at, &arg) in args.iter().enumerate().skip(1) {
        if is_object(types, pass.ty(arg)) {
            let class = types.intern(TypeData::Class(items.dtype));
            let mut builder = pass.builder(inst);
            let symbol = builder.symbol("object");
            let class = builder.value(Op::Global, [Attr::Symbol(symbol)], &[], ValueType::Typed(class));
            pass.func.insts[inst].args[at] = class;
        }
    }
}
