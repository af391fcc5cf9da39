//! Functions that compiled code returned and that share variables or containers, as Python objects: what they take along, which
//! compiled code takes in again when it is passed one of them.
//!
//! Absent: calls of them from Python (`rumba.boxing.shared_variables`), other functions that are returned (`rumba.boxing.closures`).

use ::types::Type;
use entity::EntityRef;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The base of their class.
#[pyclass(frozen, subclass, weakref, name = "Closure", module = "rumba._rumba")]
pub struct ClosureObject {
    ty: Type,
    parts: Py<PyTuple>,
}

#[pymethods]
impl ClosureObject {
    /// Of the number of its type, and what that says it takes along: variables, then defaults.
    #[new]
    fn new(ty: usize, parts: Py<PyTuple>) -> ClosureObject {
        ClosureObject { ty: Type::new(ty), parts }
    }

    #[getter]
    fn _parts(&self, py: Python<'_>) -> Py<PyTuple> {
        self.parts.clone_ref(py)
    }
}

impl ClosureObject {
    /// What it takes along.
    pub fn parts<'py>(&self, py: Python<'py>) -> &Bound<'py, PyTuple> {
        self.parts.bind(py)
    }
}

/// The type of a value, if it is such a function.
pub fn type_of(value: &Bound<'_, PyAny>) -> Option<Type> {
    value.cast::<ClosureObject>().ok().map(|closure| closure.get().ty)
}
