//! What CPython's bytecode does with objects beyond one call of its C API, with the same messages: operators, unpacking, starred
//! parts of displays and calls.
//!
//! Compiled code and the interpreter of Untyped functions share it. Absent: owner words (`callbacks::object_ops`).

use abi::objects::Operator;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::ffi::CStr;

/// A new reference to what an operator makes of one object or two, or null with an exception set.
///
/// # Safety
/// The objects live, the second is null where there is one, and the thread is attached to Python.
pub unsafe fn apply(operator: Operator, a: *mut PyObject, b: *mut PyObject) -> *mut PyObject {
    // SAFETY: the caller's promise.
    unsafe {
        match operator {
            Operator::Add => ffi::PyNumber_Add(a, b),
            Operator::Sub => ffi::PyNumber_Subtract(a, b),
            Operator::Mul => ffi::PyNumber_Multiply(a, b),
            Operator::TrueDiv => ffi::PyNumber_TrueDivide(a, b),
            Operator::FloorDiv => ffi::PyNumber_FloorDivide(a, b),
            Operator::Mod => ffi::PyNumber_Remainder(a, b),
            Operator::Pow => ffi::PyNumber_Power(a, b, ffi::Py_None()),
            Operator::Shl => ffi::PyNumber_Lshift(a, b),
            Operator::Shr => ffi::PyNumber_Rshift(a, b),
            Operator::And => ffi::PyNumber_And(a, b),
            Operator::Or => ffi::PyNumber_Or(a, b),
            Operator::Xor => ffi::PyNumber_Xor(a, b),
            Operator::MatMul => ffi::PyNumber_MatrixMultiply(a, b),
            Operator::InplaceAdd => ffi::PyNumber_InPlaceAdd(a, b),
            Operator::InplaceSub => ffi::PyNumber_InPlaceSubtract(a, b),
            Operator::InplaceMul => ffi::PyNumber_InPlaceMultiply(a, b),
            Operator::InplaceTrueDiv => ffi::PyNumber_InPlaceTrueDivide(a, b),
            Operator::InplaceFloorDiv => ffi::PyNumber_InPlaceFloorDivide(a, b),
            Operator::InplaceMod => ffi::PyNumber_InPlaceRemainder(a, b),
            Operator::InplacePow => ffi::PyNumber_InPlacePower(a, b, ffi::Py_None()),
            Operator::InplaceShl => ffi::PyNumber_InPlaceLshift(a, b),
            Operator::InplaceShr => ffi::PyNumber_InPlaceRshift(a, b),
            Operator::InplaceAnd => ffi::PyNumber_InPlaceAnd(a, b),
            Operator::InplaceOr => ffi::PyNumber_InPlaceOr(a, b),
            Operator::InplaceXor => ffi::PyNumber_InPlaceXor(a, b),
            Operator::InplaceMatMul => ffi::PyNumber_InPlaceMatrixMultiply(a, b),
            Operator::Neg => ffi::PyNumber_Negative(a),
            Operator::Pos => ffi::PyNumber_Positive(a),
            Operator::Invert => ffi::PyNumber_Invert(a),
            Operator::Lt => ffi::PyObject_RichCompare(a, b, ffi::Py_LT),
            Operator::Le => ffi::PyObject_RichCompare(a, b, ffi::Py_LE),
            Operator::Eq => ffi::PyObject_RichCompare(a, b, ffi::Py_EQ),
            Operator::Ne => ffi::PyObject_RichCompare(a, b, ffi::Py_NE),
            Operator::Gt => ffi::PyObject_RichCompare(a, b, ffi::Py_GT),
            Operator::Ge => ffi::PyObject_RichCompare(a, b, ffi::Py_GE),
            Operator::Getitem => ffi::PyObject_GetItem(a, b),
            Operator::Iter => ffi::PyObject_GetIter(a),
            Operator::Format => ffi::PyObject_Format(a, b),
            Operator::Str => ffi::PyObject_Str(a),
            Operator::Repr => ffi::PyObject_Repr(a),
            Operator::Ascii => ffi::PyObject_ASCII(a),
        }
    }
}

/// The same of two operands.
pub fn binary<'py>(
    operator: Operator,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: both operands live; the result is a new reference or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(left.py(), apply(operator, left.as_ptr(), right.as_ptr())) }
}

/// Whether `iter(value)` has something to start from.
pub fn is_iterable(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a type lives as long as its objects.
    unsafe { (*value.get_type_ptr()).tp_iter.is_some() || ffi::PySequence_Check(value.as_ptr()) == 1 }
}

/// The name of a value's type as error messages of C show it.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    // SAFETY: `tp_name` is a string that ends with 0 and lives as long as the type.
    unsafe { CStr::from_ptr((*value.get_type_ptr()).tp_name) }.to_string_lossy().into_owned()
}

/// An error of `body`, or the message for a value that cannot be iterated over.
fn iterated<T>(
    value: &Bound<'_, PyAny>,
    outcome: PyResult<T>,
    message: impl FnOnce(&str) -> String,
) -> PyResult<T> {
    match outcome {
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) && !is_iterable(value) => {
            Err(PyTypeError::new_err(message(&type_name(value))))
        }
        outcome => outcome,
    }
}

