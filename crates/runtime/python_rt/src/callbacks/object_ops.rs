//! Operations on Python objects for compiled code, which holds an object by its owner word.
//!
//! Absent: which operations these are (`catalog::object_ops`), values as objects and back (`object_values`), what unpacking and starred
//! calls do (`values::object_protocol`).

use crate::callbacks::object_values::name_object;
use crate::panic_guard;
use crate::plan::keepalive::{object_of, own_object};
use crate::python_state::attached;
use crate::values::int_object;
use crate::values::object_protocol::{self, apply};
use abi::objects::{Display, Operator, Test};
use pyo3::PyTypeCheck;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::ptr::null_mut;

const DONE: u64 = 0;

/// An iterator has ended.
const ENDED: u64 = 1;

/// The exception is set in Python.
const RAISED: u64 = 2;

/// # Safety
/// The words are of objects that live, here and below.
pub(super) unsafe extern "C" fn operator(operator: u64, left: u64, right: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || match Operator::from_index(operator) {
            Some(operator) => {
                let (a, b) = (object_of(left), object_of(right));
                own_object(of_numbers(operator, a, b).unwrap_or_else(|| apply(operator, a, b)))
            }
            None => damaged(0),
        })
    }
}

/// Sets the exception for what no compiler of ours emits.
unsafe fn damaged<T>(failure: T) -> T {
    // SAFETY: the thread is attached.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_SystemError, c"a damaged operation on an object".as_ptr()) };
    failure
}

/// The same of two floats, or of two integers that are not large: most numbers are.
#[inline]
unsafe fn of_numbers(operator: Operator, a: *mut PyObject, b: *mut PyObject) -> Option<*mut PyObject> {
    if b.is_null() {
        return None;
    }
    // SAFETY: the objects live, and what they are is asked first.
    unsafe {
        if ffi::PyFloat_CheckExact(a) != 0 && ffi::PyFloat_CheckExact(b) != 0 {
            let (x, y) = (ffi::PyFloat_AS_DOUBLE(a), ffi::PyFloat_AS_DOUBLE(b));
            let value = match operator {
                Operator::Add | Operator::InplaceAdd => x + y,
                Operator::Sub | Operator::InplaceSub => x - y,
                Operator::Mul | Operator::InplaceMul => x * y,
                Operator::TrueDiv | Operator::InplaceTrueDiv if y != 0.0 => x / y,
                _ => return compared(operator, x.partial_cmp(&y)),
            };
            return Some(ffi::PyFloat_FromDouble(value));
        }
        if ffi::PyLong_CheckExact(a) == 0 || ffi::PyLong_CheckExact(b) == 0 {
            return None;
        }
        let (x, y) = (int_object::to_i64(a)?, int_object::to_i64(b)?);
        let value = match operator {
            Operator::Add | Operator::InplaceAdd => x.checked_add(y)?,
            Operator::Sub | Operator::InplaceSub => x.checked_sub(y)?,
            Operator::Mul | Operator::InplaceMul => x.checked_mul(y)?,
            Operator::And | Operator::InplaceAnd => x & y,
            Operator::Or | Operator::InplaceOr => x | y,
            Operator::Xor | Operator::InplaceXor => x ^ y,
            _ => return compared(operator, Some(x.cmp(&y))),
        };
        Some(ffi::PyLong_FromLongLong(value))
    }
}

