//! Safe wrappers around C API calls that PyO3 has no safe form of.

use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The exception that is being handled, if any.
pub(super) fn handled_exception(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: it gives a new reference or null.
    unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyErr_GetHandledException()) }
        .filter(|handled| !handled.is_none())
}

/// Says which exception is being handled from here on.
pub(super) fn set_handled_exception(exception: Option<&Bound<'_, PyAny>>) {
    let exception = exception.filter(|exception| !exception.is_none());
    // SAFETY: it takes a reference of its own; null means none.
    unsafe { ffi::PyErr_SetHandledException(exception.map_or(std::ptr::null_mut(), |one| one.as_ptr())) };
}

/// The error of raising this exception: with the handled one as its context.
pub(super) fn raised(exception: &Bound<'_, PyBaseException>) -> PyErr {
    // SAFETY: both objects live during the call.
    unsafe { ffi::PyErr_SetObject(exception.get_type().as_ptr(), exception.as_ptr()) };
    PyErr::fetch(exception.py())
}

/// A function of a code object, without closure or defaults.
pub(super) fn new_function<'py>(
    code: &Bound<'py, pyo3::types::PyCode>,
    globals: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the types of both are checked by the signature.
    unsafe { Bound::from_owned_ptr_or_err(code.py(), ffi::PyFunction_New(code.as_ptr(), globals.as_ptr())) }
}

/// Gives a new function its cells.
pub(super) fn set_closure(function: &Bound<'_, PyAny>, cells: &Bound<'_, PyTuple>) -> PyResult<()> {
    // SAFETY: the call checks that it is a function and a tuple.
    match unsafe { ffi::PyFunction_SetClosure(function.as_ptr(), cells.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(function.py())),
    }
}
