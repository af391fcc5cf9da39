//! The types that `rumba.extending.typeof_box` has registered, accessible without importing it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// A module, if it was imported.
pub(crate) fn loaded<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?.cast_into::<PyDict>()?;
    modules.get_item(name)
}

/// What `rumba.extending.typeof_box` knows, once it is loaded: the functions of libraries that say the types of values, by the
/// classes of these, and the types that the compiler was told of, by their codes.
pub(crate) struct UserTypeof(PyOnceLock<[Py<PyDict>; 2]>);

impl UserTypeof {
    pub(crate) fn new() -> UserTypeof {
        UserTypeof(PyOnceLock::new())
    }

    /// The two dicts, once the module is loaded.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Option<[&Bound<'py, PyDict>; 2]>> {
        let known = match self.0.get(py) {
            Some(known) => known,
            None => {
                let Some(foreign) = loaded(py, "rumba.extending.typeof_box")? else { return Ok(None) };
                // Another thread may be in the middle of importing it.
                let Ok(told) = foreign.getattr(intern!(py, "told")) else { return Ok(None) };
                let dicts = [foreign.getattr(intern!(py, "typers"))?, told];
                let [typers, told] = dicts.map(|dict| dict.cast_into::<PyDict>().map(Bound::unbind));
                let found = [typers?, told?];
                self.0.get_or_init(py, || found)
            }
        };
        Ok(Some(known.each_ref().map(|dict| dict.bind(py))))
    }
}
