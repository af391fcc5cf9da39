//! Turns the record that compiled code returned into the Python exception it describes.
//!
//! The traceback gets an entry with the file, function and line of the Python source, as if the
//! interpreter had run it.

use crate::guard;
use abi::RaiseSite;
use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::ffi::CString;

/// Sets the exception of a status that is not zero.
///
/// # Safety
/// `status` is the address of a [`RaiseSite`] whose texts can be read.
#[cold]
#[inline(never)]
pub(crate) unsafe fn set_exception(status: usize) {
    // SAFETY: the caller's promise.
    let site = unsafe { &*(status as *const RaiseSite) };
    guard::enter("an exception of compiled code", (), |py| {
        let error = if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 {
            PyErr::fetch(py)
        } else {
            unsafe { instantiate(py, site)? }
        };
        error.restore(py);
        unsafe { add_traceback_entry(py, site) };
        Ok(())
    });
}

unsafe fn instantiate(py: Python<'_>, site: &RaiseSite) -> PyResult<PyErr> {
    let Some(class) = site.exception_class() else {
        return Err(guard::internal_error(py, "an exception of compiled code", "unknown class"));
    };
    let class = py.import("builtins")?.getattr(class.name())?;
    let class = class.cast::<PyType>()?;
    let value = match unsafe { site.message() } {
        Some(message) => class.call1((message,))?,
        None => class.call0()?,
    };
    Ok(PyErr::from_value(value.cast_into::<PyBaseException>()?.into_any()))
}

/// Adds an entry to the traceback of the exception that is set. What fails here is dropped: an
/// exception with a poorer traceback is better than another exception.
unsafe fn add_traceback_entry(py: Python<'_>, site: &RaiseSite) {
    let (Some(function), Some(file)) = (unsafe { site.function() }, unsafe { site.file() }) else {
        return;
    };
    let (Ok(function), Ok(file)) = (CString::new(function), CString::new(file)) else {
        return;
    };
    // Making the frame must not see the exception that is set.
    let error = PyErr::fetch(py);
    let globals = PyDict::new(py);
    unsafe {
        let code = ffi::PyCode_NewEmpty(file.as_ptr(), function.as_ptr(), site.line as i32);
        let frame = if code.is_null() {
            std::ptr::null_mut()
        } else {
            ffi::PyFrame_New(ffi::PyThreadState_Get(), code, globals.as_ptr(), std::ptr::null_mut())
        };
        if frame.is_null() {
            ffi::PyErr_Clear();
        }
        error.restore(py);
        if !frame.is_null() {
            ffi::PyTraceBack_Here(frame);
        }
        ffi::Py_XDECREF(frame.cast());
        ffi::Py_XDECREF(code.cast());
    }
}
