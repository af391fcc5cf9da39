//! Parallel loops: the body of a `for` over `prange` becomes a function of a range of iterations, and an op runs it on
//! threads.
//!
//! ```text
//! for i in prange(n):     becomes   body(begin, end, x, s0):      s = parallel_for number, ["+"], prange(n), x, s
//!     s += x[i]                         for i in prange(begin, end): s0 += x[i]
//!                                       return (s0,)
//! ```
//!
//! The body is a function like any other: it is lowered, inlined and optimized as one. Its parameters are the first
//! iteration and the one after the last, what the loop uses of the function around it, and the values that go from
//! one iteration to the next, as they begin; it returns what these are after its last iteration, then a flag for
//! each that may have kept its value. [`chunk_entry`] is what threads call: it reads all this from memory.
//!
//! | file | what |
//! |---|---|
//! | `find_loops` | loops that can be parallel |
//! | `carried` | loop-carried values: reductions and last values |
//! | `indexed_reductions` | reductions into items of arrays |
//! | `index_classes` | whether iterations may have the same index |
//! | `truth` | reductions with `and` and `or` |
//! | `shared` | containers and objects shared by iterations |
//! | `races` | writes of all iterations to one element |
//! | `cost` | the estimated cost of an iteration |
//! | `outline` | outlining of the body |
//! | `launch` | lowering of `parallel_for` |
//! | `launch_mode` | how chunks fill arrays |
//! | `chunk_entry` | the C function that runs one chunk |
//!
//! Absent: threads (`rt`), how many chunks there are (`rt`).

mod carried;
mod chunk_entry;
mod cost;
mod find_loops;
mod index_classes;
mod indexed_reductions;
mod launch;
mod launch_mode;
mod outline;
mod races;
mod shared;
mod truth;

pub use chunk_entry::{chunk_entry, chunk_symbol};
pub(crate) use launch::lower_parallel_for;

use catalog::Catalog;
use diag::Span;
use ir::Function;
use types::{Handle, Type, TypeTable};

/// Handles of bodies of parallel loops begin here: no Python object has them.
const BODIES: u32 = 1 << 30;

/// The handle of a body, by its number in the group.
pub fn body_handle(number: usize) -> Handle {
    Handle(BODIES + number as u32)
}

/// Whether a handle is that of a body.
pub fn is_body(handle: Handle) -> bool {
    handle.0 >= BODIES && handle.0 < types::USER_EXCEPTION
}

/// The body of a parallel loop.
#[derive(Debug)]
pub struct ParallelBody {
    /// Its code.
    pub func: Function,
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// Type of its result.
    pub result: Type,
    /// Where the loop stands.
    pub span: Span,
    /// Where its iterations write over what others write.
    pub races: Vec<Span>,
}

/// A loop over `prange` that stays as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SerialLoop {
    /// Where it stands.
    pub span: Span,
    /// Why.
    pub reason: String,
}

/// What became of a function's loops over `prange`.
#[derive(Debug, Default)]
pub struct ParallelLoops {
    /// Bodies of those that run on threads, in the order of their numbers.
    pub bodies: Vec<ParallelBody>,
    /// The others.
    pub serial: Vec<SerialLoop>,
}

/// Makes loops over `prange` parallel, outer ones before inner ones. The bodies get numbers from `first` on.
pub fn form_parallel_loops(
    func: &mut Function,
    types: &TypeTable,
    catalog: &Catalog,
    first: usize,
) -> ParallelLoops {
    let mut found = ParallelLoops::default();
    find_loops::drop_unused_of_handlers(func, types);
    while let Some(next) = find_loops::next_loop(func, (types, catalog), &mut found.serial) {
        if indexed_reductions::carry_arrays(func, types, &next) {
            continue;
        }
        let number = first + found.bodies.len();
        found.bodies.push(outline::outline(func, types, &next, number));
    }
    found
}
