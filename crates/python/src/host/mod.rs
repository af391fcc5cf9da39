//! Python's implementation of the interface that inference queries (`catalog::Host`).
//!
//! Absent: what values are to compiled code (`global_values`).

pub(crate) mod compilation_cx;
pub(crate) mod foreign_constants;
pub(crate) mod global_values;
pub(crate) mod library_host;
pub(crate) mod options;
pub(crate) mod overload_host;
pub(crate) mod overload_registry;
pub(crate) mod overload_select;
pub(crate) mod python_blocks;
pub mod snapshot;

use crate::compat::custom_pipeline;
use crate::compat::user_rewrites::{self, Offer};
use crate::host::compilation_cx::CompilationCx;
use crate::host::global_values::{HostCx, parameters};
use crate::session::session_state::Backend;
use crate::session::target_scope;
use crate::typing::enums;
use abi::ExceptionClass;
use bytecode::CodeSnapshot;
use catalog::{
    CalleeIr, ExceptionPart, Extended, Extension, ExtensionQuery, FunctionInfo, GlobalValue, Host,
    InlineQuery, Parameters, Raised,
};
use diag::{Diagnostic, Result, codes};
use ir::Function;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyString, PyTuple, PyType};
use python_rt::raising::exception_record;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use types::{Class, Handle, STREAMS, Type, USER_EXCEPTION};

/// What `rumba.classes.exception_classes` says of an attribute: the number of an argument, a tuple of such, a dict of a function and its
/// arguments, or a list of one value like it.
fn exception_part<'py>(host: &HostCx<'_, 'py>, part: &Bound<'py, PyAny>) -> PyResult<ExceptionPart> {
    if let Ok(at) = part.extract::<usize>() {
        return Ok(ExceptionPart::Given(at));
    }
    if let Ok(parts) = part.cast::<PyTuple>() {
        let parts: PyResult<Vec<_>> = parts.iter().map(|part| exception_part(host, &part)).collect();
        return Ok(ExceptionPart::Tuple(parts?));
    }
    if let Ok(call) = part.cast::<PyDict>()
        && let Some((function, args)) = call.iter().next()
    {
        let args: PyResult<Vec<_>> = args.try_iter()?.map(|part| exception_part(host, &part?)).collect();
        return Ok(ExceptionPart::Called(function.extract::<String>()?.into(), args?));
    }
    Ok(ExceptionPart::Like(host.classify(&part.get_item(0)?)))
}

/// The Python side of one function.
pub(crate) struct PyHost {
    backend: Arc<Backend>,
    function: Py<PyAny>,
    chain: Rc<CompilationCx>,
    /// The compiled function that it is the function of.
    handle: Option<Handle>,
    /// Whether a pipeline has offered it to rewrites already.
    is_finished: bool,
}

impl PyHost {
    pub fn new(backend: Arc<Backend>, function: &Bound<'_, PyAny>, chain: Rc<CompilationCx>) -> Self {
        PyHost { backend, function: function.clone().unbind(), chain, handle: None, is_finished: false }
    }

    /// The same of a compiled function: a Python function may be decorated several times.
    pub fn of(self, handle: Option<Handle>) -> Self {
        PyHost { handle, ..self }
    }

    /// The same of a function that rewrites have seen.
    pub fn finished(self) -> Self {
        PyHost { is_finished: true, ..self }
    }
}

impl PyHost {
    fn attached<T>(&self, ask: impl FnOnce(&HostCx<'_, '_>) -> T) -> T {
        Python::attach(|py| {
            let function = self.function.bind(py);
            ask(&HostCx { backend: &self.backend, function, chain: &self.chain })
        })
    }

