//! Boxing and unboxing of slices.

use abi::LEFT_OUT;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use types::{Type, TypeData, TypeTable};

/// Start, stop and step of a slice.
fn parts<'py>(slice: &Bound<'py, PySlice>) -> PyResult<[Bound<'py, PyAny>; 3]> {
    Ok([slice.getattr("start")?, slice.getattr("stop")?, slice.getattr("step")?])
}

/// 3 where the type of a slice has a step, else 2.
pub fn members(slice: &Bound<'_, PySlice>) -> PyResult<u8> {
    let step = slice.getattr("step")?;
    Ok(if step.is_none() || step.eq(1)? { 2 } else { 3 })
}

/// The type that holds the slice itself, if its parts are integers of 64 bits.
pub fn literal_type(types: &TypeTable, slice: &Bound<'_, PySlice>) -> PyResult<Option<Type>> {
    let mut found = [None; 3];
    for (slot, part) in found.iter_mut().zip(parts(slice)?) {
        if !part.is_none() {
            let Ok(value) = part.extract::<i64>() else { return Ok(None) };
            *slot = Some(value);
        }
    }
    let [start, stop, step] = found;
    Ok(Some(types.intern(TypeData::LiteralSlice { start, stop, step })))
}

/// The slice that a literal type holds.
pub fn python_slice(py: Python<'_>, parts: [Option<i64>; 3]) -> PyResult<Bound<'_, PyAny>> {
    py.import("builtins")?.getattr("slice")?.call1((parts[0], parts[1], parts[2]))
}

/// Writes the words of a slice with a number of members as one with more; nothing if it is no such slice, or with an exception set
/// if a bound is no integer.
///
/// # Safety
/// The thread is attached to Python, `object` is alive, `out` has room for the words.
pub unsafe fn unbox(object: *mut ffi::PyObject, given: u8, wanted: u8, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller's promise; an object of exactly this class has these fields.
    unsafe {
        if ffi::Py_TYPE(object) != &raw mut ffi::PySlice_Type {
            return None;
        }
        let slice = &*object.cast::<ffi::PySliceObject>();
        let step = part(slice.step)?;
        if (given == 2) != (step == LEFT_OUT || step == 1) {
            return None;
        }
        *out = part(slice.start)? as u64;
        *out.add(1) = part(slice.stop)? as u64;
        if wanted == 3 {
            *out.add(2) = step as u64;
        }
        Some(wanted.into())
    }
}

/// A bound or step as a word; nothing with an exception set if it is no integer of 64 bits.
unsafe fn part(object: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: the caller passes a live object on an attached thread.
    unsafe {
        if object == ffi::Py_None() {
            return Some(LEFT_OUT);
        }
        if ffi::PyIndex_Check(object) == 0 {
            let message = c"slice indices must be integers or None or have an __index__ method";
            ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr());
            return None;
        }
        let value = ffi::PyNumber_AsSsize_t(object, ffi::PyExc_OverflowError);
        if value == -1 && !ffi::PyErr_Occurred().is_null() {
            return None;
        }
        Some((value as i64).max(LEFT_OUT + 1))
    }
}

/// A new reference to a slice, or null with an exception set.
///
/// # Safety
/// The thread is attached to Python; there are this many words.
pub unsafe fn make(words: *const u64, members: u8) -> *mut ffi::PyObject {
    let part = |index: u8| {
        // SAFETY: the caller's promise.
        let value = if index < members { unsafe { *words.add(index.into()) as i64 } } else { LEFT_OUT };
        (value != LEFT_OUT).then_some(value)
    };
    // SAFETY: the caller's promise.
    unsafe { make_literal(&[part(0), part(1), part(2)]) }
}

/// The same of known parts.
///
/// # Safety
/// The thread is attached to Python.
pub(crate) unsafe fn make_literal(parts: &[Option<i64>; 3]) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    let py = unsafe { Python::assume_attached() };
    match python_slice(py, *parts) {
        Ok(slice) => slice.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}
