//! Boxing and unboxing of strings.
//!
//! A `str` is borrowed: its characters stay where Python has them. Its words are the address of the object (with the lowest bit
//! set), the address of the characters, and length and width as [`rt::strings`] has them.

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rt::strings::Text;

unsafe extern "C" {
    /// Python's hash of bytes, with the secret of the process.
    fn _Py_HashBytes(bytes: *const std::ffi::c_void, length: ffi::Py_ssize_t) -> ffi::Py_hash_t;
}

/// The hash of a string. Of one that Python has, Python remembers it.
///
/// # Safety
/// The words are those of a string that compiled code holds.
pub unsafe extern "C" fn hash(owner: u64, data: *const u8, meta: u64) -> i64 {
    // SAFETY: the caller's promise; an owner word with its lowest bit set is the address of a borrowed object,
    // which is alive.
    unsafe {
        let text = Text { owner, data, meta };
        let object = (owner & !1) as *mut ffi::PyASCIIObject;
        let is_whole = owner & 1 != 0
            && ffi::Py_TYPE(object.cast()) == &raw mut ffi::PyUnicode_Type
            && ffi::PyUnicode_DATA(object.cast()).cast::<u8>().cast_const() == data
            && ffi::PyUnicode_GET_LENGTH(object.cast()) as u64 == meta >> 2;
        if is_whole && (*object).hash != -1 {
            return (*object).hash as i64;
        }
        let hash = _Py_HashBytes(data.cast(), text.size() as ffi::Py_ssize_t);
        if is_whole {
            // As Python does: a word that is written as a whole.
            (*object).hash = hash;
        }
        hash as i64
    }
}

/// The hash of None.
pub(crate) extern "C" fn hash_none() -> i64 {
    // SAFETY: None lives for ever, and its hash reads nothing else.
    unsafe { ffi::PyObject_Hash(ffi::Py_None()) as i64 }
}

/// The words of a string; nothing if the object is none.
///
/// # Safety
/// The thread is attached to Python and the object alive.
pub(crate) unsafe fn borrow(object: *mut ffi::PyObject) -> Option<Text> {
    // SAFETY: the caller's promise; the kind and the data are asked of what is a string.
    unsafe {
        if ffi::PyUnicode_Check(object) == 0 || ffi::PyUnicode_READY(object) != 0 {
            ffi::PyErr_Clear();
            return None;
        }
        let code = ffi::PyUnicode_KIND(object).trailing_zeros();
        let length = ffi::PyUnicode_GET_LENGTH(object) as u64;
        let data = ffi::PyUnicode_DATA(object).cast::<u8>();
        Some(Text { owner: object as u64 | 1, data, meta: length << 2 | u64::from(code) })
    }
}

/// Writes the three words of a string; nothing if the object is not exactly one.
///
/// # Safety
/// As for [`borrow`]; `out` has room.
pub unsafe fn unbox(object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::Py_TYPE(object) != &raw mut ffi::PyUnicode_Type {
            return None;
        }
        out.cast::<Text>().write(borrow(object)?);
        Some(3)
    }
}

/// A new reference to a string, or null with an exception set; nothing is released.
///
/// # Safety
/// The thread is attached to Python; the words are those of a string.
unsafe fn object_of(text: &Text) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; a borrowed object is alive as long as its owner word is held.
    unsafe {
        if text.owner & 1 != 0 {
            let object = (text.owner & !1) as *mut ffi::PyObject;
            // The object itself, if nothing was cut off.
            if borrow(object).is_some_and(|whole| whole.data == text.data && whole.meta == text.meta) {
                ffi::Py_INCREF(object);
                return object;
            }
        }
        let kind = 1 << (text.meta & 3);
        ffi::PyUnicode_FromKindAndData(kind, text.data.cast(), text.len() as ffi::Py_ssize_t)
    }
}

/// Whether the words are those of the whole object.
///
/// # Safety
/// The thread is attached to Python, the object alive; `words` are three.
pub(crate) unsafe fn is_same(object: *mut ffi::PyObject, words: *const u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let text = *words.cast::<Text>();
        borrow(object).is_some_and(|whole| whole.data == text.data && whole.meta == text.meta)
    }
}

/// A new reference to a string that nobody holds in compiled code any more, or null with an exception set.
///
/// # Safety
/// The thread is attached to Python; `words` are three.
pub unsafe fn make(words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the count that the words hold is released once.
    unsafe {
        let text = *words.cast::<Text>();
        let made = object_of(&text);
        rt::decref(text.owner);
        made
    }
}

/// Gives up a string that is not made.
///
/// # Safety
/// `words` are three.
pub(crate) unsafe fn discard(words: *const u64) {
    // SAFETY: the caller's promise.
    unsafe { rt::decref(*words) };
}

/// A string of compiled code as a Python object; it stays held.
///
/// # Safety
/// As for [`object_of`].
pub unsafe fn borrowed<'py>(py: Python<'py>, text: &Text) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller's promise.
    unsafe { Bound::from_owned_ptr_or_err(py, object_of(text)) }
}

/// A copy of a Python string in memory of compiled code.
pub fn copy(value: &Bound<'_, PyAny>) -> PyResult<Text> {
    let text = value.cast::<PyString>()?;
    // SAFETY: a bound value is alive and its thread attached.
    let borrowed = unsafe { borrow(text.as_ptr()) };
    let borrowed = borrowed.ok_or_else(|| PySystemError::new_err("a string without characters"))?;
    // SAFETY: the object lives.
    unsafe { borrowed.copied() }.ok_or_else(|| pyo3::exceptions::PyMemoryError::new_err(()))
}
