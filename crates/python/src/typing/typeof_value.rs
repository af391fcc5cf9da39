//! Types of Python values that require the compiler.

use crate::host::global_values;
use crate::host::overload_host;
use crate::session::function_value;
use crate::session::session_state::Backend;
use crate::typing::compiled_classes;
use crate::typing::enums;
use abi::ExceptionClass;
use catalog::GlobalValue;
use pyo3::exceptions::PyBaseException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use python_rt::plan::value_types::{type_of, type_within};
use python_rt::raising::exception_record;
use python_rt::values::dtypes;
use std::sync::Arc;
use types::{Type, TypeData};

/// The type of a value that is no number, text, container or array.
pub(crate) fn type_of_other(
    backend: &Backend,
    value: &Bound<'_, PyAny>,
    depth: usize,
) -> PyResult<Option<Type>> {
    if let Some(named) = named_type(backend, value) {
        return Ok(Some(backend.session().types.intern(named)));
    }
    if let Some(ty) = type_of_exception(backend, value, depth) {
        return Ok(Some(ty));
    }
    if let Some(ty) = function_value::type_of(backend, value)? {
        return Ok(Some(ty));
    }
    match overload_host::type_of(backend, value)? {
        Some(ty) => Ok(Some(ty)),
        None => compiled_classes::type_of_plain(backend, value),
    }
}

/// An exception: its class, and what it is made of as far as compiled code knows such values. Where a constructor makes something
/// else of its arguments, what `args` holds stands for an exception of any class.
fn type_of_exception(backend: &Backend, value: &Bound<'_, PyAny>, depth: usize) -> Option<Type> {
    value.cast::<PyBaseException>().ok()?;
    let types = &backend.session().types;
    let part = |item: Bound<'_, PyAny>| type_within(backend, &item, depth + 1).ok();
    let arguments = value.getattr(intern!(value.py(), "args")).ok();
    let args: Option<Vec<Type>> = arguments.and_then(|arguments| {
        arguments.cast::<PyTuple>().ok()?.iter().map(|item| Some(types.unliteral(part(item)?))).collect()
    });
    let instance = args.map(|args| {
        let number = global_values::exception_number(backend, &value.get_type());
        let class = number.filter(|_| is_made_of_its_arguments(&value.get_type(), args.len()));
        let class = class.unwrap_or(ExceptionClass::BaseException as u32);
        types.intern(TypeData::Exception { class, args: args.into(), names: Arc::default() })
    });
    Some(types.caught(instance.as_slice()))
}

/// Whether an exception of a class with this many `args` was created from these.
fn is_made_of_its_arguments(class: &Bound<'_, PyType>, count: usize) -> bool {
    if !exception_record::runs_code(class) {
        return true;
    }
    let asked = PyModule::import(class.py(), "rumba.classes.exception_classes").and_then(|module| {
        let part = module.call_method1("attribute", (class, "args", count, Vec::<String>::new()))?;
        part.extract::<Vec<usize>>()
    });
    asked.is_ok_and(|parts| parts.into_iter().eq(0..count))
}

/// Whether a value is an object that describes a type, such as `types.float64`.
pub(crate) fn is_type(value: &Bound<'_, PyAny>) -> bool {
    !value.is_instance_of::<PyType>()
        && value.getattr(intern!(value.py(), "_parts")).is_ok_and(|parts| parts.is_callable())
}

/// What a dtype, or a class of numbers, is in compiled code: `np.zeros(n, dtype)` may get one as an argument.
fn named_type(backend: &Backend, value: &Bound<'_, PyAny>) -> Option<TypeData> {
    if dtypes::is_dtype(value) {
        return dtypes::item_type(&backend.session().types, value).ok().map(TypeData::Class);
    }
    if is_type(value) {
        return backend.type_from_python(value).ok().map(TypeData::Class);
    }
    if let Some(instance) = compiled_classes::instance_type(value) {
        return backend.type_from_python(&instance).ok().map(TypeData::Class);
    }
    match global_values::classify_class(value.cast::<PyType>().ok()?)? {
        GlobalValue::Class(of) => Some(TypeData::Class(of)),
        GlobalValue::Function(name)
            if matches!(&*name, "builtins.bool" | "builtins.int" | "builtins.float" | "builtins.complex") =>
        {
            Some(TypeData::Function(name))
        }
        _ => None,
    }
}

/// The type of a member of an enumeration; nothing for other values.
pub(crate) fn type_of_member(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if !enums::is_member(backend, value)? {
        return Ok(None);
    }
    let held = type_of(backend, &value.getattr(intern!(value.py(), "_value_"))?)?;
    enums::type_in(backend, &value.get_type(), held).map(Some)
}
