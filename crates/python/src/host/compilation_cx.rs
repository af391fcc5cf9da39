//! State shared by the hosts of one compilation.

use crate::host::foreign_constants::Frozen;
use crate::host::overload_registry;
use crate::session::session_state::Backend;
use entity::HashMap;
use ir::Function;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use python_rt::callbacks::symbols::c_address;
use std::cell::{OnceCell, RefCell};
use types::{Handle, Type};

/// What the hosts of one compilation share.
#[derive(Default)]
pub(crate) struct CompilationCx {
    /// Passes of users between stages, where any function has some.
    pub passes: Option<driver::UserPasses>,
    /// An exception that a library's code raised while it was asked.
    pub raised: RefCell<Option<PyErr>>,
    /// Keys of the library's instances that are being made, outermost first. If there is one, what others have
    /// registered is not looked at.
    pub making: Vec<String>,
    /// Whether instances of the library that are called take part as if there were no instances.
    pub alone: bool,
    /// What the compilation sees of the registry; none until it asks.
    pub registry: RefCell<Option<Py<PyAny>>>,
    /// Whether anything is registered for a target of its own, once that was asked.
    pub targeted: OnceCell<bool>,
    /// What rewrites put into functions besides what their globals hold, by names that begin with `$`.
    pub globals: RefCell<Option<Py<PyDict>>>,
    /// What rewrites made of functions that were opened: each is offered once.
    pub opened: RefCell<HashMap<Handle, Function>>,
    /// What pipelines of users made of functions that were opened, for types of arguments.
    pub piped: RefCell<HashMap<(Handle, Vec<Type>), Function>>,
    /// Function values that globals hold, with the address of the C function.
    pub values: RefCell<Vec<(Py<PyAny>, usize)>>,
    /// Values of extension types that globals hold, and what they are as constants.
    pub frozen: RefCell<Vec<(Py<PyAny>, Py<Frozen>)>>,
}

impl CompilationCx {
    /// The number of a function value; the first time its address is asked for.
    pub(crate) fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        if let Some(known) = self.values.borrow().iter().position(|(known, _)| known.is(value)) {
            return Ok(known as u32);
        }
        // An object may have its address later: then it is asked again.
        let address = match c_address(value) {
            Err(error) if !error.is_instance_of::<PyValueError>(value.py()) => return Err(error),
            known => known.unwrap_or(0),
        };
        Ok(self.number_of(value, address))
    }

    /// The number of an object, of which the code has this address.
    pub(crate) fn number_of(&self, value: &Bound<'_, PyAny>, address: usize) -> u32 {
        let mut values = self.values.borrow_mut();
        let known = values.iter().position(|(known, at)| known.is(value) && *at == address);
        let number = known.unwrap_or_else(|| {
            values.push((value.clone().unbind(), address));
            values.len() - 1
        });
        number as u32
    }

    /// The words of a value of an extension type or of a frozen set, which the code has as a constant.
    pub(crate) fn frozen(&self, backend: &Backend, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<Vec<i64>> {
        let py = value.py();
        let known =
            self.frozen.borrow().iter().find(|(known, _)| known.is(value)).map(|(_, at)| at.clone_ref(py));
        if let Some(known) = known {
            return Ok(known.get().words());
        }
        // This may run a library's code.
        let made = Py::new(py, Frozen::new(backend, value, ty)?)?;
        let words = made.get().words();
        self.number_of(made.bind(py), 0);
        self.frozen.borrow_mut().push((value.clone().unbind(), made));
        Ok(words)
    }

    /// Where rewrites put what functions get from them.
    pub(crate) fn globals(&self, py: Python<'_>) -> Py<PyDict> {
        self.globals.borrow_mut().get_or_insert_with(|| PyDict::new(py).unbind()).clone_ref(py)
    }

    /// What a rewrite put into a function under this name.
    pub(crate) fn find<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.globals.borrow().as_ref().map_or(Ok(None), |known| known.bind(py).get_item(name))
    }

    /// The objects whose addresses the code has.
    pub fn objects(&self) -> Vec<Py<PyAny>> {
        self.values.take().into_iter().map(|(object, _)| object).collect()
    }

    /// What the compilation sees of the registry; none if no library has registered anything.
    pub(crate) fn registry<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(known) = &*self.registry.borrow() {
            return Ok(Some(known.bind(py).clone()));
        }
        let made = overload_registry::snapshot(py)?;
        *self.registry.borrow_mut() = made.as_ref().map(|made| made.clone().unbind());
        Ok(made)
    }

    /// Whether anything that the compilation sees is registered for a target of its own.
    pub(crate) fn has_targeted(&self) -> bool {
        self.making.is_empty()
            && *self.targeted.get_or_init(|| {
                Python::attach(|py| {
                    let seen = self.registry(py).ok()??;
                    seen.getattr(intern!(py, "targeted")).ok()?.is_truthy().ok()
                })
                .unwrap_or(false)
            })
    }
}
