//! Answers the queries of boxing and unboxing: types of values, plans, layouts.

use crate::host::overload_host;
use crate::session::function_value;
use crate::session::session_state::Backend;
use crate::typing::compiled_classes;
use crate::typing::typeof_value;
use module_rt::layouts;
use pyo3::prelude::*;
use python_rt::data_model::{DataModel, ValueWords};
use python_rt::object_registry::ObjectRegistry;
use python_rt::plan::layout::{Entries, Layout};
use python_rt::plan::{self, Boxing, BoxingCx, Unbox, value_types};
use python_rt::values::extension_types::{ForeignBoxing, Way};
use std::sync::Arc;
use types::{Handle, Type};

impl DataModel for Backend {
    fn registries(&self) -> &ObjectRegistry {
        self
    }

    fn type_object<'py>(&self, py: Python<'py>, ty: Type) -> PyResult<Bound<'py, PyAny>> {
        self.type_to_python(py, ty)
    }

    fn words(&self, ty: Type) -> ValueWords {
        layouts::words(&self.session().types, ty)
    }

    fn layout(&self, ty: Type) -> Option<Layout> {
        layouts::layout(&self.session().types, ty)
    }

    fn entries(&self, ty: Type) -> Option<Entries> {
        layouts::entries(&self.session().types, ty)
    }
}

impl BoxingCx for Backend {
    fn shared_cx(&self) -> Arc<dyn BoxingCx> {
        self.shared()
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

    fn type_of_own_class(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
        overload_host::type_of_own_class(self, value)
    }

    fn compiled_function(&self, value: &Bound<'_, PyAny>) -> Option<Handle> {
        self.handle_of(value)
    }

    fn type_of_member(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
        typeof_value::type_of_member(self, value)
    }

    fn type_of_other(&self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Type>> {
        typeof_value::type_of_other(self, value, depth)
    }

    fn common_function_type(&self, items: &[Bound<'_, PyAny>], types: &[Type]) -> PyResult<Option<Type>> {
        function_value::common_type(self, items, types)
    }

    fn function_reference(&self, function: Handle) -> Option<usize> {
        self.reference_address(function)
    }

    fn closure_template(&self, function: Handle) -> Option<usize> {
        self.template_address(function)
    }

    fn instance_class(&self, object: Handle) -> Option<usize> {
        compiled_classes::class_of(self, object)
    }

    fn plain_class(&self, object: Handle) -> Option<Py<PyAny>> {
        compiled_classes::plain_class(self, object)
    }

    fn function_addresses(&self, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<[usize; 3]> {
        function_value::addresses(self, value, ty)
    }

    fn are_of_one_class(&self, py: Python<'_>, types: [Type; 2]) -> bool {
        let [Ok(one), Ok(other)] = types.map(|ty| self.type_to_python(py, ty)) else { return false };
        one.get_type().is(other.get_type())
    }

    fn foreign_boxing(&self, py: Python<'_>, ty: Type, way: Way) -> PyResult<Arc<ForeignBoxing>> {
        self.border(py, ty, way)
    }
}
