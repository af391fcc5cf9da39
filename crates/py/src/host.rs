//! Python's answers to inference.
//!
//! Absent: what values are to compiled code (`classify`).

use crate::backend::Backend;
use crate::classify::{Attached, parameters};
use crate::extension;
use crate::function_value;
use crate::library;
use crate::snapshot;
use catalog::{Extended, Extension, ExtensionQuery, GlobalValue, Host, InlineQuery, Opened, Parameters};
use diag::{Diagnostic, Result, codes};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use types::Handle;

/// The Python side of one function.
pub(crate) struct PyHost {
    backend: Arc<Backend>,
    function: Py<PyAny>,
    chain: Rc<Chain>,
}

/// What the hosts of one compilation share.
#[derive(Default)]
pub(crate) struct Chain {
    /// An exception that a library's code raised while it was asked.
    pub raised: RefCell<Option<PyErr>>,
    /// Keys of the library's instances that are being made, outermost first. If there is one, what others have
    /// registered is not looked at.
    pub making: Vec<String>,
    /// Whether instances of the library that are called take part as if there were no instances.
    pub alone: bool,
    /// What the compilation sees of the registry; none until it asks.
    pub registry: RefCell<Option<Py<PyAny>>>,
    /// Function values that globals hold, with the address of the function of C.
    pub values: RefCell<Vec<(Py<PyAny>, usize)>>,
}

impl Chain {
    /// The number of a function value; the first time its address is asked for.
    pub(crate) fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        if let Some(known) = self.values.borrow().iter().position(|(known, _)| known.is(value)) {
            return Ok(known as u32);
        }
        // An object may have its address later: then it is asked again.
        let address = match function_value::c_address(value) {
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

    /// The objects whose addresses the code has.
    pub fn objects(&self) -> Vec<Py<PyAny>> {
        self.values.take().into_iter().map(|(object, _)| object).collect()
    }

    /// What the compilation sees of the registry; none if no library has registered anything.
    pub(crate) fn registry<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(known) = &*self.registry.borrow() {
            return Ok(Some(known.bind(py).clone()));
        }
        let made = extension::snapshot(py)?;
        *self.registry.borrow_mut() = made.as_ref().map(|made| made.clone().unbind());
        Ok(made)
    }
}

impl PyHost {
    pub fn new(backend: Arc<Backend>, function: &Bound<'_, PyAny>, chain: Rc<Chain>) -> Self {
        PyHost { backend, function: function.clone().unbind(), chain }
    }
}

impl PyHost {
    fn attached<T>(&self, ask: impl FnOnce(&Attached<'_, '_>) -> T) -> T {
        Python::attach(|py| {
            let function = self.function.bind(py);
            ask(&Attached { backend: &self.backend, function, chain: &self.chain })
        })
    }

    /// The Python function behind a handle.
    fn called(&self, py: Python<'_>, function: Handle) -> Result<Py<PyAny>> {
        self.backend
            .python_function(py, function)
            .ok_or_else(|| Diagnostic::new(codes::UNSUPPORTED_GLOBAL, "the called function is gone"))
    }
}

impl PyHost {
    /// An exception of a library's code, which ends the compilation and is what the user sees.
    fn library_error(&self, error: PyErr) -> Box<Diagnostic> {
        let message = format!("a library's code raised an exception: {error}");
        self.chain.raised.borrow_mut().get_or_insert(error);
        Diagnostic::new(codes::LIBRARY, message)
    }

    /// What a cost model says to a call.
    fn cost_of(&self, model: &Bound<'_, PyAny>, call: &InlineQuery<'_>) -> PyResult<bool> {
        let py = model.py();
        let types = &self.backend.session().types;
        let text = |function: &Bound<'_, PyAny>| -> PyResult<String> {
            let code = snapshot::of_function(function)?;
            let func =
                driver::untyped(&code, &[]).map_err(|error| PyTypeError::new_err(error.to_string()))?;
            let host = PyHost::new(self.backend.clone(), function, self.chain.clone());
            Ok(driver::numba_text(&func, &host, types))
        };
        let caller = self.function.bind(py);
        let callee = self.backend.python_function(py, call.function);
        let callee =
            callee.ok_or_else(|| PyTypeError::new_err("the called function is gone"))?.into_bound(py);
        let signature = self.backend.signature_to_python(py, call.params, call.result)?;
        let (caller_text, callee_text) = (text(caller)?, text(&callee)?);
        let arguments = (model, (caller, caller_text), (&callee, callee_text), (call.number)(), signature);
        PyModule::import(py, "rumba.inlining")?.call_method1("decide", arguments)?.is_truthy()
    }
}

