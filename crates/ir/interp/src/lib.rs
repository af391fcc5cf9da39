//! The interpreter of the Explicit phase: slow, obvious, the oracle of all tests.
//!
//! It implements the doc comments of the op table ([`ir::op`]) and checks their preconditions.
//! A violated precondition, a read of uninitialized memory, or an undefined value
//! is an internal error with its location, because lowering should have prevented it.
//! The code can only access the sandboxed [`Memory`] of the [`Machine`].
//!
//! | file | contents |
//! |---|---|
//! | `machine` | activations, control flow, calls, limits |
//! | `eval` | which function computes which op |
//! | `ints`, `floats`, `convert` | what the ops compute |
//! | `memory` | the sandbox |
//! | `externals` | functions outside the one that runs |
//!
//! Absent: the earlier phases, and any optimization.

mod convert;
mod eval;
mod externals;
mod floats;
mod ints;
mod libm;
mod machine;
mod memory;
mod value;

pub use externals::{Externals, Library, State};
pub use libm::Libm;
pub use machine::{Limits, Machine};
pub use memory::Memory;
pub use value::Word;

use diag::Result;

/// How a call ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It returned these results.
    Returned(Vec<Word>),
    /// It failed with the status that stands for this place.
    Failed(ir::SiteData),
}

/// Runs `func` in a fresh machine with the default limits.
pub fn run(func: &ir::Function, args: &[Word], env: &dyn Externals) -> Result<Outcome> {
    Machine::new(env).run(func, args)
}
