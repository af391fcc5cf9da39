//! Overloads of libraries: passes inference's queries to `rumba.extending.overload_registry`.
//!
//! Absent: the registry and the choice (`rumba.extending.overload_registry`).

use crate::host::compilation_cx::CompilationCx;
use crate::host::library_host;
use crate::host::overload_registry::registry;
use crate::session::session_state::Backend;
use crate::typing::user_typeof::loaded;
use catalog::{Extended, Extension, ExtensionQuery, NativeCode};
use entity::EntityRef;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{ffi, intern};
use std::sync::Arc;
use types::{ElementKernel, Handle, Type, TypeData};

/// `typeref[C]` of a class C of types: what it is as a value.
pub(crate) fn class_of_types<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = value.py();
    let class = value.cast::<PyType>().ok()?;
    let types = loaded(py, "rumba.types").ok()??;
    let base = types.getattr(intern!(py, "Type")).ok()?;
    let is_type = class.is_subclass(&base).ok()?;
    if is_type { types.call_method1(intern!(py, "TypeRef"), (class,)).ok() } else { None }
}

/// The type that a library gives a value, by a function for its class or by the attribute `_numba_type_`.
pub(crate) fn type_of(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    match typed_by(backend, value, |_| true)? {
        Some(ty) => Ok(Some(ty)),
        None => type_by_attribute(backend, value),
    }
}

/// The type of a library that an object has as its attribute `_numba_type_`, which its class has to know. Rumba's own
/// objects have it, too: they are classified elsewhere.
fn type_by_attribute(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    let (py, class) = (value.py(), value.get_type());
    let name = intern!(py, "_numba_type_");
    let Some([_, told]) = backend.typers.get(py)? else { return Ok(None) };
    if !is_written_in_python(&class) || class.getattr_opt(name)?.is_none() {
        return Ok(None);
    }
    let ty = value.getattr(name)?;
    if !ty.hasattr(intern!(py, "_code"))? {
        return Ok(None);
    }
    let known = type_of_told(backend, told, &ty)?;
    Ok(matches!(backend.session().types.get(known), TypeData::Foreign { .. }).then_some(known))
}

/// The same where a library knows the value's class itself, or one written in Python that it is derived from: that
/// says more than what the class is derived from in the end.
pub(crate) fn type_of_own_class(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    typed_by(backend, value, is_written_in_python)
}

/// The type for what a library's function gave.
fn type_of_told(backend: &Backend, told: &Bound<'_, PyDict>, ty: &Bound<'_, PyAny>) -> PyResult<Type> {
    if let Ok(code) = ty.getattr(intern!(ty.py(), "_code"))
        && let Some(known) = told.get_item(code)?
    {
        return Ok(Type::new(known.get_item(1)?.extract()?));
    }
    backend.type_from_python(ty)
}

fn typed_by(
    backend: &Backend,
    value: &Bound<'_, PyAny>,
    counts: impl Fn(&Bound<'_, PyType>) -> bool,
) -> PyResult<Option<Type>> {
    let py = value.py();
    let class = value.get_type();
    if !counts(&class) {
        return Ok(None);
    }
    let Some([typers, told]) = backend.typers.get(py)? else { return Ok(None) };
    for class in class.mro() {
        if !counts(class.cast::<PyType>()?) {
            return Ok(None);
        }
        if let Some(typer) = typers.get_item(class)? {
            let ty = typer.call1((value, py.None()))?;
            return if ty.is_none() { Ok(None) } else { type_of_told(backend, told, &ty).map(Some) };
        }
    }
    Ok(None)
}

/// Whether a class is made by a `class` statement, or as if.
fn is_written_in_python(class: &Bound<'_, PyType>) -> bool {
    // SAFETY: a bound class is alive.
    unsafe { ffi::PyType_HasFeature(class.as_type_ptr(), ffi::Py_TPFLAGS_HEAPTYPE) != 0 }
}

/// Kind, type and name, as the registry is asked.
fn subject<'py>(
    backend: &Backend,
    py: Python<'py>,
    what: &Extended,
) -> PyResult<(&'static str, Option<Bound<'py, PyAny>>, String)> {
    let shown = |ty: &Type| backend.type_to_python(py, *ty).map(Some);
    Ok(match what {
        Extended::Function(name) => ("function", None, name.to_string()),
        Extended::Method(of, name) => ("method", shown(of)?, name.to_string()),
        Extended::Attribute(of, name) => ("attribute", shown(of)?, name.to_string()),
    })
}

