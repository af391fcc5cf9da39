//! Calls in functions with `parallel=True`: uses a multithreaded implementation if there is one.
//!
//! ```text
//! %1 = call numpy.sum, %0      becomes      %1 = call implementation of numpy.sum.in_parallel, %0
//! ```
//!
//! A function may have an implementation for parallel code, that of the function `<name>.in_parallel`, or
//! `<name>.stencil_in_parallel` for stencils, which have a separate option. It may decline; then the call is an ordinary one.
//!
//! Absent: what implementations do (`library.in_parallel`, `rumba.stencils`), expressions of arrays (`arrays::elementwise`).

use crate::containers::container_growth;
use crate::overloads::lookup::{Lookup, Outcome};
use crate::overloads::overload_resolution::{Called, call_extension, called};
use crate::solver::Solver;
use catalog::{Extended, Semantics};
use ir::{Block, Inst, Op};
use smallvec::SmallVec;
use types::Type;

/// The types of the results of a call, if it runs on several threads.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Outcome<Option<Vec<Option<Type>>>> {
    let is_call = matches!(solver.func.insts[inst].op, Op::Call | Op::CallEx);
    let suffixes = suffixes(solver.semantics);
    if !is_call || suffixes.is_empty() {
        return Ok(None);
    }
    let Some(mut called) = called(solver, inst)? else { return Ok(None) };
    called.what = of_parallel_code(&called.what, &suffixes);
    called.what.retain(|what| solver.host.is_extended(what));
    if called.what.is_empty() {
        return Ok(None);
    }
    let given: Vec<Type> = called.given.iter().map(|&(_, ty)| ty).collect();
    if container_growth::waits(solver, block, &given) {
        return Ok(Some(vec![None; solver.func.insts[inst].results.len()]));
    }
    call(solver, block, inst, &called)
}

/// The same of a call of these functions, by the names that they have for parallel code.
pub(crate) fn infer_named(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    called: &Called,
) -> Outcome<Option<Vec<Option<Type>>>> {
    let suffixes = suffixes(solver.semantics);
    if suffixes.is_empty() {
        return Ok(None);
    }
    let what = of_parallel_code(&called.what, &suffixes);
    call(solver, block, inst, &Called { what, ..called.clone() })
}

fn call(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    called: &Called,
) -> Outcome<Option<Vec<Option<Type>>>> {
    Ok(match call_extension(solver, block, inst, called)? {
        Lookup::Found(found) => {
            solver.in_parallel[inst] = true;
            Some(found)
        }
        Lookup::Missing(_) => {
            solver.extended[inst] = None;
            None
        }
    })
}

/// How the names of functions end that are called instead, by the parts of the option `parallel`.
fn suffixes(semantics: Semantics) -> SmallVec<[&'static str; 2]> {
    let parts =
        [(semantics.parallel_arrays, "in_parallel"), (semantics.parallel_stencils, "stencil_in_parallel")];
    parts.iter().filter(|(is_on, _)| *is_on).map(|&(_, suffix)| suffix).collect()
}

/// The names of the same functions for parallel code; only functions have one.
fn of_parallel_code(what: &[Extended], suffixes: &[&str]) -> Vec<Extended> {
    let names = what.iter().filter_map(|what| match what {
        Extended::Function(name) => Some(name),
        Extended::Method(..) | Extended::Attribute(..) => None,
    });
    let all = names.flat_map(|name| suffixes.iter().map(move |suffix| format!("{name}.{suffix}")));
    all.map(|name| Extended::Function(name.into())).collect()
}
