//! The type that compiled code has for a Python value, and the plans to take it in and hand it out.

use crate::diagnostics::arguments::LONGEST_TUPLE;
use crate::host::global_values;
use crate::host::overload_host;
use crate::session::function_value;
use crate::session::session_state::Backend;
use crate::typing::compiled_classes;
use crate::typing::enums;
use abi::ExceptionClass;
use catalog::item_layout::Slot;
use catalog::{GlobalValue, machine_types};
use pyo3::exceptions::{PyBaseException, PyRecursionError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PySet, PySlice, PyString, PyTuple, PyType,
};
use python_rt::plan::dicts_sets::{TableBoxing, TableStep};
use python_rt::plan::lists::{ListBoxing, ListStep};
use python_rt::plan::scalars::scalar_row;
use python_rt::plan::{Boxing, BoxingCx, FunctionStep, RecordStep, ScalarClass, Unbox};
use python_rt::raising::exception_record;
use python_rt::values::buffers::{self, BufferBoxing, BufferStep};
use python_rt::values::dtypes::{self, Items};
use python_rt::values::extension_types::{ForeignStep, Way};
use python_rt::values::generator::{self, GeneratorBoxing};
use python_rt::values::kwargs::Keywords;
use python_rt::values::ndarray::{self, ArrayBoxing, ArrayStep};
use python_rt::values::numpy_scalar::{self, ItemBoxing, ItemStep};
use python_rt::values::objects;
use python_rt::values::rng;
use python_rt::values::slices;
use python_rt::values::typed_container;
use std::ffi::CString;
use std::sync::Arc;
use types::{Type, TypeData, unify};

/// The type of a value as an argument; TypeError if it has none.
pub(crate) fn type_of(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Type> {
    type_within(backend, value, 0)
}

/// How deep tuples may be nested: what is done with types recurses on them.
const DEEPEST: usize = 200;

/// The same for a value that lies so deep in tuples.
fn type_within(backend: &Backend, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Type> {
    if value.is_none() {
        return Ok(Type::NONE);
    }
    if value.is(value.py().Ellipsis()) {
        return Ok(Type::ELLIPSIS);
    }
    if value.is_exact_instance_of::<PyBool>() {
        return Ok(Type::BOOL);
    }
    if value.is_exact_instance_of::<PyInt>() {
        return type_of_int(value);
    }
    if value.is_exact_instance_of::<PyFloat>() {
        return Ok(Type::FLOAT64);
    }
    if value.is_exact_instance_of::<PyComplex>() {
        return Ok(Type::COMPLEX128);
    }
    if value.is_exact_instance_of::<PyString>() {
        return Ok(Type::STR);
    }
    if let Ok(list) = value.cast_exact::<PyList>() {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("lists are nested more than {DEEPEST} deep")));
        }
        return type_of_list(backend, list, depth + 1);
    }
    if let Some(ty) = objects::type_of(value) {
        return Ok(ty);
    }
    if let Some(ty) = overload_host::type_of_own_class(backend, value)? {
        return Ok(ty);
    }
    let class = value.get_type();
    if let Some((ty, _)) = scalar_row(&class) {
        return Ok(ty);
    }
    if let Some(handle) = backend.handle_of(value) {
        return Ok(backend.session().types.intern(TypeData::Dispatcher(handle)));
    }
    if let Ok(keywords) = value.cast::<Keywords>() {
        return type_of_keywords(backend, keywords, depth);
    }
    if let Some(ty) = numpy_scalar::type_of(backend, value)? {
        return Ok(ty);
    }
    if ndarray::is_array(value) {
        let types = &backend.session().types;
        return Ok(types.intern(TypeData::Array(ndarray::type_of(types, value)?)));
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("tuples are nested more than {DEEPEST} deep")));
        }
        return type_of_tuple(backend, tuple, &class, depth + 1);
    }
    if let Some(ty) = typed_container::type_of(value) {
        return ty;
    }
    if let Some(ty) = generator::type_of(value) {
        return Ok(ty);
    }
    if value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PySet>() {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("containers are nested more than {DEEPEST} deep")));
        }
        return type_of_table(backend, value, depth + 1);
    }
    if let Some(ty) = type_of_member(backend, value)? {
        return Ok(ty);
    }
    if let Some(ty) = type_of_subclass(value)? {
        return Ok(ty);
    }
    if let Ok(slice) = value.cast::<PySlice>() {
        let members = slices::members(slice)?;
        return Ok(backend.session().types.intern(TypeData::Slice { members }));
    }
    if let Some(ty) = buffers::type_of(&backend.session().types, value)? {
        return Ok(ty);
    }
    if let Some(named) = named_type(backend, value) {
        return Ok(backend.session().types.intern(named));
    }
    if let Some(ty) = type_of_exception(backend, value, depth) {
        return Ok(ty);
    }
    if rng::is_generator(value)? {
        return Ok(backend.session().types.intern(TypeData::NumpyGenerator));
    }
    if let Some(ty) = function_value::type_of(backend, value)? {
        return Ok(ty);
    }
    if let Some(ty) = overload_host::type_of(backend, value)? {
        return Ok(ty);
    }
    Err(PyTypeError::new_err(format!("cannot determine the type of a value of class '{}'", class.name()?)))
}

