//! The type of a Python value in compiled code.
//!
//! Absent: values that only the compiler knows (`BoxingCx::type_of_other`).

use super::BoxingCx;
use super::lists;
use super::object_arrays;
use super::scalars::scalar_row;
use super::table_class;
use crate::values::buffers;
use crate::values::closure_object;
use crate::values::generator;
use crate::values::kwargs::Keywords;
use crate::values::ndarray;
use crate::values::numpy_scalar;
use crate::values::objects;
use crate::values::rng;
use crate::values::slices;
use crate::values::typed_container;
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyComplex, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySlice, PyString, PyTuple, PyType,
};
use types::{Type, TypeData, unify};

/// The most elements of a tuple: each is a parameter of the machine code.
pub const LONGEST_TUPLE: usize = 1000;

/// The type of a value as an argument; TypeError if it has none.
pub fn type_of(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>) -> PyResult<Type> {
    type_within(cx, value, 0)
}

/// How deep tuples may be nested: what is done with types recurses on them.
const DEEPEST: usize = 200;

/// The same for a value nested this deep in tuples.
pub fn type_within(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Type> {
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
        return Ok(cx.registries().types.list(type_of_items(cx, list, depth + 1)?));
    }
    if let Some(ty) = objects::type_of(value) {
        return Ok(ty);
    }
    if let Some(ty) = closure_object::type_of(value) {
        return Ok(ty);
    }
    if let Some(ty) = cx.type_of_own_class(value)? {
        return Ok(ty);
    }
    let class = value.get_type();
    if let Some((ty, _)) = scalar_row(&class) {
        return Ok(ty);
    }
    if let Some(handle) = cx.compiled_function(value) {
        return Ok(cx.registries().types.intern(TypeData::Dispatcher(handle)));
    }
    if let Ok(keywords) = value.cast::<Keywords>() {
        return type_of_keywords(cx, keywords, depth);
    }
    if let Some(ty) = numpy_scalar::type_of(cx.registries(), value)? {
        return Ok(ty);
    }
    if ndarray::is_array(value) {
        let types = &cx.registries().types;
        return match ndarray::type_of(types, value) {
            Ok(array) => Ok(types.intern(TypeData::Array(array))),
            Err(error) => type_of_object_array(cx, value)?.ok_or(error),
        };
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("tuples are nested more than {DEEPEST} deep")));
        }
        return type_of_tuple(cx, tuple, &class, depth + 1);
    }
    if let Some(ty) = typed_container::type_of(value) {
        return ty;
    }
    if let Some(ty) = generator::type_of(value) {
        return Ok(ty);
    }
    if lists::is_deque(value) {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("containers are nested more than {DEEPEST} deep")));
        }
        let item = type_of_items(cx, &lists::items_of(value)?, depth + 1)?;
        return Ok(cx.registries().types.deque(item));
    }
    if table_class::is_table(value) {
        if depth == DEEPEST {
            return Err(PyRecursionError::new_err(format!("containers are nested more than {DEEPEST} deep")));
        }
        return type_of_table(cx, value, depth + 1);
    }
    if let Some(ty) = cx.type_of_member(value)? {
        return Ok(ty);
    }
    if let Some(ty) = type_of_subclass(value)? {
        return Ok(ty);
    }
    if let Ok(slice) = value.cast::<PySlice>() {
        let members = slices::members(slice)?;
        return Ok(cx.registries().types.intern(TypeData::Slice { members }));
    }
    if let Some(ty) = buffers::type_of(&cx.registries().types, value)? {
        return Ok(ty);
    }
    if rng::is_generator(value)? {
        return Ok(cx.registries().types.intern(TypeData::NumpyGenerator));
    }
    if let Some(ty) = cx.type_of_other(value, depth)? {
        return Ok(ty);
    }
    Err(PyTypeError::new_err(format!("cannot determine the type of a value of class '{}'", class.name()?)))
}

/// The addresses of the classes of a value and, in a tuple, of its elements, in depth-first order.
pub fn classes(value: &Bound<'_, PyAny>) -> Vec<usize> {
    let mut found = vec![value.get_type().as_ptr() as usize];
    if let Ok(tuple) = value.cast::<PyTuple>() {
        found.extend(tuple.iter().flat_map(|item| classes(&item)));
    } else if let Ok(keywords) = value.cast::<Keywords>() {
        found.extend(keywords.get().values(value.py()).iter().flat_map(|item| classes(&item)));
    }
    found
}

