//! Compiled code as the dispatcher holds it, independent of the compiler.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::c_int;

/// Compiled code with everything that must live as long as it: memory, callees, constants.
///
/// The dispatcher holds it while an entry leads to it and while a call is under way.
pub trait Unit: Any + Send + Sync {
    /// The signature as users see it, one of the elements of `dispatcher.signatures`.
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    /// What `dispatcher.get_metadata()` tells of this specialization.
    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    /// The text of a stage (`"llvm"`, `"asm"`, `"types"`...), where it was kept.
    fn inspect(&self, stage: &str) -> Option<String>;

    /// The address of the function for C, made the first time, and its symbol.
    fn callback(&self, _py: Python<'_>) -> PyResult<(usize, String)> {
        Err(PyTypeError::new_err("this function is not compiled for C"))
    }

    /// Which words of the arguments may be how large: calls with larger ones are for [`Unit::long_thunk`].
    fn argument_bounds(&self) -> Option<(&[usize], u64)> {
        None
    }

    /// The entry point for calls with large arguments, made the first time.
    fn long_thunk(&self) -> Option<abi::Thunk> {
        None
    }

    /// Visits each Python object that the unit itself holds a reference to, until the visitor returns a number other than 0.
    fn visit_objects(&self, _visit: &mut dyn FnMut(*mut ffi::PyObject) -> c_int) -> c_int {
        0
    }

    /// The user's exception class of this number.
    fn exception_class(&self, _py: Python<'_>, _number: u32) -> Option<Py<PyAny>> {
        None
    }
}
