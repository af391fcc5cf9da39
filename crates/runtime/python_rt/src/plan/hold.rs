//! Keeps the memory of arguments in place during a call.

use super::Unbox;
use super::unbox::parts_of;
use crate::values::buffers::Export;
use pyo3::ffi;
use pyo3::prelude::*;

/// Whether a step takes memory that may move unless it is held.
pub fn needs_hold(step: &Unbox) -> bool {
    match step {
        Unbox::Buffer(step) => step.needs_hold(),
        Unbox::Optional(inner) => needs_hold(inner),
        _ => step.steps_of_parts().is_some_and(|steps| steps.iter().any(needs_hold)),
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
            _ => {
                let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
                let parts = step.steps_of_parts().zip(parts_of(&object));
                for (step, item) in parts.iter().flat_map(|(steps, parts)| steps.iter().zip(parts)) {
                    hold(step, item.as_ptr(), held);
                }
            }
        }
    }
}
