//! The counterpart of compiled code in object mode: the signatures of a function.

use crate::session::compiler::Target;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use python_rt::unit::Unit;
use std::sync::Arc;

/// A signature that a function in object mode was given.
struct ObjectUnit {
    signature: Py<PyAny>,
}

impl Unit for ObjectUnit {
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.signature.clone_ref(py))
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let metadata = PyDict::new(py);
        metadata.set_item("objectmode", true)?;
        Ok(metadata.into_any().unbind())
    }

    fn inspect(&self, _: &str) -> Option<String> {
        None
    }
}

/// What `compile` adds to a function in object mode.
pub(crate) fn object_unit(target: &Target<'_>, signature: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Unit>> {
    let py = signature.py();
    let make = py.import("rumba.types.signature")?.getattr("object_signature")?;
    let signature = make.call1((signature, &target.function))?;
    for unit in &target.units {
        if unit.signature(py)?.bind(py).eq(&signature)? {
            return Ok(unit.clone());
        }
    }
    Ok(Arc::new(ObjectUnit { signature: signature.unbind() }))
}
