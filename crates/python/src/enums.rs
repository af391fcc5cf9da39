//! Python's enumerations: what their members are in compiled code, and how they come in and go out.
//!
//! Absent: what is done with members (`builtins::enums`).

use crate::plan::{Boxing, Unbox};
use crate::session_state::Backend;
use crate::typeof_value;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use pyo3::{ffi, intern};
use types::{EnumKind, Type, TypeData};

/// The classes of the module `enum`, once they were asked for.
pub(crate) struct EnumClasses(PyOnceLock<[Py<PyType>; 4]>);

/// A class of the module `enum`.
#[derive(Clone, Copy)]
enum EnumClass {
    Enum,
    Type,
    IntEnum,
    Flag,
}

impl EnumClasses {
    pub(crate) fn new() -> EnumClasses {
        EnumClasses(PyOnceLock::new())
    }

    /// Whether a class is derived from one of them.
    fn is_subclass(&self, class: &Bound<'_, PyType>, of: EnumClass) -> PyResult<bool> {
        let py = class.py();
        let known = self.0.get_or_try_init(py, || {
            let module = py.import(intern!(py, "enum"))?;
            let class = |name: &str| -> PyResult<Py<PyType>> {
                Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
            };
            PyResult::Ok([class("Enum")?, class("EnumType")?, class("IntEnum")?, class("Flag")?])
        })?;
        class.is_subclass(known[of as usize].bind(py))
    }
}

/// Whether a value is a member of an enumeration. Its type says so: its attributes may raise.
pub(crate) fn is_member(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    backend.enums.is_subclass(&value.get_type(), EnumClass::Enum)
}

/// The members of an enumeration by their names; nothing for other objects.
pub(crate) fn members<'py>(
    backend: &Backend,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match backend.enums.is_subclass(&value.get_type(), EnumClass::Type)? {
        true => value.getattr(intern!(value.py(), "__members__")).map(Some),
        false => Ok(None),
    }
}

/// The type of a member of an enumeration; nothing for other values.
pub(crate) fn type_of(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if !is_member(backend, value)? {
        return Ok(None);
    }
    let held = typeof_value::type_of(backend, &value.getattr(intern!(value.py(), "_value_"))?)?;
    type_in(backend, &value.get_type(), held).map(Some)
}

/// The type of the members of a class that hold values of a type.
pub(crate) fn type_in(backend: &Backend, class: &Bound<'_, PyType>, value: Type) -> PyResult<Type> {
    let py = class.py();
    let is_subclass = |of: EnumClass| backend.enums.is_subclass(class, of);
    let kind = if is_subclass(EnumClass::IntEnum)? && value.is_int() {
        EnumKind::Integer
    } else if class.getattr("_member_type_")?.is(py.get_type::<PyAny>()) && !is_subclass(EnumClass::Flag)? {
        EnumKind::Plain
    } else {
        EnumKind::Mixed
    };
    let name = class.name()?.to_str()?.into();
    let types = &backend.session().types;
    Ok(types.intern(TypeData::Enum { name, class: backend.handle_of_class(class), value, kind }))
}

/// The step for a member whose value has type `value`, as itself or as a number.
pub(crate) fn unboxing(backend: &Backend, member: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
    let types = &backend.session().types;
    let TypeData::Enum { value, .. } = types.get(from) else { return None };
    let held = match types.get(to) {
        TypeData::Enum { value, .. } if from == to => value,
        _ if types.without_enums(from) == value => to,
        _ => return None,
    };
    let content = member.getattr(intern!(member.py(), "_value_")).ok()?;
    let step = typeof_value::unboxing(backend, &content, value, held)?;
    Some(Unbox::Member(member.get_type().as_ptr() as usize, Box::new(step)))
}

/// Writes the words of a member's value, which the member keeps alive.
///
/// # Safety
/// As of [`Unbox::unbox`].
pub(crate) unsafe fn unbox(step: &Unbox, member: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    Python::attach(|py| {
        // SAFETY: the caller's promise.
        unsafe {
            let member = Bound::from_borrowed_ptr(py, member);
            let value = member.getattr(intern!(py, "_value_"));
            step.unbox(value.map_err(|error| error.restore(py)).ok()?.as_ptr(), out)
        }
    })
}

/// The member of a class (by its address) that has the value in these words: a new reference, or null with an
/// exception set.
///
/// # Safety
/// As of [`Boxing::make`].
pub(crate) unsafe fn make(class: usize, value: &Boxing, words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the compiler keeps the class alive.
    unsafe {
        let value = value.make(words);
        if value.is_null() {
            return value;
        }
        let member = ffi::PyObject_CallOneArg(class as *mut ffi::PyObject, value);
        ffi::Py_DECREF(value);
        member
    }
}
