//! A unit as Python code sees it: it stays unchanged when its dispatcher discards it.

use pyo3::prelude::*;
use python_rt::unit::Unit;
use std::sync::Arc;

/// `rumba._rumba.Unit`: one compiled function of a dispatcher.
#[pyclass(frozen, name = "Unit", module = "rumba._rumba")]
pub(crate) struct UnitView {
    pub(super) unit: Arc<dyn Unit>,
}

impl UnitView {
    /// A unit for Python to look at.
    pub(crate) fn new(py: Python<'_>, unit: Arc<dyn Unit>) -> PyResult<Bound<'_, UnitView>> {
        Bound::new(py, UnitView { unit })
    }

    /// The unit itself.
    pub(crate) fn unit(&self) -> &Arc<dyn Unit> {
        &self.unit
    }
}

#[pymethods]
impl UnitView {
    /// The types of its arguments and of its result.
    #[getter]
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unit.signature(py)
    }

    /// What is known of its compilation, a new dictionary.
    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.unit.metadata(py)
    }

    /// The address of the function for C and its symbol. The code lives as long as this view.
    fn callback(&self, py: Python<'_>) -> PyResult<(usize, String)> {
        self.unit.callback(py)
    }

    /// Keeps the code for good: a number that is its address may be anywhere.
    fn keep_alive(&self) {
        std::mem::forget(self.unit.clone());
    }

    /// The text of a stage by its name; None where there is none.
    fn stage(&self, name: &str) -> Option<String> {
        self.unit.inspect(name)
    }
}
