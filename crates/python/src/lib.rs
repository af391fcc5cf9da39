//! The compiler as Python sees it: the extension module, dispatchers, types of values, the host.
//!
//! | folder | what |
//! |---|---|
//! | `dispatcher` | calls from Python, up to the selection of a specialization |
//! | `typing` | types of Python values, and types as Python objects |
//! | `session` | compilations: shared state, and results |
//! | `host` | queries of inference to Python |
//! | `compat` | support for Numba's extension interfaces |
//! | `object_interp` | the interpreter of object mode |
//! | `diagnostics` | diagnostics as exceptions |
//!
//! The dispatcher accesses the compiler only through [`session::compiler::Compiler`].

pub mod compat;
pub mod diagnostics;
pub mod dispatcher;
pub mod host;
pub mod object_interp;
mod object_mode;
#[cfg(feature = "samples")]
mod samples;
pub mod session;
#[cfg(any(test, feature = "testing"))]
mod testing;
pub mod typing;

use dispatcher::DispatcherClass;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use python_rt::callbacks::{interrupts, parallel_for};
use python_rt::values::{closure_object, generator, mem_info, objects, rng, typed_container};
use session::Session;
use std::sync::Arc;
use std::time::Duration;

/// Fills `rumba._rumba`.
#[pymodule]
fn _rumba(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: the thread is attached.
    if unsafe { ffi::PyInterpreterState_Get() != ffi::PyInterpreterState_Main() } {
        // As Python says it from 3.12 on, before anything is imported.
        let message = "module rumba._rumba does not support loading in subinterpreters";
        return Err(PyImportError::new_err(message));
    }
    rt::configure_allocator();
    rt::count_under_gil();
    python_rt::plan::keepalive::count_objects();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let class = Arc::new(DispatcherClass::new(module.py())?);
    module.add("Dispatcher", class.type_object(module.py()))?;
    let backend = session::session_state::Backend::new(module.py());
    backend.set_class(class.clone());
    module.add("types", typing::type_objects::TypeRules::new(backend.clone()))?;
    module.add("session", Session::new(backend.clone(), class))?;
    module.add("interpreter", session::interpret::Interpreter::new(backend.clone()))?;
    module.add("rewriting", compat::user_rewrites::Rewriting::new(backend.clone()))?;
    module.add("stencils", compat::stencil_kernel::StencilKernels::new(backend.clone()))?;
    module.add("stages", compat::stage_passes::Stages::new(backend.clone()))?;
    module.add("explicit", compat::explicit_text::ExplicitText::new(backend.clone()))?;
    module.add("ahead", session::module_builder::ModuleBuilder::new(backend.clone()))?;
    module.add("library", host::library_host::Builder::new(backend))?;
    module.add_class::<compat::flow_graph::FlowGraph>()?;
    module.add_class::<mem_info::MemInfo>()?;
    module.add_class::<typed_container::Container>()?;
    module.add_class::<generator::Generator>()?;
    module.add_class::<objects::Instance>()?;
    module.add_class::<closure_object::ClosureObject>()?;
    module.add_function(wrap_pyfunction!(allocation_counts, module)?)?;
    module.add_function(wrap_pyfunction!(c_helpers, module)?)?;
    module.add_function(wrap_pyfunction!(start_sampling, module)?)?;
    module.add_function(wrap_pyfunction!(stop_sampling, module)?)?;
    interrupts::enable(module.py())?;
    object_interp::fill(module)?;
    rng::fill(module)?;
    parallel_for::fill(module)?;
    #[cfg(any(test, feature = "testing"))]
    testing::fill(module)?;
    Ok(())
}

/// Addresses of the functions by which code of C allocates and counts memory, by their names.
#[pyfunction]
fn c_helpers() -> Vec<(&'static str, usize)> {
    // Nobody knows whether that code holds the lock.
    rt::share_counts();
    rt::c_helpers()
}

/// How many blocks of memory compiled code allocated and freed since the process began.
#[pyfunction]
fn allocation_counts() -> (usize, usize) {
    rt::allocation_counts()
}

/// Begins to sample the process, each time that it used so many microseconds of processor time. Lines are known of code
/// compiled with `RUMBA_PERF=samples`.
#[pyfunction]
fn start_sampling(interval: u64) -> PyResult<()> {
    driver::start_sampling(Duration::from_micros(interval.max(1)))?;
    Ok(())
}

/// Ends sampling: the number of samples, and file, line and number of those in compiled code.
#[pyfunction]
fn stop_sampling() -> (u64, Vec<(String, u32, u64)>) {
    let driver::LineSamples { lines, total } = driver::stop_sampling();
    (total, lines)
}
