//! The state of the compiler after the dispatchers, shared by everything that takes part in a compilation.
//!
//! Absent: how a function is compiled (`compile`).

use crate::dispatcher::{DispatcherClass, DispatcherRef};
use crate::session::registries::Registries;
use crate::typing::requested_literals::RequestedLiterals;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefReference};
use python_rt::callbacks::RuntimeContext;
use python_rt::callbacks::numpy_kernels::KernelTable;
use python_rt::entry::Fingerprint;
use python_rt::values::extension_types::BoxingCache;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use types::{Handle, Type};

/// The compiler, shared by all dispatchers of the module.
pub struct Backend {
    /// What is known of Python objects.
    pub(crate) registries: Registries,
    pub(crate) class: OnceLock<Arc<DispatcherClass>>,
    /// Types of arguments that dispatch does not know by heart, by the number of their
    /// fingerprint, each with the addresses of the classes of the value and of what is in it: NumPy's
    /// `float64` and Python's `float` are one type and two ways in.
    pub(crate) fingerprints: Mutex<Vec<(Type, Box<[usize]>)>>,
    /// Parameters of which functions want to know the value, by what else the arguments are.
    pub(crate) wants: RequestedLiterals,
    /// Whose functions compiled code calls.
    pub(crate) kernels: Arc<KernelTable>,
    /// The class of callbacks, once its module is loaded. Calls with callbacks are frequent enough to know it.
    pub(crate) callback_class: OnceLock<usize>,
    /// Whether rewrites of users are registered.
    pub(crate) rewriting: AtomicBool,
    /// Whether any function has passes between stages.
    pub(crate) has_stage_passes: AtomicBool,
    /// Whom compilations are announced to.
    pub(crate) listener: Mutex<Option<Py<PyAny>>>,
    /// Whether libraries were asked for their extensions.
    pub(crate) extended: AtomicBool,
    /// Machine code that takes in and hands out values of extension types.
    pub(crate) borders: BoxingCache,
    /// By which compiled code reaches it.
    #[expect(dead_code, reason = "compiled code has the address")]
    pub(crate) context: Box<RuntimeContext>,
    /// Itself, for hosts to hold.
    pub(crate) own: Weak<Backend>,
}

impl Deref for Backend {
    type Target = Registries;

    fn deref(&self) -> &Registries {
        &self.registries
    }
}

impl Backend {
    pub(crate) fn shared(&self) -> Arc<Backend> {
        self.own.upgrade().expect("a method runs on a backend that is alive")
    }

    /// Tells which class dispatchers have; once, before the first call.
    pub fn set_class(&self, class: Arc<DispatcherClass>) {
        let _ = self.class.set(class);
    }

    /// The dispatcher behind a value, if it is one.
    pub(crate) fn dispatcher<'py>(&self, value: &Bound<'py, PyAny>) -> Option<DispatcherRef<'py>> {
        self.class.get()?.downcast(value)
    }

    /// The handle of a dispatcher; none for any other value.
    pub(crate) fn handle_of(&self, value: &Bound<'_, PyAny>) -> Option<Handle> {
        let function = self.class.get()?.downcast(value)?.function();
        let py = value.py();
        let functions = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = functions().handle_of(value) {
            return Some(handle);
        }
        // Made before the lock: what makes an object may collect garbage, which runs Python code and lets other threads run.
        let reference = PyWeakrefReference::new(value).ok()?.unbind();
        let mut functions = functions();
        if let Some(handle) = functions.handle_of(value) {
            return Some(handle);
        }
        let handle = functions.add(value, &function, reference);
        drop(functions);
        if let Ok(name) = function.getattr(intern!(py, "__name__")).and_then(|name| name.extract::<String>())
        {
            self.session().types.name_function(handle, &name);
        }
        Some(handle)
    }

    /// The handle of a function made inside `outer` from this code. Its free variables are empty: the
    /// closure that is its first argument has them. It stays alive as long as the process.
    pub(crate) fn handle_of_code(
        &self,
        outer: &Bound<'_, PyAny>,
        code: &Bound<'_, PyAny>,
    ) -> PyResult<Handle> {
        let py = outer.py();
        let find = || {
            let known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&(code.as_ptr() as usize)).map(|(_, function)| function.clone_ref(py))
        };
        let function = match find() {
            Some(function) => function,
            None => {
                let made = py
                    .import("rumba.boxing.closures")?
                    .call_method1("template", (outer, code, self.compiles_callees_of(outer)))?
                    .unbind();
                let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(code.as_ptr() as usize, (code.clone().unbind(), made.clone_ref(py)));
                made
            }
        };
        self.handle_of(function.bind(py))
            .ok_or_else(|| PyTypeError::new_err("an inner function did not become a compiled function"))
    }

    /// The dispatcher of a Python function that has a handle.
    pub(crate) fn dispatcher_of<'py>(&self, function: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let class = self.class.get()?;
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).dispatcher_of(class, function)
    }

    /// The type of an argument.
    pub(crate) fn type_of(&self, fingerprint: Fingerprint) -> Type {
        match fingerprint.of_value() {
            Fingerprint::INT64 => Type::INT64,
            Fingerprint::UINT64 => Type::UINT64,
            Fingerprint::FLOAT64 => Type::FLOAT64,
            Fingerprint::BOOL => Type::BOOL,
            Fingerprint::COMPLEX128 => Type::COMPLEX128,
            Fingerprint::NONE => Type::NONE,
            Fingerprint::STR => Type::STR,
            other => {
                let numbers = self.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
                let number = other.interned_number().unwrap_or_default() as usize;
                numbers.get(number).map_or(Type::NONE, |(ty, _)| *ty)
            }
        }
    }

    /// Loads what libraries have for compilations, and looks for functions that are borrowed.
    pub(crate) fn load_entry_points(&self, py: Python<'_>) -> PyResult<()> {
        self.extended.store(true, Relaxed);
        py.import(intern!(py, "rumba.extending.entrypoints"))?.call_method0(intern!(py, "init_all"))?;
        self.kernels.look(py, &self.session().types);
        Ok(())
    }

    /// The Python function of a dispatcher by its handle.
    pub(crate) fn python_function(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let dispatcher = self.function_of(py, handle)?;
        let found = self.class.get()?.downcast(&dispatcher)?;
        Some(found.function().unbind())
    }

    /// Whether the decorator of a Python function says that its plain callees are compiled, too.
    pub(crate) fn compiles_callees_of(&self, function: &Bound<'_, PyAny>) -> bool {
        let ask = || {
            let dispatcher = self.dispatcher_of(function)?;
            let options = self.class.get()?.downcast(&dispatcher)?.options().ok()?;
            options.get_item("auto").ok()??.is_truthy().ok()
        };
        ask().unwrap_or(false)
    }

    /// The options of a dispatcher as they were written.
    pub(crate) fn options_dict<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyDict>> {
        let dispatcher = self.function_of(py, handle)?;
        self.class.get()?.downcast(&dispatcher)?.options().ok()
    }

    /// The option `inline` of a compiled function.
    pub(crate) fn inline_option<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyAny>> {
        self.options_dict(py, handle)?.get_item(intern!(py, "inline")).ok()?
    }

    /// Whether a compiled function was decorated with `inline="always"`.
    pub(crate) fn is_always_inlined(&self, py: Python<'_>, handle: Handle) -> bool {
        self.inline_option(py, handle).is_some_and(|option| option.eq("always").unwrap_or(false))
    }
}
