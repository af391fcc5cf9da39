//! `import` and its forms.

use super::frame::{Frame, One, Step};
use super::names;
use ir::InstData;
use pyo3::exceptions::{PyAttributeError, PyImportError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `python "import"`: level, names, module.
pub(super) fn import<'py>(frame: &Frame<'_, 'py>, data: &InstData, name: &str) -> One<'py> {
    let Some(import) = frame.scope.visible_builtin("__import__")? else {
        return Err(PyImportError::new_err("__import__ not found").into());
    };
    let (level, wanted) = (frame.arg(data, 0)?, frame.arg(data, 1)?);
    let namespace = frame.scope.namespace.clone().unwrap_or_else(|| frame.none());
    Ok(import.call1((name, &frame.scope.globals, namespace, wanted, level))?)
}

/// `python "import_from"`
pub(super) fn import_from<'py>(frame: &Frame<'_, 'py>, module: &Bound<'py, PyAny>, name: &str) -> One<'py> {
    match module.getattr(name) {
        Err(error) if error.is_instance_of::<PyAttributeError>(frame.py) => {}
        outcome => return Ok(outcome?),
    }
    let package = module.getattr_opt("__name__")?.and_then(|package| package.extract::<String>().ok());
    if let Some(package) = &package {
        let modules = frame.py.import("sys")?.getattr("modules")?;
        if let Ok(found) = modules.get_item(format!("{package}.{name}")) {
            return Ok(found);
        }
    }
    Err(cannot_import(module, package, name)?.into())
}

fn cannot_import(module: &Bound<'_, PyAny>, package: Option<String>, name: &str) -> PyResult<PyErr> {
    let py = module.py();
    let shown = match &package {
        Some(package) => format!("'{package}'"),
        None => "'<unknown module name>'".to_owned(),
    };
    let path = module.getattr_opt("__file__")?.and_then(|path| path.extract::<String>().ok());
    let origin = path.as_deref().unwrap_or("unknown location");
    let message = format!("cannot import name '{name}' from {shown} ({origin})");
    let details = PyDict::new(py);
    details.set_item("name", package)?;
    details.set_item("path", &path)?;
    if py.version_info() >= (3, 12) {
        details.set_item("name_from", name)?;
    }
    let error = py.get_type::<PyImportError>().call((message,), Some(&details))?;
    Ok(PyErr::from_value(error))
}

/// `python "import_star"`: into the namespace of a module.
pub(super) fn import_star(frame: &Frame<'_, '_>, module: &Bound<'_, PyAny>) -> Step<()> {
    let namespace = names::namespace(frame)?;
    let (all, listed) = match module.getattr_opt("__all__")? {
        Some(all) => (all, true),
        None => (module.getattr("__dict__")?.call_method0("keys")?, false),
    };
    let all: Vec<String> = all.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
    for name in all {
        if listed || !name.starts_with('_') {
            namespace.set_item(&name, module.getattr(name.as_str())?)?;
        }
    }
    Ok(())
}
