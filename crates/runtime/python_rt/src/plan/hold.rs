//! Keeps the memory of arguments in place during a call.

use super::Unbox;
use crate::values::buffers::Export;
use crate::values::kwargs::Keywords;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Whether a step takes memory that may move unless it is held.
pub fn needs_hold(step: &Unbox) -> bool {
    match step {
        Unbox::Buffer(step) => step.needs_hold(),
        Unbox::Optional(inner) => needs_hold(inner),
        Unbox::Tuple(steps) | Unbox::NamedTuple(_, steps) | Unbox::Keywords(steps) => {
            steps.iter().any(needs_hold)
        }
        _ => false,
    }
}

/// What keeps the memory of an argument where it is while a call runs.
///
/// # Safety
/// The thread is attached to Python and the object alive.
pub unsafe fn hold(step: &Unbox, object: *mut ffi::PyObject, held: &mut Vec<Export>) {
    if !needs_hold(step) {
        return;
    }
    // SAFETY: the caller's promise; elements of a tuple live as long as the tuple.
    unsafe {
        match step {
            Unbox::Buffer(_) => held.extend(Export::of(object)),
            Unbox::Optional(inner) => hold(inner, object, held),
            Unbox::Tuple(steps) | Unbox::NamedTuple(_, steps) => {
                let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
                let Ok(tuple) = object.cast::<PyTuple>() else { return };
                for (step, item) in steps.iter().zip(tuple.iter()) {
                    hold(step, item.as_ptr(), held);
                }
            }
            Unbox::Keywords(steps) => {
                let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
                let Ok(keywords) = object.cast::<Keywords>() else { return };
                for (step, item) in steps.iter().zip(keywords.get().values(object.py()).iter()) {
                    hold(step, item.as_ptr(), held);
                }
            }
            _ => {}
        }
    }
}
