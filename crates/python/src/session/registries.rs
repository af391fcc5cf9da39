//! Registries of Python functions, classes and types, apart from the objects that types refer to by number.
//!
//! Absent: how a function is compiled (`compile`).

use crate::session::function_table::FunctionTable;
use crate::typing::enums::EnumClasses;
use crate::typing::user_typeof::UserTypeof;
use pyo3::prelude::*;
use python_rt::object_registry::ObjectRegistry;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use types::{Handle, Type};

/// Tables of Python objects beside the types of a session.
pub struct Registries {
    session: Arc<driver::Session>,
    /// Compiled functions that are known by a handle.
    pub(crate) functions: Mutex<FunctionTable>,
    /// Code of functions made inside functions, which is kept for good, and what stands for it, by the code's address.
    pub(crate) inner: Mutex<HashMap<usize, (Py<PyAny>, Py<PyAny>)>>,
    /// Objects and classes that types name by a number.
    objects: ObjectRegistry,
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

impl Deref for Registries {
    type Target = ObjectRegistry;

    fn deref(&self) -> &ObjectRegistry {
        &self.objects
    }
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
            objects: ObjectRegistry::new(session.types.clone()),
            session,
            functions: Mutex::default(),
            inner: Mutex::default(),
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
            known.values().any(|(_, function)| function.is(&template)).then_some(template.as_ptr() as usize)
        })
    }

    pub(crate) fn function_of<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyAny>> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.get(py, handle)
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

    /// The address of the weak reference to a compiled function. It is kept for good.
    pub(crate) fn reference_address(&self, handle: Handle) -> Option<usize> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.reference(handle).map(|reference| reference.as_ptr() as usize)
    }
}
