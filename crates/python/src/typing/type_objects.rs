//! Conversion of types from Python: the type that an object of `rumba.types` stands for, signatures as users write
//! them.
//!
//! Absent: the types of values (`typeof_value`), and everything about signatures that needs no
//! compiler (`rumba.types.signature`).

use crate::session::compiler::Target;
use crate::session::function_value;
use crate::session::session_state::Backend;
use crate::typing::enums;
use crate::typing::object_fields;
use ::types::{
    ArrayType, BufferKind, Conversion, Facet, Layout, RecordField, RecordType, SetKind, TimeUnit, Type,
    TypeData, convert, unify,
};
use entity::EntityRef;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyString, PyTuple, PyType};
use python_rt::panic_guard;
use python_rt::plan::value_types;
use python_rt::values::objects;
use python_rt::values::slices;
use python_rt::values::typed_container;
use std::sync::Arc;

/// `rumba._rumba.types`: the compiler's rules about types, for Python objects.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct TypeRules {
    backend: Arc<Backend>,
}

impl TypeRules {
    pub fn new(backend: Arc<Backend>) -> Self {
        TypeRules { backend }
    }
}

#[pymethods]
impl TypeRules {
    /// How a value of one type becomes a value of another: the name of a conversion, or None.
    fn conversion(
        &self,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<Option<&'static str>> {
        let (source, target) =
            (self.backend.type_from_python(source)?, self.backend.type_from_python(target)?);
        Ok(convert(&self.backend.session().types, source, target).map(|grade| match grade {
            Conversion::Exact => "exact",
            Conversion::Promote => "promote",
            Conversion::Safe => "safe",
            Conversion::Unsafe => "unsafe",
        }))
    }

    /// An empty container of a type, with a given capacity, as an object of a class of `rumba.typed`.
    fn container<'py>(
        &self,
        class: &Bound<'py, PyType>,
        ty: &Bound<'py, PyAny>,
        room: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        typed_container::empty(&*self.backend, class, self.backend.type_from_python(ty)?, room)
    }

    /// The type of a value as an argument.
    fn type_of<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ty = value_types::type_of(&*self.backend, value)?;
        self.backend.type_to_python(value.py(), ty)
    }

    /// The number of a type, by which machine code of libraries names it.
    fn number(&self, ty: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(self.backend.type_from_python(ty)?.index())
    }

    /// The machine types of the parts in which values of a type pass between functions.
    fn parts(&self, ty: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let ty = self.backend.type_from_python(ty)?;
        let parts = catalog::machine_types(&self.backend.session().types, ty);
        Ok(parts.iter().map(|native| native.text().to_owned()).collect())
    }

    /// Which of these parts are owners.
    fn owners(&self, ty: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let ty = self.backend.type_from_python(ty)?;
        Ok(catalog::owners(&self.backend.session().types, ty).to_vec())
    }

    /// Says that values of one type become values of another by this function, which is LLVM IR text.
    fn add_cast(
        &self,
        from: &Bound<'_, PyAny>,
        to: &Bound<'_, PyAny>,
        grade: u8,
        symbol: &str,
        text: &str,
    ) -> PyResult<()> {
        let (from, to) = (self.backend.type_from_python(from)?, self.backend.type_from_python(to)?);
        let grades = [Conversion::Exact, Conversion::Promote, Conversion::Safe, Conversion::Unsafe];
        let grade = grades[usize::from(grade).clamp(1, 4) - 1];
        let cast = ::types::Cast { grade, symbol: symbol.into(), text: text.into() };
        self.backend.session().types.add_cast(from, to, cast);
        Ok(())
    }

    /// What Python reads and assigns a field of a class's objects through, which `setter` assigns.
    fn field<'py>(
        &self,
        py: Python<'py>,
        instance: &Bound<'py, PyAny>,
        name: &str,
        setter: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        object_fields::new(py, &self.backend, instance, name, setter)
    }

    /// Lets a call of a class of objects be a call of its attribute `_ctor`.
    fn set_constructor(&self, class: &Bound<'_, PyType>) -> PyResult<()> {
        objects::set_constructor(class)
    }

    /// Where compiled code calls a compiled function as a value of a type of functions.
    fn address(&self, function: &Bound<'_, PyAny>, ty: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ty = self.backend.type_from_python(ty)?;
        function_value::native_address(&self.backend, function, ty)
    }

    /// Whether methods of classes say which keys of a type are equal.
    fn is_key_by_methods(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let types = &self.backend.session().types;
        Ok(types.has_classes() && types.is_key_by_methods(self.backend.type_from_python(key)?))
    }

    /// The type that values of all these types fit in, or None.
    fn unify<'py>(
        &self,
        py: Python<'py>,
        types: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let types: Vec<Type> =
            types.iter().map(|ty| self.backend.type_from_python(ty)).collect::<PyResult<_>>()?;
        let Some((&first, rest)) = types.split_first() else { return Ok(None) };
        let table = &self.backend.session().types;
        let unified = rest.iter().try_fold(first, |so_far, &next| unify(table, so_far, next));
        unified.map(|ty| self.backend.type_to_python(py, ty)).transpose()
    }
}

