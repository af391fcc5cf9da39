//! Python's answers to inference: what globals, closure variables and attributes of modules hold.

use crate::backend::Backend;
use crate::extension;
use crate::function_value;
use crate::library;
use crate::snapshot;
use crate::typeof_value;
use catalog::{Extended, Extension, ExtensionQuery, GlobalValue, Host, InlineQuery, Opened, Parameters};
use diag::{Diagnostic, Result, codes};
use pyo3::exceptions::{PyAttributeError, PyBaseException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyComplex, PyDict, PyFloat, PyFunction, PyInt, PyModule, PyString, PyTuple, PyType,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use types::{Handle, Type};

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
    fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<u32> {
        if let Some(known) = self.values.borrow().iter().position(|(known, _)| known.is(value)) {
            return Ok(known as u32);
        }
        // An object may have its address later: then it is asked again.
        let address = match function_value::c_address(value) {
            Err(error) if !error.is_instance_of::<PyValueError>(value.py()) => return Err(error),
            known => known.unwrap_or(0),
        };
        let mut values = self.values.borrow_mut();
        values.push((value.clone().unbind(), address));
        Ok(values.len() as u32 - 1)
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

/// The same, with the proof that the GIL is held.
struct Attached<'a, 'py> {
    backend: &'a Arc<Backend>,
    function: &'a Bound<'py, PyAny>,
    chain: &'a Chain,
}

impl<'py> Attached<'_, 'py> {
    fn find_global(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.function.py();
        for namespace in ["__globals__", "__builtins__"] {
            let dict = self.function.getattr(namespace)?.cast_into::<PyDict>()?;
            if let Some(value) = dict.get_item(PyString::new(py, name))? {
                return Ok(Some(value));
            }
        }
        Ok(self.itself(name))
    }

    /// The function as a callee of its own, while its name is not bound yet: a signature makes it
    /// compile inside the decorator.
    fn itself(&self, name: &str) -> Option<Bound<'py, PyAny>> {
        let own: String = self.function.getattr("__name__").ok()?.extract().ok()?;
        if own == name { self.backend.dispatcher_of(self.function) } else { None }
    }

    fn find_freevar(&self, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.function.py();
        let closure = self.function.getattr(intern!(py, "__closure__"))?;
        let cell = closure.get_item(index)?;
        match cell.getattr(intern!(py, "cell_contents")) {
            Ok(value) => Ok(Some(value)),
            // An empty cell is a ValueError.
            Err(_) => {
                let names =
                    self.function.getattr(intern!(py, "__code__"))?.getattr(intern!(py, "co_freevars"))?;
                Ok(self.itself(&names.get_item(index)?.extract::<String>()?))
            }
        }
    }

    fn find_attribute(&self, module: &str, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let module = PyModule::import(self.function.py(), module)?;
        Ok(module.getattr(name).ok())
    }

    fn answer(&self, found: PyResult<Option<Bound<'py, PyAny>>>) -> Option<GlobalValue> {
        match found {
            Ok(value) => value.map(|value| self.classify(&value)),
            Err(error) => Some(GlobalValue::Foreign(format!("a value that cannot be read ({error})"))),
        }
    }

    /// A Python value as plain data.
    fn classify(&self, value: &Bound<'py, PyAny>) -> GlobalValue {
        let known = self.classify_constant(value).or_else(|| self.classify_callable(value));
        let known = known.or_else(|| library::function_name(self.backend, value).map(GlobalValue::Function));
        let known =
            known.or_else(|| extension::name_of(value).map(|name| GlobalValue::Function(name.into())));
        let known = known.or_else(|| self.classify_function_value(value));
        let known = known.or_else(|| extension::type_of(self.backend, value).ok()?.map(GlobalValue::Opaque));
        let known = known.or_else(|| self.classify_object(value).map(GlobalValue::Opaque));
        known.unwrap_or_else(|| {
            let kind = value.get_type().to_string();
            GlobalValue::Foreign(kind)
        })
    }

    /// A callback or another function of C.
    fn classify_function_value(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let ty = function_value::type_of(self.backend, value).ok()??;
        match self.chain.number(value) {
            Ok(number) => Some(GlobalValue::FunctionValue(number, ty)),
            Err(error) => {
                self.chain.raised.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// The class of a named tuple whose constructor takes its fields.
    fn classify_named_tuple(&self, class: &Bound<'py, PyType>, name: &str) -> Option<GlobalValue> {
        let fields: Vec<String> = class.getattr("_fields").ok()?.extract().ok()?;
        let handle = self.backend.handle_of_class(class);
        class
            .is_subclass_of::<PyTuple>()
            .ok()?
            .then(|| GlobalValue::NamedTupleClass(name.into(), fields.into(), handle))
    }

    /// An exception class of the user.
    fn classify_exception(&self, class: &Bound<'py, PyType>) -> Option<GlobalValue> {
        let is_exception = class.is_subclass_of::<PyBaseException>().ok()?;
        is_exception.then(|| {
            let handle = self.backend.handle_of_class(class);
            GlobalValue::ExceptionClass(types::USER_EXCEPTION | handle.0)
        })
    }

    /// A plain function, a method or a `functools.partial`, compiled because the decorator says so.
    fn compiled_callee(&self, value: &Bound<'py, PyAny>) -> Option<Handle> {
        let py = value.py();
        let is_plain = value.is_instance_of::<PyFunction>() || {
            let class = value.get_type().name().ok()?;
            matches!(class.to_str().ok()?, "method" | "partial")
        };
        if !is_plain || !self.backend.compiles_callees_of(self.function) {
            return None;
        }
        let compiled = PyModule::import(py, "rumba.auto").ok()?.call_method1("callee", (value,)).ok()?;
        self.backend.handle_of(&compiled)
    }

    /// An object of a class written in Python, or such a class, where the decorator says that what it holds is
    /// compiled.
    fn classify_object(&self, value: &Bound<'py, PyAny>) -> Option<Type> {
        const WRITTEN_IN_PYTHON: usize = 1 << 9;
        let class = value.cast::<PyType>().cloned().unwrap_or_else(|_| value.get_type());
        let flags: usize = class.getattr(intern!(value.py(), "__flags__")).ok()?.extract().ok()?;
        let name = class.qualname().ok()?;
        let is_class = value.is_instance_of::<PyType>();
        let name = if is_class { format!("class {name}") } else { format!("object of {name}") };
        let is_reached = flags & WRITTEN_IN_PYTHON != 0 && self.backend.compiles_callees_of(self.function);
        is_reached.then(|| self.backend.object_type(value, &name))
    }

    fn classify_constant(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        if value.is_none() {
            return Some(GlobalValue::None);
        }
        if let Ok(value) = value.cast_exact::<PyBool>() {
            return Some(GlobalValue::Bool(value.is_true()));
        }
        if let Ok(number) = value.cast_exact::<PyInt>() {
            let signed = number.extract::<i64>().map(GlobalValue::Int);
            let any = signed.or_else(|_| number.extract::<u64>().map(GlobalValue::UInt));
            return Some(any.unwrap_or_else(|_| GlobalValue::BigInt(number.to_string())));
        }
        if let Ok(number) = value.cast_exact::<PyFloat>() {
            return Some(GlobalValue::Float(number.value()));
        }
        if let Ok(number) = value.cast_exact::<PyComplex>() {
            return Some(GlobalValue::Complex(number.real(), number.imag()));
        }
        if let Ok(text) = value.cast_exact::<PyString>() {
            return text.to_str().ok().map(|text| GlobalValue::Str(text.into()));
        }
        if let Some(ty) = typeof_value::scalar_type(&value.get_type()) {
            let number = self.classify_constant(&value.call_method0(intern!(value.py(), "item")).ok()?)?;
            return Some(if ty == Type::BOOL { number } else { GlobalValue::Scalar(ty, number.into()) });
        }
        let items = value.cast_exact::<PyTuple>().ok()?;
        Some(GlobalValue::Tuple(items.iter().map(|item| self.classify(&item)).collect()))
    }

    fn classify_callable(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        if let Some(handle) = self.backend.handle_of(value) {
            return Some(GlobalValue::Dispatcher(handle));
        }
        if let Ok(module) = value.cast::<PyModule>() {
            return module.name().ok().map(|name| GlobalValue::Module(name.to_string().into()));
        }
        let py = value.py();
        if let Ok(ty) = value.getattr(intern!(py, "_parts"))
            && !value.is_instance_of::<PyType>()
            && ty.is_callable()
        {
            return self.backend.type_from_python(value).ok().map(GlobalValue::Class);
        }
        if let Some(class_of_types) = extension::class_of_types(value) {
            return self.backend.type_from_python(&class_of_types).ok().map(GlobalValue::Opaque);
        }
        if let Ok(compiled) = value.getattr(intern!(py, "_rumba_jitable")) {
            return self.backend.handle_of(&compiled).map(GlobalValue::Dispatcher);
        }
        if let Some(handle) = self.compiled_callee(value) {
            return Some(GlobalValue::Dispatcher(handle));
        }
        let name: String = value.getattr(intern!(py, "__name__")).ok()?.extract().ok()?;
        if let Ok(class) = value.cast::<PyType>() {
            let known = classify_class(class, &name).or_else(|| self.classify_exception(class));
            return known.or_else(|| self.classify_named_tuple(class, &name));
        }
        let kind = value.get_type().name().ok()?.to_string();
        let module: Option<String> =
            value.getattr(intern!(py, "__module__")).ok().and_then(|module| module.extract().ok());
        match (kind.as_str(), module.as_deref()) {
            ("ufunc", _) => Some(GlobalValue::Function(format!("numpy.{name}").into())),
            ("builtin_function_or_method", Some("_operator")) => {
                Some(GlobalValue::Function(format!("operator.{name}").into()))
            }
            ("builtin_function_or_method", Some(module)) => {
                Some(GlobalValue::Function(format!("{module}.{name}").into()))
            }
            ("_ArrayFunctionDispatcher", Some("numpy")) => {
                Some(GlobalValue::Function(format!("numpy.{name}").into()))
            }
            ("function", Some("rumba.special")) => {
                Some(GlobalValue::Function(format!("rumba.{name}").into()))
            }
            ("function", Some("typing")) if name == "reveal_type" => {
                Some(GlobalValue::Function("typing.reveal_type".into()))
            }
            _ => None,
        }
    }
}

/// Number types, `range` and its like, exceptions.
fn classify_class(class: &Bound<'_, PyType>, name: &str) -> Option<GlobalValue> {
    let module: String = class.module().ok()?.to_string();
    let number = match (module.as_str(), name) {
        ("numpy", "int64" | "longlong") => Type::INT64,
        ("numpy", "float64") => Type::FLOAT64,
        ("builtins", "bool") | ("numpy", "bool" | "bool_") => Type::BOOL,
        ("numpy", "complex128") => Type::COMPLEX128,
        ("numpy", "int8") => Type::INT8,
        ("numpy", "int16") => Type::INT16,
        ("numpy", "int32") => Type::INT32,
        ("numpy", "uint8") => Type::UINT8,
        ("numpy", "uint16") => Type::UINT16,
        ("numpy", "uint32") => Type::UINT32,
        ("numpy", "uint64" | "ulonglong") => Type::UINT64,
        ("numpy", "float32") => Type::FLOAT32,
        ("numpy", "complex64") => Type::COMPLEX64,
        ("builtins", _) => {
            return Some(match abi::ExceptionClass::from_name(name) {
                Some(exception) => GlobalValue::ExceptionClass(exception as u32),
                None => GlobalValue::Function(format!("builtins.{name}").into()),
            });
        }
        _ => return None,
    };
    Some(GlobalValue::Class(number))
}

/// Names, kinds and defaults of a function's parameters.
fn parameters(host: &Attached<'_, '_>, function: &Bound<'_, PyAny>) -> PyResult<Parameters> {
    let py = function.py();
    let code = function.getattr(intern!(py, "__code__"))?;
    let count = |name: &str| code.getattr(name)?.extract::<usize>();
    let (positional, keyword_only) = (count("co_argcount")?, count("co_kwonlyargcount")?);
    let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
    let varargs = flags & bytecode::flags::VARARGS != 0;
    let varkeywords = flags & bytecode::flags::VARKEYWORDS != 0;
    let all: Vec<String> = code.getattr(intern!(py, "co_varnames"))?.extract()?;
    let total = positional + keyword_only;
    let mut defaults = vec![None; total];
    if let Ok(values) = function.getattr(intern!(py, "__defaults__"))?.cast_into::<PyTuple>() {
        for (value, place) in values.iter().rev().zip(defaults[..positional].iter_mut().rev()) {
            *place = Some(host.classify(&value));
        }
    }
    if let Ok(values) = function.getattr(intern!(py, "__kwdefaults__"))?.cast_into::<PyDict>() {
        for (index, place) in defaults.iter_mut().enumerate().skip(positional) {
            *place = values.get_item(&all[index])?.map(|value| host.classify(&value));
        }
    }
    Ok(Parameters {
        names: all.into_iter().take(total + usize::from(varargs) + usize::from(varkeywords)).collect(),
        positional_only: count("co_posonlyargcount")?,
        positional,
        varargs,
        varkeywords,
        defaults,
    })
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
        let arguments = (model, (caller, caller_text), (&callee, callee_text), call.number, signature);
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

    fn parameters(&self, function: Handle) -> Result<Parameters> {
        self.attached(|host| {
            let function = self.called(host.function.py(), function)?;
            parameters(host, function.bind(host.function.py())).map_err(unreadable)
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
            Ok(Opened {
                func: driver::untyped(&code, &options.locals)?,
                host,
                error_model: options.error_model,
            })
        })
    }
}

/// The dotted name under which the compiler knows a function, an operator or a class.
pub(crate) fn known_name(backend: &Arc<Backend>, value: &Bound<'_, PyAny>) -> Option<String> {
    let chain = Chain::default();
    let host = Attached { backend, function: value, chain: &chain };
    if let Some(name) = library::function_name(backend, value) {
        return Some(name.to_string());
    }
    match host.classify_callable(value)? {
        GlobalValue::Function(name) => Some(name.to_string()),
        GlobalValue::Class(ty) => Some(format!("class.{}", backend.session().types.name(ty))),
        _ => None,
    }
}
