//! Values of compiled code as Python objects, and back; objects by name.
//!
//! Absent: how values of a type become objects (`plan`), operations on objects (`object_ops`).

use crate::callbacks::RuntimeContext;
use crate::callbacks::unbox_value::take_by;
use crate::panic_guard;
use crate::plan::keepalive::{object_of, own_object};
use crate::python_state::attached;
use crate::values::extension_types::raised;
use entity::EntityRef;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use types::Type;

/// The exception is set in Python.
const RAISED: u64 = 1;

const DONE: u64 = 0;

/// # Safety
/// `context` is the context of the code that calls this, and the words are those of a value of the type with this number, which
/// gives up what they hold.
pub(super) unsafe extern "C" fn box_object(context: *const c_void, ty: u64, words: *const u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let usual = match Type::new(ty as usize) {
                Type::INT64 => ffi::PyLong_FromLongLong(*words as i64),
                Type::FLOAT64 => ffi::PyFloat_FromDouble(f64::from_bits(*words)),
                Type::BOOL => ffi::PyBool_FromLong((*words & 1) as i64),
                Type::NONE => {
                    ffi::Py_INCREF(ffi::Py_None());
                    ffi::Py_None()
                }
                _ => return panic_guard::enter("boxing", 0, |py| box_any(py, context, ty, words)),
            };
            own_object(usual)
        })
    }
}

unsafe fn box_any(py: Python<'_>, context: *const c_void, ty: u64, words: *const u64) -> PyResult<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        let cx = RuntimeContext::at(context).cx();
        let ty = Type::new(ty as usize);
        let boxing = cx.boxing(ty).ok_or_else(|| {
            let name = cx.registries().types.name(ty);
            PyTypeError::new_err(format!("a value of type {name} cannot be passed to Python code"))
        })?;
        match own_object(boxing.make(words)) {
            0 => Err(raised(py, "a boxing function")),
            word => Ok(word),
        }
    }
}

/// # Safety
/// As for [`box_object`]; the object lives, and there is room for the words.
pub(super) unsafe extern "C" fn unbox_object(
    context: *const c_void,
    ty: u64,
    object: u64,
    out: *mut u64,
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            panic_guard::enter("unboxing", RAISED, |py| {
                let cx = RuntimeContext::at(context).cx();
                let value = Bound::from_borrowed_ptr(py, object_of(object));
                let ty = Type::new(ty as usize);
                match take_by(cx, &value, ty, out) {
                    Ok(_) => Ok(DONE),
                    Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                        let class = value.get_type().name()?;
                        let wanted = cx.registries().types.name_in_messages(ty);
                        let said = PyTypeError::new_err(format!("expected {wanted}, got {class}"));
                        said.set_cause(py, Some(error));
                        Err(said)
                    }
                    Err(error) => Err(error),
                }
            })
        })
    }
}

/// # Safety
/// The text is in UTF-8.
pub(super) unsafe extern "C" fn named(name: *const u8, length: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            panic_guard::enter("an object by its name", 0, |py| {
                let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, length as usize));
                Ok(own_object(find(py, name)?.into_ptr()))
            })
        })
    }
}

/// A module by its name, or what is in one.
fn find<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Some((module, attribute)) = name.rsplit_once('.') {
        if let Ok(outer) = find(py, module) {
            if let Ok(found) = outer.getattr(attribute) {
                return Ok(found);
            }
        }
    }
    Ok(py.import(name)?.into_any())
}

/// How many names are found at once.
const NAMES: usize = 1024;

/// Names that compiled code asked for, by the address of the text. All who look have Python's lock.
struct Names(UnsafeCell<[(usize, *mut PyObject); NAMES]>);

// SAFETY: Python's lock guards it.
unsafe impl Sync for Names {}

static KEPT: Names = Names(UnsafeCell::new([(0, std::ptr::null_mut()); NAMES]));

/// The interned text at an address, which lives as long as the process: there are as many as names in programs. Null with an exception
/// set for want of memory. The text of one address may become another one, when code is freed, so what is kept is compared.
///
/// # Safety
/// The thread is attached to Python, and the text is in UTF-8.
pub(super) unsafe fn name_object(text: *const u8, length: u64) -> *mut PyObject {
    // SAFETY: the caller's promise; nothing in between gives up Python's lock.
    unsafe {
        let slot = &mut (&mut *KEPT.0.get())[(text as usize >> 3) % NAMES];
        let wanted = std::slice::from_raw_parts(text, length as usize);
        if slot.0 == text as usize && is_text(slot.1, wanted) {
            return slot.1;
        }
        let mut made = ffi::PyUnicode_FromStringAndSize(text.cast(), length as ffi::Py_ssize_t);
        if !made.is_null() {
            ffi::PyUnicode_InternInPlace(&raw mut made);
            *slot = (text as usize, made);
        }
        made
    }
}

/// Whether a string is this text.
unsafe fn is_text(string: *mut PyObject, text: &[u8]) -> bool {
    // SAFETY: strings are all that is kept, and they live; the thread is attached.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(string) != 0 {
            let length = ffi::PyUnicode_GET_LENGTH(string) as usize;
            return std::slice::from_raw_parts(ffi::PyUnicode_DATA(string).cast::<u8>(), length) == text;
        }
        let string = Bound::from_borrowed_ptr(Python::assume_attached(), string);
        string.cast_unchecked::<PyString>().to_str().is_ok_and(|string| string.as_bytes() == text)
    }
}

/// The word of a constant text, which is borrowed; 0 with an exception set for want of memory.
///
/// # Safety
/// The text is in UTF-8.
pub(super) unsafe extern "C" fn text(text: *const u8, length: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || match name_object(text, length) {
            name if name.is_null() => 0,
            name => name as u64 | 1,
        })
    }
}

/// The word of an object that lives as long as the process, which is borrowed.
pub(super) extern "C" fn single(number: i64) -> u64 {
    // SAFETY: these may be called with Python's lock.
    unsafe {
        attached(0, || {
            let object = match number {
                257 => ffi::Py_None(),
                258 => ffi::Py_False(),
                259 => ffi::Py_True(),
                _ => {
                    let object = ffi::PyLong_FromLongLong(number);
                    // Python keeps these integers.
                    ffi::Py_DECREF(object);
                    object
                }
            };
            object as u64 | 1
        })
    }
}
