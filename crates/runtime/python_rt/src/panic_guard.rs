//! Turns Rust's errors and panics into Python exceptions.

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`, which Python entered at `place`. On an error or a panic the exception is set in
/// Python and `failure` returned.
pub fn enter<T>(context: &str, failure: T, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        Python::try_attach(|py| match body(py) {
            Ok(value) => Some(value),
            Err(error) => {
                error.restore(py);
                None
            }
        })
    }));
    match attempt {
        Ok(Some(Some(value))) => value,
        Ok(Some(None)) => failure,
        Ok(None) => {
            // SAFETY: Python called us, so the thread is attached although PyO3 would not do it.
            unsafe {
                ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"Python is shutting down".as_ptr());
            }
            failure
        }
        Err(panic) => {
            let what = panic_text(&*panic);
            // A second panic here has no way out but the end of the process.
            Python::try_attach(|py| internal_error(py, context, &what).restore(py));
            failure
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without a message".to_owned())
}

/// `rumba.errors.InternalError`, or `SystemError` where the package is not to be found.
pub fn internal_error(py: Python<'_>, context: &str, what: &str) -> PyErr {
    let message = format!(
        "internal error in {context}: {what}\n\
         This is a bug of Rumba, not of your program. Please report it with the function that shows it."
    );
    exception(py, "InternalError", message.clone()).unwrap_or_else(|_| PySystemError::new_err(message))
}

/// An exception of `rumba.errors` by its name.
pub fn exception(py: Python<'_>, class: &str, message: String) -> PyResult<PyErr> {
    let class = py.import("rumba.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1((message,))?))
}
