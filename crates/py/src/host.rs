//! Python's answers to inference: what globals, closure variables and attributes of modules hold.

use crate::backend::Backend;
use catalog::{Callee, GlobalValue, Host};
use diag::{Diagnostic, Result, codes};
use driver::CalledFunction;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyModule, PyString, PyTuple, PyType};
use std::cell::RefCell;
use types::{Handle, Type};

/// Functions whose compilation is under way, innermost last: a function and its argument types.
pub(crate) type Underway = Vec<(Handle, Vec<Type>)>;

/// The Python side of one compilation.
pub(crate) struct PyHost<'a, 'py> {
    backend: &'a Backend,
    function: &'a Bound<'py, PyAny>,
    underway: &'a Underway,
    /// Compiled functions that were asked for, to be linked against.
    pub callees: RefCell<Vec<CalledFunction>>,
}

impl<'a, 'py> PyHost<'a, 'py> {
    pub fn new(backend: &'a Backend, function: &'a Bound<'py, PyAny>, underway: &'a Underway) -> Self {
        PyHost { backend, function, underway, callees: RefCell::default() }
    }

    fn find_global(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.function.py();
        for namespace in ["__globals__", "__builtins__"] {
            let dict = self.function.getattr(namespace)?.cast_into::<PyDict>()?;
            if let Some(value) = dict.get_item(PyString::new(py, name))? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn find_freevar(&self, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.function.py();
        let closure = self.function.getattr(intern!(py, "__closure__"))?;
        let cell = closure.get_item(index)?;
        match cell.getattr(intern!(py, "cell_contents")) {
            Ok(value) => Ok(Some(value)),
            // An empty cell is a ValueError.
            Err(_) => Ok(None),
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
        known.unwrap_or_else(|| {
            let kind = value.get_type().to_string();
            GlobalValue::Foreign(kind)
        })
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
        let name: String = value.getattr(intern!(py, "__name__")).ok()?.extract().ok()?;
        if let Ok(class) = value.cast::<PyType>() {
            return classify_class(class, &name);
        }
        let kind = value.get_type().name().ok()?.to_string();
        let module: Option<String> =
            value.getattr(intern!(py, "__module__")).ok().and_then(|module| module.extract().ok());
        match (kind.as_str(), module.as_deref()) {
            ("ufunc", _) => Some(GlobalValue::Function(format!("numpy.{name}").into())),
            ("builtin_function_or_method", Some(module)) => {
                Some(GlobalValue::Function(format!("{module}.{name}").into()))
            }
            ("_ArrayFunctionDispatcher", Some("numpy")) => {
                Some(GlobalValue::Function(format!("numpy.{name}").into()))
            }
            _ => None,
        }
    }
}

/// Number types, `range` and its like, exceptions.
fn classify_class(class: &Bound<'_, PyType>, name: &str) -> Option<GlobalValue> {
    let module: String = class.module().ok()?.to_string();
    let number = match (module.as_str(), name) {
        ("builtins", "int") | ("numpy", "int64" | "longlong") => Type::INT64,
        ("builtins", "float") | ("numpy", "float64") => Type::FLOAT64,
        ("builtins", "bool") | ("numpy", "bool" | "bool_") => Type::BOOL,
        ("builtins", "complex") | ("numpy", "complex128") => Type::COMPLEX128,
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

impl Host for PyHost<'_, '_> {
    fn global(&self, name: &str) -> Option<GlobalValue> {
        self.answer(self.find_global(name))
    }

    fn freevar(&self, index: usize) -> Option<GlobalValue> {
        self.answer(self.find_freevar(index))
    }

    fn module_attribute(&self, module: &str, name: &str) -> Option<GlobalValue> {
        self.answer(self.find_attribute(module, name))
    }

    fn callee(&self, handle: Handle, args: &[Type]) -> Result<Callee> {
        let known = |called: &&CalledFunction| called.0 == handle && called.1 == args;
        if let Some(called) = self.callees.borrow().iter().find(known) {
            return Ok(called.2.clone());
        }
        if self.underway.iter().any(|(function, types)| *function == handle && types == args) {
            return Err(Diagnostic::new(
                codes::UNSUPPORTED_CONSTRUCT,
                "functions that call each other are not supported in compiled code yet",
            )
            .hint("Write the cycle as one function that calls itself, or as a loop."));
        }
        let py = self.function.py();
        let compiled = self.backend.compile_callee(py, handle, args, self.underway)?;
        let callee = Callee {
            result: compiled.signature.result,
            params: compiled.signature.params.clone(),
            symbol: compiled.symbol.clone(),
            can_fail: compiled.explicit.can_fail,
        };
        self.callees.borrow_mut().push((handle, args.to_vec(), callee.clone(), compiled));
        Ok(callee)
    }
}
