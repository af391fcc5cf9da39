//! Objects of compiled code as Python objects: the base class of structrefs and compiled classes.
//!
//! An object has a reference to the block with the fields, and the block knows the object: a block has a single Python object as
//! long as that is alive.
//!
//! Absent: what classes have (`compiled_classes`), reading and assigning fields from Python (`object_fields`).

use ::types::Type;
use entity::EntityRef;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use rt::object::ObjectHead;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The base of the classes. One that is made without a block stays without.
#[pyclass(frozen, subclass, weakref, module = "rumba._rumba")]
pub struct Instance {
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
        rt::decref(word);
    }
}

#[pymethods]
impl Instance {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        class: &Bound<'_, PyType>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Instance> {
        let name = class.name()?;
        let message =
            format!("{name} is not compiled itself: decorate it with @jitclass, as what it derives from");
        Err(PyTypeError::new_err(message))
    }

    /// The address of the object; 0 if it was not created by compiled code.
    fn _address(&self) -> u64 {
        self.word.load(Ordering::Relaxed)
    }
}

impl Instance {
    /// The owner word, if the object has this type.
    pub fn word(&self, ty: Type) -> Option<u64> {
        let fits = self.ty.load(Ordering::Relaxed) == ty.index() as u32;
        Some(self.word.load(Ordering::Relaxed)).filter(|&word| fits && word != 0)
    }
}

/// The word of a value, if it is an object of this type.
pub fn word_of(value: &Bound<'_, PyAny>, ty: Type) -> Option<u64> {
    value.cast::<Instance>().ok()?.get().word(ty)
}

/// The word of an object of exactly this class (by its address), if it has this type.
///
/// # Safety
/// The thread is attached to Python, the object is alive, the class is derived from [`Instance`].
#[inline]
pub unsafe fn word_of_class(object: *mut ffi::PyObject, class: usize, ty: Type) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::Py_TYPE(object) as usize != class {
            return None;
        }
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        object.cast_unchecked::<Instance>().get().word(ty)
    }
}

/// The type of a value, if it is an object of compiled code.
pub fn type_of(value: &Bound<'_, PyAny>) -> Option<Type> {
    let instance = value.cast::<Instance>().ok()?.get();
    (instance.word.load(Ordering::Relaxed) != 0)
        .then(|| Type::new(instance.ty.load(Ordering::Relaxed) as usize))
}

/// Lets a call of a class be a call of its attribute `_ctor`, without a detour.
pub fn set_constructor(class: &Bound<'_, PyType>) -> PyResult<()> {
    if !class.is_subclass_of::<Instance>()? {
        return Err(PyTypeError::new_err(format!("{class} is no class of objects of compiled code")));
    }
    // SAFETY: the class is alive, and the slot is that of calls of the class alone: derived ones do not inherit it. Its own class is
    // derived from `type` and does not say how it is called, so it has the place of the slot; Python 3.11 does not tell it so.
    unsafe {
        (*class.as_type_ptr()).tp_vectorcall = Some(construct);
        let kind = ffi::Py_TYPE(class.as_ptr());
        if (*kind).tp_call.map(|call| call as usize)
            == (*(&raw mut ffi::PyType_Type)).tp_call.map(|call| call as usize)
        {
            (*kind).tp_flags |= ffi::Py_TPFLAGS_HAVE_VECTORCALL;
        }
    }
    Ok(())
}

unsafe extern "C" fn construct(
    class: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with the class and live arguments, under the GIL.
    unsafe {
        let name = intern!(Python::assume_attached(), "_ctor").as_ptr();
        let constructor = ffi::PyObject_GetAttr(class, name);
        if constructor.is_null() {
            return constructor;
        }
        // The place before the arguments is not ours to use.
        let count = count & !ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
        let made = ffi::PyObject_Vectorcall(constructor, args, count, names);
        ffi::Py_DECREF(constructor);
        made
    }
}

/// A new reference to the object for a block, whose count it takes over; null with an exception set if there is none.
///
/// # Safety
/// The thread is attached to Python, the class is derived from [`Instance`], the word is that of an object of this type.
pub unsafe fn make(class: usize, word: u64, ty: Type) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise. Fresh memory is zero, which is an `Instance`.
    unsafe {
        let head = ObjectHead::of(word);
        let shown = (*head).shown.cast::<ffi::PyObject>();
        // One that is being dropped is not brought back.
        if !shown.is_null() && ffi::Py_REFCNT(shown) > 0 {
            ffi::Py_INCREF(shown);
            rt::decref(word);
            return shown;
        }
        let class = class as *mut ffi::PyTypeObject;
        let allocate = (*class).tp_alloc.unwrap_or(ffi::PyType_GenericAlloc);
        let object = allocate(class, 0);
        if object.is_null() {
            rt::decref(word);
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
