//! Types in a module: plans from type names, and the types of the values that its functions accept.

use crate::layouts;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use python_rt::data_model::{DataModel, ValueWords};
use python_rt::entry::Fingerprint;
use python_rt::object_registry::ObjectRegistry;
use python_rt::plan::layout::{Entries, Layout};
use python_rt::plan::{self, Boxing, BoxingCx, Unbox, value_types};
use python_rt::values::extension_types::{ForeignBoxing, Way};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use types::{Type, TypeTable};

/// The types of a module.
pub(crate) struct Context {
    registry: ObjectRegistry,
    /// Types of values that fingerprints number, each with the classes of the value and of what is in it.
    numbers: Mutex<Vec<(Type, Box<[usize]>)>>,
    /// What machine code knows by a number.
    numbered: Vec<(u64, Type)>,
    own: Weak<Context>,
}

impl Context {
    /// A context with the types that machine code knows by a number; nothing if a name is none of a type.
    pub fn new(named: &[(u32, String)]) -> Option<Arc<Context>> {
        let types: Arc<TypeTable> = Arc::default();
        let read = |(number, name): &(u32, String)| Some((u64::from(*number), types.parse(name)?));
        let numbered = named.iter().map(read).collect::<Option<Vec<_>>>()?;
        Some(Arc::new_cyclic(|own: &Weak<Context>| Context {
            registry: ObjectRegistry::new(types),
            numbers: Mutex::default(),
            numbered,
            own: own.clone(),
        }))
    }

    /// The table of types.
    pub fn types(&self) -> &TypeTable {
        &self.registry.types
    }

    /// The key of a value whose type is not known by heart.
    pub fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        let entry = (value_types::type_of(self, value)?, value_types::classes(value).into_boxed_slice());
        let mut known = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|other| *other == entry).unwrap_or_else(|| {
            known.push(entry);
            known.len() - 1
        });
        Ok(Fingerprint::interned(number as u32))
    }

    /// The type that a key stands for.
    pub fn type_of(&self, fingerprint: Fingerprint) -> Type {
        match fingerprint {
            Fingerprint::INT64 => Type::INT64,
            Fingerprint::UINT64 => Type::UINT64,
            Fingerprint::FLOAT64 => Type::FLOAT64,
            Fingerprint::BOOL => Type::BOOL,
            Fingerprint::COMPLEX128 => Type::COMPLEX128,
            Fingerprint::NONE => Type::NONE,
            Fingerprint::STR => Type::STR,
            other => {
                let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
                let number = other.interned_number().unwrap_or_default() as usize;
                numbers.get(number).map_or(Type::NONE, |(ty, _)| *ty)
            }
        }
    }
}

impl DataModel for Context {
    fn registries(&self) -> &ObjectRegistry {
        &self.registry
    }

    fn type_object<'py>(&self, _: Python<'py>, ty: Type) -> PyResult<Bound<'py, PyAny>> {
        Err(PyTypeError::new_err(format!("{} has no object here", self.types().name(ty))))
    }

    fn numbered_type(&self, number: u64) -> Option<Type> {
        match self.numbered.iter().find(|(known, _)| *known == number) {
            Some(&(_, ty)) => Some(ty),
            None => Type::fixed(number as usize),
        }
    }

    fn words(&self, ty: Type) -> ValueWords {
        layouts::words(self.types(), ty)
    }

    fn layout(&self, ty: Type) -> Option<Layout> {
        layouts::layout(self.types(), ty)
    }

    fn entries(&self, ty: Type) -> Option<Entries> {
        layouts::entries(self.types(), ty)
    }
}

impl BoxingCx for Context {
    fn shared_cx(&self) -> Arc<dyn BoxingCx> {
        self.own.upgrade().expect("a method runs on a context that is alive")
    }

    fn value_type(&self, value: &Bound<'_, PyAny>) -> PyResult<Type> {
        value_types::type_of(self, value)
    }

    fn unboxing(&self, value: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
        plan::unboxing(self, value, from, to)
    }

    fn boxing(&self, ty: Type) -> Option<Boxing> {
        plan::boxing(self, ty)
    }

    fn function_addresses(&self, _: &Bound<'_, PyAny>, ty: Type) -> PyResult<[usize; 3]> {
        Err(PyTypeError::new_err(format!("{} is not taken by a module", self.types().name(ty))))
    }

    fn foreign_boxing(&self, _: Python<'_>, ty: Type, _: Way) -> PyResult<Arc<ForeignBoxing>> {
        Err(PyTypeError::new_err(format!("{} is not taken by a module", self.types().name(ty))))
    }
}
