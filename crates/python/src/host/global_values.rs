//! Python values as the plain data that inference works with: globals, closure variables, attributes, parameters of
//! functions.

use crate::host::compilation_cx::CompilationCx;
use crate::host::library_host;
use crate::host::overload_host;
use crate::host::overload_registry;
use crate::session::function_value;
use crate::session::session_state::Backend;
use crate::session::target_scope;
use crate::typing::compiled_classes;
use crate::typing::enums;
use crate::typing::typeof_value;
use catalog::{GlobalValue, Parameters};
use pyo3::exceptions::PyBaseException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyFunction, PyInt, PyList, PyModule, PySlice,
    PyString, PyTuple, PyType,
};
use python_rt::plan::scalars::scalar_type;
use python_rt::plan::value_types;
use python_rt::values::dtypes;
use python_rt::values::ndarray;
use python_rt::values::numpy_scalar;
use python_rt::values::slices;
use python_rt::values::{objects, typed_container};
use std::sync::Arc;
use types::{ArrayType, Handle, Type, TypeData};

/// The Python side of one function, with the proof that the GIL is held.
pub(crate) struct HostCx<'a, 'py> {
    pub backend: &'a Arc<Backend>,
    pub function: &'a Bound<'py, PyAny>,
    pub chain: &'a CompilationCx,
}

/// The longest global list that is a constant. Its items stand in the code.
const LONGEST_LIST: usize = 512;

/// Whether a value is a number, a text, None, or a tuple of such.
fn is_plain(value: &GlobalValue) -> bool {
    match value {
        GlobalValue::None
        | GlobalValue::Bool(_)
        | GlobalValue::Int(_)
        | GlobalValue::UInt(_)
        | GlobalValue::Float(_)
        | GlobalValue::Complex(..)
        | GlobalValue::Str(_)
        | GlobalValue::Bytes(_)
        | GlobalValue::Scalar(..) => true,
        GlobalValue::Tuple(items) => items.iter().all(is_plain),
        _ => false,
    }
}

