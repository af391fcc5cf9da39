//! Explicit IR to machine code: LLVM module, optimization, object file or text.
//!
//! [`compile`] is the pipeline: build the module, verify, optimize by a pipeline chosen from the
//! unit's content, emit an object. [`emit_ptx`] lowers the same text for NVIDIA GPUs. The object is
//! self-contained and position independent; whoever links it (`jit`) supplies the symbols it names.
//!
//! Calling convention between compiled functions (`convention`): parameters by their machine type
//! (`i1` zero-extended), results by value in registers as long as they fit. A function that can fail
//! gives a status first: 0, or the address of an [`abi::RaiseSite`]. Python enters through a thunk
//! over packed 64-bit words ([`abi::Thunk`]); where nothing else calls the function, its body is
//! built right into the thunk.
//!
//! Invariants: an LLVM context lives for one compilation; target machines belong to a thread; so any
//! number of threads compile at once without a lock. Integer arithmetic wraps, floats obey
//! IEEE 754 unless [`FastMath`] frees them.
//!
//! Absent: linking, code memory, knowledge of Python.

mod alias_scopes;
mod block_frequency;
mod cached_pass_manager;
mod calling_convention;
mod compile;
mod debug_lines;
mod error;
mod function_body;
mod function_sources;
mod llvm_text;
mod module;
mod ops;
mod pass_pipeline;
mod ptx;
mod raise_sites;
mod target;
mod thunk;
mod unit;
mod vector_math;

pub use compile::compile;
pub use function_sources::{FunctionSource, function_sources, source_symbols};
pub use llvm_text::compile_text;
pub use ptx::{PtxOptions, emit_ptx};
pub use target::{host_name, initialize, initialize_with_remarks, plain_machine};
pub use unit::{Compiled, Cpu, FastMath, Options, TextRequest, Texts, Unit, UnitFunction};
