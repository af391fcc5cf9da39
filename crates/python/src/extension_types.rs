//! Values of types that libraries added, at the border: machine code that the library's functions write (`rumba.codegen.boxing`)
//! takes them in and hands them out. What such code asks for values of other types.

use crate::diagnostics::to_exception;
use crate::panic_guard;
use crate::plan::{Unbox, conversions, pins};
use crate::session_state::Backend;
use crate::{raise, typeof_value};
use abi::RaiseSite;
use driver::ForeignCode;
use entity::{EntityRef, HashMap};
use pyo3::exceptions::{PyMemoryError, PySystemError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use types::{Handle, Type};

/// Machine code by its symbol.
#[derive(Default)]
pub(crate) struct BoxingCache(Mutex<HashMap<String, Arc<Border>>>);

/// Machine code that takes values in, or hands them out.
struct Border {
    code: ForeignCode,
    /// Whether it cleans up behind what is done with the value.
    cleans: bool,
}

/// Code that takes a value in: what is done with the value where it cleans up, and what that gets.
type Taking =
    unsafe extern "C" fn(*mut ffi::PyObject, *mut u64, unsafe extern "C" fn(*mut c_void), *mut c_void) -> i64;

/// Whether values come in or go out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    In,
    Out,
}

/// How values of a library's type come in, or go out.
#[derive(Clone)]
pub struct ForeignStep {
    backend: Arc<Backend>,
    ty: Type,
    way: Way,
    words: usize,
    /// Which words are owners.
    owners: Arc<[usize]>,
    /// Made when the first value passes.
    code: Arc<OnceLock<Arc<Border>>>,
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
    pub(crate) fn new(backend: &Backend, ty: Type, way: Way) -> ForeignStep {
        let types = &backend.session().types;
        ForeignStep {
            backend: backend.shared(),
            ty,
            way,
            words: catalog::machine_types(types, ty).len(),
            owners: catalog::owners(types, ty).iter().copied().collect(),
            code: Arc::default(),
        }
    }

    /// Words of a value.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    fn code(&self, py: Python<'_>) -> PyResult<Arc<Border>> {
        if let Some(known) = self.code.get() {
            return Ok(known.clone());
        }
        let made = self.backend.border(py, self.ty, self.way)?;
        Ok(self.code.get_or_init(|| made).clone())
    }

    /// Whether values have to be cleaned up when they are not used any more: they are taken in [`Self::take_around`].
    pub(crate) fn cleans(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.code(py)?.cleans)
    }

    /// Writes the words of a value, whose owners belong to the caller.
    ///
    /// # Safety
    /// There is room for the words.
    pub(crate) unsafe fn take(&self, object: &Bound<'_, PyAny>, out: *mut u64) -> PyResult<()> {
        let py = object.py();
        if self.cleans(py)? {
            let message = format!(
                "a value of type {} is only taken in as an argument, by itself or in a tuple: its unboxing function asks \
                 for a cleanup",
                self.backend.session().types.name(self.ty)
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
            let function: Taking = std::mem::transmute(border.code.address);
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
    pub(crate) unsafe fn words_at(&self, place: *const u64) -> Vec<u64> {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(place, self.words).to_vec() }
    }

    /// A new reference, or null with an exception set; the owners are given up.
    ///
    /// # Safety
    /// The thread is attached to Python; the words are those of a value.
    pub(crate) unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
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
                std::mem::transmute(border.code.address);
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
    pub(crate) unsafe fn give_up(&self, words: *const u64) {
        for &owner in self.owners.iter() {
            // SAFETY: the caller's promise.
            rt::release(unsafe { *words.add(owner) });
        }
    }
}

/// A value of a library's type that is a constant of compiled code: what it holds lives as long as this.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct Frozen {
    step: ForeignStep,
    words: Vec<u64>,
    /// Code that wrote the constant, in whose memory it may lie.
    _code: Option<ForeignCode>,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // SAFETY: the words are those of a value, whose owners are its own.
        unsafe { self.step.give_up(self.words.as_ptr()) };
    }
}

impl Frozen {
    /// A value as it is now: as the function says it that `lower_constant` registered, else as an argument.
    pub(crate) fn new(backend: &Backend, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<Frozen> {
        let py = value.py();
        let step = ForeignStep::new(backend, ty, Way::In);
        let mut words = vec![0u64; step.words()];
        let written = py
            .import(intern!(py, "rumba.codegen.boxing"))?
            .call_method1(intern!(py, "constant"), (backend.type_to_python(py, ty)?, value))?;
        let code = if written.is_none() {
            // SAFETY: there is room for the words.
            unsafe { step.take(value, words.as_mut_ptr())? };
            None
        } else {
            let (symbol, text): (String, String) = written.extract()?;
            let session = backend.session();
            let made = py.detach(|| session.foreign_code(&symbol, &text));
            let code = made.map_err(|diagnostic| to_exception(py, &diagnostic))?;
            // SAFETY: the code was written for this.
            unsafe {
                let function: unsafe extern "C" fn(*mut u64) = std::mem::transmute(code.address);
                function(words.as_mut_ptr());
            }
            Some(code)
        };
        Ok(Frozen { step, words, _code: code })
    }

    /// The words of the value.
    pub(crate) fn words(&self) -> Vec<i64> {
        self.words.iter().map(|word| word.cast_signed()).collect()
    }
}

fn raised(py: Python<'_>, what: &str) -> PyErr {
    PyErr::take(py)
        .unwrap_or_else(|| PySystemError::new_err(format!("{what} of a library failed and raised nothing")))
}

impl Backend {
    /// The code that takes in or hands out values of a library's type.
    fn border(&self, py: Python<'_>, ty: Type, way: Way) -> PyResult<Arc<Border>> {
        let name = if way == Way::In { "unboxing" } else { "boxing" };
        let asked = py.import(intern!(py, "rumba.codegen.boxing"))?;
        let answer = asked.call_method1(name, (self.type_to_python(py, ty)?,))?;
        let (symbol, text, cleans): (String, String, bool) = answer.extract()?;
        let known = |borders: &BoxingCache| {
            let known = borders.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&symbol).cloned()
        };
        if let Some(code) = known(&self.borders) {
            return Ok(code);
        }
        let session = self.session();
        let made = py.detach(|| session.foreign_code(&symbol, &text));
        let code = made.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let made = Arc::new(Border { code, cleans });
        let mut known = self.borders.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(symbol, made.clone());
        Ok(made)
    }

