//! Safe wrappers around C API calls that PyO3 has no safe form of.

use ir::BinaryOp;
use pyo3::exceptions::PyBaseException;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::CStr;

type Operator = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;

unsafe extern "C" fn power(left: *mut PyObject, right: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls operators with live objects, under the GIL.
    unsafe { ffi::PyNumber_Power(left, right, ffi::Py_None()) }
}

unsafe extern "C" fn power_in_place(left: *mut PyObject, right: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls operators with live objects, under the GIL.
    unsafe { ffi::PyNumber_InPlacePower(left, right, ffi::Py_None()) }
}

fn operators(op: BinaryOp) -> [Operator; 2] {
    match op {
        BinaryOp::Add => [ffi::PyNumber_Add, ffi::PyNumber_InPlaceAdd],
        BinaryOp::Sub => [ffi::PyNumber_Subtract, ffi::PyNumber_InPlaceSubtract],
        BinaryOp::Mul => [ffi::PyNumber_Multiply, ffi::PyNumber_InPlaceMultiply],
        BinaryOp::TrueDiv => [ffi::PyNumber_TrueDivide, ffi::PyNumber_InPlaceTrueDivide],
        BinaryOp::FloorDiv => [ffi::PyNumber_FloorDivide, ffi::PyNumber_InPlaceFloorDivide],
        BinaryOp::Mod => [ffi::PyNumber_Remainder, ffi::PyNumber_InPlaceRemainder],
        BinaryOp::Pow => [power, power_in_place],
        BinaryOp::Shl => [ffi::PyNumber_Lshift, ffi::PyNumber_InPlaceLshift],
        BinaryOp::Shr => [ffi::PyNumber_Rshift, ffi::PyNumber_InPlaceRshift],
        BinaryOp::And => [ffi::PyNumber_And, ffi::PyNumber_InPlaceAnd],
        BinaryOp::Or => [ffi::PyNumber_Or, ffi::PyNumber_InPlaceOr],
        BinaryOp::Xor => [ffi::PyNumber_Xor, ffi::PyNumber_InPlaceXor],
        BinaryOp::MatMul => [ffi::PyNumber_MatrixMultiply, ffi::PyNumber_InPlaceMatrixMultiply],
    }
}

/// `left op right`, or `left op= right`.
pub(super) fn binary<'py>(
    op: BinaryOp,
    in_place: bool,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let operator = operators(op)[usize::from(in_place)];
    // SAFETY: both operands live; the result is a new reference or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(left.py(), operator(left.as_ptr(), right.as_ptr())) }
}

/// The exception that is being handled, if any.
pub(super) fn handled_exception(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: it gives a new reference or null.
    unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyErr_GetHandledException()) }
        .filter(|handled| !handled.is_none())
}

/// Says which exception is being handled from here on.
pub(super) fn set_handled_exception(exception: Option<&Bound<'_, PyAny>>) {
    let exception = exception.filter(|exception| !exception.is_none());
    // SAFETY: it takes a reference of its own; null means none.
    unsafe { ffi::PyErr_SetHandledException(exception.map_or(std::ptr::null_mut(), |one| one.as_ptr())) };
}

/// The error of raising this exception: with the handled one as its context.
pub(super) fn raised(exception: &Bound<'_, PyBaseException>) -> PyErr {
    // SAFETY: both objects live during the call.
    unsafe { ffi::PyErr_SetObject(exception.get_type().as_ptr(), exception.as_ptr()) };
    PyErr::fetch(exception.py())
}

/// `mapping.update(other)` for anything that has `keys`.
pub(super) fn dict_update(mapping: &Bound<'_, PyDict>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: both objects live during the call.
    match unsafe { ffi::PyDict_Update(mapping.as_ptr(), other.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(mapping.py())),
    }
}

/// A function of a code object, without closure or defaults.
pub(super) fn new_function<'py>(
    code: &Bound<'py, pyo3::types::PyCode>,
    globals: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the types of both are checked by the signature.
    unsafe { Bound::from_owned_ptr_or_err(code.py(), ffi::PyFunction_New(code.as_ptr(), globals.as_ptr())) }
}

/// Gives a new function its cells.
pub(super) fn set_closure(function: &Bound<'_, PyAny>, cells: &Bound<'_, PyTuple>) -> PyResult<()> {
    // SAFETY: the call checks that it is a function and a tuple.
    match unsafe { ffi::PyFunction_SetClosure(function.as_ptr(), cells.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(function.py())),
    }
}

/// Whether `iter(value)` has something to start from.
pub(super) fn is_iterable(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a type lives as long as its objects.
    unsafe { (*value.get_type_ptr()).tp_iter.is_some() || ffi::PySequence_Check(value.as_ptr()) == 1 }
}

/// The name of a value's type as error messages of C show it.
pub(super) fn type_name(value: &Bound<'_, PyAny>) -> String {
    // SAFETY: `tp_name` is a string that ends with 0 and lives as long as the type.
    unsafe { CStr::from_ptr((*value.get_type_ptr()).tp_name) }.to_string_lossy().into_owned()
}
