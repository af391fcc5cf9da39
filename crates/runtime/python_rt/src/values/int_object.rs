//! Reads and creates Python integers, without C API calls where the layout allows it.

use pyo3::ffi;
use std::ffi::c_int;

#[cfg(Py_3_12)]
#[repr(C)]
struct LongLayout {
    ob_base: ffi::PyObject,
    /// Number of digits above three bits of flags; the lowest two are 0 for a positive number, 1
    /// for zero and 2 for a negative one.
    tag: usize,
    digit: u32,
}

#[cfg(not(Py_3_12))]
#[repr(C)]
struct LongLayout {
    /// `ob_size` is the number of digits, negative for a negative number.
    ob_base: ffi::PyVarObject,
    digit: u32,
}

/// The value, if it has one digit at most (less than 2**30 in magnitude).
///
/// # Safety
/// `object` is an `int` (or of a subclass).
#[inline(always)]
unsafe fn compact(object: *mut ffi::PyObject) -> Option<i64> {
    let long = object.cast::<LongLayout>();
    #[cfg(Py_3_12)]
    // SAFETY: the caller's promise: an `int` is laid out so.
    unsafe {
        let tag = (*long).tag;
        (tag < 2 << 3).then(|| (1 - (tag & 3) as i64) * i64::from((*long).digit))
    }
    #[cfg(not(Py_3_12))]
    // SAFETY: the caller's promise: an `int` is laid out so.
    unsafe {
        let size = (*long).ob_base.ob_size;
        (size.unsigned_abs() < 2).then(|| size as i64 * i64::from((*long).digit))
    }
}

/// The value, if it fits.
///
/// # Safety
/// The thread is attached to Python and `object` is an `int` (or of a subclass).
#[inline(always)]
pub unsafe fn to_i64(object: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: the caller's promise.
    if let Some(value) = unsafe { compact(object) } {
        return Some(value);
    }
    let mut overflow: c_int = 0;
    // Cannot fail: it is an int, and a value out of range is reported by `overflow`.
    // SAFETY: the caller's promise.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow) };
    (overflow == 0).then_some(value)
}

/// The value, if it is in `0..2**64`; no exception is left behind otherwise.
///
/// # Safety
/// As for [`to_i64`].
#[cold]
pub unsafe fn to_u64(object: *mut ffi::PyObject) -> Option<u64> {
    // SAFETY: the caller's promise.
    let value = unsafe { ffi::PyLong_AsUnsignedLongLong(object) };
    // SAFETY: as above.
    if value == u64::MAX && !unsafe { ffi::PyErr_Occurred() }.is_null() {
        // SAFETY: as above.
        unsafe { ffi::PyErr_Clear() };
        return None;
    }
    Some(value)
}
