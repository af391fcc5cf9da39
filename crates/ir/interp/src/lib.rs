//! The interpreter of the Explicit phase: slow, obvious, the oracle of all tests.
//!
//! It does what the doc comments of the op table ([`ir::op`]) say and checks what they require.
//! An operation whose precondition does not hold, a read of memory that was never written, a value
//! that has no meaning: each is an internal error that names the place, because the lowering that
//! made the code should have excluded it. Nothing that the code does can touch memory other than
//! the sandboxed [`Memory`] of the [`Machine`].
//!
//! | file | lives there |
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
