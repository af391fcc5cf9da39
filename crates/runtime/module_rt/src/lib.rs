//! The part of the runtime that only modules built ahead of time need: functions as Python calls them, selection among
//! their signatures, plans from type names.
//!
//! `rumba build` links it into each module. Absent: the compiler, which writes a [`description::Description`].

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