    /// The value that a global had when the function was decorated, if its signatures were given then.
    fn fixed_global<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        let dispatcher = self.backend.function_of(py, self.handle?)?;
        let fixed = dispatcher.getattr_opt(intern!(py, "_fixed_globals")).ok()??;
        fixed.cast::<PyDict>().ok()?.get_item(name).ok()?
    }

    /// The Python function after a handle.
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

    /// Whether rewrites look at the functions of this compilation: those of the library are what they are.
    fn takes_rewrites(&self, shown: bool) -> bool {
        (shown || self.backend.rewriting.load(Ordering::Relaxed)) && self.chain.making.is_empty()
    }

    /// What users' rewrites make of the function; its result has a type where all types are known.
    fn rewrite(&self, func: &Function, result: Option<Type>, shown: bool) -> Result<Option<Function>> {
        if !self.takes_rewrites(shown) || self.is_finished {
            return Ok(None);
        }
        let asked = Python::attach(|py| {
            let globals = self.chain.globals(py);
            let result = result.map(|ty| self.backend.type_to_python(py, ty)).transpose()?;
            let dispatcher = self.handle.and_then(|handle| self.backend.function_of(py, handle));
            let given = Offer { dispatcher, result, globals: globals.bind(py), shown };
            user_rewrites::rewrite(&self.backend, self.function.bind(py), func, given)
        });
        asked.map_err(|error| self.library_error(error))
    }

    /// A function that was opened, as rewrites leave it.
    fn offered(&self, handle: Handle, func: Function) -> Result<Function> {
        let mut func = func;
        let types = &self.backend.session().types;
        driver::apply_stage_passes(self.chain.passes.as_ref(), Some(handle), &mut func, types)?;
        if !self.takes_rewrites(false) {
            return Ok(func);
        }
        let func = self.rewritten(&func, false)?.unwrap_or(func);
        self.chain.opened.borrow_mut().insert(handle, func.clone());
        Ok(func)
    }

    /// What the pipeline of a called function makes of it for these types; none if it has no pipeline of its own.
    fn piped(&self, handle: Handle, params: &[Type]) -> Result<Option<Function>> {
        let asked = Python::attach(|py| {
            let options = self.backend.options_dict(py, handle);
            let class = options.map_or(Ok(None), |options| custom_pipeline::class_of(&options))?;
            let (Some(_), Some(dispatcher)) = (class, self.backend.function_of(py, handle)) else {
                return Ok(None);
            };
            custom_pipeline::opened(&self.backend, &dispatcher, params, self.chain.globals(py).bind(py))
        });
        asked.map_err(|error| self.library_error(error))
    }

    /// What a cost model says to a call.
    fn cost_of(&self, model: &Bound<'_, PyAny>, call: &InlineQuery<'_>) -> PyResult<bool> {
        let py = model.py();
        let caller = self.function.bind(py);
        let callee = self.backend.python_function(py, call.function);
        let callee =
            callee.ok_or_else(|| PyTypeError::new_err("the called function is gone"))?.into_bound(py);
        let signature = self.backend.signature_to_python(py, call.params, call.result)?;
        let arguments = (model, caller, &callee, (call.number)(), signature);
        PyModule::import(py, "rumba.compat.inline_cost_model")?.call_method1("decide", arguments)?.is_truthy()
    }
}

/// The module of a function, dotted.
fn module_of(function: &Bound<'_, PyAny>) -> String {
    let module = function.getattr(intern!(function.py(), "__module__"));
    module.and_then(|module| module.extract()).unwrap_or_default()
}

/// An exception while a called function is read.
fn unreadable(error: PyErr) -> Box<Diagnostic> {
    Diagnostic::new(codes::UNSUPPORTED_GLOBAL, format!("the called function cannot be read: {error}"))
}

impl Host for PyHost {
    fn global(&self, name: &str) -> Option<GlobalValue> {
        if name.starts_with(python_blocks::PREFIX) {
            return self.attached(|host| host.answer(python_blocks::global(host.function, name)));
        }
        if name.starts_with('$') {
            return self.attached(|host| host.answer(self.chain.find(host.function.py(), name)));
        }
        self.attached(|host| {
            let fixed = self.fixed_global(host.function.py(), name);
            host.answer(fixed.map_or_else(|| host.find_global(name), |value| Ok(Some(value))))
        })
    }

    fn freevar(&self, index: usize) -> Option<GlobalValue> {
        self.attached(|host| host.answer(host.find_freevar(index)))
    }

    fn global_object(&self, name: &str) -> Option<u32> {
        self.attached(|host| host.number_of(host.find_global(name)))
    }