/// `a, b = value`: exactly so many items; with an index of a starred name, a list of all between the others there.
///
/// # Errors
/// ValueError for too few or too many items, TypeError for what is not iterable, or what the iterator raises.
pub fn unpack<'py>(
    value: &Bound<'py, PyAny>,
    count: usize,
    star: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let started = value.try_iter();
    let mut iterator = iterated(value, started, |kind| format!("cannot unpack non-iterable {kind} object"))?;
    let too_few = |got: usize| {
        let expected = if star.is_some() { format!("at least {}", count - 1) } else { count.to_string() };
        PyValueError::new_err(format!("not enough values to unpack (expected {expected}, got {got})"))
    };
    let before = star.unwrap_or(count);
    let mut items = Vec::with_capacity(count);
    while items.len() < before {
        match iterator.next().transpose()? {
            Some(item) => items.push(item),
            None => return Err(too_few(items.len())),
        }
    }
    if star.is_none() {
        return match iterator.next().transpose()? {
            Some(_) => Err(PyValueError::new_err(format!("too many values to unpack (expected {count})"))),
            None => Ok(items),
        };
    }
    let rest = iterator.collect::<PyResult<Vec<_>>>()?;
    let Some(split) = rest.len().checked_sub(count - before - 1) else {
        return Err(too_few(before + rest.len()));
    };
    items.push(PyList::new(value.py(), &rest[..split])?.into_any());
    items.extend_from_slice(&rest[split..]);
    Ok(items)
}

/// `[*items]`: extends a list.
///
/// # Errors
/// TypeError for what is not iterable, or what the iterator raises.
pub fn extend_list(list: &Bound<'_, PyList>, items: &Bound<'_, PyAny>) -> PyResult<()> {
    let outcome = list.call_method1("extend", (items,)).map(drop);
    iterated(items, outcome, |kind| format!("Value after * must be an iterable, not {kind}"))
}

/// `{**mapping}`: updates a dict.
///
/// # Errors
/// TypeError for what is no mapping, or what the mapping raises.
pub fn update_dict(dict: &Bound<'_, PyDict>, mapping: &Bound<'_, PyAny>) -> PyResult<()> {
    match merge(dict, mapping) {
        Err(error) if error.is_instance_of::<PyAttributeError>(dict.py()) => {
            Err(PyTypeError::new_err(format!("'{}' object is not a mapping", type_name(mapping))))
        }
        outcome => outcome,
    }
}

/// `dict.update(mapping)` for anything that has `keys`; AttributeError for what has none.
///
/// # Errors
/// What the mapping raises.
pub fn merge(dict: &Bound<'_, PyDict>, mapping: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: both objects live during the call.
    match unsafe { ffi::PyDict_Update(dict.as_ptr(), mapping.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(dict.py())),
    }
}

/// `callee(*args)` and `callee(*args, **keywords)`
///
/// # Errors
/// TypeError for arguments that are not iterable, or are no mapping, or what the call raises.
pub fn call_starred<'py>(
    callee: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    keywords: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = keywords.map(|keywords| keyword_dict(callee, keywords)).transpose()?;
    let args = match args.cast::<PyTuple>() {
        Ok(args) => args.clone(),
        Err(_) => PyTuple::new(callee.py(), star_items(callee, args)?)?,
    };
    callee.call(args, keywords.as_ref())
}

fn star_items<'py>(callee: &Bound<'py, PyAny>, args: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if !is_iterable(args) {
        let (callee, kind) = (describe(callee)?, type_name(args));
        let message = format!("{callee} argument after * must be an iterable, not {kind}");
        return Err(PyTypeError::new_err(message));
    }
    args.try_iter()?.collect()
}

fn keyword_dict<'py>(callee: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(dict) = value.cast_exact::<PyDict>() {
        return Ok(dict.clone());
    }
    let dict = PyDict::new(callee.py());
    match merge(&dict, value) {
        Err(error) if error.is_instance_of::<PyAttributeError>(callee.py()) => {
            Err(no_mapping(callee, value)?)
        }
        outcome => outcome.map(|()| dict),
    }
}

/// The error of `callee(**value)` for a value that is no mapping.
///
/// # Errors
/// What the callee raises while it is asked for its name.
pub fn no_mapping(callee: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let (callee, kind) = (describe(callee)?, type_name(value));
    Ok(PyTypeError::new_err(format!("{callee} argument after ** must be a mapping, not {kind}")))
}

/// A callable as messages about its arguments name it.
///
/// # Errors
/// What the callable raises while it is asked for its name.
pub fn describe(callee: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(name) = callee.getattr("__qualname__") else {
        return callee.str().map(|text| text.to_string());
    };
    match callee.getattr("__module__") {
        Ok(module) if !module.is_none() && !module.eq("builtins")? => Ok(format!("{module}.{name}()")),
        _ => Ok(format!("{name}()")),
    }
}
