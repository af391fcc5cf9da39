//! Explicit IR to machine code: LLVM module, optimization, object file or text.
//!
//! [`compile`] is the pipeline: build the module, verify, optimize by a pipeline chosen from the
//! unit's content, emit an object file. [`emit_ptx`] compiles the same IR for NVIDIA GPUs. The object file is
//! self-contained and position independent; the linker (`jit`) supplies the symbols it refers to.
//!
//! Calling convention between compiled functions (`calling_convention`): parameters by their machine type
//! (`i1` zero-extended), results by value in registers as long as they fit. A function that can fail
//! returns a status first: 0, or the address of an [`abi::RaiseSite`]. Python enters through a thunk
//! over packed 64-bit words ([`abi::Thunk`]); if nothing else calls the function, its body is
//! built directly into the thunk.
//!
//! Invariants: an LLVM context lives for one compilation; target machines belong to a thread; so any
//! number of threads can compile concurrently without a lock. Integer arithmetic wraps around, floats obey
//! IEEE 754 unless [`FastMath`] permits otherwise.
//!
//! Absent: linking, code memory, knowledge of Python.

mod alias_scopes;
mod block_frequency;
mod cached_pass_manager;
mod calling_convention;
mod compile;
mod debug_info;
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

pub use calling_convention::parameter_types;
pub use compile::compile;
pub use function_sources::{FunctionSource, function_sources, source_symbols};
pub use llvm_text::compile_text;
pub use ptx::{PtxOptions, emit_ptx};
pub use target::{host_name, initialize, initialize_with_remarks, plain_machine};
pub use unit::{Compiled, Cpu, FastMath, Options, TextRequest, Texts, Unit, UnitFunction};