impl Backend {
    /// The type that a Python object of `rumba.types` stands for.
    pub(crate) fn type_from_python(&self, object: &Bound<'_, PyAny>) -> PyResult<Type> {
        let py = object.py();
        let parts = object
            .call_method0(intern!(py, "_parts"))
            .map_err(|_| PyTypeError::new_err(format!("expected a type, got {object}")))?;
        if parts.is_none() {
            let message = format!("values of type {object} are not supported in compiled code yet");
            return Err(panic_guard::exception(py, "UnsupportedError", message)?);
        }
        let parts = parts.cast_into::<PyTuple>()?;
        let kind: String = parts.get_item(0)?.extract()?;
        self.type_of_parts(&kind, &parts)
    }

    fn type_of_parts(&self, kind: &str, parts: &Bound<'_, PyTuple>) -> PyResult<Type> {
        let table = &self.session().types;
        let first = parts.get_item(1)?;
        let inner = || self.type_from_python(&first);
        let unknown = || PyTypeError::new_err(format!("the compiler does not know the type {parts}"));
        Ok(match kind {
            "fixed" => table.parse(first.cast::<PyString>()?.to_str()?).ok_or_else(unknown)?,
            "literal slice" => {
                let slice = first.cast::<PySlice>()?;
                slices::literal_type(table, slice)?.ok_or_else(unknown)?
            }
            "literal" => self.literal_from_python(&first)?,
            "optional" => table.optional(inner()?),
            "union" => {
                let members = self.types_from_python(&first)?;
                let no_objects = || PyTypeError::new_err("a union is one of compiled classes, of 32 at most");
                table.union_of(&members).filter(|&ty| table.classes(ty).is_some()).ok_or_else(no_objects)?
            }
            "tuple" => table.tuple(&self.types_from_python(&first)?),
            "namedtuple" => {
                let class = first.cast::<PyType>()?;
                let fields: Vec<String> = class.getattr("_fields")?.extract()?;
                table.intern(TypeData::NamedTuple {
                    name: class.name()?.to_str()?.into(),
                    fields: fields.into(),
                    types: self.types_from_python(&parts.get_item(2)?)?.into(),
                    class: self.handle_of_class(class),
                })
            }
            "enum" => {
                let value = self.type_from_python(&parts.get_item(2)?)?;
                enums::type_in(self, first.cast::<PyType>()?, value)?
            }
            "keywords" => table.intern(TypeData::StaticDict {
                names: first.extract::<Vec<String>>()?.into(),
                types: self.types_from_python(&parts.get_item(2)?)?.into(),
            }),
            "list" => table.intern(TypeData::List { item: inner()?, typed: parts.get_item(2)?.extract()? }),
            "deque" => table.deque(inner()?),
            "dict" => {
                let value = self.type_from_python(&parts.get_item(2)?)?;
                let missing = parts.get_item(3)?;
                let missing = if missing.is_none() { Type::NONE } else { self.type_from_python(&missing)? };
                table.intern(TypeData::Dict { key: inner()?, value, missing })
            }
            "frozenset" => table.frozenset(inner()?),
            "set" => {
                let kind = if parts.get_item(2)?.extract()? { SetKind::Typed } else { SetKind::Plain };
                table.intern(TypeData::Set { item: inner()?, kind })
            }
            "range" => table.intern(TypeData::Range(inner()?)),
            "fixed list" => {
                let items = table.tuple(&self.types_from_python(&first)?);
                table.intern(TypeData::FixedList(items))
            }
            "view" => {
                let name: String = parts.get_item(2)?.extract()?;
                let facet = Facet::NAMES.iter().find(|(_, known)| *known == name).ok_or_else(unknown)?.0;
                table.intern(TypeData::Facet { facet, of: inner()? })
            }
            "known function" => table.intern(TypeData::Function(first.extract::<String>()?.into())),
            "iterator" => table.intern(TypeData::Iterator(inner()?)),
            "slice" => table.intern(TypeData::Slice { members: first.extract()? }),
            "array" if table.item_of_objects(inner()?).is_some() => self.object_array(parts)?,
            "array" => table.intern(TypeData::Array(self.array_from_python(parts)?)),
            "buffer" if parts.get_item(6)?.eq(BufferKind::ObjectArray.name())? => self.object_array(parts)?,
            "buffer" => {
                let name: String = parts.get_item(6)?.extract()?;
                let kind =
                    BufferKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)?;
                table.intern(TypeData::Buffer(kind, self.array_from_python(parts)?))
            }
            "record" => self.record_from_python(parts)?,
            "time" => {
                let unit = TimeUnit::from_name(first.cast::<PyString>()?.to_str()?).ok_or_else(unknown)?;
                table.intern(TypeData::Datetime { unit, span: parts.get_item(2)?.extract()? })
            }
            "chars" => {
                let (count, wide) = (first.extract()?, parts.get_item(2)?.extract()?);
                table.intern(TypeData::CharSeq { count, wide })
            }
            "class" => table.intern(TypeData::Class(inner()?)),
            "module" => table.intern(TypeData::Module(first.extract::<String>()?.into())),
            "omitted" => table.intern(TypeData::Omitted(inner()?)),
            // What was told before.
            "known" => Type::new(first.extract()?),
            "foreign" => {
                let held = self.type_from_python(&parts.get_item(3)?)?;
                self.foreign_type(&first, &parts.get_item(2)?.extract::<String>()?, held)
            }
            "instance" => self.instance_type(&first, &parts.get_item(2)?.extract::<String>()?)?,
            "opaque" => self.opaque_type(&first, &parts.get_item(2)?.extract::<String>()?),
            // One that returns nothing and to which nothing is sent.
            "generator" => table.intern(TypeData::GeneratorObject {
                item: inner()?,
                result: Type::NONE,
                sent: Type::NONE,
                bound: false,
            }),
            "random generator" => table.intern(TypeData::NumpyGenerator),
            "pointer" if first.is_none() => table.intern(TypeData::Pointer(None)),
            "pointer" => table.intern(TypeData::Pointer(Some(inner()?))),
            "function" => {
                let params = self.types_from_python(&first)?;
                table.function_value(&params, self.type_from_python(&parts.get_item(2)?)?)
            }
            "dispatcher" => {
                let handle = self.handle_of(&first).ok_or_else(unknown)?;
                table.intern(TypeData::Dispatcher(handle))
            }
            _ => return Err(unknown()),
        })
    }

    /// `("record", ((name, type, shape, offset, title), ...), size, aligned, mutable)`.
    fn record_from_python(&self, parts: &Bound<'_, PyTuple>) -> PyResult<Type> {
        let mut fields = Vec::new();
        for field in parts.get_item(1)?.try_iter()? {
            let field = field?.cast_into::<PyTuple>()?;
            fields.push(RecordField {
                name: field.get_item(0)?.extract::<String>()?.into(),
                ty: self.type_from_python(&field.get_item(1)?)?,
                shape: field.get_item(2)?.extract::<Vec<i64>>()?.into(),
                offset: field.get_item(3)?.extract()?,
                title: field.get_item(4)?.extract::<Option<String>>()?.map(Into::into),
            });
        }
        let (size, aligned) = (parts.get_item(2)?.extract()?, parts.get_item(3)?.extract()?);
        let record =
            RecordType { fields: fields.into(), size, aligned, mutable: parts.get_item(4)?.extract()? };
        Ok(self.session().types.intern(TypeData::Record(Arc::new(record))))
    }

    /// An array of objects of a class.
    fn object_array(&self, parts: &Bound<'_, PyTuple>) -> PyResult<Type> {
        let dtype = self.type_from_python(&parts.get_item(1)?)?;
        let (table, letter) = (&self.session().types, parts.get_item(3)?.extract::<String>()?);
        let (ndim, mutable) = (parts.get_item(2)?.extract()?, parts.get_item(4)?.extract()?);
        let whole = table.item_of_objects(dtype).map(|dtype| table.object_array(dtype, ndim, mutable));
        match (whole.and_then(|whole| table.items_of_object_array(whole)), Layout::from_letter(&letter)) {
            (Some(items), Some(layout)) => {
                Ok(table.intern(TypeData::Buffer(BufferKind::ObjectArray, items.with_layout(layout))))
            }
            _ => Err(PyTypeError::new_err(format!("no array of {} in layout {letter}", table.name(dtype)))),
        }
    }

    /// `("array", dtype, ndim, layout, mutable, aligned)`, or the same of another buffer with its kind.
    fn array_from_python(&self, parts: &Bound<'_, PyTuple>) -> PyResult<ArrayType> {
        let dtype = self.type_from_python(&parts.get_item(1)?)?;
        let table = &self.session().types;
        let layout: String = parts.get_item(3)?.extract()?;
        let known = Layout::from_letter(&layout).filter(|_| table.item_size(dtype).is_some());
        let Some(layout) = known else {
            let name = table.name(dtype);
            let message =
                format!("arrays of {name} in layout {layout} are not supported in compiled code yet");
            return Err(panic_guard::exception(parts.py(), "UnsupportedError", message)?);
        };
        let (ndim, mutable) = (parts.get_item(2)?.extract()?, parts.get_item(4)?.extract()?);
        Ok(ArrayType { dtype, ndim, layout, mutable, aligned: parts.get_item(5)?.extract()? })
    }

    fn literal_from_python(&self, value: &Bound<'_, PyAny>) -> PyResult<Type> {
        let table = &self.session().types;
        if let Ok(value) = value.extract::<bool>() {
            return Ok(table.literal_bool(value));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(table.literal_str(text.to_str()?));
        }
        Ok(table.literal_int(value.extract()?))
    }

    fn types_from_python(&self, types: &Bound<'_, PyAny>) -> PyResult<Vec<Type>> {
        types.try_iter()?.map(|ty| self.type_from_python(&ty?)).collect()
    }

    /// Reads an explicit signature: types of all parameters, and of the result if it is given.
    pub(crate) fn read_signature(
        &self,
        target: &Target<'_>,
        signature: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<Type>, Option<Type>)> {
        let py = signature.py();
        let kwargs = PyDict::new(py);
        kwargs.set_item("function", &target.function)?;
        let read = py.import("rumba.types.signature")?.getattr("signature_for")?;
        let read = read.call((signature,), Some(&kwargs))?.cast_into::<PyTuple>()?;
        let params = self.types_from_python(&read.get_item(0)?)?;
        let result = read.get_item(1)?;
        let result = if result.is_none() { None } else { Some(self.type_from_python(&result)?) };
        Ok((params, result))
    }
}
