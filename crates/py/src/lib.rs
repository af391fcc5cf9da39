//! The only room that knows Python: dispatcher, boxing, exceptions, and the extension module.
//!
//! The dispatcher reaches the compiler through [`compiler::Compiler`] alone.

pub mod backend;
mod borrowed;
mod buffers;
mod classify;
pub mod compiler;
pub mod diagnostics;
pub mod dispatcher;
mod dtypes;
mod enums;
pub mod execute;
mod extension;
pub mod fingerprint;
mod foreign;
pub mod guard;
pub mod pipelines;
mod plan;
mod printing;
pub mod session;
mod slices;
pub mod snapshot;
pub mod specialization;

mod choose;
mod container;
mod flow_graph;
mod function_value;
mod host;
mod interpret;
mod keywords;
mod library;
mod literals;
mod long;
mod ndarray;
mod object_mode;
mod options;
mod pytypes;
mod raise;
mod random;
mod record;
mod refusal;
mod rewriting;
mod samples;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod text;
mod typeof_value;
mod unit;

use dispatcher::DispatcherClass;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
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
    let backend = backend::Backend::new(module.py());
    backend.set_class(class.clone());
    module.add("types", pytypes::TypeRules::new(backend.clone()))?;
    module.add("session", Session::new(backend.clone(), class))?;
    module.add("interpreter", interpret::Interpreter::new(backend.clone()))?;
    module.add("rewriting", rewriting::Rewriting::new(backend.clone()))?;
    module.add("library", library::Builder::new(backend))?;
    module.add_class::<flow_graph::FlowGraph>()?;
    module.add_class::<ndarray::MemInfo>()?;
    module.add_class::<container::Container>()?;
    module.add_function(wrap_pyfunction!(allocation_counts, module)?)?;
    execute::fill(module)?;
    random::fill(module)?;
    #[cfg(any(test, feature = "testing"))]
    testing::fill(module)?;
    Ok(())
}

/// How many blocks of memory compiled code allocated and freed since the process began.
#[pyfunction]
fn allocation_counts() -> (usize, usize) {
    rt::allocation_counts()
}
