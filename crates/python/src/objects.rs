//! Objects of compiled code as Python's objects: what structrefs and compiled classes derive from.
//!
//! An object holds a count of the block with the fields, and the block knows the object: one block is one object in Python for as
//! long as that lives.
//!
//! Absent: what classes have (`compiled_classes`), reading and assigning fields from Python (`object_fields`).

use ::types::Type;
use entity::EntityRef;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rt::object::ObjectHead;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The base of the classes. One that is made without a block stays without.
#[pyclass(frozen, subclass, weakref, module = "rumba._rumba")]
#[derive(Default)]
pub(crate) struct Instance {
    /// The owner word of the block, 0 if there is none.
    word: AtomicU64,
    ty: AtomicU32,
    /// The address of the Python object.
    itself: AtomicUsize,
}

impl Drop for Instance {
    fn drop(&mut self) {
        let word = *self.word.get_mut();
        if word == 0 {
            return;
        }
        // SAFETY: the block is held until it is released below; Python drops its objects with the GIL.
        unsafe {
            let head = ObjectHead::of(word);
            if (*head).shown as usize == *self.itself.get_mut() {
                (*head).shown = std::ptr::null_mut();
            }
        }
        rt::release(word);
    }
}

#[pymethods]
impl Instance {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Instance {
        Instance::default()
    }

    /// Where the object lies in memory; 0 if it was not made by compiled code.
    fn _address(&self) -> u64 {
        self.word.load(Ordering::Relaxed)
    }
}

impl Instance {
    /// The owner word, if the object has this type.
    pub(crate) fn word(&self, ty: Type) -> Option<u64> {
        let fits = self.ty.load(Ordering::Relaxed) == ty.index() as u32;
        Some(self.word.load(Ordering::Relaxed)).filter(|&word| fits && word != 0)
    }
}

/// The word of a value, if it is an object of this type.
pub(crate) fn word_of(value: &Bound<'_, PyAny>, ty: Type) -> Option<u64> {
    value.cast::<Instance>().ok()?.get().word(ty)
}

/// The type of a value, if it is an object of compiled code.
pub(crate) fn type_of(value: &Bound<'_, PyAny>) -> Option<Type> {
    let instance = value.cast::<Instance>().ok()?.get();
    (instance.word.load(Ordering::Relaxed) != 0)
        .then(|| Type::new(instance.ty.load(Ordering::Relaxed) as usize))
}

/// A new reference to the object for a block, whose count it takes over; null with an exception set if there is none.
///
/// # Safety
/// The thread is attached to Python, the class is derived from [`Instance`], the word is that of an object of this type.
pub(crate) unsafe fn make(class: usize, word: u64, ty: Type) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise. Fresh memory is zero, which is an `Instance`.
    unsafe {
        let head = ObjectHead::of(word);
        let shown = (*head).shown.cast::<ffi::PyObject>();
        // One that is being dropped is not brought back.
        if !shown.is_null() && ffi::Py_REFCNT(shown) > 0 {
            ffi::Py_INCREF(shown);
            rt::release(word);
            return shown;
        }
        let class = class as *mut ffi::PyTypeObject;
        let allocate = (*class).tp_alloc.unwrap_or(ffi::PyType_GenericAlloc);
        let object = allocate(class, 0);
        if object.is_null() {
            rt::release(word);
            return object;
        }
        let bound = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        let instance = bound.cast_unchecked::<Instance>().get();
        instance.word.store(word, Ordering::Relaxed);
        instance.ty.store(ty.index() as u32, Ordering::Relaxed);
        instance.itself.store(object as usize, Ordering::Relaxed);
        (*head).shown = object.cast();
        object
    }
}
