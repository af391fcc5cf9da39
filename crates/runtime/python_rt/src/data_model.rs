//! Queries about types: their Python objects, and the layout of their values in words and in memory.
//!
//! Absent: how values are boxed (`plan`).

use crate::object_registry::ObjectRegistry;
use crate::plan::layout::{Entries, Layout};
use entity::EntityRef;
use pyo3::prelude::*;
use smallvec::SmallVec;
use types::Type;

/// The words of a value that is passed around in registers.
pub struct ValueWords {
    /// How many there are.
    pub count: usize,
    /// Which of them are owners.
    pub owners: SmallVec<[usize; 1]>,
}

/// Knows the types of a table. Methods are called with the GIL.
pub trait DataModel: Send + Sync {
    /// What is known of Python objects.
    fn registries(&self) -> &ObjectRegistry;

    /// The object of `rumba.types` for a type.
    fn type_object<'py>(&self, py: Python<'py>, ty: Type) -> PyResult<Bound<'py, PyAny>>;

    /// The type that compiled code knows by a number.
    fn numbered_type(&self, number: u64) -> Option<Type> {
        Some(Type::new(number as usize))
    }

    /// The words of a value of this type.
    fn words(&self, ty: Type) -> ValueWords;

    /// The layout of a value of this type in a container; nothing if none can hold it.
    fn layout(&self, ty: Type) -> Option<Layout>;

    /// How entries of a dict or set of this type lie in its table.
    fn entries(&self, ty: Type) -> Option<Entries>;
}