/// The type of what a call passes to `**kwargs`.
fn type_of_keywords(cx: &dyn BoxingCx, keywords: &Bound<'_, Keywords>, depth: usize) -> PyResult<Type> {
    let py = keywords.py();
    let (names, values) = (keywords.get().names(py)?, keywords.get().values(py));
    let types: Vec<Type> =
        values.iter().map(|value| type_within(cx, &value, depth)).collect::<PyResult<_>>()?;
    let data = TypeData::StaticDict { names: names.into(), types: types.into() };
    Ok(cx.registries().types.intern(data))
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
pub(super) fn is_derived_number(value: &Bound<'_, PyAny>) -> bool {
    let of = |base: bool, exact: bool| base && !exact;
    of(value.is_instance_of::<PyInt>(), value.is_exact_instance_of::<PyInt>())
        && !value.is_exact_instance_of::<PyBool>()
        || of(value.is_instance_of::<PyFloat>(), value.is_exact_instance_of::<PyFloat>())
        || of(value.is_instance_of::<PyComplex>(), value.is_exact_instance_of::<PyComplex>())
}

fn type_of_tuple(
    cx: &dyn BoxingCx,
    tuple: &Bound<'_, PyTuple>,
    class: &Bound<'_, PyType>,
    depth: usize,
) -> PyResult<Type> {
    let types = &cx.registries().types;
    if tuple.len() > LONGEST_TUPLE {
        return Err(PyTypeError::new_err(format!("a tuple of more than {LONGEST_TUPLE} elements")));
    }
    let mut elements: Vec<Type> =
        tuple.iter().map(|item| type_within(cx, &item, depth)).collect::<PyResult<_>>()?;
    let are_functions = |&ty: &Type| types.functions(ty).is_some() || types.is_function_value(ty);
    if elements.first().is_some_and(are_functions) {
        let items: Vec<_> = tuple.iter().collect();
        if let Some(common) = cx.common_function_type(&items, &elements)? {
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
        class: cx.registries().handle_of_class(class),
    }))
}

/// The items of a list have the type of the first one; of items that are empty themselves, those after them tell more.
fn type_of_items(cx: &dyn BoxingCx, list: &Bound<'_, PyList>, depth: usize) -> PyResult<Type> {
    let types = &cx.registries().types;
    let item = item_type(cx, list, depth)?;
    if cx.layout(item).is_none() {
        let message = format!("a list of {} cannot be passed to compiled code", types.name(item));
        return Err(PyTypeError::new_err(message));
    }
    Ok(item)
}

/// The type of the items of a container: that of the first one, or a union where others are of unrelated types, or None.
fn item_type(cx: &dyn BoxingCx, items: &Bound<'_, PyList>, depth: usize) -> PyResult<Type> {
    let types = &cx.registries().types;
    let first = common_type(cx, &mut items.iter(), depth)?;
    let is_object = types.classes(types.without_none(first)).is_some();
    if is_object || types.is_open(types.list(first)) || is_uniform(items) {
        return Ok(first);
    }
    let mut seen: Vec<*mut ffi::PyTypeObject> = Vec::new();
    let mut all = vec![first];
    for item in items.iter() {
        let class = item.get_type_ptr();
        if !seen.contains(&class) {
            seen.push(class);
            all.push(types.unliteral(type_within(cx, &item, depth)?));
        }
    }
    // Numbers alone are converted, or refused, one by one.
    let present = all.iter().copied().find(|&ty| ty != Type::NONE).unwrap_or(first);
    let or_none = if all.contains(&Type::NONE) { types.optional(present) } else { present };
    let joined = types.union_of_values(&all).unwrap_or(or_none);
    Ok(if cx.layout(joined).is_some() { joined } else { first })
}

/// Whether all values of a dict are of one class.
fn has_uniform_values(dict: &Bound<'_, PyDict>) -> bool {
    let (mut at, mut value, mut class) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the thread is attached, and no Python code runs while the values are looked at.
    unsafe {
        while ffi::PyDict_Next(dict.as_ptr(), &mut at, std::ptr::null_mut(), &mut value) != 0 {
            let own = ffi::Py_TYPE(value);
            if class != own && !class.is_null() {
                return false;
            }
            class = own;
        }
    }
    true
}

