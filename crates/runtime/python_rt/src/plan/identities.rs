//! What containers have become that several places refer to: one object of Python.
//!
//! Absent: which values are containers (`identity`).

use pyo3::ffi;
use std::cell::{Cell, RefCell};
use std::ptr;

thread_local! {
    /// What containers that are made now are noted in.
    static ENTERED: Cell<*const Identities> = const { Cell::new(ptr::null()) };
}

/// The objects that containers of compiled code have become, for as long as no compiled code changes these.
#[derive(Default)]
pub struct Identities {
    made: RefCell<Vec<Made>>,
}

/// A container, where it says what it is, and what it became.
struct Made {
    word: u64,
    origin: *mut *mut (),
    object: *mut ffi::PyObject,
}

impl Identities {
    /// Runs what makes objects of containers.
    pub fn enter<T>(&self, make: impl FnOnce() -> T) -> T {
        let around = ENTERED.replace(self);
        let made = make();
        ENTERED.set(around);
        made
    }
}

impl Drop for Identities {
    fn drop(&mut self) {
        for made in self.made.take() {
            // SAFETY: both are held since they were noted, by a thread that is attached to Python still.
            unsafe {
                *made.origin = ptr::null_mut();
                rt::decref(made.word);
                ffi::Py_DECREF(made.object);
            }
        }
    }
}

/// Notes what a container that others may refer to, too, has become.
///
/// # Safety
/// The thread is attached to Python; the word is that of a container, `origin` the place in its head.
pub(super) unsafe fn note(word: u64, origin: *mut *mut (), object: *mut ffi::PyObject) {
    // SAFETY: whoever entered it is still there; the rest is the caller's promise.
    unsafe {
        if let Some(entered) = ENTERED.get().as_ref() {
            rt::incref(word);
            ffi::Py_INCREF(object);
            *origin = object.cast();
            entered.made.borrow_mut().push(Made { word, origin, object });
        }
    }
}