impl<'py> HostCx<'_, 'py> {
    pub(crate) fn find_global(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
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
    pub(crate) fn itself(&self, name: &str) -> Option<Bound<'py, PyAny>> {
        let own: String = self.function.getattr("__name__").ok()?.extract().ok()?;
        if own == name { self.backend.dispatcher_of(self.function) } else { None }
    }

    pub(crate) fn find_freevar(&self, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
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

    /// The module of an `import` statement, which is imported now unless it was before.
    pub(crate) fn find_import(
        &self,
        module: &str,
        names: &[String],
        level: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.function.py();
        let globals = self.function.getattr(intern!(py, "__globals__"))?;
        let names = (!names.is_empty()).then(|| PyTuple::new(py, names)).transpose()?;
        let import = PyModule::import(py, "builtins")?.getattr(intern!(py, "__import__"))?;
        import.call1((module, globals, py.None(), names, level))
    }

    pub(crate) fn find_attribute(&self, module: &str, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let module = PyModule::import(self.function.py(), module)?;
        Ok(module.getattr(name).ok())
    }

    /// The number of a value as an object that the code keeps.
    pub(crate) fn number_of(&self, found: PyResult<Option<Bound<'py, PyAny>>>) -> Option<u32> {
        found.ok().flatten().map(|value| self.chain.number_of(&value, 0))
    }

    pub(crate) fn answer(&self, found: PyResult<Option<Bound<'py, PyAny>>>) -> Option<GlobalValue> {
        match found {
            Ok(value) => value.map(|value| self.classify(&value)),
            Err(error) => Some(GlobalValue::Foreign(format!("a value that cannot be read ({error})"))),
        }
    }

    /// A Python value as plain data.
    pub(crate) fn classify(&self, value: &Bound<'py, PyAny>) -> GlobalValue {
        let known = self.classify_constant(value).or_else(|| self.classify_enum(value));
        let known = known.or_else(|| self.classify_callable(value));
        let known = known
            .or_else(|| overload_registry::name_of(value).map(|name| GlobalValue::Function(name.into())));
        let known = known.or_else(|| self.classify_array(value)).or_else(|| self.classify_item(value));
        let known = known.or_else(|| self.classify_function_value(value));
        let known = known.or_else(|| self.classify_instance(value));
        let known = known.or_else(|| self.classify_foreign(value));
        let known = known.or_else(|| self.classify_table(value).map(GlobalValue::Opaque));
        let known = known.or_else(|| self.classify_list(value)).or_else(|| self.classify_frozenset(value));
        let known = known.or_else(|| self.classify_object(value).map(GlobalValue::Opaque));
        let known = known.or_else(|| self.classify_stream(value));
        known.unwrap_or_else(|| {
            let kind = value.get_type().to_string();
            GlobalValue::Foreign(kind)
        })
    }

    /// A stream that Python had when it began: `from sys import stderr` names the stream itself, not what is there now.
    fn classify_stream(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let sys = PyModule::import(value.py(), "sys").ok()?;
        let is_it = |name: &str| sys.getattr(name).is_ok_and(|stream| stream.is(value) && !stream.is_none());
        let name = ["__stdout__", "__stderr__"].into_iter().find(|name| is_it(name))?;
        Some(GlobalValue::Function(format!("sys.{name}").into()))
    }

    /// A value of a type that a library gives it, as it is now.
    fn classify_foreign(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let ty = overload_host::type_of(self.backend, value).ok()??;
        let types = &self.backend.session().types;
        let TypeData::Foreign { held, .. } = types.get(ty) else { return Some(GlobalValue::Opaque(ty)) };
        // There may be nothing to know but the type.
        if catalog::machine_types(types, held).is_empty() {
            return Some(GlobalValue::Opaque(ty));
        }
        match self.chain.frozen(self.backend, value, ty) {
            Ok(words) => Some(GlobalValue::Words(ty, words)),
            // An address that nobody looks through.
            Err(_) if matches!(types.get(held), TypeData::Pointer(None)) => {
                Some(GlobalValue::Words(ty, vec![0]))
            }
            Err(error) => {
                self.chain.raised.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// A frozen set, whose items compiled code has in its own form.
    fn classify_frozenset(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        value.cast_exact::<PyFrozenSet>().ok()?;
        let ty = value_types::type_of(&**self.backend, value).ok()?;
        let words = self.chain.frozen(self.backend, value, ty).ok()?;
        Some(GlobalValue::Words(ty, words))
    }

    /// An object or a typed container of compiled code, which is the same one there: the code keeps it alive.
    fn classify_instance(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let (ty, word) = match objects::type_of(value) {
            Some(ty) => (ty, objects::word_of(value, ty)?),
            None => {
                let ty = typed_container::type_of(value)?.ok()?;
                (ty, typed_container::word_of(value, ty)?)
            }
        };
        self.chain.number_of(value, 0);
        Some(GlobalValue::Words(ty, vec![word.cast_signed()]))
    }

    /// An array, which compiled code may not write: as Numba, it takes a global to be constant.
    fn classify_array(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        if !ndarray::is_array(value) {
            return None;
        }
        let types = &self.backend.session().types;
        let array = ArrayType { mutable: false, ..ndarray::type_of(types, value).ok()? };
        let (data, lengths) = ndarray::data_and_lengths(value, array);
        let ty = types.intern(TypeData::Array(array));
        Some(GlobalValue::Array(self.chain.number_of(value, data), ty, lengths))
    }

    /// An enumeration, or a member of one, which is constant.
    fn classify_enum(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        if enums::members(self.backend, value).ok()?.is_some() {
            let name = format!("class {}", value.cast::<PyType>().ok()?.qualname().ok()?);
            return Some(GlobalValue::Opaque(self.backend.object_type(value, &name)));
        }
        let ty = typeof_value::type_of_member(self.backend, value).ok()??;
        let held = self.classify(&value.getattr(intern!(value.py(), "_value_")).ok()?);
        Some(GlobalValue::Scalar(ty, Box::new(held)))
    }

    /// A scalar of NumPy that is no number: a record is constant as arrays are.
    fn classify_item(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let ty = numpy_scalar::type_of(self.backend, value).ok()??;
        if let Some(count) = numpy_scalar::count_of(value) {
            return Some(GlobalValue::Scalar(ty, Box::new(GlobalValue::Int(count))));
        }
        let data = numpy_scalar::address_of(value)?;
        let frozen = self.backend.session().types.seen_in(ty, false);
        Some(GlobalValue::Array(self.chain.number_of(value, data), frozen, Vec::new()))
    }

    /// A callback or another function of C.
    fn classify_function_value(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let ty = match function_value::type_of(self.backend, value) {
            Ok(ty) => ty?,
            // It is a C function that takes objects, or one of which something is not known.
            Err(error) => {
                return match function_value::through_python(value) {
                    Some(parts) => self.classify_python_function(&parts),
                    None => Some(GlobalValue::Missing(error.value(value.py()).to_string())),
                };
            }
        };
        match self.chain.number(value) {
            Ok(number) => Some(GlobalValue::FunctionValue(number, ty)),
            Err(error) => {
                self.chain.raised.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// A function that Python runs: itself, its name, its parameters and its result, whose elements may have names.
    fn classify_python_function(&self, called: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        type Parts<'py> =
            (Bound<'py, PyAny>, String, Option<Vec<Bound<'py, PyAny>>>, Bound<'py, PyAny>, Vec<String>);
        let read = || {
            let (function, name, params, result, outgoing): Parts<'py> = called.extract()?;
            let backend = self.backend;
            let all = |types: Vec<Bound<'py, PyAny>>| {
                types.iter().map(|ty| backend.type_from_python(ty)).collect::<PyResult<Arc<[Type]>>>()
            };
            let result = match result.cast::<PyTuple>() {
                Ok(results) if results.is_empty() => Type::NONE,
                Ok(results) => backend.session().types.tuple(&all(results.iter().collect())?),
                Err(_) => backend.type_from_python(&result)?,
            };
            let (params, outgoing) = (params.map(all).transpose()?, outgoing.into());
            let data = TypeData::PythonFunction { name: name.into(), params, result, outgoing };
            let number = self.chain.number_of(&function, 0);
            Ok::<_, PyErr>(GlobalValue::FunctionValue(number, backend.session().types.intern(data)))
        };
        match read() {
            Ok(value) => Some(value),
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

    /// An exception user-defined class.
    fn classify_exception(&self, class: &Bound<'py, PyType>) -> Option<GlobalValue> {
        let is_exception = class.is_subclass_of::<PyBaseException>().ok()?;
        is_exception.then(|| {
            let handle = self.backend.handle_of_class(class);
            GlobalValue::ExceptionClass(types::USER_EXCEPTION | handle.0)
        })
    }

    /// A plain function, a method or a `functools.partial`, compiled because the decorator says so; an `operator.itemgetter` and its
    /// like, whose code is the library's, and a function in a `lru_cache`, which names it as one of compiled code's, anyway.
    fn compiled_callee(&self, value: &Bound<'py, PyAny>) -> Option<Handle> {
        let py = value.py();
        let class = value.get_type().name().ok()?;
        let is_getter = matches!(class.to_str().ok()?, "itemgetter" | "attrgetter" | "methodcaller")
            && value.get_type().module().ok()? == "operator";
        let is_cached = class.to_str().ok()? == "_lru_cache_wrapper";
        let is_plain = is_getter
            || is_cached
            || value.is_instance_of::<PyFunction>()
            || matches!(class.to_str().ok()?, "method" | "partial");
        // What a `partial` calls may be compiled anyway.
        let is_compiled = || {
            let called = value.getattr(intern!(py, "func")).ok()?;
            self.backend.handle_of(&called)
        };
        let is_asked = self.backend.compiles_callees_of(self.function);
        if !is_plain
            || !(is_asked
                || is_getter
                || is_cached
                || class.to_str().ok()? == "partial" && is_compiled().is_some())
        {
            return None;
        }
        let compiled =
            PyModule::import(py, "rumba.dispatch.auto_jit").ok()?.call_method1("callee", (value,)).ok()?;
        self.backend.handle_of(&compiled)
    }

    /// A list of functions, or a dict of them by names, where the decorator says that they are compiled: it is
    /// what it holds now.
    fn classify_table(&self, value: &Bound<'py, PyAny>) -> Option<Type> {
        let types = &self.backend.session().types;
        let function = |value: &Bound<'py, PyAny>| match self.classify_callable(value)? {
            GlobalValue::Dispatcher(handle) => Some(types.intern(TypeData::Dispatcher(handle))),
            _ => None,
        };
        if !self.backend.compiles_callees_of(self.function) {
            return None;
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            let functions: Option<Vec<Type>> = list.iter().map(|item| function(&item)).collect();
            let tuple = types.tuple(&functions.filter(|functions| !functions.is_empty())?);
            return Some(types.intern(TypeData::FixedList(tuple)));
        }
        let dict = value.cast_exact::<PyDict>().ok()?;
        let names: Option<Vec<String>> = dict.keys().iter().map(|key| key.extract().ok()).collect();
        let functions: Option<Vec<Type>> = dict.values().iter().map(|item| function(&item)).collect();
        let (names, types_of_functions) = (names?, functions?);
        let data = TypeData::StaticDict { names: names.into(), types: types_of_functions.into() };
        Some(types.intern(data)).filter(|_| !dict.is_empty())
    }

    /// A list of constants, which compiled code may not change: as a global array, it is taken to be constant.
    fn classify_list(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        let list = value.cast_exact::<PyList>().ok()?;
        if !(1..=LONGEST_LIST).contains(&list.len()) {
            return None;
        }
        let items: Option<Vec<GlobalValue>> = list.iter().map(|item| self.classify_constant(&item)).collect();
        items.filter(|items| items.iter().all(is_plain)).map(GlobalValue::List)
    }

    /// A class written in Python, whose attributes are constants; a generic class, whose items are classes; an object of one if it is a frozen dataclass, or where the decorator says that
    /// plain functions are compiled: then its methods are.
    fn classify_object(&self, value: &Bound<'py, PyAny>) -> Option<Type> {
        const WRITTEN_IN_PYTHON: usize = 1 << 9;
        let class = value.cast::<PyType>().cloned().unwrap_or_else(|_| value.get_type());
        let flags: usize = class.getattr(intern!(value.py(), "__flags__")).ok()?.extract().ok()?;
        let name = class.qualname().ok()?;
        let is_class = value.is_instance_of::<PyType>();
        let name = if is_class { format!("class {name}") } else { format!("object of {name}") };
        let is_generic = class.hasattr(intern!(value.py(), "is_generic_class")).unwrap_or(false);
        let is_reached = flags & WRITTEN_IN_PYTHON != 0
            && (is_class
                || is_generic
                || is_frozen_dataclass(&class)
                || self.backend.compiles_callees_of(self.function));
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
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Some(GlobalValue::Bytes(bytes.as_bytes().into()));
        }
        if numpy_scalar::is_item(value)
            && let Ok(text) = value.cast::<PyString>()
        {
            return text.to_str().ok().map(|text| GlobalValue::Str(text.into()));
        }
        if let Some(ty) = scalar_type(&value.get_type()) {
            let number = self.classify_constant(&value.call_method0(intern!(value.py(), "item")).ok()?)?;
            return Some(if ty == Type::BOOL { number } else { GlobalValue::Scalar(ty, number.into()) });
        }
        if value.is(value.py().Ellipsis()) {
            return Some(GlobalValue::Opaque(Type::ELLIPSIS));
        }
        if let Ok(slice) = value.cast::<PySlice>() {
            return slices::literal_type(&self.backend.session().types, slice).ok()?.map(GlobalValue::Opaque);
        }
        let items = value.cast::<PyTuple>().ok()?.iter().map(|item| self.classify(&item)).collect();
        if value.is_exact_instance_of::<PyTuple>() {
            return Some(GlobalValue::Tuple(items));
        }
        let class = value.get_type();
        match self.classify_named_tuple(&class, &class.name().ok()?.to_string())? {
            GlobalValue::NamedTupleClass(name, fields, class) => {
                Some(GlobalValue::NamedTuple(name, fields, class, items))
            }
            _ => None,
        }
    }

    /// The name of a function of SciPy in the package that shows it, if Rumba's library has it: the function itself is of a
    /// private module of that package.
    fn public_function_of_scipy(&self, module: &str, name: &str) -> Option<String> {
        let (package, private) = module.strip_prefix("scipy.")?.split_once('.')?;
        let public = private.starts_with('_').then(|| format!("scipy.{package}.{name}"))?;
        self.backend.library().module_of(&public).map(|_| public)
    }

    fn classify_callable(&self, value: &Bound<'py, PyAny>) -> Option<GlobalValue> {
        if dtypes::is_dtype(value) {
            let types = &self.backend.session().types;
            return dtypes::item_type(types, value).ok().map(GlobalValue::Class);
        }
        if let Some(handle) = self.backend.handle_of(value) {
            // A function of another target is compiled by itself, and called where it is.
            return match target_scope::is_elsewhere(value) {
                true => overload_registry::name_of(value).map(|name| GlobalValue::Function(name.into())),
                false => Some(GlobalValue::Dispatcher(handle)),
            };
        }
        if let Ok(module) = value.cast::<PyModule>() {
            return module.name().ok().map(|name| GlobalValue::Module(name.to_string().into()));
        }
        let py = value.py();
        if typeof_value::is_type(value) {
            return self.backend.type_from_python(value).ok().map(GlobalValue::Class);
        }
        if let Some(instance) = compiled_classes::instance_type(value) {
            return self.backend.type_from_python(&instance).ok().map(GlobalValue::Class);
        }
        if let Some(class_of_types) = overload_host::class_of_types(value) {
            return self.backend.type_from_python(&class_of_types).ok().map(GlobalValue::Opaque);
        }
        if let Ok(compiled) = value.getattr(intern!(py, "_rumba_jitable")) {
            return self.backend.handle_of(&compiled).map(GlobalValue::Dispatcher);
        }
        if let Ok(called) = value.getattr(intern!(py, "_rumba_python")) {
            return self.classify_python_function(&called);
        }
        if let Ok(why) = value.getattr(intern!(py, "_rumba_missing")) {
            return why.extract().ok().map(GlobalValue::Missing);
        }
        if let Some(name) = library_host::function_name(self.backend, value) {
            return Some(GlobalValue::Function(name));
        }
        if let Some(handle) = self.compiled_callee(value) {
            return Some(GlobalValue::Dispatcher(handle));
        }
        let name: String = value.getattr(intern!(py, "__name__")).ok()?.extract().ok()?;
        if let Ok(class) = value.cast::<PyType>() {
            let known = classify_class(class).or_else(|| self.classify_exception(class));
            return known
                .or_else(|| self.classify_named_tuple(class, &name))
                .or_else(|| compiled_classes::classify_plain(self.backend, class));
        }
        let kind = value.get_type().name().ok()?.to_string();
        let module: Option<String> =
            value.getattr(intern!(py, "__module__")).ok().and_then(|module| module.extract().ok());
        match (kind.as_str(), module.as_deref()) {
            ("ufunc", _) if is_of_numpy(value, &name) => {
                Some(GlobalValue::Function(format!("numpy.{name}").into()))
            }
            ("ufunc", _) => classify_foreign_ufunc(value),
            // Statements ask for `operator.setitem` where nothing else knows them, and calls of it are statements.
            ("builtin_function_or_method", Some("_operator")) if matches!(&*name, "setitem" | "delitem") => {
                Some(GlobalValue::Function(format!("rumba.{name}").into()))
            }
            ("builtin_function_or_method", Some("_operator")) => {
                Some(GlobalValue::Function(format!("operator.{name}").into()))
            }
            ("builtin_function_or_method", _) if function_value::is_of_cffi(value) => None,
            ("builtin_function_or_method", Some(module)) => {
                Some(GlobalValue::Function(format!("{module}.{name}").into()))
            }
            ("_ArrayFunctionDispatcher" | "function", Some(module @ ("numpy" | "numpy.linalg"))) => {
                Some(GlobalValue::Function(format!("{module}.{name}").into()))
            }
            // Transforms can be overridden by backends of `uarray`, and have a class of their own.
            ("_Function" | "function", Some(module))
                if let Some(public) = self.public_function_of_scipy(module, &name) =>
            {
                Some(GlobalValue::Function(public.into()))
            }
            ("function", Some("rumba.typed.dicts")) if name == "new_dict" => {
                Some(GlobalValue::Function("rumba.typed.Dict.empty".into()))
            }
            ("function", Some("rumba.typed.lists")) if name == "new_list" => {
                Some(GlobalValue::Function("rumba.typed.List.empty_list".into()))
            }
            ("function", Some("rumba.typed.sets")) if name == "new_set" => {
                Some(GlobalValue::Function("rumba.typed.Set.empty".into()))
            }
            ("function", Some("rumba.intrinsics")) => {
                Some(GlobalValue::Function(format!("rumba.{name}").into()))
            }
            ("function", Some("rumba.parallel.thread_pool")) if name == "parallel_chunksize" => {
                Some(GlobalValue::Function("rumba.parallel_chunksize".into()))
            }
            ("function", Some("rumba.atomic")) => {
                Some(GlobalValue::Function(format!("rumba.atomic.{name}").into()))
            }
            ("function", Some("typing")) if name == "reveal_type" => {
                Some(GlobalValue::Function("typing.reveal_type".into()))
            }
            _ => None,
        }
    }
}

/// Number types, `range` and the like, exceptions.
pub(crate) fn classify_class(class: &Bound<'_, PyType>) -> Option<GlobalValue> {
    let name = class.name().ok()?.to_string();
    let name = name.as_str();
    let module: String = class.module().ok()?.to_string();
    let number = match (module.as_str(), name) {
        ("numpy", "int64" | "longlong") => Type::INT64,
        ("numpy", "float64") => Type::FLOAT64,
        ("numpy", "bool" | "bool_") => Type::BOOL,
        ("numpy", "complex128") => Type::COMPLEX128,
        ("numpy", "int8") => Type::INT8,
        ("numpy", "int16") => Type::INT16,
        ("numpy", "int32") => Type::INT32,
        ("numpy", "uint8") => Type::UINT8,
        ("numpy", "uint16") => Type::UINT16,
        ("numpy", "uint32") => Type::UINT32,
        ("numpy", "uint64" | "ulonglong") => Type::UINT64,
        ("numpy", "float16") => Type::FLOAT16,
        ("numpy", "float32") => Type::FLOAT32,
        ("numpy", "complex64") => Type::COMPLEX64,
        ("contextlib", "suppress" | "nullcontext") => {
            return Some(GlobalValue::Function(format!("contextlib.{name}").into()));
        }
        ("numpy", "datetime64" | "timedelta64") => {
            return Some(GlobalValue::Function(format!("numpy.{name}").into()));
        }
        // Of these there are no values of their own: `isinstance` asks for them.
        (
            "numpy",
            "ndarray" | "generic" | "number" | "integer" | "signedinteger" | "unsignedinteger" | "inexact"
            | "floating" | "complexfloating",
        ) => return Some(GlobalValue::Function(format!("numpy.{name}").into())),
        ("numbers", _) => return Some(GlobalValue::Function(format!("numbers.{name}").into())),
        ("collections.abc", _) => {
            return Some(GlobalValue::Function(format!("collections.abc.{name}").into()));
        }
        ("numpy", "ndindex" | "ndenumerate" | "nditer" | "dtype" | "iinfo" | "finfo") => {
            return Some(GlobalValue::Function(format!("numpy.{name}").into()));
        }
        ("rumba.intrinsics", "prange") => return Some(GlobalValue::Function("rumba.prange".into())),
        ("rumba.typed.dicts", "Dict") | ("rumba.typed.lists", "List") | ("rumba.typed.sets", "Set") => {
            return Some(GlobalValue::Function(format!("rumba.typed.{name}").into()));
        }
        ("numpy.exceptions", "AxisError") => {
            return Some(GlobalValue::ExceptionClass(abi::ExceptionClass::AxisError as u32));
        }
        ("numpy.polynomial.polynomial", "Polynomial") => {
            return Some(GlobalValue::Function(format!("{module}.{name}").into()));
        }
        ("numpy.linalg", "LinAlgError") => {
            return Some(GlobalValue::ExceptionClass(abi::ExceptionClass::LinAlgError as u32));
        }
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
pub(crate) fn parameters(host: &HostCx<'_, '_>, function: &Bound<'_, PyAny>) -> PyResult<Parameters> {
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
        for (value, slot) in values.iter().rev().zip(defaults[..positional].iter_mut().rev()) {
            *slot = Some(host.classify(&value));
        }
    }
    if let Ok(values) = function.getattr(intern!(py, "__kwdefaults__"))?.cast_into::<PyDict>() {
        for (index, slot) in defaults.iter_mut().enumerate().skip(positional) {
            *slot = values.get_item(&all[index])?.map(|value| host.classify(&value));
        }
    }
    Ok(Parameters {
        names: all.into_iter().take(total + usize::from(varargs) + usize::from(varkeywords)).collect(),
        positional_only: count("co_posonlyargcount")?,
        positional,
        varargs,
        varkeywords,
        defaults,
        is_generator: flags & bytecode::flags::GENERATOR != 0,
        signatures: None,
    })
}

/// The dotted name under which the compiler knows a function, an operator or a class.
pub(crate) fn known_name(backend: &Arc<Backend>, value: &Bound<'_, PyAny>) -> Option<String> {
    let chain = CompilationCx::default();
    let host = HostCx { backend, function: value, chain: &chain };
    match host.classify_callable(value)? {
        GlobalValue::Function(name) => Some(name.to_string()),
        GlobalValue::Class(ty) => Some(format!("class.{}", backend.session().types.name(ty))),
        _ => None,
    }
}

/// The number of a class of exceptions as types have it.
pub(crate) fn exception_number(backend: &Backend, class: &Bound<'_, PyType>) -> Option<u32> {
    match classify_class(class) {
        Some(GlobalValue::ExceptionClass(number)) => Some(number),
        Some(_) => None,
        None => Some(types::USER_EXCEPTION | backend.handle_of_class(class).0),
    }
}

/// Whether a ufunc is the one that NumPy has under that name.
fn is_of_numpy(ufunc: &Bound<'_, PyAny>, name: &str) -> bool {
    let known = PyModule::import(ufunc.py(), "numpy").and_then(|numpy| numpy.getattr(name));
    known.is_ok_and(|known| known.is(ufunc))
}

/// A ufunc of another package, whose loops compiled code calls; or why it cannot.
fn classify_foreign_ufunc(ufunc: &Bound<'_, PyAny>) -> Option<GlobalValue> {
    let teach = || PyModule::import(ufunc.py(), "rumba.ufuncs.foreign")?.call_method1("teach", (ufunc,));
    let why: Option<String> = teach().ok()?.extract().ok()?;
    match why {
        Some(why) => Some(GlobalValue::Missing(why)),
        None => overload_registry::name_of(ufunc).map(|name| GlobalValue::Function(name.into())),
    }
}

/// Whether the fields of objects of a class never change.
fn is_frozen_dataclass(class: &Bound<'_, PyType>) -> bool {
    let py = class.py();
    let frozen = class
        .getattr(intern!(py, "__dataclass_params__"))
        .and_then(|params| params.getattr(intern!(py, "frozen"))?.is_truthy());
    frozen.unwrap_or(false)
}
