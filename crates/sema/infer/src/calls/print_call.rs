//! Calls of `print`: its keyword arguments are moved before the printed values.
//!
//! `print(a, b, end="")` becomes a call of the catalog's `print` with `sep`, `end`, `flush`, `file`, `a`, `b`, where None
//! stands for omitted arguments.

use crate::calls::call_data::{Argument, FoldedCall, Written};
use crate::diagnostics;
use crate::overloads::by_catalog::infer_known_call;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use diag::Result;
use ir::Inst;
use types::{STREAMS, Type, TypeData, TypeTable};

/// The keyword arguments, in the order in which the catalog's rule takes them.
const OPTIONS: [&str; 4] = ["sep", "end", "flush", "file"];

/// A call of `print`.
pub(crate) fn infer(solver: &mut Solver<'_>, inst: Inst, call: Written) -> Types {
    let callee = call.callee;
    let by_position = call.given.len() - call.names.len();
    let mut arguments = vec![Argument::Type(Type::NONE); OPTIONS.len()];
    let mut types = vec![Type::NONE; OPTIONS.len()];
    for (index, (argument, ty)) in call.given.into_iter().enumerate() {
        let Some(name) = index.checked_sub(by_position).map(|at| call.names[at].as_str()) else {
            arguments.push(argument);
            types.push(ty);
            continue;
        };
        let index = option(solver, inst, name, ty)?;
        (arguments[index], types[index]) = (argument, ty);
    }
    solver.folded[inst] = Some(FoldedCall { arguments, types: types.clone(), exact: None });
    infer_known_call(solver, inst, callee, &types)
}

/// The place of a keyword argument; an error if it is none, or of another type.
fn option(solver: &Solver<'_>, inst: Inst, name: &str, ty: Type) -> Result<usize> {
    let types = solver.cx.types;
    let Some(index) = OPTIONS.iter().position(|&known| known == name) else {
        return Err(diagnostics::unsupported(solver, inst, &format!("`print` with `{name}`")));
    };
    let known = match name {
        "file" => matches!(ty, Type::NONE | Type::PYOBJECT) || is_stream(types, ty),
        "flush" => ty == Type::NONE || types.unliteral(ty) == Type::BOOL || types.unliteral(ty).is_int(),
        _ => ty == Type::NONE || types.unliteral(ty) == Type::STR,
    };
    if !known {
        let what = format!("`print` with a `{name}` of type {}", types.name(ty));
        return Err(diagnostics::unsupported(solver, inst, &what));
    }
    Ok(index)
}

/// Whether a value is `sys.stdout` or `sys.stderr`.
fn is_stream(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::Function(name) if STREAMS.contains(&&*name))
}