/// The outcome of a comparison of numbers, which have no order if one is a NaN.
unsafe fn compared(operator: Operator, order: Option<Ordering>) -> Option<*mut PyObject> {
    let truth = match operator {
        Operator::Lt => order == Some(Ordering::Less),
        Operator::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Operator::Eq => order == Some(Ordering::Equal),
        Operator::Ne => order != Some(Ordering::Equal),
        Operator::Gt => order == Some(Ordering::Greater),
        Operator::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => return None,
    };
    // SAFETY: the thread is attached.
    unsafe {
        let object = if truth { ffi::Py_True() } else { ffi::Py_False() };
        ffi::Py_INCREF(object);
        Some(object)
    }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn test(test: u64, left: u64, right: u64) -> i64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(-1, || {
            let (a, b) = (object_of(left), object_of(right));
            match Test::from_index(test) {
                Some(Test::Truth) if a == ffi::Py_True() => 1,
                Some(Test::Truth) => ffi::PyObject_IsTrue(a).into(),
                Some(Test::Not) => ffi::PyObject_Not(a).into(),
                Some(Test::Is) => i64::from(a == b),
                Some(Test::IsNot) => i64::from(a != b),
                Some(Test::In) => ffi::PySequence_Contains(b, a).into(),
                Some(Test::Extended) => {
                    grown(a, b, |list: &Bound<'_, PyList>, items| object_protocol::extend_list(list, items))
                }
                Some(Test::Updated) => {
                    grown(a, b, |dict: &Bound<'_, PyDict>, items| object_protocol::update_dict(dict, items))
                }
                None => damaged(-1),
            }
        })
    }
}

/// Puts more into a container of a display.
unsafe fn grown<T: PyTypeCheck>(
    container: *mut PyObject,
    items: *mut PyObject,
    grow: impl FnOnce(&Bound<'_, T>, &Bound<'_, PyAny>) -> PyResult<()>,
) -> i64 {
    panic_guard::enter("a display", -1, |py| {
        // SAFETY: the caller says that the objects live.
        let (container, items) = unsafe { (bound(py, container), bound(py, items)) };
        grow(container.cast::<T>()?, &items).map(|()| 1)
    })
}

/// # Safety
/// As for [`operator`]; the text is in UTF-8.
pub(super) unsafe extern "C" fn getattr(object: u64, name: *const u8, length: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let name = name_object(name, length);
            if name.is_null() {
                return 0;
            }
            own_object(ffi::PyObject_GetAttr(object_of(object), name))
        })
    }
}

/// # Safety
/// As for [`getattr`].
pub(super) unsafe extern "C" fn setattr(object: u64, name: *const u8, length: u64, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let name = name_object(name, length);
            if name.is_null() {
                return RAISED;
            }
            outcome(ffi::PyObject_SetAttr(object_of(object), name, object_of(value)))
        })
    }
}

fn outcome(done: i32) -> u64 {
    if done < 0 { RAISED } else { DONE }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn setitem(object: u64, key: u64, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let (object, key) = (object_of(object), object_of(key));
            outcome(match value {
                0 => ffi::PyObject_DelItem(object, key),
                _ => ffi::PyObject_SetItem(object, key, object_of(value)),
            })
        })
    }
}

/// # Safety
/// As for [`operator`]; there is room for a word.
pub(super) unsafe extern "C" fn next(iterator: u64, out: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let iterator = object_of(iterator);
            let Some(advance) = (*ffi::Py_TYPE(iterator)).tp_iternext else { return damaged(RAISED) };
            let item = advance(iterator);
            if !item.is_null() {
                *out = own_object(item);
                return DONE;
            }
            if ffi::PyErr_Occurred().is_null() {
                return ENDED;
            }
            if ffi::PyErr_ExceptionMatches(ffi::PyExc_StopIteration) == 0 {
                return RAISED;
            }
            ffi::PyErr_Clear();
            ENDED
        })
    }
}

/// The objects of so many words, borrowed.
unsafe fn objects_of(words: *const u64, count: u64) -> SmallVec<[*mut PyObject; 8]> {
    // SAFETY: the caller says that there are as many.
    unsafe { (0..count as usize).map(|at| object_of(*words.add(at))).collect() }
}

/// # Safety
/// As for [`operator`]; there are as many words, and the names are in UTF-8.
pub(super) unsafe extern "C" fn call(
    callee: u64,
    words: *const u64,
    count: u64,
    names: *const u8,
    length: u64,
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let args = objects_of(words, count);
            let text = std::slice::from_raw_parts(names, length as usize);
            let named = if length == 0 { 0 } else { 1 + text.iter().filter(|&&byte| byte == b',').count() };
            let keywords = if named == 0 { null_mut() } else { keyword_names(text, named) };
            if named > 0 && keywords.is_null() {
                return 0;
            }
            let result =
                ffi::PyObject_Vectorcall(object_of(callee), args.as_ptr(), args.len() - named, keywords);
            ffi::Py_XDECREF(keywords);
            own_object(result)
        })
    }
}