/// Whether anything is registered under this name.
pub(crate) fn is_extended(
    backend: &Backend,
    py: Python<'_>,
    what: &Extended,
    chain: &CompilationCx,
) -> PyResult<bool> {
    if library_host::module_of(backend, what).is_some() {
        return Ok(true);
    }
    if !chain.making.is_empty() {
        return Ok(false);
    }
    let (Some(registry), Some(seen)) = (registry(py)?, chain.registry(py)?) else { return Ok(false) };
    let (kind, of, name) = subject(backend, py, what)?;
    registry.call_method1(intern!(py, "is_known"), (seen, kind, of, name))?.is_truthy()
}

/// Whether something is registered under this name for just the target that is compiled for, or for a family of targets it is of.
pub(crate) fn is_targeted(
    backend: &Backend,
    py: Python<'_>,
    what: &Extended,
    chain: &CompilationCx,
) -> PyResult<bool> {
    let (Some(registry), Some(seen)) = (registry(py)?, chain.registry(py)?) else { return Ok(false) };
    let (kind, of, name) = subject(backend, py, what)?;
    registry.call_method1(intern!(py, "is_targeted"), (seen, kind, of, name))?.is_truthy()
}

/// What users' libraries state of a function or a method, one text for each that implements it; an empty one of those that
/// state nothing.
pub(crate) fn stated(
    backend: &Backend,
    py: Python<'_>,
    what: &Extended,
    chain: &CompilationCx,
) -> PyResult<Vec<String>> {
    let (Some(registry), Some(seen)) = (registry(py)?, chain.registry(py)?) else { return Ok(Vec::new()) };
    let (kind, of, name) = subject(backend, py, what)?;
    registry.call_method1(intern!(py, "effects_of"), (seen, kind, of, name))?.extract()
}

/// The implementation for a call.
pub(crate) fn resolve(
    backend: &Backend,
    py: Python<'_>,
    query: &ExtensionQuery,
    chain: &CompilationCx,
) -> PyResult<Extension> {
    let (Some(registry), Some(seen)) = (registry(py)?, chain.registry(py)?) else {
        return Ok(Extension::default());
    };
    let (kind, of, name) = subject(backend, py, &query.what)?;
    let mut args =
        query.args.iter().map(|&ty| backend.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
    // Rumba's own library does not read them.
    let is_users = library_host::module_of(backend, &query.what).is_none();
    for (at, constants) in query.initial_values.iter().filter(|_| is_users) {
        let constants =
            constants.iter().map(|&ty| backend.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
        args[*at] = args[*at].call_method1(intern!(py, "with_initial_value"), (constants,))?;
    }
    let (args, names) = (PyTuple::new(py, args)?, PyTuple::new(py, &query.names)?);
    let only_library = !chain.making.is_empty();
    let question = (seen, kind, of, name, args, names, query.skip, only_library, query.prefer_literal);
    let answer = registry.call_method1(intern!(py, "resolve"), question)?;
    let (found, wants_literals, rejected, unknown): (Bound<'_, PyAny>, bool, Vec<String>, Vec<usize>) =
        answer.extract()?;
    let function = backend.handle_of(&found).map(|handle| (handle, wants_literals));
    if let Some((handle, _)) = function {
        state_elementwise(backend, &found, handle)?;
    }
    let native = if function.is_none() && !found.is_none() { Some(native(backend, &found)?) } else { None };
    Ok(Extension { function, native, rejected, unknown })
}

/// Tells the compiler what an implementation calls for each element of its arrays, if it states that.
fn state_elementwise(backend: &Backend, found: &Bound<'_, PyAny>, handle: Handle) -> PyResult<()> {
    let Some(stated) = found.getattr_opt(intern!(found.py(), "_element_kernel"))? else { return Ok(()) };
    let (kernel, params, result): (Bound<'_, PyAny>, Vec<Bound<'_, PyAny>>, Bound<'_, PyAny>) =
        stated.extract()?;
    let params = params.iter().map(|ty| backend.type_from_python(ty)).collect::<PyResult<_>>()?;
    let result = backend.type_from_python(&result)?;
    if let Some(function) = backend.handle_of(&kernel) {
        backend.session().types.state_elementwise(handle, ElementKernel { function, params, result });
    }
    Ok(())
}

/// Machine code of a library.
fn native(backend: &Backend, code: &Bound<'_, PyAny>) -> PyResult<NativeCode> {
    let text = |name: &str| -> PyResult<Arc<str>> { Ok(code.getattr(name)?.extract::<String>()?.into()) };
    let types = code.getattr("params")?.try_iter()?;
    Ok(NativeCode {
        symbol: text("symbol")?,
        params: types.map(|ty| backend.type_from_python(&ty?)).collect::<PyResult<_>>()?,
        result: backend.type_from_python(&code.getattr("result")?)?,
        text: Some(text("text")?),
        can_fail: code.getattr("can_fail")?.extract()?,
        order: code.getattr("order")?.extract()?,
    })
}