/// An exception: its class, and what it is made of as far as compiled code knows such values. Where a constructor makes something
/// else of its arguments, what `args` holds stands for an exception of any class.
fn type_of_exception(backend: &Backend, value: &Bound<'_, PyAny>, depth: usize) -> Option<Type> {
    value.cast::<PyBaseException>().ok()?;
    let types = &backend.session().types;
    let part = |item: Bound<'_, PyAny>| type_within(backend, &item, depth + 1).ok();
    let arguments = value.getattr(intern!(value.py(), "args")).ok();
    let args: Option<Vec<Type>> = arguments.and_then(|arguments| {
        arguments.cast::<PyTuple>().ok()?.iter().map(|item| Some(types.unliteral(part(item)?))).collect()
    });
    let instance = args.map(|args| {
        let number = global_values::exception_number(backend, &value.get_type());
        let class = number.filter(|_| is_made_of_its_arguments(&value.get_type(), args.len()));
        let class = class.unwrap_or(ExceptionClass::BaseException as u32);
        types.intern(TypeData::Exception { class, args: args.into(), names: Arc::default() })
    });
    Some(types.caught(instance.as_slice()))
}

/// Whether an exception of a class with so many `args` was made of these.
fn is_made_of_its_arguments(class: &Bound<'_, PyType>, count: usize) -> bool {
    if !exception_record::runs_code(class) {
        return true;
    }
    let asked = PyModule::import(class.py(), "rumba.classes.exception_classes").and_then(|module| {
        let part = module.call_method1("attribute", (class, "args", count, Vec::<String>::new()))?;
        part.extract::<Vec<usize>>()
    });
    asked.is_ok_and(|parts| parts.into_iter().eq(0..count))
}

/// What a dtype, or a class of numbers, is in compiled code: `np.zeros(n, dtype)` may get one as an argument.
fn named_type(backend: &Backend, value: &Bound<'_, PyAny>) -> Option<TypeData> {
    if dtypes::is_dtype(value) {
        return dtypes::item_type(&backend.session().types, value).ok().map(TypeData::Class);
    }
    if let Some(instance) = compiled_classes::instance_type(value) {
        return backend.type_from_python(&instance).ok().map(TypeData::Class);
    }
    match global_values::classify_class(value.cast::<PyType>().ok()?)? {
        GlobalValue::Class(of) => Some(TypeData::Class(of)),
        GlobalValue::Function(name)
            if matches!(&*name, "builtins.bool" | "builtins.int" | "builtins.float" | "builtins.complex") =>
        {
            Some(TypeData::Function(name))
        }
        _ => None,
    }
}

/// The addresses of the classes of a value and, in a tuple, of its elements, in depth-first order.
pub(crate) fn classes(value: &Bound<'_, PyAny>) -> Vec<usize> {
    let mut found = vec![value.get_type().as_ptr() as usize];
    if let Ok(tuple) = value.cast::<PyTuple>() {
        found.extend(tuple.iter().flat_map(|item| classes(&item)));
    } else if let Ok(keywords) = value.cast::<Keywords>() {
        found.extend(keywords.get().values(value.py()).iter().flat_map(|item| classes(&item)));
    }
    found
}

