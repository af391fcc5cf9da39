//! Conversion of types to Python: an object of `rumba.types` for every interned type.
//!
//! Absent: the reverse conversion, and signatures as users write them (`type_objects`).

use crate::session::registries::Registries;
use crate::typing::enums;
use ::types::{BufferKind, EnumKind, Facet, LiteralValue, RecordType, SetKind, Type, TypeData};
use entity::EntityRef;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use python_rt::values::slices;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

fn python_types(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(py.import(intern!(py, "rumba.types"))?.into_any())
}

impl Registries {
    /// The Python object of a type.
    pub(crate) fn type_to_python<'py>(&self, py: Python<'py>, ty: Type) -> PyResult<Bound<'py, PyAny>> {
        let known = |shown: &Mutex<HashMap<Type, Py<PyAny>>>| {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            shown.get(&ty).map(|object| object.bind(py).clone())
        };
        if let Some(object) = known(&self.shown) {
            return Ok(object);
        }
        // Making it runs Python code, which may come back here: no lock is held.
        let object = self.make_python_type(py, ty)?;
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        // A type that holds a compiled function must not keep it alive.
        if !matches!(self.session().types.get(ty), TypeData::Dispatcher(_)) {
            shown.insert(ty, object.clone().unbind());
        }
        Ok(object)
    }

    fn make_python_type<'py>(&self, py: Python<'py>, ty: Type) -> PyResult<Bound<'py, PyAny>> {
        let all = python_types(py)?;
        let inner = |ty: Type| self.type_to_python(py, ty);
        let many = |types: &[Type]| types.iter().map(|&ty| inner(ty)).collect::<PyResult<Vec<_>>>();
        let table = &self.session().types;
        match table.get(ty) {
            TypeData::Undefined => all.getattr("_undef_var"),
            TypeData::Slice { members } => all.getattr(format!("slice{members}_type")),
            TypeData::LiteralSlice { start, stop, step } => {
                all.call_method1("literal", (slices::python_slice(py, [start, stop, step])?,))
            }
            TypeData::Literal(LiteralValue::Int(value)) => all.call_method1("literal", (value,)),
            TypeData::Literal(LiteralValue::Bool(value)) => all.call_method1("literal", (value,)),
            TypeData::Literal(LiteralValue::Str(value)) => all.call_method1("literal", (&*value,)),
            TypeData::Omitted(of) => match table.get(of) {
                TypeData::Literal(LiteralValue::Int(value)) => all.call_method1("Omitted", (value,)),
                TypeData::Literal(LiteralValue::Bool(value)) => all.call_method1("Omitted", (value,)),
                _ => inner(of),
            },
            TypeData::Union(members) | TypeData::TaggedUnion(members) => {
                let members: Vec<_> = members.iter().map(|&ty| inner(ty)).collect::<PyResult<_>>()?;
                all.call_method1("Union", (PyTuple::new(py, members)?,))
            }
            TypeData::Optional(of) => all.call_method1("Optional", (inner(of)?,)),
            TypeData::Tuple(elements) => all.call_method1("Tuple", (many(&elements)?,)),
            TypeData::NamedTuple { class, types, .. } => match self.class(py, class) {
                Some(class) => all.getattr("BaseTuple")?.call_method1("from_types", (many(&types)?, class)),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
            TypeData::Enum { class, value, kind, .. } => match self.class(py, class) {
                Some(class) => all.call_method1(member_class(kind), (class, inner(value)?)),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
            TypeData::StaticDict { names, types } => {
                let class = all.getattr("LiteralStrKeyDict")?;
                class.call_method1("from_fields", (PyTuple::new(py, names.iter())?, many(&types)?))
            }
            TypeData::FixedList(tuple) => {
                let items = table.elements(tuple).unwrap_or_default();
                all.call_method1("LiteralList", (PyTuple::new(py, many(&items)?)?,))
            }
            TypeData::Facet { facet, of } if view_class(facet).is_some() => {
                all.call_method1(view_class(facet).unwrap_or_default(), (inner(of)?,))
            }
            TypeData::Function(name) => all.call_method1("KnownFunction", (&*name,)),
            TypeData::Method(of, name) => {
                all.call_method1("KnownMethod", (table.name(ty), &*name, inner(of)?, ty.index()))
            }
            TypeData::Range(index) => all.call_method1("RangeType", (inner(index)?,)),
            TypeData::Iterator(of) => match inner(table.unliteral(of))?.getattr_opt("iterator_type")? {
                Some(iterator) => Ok(iterator),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
            TypeData::Buffer(kind, items) => {
                let layout = items.layout.letter().to_string();
                all.call_method1(
                    buffer_class(kind),
                    (inner(items.dtype)?, items.ndim, layout, !items.mutable),
                )
            }
            TypeData::Array(array) => {
                let layout = array.layout.letter().to_string();
                let name: Option<&str> = None;
                let parts = (inner(array.dtype)?, array.ndim, layout, !array.mutable, name, array.aligned);
                all.call_method1("Array", parts)
            }
            TypeData::Record(record) => self.record_to_python(py, &record),
            TypeData::Datetime { unit, span } => {
                all.getattr(if span { "NPTimedelta" } else { "NPDatetime" })?.call1((unit.name(),))
            }
            TypeData::CharSeq { count, wide } => {
                all.getattr(if wide { "UnicodeCharSeq" } else { "CharSeq" })?.call1((count,))
            }
            TypeData::List { item, typed: true } => all.call_method1("ListType", (inner(item)?,)),
            TypeData::List { item, .. } => all.call_method1("List", (inner(item)?, true)),
            TypeData::Deque { item } => all.call_method1("DequeType", (inner(item)?,)),
            TypeData::Dict { key, value, missing: Type::NONE } => {
                all.call_method1("DictType", (inner(key)?, inner(value)?))
            }
            TypeData::Dict { key, value, .. } if table.is_counter(ty) => {
                all.call_method1("CounterType", (inner(key)?, inner(value)?))
            }
            TypeData::Dict { key, value, .. } if table.is_ordered_dict(ty) => {
                all.call_method1("OrderedDictType", (inner(key)?, inner(value)?))
            }
            TypeData::Dict { key, value, missing } => {
                all.call_method1("DefaultDictType", (inner(missing)?, inner(key)?, inner(value)?))
            }
            TypeData::Set { item, kind: SetKind::Typed } => all.call_method1("SetType", (inner(item)?,)),
            TypeData::Set { item, kind: SetKind::Frozen } => {
                all.call_method1("FrozenSetType", (inner(item)?,))
            }
            TypeData::Set { item, .. } => all.call_method1("Set", (inner(item)?, true)),
            TypeData::Class(of) => all.call_method1("NumberClass", (inner(of)?,)),
            TypeData::Module(name) => all.call_method1("Module", (py.import(&*name)?,)),
            TypeData::Dispatcher(handle) => match self.function_of(py, handle) {
                Some(function) => all.call_method1("Dispatcher", (function,)),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
            TypeData::Closure { function, .. } => match self.function_of(py, function) {
                Some(template) => all.call_method1("Closure", (table.name(ty), ty.index(), template)),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
            TypeData::NumpyGenerator => all.getattr("npy_rng"),
            TypeData::PyObject => all.getattr("pyobject"),
            TypeData::Pointer(None) => all.getattr("voidptr"),
            TypeData::Pointer(Some(of)) => all.call_method1("CPointer", (inner(of)?,)),
            TypeData::FunctionValue { params, result } => {
                let signature = self.signature_to_python(py, &params, result)?;
                all.call_method1("FunctionType", (signature,))
            }
            TypeData::Opaque { object, name }
            | TypeData::Foreign { object, name, .. }
            | TypeData::Instance { object, name } => match self.opaque_object(py, object) {
                Some(object) => Ok(object.into_bound(py)),
                None => all.call_method1("Opaque", (&*name,)),
            },
            TypeData::Object { object, .. } => {
                let object = self.opaque_object(py, object).map(|object| object.into_bound(py));
                let is_enum = |object: &Bound<'py, PyAny>| {
                    enums::members(self, object).is_ok_and(|members| members.is_some())
                };
                let of_enum = object.filter(is_enum).and_then(|class| {
                    // One whose members hold values of several types has no type of its own.
                    let typeof_ = py.import(intern!(py, "rumba.types.typeof")).ok()?;
                    typeof_.call_method1(intern!(py, "typeof"), (class,)).ok()
                });
                match of_enum {
                    Some(found) => Ok(found),
                    None => all.call_method1("Opaque", (table.name(ty),)),
                }
            }
            TypeData::None
            | TypeData::Ellipsis
            | TypeData::Bool
            | TypeData::Int { .. }
            | TypeData::Float { .. }
            | TypeData::Complex { .. }
            | TypeData::Str => all.getattr(table.name(ty)),
            _ => match self.session().item_of_iterator(ty) {
                Some(item) => all.call_method1("CompiledIterator", (table.name(ty), inner(item)?)),
                None => all.call_method1("Opaque", (table.name(ty),)),
            },
        }
    }

    fn record_to_python<'py>(&self, py: Python<'py>, record: &RecordType) -> PyResult<Bound<'py, PyAny>> {
        let all = python_types(py)?;
        let fields = PyDict::new(py);
        for field in record.fields.iter() {
            let mut ty = self.type_to_python(py, field.ty)?;
            if !field.shape.is_empty() {
                ty = all.call_method1("NestedArray", (ty, PyTuple::new(py, field.shape.iter())?))?;
            }
            let parts = PyDict::new(py);
            parts.set_item("type", ty)?;
            parts.set_item("offset", field.offset)?;
            parts.set_item("title", field.title.as_deref())?;
            fields.set_item(&*field.name, parts)?;
        }
        all.call_method1("Record", (fields, record.size, record.aligned, !record.mutable))
    }

    /// The signature of compiled code as users see it.
    pub(crate) fn signature_to_python<'py>(
        &self,
        py: Python<'py>,
        params: &[Type],
        result: Type,
    ) -> PyResult<Bound<'py, PyAny>> {
        let params = params.iter().map(|&ty| self.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
        let (params, result) = (PyTuple::new(py, params)?, self.type_to_python(py, result)?);
        python_types(py)?.call_method1("Signature", (result, params, py.None()))
    }
}

/// The class of types of an enumeration's members.
fn member_class(kind: EnumKind) -> &'static str {
    if kind == EnumKind::Integer { "IntEnumMember" } else { "EnumMember" }
}

fn buffer_class(kind: BufferKind) -> &'static str {
    match kind {
        BufferKind::Bytes => "Bytes",
        BufferKind::ByteArray => "ByteArray",
        BufferKind::MemoryView => "MemoryView",
        BufferKind::PyArray => "PyArray",
        BufferKind::ObjectArray => "ObjectArray",
    }
}

/// The Python class for the types of what sees a container or an array in another way, where it has one.
fn view_class(facet: Facet) -> Option<&'static str> {
    Some(match facet {
        Facet::Keys => "DictKeysIterableType",
        Facet::Values => "DictValuesIterableType",
        Facet::Items => "DictItemsIterableType",
        Facet::Flat => "NumpyFlatType",
        _ => return None,
    })
}
