//! Keeps Python objects alive that compiled code refers to beyond a call.

use crate::python_state::attached;
use crate::values::buffers;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// In the owner word of a borrowed object: the bits that are no address.
const FLAGS: u64 = 0b111;

/// Among them: what was made of the object is another one, though it be like it.
const IS_OTHER: u64 = 0b10;

/// What keeps the items of a container alive that compiled code sees by address.
pub(super) struct Keepalive<'py> {
    objects: Vec<Bound<'py, PyList>>,
    word: u64,
}

impl<'py> Keepalive<'py> {
    /// For what these lists hold.
    pub(super) fn new(objects: Vec<Bound<'py, PyList>>) -> Keepalive<'py> {
        Keepalive { objects, word: 0 }
    }

    /// A counted owner in place of one that says that Python lends an object: all strings of a container have one together,
    /// other objects one each, which knows what object it is.
    ///
    /// # Safety
    /// The object is alive and the thread attached to Python.
    pub(super) unsafe fn hold(&mut self, borrowed: u64) -> PyResult<u64> {
        let object = (borrowed & !FLAGS) as *mut ffi::PyObject;
        // SAFETY: the caller's promise.
        unsafe {
            if ffi::PyUnicode_Check(object) == 0 {
                return keep_borrowed(self.objects[0].py(), borrowed);
            }
        }
        if self.word == 0 {
            let all: Vec<_> = self.objects.iter().map(|list| list.to_tuple()).collect();
            self.word = keep(PyTuple::new(self.objects[0].py(), all)?.into_any(), 0)?;
        }
        rt::incref(self.word);
        Ok(self.word)
    }
}

impl Drop for Keepalive<'_> {
    /// The items hold it from now on, also those that came before one that cannot be read.
    fn drop(&mut self) {
        rt::decref(self.word);
    }
}

/// The owner word of a block that holds a Python object, with this many bytes of items: of an object, none say that it is the very value.
fn keep(object: Bound<'_, PyAny>, bytes: u64) -> PyResult<u64> {
    let object = object.into_ptr();
    // SAFETY: the block has a reference of its own, which it gives up when it is freed.
    let word = unsafe { rt::allocate_with(bytes, drop_object, object.cast()) };
    if word == 0 {
        // SAFETY: the reference was made above.
        unsafe { ffi::Py_DECREF(object) };
        return Err(PyMemoryError::new_err("no memory to hold an object"));
    }
    Ok(word)
}

/// The same for what an owner word says is borrowed, memory that may move held in its place.
unsafe fn keep_borrowed(py: Python<'_>, borrowed: u64) -> PyResult<u64> {
    // SAFETY: the caller says that the object is alive.
    let object = unsafe {
        Bound::from_owned_ptr_or_err(py, buffers::base((borrowed & !FLAGS) as *mut ffi::PyObject))?
    };
    keep(object, borrowed & IS_OTHER)
}

/// The Python object that a block holds, if that is the value itself and nothing that was made of it.
pub(crate) fn kept_object(owner: u64) -> Option<*mut ffi::PyObject> {
    let object = rt::known_to(owner, drop_object)?;
    (rt::size_of(owner) == 0).then_some(object.cast())
}

/// A new reference to the object that an owner word stands for; the word is released. Null with an exception set if it stands for
/// none.
///
/// # Safety
/// The thread is attached to Python, the word is borrowed or counted, and its holder gives it up.
pub(super) unsafe fn take_object(owner: u64) -> *mut ffi::PyObject {
    if owner & rt::COUNTED == rt::COUNTED {
        return object_of(owner);
    }
    let borrowed = (owner & 1 != 0).then_some((owner & !FLAGS) as *mut ffi::PyObject);
    // SAFETY: the caller's promise: what the word keeps is alive.
    unsafe {
        let object = borrowed.or_else(|| kept_object(owner)).unwrap_or(std::ptr::null_mut());
        ffi::Py_XINCREF(object);
        rt::decref(owner);
        if object.is_null() {
            ffi::PyErr_SetString(ffi::PyExc_SystemError, c"a value of no object".as_ptr());
        }
        object
    }
}

/// The Python object that an owner word stands for, borrowed; null if it stands for none.
pub(crate) fn object_of(owner: u64) -> *mut ffi::PyObject {
    match owner & 1 {
        0 => kept_object(owner).unwrap_or(std::ptr::null_mut()),
        _ => (owner & !FLAGS) as *mut ffi::PyObject,
    }
}

/// An owner word that takes a new reference over; 0 if that is null.
pub(crate) fn own_object(object: *mut ffi::PyObject) -> u64 {
    if object.is_null() { 0 } else { object as u64 | rt::COUNTED }
}

/// Has the runtime count the references of Python objects that owner words hold.
pub fn count_objects() {
    unsafe extern "C" fn retain(object: usize) {
        // SAFETY: whoever has the word holds the object.
        unsafe { attached((), || ffi::Py_INCREF(object as *mut ffi::PyObject)) }
    }
    unsafe extern "C" fn release(object: usize) {
        // SAFETY: whoever has the word gives the object up.
        unsafe { attached((), || ffi::Py_DECREF(object as *mut ffi::PyObject)) }
    }
    rt::count_objects_with(retain, release);
}

unsafe extern "C" fn drop_object(_items: *mut u8, _size: usize, object: *mut ()) {
    // SAFETY: the block had a reference. Python may have ended before a thread of C releases a block.
    unsafe {
        if ffi::Py_IsInitialized() != 0 {
            let state = ffi::PyGILState_Ensure();
            ffi::Py_DECREF(object.cast());
            ffi::PyGILState_Release(state);
        }
    }
}

/// A block that holds the Python object which an owner word says is borrowed; 0 if there is no memory for it.
///
/// # Safety
/// The object is alive.
pub unsafe extern "C" fn keep_alive(owner: u64) -> u64 {
    // SAFETY: the caller's promise; the thread may have let go of Python.
    unsafe {
        let state = ffi::PyGILState_Ensure();
        let word = keep_borrowed(Python::assume_attached(), owner).unwrap_or(0);
        ffi::PyGILState_Release(state);
        word
    }
}
