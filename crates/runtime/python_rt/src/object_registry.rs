//! Python objects that types refer to by number, and objects that boxing creates once per type.
//!
//! Absent: which functions and classes are compiled (`registries` of the crate `python`).

use pyo3::prelude::*;
use pyo3::types::PyType;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use types::{Handle, Type, TypeTable};

/// Tables of Python objects beside a table of types.
pub struct ObjectRegistry {
    /// The types whose numbers the tables are by.
    pub types: Arc<TypeTable>,
    /// Types that only Python knows, and objects without a value in compiled code, by a handle.
    opaque: Mutex<Vec<Py<PyAny>>>,
    /// Classes that are known by a handle.
    classes: Mutex<Vec<Py<PyType>>>,
    /// The dtypes of types that went to Python: for arrays, and for scalars. They stay alive.
    pub dtypes: Mutex<HashMap<(Type, bool), Py<PyAny>>>,
}

impl ObjectRegistry {
    /// Tables that hold nothing yet.
    pub fn new(types: Arc<TypeTable>) -> ObjectRegistry {
        ObjectRegistry {
            types,
            opaque: Mutex::default(),
            classes: Mutex::default(),
            dtypes: Mutex::default(),
        }
    }

    /// The handle of a class: of named tuples, of exceptions. The class stays alive.
    pub fn handle_of_class(&self, class: &Bound<'_, PyType>) -> Handle {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = classes.iter().position(|known| known.is(class));
        Handle(known.unwrap_or_else(|| {
            classes.push(class.clone().unbind());
            classes.len() - 1
        }) as u32)
    }

    /// The type of what has no content: `object` is the type that Python knows, which stays alive.
    pub fn opaque_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.types.intern(types::TypeData::Opaque { name: name.into(), object })
    }

    /// A type that a library added, held as those of another type are. The object stays alive.
    pub fn foreign_type(&self, object: &Bound<'_, PyAny>, name: &str, held: Type) -> Type {
        let object = self.opaque_handle(object);
        self.types.intern(types::TypeData::Foreign { name: name.into(), object, held })
    }

    /// A number for any Python object, which stays alive.
    pub fn opaque_handle(&self, object: &Bound<'_, PyAny>) -> Handle {
        let mut known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|known| known.is(object)).unwrap_or_else(|| {
            known.push(object.clone().unbind());
            known.len() - 1
        });
        Handle(number as u32)
    }

    /// The type of a Python object that has no value in compiled code. The object stays alive.
    pub fn object_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.types.intern(types::TypeData::Object { name: name.into(), object })
    }

    /// The type that Python knows, by its handle.
    pub fn opaque_object(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(handle.0 as usize).map(|object| object.clone_ref(py))
    }

    /// A class by its handle.
    pub fn class(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.clone_ref(py).into_any())
    }

    /// The address of a class by its handle.
    pub fn class_address(&self, handle: Handle) -> Option<usize> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.as_ptr() as usize)
    }
}
