//! The compiler as Python sees it: the extension module, dispatchers, types of values, what the compiler asks of Python.
//!
//! The dispatcher reaches the compiler through [`compiler::Compiler`] alone.

mod boxing_cx;
pub mod compiler;
pub mod custom_pipeline;
pub mod diagnostics;
pub mod dispatcher;
mod enums;
pub mod fingerprint;
mod global_values;
mod numpy_kernels;
pub mod object_interp;
mod overload_host;
mod overload_registry;
pub mod session;
pub mod session_state;
pub mod snapshot;
pub mod specialization;

mod compilation_cx;
mod compile;
mod compiled_classes;
mod compiled_unit;
mod flow_graph;
mod foreign_constants;
mod foreign_values;
mod function_value;
mod host;
mod interpret;
mod library_host;
mod literal_dispatch;
mod object_fields;
mod object_mode;
mod object_unit;
mod options;
mod overload_select;
mod python_blocks;
mod registries;
mod requested_literals;
#[cfg(feature = "samples")]
mod samples;
mod stencil_kernel;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod type_objects;
mod type_to_python;
mod typeof_value;
mod user_rewrites;
mod user_typeof;

use dispatcher::DispatcherClass;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use python_rt::callbacks::{interrupts, parallel_for};
use python_rt::values::{generator, ndarray, objects, rng, typed_container};
use session::Session;
use std::sync::Arc;

/// Fills `rumba._rumba`.
#[pymodule]
fn _rumba(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: the thread is attached.
    if unsafe { ffi::PyInterpreterState_Get() != ffi::PyInterpreterState_Main() } {
        // As Python says it from 3.12 on, before anything is imported.
        let message = "module rumba._rumba does not support loading in subinterpreters";
        return Err(PyImportError::new_err(message));
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let class = Arc::new(DispatcherClass::new(module.py())?);
    module.add("Dispatcher", class.type_object(module.py()))?;
    let backend = session_state::Backend::new(module.py());
    backend.set_class(class.clone());
    module.add("types", type_objects::TypeRules::new(backend.clone()))?;
    module.add("session", Session::new(backend.clone(), class))?;
    module.add("interpreter", interpret::Interpreter::new(backend.clone()))?;
    module.add("rewriting", user_rewrites::Rewriting::new(backend.clone()))?;
    module.add("stencils", stencil_kernel::StencilKernels::new(backend.clone()))?;
    module.add("library", library_host::Builder::new(backend))?;
    module.add_class::<flow_graph::FlowGraph>()?;
    module.add_class::<ndarray::MemInfo>()?;
    module.add_class::<typed_container::Container>()?;
    module.add_class::<generator::Generator>()?;
    module.add_class::<objects::Instance>()?;
    module.add_function(wrap_pyfunction!(allocation_counts, module)?)?;
    interrupts::enable(module.py())?;
    object_interp::fill(module)?;
    rng::fill(module)?;
    parallel_for::fill(module)?;
    #[cfg(any(test, feature = "testing"))]
    testing::fill(module)?;
    Ok(())
}

/// How many blocks of memory compiled code allocated and freed since the process began.
#[pyfunction]
fn allocation_counts() -> (usize, usize) {
    rt::allocation_counts()
}