    fn freevar_object(&self, index: usize) -> Option<u32> {
        self.attached(|host| host.number_of(host.find_freevar(index)))
    }

    fn attribute_object(&self, module: &str, name: &str) -> Option<u32> {
        self.attached(|host| host.number_of(host.find_attribute(module, name)))
    }

    fn raised(&self, operation: &str, args: &[Type]) -> Option<Raised> {
        self.attached(|host| {
            let py = host.function.py();
            let args: Option<Vec<_>> =
                args.iter().map(|&ty| host.backend.type_to_python(py, ty).ok()).collect();
            let module = PyModule::import(py, "rumba.raised_exceptions").ok()?;
            let found =
                module.getattr("raised").ok()?.call1((operation, PyTuple::new(py, args?).ok()?)).ok()?;
            let (class, message): (String, String) = found.extract().ok()?;
            let class = if class == "AttributeError" { "attribute_error" } else { "type_error" };
            Some(Raised { class, message })
        })
    }

    fn own_class(&self) -> Option<usize> {
        self.attached(|host| {
            let code = host.function.getattr("__code__").ok()?;
            let names: Vec<String> = code.getattr("co_freevars").ok()?.extract().ok()?;
            names.iter().position(|name| name == "__class__")
        })
    }

    fn import(&self, module: &str, names: &[String], level: i64) -> Result<GlobalValue> {
        self.attached(|host| match host.find_import(module, names, level) {
            Ok(module) => Ok(host.classify(&module)),
            Err(error) => {
                let message = error.value(host.function.py()).to_string();
                Err(Diagnostic::new(codes::UNSUPPORTED_GLOBAL, message))
            }
        })
    }

    fn unbound_method(&self, class: &str, name: &str) -> Option<GlobalValue> {
        self.attached(|host| {
            let made = PyModule::import(host.function.py(), "rumba.dispatch.unbound_methods")
                .and_then(|module| module.call_method1("function", (class, name)));
            host.answer(made.map(|made| (!made.is_none()).then_some(made)))
        })
    }

    fn module_attribute(&self, module: &str, name: &str) -> Option<GlobalValue> {
        let path = format!("{module}.{name}");
        if STREAMS.contains(&path.as_str()) {
            return Some(GlobalValue::Function(path.into()));
        }
        self.attached(|host| host.answer(host.find_attribute(module, name)))
    }

