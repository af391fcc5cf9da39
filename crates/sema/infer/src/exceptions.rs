//! Types of what is raised and caught.
//!
//! A handler is reached where its block is, with what names held where the block began. What it binds is one type whatever the
//! exception's class: only the running program knows that.

use crate::diagnostics;
use crate::lookup::{Failure, Types};
use crate::solver::Solver;
use abi::ExceptionClass;
use diag::Result;
use ir::{BlockCall, Inst};
use types::{Type, TypeData, TypeTable};

/// An exception in a protected block leads to its handler.
pub(crate) fn enter_handler(solver: &mut Solver<'_>, handler: &BlockCall) -> Result<()> {
    let caught = solver.cx.types.intern(TypeData::Caught);
    if let Some(&exception) = solver.func.blocks[handler.block].params.last() {
        solver.set(exception, Some(caught));
    }
    solver.take_edge(handler)
}

/// What CPython has instructions of its own for in handlers.
pub(crate) fn infer_handling(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    match solver.symbol(inst) {
        "push_exception" | "lasti" => Ok(vec![Some(Type::NONE)]),
        "with_enter" => infer_enter(solver, inst, args[0]),
        "with_exit" => infer_exit(solver, inst, args[0]),
        "handled_exception" => Ok(vec![Some(solver.cx.types.intern(TypeData::Caught))]),
        "exception_matches" => infer_matches(solver, inst, args[1]),
        _ => Ok(vec![]),
    }
}

/// What leaves a context manager, and what it gives.
fn infer_enter(solver: &Solver<'_>, inst: Inst, manager: Type) -> Types {
    let types = solver.cx.types;
    let TypeData::Manager { suppresses, of } = types.get(manager) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let exit = types.intern(TypeData::Method(manager, "__exit__".into()));
    Ok(vec![Some(exit), Some(if suppresses { Type::NONE } else { of })])
}

/// Whether a context manager takes an exception.
fn infer_exit(solver: &Solver<'_>, inst: Inst, exit: Type) -> Types {
    let types = solver.cx.types;
    let manager = match types.get(exit) {
        TypeData::Method(manager, _) => types.get(manager),
        other => other,
    };
    match manager {
        TypeData::Manager { suppresses: true, of } => infer_matches(solver, inst, of),
        TypeData::Manager { .. } => Ok(vec![Some(types.literal_bool(false))]),
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// Whether an exception is of a class, or of one of several; every exception is a BaseException.
fn infer_matches(solver: &Solver<'_>, inst: Inst, wanted: Type) -> Types {
    let types = solver.cx.types;
    let Some(classes) = catalog::exception_classes(types, wanted) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let ty = match &classes[..] {
        [] => types.literal_bool(false),
        all if all.contains(&(ExceptionClass::BaseException as u32)) => types.literal_bool(true),
        _ => Type::BOOL,
    };
    Ok(vec![Some(ty)])
}

/// `raise` of a class or an instance, and of what was caught, with a cause.
pub(crate) fn infer_raise(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    match args {
        [ty, ..] if !is_exception(types, *ty) => Err(diagnostics::no_exception(solver, inst, *ty).into()),
        [_, cause] if !is_exception(types, *cause) && *cause != Type::NONE => {
            Err(diagnostics::unsupported(solver, inst, &format!("`raise ... from` {}", types.name(*cause)))
                .into())
        }
        _ => Ok(vec![]),
    }
}

fn is_exception(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::ExceptionClass(_) | TypeData::Exception(_) | TypeData::Caught)
}