/// An exception while a called function is read.
fn unreadable(error: PyErr) -> Box<Diagnostic> {
    Diagnostic::new(codes::UNSUPPORTED_GLOBAL, format!("the called function cannot be read: {error}"))
}

impl Host for PyHost {
    fn global(&self, name: &str) -> Option<GlobalValue> {
        self.attached(|host| host.answer(host.find_global(name)))
    }

    fn freevar(&self, index: usize) -> Option<GlobalValue> {
        self.attached(|host| host.answer(host.find_freevar(index)))
    }

    fn module_attribute(&self, module: &str, name: &str) -> Option<GlobalValue> {
        self.attached(|host| host.answer(host.find_attribute(module, name)))
    }

    fn object_attribute(&self, object: Handle, name: &str) -> Result<Option<GlobalValue>> {
        self.attached(|host| {
            let py = host.function.py();
            let Some(owner) = self.backend.opaque_object(py, object) else { return Ok(None) };
            let auto = PyModule::import(py, "rumba.auto").map_err(unreadable)?;
            match auto.call_method1("attribute", (owner, name)) {
                Ok(value) => Ok(Some(host.classify(&value))),
                Err(error) if error.is_instance_of::<PyAttributeError>(py) => Ok(None),
                Err(error) => {
                    let message = error.value(py).to_string();
                    Err(Diagnostic::new(codes::UNSUPPORTED_GLOBAL, message))
                }
            }
        })
    }

    fn parameters(&self, handle: Handle) -> Result<Parameters> {
        self.attached(|host| {
            let function = self.called(host.function.py(), handle)?;
            let known = parameters(host, function.bind(host.function.py())).map_err(unreadable)?;
            Ok(Parameters { signatures: self.backend.fixed_signatures(host.function.py(), handle), ..known })
        })
    }

    fn object_address(&self, function: Handle) -> Option<usize> {
        self.backend.reference_address(function)
    }

    fn function_values(&self) -> Vec<[usize; 2]> {
        let values = self.chain.values.borrow();
        values.iter().map(|(object, address)| [*address, object.as_ptr() as usize]).collect()
    }

    fn inner(&self, code: usize) -> Result<Handle> {
        self.attached(|host| {
            let code = || host.function.getattr("__code__")?.getattr("co_consts")?.get_item(code);
            let made = code().and_then(|code| self.backend.handle_of_code(host.function, &code));
            made.map_err(unreadable)
        })
    }

    fn changes_captured(&self, function: Handle, index: usize) -> Result<bool> {
        self.attached(|host| {
            let function = self.called(host.function.py(), function)?;
            let code = function.bind(host.function.py()).getattr("__code__").map_err(unreadable)?;
            let ask = || {
                let closures = PyModule::import(host.function.py(), "rumba.closures")?;
                let name = code.getattr("co_freevars")?.get_item(index)?;
                closures.call_method1("changes", (code, name))?.extract::<bool>()
            };
            ask().map_err(unreadable)
        })
    }

    fn is_extended(&self, what: &Extended) -> bool {
        Python::attach(|py| extension::is_extended(&self.backend, py, what, &self.chain).unwrap_or(false))
    }

    fn extension(&self, query: &ExtensionQuery) -> Result<Extension> {
        Python::attach(|py| {
            library::answer(&self.backend, py, query, &self.chain).map_err(|error| self.library_error(error))
        })
    }

    fn inlines(&self, call: &InlineQuery<'_>) -> Result<bool> {
        Python::attach(|py| {
            let options = self.backend.options_dict(py, call.function);
            let asked = options.and_then(|options| options.get_item(intern!(py, "inline")).ok()?);
            match asked {
                None => Ok(false),
                Some(option) if option.is_instance_of::<PyString>() => {
                    Ok(option.eq("always").unwrap_or(false))
                }
                Some(model) => self.cost_of(&model, call).map_err(|error| self.library_error(error)),
            }
        })
    }

    fn open(&self, function: Handle) -> Result<Opened> {
        Python::attach(|py| {
            let options = self.backend.options_of(py, function).map_err(unreadable)?;
            let function = self.called(py, function)?;
            let function = function.bind(py);
            let code = snapshot::of_function(function).map_err(unreadable)?;
            let host = Rc::new(PyHost::new(self.backend.clone(), function, self.chain.clone()));
            Ok(Opened { func: driver::untyped(&code, &options.locals)?, host, semantics: options.semantics })
        })
    }
}
