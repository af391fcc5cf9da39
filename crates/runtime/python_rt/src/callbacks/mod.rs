//! What compiled code calls, by symbol: `print`, functions of Python, parallel loops, signals, values of any type.

mod call_plan;
mod context;
pub mod interrupts;
pub mod numpy_kernels;
pub mod parallel_for;
pub mod parallel_ufunc;
mod print;
mod python_calls;
mod python_functions;
pub mod symbols;
pub mod unbox_value;

pub use context::RuntimeContext;
