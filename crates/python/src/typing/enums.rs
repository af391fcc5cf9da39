//! Python enums: their members in compiled code, and their classes.
//!
//! Absent: how they come in and go out (`plan`), what is done with members (`builtins::enums`).

use crate::session::registries::Registries;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
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
        let classes = self.0.get_or_try_init(py, || {
            let module = py.import(intern!(py, "enum"))?;
            let class = |name: &str| -> PyResult<Py<PyType>> {
                Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
            };
            PyResult::Ok([class("Enum")?, class("EnumType")?, class("IntEnum")?, class("Flag")?])
        })?;
        class.is_subclass(classes[of as usize].bind(py))
    }
}

/// Whether a value is a member of an enumeration. Its type says so: its attributes may raise.
pub(crate) fn is_member(known: &Registries, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    known.enums.is_subclass(&value.get_type(), EnumClass::Enum)
}

/// The members of an enumeration by their names; nothing for other objects.
pub(crate) fn members<'py>(
    known: &Registries,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match known.enums.is_subclass(&value.get_type(), EnumClass::Type)? {
        true => value.getattr(intern!(value.py(), "__members__")).map(Some),
        false => Ok(None),
    }
}

/// The type of the members of a class that hold values of a type.
pub(crate) fn type_in(known: &Registries, class: &Bound<'_, PyType>, value: Type) -> PyResult<Type> {
    let py = class.py();
    let is_subclass = |of: EnumClass| known.enums.is_subclass(class, of);
    let kind = if is_subclass(EnumClass::IntEnum)? && value.is_int() {
        EnumKind::Integer
    } else if class.getattr("_member_type_")?.is(py.get_type::<PyAny>()) && !is_subclass(EnumClass::Flag)? {
        EnumKind::Plain
    } else {
        EnumKind::Mixed
    };
    let name = class.name()?.to_str()?.into();
    let types = &known.session().types;
    Ok(types.intern(TypeData::Enum { name, class: known.handle_of_class(class), value, kind }))
}
