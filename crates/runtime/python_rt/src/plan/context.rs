//! What boxing and unboxing ask of those who know types: the type of a value, and how values of a type cross the border.
//!
//! Items of containers have types that only the values tell, so plans ask while they run.

use super::{Boxing, Unbox};
use crate::data_model::DataModel;
use crate::values::extension_types::{ForeignBoxing, Way};
use pyo3::prelude::*;
use std::sync::Arc;
use types::Type;

/// Makes plans. Methods are called with the GIL.
pub trait BoxingCx: DataModel {
    /// Itself, for steps to hold.
    fn shared_cx(&self) -> Arc<dyn BoxingCx>;

    /// The type of a value as an argument; TypeError if it has none.
    fn value_type(&self, value: &Bound<'_, PyAny>) -> PyResult<Type>;

    /// How a value of type `from` becomes the words of a parameter of type `to`.
    fn unboxing(&self, value: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox>;

    /// How the words of a result become a Python value.
    fn boxing(&self, ty: Type) -> Option<Boxing>;

    /// The addresses of a function value: for compiled code, for C, of the Python object.
    fn function_addresses(&self, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<[usize; 3]>;

    /// The code that takes in or hands out values of a library's type.
    fn foreign_boxing(&self, py: Python<'_>, ty: Type, way: Way) -> PyResult<Arc<ForeignBoxing>>;
}
