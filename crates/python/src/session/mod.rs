//! The module's own object: the compiler, and the class of its dispatchers.

pub(crate) mod compile;
pub(crate) mod compiled_unit;
pub mod compiler;
pub(crate) mod foreign_values;
pub(crate) mod function_table;
pub(crate) mod function_value;
pub(crate) mod interpret;
pub(crate) mod module_builder;
pub(crate) mod object_unit;
pub(crate) mod registries;
pub mod session_state;
pub(crate) mod target_scope;

use crate::diagnostics::arguments;
use crate::dispatcher::DispatcherClass;
use crate::session::compiler::Compiler;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::sync::Arc;

/// What `rumba._rumba.session` is. There is one per module and no other state.
#[pyclass(frozen, module = "rumba._rumba")]
pub struct Session {
    compiler: Arc<dyn Compiler>,
    class: Arc<DispatcherClass>,
}

impl Session {
    /// A session over a compiler.
    pub fn new(compiler: Arc<dyn Compiler>, class: Arc<DispatcherClass>) -> Session {
        Session { compiler, class }
    }

    /// The class of its dispatchers.
    pub fn class(&self) -> &Arc<DispatcherClass> {
        &self.class
    }
}

#[pymethods]
impl Session {
    /// A dispatcher for a Python function, with the decorator's options, of the class itself or of one derived from it.
    #[pyo3(signature = (function, options, class=None))]
    fn dispatcher<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        options: &Bound<'py, PyDict>,
        class: Option<Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(class) = class else {
            return self.class.instantiate(function, options, self.compiler.clone());
        };
        if !class.is_subclass(self.class.type_object(function.py()))? {
            return Err(PyTypeError::new_err(format!("{class} is no class of dispatchers")));
        }
        DispatcherClass::of_type(class).instantiate(function, options, self.compiler.clone())
    }

    /// The dotted name under which the compiler knows a function, an operator or a class, or None.
    fn function_name(&self, value: &Bound<'_, PyAny>) -> Option<String> {
        self.compiler.function_name(value)
    }

    /// The types of arguments for which a dispatcher was compiled as part of other functions, since this was asked last.
    fn reached<'py>(&self, dispatcher: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.compiler.reached(dispatcher)
    }

    /// The exception for an unknown option; the location of the decorator is a file, the first and last line, and
    /// the first column and the one after the last.
    #[staticmethod]
    fn unknown_option(
        py: Python<'_>,
        message: &str,
        hint: Option<&str>,
        file: &str,
        span: [Option<u32>; 4],
    ) -> PyErr {
        arguments::unknown_option(py, message, hint, file, span)
    }

    /// Has compilations announced: `listener(dispatcher, args)` is called before one and returns what is called with its exception,
    /// or None, when it ended. None instead of a listener ends that.
    fn set_listener(&self, listener: Option<Py<PyAny>>) {
        self.compiler.set_listener(listener);
    }

    /// How many units of machine code are in memory.
    fn live_units(&self) -> usize {
        self.compiler.live_units()
    }
}
