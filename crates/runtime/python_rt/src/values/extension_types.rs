//! Boxing and unboxing of extension types, by machine code that the library's functions write (`rumba.codegen.boxing`),
//! and the requests of such code for values of other types.

use crate::panic_guard;
use crate::plan::BoxingCx;
use entity::HashMap;
use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use types::Type;

/// Machine code by its symbol.
#[derive(Default)]
pub struct BoxingCache(pub Mutex<HashMap<String, Arc<ForeignBoxing>>>);

/// Machine code that takes values in, or hands them out.
pub struct ForeignBoxing {
    /// Its address.
    pub address: usize,
    /// What holds it.
    pub code: Box<dyn Any + Send + Sync>,
    /// Whether it cleans up after what is done with the value.
    pub cleans: bool,
}

/// Code that takes a value in: what is done with the value where it cleans up, and what that gets.
type Taking =
    unsafe extern "C" fn(*mut ffi::PyObject, *mut u64, unsafe extern "C" fn(*mut c_void), *mut c_void) -> i64;

/// Whether values come in or go out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A Python object becomes words.
    In,
    /// Words become a Python object.
    Out,
}

/// How values of an extension type come in, or go out.
#[derive(Clone)]
pub struct ForeignStep {
    cx: Arc<dyn BoxingCx>,
    ty: Type,
    way: Way,
    words: usize,
    /// Which words are owners.
    owners: Arc<[usize]>,
    /// Made when the first value passes.
    code: Arc<OnceLock<Arc<ForeignBoxing>>>,
}

impl PartialEq for ForeignStep {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty && self.way == other.way
    }
}

impl Eq for ForeignStep {}

impl fmt::Debug for ForeignStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForeignStep({:?}, {:?})", self.ty, self.way)
    }
}

impl ForeignStep {
    /// For values of this type.
    pub fn new(cx: &dyn BoxingCx, ty: Type, way: Way) -> ForeignStep {
        let words = cx.words(ty);
        ForeignStep {
            cx: cx.shared_cx(),
            ty,
            way,
            words: words.count,
            owners: words.owners.iter().copied().collect(),
            code: Arc::default(),
        }
    }

    /// Words of a value.
    pub fn words(&self) -> usize {
        self.words
    }

    fn code(&self, py: Python<'_>) -> PyResult<Arc<ForeignBoxing>> {
        if let Some(known) = self.code.get() {
            return Ok(known.clone());
        }
        let made = self.cx.foreign_boxing(py, self.ty, self.way)?;
        Ok(self.code.get_or_init(|| made).clone())
    }

    /// Whether values have to be cleaned up when they are not used any more: they are taken in [`Self::take_around`].
    pub fn cleans(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.code(py)?.cleans)
    }

    /// Writes the words of a value, whose owners belong to the caller.
    ///
    /// # Safety
    /// There is room for the words.
    pub unsafe fn take(&self, object: &Bound<'_, PyAny>, out: *mut u64) -> PyResult<()> {
        let py = object.py();
        if self.cleans(py)? {
            let message = format!(
                "a value of type {} is only taken in as an argument, by itself or in a tuple: its unboxing function asks \
                 for a cleanup",
                self.cx.registries().types.name(self.ty)
            );
            return Err(panic_guard::exception(py, "UnsupportedError", message)?);
        }
        // SAFETY: the caller's promise.
        unsafe { self.take_around(object, out, &mut || {}) }
    }

    /// The same; `body` runs before the value is cleaned up, and only if it could be taken in.
    ///
    /// # Safety
    /// There is room for the words.
    pub(crate) unsafe fn take_around(
        &self,
        object: &Bound<'_, PyAny>,
        out: *mut u64,
        body: &mut dyn FnMut(),
    ) -> PyResult<()> {
        unsafe extern "C" fn resume(body: *mut c_void) {
            panic_guard::enter("a call", (), |_| {
                // SAFETY: it is the address of the reference below, which outlives the call.
                unsafe { (*body.cast::<&mut dyn FnMut()>())() };
                Ok(())
            });
        }
        let py = object.py();
        let border = self.code(py)?;
        let mut body = body;
        // SAFETY: the code was written for this; there is room for the words.
        let status = unsafe {
            let function: Taking = std::mem::transmute(border.address);
            function(object.as_ptr(), out, resume, (&raw mut body).cast())
        };
        if status != 0 {
            return Err(raised(py, "an unboxing function"));
        }
        if border.cleans { PyErr::take(py).map_or(Ok(()), Err) } else { Ok(()) }
    }

    /// A copy of the words of a value.
    ///
    /// # Safety
    /// They are there.
    pub(crate) unsafe fn words_at(&self, address: *const u64) -> Vec<u64> {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(address, self.words).to_vec() }
    }

    /// A new reference, or null with an exception set; the owners are released.
    ///
    /// # Safety
    /// The thread is attached to Python; the words are those of a value.
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        unsafe {
            let py = Python::assume_attached();
            let border = match self.code(py) {
                Ok(border) => border,
                Err(error) => {
                    self.give_up(words);
                    error.restore(py);
                    return std::ptr::null_mut();
                }
            };
            let function: unsafe extern "C" fn(*const u64) -> *mut ffi::PyObject =
                std::mem::transmute(border.address);
            let made = function(words);
            if made.is_null() && !PyErr::occurred(py) {
                raised(py, "a boxing function").restore(py);
            }
            made
        }
    }

    /// Gives up the owners.
    ///
    /// # Safety
    /// The words are those of a value.
    pub unsafe fn give_up(&self, words: *const u64) {
        for &owner in self.owners.iter() {
            // SAFETY: the caller's promise.
            rt::decref(unsafe { *words.add(owner) });
        }
    }
}

/// The exception that is set; SystemError if a function of a library failed and set none.
pub fn raised(py: Python<'_>, what: &str) -> PyErr {
    PyErr::take(py)
        .unwrap_or_else(|| PySystemError::new_err(format!("{what} of a library failed and raised nothing")))
}
