//! The hot path: from Python's call to the thunk and back, without allocation, lock or search.

use super::DispatcherObject;
use super::miss;
use crate::object_mode;
use pyo3::ffi;
use python_rt::entry::STACK_WORDS;
use python_rt::entry::run::{run, unbox_all};
use std::mem::MaybeUninit;

/// The vectorcall slot. Tries the entry used last; everything else is the slow path's.
pub(crate) unsafe extern "C" fn vectorcall(
    callable: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    nargsf: usize,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the vectorcall protocol.
    unsafe {
        let dispatcher = callable.cast::<DispatcherObject>();
        let count = nargsf & !ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
        if kwnames.is_null()
            && let Some(value) = run_last(dispatcher, args, count)
        {
            return value;
        }
        miss::call(dispatcher, args, count, kwnames, &miss::Attempt::default())
    }
}

/// The same for a caller that has another way: None where the arguments have no types, or the function does not compile for these.
pub(super) unsafe extern "C" fn tentative(
    callable: *mut ffi::PyObject,
    args: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the fastcall protocol.
    unsafe {
        let (dispatcher, args, count) =
            (callable.cast::<DispatcherObject>(), args.cast_const(), count as usize);
        if let Some(value) = run_last(dispatcher, args, count) {
            return value;
        }
        let value = miss::call_tentatively(dispatcher, args, count, std::ptr::null_mut(), false);
        value.unwrap_or_else(|_| ffi::Py_NewRef(ffi::Py_None()))
    }
}

/// The vectorcall slot of a function that runs in object mode where it does not compile (`fallback=True`).
pub(super) unsafe extern "C" fn with_fallback(
    callable: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    nargsf: usize,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the vectorcall protocol.
    unsafe {
        let dispatcher = callable.cast::<DispatcherObject>();
        let count = nargsf & !ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
        if kwnames.is_null()
            && let Some(value) = run_last(dispatcher, args, count)
        {
            return value;
        }
        match miss::call_tentatively(dispatcher, args, count, kwnames, true) {
            Ok(value) => value,
            Err(reason) => object_mode::fall_back(dispatcher, (args, nargsf, kwnames), reason),
        }
    }
}

/// Calls the entry used last, if it matches the number and types of the arguments.
#[inline(always)]
unsafe fn run_last(
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
) -> Option<*mut ffi::PyObject> {
    // SAFETY: the caller passes a live dispatcher and as many live arguments; the entry used last is alive as long as the dispatcher,
    // and its words fit the room on the stack.
    unsafe {
        let entry = (*dispatcher).last;
        if !entry.is_null() && (*entry).fast_arity == count {
            let mut words = [const { MaybeUninit::<u64>::uninit() }; STACK_WORDS];
            if unbox_all(entry, args, words.as_mut_ptr().cast()) {
                return Some(run(entry, words.as_ptr().cast()));
            }
        }
        None
    }
}
