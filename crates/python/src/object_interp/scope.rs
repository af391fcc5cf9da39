//! The environment of a function: its code, globals, builtins, closure, and the namespace of a class body.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict};

/// Where a function finds the names that are not its own.
pub struct Scope<'py> {
    /// The code object.
    pub code: Bound<'py, PyAny>,
    /// The module's names.
    pub globals: Bound<'py, PyDict>,
    /// The names after those.
    builtins: Bound<'py, PyAny>,
    /// The cells of the variables of outer functions.
    pub(super) closure: Vec<Bound<'py, PyAny>>,
    /// What is told each line before it runs: called with the number and the variables.
    pub(super) tracer: Option<Bound<'py, PyAny>>,
    /// Names of a class body or module; functions have none.
    pub(super) namespace: Option<Bound<'py, PyAny>>,
}

/// A scope that nobody uses now.
pub(super) struct Unbound {
    code: Py<PyAny>,
    globals: Py<PyDict>,
    builtins: Py<PyAny>,
    closure: Vec<Py<PyAny>>,
    tracer: Option<Py<PyAny>>,
}

impl Unbound {
    pub(super) fn bind<'py>(&self, py: Python<'py>) -> Scope<'py> {
        Scope {
            code: self.code.bind(py).clone(),
            globals: self.globals.bind(py).clone(),
            builtins: self.builtins.bind(py).clone(),
            closure: self.closure.iter().map(|cell| cell.bind(py).clone()).collect(),
            tracer: self.tracer.as_ref().map(|tracer| tracer.bind(py).clone()),
            namespace: None,
        }
    }
}

impl<'py> Scope<'py> {
    /// The scope of a function, to be kept.
    pub(super) fn unbind(&self) -> Unbound {
        Unbound {
            code: self.code.clone().unbind(),
            globals: self.globals.clone().unbind(),
            builtins: self.builtins.clone().unbind(),
            closure: self.closure.iter().map(|cell| cell.clone().unbind()).collect(),
            tracer: self.tracer.clone().map(Bound::unbind),
        }
    }

    /// The scope of a live function.
    pub fn of_function(function: &Bound<'py, PyAny>) -> PyResult<Scope<'py>> {
        let closure = function.getattr("__closure__")?;
        let closure = if closure.is_none() { Vec::new() } else { closure.extract()? };
        Ok(Scope {
            code: function.getattr("__code__")?.cast_into::<PyCode>()?.into_any(),
            globals: function.getattr("__globals__")?.cast_into::<PyDict>()?,
            builtins: function.getattr("__builtins__")?,
            closure,
            tracer: None,
            namespace: None,
        })
    }

    /// The same scope, where names of compiled functions are those of the functions that they were made of.
    pub fn uncompiled(self) -> PyResult<Scope<'py>> {
        let helpers = self.globals.py().import("rumba.stages.implementations")?;
        let globals = helpers.getattr("Uncompiled")?.call1((&self.globals,))?.cast_into::<PyDict>()?;
        Ok(Scope { globals, ..self })
    }

    /// The same scope, where each line is told before it runs.
    pub fn traced(self, tracer: Option<Bound<'py, PyAny>>) -> Scope<'py> {
        Scope { tracer, ..self }
    }

    /// The scope of a module or of the body of a class without variables of outer functions.
    pub fn of_body(
        code: &Bound<'py, PyCode>,
        globals: Bound<'py, PyDict>,
        namespace: Bound<'py, PyAny>,
    ) -> PyResult<Scope<'py>> {
        if code.getattr("co_freevars")?.len()? > 0 {
            return Err(PyValueError::new_err("the code has variables of an outer function"));
        }
        let builtins = code.py().import("builtins")?;
        globals.set_item("__builtins__", &builtins)?;
        Ok(Scope {
            code: code.clone().into_any(),
            globals,
            builtins: builtins.dict().into_any(),
            closure: Vec::new(),
            tracer: None,
            namespace: Some(namespace),
        })
    }

    /// A function of Python's own, whatever the program has put in its place.
    pub(super) fn builtin(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.code.py().import("builtins")?.getattr(name)
    }

    /// A new cell.
    pub(super) fn cell(&self, content: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let class = self.code.py().import("types")?.getattr("CellType")?;
        match content {
            Some(content) => class.call1((content,)),
            None => class.call0(),
        }
    }

    pub(super) fn global(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        match lookup(self.globals.as_any(), name)? {
            None => lookup(&self.builtins, name),
            found => Ok(found),
        }
    }

    /// A name of Python's own as the program sees it.
    pub(super) fn visible_builtin(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        lookup(&self.builtins, name)
    }

    /// Index of a variable of an outer function.
    pub(super) fn free_index(&self, name: &str) -> PyResult<Option<usize>> {
        let names: Vec<String> = self.code.getattr("co_freevars")?.extract()?;
        Ok(names.iter().position(|free| free == name))
    }
}

/// An item of a namespace, if it is there.
pub(super) fn lookup<'py>(mapping: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Ok(dict) = mapping.cast_exact::<PyDict>() {
        return dict.get_item(name);
    }
    match mapping.get_item(name) {
        Err(error) if error.is_instance_of::<PyKeyError>(mapping.py()) => Ok(None),
        outcome => outcome.map(Some),
    }
}
