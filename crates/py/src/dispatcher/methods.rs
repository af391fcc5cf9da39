//! What Python code can ask of a dispatcher, beyond calling it.

use super::DispatcherObject;
use crate::guard;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

/// `Dispatcher(<function f at 0x...>)`.
pub(super) unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guard::enter("repr", null_mut(), |py| {
        let function = unsafe { Bound::from_borrowed_ptr(py, (*raw(object)).function) };
        Ok(PyString::new(py, &format!("Dispatcher({})", function.repr()?)).into_ptr())
    })
}

pub(super) fn methods() -> Vec<ffi::PyMethodDef> {
    let method = |name: &'static CStr, meth, flags: c_int, doc: &'static CStr| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: meth },
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    };
    vec![
        method(c"compile", compile, ffi::METH_O, c"Compile for a signature, ahead of the first call."),
        method(
            c"disable_compile",
            disable_compile,
            ffi::METH_O,
            c"Whether calls are served by what is compiled already, alone.",
        ),
        method(c"recompile", recompile, ffi::METH_NOARGS, c"Forget every specialization."),
        method(c"_unit_metadata", metadata, ffi::METH_O, c"Metadata of a specialization, by number."),
        method(c"_unit_stage", stage, ffi::METH_O, c"Text of a stage, by (number, name)."),
        ffi::PyMethodDef::zeroed(),
    ]
}

pub(super) fn getters() -> Vec<ffi::PyGetSetDef> {
    let end = ffi::PyGetSetDef::default();
    vec![
        ffi::PyGetSetDef {
            name: c"__dict__".as_ptr(),
            get: Some(ffi::PyObject_GenericGetDict),
            set: Some(ffi::PyObject_GenericSetDict),
            ..end
        },
        ffi::PyGetSetDef {
            name: c"signatures".as_ptr(),
            get: Some(signatures),
            doc: c"The signatures compiled so far, oldest first.".as_ptr(),
            ..end
        },
        end,
    ]
}

fn raw(object: *mut ffi::PyObject) -> *mut DispatcherObject {
    object.cast()
}

fn none(py: Python<'_>) -> *mut ffi::PyObject {
    py.None().into_ptr()
}

unsafe extern "C" fn signatures(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    guard::enter("signatures", null_mut(), |py| {
        let units = unsafe { (*raw(object)).target(py)? }.units;
        let list = PyList::empty(py);
        for unit in units {
            list.append(unit.signature(py)?)?;
        }
        Ok(list.into_ptr())
    })
}

unsafe extern "C" fn compile(
    object: *mut ffi::PyObject,
    signature: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guard::enter("compile", null_mut(), |py| {
        let (target, state) = unsafe { ((*raw(object)).target(py)?, (*raw(object)).state()) };
        let signature = unsafe { Bound::from_borrowed_ptr(py, signature) };
        let unit = state.compiler.compile_signature(&target, &signature)?;
        state.add_unit(unit);
        Ok(none(py))
    })
}

unsafe extern "C" fn disable_compile(
    object: *mut ffi::PyObject,
    flag: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guard::enter("disable_compile", null_mut(), |py| {
        let flag = unsafe { Bound::from_borrowed_ptr(py, flag) }.is_truthy()?;
        unsafe { (*raw(object)).state() }.may_compile.set(!flag);
        Ok(none(py))
    })
}

unsafe extern "C" fn recompile(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guard::enter("recompile", null_mut(), |py| {
        unsafe { (*raw(object)).forget() };
        Ok(none(py))
    })
}

unsafe extern "C" fn metadata(object: *mut ffi::PyObject, number: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guard::enter("get_metadata", null_mut(), |py| {
        let number: usize = unsafe { Bound::from_borrowed_ptr(py, number) }.extract()?;
        let units = unsafe { (*raw(object)).target(py)? }.units;
        let unit = units.get(number).ok_or_else(no_such_unit)?;
        Ok(unit.metadata(py)?.into_ptr())
    })
}

unsafe extern "C" fn stage(object: *mut ffi::PyObject, which: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guard::enter("inspect", null_mut(), |py| {
        let which = unsafe { Bound::from_borrowed_ptr(py, which) };
        let (number, name): (usize, String) = which
            .extract()
            .map_err(|_| PyTypeError::new_err("expected (number of a specialization, name of a stage)"))?;
        let units = unsafe { (*raw(object)).target(py)? }.units;
        let unit = units.get(number).ok_or_else(no_such_unit)?;
        Ok(match unit.inspect(&name) {
            Some(text) => PyString::new(py, &text).into_ptr(),
            None => none(py),
        })
    })
}

fn no_such_unit() -> PyErr {
    PyIndexError::new_err("no such specialization")
}
