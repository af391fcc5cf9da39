//! Calls of functions that Python runs: which values can be boxed without losing their identity.
//!
//! Absent: how they become that (`python_rt::plan`).

use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::Inst;
use types::{Type, TypeData, TypeTable, has_python_object};

/// Checks the types of what is passed to such a function.
pub(crate) fn check_arguments(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Result<()> {
    let types = solver.cx.types;
    let Some((at, &refused)) =
        args.iter().enumerate().find(|&(_, &arg)| !has_python_object(types, arg) && !is_borrowed(types, arg))
    else {
        return Ok(());
    };
    let data = &solver.func.insts[inst];
    let name = data.args.get(1 + at).and_then(|&arg| solver.func.values[arg].name.expand());
    let name = name.map_or_else(
        || format!("argument {}", at + 1),
        |name| format!("`{}`", solver.func.symbols.get(name)),
    );
    let ty = types.name(refused);
    Err(Diagnostic::new(
        codes::PYTHON_ARGUMENT,
        format!("{name} is {ty}, which Python code cannot be given here"),
    )
    .label(data.span, "passed to Python here")
    .hint("Pass an array, a tuple, or a container of `typed`, or do this part in compiled code."))
}

/// Whether Python code is passed a container that it may change.
fn is_borrowed(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::List { item, .. } => has_python_object(types, item),
        TypeData::Dict { key, value, .. } => has_python_object(types, key) && has_python_object(types, value),
        _ => false,
    }
}