    fn object_attribute(&self, object: Handle, name: &str) -> Result<Option<GlobalValue>> {
        self.attached(|host| {
            let py = host.function.py();
            let Some(owner) = self.backend.opaque_object(py, object) else { return Ok(None) };
            let auto = PyModule::import(py, "rumba.dispatch.auto_jit").map_err(unreadable)?;
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

    fn match_args(&self, class: Handle) -> Vec<String> {
        self.attached(|host| {
            let py = host.function.py();
            let Some(ty) = self.backend.opaque_object(py, class) else { return Vec::new() };
            let written =
                ty.bind(py).getattr(intern!(py, "class_type")).and_then(|class| class.getattr("class_def"));
            let listed = written.and_then(|class| class.getattr(intern!(py, "__match_args__"))?.extract());
            listed.unwrap_or_default()
        })
    }

    fn field_defaults(&self, class: Handle) -> Vec<GlobalValue> {
        self.attached(|host| {
            let class = self.backend.class(host.function.py(), class);
            let defaults = class.and_then(|class| class.getattr(host.function.py(), "_field_defaults").ok());
            let defaults = defaults.map(|defaults| defaults.into_bound(host.function.py()));
            let Some(defaults) = defaults.and_then(|defaults| defaults.cast_into::<PyDict>().ok()) else {
                return Vec::new();
            };
            defaults.values().iter().map(|value| host.classify(&value)).collect()
        })
    }

    fn exception_derives(&self, class: u32, from: u32) -> bool {
        if let (Some(class), Some(from)) =
            (ExceptionClass::from_index(class), ExceptionClass::from_index(from))
        {
            return class.is_a(from);
        }
        self.attached(|host| {
            let py = host.function.py();
            let derives = exception_record::class_of(py, &self.backend, class).and_then(|class| {
                let from = exception_record::class_of(py, &self.backend, from)?;
                class.cast::<PyType>()?.is_subclass(&from)
            });
            derives.unwrap_or(false)
        })
    }

    fn exception_name(&self, class: u32) -> Option<String> {
        self.attached(|host| {
            let py = host.function.py();
            let class = exception_record::class_of(py, &self.backend, class).ok()?;
            class.getattr(intern!(py, "__name__")).ok()?.extract().ok()
        })
    }

    fn exception_runs_code(&self, class: u32) -> bool {
        class & USER_EXCEPTION != 0
            && self.attached(|host| {
                let class = exception_record::class_of(host.function.py(), &self.backend, class);
                class.is_ok_and(|class| exception_record::runs_code(&class))
            })
    }

    fn exception_attribute(
        &self,
        class: u32,
        name: &str,
        arguments: usize,
        names: &[String],
    ) -> Result<Option<ExceptionPart>> {
        self.attached(|host| {
            let py = host.function.py();
            let asked = exception_record::class_of(py, &self.backend, class).and_then(|class| {
                let module = PyModule::import(py, "rumba.classes.exception_classes")?;
                module.call_method1("attribute", (class, name, arguments, names.to_vec()))
            });
            let part = asked.map_err(unreadable)?;
            if part.is_none() { Ok(None) } else { exception_part(host, &part).map(Some).map_err(unreadable) }
        })
    }

    fn exception_class(&self, class: u32) -> Result<Option<Arc<Class>>> {
        self.attached(|host| {
            let py = host.function.py();
            let read = exception_record::class_of(py, &self.backend, class).and_then(|class| {
                let module = PyModule::import(py, "rumba.classes.exception_classes")?;
                self.backend.read_class(&module.call_method1("members", (class,))?)
            });
            read.map(|class| Some(Arc::new(class))).map_err(unreadable)
        })
    }

    fn is_enumeration(&self, object: Handle) -> bool {
        Python::attach(|py| {
            let owner = self.backend.opaque_object(py, object);
            owner.is_some_and(|owner| {
                enums::members(&self.backend, owner.bind(py)).is_ok_and(|found| found.is_some())
            })
        })
    }

    fn object_item(&self, object: Handle, name: &str) -> Result<Option<GlobalValue>> {
        self.attached(|host| {
            let py = host.function.py();
            let Some(owner) = self.backend.opaque_object(py, object) else { return Ok(None) };
            let members = enums::members(&self.backend, owner.bind(py)).map_err(unreadable)?;
            let member = members.map(|members| members.get_item(name).ok());
            Ok(member.flatten().map(|member| host.classify(&member)))
        })
    }

    fn specialized_class(&self, object: Handle, types: &[Type]) -> Result<Option<GlobalValue>> {
        self.attached(|host| {
            let py = host.function.py();
            let Some(owner) = self.backend.opaque_object(py, object) else { return Ok(None) };
            let owner = owner.bind(py);
            if !owner.get_type().hasattr(intern!(py, "is_generic_class")).map_err(unreadable)? {
                return Ok(None);
            }
            let types: PyResult<Vec<_>> =
                types.iter().map(|&ty| self.backend.type_to_python(py, ty)).collect();
            let made = types.and_then(|types| owner.get_item(PyTuple::new(py, types)?));
            Ok(Some(host.classify(&made.map_err(unreadable)?)))
        })
    }

    fn names_in(&self, dotted: &str) -> Vec<String> {
        self.attached(|host| {
            let py = host.function.py();
            let whole = PyModule::import(py, dotted).map(Bound::into_any);
            let found = whole.or_else(|error| match dotted.rsplit_once('.') {
                Some((module, class)) => PyModule::import(py, module)?.getattr(class),
                None => Err(error),
            });
            found.and_then(|found| found.dir()?.extract()).unwrap_or_default()
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
                let closures = PyModule::import(host.function.py(), "rumba.boxing.closures")?;
                let name = code.getattr("co_freevars")?.get_item(index)?;
                closures.call_method1("changes", (code, name))?.extract::<bool>()
            };
            ask().map_err(unreadable)
        })
    }

    fn is_extended(&self, what: &Extended) -> bool {
        Python::attach(|py| overload_host::is_extended(&self.backend, py, what, &self.chain).unwrap_or(false))
    }

    fn has_targeted(&self) -> bool {
        self.chain.has_targeted()
    }

    fn is_targeted(&self, what: &Extended) -> bool {
        Python::attach(|py| overload_host::is_targeted(&self.backend, py, what, &self.chain).unwrap_or(false))
    }

    fn extension(&self, query: &ExtensionQuery) -> Result<Extension> {
        Python::attach(|py| {
            library_host::answer(&self.backend, py, query, &self.chain)
                .map_err(|error| self.library_error(error))
        })
    }

    fn function_info(&self, what: &Extended) -> Option<FunctionInfo> {
        Python::attach(|py| library_host::info(&self.backend, py, what, &self.chain))
    }

    fn inlines(&self, call: &InlineQuery<'_>) -> Result<bool> {
        Python::attach(|py| match self.backend.inline_option(py, call.function) {
            None => Ok(false),
            Some(option) if option.is_instance_of::<PyString>() => {
                Ok(self.backend.is_always_inlined(py, call.function))
            }
            Some(model) => self.cost_of(&model, call).map_err(|error| self.library_error(error)),
        })
    }

    fn rewritten(&self, func: &Function, shown: bool) -> Result<Option<Function>> {
        self.rewrite(func, None, shown)
    }

    fn rewrites_typed(&self, shown: bool) -> bool {
        self.takes_rewrites(shown)
    }

    fn rewritten_typed(&self, func: &Function, result: Type, shown: bool) -> Result<Option<Function>> {
        self.rewrite(func, Some(result), shown)
    }

    fn module(&self) -> String {
        Python::attach(|py| module_of(self.function.bind(py)))
    }

    fn is_of_library(&self) -> bool {
        !self.chain.making.is_empty() || self.module().starts_with("rumba.library")
    }

    fn load_callee_for(&self, handle: Handle, params: &[Type]) -> Result<CalleeIr> {
        let opened = self.open(handle)?;
        let known = self.chain.piped.borrow().get(&(handle, params.to_vec())).cloned();
        let mut func = match known {
            Some(known) => known,
            None => match self.piped(handle, params)? {
                Some(made) => made,
                None => return Ok(opened),
            },
        };
        self.chain.piped.borrow_mut().insert((handle, params.to_vec()), func.clone());
        Python::attach(|py| {
            let function = self.called(py, handle)?;
            func.module = module_of(function.bind(py));
            let host = PyHost::new(self.backend.clone(), function.bind(py), self.chain.clone());
            Ok(CalleeIr { func, host: Rc::new(host.of(Some(handle)).finished()), ..opened })
        })
    }

    fn open(&self, handle: Handle) -> Result<CalleeIr> {
        self.opened_by(handle, |host, code, options| {
            let known = self.chain.opened.borrow().get(&handle).cloned();
            match known {
                Some(known) => Ok(known),
                None => host.offered(handle, driver::untyped(code, &options.locals)?),
            }
        })
    }

    fn open_generator(&self, handle: Handle) -> Result<CalleeIr> {
        self.opened_by(handle, |_, code, _| driver::untyped_generator(code))
    }
}

impl PyHost {
    /// A function that is called, with the form that is built of its code.
    fn opened_by(
        &self,
        handle: Handle,
        build: impl FnOnce(&PyHost, &CodeSnapshot, &driver::Options) -> Result<Function>,
    ) -> Result<CalleeIr> {
        Python::attach(|py| {
            let options = options::of_function(&self.backend, py, handle).map_err(unreadable)?;
            let function = self.called(py, handle)?;
            let function = function.bind(py);
            if let Some(options) = self.backend.options_dict(py, handle) {
                target_scope::check_callee(function, &options)?;
            }
            let code = snapshot::of_function(function).map_err(unreadable)?;
            let host = PyHost::new(self.backend.clone(), function, self.chain.clone()).of(Some(handle));
            let host = Rc::new(host);
            let mut func = build(&host, &code, &options)?;
            func.module = module_of(function);
            Ok(CalleeIr { func, host, semantics: options.semantics })
        })
    }
}
