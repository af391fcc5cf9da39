//! Calls that profilers see (`_enable_sysmon`): they go through a Python function that has the name and the place of the
//! decorated one, so that `cProfile`, `sys.setprofile` and `sys.monitoring` hear of them as of any other function's.

use super::DispatcherObject;
use super::class::replace;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use python_rt::panic_guard;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// Whether calls are watched.
pub(super) unsafe extern "C" fn get(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    panic_guard::enter("_enable_sysmon", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher, under the GIL.
        let is_watched = unsafe { !(*object.cast::<DispatcherObject>()).watched.is_null() };
        Ok(PyBool::new(py, is_watched).to_owned().into_any().into_ptr())
    })
}

/// Has calls watched, or not.
pub(super) unsafe extern "C" fn set(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    _: *mut c_void,
) -> c_int {
    panic_guard::enter("_enable_sysmon", -1, |py| {
        // SAFETY: Python calls this with a live dispatcher, and null to delete the attribute.
        let is_on = !value.is_null() && unsafe { Bound::from_borrowed_ptr(py, value) }.is_truthy()?;
        let stands_in = match is_on {
            true => {
                // SAFETY: as above.
                let dispatcher = unsafe { Bound::from_borrowed_ptr(py, object) };
                py.import("rumba.dispatch.watching")?.call_method1("stand_in", (dispatcher,))?.into_ptr()
            }
            false => null_mut(),
        };
        // SAFETY: as above; the field owns what it gets.
        unsafe {
            let raw = object.cast::<DispatcherObject>();
            (*raw).vectorcall = if is_on { call } else { (*raw).unwatched };
            replace(&raw mut (*raw).watched, stands_in);
        }
        Ok(0)
    })
}

/// The vectorcall slot where calls are watched.
unsafe extern "C" fn call(
    callable: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    nargsf: usize,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the vectorcall protocol; the function lives as long as it runs.
    unsafe {
        let watched = ffi::Py_NewRef((*callable.cast::<DispatcherObject>()).watched);
        let result = ffi::PyObject_Vectorcall(watched, args, nargsf, kwnames);
        ffi::Py_DECREF(watched);
        result
    }
}

/// The call itself, for the function that stands for the dispatcher.
pub(super) unsafe extern "C" fn call_unwatched(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the fastcall protocol, which are those of a vectorcall without room before them.
    unsafe { ((*object.cast::<DispatcherObject>()).unwatched)(object, args, count as usize, kwnames) }
}
