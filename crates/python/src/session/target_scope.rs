//! The target that functions compile for: this thread's, while a function of another target's dispatcher is compiled.
//!
//! Absent: targets and what overloads there are for each (`rumba.compat.target_registry`, `rumba.extending.overload_registry`).

use crate::host::overload_registry::registry;
use diag::{Diagnostic, codes};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Sets the target, and sets it back in the end.
pub(crate) struct TargetScope<'py> {
    /// The registry, and the target before.
    before: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
}

/// The target that the options of a dispatcher name; none for this processor.
fn target_of<'py>(options: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyString>>> {
    let named = options.get_item(intern!(options.py(), "_target"))?;
    named.map(|name| name.cast_into().map_err(PyErr::from)).transpose()
}

impl<'py> TargetScope<'py> {
    /// The target that the options of a dispatcher name.
    pub(crate) fn enter(options: &Bound<'py, PyDict>) -> PyResult<TargetScope<'py>> {
        let py = options.py();
        let Some(target) = target_of(options)? else { return Ok(TargetScope { before: None }) };
        let Some(registry) = registry(py)? else { return Ok(TargetScope { before: None }) };
        let before = registry.call_method0(intern!(py, "current_target"))?;
        registry.call_method1(intern!(py, "set_target"), (target,))?;
        Ok(TargetScope { before: Some((registry, before)) })
    }
}

impl Drop for TargetScope<'_> {
    fn drop(&mut self) {
        if let Some((registry, before)) = self.before.take() {
            // It stores a name; nothing can go wrong, and nobody could be told.
            let _ = registry.call_method1(intern!(registry.py(), "set_target"), (before,));
        }
    }
}

/// Whether a dispatcher is for another target than the one that is compiled for.
pub(crate) fn is_elsewhere(dispatcher: &Bound<'_, PyAny>) -> bool {
    let py = dispatcher.py();
    let options =
        dispatcher.getattr(intern!(py, "targetoptions")).and_then(|all| Ok(all.cast_into::<PyDict>()?));
    options.and_then(|options| other_target(&options)).is_ok_and(|other| other.is_some())
}

/// The target of a dispatcher, and the one that is compiled for, where they differ.
fn other_target(options: &Bound<'_, PyDict>) -> PyResult<Option<(String, String)>> {
    let py = options.py();
    let Some(target) = target_of(options)? else { return Ok(None) };
    let Some(registry) = registry(py)? else { return Ok(None) };
    let current = registry.call_method0(intern!(py, "current_target"))?;
    Ok((current.compare(&target)?.is_ne()).then(|| (target.to_string(), current.to_string())))
}

/// Refuses a function of another target where it would become part of this code.
pub(crate) fn check_callee(function: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> diag::Result<()> {
    let Ok(Some((target, current))) = other_target(options) else { return Ok(()) };
    let name = function.getattr(intern!(function.py(), "__name__"));
    let name = name.map_or(String::new(), |name| name.to_string());
    let message =
        format!("the function '{name}' is for the target '{target}', and this code for '{current}'");
    Err(Diagnostic::new(codes::NO_MATCH, message)
        .hint("Call it by its name in the module, or from a function of its own target."))
}
