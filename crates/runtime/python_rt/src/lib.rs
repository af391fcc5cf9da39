//! The part of the runtime that knows Python: boxing, exceptions, and what compiled code calls in Python.
//!
//! Absent: the compiler. Queries that only it can answer (the type of a value, a plan for a type) go through [`plan::BoxingCx`].

#![warn(missing_docs)]

pub mod callbacks;
pub mod data_model;
pub mod entry;
pub mod object_registry;
pub mod panic_guard;
pub mod plan;
pub mod python_state;
pub mod raising;
pub mod unit;
pub mod values;
pub mod without_gil;