/// The type of what a call passes to `**kwargs`.
fn type_of_keywords(backend: &Backend, keywords: &Bound<'_, Keywords>, depth: usize) -> PyResult<Type> {
    let py = keywords.py();
    let (names, values) = (keywords.get().names(py)?, keywords.get().values(py));
    let types: Vec<Type> =
        values.iter().map(|value| type_within(backend, &value, depth)).collect::<PyResult<_>>()?;
    let data = TypeData::StaticDict { names: names.into(), types: types.into() };
    Ok(backend.session().types.intern(data))
}

fn type_of_int(value: &Bound<'_, PyAny>) -> PyResult<Type> {
    let small = value.extract::<i64>().is_ok();
    Ok(if small { Type::INT64 } else { value.extract::<u64>().map(|_| Type::UINT64)? })
}

/// The type of a number of a class derived from Python's.
fn type_of_subclass(value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    Ok(if !is_derived_number(value) {
        None
    } else if value.is_instance_of::<PyInt>() {
        Some(type_of_int(value)?)
    } else if value.is_instance_of::<PyFloat>() {
        Some(Type::FLOAT64)
    } else {
        Some(Type::COMPLEX128)
    })
}

/// Whether a value's class is derived from one of Python's classes of numbers.
fn is_derived_number(value: &Bound<'_, PyAny>) -> bool {
    let of = |base: bool, exact: bool| base && !exact;
    of(value.is_instance_of::<PyInt>(), value.is_exact_instance_of::<PyInt>())
        && !value.is_exact_instance_of::<PyBool>()
        || of(value.is_instance_of::<PyFloat>(), value.is_exact_instance_of::<PyFloat>())
        || of(value.is_instance_of::<PyComplex>(), value.is_exact_instance_of::<PyComplex>())
}

fn type_of_tuple(
    backend: &Backend,
    tuple: &Bound<'_, PyTuple>,
    class: &Bound<'_, PyType>,
    depth: usize,
) -> PyResult<Type> {
    let types = &backend.session().types;
    if tuple.len() > LONGEST_TUPLE {
        return Err(PyTypeError::new_err(format!("a tuple of more than {LONGEST_TUPLE} elements")));
    }
    let mut elements: Vec<Type> =
        tuple.iter().map(|item| type_within(backend, &item, depth)).collect::<PyResult<_>>()?;
    let are_functions = |&ty: &Type| types.functions(ty).is_some() || types.is_function_value(ty);
    if elements.first().is_some_and(are_functions) {
        let items: Vec<_> = tuple.iter().collect();
        if let Some(common) = function_value::common_type(backend, &items, &elements)? {
            elements.fill(common);
        }
    }
    if tuple.is_exact_instance_of::<PyTuple>() {
        return Ok(types.tuple(&elements));
    }
    let no_type = || PyTypeError::new_err(format!("cannot determine the type of a value of {class}"));
    let fields = class.getattr(intern!(class.py(), "_fields")).and_then(|fields| fields.extract());
    let fields: Vec<String> = fields.map_err(|_| no_type())?;
    // Other tuples may have fields too; these can be made again.
    if fields.len() != elements.len() || !class.hasattr(intern!(class.py(), "_make"))? {
        return Err(no_type());
    }
    Ok(types.intern(TypeData::NamedTuple {
        name: class.name()?.to_str()?.into(),
        fields: fields.into(),
        types: elements.into(),
        class: backend.handle_of_class(class),
    }))
}

/// A list has the type of its first item; of items that are empty themselves, those behind them tell more.
fn type_of_list(backend: &Backend, list: &Bound<'_, PyList>, depth: usize) -> PyResult<Type> {
    let types = &backend.session().types;
    let mut item = Type::UNDEFINED;
    for value in list.iter() {
        let found = types.unliteral(type_within(backend, &value, depth)?);
        item = unify(types, item, found).unwrap_or(item);
        if !types.is_open(types.list(item)) {
            break;
        }
    }
    if Slot::of(types, item).is_none() {
        let message = format!("a list of {} cannot be passed to compiled code", types.name(item));
        return Err(PyTypeError::new_err(message));
    }
    Ok(types.list(item))
}

