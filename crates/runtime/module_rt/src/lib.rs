//! What a module that was built ahead of time needs besides its machine code: functions as Python calls them, the choice
//! among their signatures, plans from the names of types.
//!
//! `rumba build` links it into each module. Absent: the compiler; who writes a [`description::Description`] has it.

#![warn(missing_docs)]

mod context;
pub mod description;
mod fold;
mod function;
mod init;
pub mod layouts;
mod links;

pub use init::{Table, rumba_module_init};
pub use links::{CONTEXT, CONTEXT_BYTES, is_data};
