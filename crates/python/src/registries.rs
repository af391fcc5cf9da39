//! What is known of Python's objects: those that types name by a number, and what was made for types once.
//!
//! Absent: how a function is compiled (`compile`), how values cross the border (`plan`).

use crate::enums::EnumClasses;
use crate::user_typeof::UserTypeof;
use pyo3::prelude::*;
use pyo3::types::{PyType, PyWeakrefMethods, PyWeakrefReference};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use types::{Handle, Type};

/// Tables of Python's objects beside the types of a session.
pub struct Registries {
    session: Arc<driver::Session>,
    /// Compiled functions that are known by a handle.
    pub(crate) functions: Mutex<Vec<Py<PyWeakrefReference>>>,
    /// Code of functions made inside of functions, and what stands for it.
    pub(crate) inner: Mutex<Vec<(Py<PyAny>, Py<PyAny>)>>,
    /// Types that only Python knows, and objects without a value in compiled code, by a handle.
    opaque: Mutex<Vec<Py<PyAny>>>,
    /// Classes that are known by a handle.
    classes: Mutex<Vec<Py<PyType>>>,
    /// The dtypes of types that went to Python: for arrays, and for scalars. They stay alive.
    pub(crate) dtypes: Mutex<HashMap<(Type, bool), Py<PyAny>>>,
    /// The Python objects of types that were shown to Python.
    pub(crate) shown: Mutex<HashMap<Type, Py<PyAny>>>,
    /// Types of objects of which Python is being asked what they have.
    pub(crate) being_read: Mutex<Vec<Type>>,
    /// The classes of Python's enumerations.
    pub(crate) enums: EnumClasses,
    /// What libraries say of the types of values.
    pub(crate) typers: UserTypeof,
    /// Types of arguments for which functions were compiled as part of others, until somebody asks for them.
    reached: Mutex<HashMap<Handle, Vec<Vec<Type>>>>,
}

impl Registries {
    /// Notes that a function was compiled as part of another one, for these types of arguments.
    pub(crate) fn note_reached(&self, callees: impl Iterator<Item = (Handle, Vec<Type>)>) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        for (handle, params) in callees {
            let known = reached.entry(handle).or_default();
            if !known.contains(&params) {
                known.push(params);
            }
        }
    }

    /// The types of arguments for which a function was compiled as part of others, since this was asked last.
    pub(crate) fn take_reached(&self, handle: Handle) -> Vec<Vec<Type>> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle).unwrap_or_default()
    }

    /// Tables that hold nothing yet.
    pub(crate) fn new(session: Arc<driver::Session>) -> Registries {
        Registries {
            session,
            functions: Mutex::default(),
            inner: Mutex::default(),
            opaque: Mutex::default(),
            classes: Mutex::default(),
            dtypes: Mutex::default(),
            shown: Mutex::default(),
            being_read: Mutex::default(),
            enums: EnumClasses::new(),
            typers: UserTypeof::new(),
            reached: Mutex::default(),
        }
    }

    /// Rumba's own library.
    pub(crate) fn library(&self) -> &driver::Library {
        self.session.library()
    }

    /// The session of the driver.
    pub fn session(&self) -> &Arc<driver::Session> {
        &self.session
    }

    /// The address of what stands for the code of an inner function. It is kept for good.
    pub(crate) fn template_address(&self, handle: Handle) -> Option<usize> {
        Python::attach(|py| {
            let template = self.function_of(py, handle)?;
            let known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().any(|(_, function)| function.is(&template)).then_some(template.as_ptr() as usize)
        })
    }

    pub(crate) fn function_of<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyAny>> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.get(handle.0 as usize)?.bind(py).upgrade()
    }

    /// The handle of a class: of named tuples, of exceptions. The class stays alive.
    pub(crate) fn handle_of_class(&self, class: &Bound<'_, PyType>) -> Handle {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = classes.iter().position(|known| known.is(class));
        Handle(known.unwrap_or_else(|| {
            classes.push(class.clone().unbind());
            classes.len() - 1
        }) as u32)
    }

    /// The type of what has no content: `object` is the type that Python knows, which stays alive.
    pub(crate) fn opaque_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Opaque { name: name.into(), object })
    }

    /// A type that a library added, held as those of another type are. The object stays alive.
    pub(crate) fn foreign_type(&self, object: &Bound<'_, PyAny>, name: &str, held: Type) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Foreign { name: name.into(), object, held })
    }

    /// A number for any Python object, which stays alive.
    pub(crate) fn opaque_handle(&self, object: &Bound<'_, PyAny>) -> Handle {
        let mut known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|known| known.is(object)).unwrap_or_else(|| {
            known.push(object.clone().unbind());
            known.len() - 1
        });
        Handle(number as u32)
    }

    /// The type of a Python object that has no value in compiled code. The object stays alive.
    pub(crate) fn object_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Object { name: name.into(), object })
    }

    /// The type that Python knows, by its handle.
    pub(crate) fn opaque_object(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(handle.0 as usize).map(|object| object.clone_ref(py))
    }

    /// Begins to ask what the objects of a type have; not while that is being done already, since fields may be of their own
    /// class.
    pub(crate) fn begin_class(&self, ty: Type) -> bool {
        let mut being_read = self.being_read.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = !being_read.contains(&ty);
        if begins {
            being_read.push(ty);
        }
        begins
    }

    /// Ends it.
    pub(crate) fn end_class(&self, ty: Type) {
        let mut being_read = self.being_read.lock().unwrap_or_else(PoisonError::into_inner);
        being_read.retain(|&other| other != ty);
    }

    /// A class by its handle.
    pub(crate) fn class(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.clone_ref(py).into_any())
    }

    /// The address of the weak reference to a compiled function. It is kept for good.
    pub(crate) fn reference_address(&self, handle: Handle) -> Option<usize> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.get(handle.0 as usize).map(|function| function.as_ptr() as usize)
    }

    /// The address of a class by its handle.
    pub(crate) fn class_address(&self, handle: Handle) -> Option<usize> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.as_ptr() as usize)
    }
}