/// A dict has the types of its first key and value, a set that of an item; items that are empty themselves tell less than others.
fn type_of_table(backend: &Backend, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Type> {
    let types = &backend.session().types;
    let common = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| -> PyResult<Type> {
        let mut common = Type::UNDEFINED;
        for item in items {
            let found = types.unliteral(type_within(backend, &item, depth)?);
            common = unify(types, common, found).unwrap_or(common);
            if !types.is_open(types.list(common)) {
                break;
            }
        }
        Ok(common)
    };
    let ty = match value.cast_exact::<PyDict>() {
        Ok(dict) => {
            let first = dict.iter().next();
            let known = match first {
                Some((key, value)) => {
                    Some((common(&mut [key].into_iter())?, common(&mut [value].into_iter())?))
                }
                None => None,
            };
            let (key, value) = match known {
                Some((key, value)) if !types.is_open(types.list(value)) => (key, value),
                _ => (common(&mut dict.keys().iter())?, common(&mut dict.values().iter())?),
            };
            types.intern(TypeData::Dict { key, value })
        }
        Err(_) => {
            types.intern(TypeData::Set { item: common(&mut value.try_iter()?.flatten())?, typed: false })
        }
    };
    if containers::Shape::of(types, ty).is_none() {
        let message = format!("a value of type {} cannot be passed to compiled code", types.name(ty));
        return Err(PyTypeError::new_err(message));
    }
    Ok(ty)
}

/// How a value of type `from` becomes the words of a parameter of type `to`. `value` is one of
/// those values: it tells NumPy's scalars from Python's numbers of the same type.
pub(crate) fn unboxing(backend: &Backend, value: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
    let types = &backend.session().types;
    let to = types.unliteral(to);
    if types.get(to) == TypeData::PyObject {
        return Some(Unbox::Object);
    }
    if let Some((_, content)) = scalar_row(&value.get_type()) {
        let class = value.get_type().as_ptr() as usize;
        if from == to {
            return Some(Unbox::Scalar(ScalarClass { class, content }));
        }
        return converted(from, to).or_else(|| unbox_compound(backend, value, from, to, types));
    }
    if let TypeData::Enum { .. } = types.get(from)
        && !matches!(types.get(to), TypeData::Optional(_))
    {
        return unboxing_member(backend, value, from, to);
    }
    if is_derived_number(value) {
        return converted(from, to).or_else(|| unbox_compound(backend, value, from, to, types));
    }
    let step = match (from, to) {
        (Type::INT64, Type::INT64) => Unbox::Int64,
        (Type::UINT64, Type::UINT64) => Unbox::UInt64,
        (Type::FLOAT64, Type::FLOAT64) => Unbox::Float64,
        (Type::BOOL, Type::BOOL) => Unbox::Bool,
        (Type::COMPLEX128, Type::COMPLEX128) => Unbox::Complex128,
        (Type::NONE, Type::NONE) => Unbox::None,
        (Type::STR, Type::STR) => Unbox::Text,
        (Type::ELLIPSIS, Type::ELLIPSIS) => Unbox::Ellipsis,
        (Type::BOOL, Type::INT64) => Unbox::ToInt64,
        (Type::INT64 | Type::UINT64 | Type::BOOL, _) if to.is_int() => to_integer(to),
        (Type::INT64 | Type::UINT64 | Type::BOOL, Type::FLOAT64) => Unbox::ToFloat64,
        (Type::INT64 | Type::UINT64 | Type::BOOL | Type::FLOAT64, Type::FLOAT32) => Unbox::Float32,
        (_, Type::COMPLEX128) if from.is_number() || from == Type::BOOL => Unbox::ToComplex128,
        (_, Type::COMPLEX64) if from.is_number() || from == Type::BOOL => Unbox::ToComplex64,
        _ => {
            return converted(from, to).or_else(|| unbox_compound(backend, value, from, to, types));
        }
    };
    Some(step)
}

/// The type of a member of an enumeration; nothing for other values.
pub(crate) fn type_of_member(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if !enums::is_member(backend, value)? {
        return Ok(None);
    }
    let held = type_of(backend, &value.getattr(intern!(value.py(), "_value_"))?)?;
    enums::type_in(backend, &value.get_type(), held).map(Some)
}

/// The step for a member whose value has type `value`, as itself or as a number.
fn unboxing_member(backend: &Backend, member: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<Unbox> {
    let types = &backend.session().types;
    let TypeData::Enum { value, .. } = types.get(from) else { return None };
    let held = match types.get(to) {
        TypeData::Enum { value, .. } if from == to => value,
        _ if types.without_enums(from) == value => to,
        _ => return None,
    };
    let content = member.getattr(intern!(member.py(), "_value_")).ok()?;
    let step = unboxing(backend, &content, value, held)?;
    Some(Unbox::Member(member.get_type().as_ptr() as usize, Box::new(step)))
}

/// The step for an integer of any type.
fn to_integer(to: Type) -> Unbox {
    if to.as_int().is_some_and(|(_, signed)| signed) { Unbox::ToInt64 } else { Unbox::ToUInt64 }
}

/// The step for a number of a type that is not the parameter's.
fn converted(from: Type, to: Type) -> Option<Unbox> {
    if !(from.is_number() || from == Type::BOOL) || from.is_complex() && !to.is_complex() {
        return None;
    }
    let step = match to {
        Type::BOOL => Unbox::Bool,
        Type::FLOAT32 => Unbox::Float32,
        Type::FLOAT64 => Unbox::ToFloat64,
        Type::COMPLEX64 => Unbox::ToComplex64,
        Type::COMPLEX128 => Unbox::ToComplex128,
        _ if to.is_int() => to_integer(to),
        _ => return None,
    };
    Some(Unbox::Converted(Box::new(step)))
}

fn unbox_compound(
    backend: &Backend,
    value: &Bound<'_, PyAny>,
    from: Type,
    to: Type,
    types: &types::TypeTable,
) -> Option<Unbox> {
    match types.get(to) {
        TypeData::Buffer(_, to) => {
            Some(Unbox::Buffer(BufferStep::new(types, value, types.buffer(from)?, to)?))
        }
        TypeData::Array(to) => Some(Unbox::Array(ArrayStep::new(backend, value, types.array(from)?, to)?)),
        TypeData::Record(_) | TypeData::Datetime { .. } | TypeData::CharSeq { .. } => {
            Some(Unbox::Item(ItemStep::new(backend, value, from, to)?))
        }
        TypeData::List { typed: true, .. } | TypeData::Set { typed: true, .. } => {
            (from == to && typed_container::type_of(value).is_some()).then_some(Unbox::Native(to))
        }
        TypeData::GeneratorObject { .. } => (from == to).then_some(Unbox::Native(to)),
        TypeData::Caught(_) => {
            types::convert(types, from, to).map(|_| Unbox::Exception(RecordStep { cx: backend.shared_cx() }))
        }
        TypeData::Instance { .. } => (from == to).then(|| {
            let class = value.get_type();
            backend.handle_of_class(&class);
            Unbox::Instance(class.as_ptr() as usize, to)
        }),
        TypeData::Dict { .. } if typed_container::type_of(value).is_some() => {
            (from == to).then_some(Unbox::Native(to))
        }
        TypeData::Dict { .. } | TypeData::Set { .. } => {
            let open = types.is_open(from) && unify(types, from, to) == Some(to);
            if from != to && !open {
                return None;
            }
            Some(Unbox::Table(Box::new(TableStep::new(backend, value, to)?)))
        }
        TypeData::List { item, typed: false } => {
            let open = types.is_open(from) && unify(types, from, to) == Some(to);
            if from != to && !open {
                return None;
            }
            Some(Unbox::List(ListStep::new(backend, value, item)?))
        }
        // A call with another value leads to another specialization.
        TypeData::LiteralSlice { .. } => Some(Unbox::Skip),
        TypeData::Slice { members } => {
            // One without a step may be passed where one with a step is expected.
            let TypeData::Slice { members: given } = types.get(from) else { return None };
            (given <= members).then_some(Unbox::Slice(given, members))
        }
        TypeData::Optional(inner) if from == Type::NONE => {
            // What a present value would look like is not known: any step of the right size does.
            let absent = || Unbox::Absent(machine_types(types, inner).len());
            Some(Unbox::Optional(Box::new(default_step(types, inner).unwrap_or_else(absent))))
        }
        TypeData::Optional(inner) => Some(Unbox::Optional(Box::new(unboxing(backend, value, from, inner)?))),
        TypeData::Foreign { .. } => {
            (from == to).then(|| Unbox::Foreign(ForeignStep::new(backend, to, Way::In)))
        }
        TypeData::Dispatcher(_) | TypeData::Opaque { .. } | TypeData::Class(_) | TypeData::Function(_)
            if from == to =>
        {
            Some(Unbox::Skip)
        }
        TypeData::NumpyGenerator => {
            (from == to).then(|| Unbox::Generator(value.get_type().as_ptr() as usize))
        }
        TypeData::FunctionValue { .. } => {
            types::convert(types, from, to)?;
            Some(Unbox::Function(FunctionStep { cx: backend.shared_cx(), ty: to }))
        }
        TypeData::StaticDict { types: wanted, .. } => {
            let keywords = value.cast::<Keywords>().ok()?;
            let (_, given) = types.keywords(from)?;
            let values = keywords.get().values(value.py()).iter().zip(given.iter().zip(wanted.iter()));
            let steps: Option<Box<[Unbox]>> =
                values.map(|(item, (&a, &b))| unboxing(backend, &item, a, b)).collect();
            Some(Unbox::Keywords(steps?))
        }
        TypeData::Tuple(wanted) | TypeData::NamedTuple { types: wanted, .. } => {
            let tuple = value.cast::<PyTuple>().ok()?;
            let given = types.elements(from)?;
            let steps: Option<Vec<Unbox>> = tuple
                .iter()
                .zip(given.iter().zip(wanted.iter()))
                .map(|(item, (&a, &b))| unboxing(backend, &item, a, b))
                .collect();
            let steps = steps.filter(|steps| steps.len() == wanted.len())?.into();
            let exact = tuple.is_exact_instance_of::<PyTuple>();
            let class = value.get_type().as_ptr() as usize;
            Some(if exact { Unbox::Tuple(steps) } else { Unbox::NamedTuple(class, steps) })
        }
        _ => None,
    }
}

/// The step for a Python number of this very type.
fn default_step(types: &types::TypeTable, ty: Type) -> Option<Unbox> {
    Some(match ty {
        Type::BOOL => Unbox::Bool,
        _ if ty.is_int() => to_integer(ty),
        Type::FLOAT32 => Unbox::Float32,
        Type::FLOAT64 => Unbox::Float64,
        Type::COMPLEX64 => Unbox::ToComplex64,
        Type::COMPLEX128 => Unbox::Complex128,
        Type::STR => Unbox::Text,
        _ if types.contents(ty).is_some() => Unbox::Int64,
        _ if let TypeData::Enum { value, .. } = types.get(ty) => default_step(types, value)?,
        _ => {
            let elements = types.elements(ty)?;
            let steps: Option<Vec<Unbox>> = elements.iter().map(|&e| default_step(types, e)).collect();
            Unbox::Tuple(steps?.into())
        }
    })
}

/// How the words of a result of type `ty` become a Python value.
pub(crate) fn boxing(backend: &Backend, ty: Type) -> Option<Boxing> {
    let types = &backend.session().types;
    let all = |elements: &Arc<[Type]>| -> Option<Box<[Boxing]>> {
        elements.iter().map(|&element| boxing(backend, element)).collect()
    };
    Some(match ty {
        Type::NONE | Type::UNDEFINED => Boxing::None,
        Type::ELLIPSIS => Boxing::Ellipsis,
        Type::BOOL => Boxing::Bool,
        Type::UINT64 | Type::UINT32 | Type::UINT16 | Type::UINT8 => Boxing::UInt64,
        Type::INT64 => Boxing::Int64,
        _ if let Some((bits, _)) = ty.as_int() => Boxing::NarrowInt(bits),
        Type::FLOAT32 => Boxing::Float32,
        Type::FLOAT64 => Boxing::Float64,
        Type::COMPLEX64 => Boxing::Complex64,
        Type::COMPLEX128 => Boxing::Complex128,
        Type::STR => Boxing::Text,
        _ => match types.get(ty) {
            TypeData::Tuple(elements) => Boxing::Tuple(all(&elements)?),
            TypeData::FixedList(tuple) => Boxing::List(all(&types.elements(tuple)?)?),
            TypeData::NamedTuple { types: elements, class, .. } => {
                Boxing::NamedTuple(backend.class_address(class)?, all(&elements)?)
            }
            TypeData::Enum { class, value, .. } => {
                Boxing::Member(backend.class_address(class)?, Box::new(boxing(backend, value)?))
            }
            TypeData::StaticDict { names, types } => Boxing::Dict(dict_keys(&names)?, all(&types)?),
            TypeData::Optional(inner) => Boxing::Optional(Box::new(boxing(backend, inner)?)),
            TypeData::Dispatcher(handle) => Boxing::Function(backend.reference_address(handle)?),
            TypeData::Closure { function, captures, defaults, optional } => {
                let optional = optional.iter().map(|&number| Boxing::Constant(number)).collect();
                let template = backend.template_address(function)?;
                Boxing::Closure(template, all(&captures)?, all(&defaults)?, optional)
            }
            TypeData::Choice(members) => Boxing::Choice(all(&members)?),
            TypeData::FunctionValue { .. } => Boxing::FunctionValue,
            TypeData::NumpyGenerator => Boxing::Generator,
            TypeData::Caught(_) | TypeData::CaughtTraceback => Boxing::Exception,
            TypeData::CaughtClass => Boxing::ExceptionClass,
            TypeData::PyObject => Boxing::Object,
            TypeData::Buffer(kind, items) => {
                Boxing::Buffer(BufferBoxing::new(kind, ArrayBoxing::new(backend, items)?))
            }
            TypeData::Array(array) => Boxing::Array(ArrayBoxing::new(backend, array)?),
            TypeData::Record(_) | TypeData::Datetime { .. } | TypeData::CharSeq { .. } => {
                Boxing::Item(ItemBoxing::new(backend, ty)?)
            }
            TypeData::List { typed: true, .. } | TypeData::Set { typed: true, .. } => {
                Boxing::Native(typed_container::class_of(backend, ty)?, ty)
            }
            TypeData::Dict { .. } | TypeData::Set { .. } => {
                Boxing::Table(Box::new(TableBoxing::new(backend, ty)?))
            }
            TypeData::List { item, typed: false } => Boxing::Items(ListBoxing::new(backend, item)?),
            TypeData::GeneratorObject { item, result, bound: false, .. } => {
                let (item, result) = (boxing(backend, item)?, boxing(backend, result)?);
                Boxing::Resumed(Box::new(GeneratorBoxing::new(item, result, ty)))
            }
            TypeData::Instance { object, .. } => {
                Boxing::Instance(compiled_classes::class_of(backend, object)?, ty)
            }
            TypeData::Slice { members } => Boxing::Slice(members),
            TypeData::LiteralSlice { start, stop, step } => Boxing::LiteralSlice([start, stop, step]),
            TypeData::Class(of) => Boxing::Dtype(Items::of_type(backend, of)?),
            // An address is a number, as `ctypes` gives it.
            TypeData::Pointer(None) => Boxing::UInt64,
            TypeData::Foreign { .. } => Boxing::Foreign(ForeignStep::new(backend, ty, Way::Out)),
            TypeData::Literal(_) => boxing(backend, types.unliteral(ty))?,
            _ => return None,
        },
    })
}

/// The keys of a dict as C strings; none if one holds a null, which no keyword of the source does.
fn dict_keys(names: &[String]) -> Option<Box<[CString]>> {
    names.iter().map(|name| CString::new(name.as_str()).ok()).collect()
}
