//! The hot path: from Python's call to the thunk and back, without allocation, lock or search.

use super::DispatcherObject;
use super::miss;
use crate::object_mode;
use crate::session::specialization::{Entry, STACK_WORDS};
use pyo3::ffi;
use python_rt::raising::raise;
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
        let value = miss::call_tentatively(dispatcher, args, count, std::ptr::null_mut());
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
        match miss::call_tentatively(dispatcher, args, count, kwnames) {
            Ok(value) => value,
            Err(reason) => object_mode::fall_back(dispatcher, (args, nargsf, kwnames), reason),
        }
    }
}

/// Calls the entry used last, if it is for so many arguments of these types.
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

/// Writes the words of all arguments; false when one is not what the entry's plan expects.
#[inline(always)]
pub(super) unsafe fn unbox_all(entry: *mut Entry, args: *const *mut ffi::PyObject, words: *mut u64) -> bool {
    // SAFETY: the caller passes a live entry, as many live arguments as it has, and room for their words.
    unsafe {
        let mut next = words;
        for (index, step) in (*entry).arguments.iter().enumerate() {
            match step.unbox(*args.add(index), next) {
                Some(written) => next = next.add(written),
                None => return false,
            }
        }
        true
    }
}

/// Calls the thunk with the words of its arguments.
#[inline(always)]
pub(super) unsafe fn run(entry: *mut Entry, words: *const u64) -> *mut ffi::PyObject {
    let mut result = [const { MaybeUninit::<u64>::uninit() }; STACK_WORDS];
    // SAFETY: entries that run here have results that fit the room on the stack.
    unsafe { run_into(entry, words, result.as_mut_ptr().cast()) }
}

/// The same with room for the result given.
#[inline(always)]
pub(super) unsafe fn run_into(entry: *mut Entry, words: *const u64, result: *mut u64) -> *mut ffi::PyObject {
    // SAFETY: the caller passes a live entry, the words of its arguments and room for the result.
    unsafe {
        // The code may call back into Python, which may drop the dispatcher's own use.
        Entry::hold(entry);
        let status = invoke(entry, words, result);
        let value = if status == 0 {
            (*entry).result.make(result)
        } else {
            raise::set_exception(status, &*(*entry).unit);
            std::ptr::null_mut()
        };
        Entry::release(entry);
        value
    }
}

/// Runs the code: the status that it returns.
#[inline(always)]
pub(super) unsafe fn invoke(entry: *mut Entry, words: *const u64, result: *mut u64) -> usize {
    // SAFETY: the words are laid out as the entry's plan says, which is what its code was compiled for.
    unsafe {
        if (*entry).release_gil {
            run_without_gil(entry, words, result)
        } else {
            thunk_for(entry, words)(words, result)
        }
    }
}

/// The thunk for these arguments.
#[inline(always)]
unsafe fn thunk_for(entry: *mut Entry, words: *const u64) -> abi::Thunk {
    // SAFETY: the caller passes a live entry and the words of its arguments.
    unsafe {
        for &word in &(*entry).bounded {
            if *words.add(word) > (*entry).most {
                return long_thunk(entry);
            }
        }
        (*entry).thunk
    }
}

/// The thunk for large arguments; where it cannot be made, the other one does the same but looks for no signals.
#[cold]
#[inline(never)]
unsafe fn long_thunk(entry: *mut Entry) -> abi::Thunk {
    // SAFETY: the caller passes a live entry.
    unsafe { (*entry).unit.long_thunk().unwrap_or((*entry).thunk) }
}

#[inline(never)]
unsafe fn run_without_gil(entry: *mut Entry, words: *const u64, result: *mut u64) -> usize {
    // SAFETY: the caller keeps the entry alive; code that runs without the GIL touches no object, and the
    // state is restored on the thread that saved it.
    unsafe {
        let thunk = thunk_for(entry, words);
        let state = ffi::PyEval_SaveThread();
        let status = thunk(words, result);
        ffi::PyEval_RestoreThread(state);
        status
    }
}
