//! Functions that compiled code calls by symbol: `print`, Python functions, parallel loops, signals, ufunc loops,
//! boxing of any type.

mod call_plan;
mod context;
pub mod interrupts;
pub mod numpy_kernels;
mod object_ops;
mod object_values;
pub mod parallel_for;
pub mod parallel_ufunc;
mod print;
mod python_calls;
mod python_functions;
pub mod symbols;
mod ufunc_loops;
pub mod unbox_value;

pub use context::RuntimeContext;
