//! Calls an entry: words in, thunk, result or exception out.

use super::{Entry, STACK_WORDS};
use crate::panic_guard;
use crate::plan::Unbox;
use crate::plan::conversions::Conversions;
use crate::plan::hold;
use crate::raising::raise;
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::Cell;
use std::mem::MaybeUninit;

/// Writes the words of all arguments; false when one is not what the entry's plan expects.
///
/// # Safety
/// The thread is attached to Python, the entry and the arguments alive; there is room for the words of all steps.
#[inline(always)]
pub unsafe fn unbox_all(entry: *mut Entry, args: *const *mut ffi::PyObject, words: *mut u64) -> bool {
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
///
/// # Safety
/// The thread is attached to Python, the entry alive, and its words fit [`STACK_WORDS`].
#[inline(always)]
pub unsafe fn run(entry: *mut Entry, words: *const u64) -> *mut ffi::PyObject {
    let mut result = [const { MaybeUninit::<u64>::uninit() }; STACK_WORDS];
    // SAFETY: entries that run here have results that fit the room on the stack.
    unsafe { run_into(entry, words, result.as_mut_ptr().cast()) }
}

/// The same with room for the result given.
///
/// # Safety
/// As for [`run`]; there is room for the words of the result.
#[inline(always)]
pub unsafe fn run_into(entry: *mut Entry, words: *const u64, result: *mut u64) -> *mut ffi::PyObject {
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
///
/// # Safety
/// As for [`run_into`].
#[inline(always)]
pub unsafe fn invoke(entry: *mut Entry, words: *const u64, result: *mut u64) -> usize {
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
        rt::share_counts();
        let state = ffi::PyEval_SaveThread();
        let status = thunk(words, result);
        ffi::PyEval_RestoreThread(state);
        status
    }
}

/// The error of the first argument that its step does not take: what Python code raised that reads it, or numbers that are
/// out of range.
fn refused(py: Python<'_>, steps: &[Unbox], arguments: &[Bound<'_, PyAny>]) -> PyErr {
    if let Some(raised) = PyErr::take(py) {
        return raised;
    }
    let refusal = steps.iter().zip(arguments).find_map(|(step, argument)| step.refusal(argument));
    refusal.unwrap_or_else(|| panic_guard::internal_error(py, "a call", "an argument does not fit its plan"))
}

/// Calls an entry of any size, which the caller holds.
///
/// # Safety
/// The thread is attached to Python, the entry alive, and there are as many arguments as it has steps.
pub unsafe fn run_attached(
    py: Python<'_>,
    entry: *mut Entry,
    arguments: &[Bound<'_, PyAny>],
    entered: &Cell<bool>,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller holds the entry; the vectors have as many words as its plan says.
    unsafe {
        let mut words = vec![0u64; (*entry).argument_words];
        let mut result = vec![0u64; (*entry).result_words];
        let objects: Vec<_> = arguments.iter().map(Bound::as_ptr).collect();
        let mut held = Vec::new();
        if (*entry).holds {
            for (step, &object) in (*entry).arguments.iter().zip(&objects) {
                hold::hold(step, object, &mut held);
            }
        }
        if !unbox_all(entry, objects.as_ptr(), words.as_mut_ptr()) {
            return Err(refused(py, &(*entry).arguments, arguments));
        }
        if (*entry).converts {
            let value = run_converted(py, entry, arguments, (&mut words, &mut result), (false, entered))?;
            return value.ok_or_else(|| panic_guard::internal_error(py, "a call", "a call was not made"));
        }
        entered.set(true);
        let value = run_into(entry, words.as_ptr(), result.as_mut_ptr());
        if value.is_null() {
            return Err(PyErr::fetch(py));
        }
        Ok(value)
    }
}

/// Copies containers in, runs the entry, which the caller holds, and writes back what was changed, also if it raises. With `guess`, containers
/// of other types lead to nothing.
///
/// # Safety
/// As for [`run_attached`]; the words of the arguments are written, and there is room for the result.
pub unsafe fn run_converted(
    py: Python<'_>,
    entry: *mut Entry,
    arguments: &[Bound<'_, PyAny>],
    (words, result): (&mut [u64], &mut [u64]),
    (guess, entered): (bool, &Cell<bool>),
) -> PyResult<Option<*mut ffi::PyObject>> {
    // SAFETY: the caller holds the entry, passes its arguments and as many words as its plan says.
    unsafe {
        let mut conversions = Conversions::new(guess);
        let mut next = words.as_mut_ptr();
        let mut filled = Ok(());
        for (step, argument) in (*entry).arguments.iter().zip(arguments) {
            filled = filled.and_then(|()| conversions.fill(step, argument, next));
            next = next.add(step.words());
        }
        if let Err(error) = filled {
            let again = conversions.may_try_again();
            conversions.finish(py)?;
            return if again { Ok(None) } else { Err(error) };
        }
        let (mut value, mut raised) = (std::ptr::null_mut(), None);
        let made = conversions.identities();
        let cleaned = conversions.run(py, &mut || {
            entered.set(true);
            let status = invoke(entry, words.as_ptr(), result.as_mut_ptr());
            if status == 0 {
                value = made.enter(|| (*entry).result.within(result.as_ptr()));
            } else {
                raise::set_exception(status, &*(*entry).unit);
            }
            raised = value.is_null().then(|| PyErr::fetch(py));
        });
        let finished = conversions.finish(py);
        let outcome = raised.map_or(Ok(()), Err).and(cleaned).and(finished);
        if outcome.is_err() && !value.is_null() {
            ffi::Py_DECREF(value);
        }
        outcome.map(|()| Some(value))
    }
}