/// The tuple of names that a call passes with its arguments.
unsafe fn keyword_names(text: &[u8], count: usize) -> *mut PyObject {
    // SAFETY: the thread is attached.
    unsafe {
        let tuple = ffi::PyTuple_New(count as ffi::Py_ssize_t);
        if tuple.is_null() {
            return tuple;
        }
        for (at, name) in text.split(|&byte| byte == b',').enumerate() {
            let name = name_object(name.as_ptr(), name.len() as u64);
            if name.is_null() {
                ffi::Py_DECREF(tuple);
                return name;
            }
            ffi::Py_INCREF(name);
            ffi::PyTuple_SET_ITEM(tuple, at as ffi::Py_ssize_t, name);
        }
        tuple
    }
}

/// An object that lives, borrowed.
unsafe fn bound<'py>(py: Python<'py>, object: *mut PyObject) -> Bound<'py, PyAny> {
    // SAFETY: the caller's promise.
    unsafe { Bound::from_borrowed_ptr(py, object) }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn call_ex(callee: u64, args: u64, keywords: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            panic_guard::enter("a call", 0, |py| {
                let [callee, args] = [callee, args].map(|word| bound(py, object_of(word)));
                let keywords = (keywords != 0).then(|| bound(py, object_of(keywords)));
                let result = object_protocol::call_starred(&callee, &args, keywords.as_ref())?;
                Ok(own_object(result.into_ptr()))
            })
        })
    }
}

/// # Safety
/// As for [`operator`]; there is room for as many words.
pub(super) unsafe extern "C" fn unpack(iterable: u64, count: u64, star: i64, out: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            panic_guard::enter("unpacking", RAISED, |py| {
                let (iterable, star) = (bound(py, object_of(iterable)), usize::try_from(star).ok());
                let items = object_protocol::unpack(&iterable, count as usize, star)?;
                for (at, item) in items.into_iter().enumerate() {
                    *out.add(at) = own_object(item.into_ptr());
                }
                Ok(DONE)
            })
        })
    }
}

/// # Safety
/// As for [`operator`]; there are as many words.
pub(super) unsafe extern "C" fn build(display: u64, words: *const u64, count: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let items = objects_of(words, count);
            match Display::from_index(display) {
                Some(display) => own_object(make(display, &items)),
                None => damaged(0),
            }
        })
    }
}

unsafe fn make(display: Display, items: &[*mut PyObject]) -> *mut PyObject {
    let count = items.len() as ffi::Py_ssize_t;
    let part = |at: usize| items.get(at).copied().unwrap_or(null_mut());
    // SAFETY: the objects live; the thread is attached.
    unsafe {
        let made = match display {
            Display::Tuple => ffi::PyTuple_New(count),
            Display::List => ffi::PyList_New(count),
            Display::Set => ffi::PySet_New(null_mut()),
            Display::Dict => ffi::PyDict_New(),
            Display::Slice => return ffi::PySlice_New(part(0), part(1), part(2)),
        };
        if made.is_null() {
            return made;
        }
        let filled = match display {
            Display::Set => items.iter().all(|&item| ffi::PySet_Add(made, item) == 0),
            Display::Dict => {
                items.chunks_exact(2).all(|pair| ffi::PyDict_SetItem(made, pair[0], pair[1]) == 0)
            }
            _ => {
                for (at, &item) in items.iter().enumerate() {
                    ffi::Py_INCREF(item);
                    match display {
                        Display::Tuple => ffi::PyTuple_SET_ITEM(made, at as ffi::Py_ssize_t, item),
                        _ => ffi::PyList_SET_ITEM(made, at as ffi::Py_ssize_t, item),
                    }
                }
                true
            }
        };
        if !filled {
            ffi::Py_DECREF(made);
            return null_mut();
        }
        made
    }
}
