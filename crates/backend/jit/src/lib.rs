//! Links object files into callable memory, with LLVM's ORC.
//!
//! [`Jit::link`] places an object in memory and gives a [`LinkedUnit`]: addresses of its entries, the
//! object's bytes, and a share of every unit that it calls. The code is freed when the last
//! `Arc` of the unit is dropped; who holds one keeps the code callable.
//!
//! What an object refers to is bound by name, in this order: addresses given with it, entries of
//! units it is linked against, the external functions that it was given, the runtime functions the [`Jit`] was made with, the functions of C
//! that LLVM's code generator calls by itself ([`libc_symbols`]). A name that none of them has is an
//! error that lists it; the process's own symbols are never searched. Every unit is a name space of
//! its own, so two units may define the same symbol.
//!
//! Any number of threads link at once; ORC's session locks for the short steps that need it.
//!
//! Absent: compiling, caching on disk, knowledge of Python.

mod elf;
mod libc_symbols;
mod orc;
mod session;

pub use elf::ObjectInfo;
pub use libc_symbols::libc_symbols;
pub use session::{Borrowed, Imports, Jit, LinkedUnit};
