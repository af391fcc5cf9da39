//! Creates the plan that boxes values of a type.

use super::boxing::ClosureBoxing;
use super::dicts_sets::TableBoxing;
use super::lists::ListBoxing;
use super::object_arrays::ObjectArrayBoxing;
use super::{Boxing, BoxingCx};
use crate::values::buffers::BufferBoxing;
use crate::values::dtypes::Items;
use crate::values::extension_types::{ForeignStep, Way};
use crate::values::generator::GeneratorBoxing;
use crate::values::ndarray::ArrayBoxing;
use crate::values::numpy_scalar::ItemBoxing;
use crate::values::typed_container;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::CString;
use std::sync::Arc;
use types::{BufferKind, LiteralValue, SetKind, Type, TypeData};

/// How the words of a result of type `ty` become a Python value.
pub fn boxing(cx: &dyn BoxingCx, ty: Type) -> Option<Boxing> {
    let types = &cx.registries().types;
    let all = |elements: &Arc<[Type]>| -> Option<Box<[Boxing]>> {
        elements.iter().map(|&element| boxing(cx, element)).collect()
    };
    Some(match ty {
        Type::NONE | Type::UNDEFINED => Boxing::None,
        Type::ELLIPSIS => Boxing::Ellipsis,
        Type::BOOL => Boxing::Bool,
        Type::UINT64 | Type::UINT32 | Type::UINT16 | Type::UINT8 => Boxing::UInt64,
        Type::INT64 => Boxing::Int64,
        _ if let Some((bits, _)) = ty.as_int() => Boxing::NarrowInt(bits),
        Type::FLOAT16 => Boxing::Float16,
        Type::FLOAT32 => Boxing::Float32,
        Type::FLOAT64 => Boxing::Float64,
        Type::COMPLEX64 => Boxing::Complex64,
        Type::COMPLEX128 => Boxing::Complex128,
        Type::STR => Boxing::Text,
        _ => match types.get(ty) {
            TypeData::Tuple(elements) => Boxing::Tuple(all(&elements)?),
            TypeData::FixedList(tuple) => Boxing::List(all(&types.elements(tuple)?)?),
            TypeData::NamedTuple { types: elements, class, .. } => {
                Boxing::NamedTuple(cx.registries().class_address(class)?, all(&elements)?)
            }
            TypeData::Enum { class, value, .. } => {
                Boxing::Member(cx.registries().class_address(class)?, Box::new(boxing(cx, value)?))
            }
            TypeData::StaticDict { names, types } => Boxing::Dict(dict_keys(&names)?, all(&types)?),
            TypeData::Optional(inner) => Boxing::Optional(Box::new(boxing(cx, inner)?)),
            TypeData::Dispatcher(handle) => Boxing::Function(cx.function_reference(handle)?),
            TypeData::Closure { function, captures, defaults, optional } => {
                let optional = optional.iter().map(|&number| Boxing::Constant(number)).collect();
                let template = cx.closure_template(function)?;
                let (captured, defaults) = (all(&captures)?, all(&defaults)?);
                Boxing::Closure(Box::new(ClosureBoxing { template, captured, defaults, optional, ty }))
            }
            TypeData::HeapCell(_) => Boxing::Instance(variable_class(cx)?, ty),
            TypeData::Choice(members) => Boxing::Choice(all(&members)?),
            TypeData::Union(members) => Boxing::Union(all(&members)?),
            TypeData::TaggedUnion(members) => Boxing::TaggedUnion(all(&members)?),
            TypeData::FunctionValue { .. } => Boxing::FunctionValue,
            TypeData::NumpyGenerator => Boxing::Generator,
            TypeData::Caught(_) | TypeData::CaughtTraceback => Boxing::Exception,
            TypeData::CaughtClass => Boxing::ExceptionClass,
            TypeData::PyObject => Boxing::Object,
            TypeData::Buffer(BufferKind::ObjectArray, items) => {
                Boxing::ObjectArray(ObjectArrayBoxing::new(cx, items)?)
            }
            TypeData::Buffer(kind, items) => {
                Boxing::Buffer(BufferBoxing::new(kind, ArrayBoxing::new(cx, items)?))
            }
            TypeData::Array(array) => Boxing::Array(ArrayBoxing::new(cx, array)?),
            TypeData::Record(_) | TypeData::Datetime { .. } | TypeData::CharSeq { .. } => {
                Boxing::Item(ItemBoxing::new(cx, ty)?)
            }
            TypeData::List { typed: true, .. } | TypeData::Set { kind: SetKind::Typed, .. } => {
                Boxing::Native(typed_container::class_of(cx.registries(), ty)?, ty)
            }
            TypeData::Dict { .. } | TypeData::Set { .. } => {
                Boxing::Table(Box::new(TableBoxing::new(cx, ty)?))
            }
            TypeData::List { item, typed: false } => Boxing::Items(ListBoxing::new(cx, item)?),
            TypeData::Deque { item } => Boxing::Items(ListBoxing::new(cx, item)?.of_deque()),
            TypeData::GeneratorObject { item, result, bound: false, .. } => {
                let (item, result) = (boxing(cx, item)?, boxing(cx, result)?);
                Boxing::Resumed(Box::new(GeneratorBoxing::new(item, result, ty)))
            }
            TypeData::Instance { object, .. } if cx.plain_class(object).is_some() => {
                Boxing::Mirror(cx.instance_class(object)?, ty)
            }
            TypeData::Instance { object, .. } => Boxing::Instance(cx.instance_class(object)?, ty),
            TypeData::Slice { members } => Boxing::Slice(members),
            TypeData::LiteralSlice { start, stop, step } => Boxing::LiteralSlice([start, stop, step]),
            TypeData::Class(of) => Boxing::Dtype(Items::of_type(cx, of)?),
            // An address is a number, as `ctypes` gives it.
            TypeData::Pointer(None) => Boxing::UInt64,
            TypeData::Foreign { .. } => Boxing::Foreign(ForeignStep::new(cx, ty, Way::Out)),
            TypeData::Literal(LiteralValue::Str(text)) => Boxing::LiteralText((&*text).into()),
            TypeData::Literal(_) => boxing(cx, types.unliteral(ty))?,
            _ => return None,
        },
    })
}

/// The address of the class of variables that functions share which were returned.
fn variable_class(cx: &dyn BoxingCx) -> Option<usize> {
    Python::attach(|py| {
        let class = PyModule::import(py, "rumba.boxing.shared_variables")
            .and_then(|module| module.getattr("Variable"));
        let handle = cx.registries().handle_of_class(class.ok()?.cast::<PyType>().ok()?);
        cx.registries().class_address(handle)
    })
}

/// The keys of a dict as C strings; none if one holds a null, which no keyword of the source does.
fn dict_keys(names: &[String]) -> Option<Box<[CString]>> {
    names.iter().map(|name| CString::new(name.as_str()).ok()).collect()
}
