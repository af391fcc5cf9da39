//! Access to `rumba.extending.overload_registry`, if anything is registered there.

use crate::typing::user_typeof::loaded;
use pyo3::intern;
use pyo3::prelude::*;

/// The registry, if any library has registered anything.
pub(crate) fn registry(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let name = intern!(py, "rumba.extending.overload_registry");
    match loaded(py, "rumba.extending.overload_registry")? {
        None => Ok(None),
        // Another thread may be in the middle of importing it, which this one then waits for.
        Some(_) => py.import(name).map(|module| Some(module.into_any())),
    }
}

/// What a compilation that begins now sees of the registry; none if no library has registered anything.
pub(crate) fn snapshot(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    registry(py)?.map(|registry| registry.call_method0(intern!(py, "Snapshot"))).transpose()
}

/// The name of a function that only libraries know.
pub(crate) fn name_of(value: &Bound<'_, PyAny>) -> Option<String> {
    let registry = registry(value.py()).ok()??;
    registry.call_method1(intern!(value.py(), "name_of"), (value,)).ok()?.extract().ok()
}
