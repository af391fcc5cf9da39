//! What exceptions were raised from and while which other was handled: links between records, or between their objects.
//!
//! Records hold each other by counts, which would keep a circle for ever: where one would arise (`raise` of an exception while one
//! is handled that was raised from it), the links become those of Python's objects, which its garbage collector knows.

use crate::raising::exception_record::{Record, attached, object, record};
use pyo3::ffi;
use pyo3::prelude::*;
use std::collections::HashSet;

/// The second exception was being handled when the first one was raised.
///
/// # Safety
/// The words are those of records.
pub(crate) unsafe extern "C" fn set_context(raised: u64, handled: u64) {
    if raised == handled {
        return;
    }
    let (Some(first), Some(other)) = (record(raised), record(handled)) else { return };
    // SAFETY: whoever has the words holds the records, which hold those after them.
    unsafe {
        let mut last = first;
        if is_known_elsewhere(raised) || !(*first).object.is_null() || (*first).context != 0 {
            open_contexts(handled, raised);
            last = last_context(first);
            if has_context(first, other) {
                return;
            }
            if has_object(first) || has_object(other) || behind(other).contains(&last) {
                attached("the context of an exception", (), |py| {
                    link_objects(py, &object(py, raised)?, &object(py, handled)?);
                    Ok(())
                });
                return;
            }
        }
        rt::incref(handled);
        (*last).context = handled;
    }
}

/// The first exception is raised from the second one, or from None.
///
/// # Safety
/// The words are those of records, or the second is 0.
pub(crate) unsafe extern "C" fn set_cause(raised: u64, cause: u64) {
    let Some(first) = record(raised) else { return };
    // SAFETY: whoever has the words holds the records.
    unsafe {
        let is_circle = || {
            record(cause).is_some_and(|cause| is_known_elsewhere(raised) && behind(cause).contains(&first))
        };
        if (*first).object.is_null() && !is_circle() {
            (*first).has_cause = true;
            rt::incref(cause);
            rt::decref(std::mem::replace(&mut (*first).cause, cause));
            return;
        }
        attached("the cause of an exception", (), |py| {
            let cause = if cause == 0 { std::ptr::null_mut() } else { object(py, cause)?.into_ptr() };
            ffi::PyException_SetCause(object(py, raised)?.as_ptr(), cause);
            Ok(())
        });
    }
}

/// Whether more than the one who raises it has a record: others may have been raised from it.
fn is_known_elsewhere(owner: u64) -> bool {
    rt::holders(owner) > 1
}

/// The records that one was raised from or while they were handled, and itself.
unsafe fn behind(first: *mut Record) -> HashSet<*mut Record> {
    let (mut seen, mut pending) = (HashSet::new(), vec![first]);
    while let Some(at) = pending.pop() {
        if seen.insert(at) {
            // SAFETY: a record holds those that it refers to.
            pending.extend(unsafe { [record((*at).context), record((*at).cause)] }.into_iter().flatten());
        }
    }
    seen
}

/// Whether Python's object knows the links of a record or of one behind it.
unsafe fn has_object(first: *mut Record) -> bool {
    // SAFETY: the caller's promise: all are held.
    unsafe { behind(first) }.into_iter().any(|at| unsafe { !(*at).object.is_null() })
}

/// What was handled cannot have come after what is raised again now.
unsafe fn open_contexts(handled: u64, raised: u64) {
    let mut at = handled;
    // SAFETY: the caller holds the first record, and each the next one.
    unsafe {
        while let Some(record) = record(at) {
            if (*record).context == raised {
                (*record).context = 0;
                return rt::decref(raised);
            }
            at = (*record).context;
        }
    }
}

/// Whether one is among the contexts of another.
unsafe fn has_context(mut at: *mut Record, wanted: *mut Record) -> bool {
    // SAFETY: the caller holds the first record, and each the next one.
    while let Some(next) = record(unsafe { (*at).context }) {
        if next == wanted {
            return true;
        }
        at = next;
    }
    false
}

/// Where a chain of contexts ends.
unsafe fn last_context(mut at: *mut Record) -> *mut Record {
    // SAFETY: the caller holds the first record, and each the next one.
    while let Some(next) = record(unsafe { (*at).context }) {
        at = next;
    }
    at
}

/// Objects get the second as the context of the first, as records do.
unsafe fn link_objects(py: Python<'_>, raised: &Bound<'_, PyAny>, handled: &Bound<'_, PyAny>) {
    // SAFETY: both are exceptions.
    let context = |of: &Bound<'_, PyAny>| unsafe {
        Bound::from_owned_ptr_or_opt(py, ffi::PyException_GetContext(of.as_ptr()))
    };
    if raised.is(handled) {
        return;
    }
    let (mut seen, mut at) = (HashSet::new(), handled.clone());
    while let Some(next) = context(&at).filter(|_| seen.insert(at.as_ptr())) {
        if next.is(raised) {
            // SAFETY: it is an exception.
            unsafe { ffi::PyException_SetContext(at.as_ptr(), std::ptr::null_mut()) };
            break;
        }
        at = next;
    }
    let (mut seen, mut last) = (HashSet::new(), raised.clone());
    while let Some(next) = context(&last).filter(|_| seen.insert(last.as_ptr())) {
        if next.is(handled) {
            return;
        }
        last = next;
    }
    // SAFETY: both are exceptions; the call takes the reference over.
    unsafe { ffi::PyException_SetContext(last.as_ptr(), handled.clone().into_ptr()) };
}