    /// The words of a value of any type, whose owners belong to the caller.
    pub(crate) unsafe fn take(&self, value: &Bound<'_, PyAny>, ty: Type, out: *mut u64) -> PyResult<()> {
        let types = &self.session().types;
        // What Python's own numbers are, needs no question.
        let usual = match ty {
            Type::FLOAT64 => Some(Unbox::Float64),
            Type::INT64 => Some(Unbox::Int64),
            _ => None,
        };
        // SAFETY: the caller has room for the words.
        if usual.is_some_and(|step| unsafe { step.unbox(value.as_ptr(), out) }.is_some()) {
            return Ok(());
        }
        let found = typeof_value::type_of(self, value)?;
        let step = typeof_value::unboxing(self, value, found, ty);
        let step = step.ok_or_else(|| {
            let (found, wanted) = (types.name(found), types.name(ty));
            PyTypeError::new_err(format!("can't unbox a value of type {found} as {wanted}"))
        })?;
        // SAFETY: the caller has room for the words.
        unsafe {
            if let Unbox::Foreign(step) = &step {
                return step.take(value, out);
            }
            if conversions::needs_conversion(&step) {
                let message = format!("{} inside of a value of a library's type", types.name(ty));
                return Err(panic_guard::exception(value.py(), "UnsupportedError", message)?);
            }
            if step.unbox(value.as_ptr(), out).is_none() {
                let message = format!("can't unbox a value as {}", types.name(ty));
                let raised = PyErr::take(value.py()).or_else(|| step.refusal(value));
                return Err(raised.unwrap_or_else(|| PyTypeError::new_err(message)));
            }
            for owner in catalog::owners(types, ty) {
                let place = out.add(owner);
                match *place {
                    lent if lent & 1 != 0 => {
                        *place = pins::pin(lent);
                        if *place == 0 {
                            return Err(PyMemoryError::new_err("no memory to hold an object"));
                        }
                    }
                    counted => rt::retain(counted),
                }
            }
        }
        Ok(())
    }
}

/// A new reference to the Python object of a value, whose owners are given up; null with an exception set.
///
/// # Safety
/// `backend` is the backend that compiled the code, the thread is attached to Python, the words are those of a value
/// of the type with this number.
pub(crate) unsafe extern "C" fn box_value(
    backend: *const c_void,
    ty: u64,
    words: *const u64,
) -> *mut ffi::PyObject {
    panic_guard::enter("boxing", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let backend = unsafe { &*backend.cast::<Backend>() };
        let ty = Type::new(ty as usize);
        let boxing = typeof_value::boxing(backend, ty).ok_or_else(|| {
            let name = backend.session().types.name(ty);
            PyTypeError::new_err(format!("cannot convert native {name} to Python object"))
        })?;
        // SAFETY: the same.
        let made = unsafe { boxing.make(words) };
        if made.is_null() { Err(raised(py, "a boxing function")) } else { Ok(made) }
    })
}

/// Writes the words of a value, whose owners belong to the caller; not 0 with an exception set if it is of another type.
///
/// # Safety
/// As of [`box_value`]; the object is alive and there is room for the words.
pub(crate) unsafe extern "C" fn unbox_value(
    backend: *const c_void,
    ty: u64,
    object: *mut ffi::PyObject,
    out: *mut u64,
) -> i64 {
    panic_guard::enter("unboxing", 1, |py| {
        // SAFETY: the caller's promise. A library may pass on what failed before.
        unsafe {
            if object.is_null() {
                return Err(raised(py, "an unboxing function"));
            }
            let backend = &*backend.cast::<Backend>();
            backend.take(&Bound::from_borrowed_ptr(py, object), Type::new(ty as usize), out)?;
        }
        Ok(0)
    })
}

/// Sets the exception that a function of compiled code returned.
///
/// # Safety
/// As of [`box_value`]; the status is not 0.
pub(crate) unsafe extern "C" fn set_exception(backend: *const c_void, status: *const RaiseSite) {
    panic_guard::enter("an exception of compiled code", (), |py| {
        // SAFETY: the caller's promise.
        let error = unsafe {
            let backend = &*backend.cast::<Backend>();
            if (*status).flags & RaiseSite::PENDING_IN_PYTHON != 0 {
                return Err(raised(py, "compiled code"));
            }
            raise::exception_of(py, &*status, &|number| backend.class(py, Handle(number)))
        };
        Err(error)
    });
}