/// Whether all items of a list are of one class.
fn is_uniform(items: &Bound<'_, PyList>) -> bool {
    // SAFETY: the thread is attached, and no Python code runs while the items are looked at.
    unsafe {
        let class = |at: usize| ffi::Py_TYPE(ffi::PyList_GET_ITEM(items.as_ptr(), at as ffi::Py_ssize_t));
        (1..items.len()).all(|at| class(at) == class(0))
    }
}

/// The type of the first item that tells all. Objects may be of several classes, and None: all of them are looked at.
fn common_type<'py>(
    cx: &dyn BoxingCx,
    items: &mut dyn Iterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> PyResult<Type> {
    let types = &cx.registries().types;
    let is_object = |ty: Type| types.classes(types.without_none(ty)).is_some();
    let mut common = Type::UNDEFINED;
    let mut seen: Vec<*mut ffi::PyTypeObject> = Vec::new();
    for item in items {
        let class = item.get_type_ptr();
        if seen.contains(&class) {
            continue;
        }
        let found = types.unliteral(type_within(cx, &item, depth)?);
        let joined = unify(types, common, found);
        common = joined.filter(|&ty| common != Type::NONE || is_object(ty)).unwrap_or(common);
        if is_object(common) || common == Type::NONE {
            seen.push(class);
        } else if !types.is_open(types.list(common)) {
            break;
        }
    }
    Ok(common)
}

/// A dict has the types of its first key and value, a set that of an item; items that are empty themselves tell less than others.
fn type_of_table(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Type> {
    let types = &cx.registries().types;
    let common = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| common_type(cx, items, depth);
    let ty = match value.cast::<PyDict>() {
        Ok(dict) => {
            let empty = table_class::empty(types, dict, |factory| cx.value_type(factory))?;
            let first = dict.iter().next();
            let known = match first {
                Some((key, value)) => {
                    Some((common(&mut [key].into_iter())?, common(&mut [value].into_iter())?))
                }
                None => None,
            };
            let is_told = |ty: Type| !types.is_open(types.list(ty)) && types.classes(ty).is_none();
            let (key, value) = match known {
                Some((key, value)) if is_told(value) && has_uniform_values(dict) => (key, value),
                _ => (common(&mut dict.keys().iter())?, item_type(cx, &dict.values(), depth)?),
            };
            types.with_contents(empty, &[key, value]).unwrap_or(empty)
        }
        Err(_) => {
            let item = common(&mut value.try_iter()?.flatten())?;
            if value.is_instance_of::<PyFrozenSet>() { types.frozenset(item) } else { types.set(item) }
        }
    };
    let by_fields = types.contents(ty).is_some_and(|contents| types.is_key_by_fields(contents[0]));
    if by_fields || cx.entries(ty).is_none() {
        let message = format!("a value of type {} cannot be passed to compiled code", types.name(ty));
        return Err(PyTypeError::new_err(message));
    }
    Ok(ty)
}

/// The type of an array whose items are objects of compiled classes, or None.
fn type_of_object_array(cx: &dyn BoxingCx, array: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if !array.getattr(intern!(array.py(), "dtype"))?.getattr(intern!(array.py(), "kind"))?.eq("O")? {
        return Ok(None);
    }
    let types = &cx.registries().types;
    let mut item = Type::UNDEFINED;
    for value in &object_arrays::items_of(array)? {
        if value.is_none() {
            continue;
        }
        let Ok(Some(one)) = type_of(cx, &value).map(|ty| types.item_of_objects(ty)) else { return Ok(None) };
        match unify(types, item, one) {
            Some(joined) => item = joined,
            None => return Ok(None),
        }
    }
    let ndim = array.getattr(intern!(array.py(), "ndim"))?.extract()?;
    let mutable = array.getattr(intern!(array.py(), "flags"))?.getattr(intern!(array.py(), "writeable"))?;
    Ok((item != Type::UNDEFINED)
        .then(|| types.object_array(item, ndim, mutable.is_truthy().unwrap_or(false))))
}
