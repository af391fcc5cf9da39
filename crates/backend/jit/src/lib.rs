//! Links object files into callable memory, with LLVM's ORC.
//!
//! [`Jit::link`] loads an object file into memory and returns a [`LinkedUnit`]: the addresses of its entries, the
//! bytes of the object file, and a reference to every unit that it calls. The code is freed when the last
//! `Arc` of the unit is dropped.
//!
//! Undefined symbols are resolved in this order: addresses passed with the object file, entries of
//! units it is linked against, external functions such as NumPy's kernels, the runtime functions the [`Jit`] was created with, the C functions
//! that LLVM's code generator calls on its own ([`libc_symbols`]). Any other symbol is an
//! error that lists it; the process's own symbols are never searched. Every unit is a separate namespace,
//! so two units may define the same symbol.
//!
//! Any number of threads may link concurrently; ORC's session locks for the short steps that need it.
//!
//! Absent: compiling, caching on disk, knowledge of Python.

mod elf;
mod gdb;
mod libc_symbols;
mod line_table;
mod orc;
mod perf;
mod sampler;
mod session;

pub use elf::ObjectInfo;
pub use libc_symbols::libc_symbols;
pub use perf::Profile;
pub use sampler::{LineSamples, start as start_sampling, stop as stop_sampling};
pub use session::{Borrowed, Imports, Jit, LinkedUnit};
