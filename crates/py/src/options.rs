//! Options of the decorators, read when a function compiles.

use catalog::ErrorModel;
use driver::Options;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What the compiler needs of the options.
pub(crate) fn read(options: &Bound<'_, PyDict>) -> PyResult<Options> {
    let py = options.py();
    let mut read = Options::default();
    if let Some(model) = options.get_item(intern!(py, "error_model"))? {
        read.error_model = match model.extract::<String>().as_deref() {
            Ok("python") => ErrorModel::Python,
            Ok("numpy") => ErrorModel::Numpy,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "error_model is 'python' or 'numpy', not {}",
                    model.repr()?
                )));
            }
        };
    }
    if let Some(level) = options.get_item(intern!(py, "_opt_level"))? {
        read.opt_level = Some(level.extract()?);
    }
    Ok(read)
}

/// Whether calls run without the GIL.
pub(crate) fn release_gil(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    match options.get_item(intern!(options.py(), "nogil"))? {
        Some(value) => value.is_truthy(),
        None => Ok(false),
    }
}
