//! Queries of boxing and unboxing about types: the type of a value, and how values of a type are converted.
//!
//! Items of containers have types that only the values tell, so plans ask while they run.

use super::{Boxing, Unbox};
use crate::data_model::DataModel;
use crate::values::extension_types::{ForeignBoxing, Way};
use pyo3::prelude::*;
use std::sync::Arc;
use types::{Handle, Type};

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

    /// The type of an object of a class for which an extension says it.
    fn type_of_own_class(&self, _value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
        Ok(None)
    }

    /// The handle of a compiled function.
    fn compiled_function(&self, _value: &Bound<'_, PyAny>) -> Option<Handle> {
        None
    }

    /// The type of a member of an enumeration.
    fn type_of_member(&self, _value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
        Ok(None)
    }

    /// The type of a value that is no number, text, container or array; it is nested this deep in tuples.
    fn type_of_other(&self, _value: &Bound<'_, PyAny>, _depth: usize) -> PyResult<Option<Type>> {
        Ok(None)
    }

    /// The one type that functions of these types in a tuple have together.
    fn common_function_type(&self, _items: &[Bound<'_, PyAny>], _types: &[Type]) -> PyResult<Option<Type>> {
        Ok(None)
    }

    /// The address of the weak reference to a compiled function, which is kept for good.
    fn function_reference(&self, _function: Handle) -> Option<usize> {
        None
    }

    /// The address of what stands for the code of an inner function, which is kept for good.
    fn closure_template(&self, _function: Handle) -> Option<usize> {
        None
    }

    /// The address of the class whose instances stand for objects of a type of compiled code.
    fn instance_class(&self, _object: Handle) -> Option<usize> {
        None
    }

    /// What stands for a plain class in Python, of whose objects those of a type are copies.
    fn plain_class(&self, _object: Handle) -> Option<Py<PyAny>> {
        None
    }

    /// The addresses of a function value: for compiled code, for C, of the Python object.
    fn function_addresses(&self, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<[usize; 3]>;

    /// Whether two extension types are of one Python class, which has one way to take values in.
    fn are_of_one_class(&self, _py: Python<'_>, _types: [Type; 2]) -> bool {
        false
    }

    /// The code that takes in or hands out values of an extension type.
    fn foreign_boxing(&self, py: Python<'_>, ty: Type, way: Way) -> PyResult<Arc<ForeignBoxing>>;
}
