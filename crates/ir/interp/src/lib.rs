//! The interpreter of the Explicit phase: slow, obvious, the oracle of all tests.
//!
//! It implements the doc comments of the op table ([`ir::op`]) and checks their preconditions.
//! A violated precondition, a read of uninitialized memory, or an undefined value
//! is an internal error with its location, because lowering should have prevented it.
//! Memory is an [`AddressSpace`]: a [`Sandbox`] notices every access that is wrong, others may reach memory of the process.
//!
//! | file | contents |
//! |---|---|
//! | `machine` | activations, control flow, limits |
//! | `calls` | calls, and chunks of parallel loops |
//! | `eval` | which function computes which op |
//! | `ints`, `floats`, `convert` | what the ops compute |
//! | `address_space` | what a machine needs: memory, and functions that are not interpreted |
//! | `sandbox`, `memory` | memory that nobody else sees |
//! | `library` | functions that are interpreted |
//!
//! Absent: the earlier phases, and any optimization.

mod address_space;
mod calls;
mod convert;
mod eval;
mod floats;
mod ints;
mod libm;
mod library;
mod machine;
mod memory;
mod sandbox;
mod value;

pub use address_space::AddressSpace;
pub use ints::Fault;
pub use library::Library;
pub use machine::{Limits, Machine};
pub use memory::Memory;
pub use sandbox::Sandbox;
pub use value::Word;

use diag::Result;

/// How a call ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It returned these results.
    Returned(Vec<Word>),
    /// It failed with this status.
    Failed(Word),
}

/// Runs `func` in a fresh machine with the default limits.
pub fn run(func: &ir::Function, args: &[Word], library: &Library) -> Result<Outcome> {
    Machine::new(library).run(func, args)
}
