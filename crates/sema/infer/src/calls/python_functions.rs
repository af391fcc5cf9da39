//! Calls of functions that Python runs: which values can be boxed without losing their identity.
//!
//! Absent: how they become that (`python_rt::plan`).

use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::Inst;
use types::{SetKind, Type, TypeData, TypeTable};

/// Checks the types of what is passed to such a function.
pub(crate) fn check_arguments(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Result<()> {
    let types = solver.cx.types;
    let Some((at, &refused)) =
        args.iter().enumerate().find(|&(_, &arg)| !is_passed(types, arg) && !is_borrowed(types, arg))
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
        TypeData::List { item, .. } => is_passed(types, item),
        TypeData::Dict { key, value, .. } => is_passed(types, key) && is_passed(types, value),
        _ => false,
    }
}

/// Whether Python's object of a value is the value, or a copy of what does not change.
fn is_passed(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => is_passed(types, inner),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().all(|&element| is_passed(types, element))
        }
        TypeData::List { typed, .. } => typed,
        TypeData::Set { kind, .. } => kind != SetKind::Plain,
        TypeData::None
        | TypeData::Ellipsis
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Str
        | TypeData::Literal(_)
        | TypeData::Enum { .. }
        | TypeData::Slice { .. }
        | TypeData::LiteralSlice { .. }
        | TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Datetime { .. }
        | TypeData::CharSeq { .. }
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::PyObject
        | TypeData::Class(_)
        | TypeData::Dispatcher(_)
        | TypeData::FunctionValue { .. }
        | TypeData::NumpyGenerator
        | TypeData::Instance { .. }
        | TypeData::Foreign { .. } => true,
        _ => false,
    }
}
