//! Objects of plain Python classes: compiled code has its own objects for them, which `rumba.classes.plain_classes`
//! fills and writes back.

use crate::values::objects;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyModule};
use rt::object::ObjectHead;
use std::fmt;
use std::sync::Arc;
use types::Type;

/// What makes objects of compiled code of those of a plain class.
#[derive(Clone)]
pub struct MirrorStep {
    /// The address of the plain class, which the compiler keeps alive.
    pub class: usize,
    /// The type of the objects.
    pub ty: Type,
    /// What stands for the class in Python (`rumba.classes.plain_classes.PlainClassType`).
    pub kind: Arc<Py<PyAny>>,
}

impl PartialEq for MirrorStep {
    fn eq(&self, other: &Self) -> bool {
        (self.class, self.ty) == (other.class, other.ty)
    }
}

impl Eq for MirrorStep {}

impl fmt::Debug for MirrorStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MirrorStep({:?})", self.ty)
    }
}

/// The objects of plain classes that one call is passed.
#[derive(Default)]
pub(super) struct Mirrors(Option<Py<PyDict>>);

impl Mirrors {
    /// The word of the copy of an object, which lives until [`Self::finish`].
    pub(super) fn take_in(&mut self, step: &MirrorStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = object.py();
        let memo = self.0.get_or_insert_with(|| PyDict::new(py).unbind()).bind(py);
        let copied = step.kind.bind(py).call_method1(intern!(py, "take_in"), (object, memo))?;
        objects::word_of(&copied, step.ty)
            .ok_or_else(|| PyTypeError::new_err("an object became one of another type"))
    }

    /// Writes back what has changed, and gives the copies up. An exception that is set stays.
    pub(super) fn finish(self, py: Python<'_>) -> PyResult<()> {
        let Some(memo) = self.0 else { return Ok(()) };
        let raised = PyErr::take(py);
        let finished = PyModule::import(py, "rumba.classes.plain_classes")
            .and_then(|module| module.call_method1("finish", (memo,)).map(drop));
        if let Some(raised) = raised {
            raised.restore(py);
        }
        finished
    }
}

/// A new reference to the Python object for a copy, whose count it takes over; null with an exception set if there is none.
///
/// # Safety
/// The thread is attached to Python, the class is that of the copies, the word is that of an object of this type.
pub(super) unsafe fn make(class: usize, word: u64, ty: Type) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    unsafe {
        let py = Python::assume_attached();
        let made = Bound::from_owned_ptr_or_err(py, objects::make(class, word, ty))
            .and_then(|copied| copied.call_method0(intern!(py, "_hand_out")));
        made.map_or_else(
            |error| {
                error.restore(py);
                std::ptr::null_mut()
            },
            Bound::into_ptr,
        )
    }
}

/// Whether an object is the one that a copy came from. Runs no Python code.
///
/// # Safety
/// The thread is attached to Python, the word is that of an object.
pub(super) unsafe fn shows(object: *mut ffi::PyObject, word: u64) -> bool {
    // SAFETY: the caller's promise; the block knows its Python object as long as that lives.
    unsafe {
        let shown = (*ObjectHead::of(word)).shown.cast::<ffi::PyObject>();
        if shown.is_null() || ffi::Py_REFCNT(shown) <= 0 {
            return false;
        }
        let copied = Bound::from_borrowed_ptr(Python::assume_attached(), shown);
        let origin = copied.getattr(intern!(copied.py(), "_origin")).ok();
        let known = origin.and_then(|origin| origin.cast_into::<PyList>().ok()?.get_item(0).ok());
        known.is_some_and(|known| known.as_ptr() == object)
    }
}
