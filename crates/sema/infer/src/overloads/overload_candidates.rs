//! Library implementations that a group of functions calls: the request after each, its replacement if it does not
//! compile, and the end of mutual calls.
//!
//! Absent: the selection of one for a call (`overload_resolution`).

use crate::diagnostics;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use diag::{Diagnostic, Result, codes};
use ir::Inst;

/// How often implementations of one thing may call each other with other types.
const DEEPEST: usize = 30;

/// An implementation that calls what it implements with other types each time has no end.
pub(crate) fn check_depth(solver: &Solver<'_>, inst: Inst, what: &catalog::Extended) -> Result<()> {
    let same = |other: &catalog::Extended| match (what, other) {
        (catalog::Extended::Function(a), catalog::Extended::Function(b)) => a == b,
        (catalog::Extended::Method(_, a), catalog::Extended::Method(_, b))
        | (catalog::Extended::Attribute(_, a), catalog::Extended::Attribute(_, b)) => a == b,
        _ => false,
    };
    let mut seen = vec![solver.number];
    let mut depth = 0;
    while let Some(&instance) = seen.last()
        && let Some(((caller, _), _)) = solver.shared.first_call(instance)
    {
        depth += usize::from(solver.shared.implements(instance).is_some_and(|query| same(&query.what)));
        if seen.contains(&caller) {
            break;
        }
        seen.push(caller);
    }
    if depth < DEEPEST {
        return Ok(());
    }
    let name = match what {
        catalog::Extended::Function(name) => diagnostics::shown_name(name).to_owned(),
        catalog::Extended::Method(_, name) | catalog::Extended::Attribute(_, name) => name.to_string(),
    };
    Err(Diagnostic::new(
        codes::NO_FIXPOINT,
        format!("the implementations of '{name}' call '{name}' again and again, each time with other types"),
    )
    .label(solver.func.insts[inst].span, "called here once more")
    .hint(
        "Let the overload return an implementation that does not call the function for the simplest types.",
    ))
}

/// An implementation that does not compile gives way to the next one, if there is one. Why those before it
/// did, if there is none.
pub(crate) fn consider_another(
    engines: &[Solver<'_>],
    shared: &GroupState,
    number: usize,
    error: &Diagnostic,
) -> Vec<String> {
    let mut useless = Vec::new();
    if !matches!(error.code.class, diag::ErrorClass::Typing | diag::ErrorClass::Unsupported)
        || [codes::LIBRARY, codes::NO_LITERAL].contains(&error.code)
        || shared.memory.borrow().will_restart()
    {
        return useless;
    }
    let mut seen = vec![number];
    while let Some(&instance) = seen.last()
        && let Some(((caller, _), _)) = shared.first_call(instance)
        && let Some(solver) = engines.get(caller)
    {
        if let Some(mut query) = shared.implements(instance) {
            query.skip += 1;
            let another = solver.host.extension(&query);
            query.skip = 0;
            let mut memory = shared.memory.borrow_mut();
            if another.is_ok_and(|answer| answer.function.is_some()) {
                let name = &engines.get(instance).map_or("", |solver| &*solver.func.name);
                let args = solver.cx.types.names(&query.args);
                let why = format!("`{name}` for ({args}) was tried and does not compile: {}", error.message);
                memory.note_useless(query, why);
                memory.restart();
                return Vec::new();
            }
            useless.extend_from_slice(memory.useless(&query));
        }
        if seen.contains(&caller) {
            break;
        }
        seen.push(caller);
    }
    useless
}
