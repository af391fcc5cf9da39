//! The constants of the display that made a list or a dict, which overloads read as `initial_value` of its type.
//!
//! They describe the display, not the value at the call: later changes are not visible in them.
//!
//! Absent: when an overload is asked with them (`overload_resolution`), the Python side (`InitialValue` of `rumba.types`).

use crate::calls::call_data::Given;
use crate::overloads::literally;
use crate::solver::Solver;
use ir::{Attr, Def, Inst, Op, Value};
use std::sync::Arc;
use types::{Type, TypeData};

/// The arguments of a call that are made by displays of constants, by their numbers.
pub(crate) fn of_arguments(solver: &Solver<'_>, inst: Inst, given: &[Given]) -> Vec<(usize, Arc<[Type]>)> {
    let known = |(at, (argument, ty)): (usize, &Given)| {
        let of_container = matches!(
            solver.cx.types.get(*ty),
            TypeData::List { typed: false, .. } | TypeData::Dict { missing: Type::NONE, .. }
        );
        let value = literally::value_of(solver, inst, argument).filter(|_| of_container)?;
        Some((at, of(solver, value)?))
    };
    given.iter().enumerate().filter_map(known).collect()
}

/// The constants of the display that made a value, if that is known.
pub(crate) fn of(solver: &Solver<'_>, value: Value) -> Option<Arc<[Type]>> {
    let Def::Result(inst, _) = solver.func.values[value].def else { return None };
    let data = &solver.func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::BuildList | Op::BuildMap, _) => {
            let types: Option<Arc<[Type]>> = data.args.iter().map(|&item| solver.ty(item)).collect();
            types.filter(|types| {
                !types.is_empty() && types.iter().all(|&ty| solver.cx.types.literal(ty).is_some())
            })
        }
        (Op::CheckBound | Op::NotNone | Op::Narrow | Op::Promote | Op::Declared, _) => {
            of(solver, data.args[0])
        }
        (Op::Arg, Some(&Attr::Int(index))) => {
            let (function, _) = solver.shared.key(solver.number)?;
            solver.shared.implementations.borrow().initial_value(function, index as usize)
        }
        _ => None,
    }
}
