//! Calls in functions with `parallel=True`: where there is an implementation that runs on several threads, it is called.
//!
//! ```text
//! %1 = call numpy.sum, %0      becomes      %1 = call implementation of numpy.sum.in_parallel, %0
//! ```
//!
//! A function may have an implementation for parallel code, which is the one of the function `<name>.in_parallel`. It may refuse; then
//! the call is what it is elsewhere.
//!
//! Absent: what implementations do (`library.in_parallel`, `rumba.stencils`), expressions of arrays (`arrays::elementwise`).

use crate::containers::container_growth;
use crate::overloads::lookup::{Lookup, Outcome};
use crate::overloads::overload_resolution::{Called, call_extension, called};
use crate::solver::Solver;
use catalog::Extended;
use ir::{Block, Inst, Op};
use types::Type;

/// The types of the results of a call, if it runs on several threads.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Outcome<Option<Vec<Option<Type>>>> {
    let is_call = matches!(solver.func.insts[inst].op, Op::Call | Op::CallEx);
    if !is_call || !solver.semantics.parallel_arrays {
        return Ok(None);
    }
    let Some(mut called) = called(solver, inst)? else { return Ok(None) };
    called.what = called.what.iter().filter_map(of_parallel_code).collect();
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
    if !solver.semantics.parallel_arrays {
        return Ok(None);
    }
    let what = called.what.iter().filter_map(of_parallel_code).collect();
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

/// The name of the same function for parallel code; only functions have one.
fn of_parallel_code(what: &Extended) -> Option<Extended> {
    match what {
        Extended::Function(name) => Some(Extended::Function(format!("{name}.in_parallel").into())),
        Extended::Method(..) | Extended::Attribute(..) => None,
    }
}
