//! The object that a call from Python passes to `**kwargs`: of a private class, so that it is not taken for a dict.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Keyword arguments: names and values, in the order of the call.
#[pyclass(frozen, module = "rumba._rumba")]
pub struct Keywords {
    names: Py<PyTuple>,
    values: Py<PyTuple>,
}

impl Keywords {
    /// Of names and as many values.
    pub fn new<'py>(
        py: Python<'py>,
        names: &[Bound<'py, PyAny>],
        values: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, Keywords>> {
        let (names, values) = (PyTuple::new(py, names)?.unbind(), PyTuple::new(py, values)?.unbind());
        Bound::new(py, Keywords { names, values })
    }

    /// The names, in order.
    pub fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names.bind(py).extract()
    }

    /// The values, in order.
    pub fn values<'py>(&self, py: Python<'py>) -> &Bound<'py, PyTuple> {
        self.values.bind(py)
    }
}
