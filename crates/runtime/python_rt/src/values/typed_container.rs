//! Containers of compiled code as Python objects: the basis of `rumba.typed.Dict`, `List` and `Set`.
//!
//! An object holds the memory of the container; nothing is copied when it is passed to compiled code or comes back.

use crate::data_model::DataModel;
use crate::object_registry::ObjectRegistry;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::sync::OnceLock;
use types::{SetKind, Type, TypeData};

/// The base of both classes. One that is made without a type gets one when something is put in.
#[pyclass(frozen, subclass, module = "rumba._rumba")]
pub struct Container {
    held: OnceLock<ContainerRef>,
}

/// What a container holds on to.
struct ContainerRef {
    word: u64,
    ty: Type,
}

impl Drop for ContainerRef {
    fn drop(&mut self) {
        rt::decref(self.word);
    }
}

#[pymethods]
impl Container {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Container {
        Container { held: OnceLock::new() }
    }

    /// Whether its types are known.
    #[getter]
    fn _typed(&self) -> bool {
        self.held.get().is_some()
    }

    /// Becomes the same container as another object, if it has no type yet.
    fn _adopt(&self, other: &Bound<'_, Container>) -> bool {
        let Some(held) = other.get().held.get() else { return false };
        rt::incref(held.word);
        self.hold(held.word, held.ty)
    }

    /// The address of the container.
    fn _address(&self) -> u64 {
        self.held.get().map_or(0, |held| held.word)
    }
}

impl Container {
    /// Takes over a count of a container's block.
    fn hold(&self, word: u64, ty: Type) -> bool {
        self.held.set(ContainerRef { word, ty }).is_ok()
    }

    /// Its type; TypeError while it has none.
    pub fn ty(&self) -> PyResult<Type> {
        let none = || {
            PyTypeError::new_err(
                "the types of an empty typed container are not known before something is put in",
            )
        };
        self.held.get().map(|held| held.ty).ok_or_else(none)
    }
}

/// The word of an object, if it is a container of this type.
pub fn word_of(object: &Bound<'_, PyAny>, ty: Type) -> Option<u64> {
    let held = object.cast::<Container>().ok()?.get().held.get()?;
    (held.ty == ty).then_some(held.word)
}

/// The type of a value, if it is a container.
pub fn type_of(value: &Bound<'_, PyAny>) -> Option<PyResult<Type>> {
    value.cast::<Container>().ok().map(|container| container.get().ty())
}

/// Which class's objects containers of a type are.
pub fn class_of(known: &ObjectRegistry, ty: Type) -> Option<&'static str> {
    match known.types.get(ty) {
        TypeData::List { typed: true, .. } => Some("List"),
        TypeData::Set { kind: SetKind::Typed, .. } => Some("Set"),
        TypeData::Dict { missing: Type::NONE, .. } => Some("Dict"),
        _ => None,
    }
}

/// A new object that holds a container, whose count it takes over; null with an exception set if there is none.
///
/// # Safety
/// The thread is attached to Python; the word is that of a container of this type.
pub unsafe fn make(class: &'static str, word: u64, ty: Type) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let py = unsafe { Python::assume_attached() };
    match new_object(py, class, word, ty) {
        Ok(object) => object.into_ptr(),
        Err(error) => {
            rt::decref(word);
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

/// An empty container of a type with a given capacity, as an object of a class that is derived from [`Container`].
pub fn empty<'py>(
    cx: &dyn DataModel,
    class: &Bound<'py, PyType>,
    ty: Type,
    room: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let types = &cx.registries().types;
    let refused = || PyTypeError::new_err(format!("a container of type {} cannot be made", types.name(ty)));
    let word = match types.get(ty) {
        _ if types.is_open(ty) => return Err(refused()),
        TypeData::List { item, .. } => {
            let (size, owners) = cx.layout(item).ok_or_else(refused)?.in_memory();
            rt::list::rumba_list_new(size, owners, room)
        }
        TypeData::Dict { .. } | TypeData::Set { .. } => {
            let entries = cx.entries(ty).ok_or_else(refused)?;
            rt::hash_table::rumba_table_new(entries.size, entries.owners, room)
        }
        _ => return Err(refused()),
    };
    if word == 0 {
        return Err(PyMemoryError::new_err("no memory for a container"));
    }
    held_by(class, word, ty).inspect_err(|_| rt::decref(word))
}

fn held_by<'py>(class: &Bound<'py, PyType>, word: u64, ty: Type) -> PyResult<Bound<'py, PyAny>> {
    let object = class.call_method1(intern!(class.py(), "__new__"), (class,))?;
    object.cast::<Container>()?.get().hold(word, ty);
    Ok(object)
}

fn new_object<'py>(py: Python<'py>, class: &str, word: u64, ty: Type) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import(intern!(py, "rumba.typed"))?.getattr(class)?;
    held_by(class.cast::<PyType>()?, word, ty)
}
