//! Generators of compiled code as Python objects: iterators with `send`, `throw` and `close`.
//!
//! An object holds the frame and the code that continues in it.

use crate::plan::Boxing;
use crate::raising::raise::set_exception;
use crate::unit::Unit;
use crate::without_gil::with_gil;
use abi::frame::{BEGIN, RESUME_WORDS, RUNNING, STATE};
use abi::{ExceptionClass, RaiseSite, StaticSite};
use pyo3::exceptions::{PyGeneratorExit, PyRuntimeError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use types::Type;

/// The code that resumes a generator, by [`abi::frame::RESUME_WORDS`].
type ResumeWords = unsafe extern "C" fn(frame: *mut u8, status: usize, out: *mut u64) -> usize;

/// How a generator becomes an object.
#[derive(Debug)]
pub struct GeneratorBoxing {
    item: Boxing,
    result: Boxing,
    ty: Type,
    /// The code that the plan belongs to.
    unit: OnceLock<Weak<dyn Unit>>,
}

impl std::fmt::Debug for dyn Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unit")
    }
}

impl Clone for GeneratorBoxing {
    fn clone(&self) -> Self {
        GeneratorBoxing::new(self.item.clone(), self.result.clone(), self.ty)
    }
}

impl PartialEq for GeneratorBoxing {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
    }
}

impl Eq for GeneratorBoxing {}

/// The code of generators that Python has seen, by the address that resumes them: a frame may come out of other code than
/// its own.
static UNITS: LazyLock<Mutex<HashMap<usize, Weak<dyn Unit>>>> = LazyLock::new(Mutex::default);

impl GeneratorBoxing {
    /// For generators of this type, whose items and result are boxed so.
    pub fn new(item: Boxing, result: Boxing, ty: Type) -> Self {
        GeneratorBoxing { item, result, ty, unit: OnceLock::new() }
    }

    /// Tells which code the plan belongs to.
    pub fn bind(&self, unit: &Arc<dyn Unit>) {
        // One that is bound already stays so.
        let _ = self.unit.set(Arc::downgrade(unit));
        self.item.bind(unit);
        self.result.bind(unit);
    }

    /// The code that continues in a frame.
    fn unit_of(&self, frame: *mut u8) -> Option<Arc<dyn Unit>> {
        // SAFETY: the frame is alive.
        let address = unsafe { resume_words(frame) } as usize;
        let mut units = UNITS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = units.get(&address).and_then(Weak::upgrade) {
            return Some(known);
        }
        let own = self.unit.get()?;
        units.retain(|_, unit| unit.strong_count() > 0);
        units.insert(address, own.clone());
        own.upgrade()
    }

    /// A new object, which takes over the reference to the frame; null with an exception set if there is none.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of a generator of this type.
    pub unsafe fn make(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        let py = unsafe { Python::assume_attached() };
        let Some(unit) = self.unit_of(frame_of(word)) else {
            rt::decref(word);
            PyRuntimeError::new_err("the code of a generator is gone").restore(py);
            return std::ptr::null_mut();
        };
        let words = 1 + self.item.words().max(self.result.words());
        let (item, result) = (self.item.clone(), self.result.clone());
        item.bind(&unit);
        result.bind(&unit);
        match Bound::new(py, Generator { word, item, result, ty: self.ty, words, unit }) {
            Ok(object) => object.into_any().into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        }
    }
}

fn frame_of(word: u64) -> *mut u8 {
    (word as usize + abi::ITEMS as usize) as *mut u8
}

/// # Safety
/// The frame is alive.
unsafe fn resume_words(frame: *mut u8) -> ResumeWords {
    // SAFETY: a frame holds the address there.
    unsafe { frame.add(RESUME_WORDS as usize).cast::<ResumeWords>().read() }
}

/// A generator.
#[pyclass(frozen, name = "generator", module = "rumba._rumba")]
pub struct Generator {
    word: u64,
    item: Boxing,
    result: Boxing,
    ty: Type,
    /// How many words resuming it writes.
    words: usize,
    unit: Arc<dyn Unit>,
}

impl Drop for Generator {
    fn drop(&mut self) {
        if rt::holders(self.word) > 1 {
            keep_code(self.word, &self.unit);
        }
        rt::decref(self.word);
    }
}

/// The code of a frame that compiled code has taken over, and how the frame is given up.
struct KeptCode {
    destructor: Option<rt::Destructor>,
    info: *mut (),
    unit: Arc<dyn Unit>,
}

/// Has the code of a frame stay as long as the frame.
fn keep_code(word: u64, unit: &Arc<dyn Unit>) {
    if rt::known_to(word, give_up_frame).is_some() {
        return;
    }
    let keep = |destructor, info| {
        let unit = unit.clone();
        Box::into_raw(Box::new(KeptCode { destructor, info, unit })).cast()
    };
    // SAFETY: the object holds the frame, and is being dropped by the thread that is attached to Python.
    unsafe { rt::replace_destructor(word, give_up_frame, keep) }
}

unsafe extern "C" fn give_up_frame(items: *mut u8, size: usize, info: *mut ()) {
    // SAFETY: `keep_code` made it, and the destructor is called once.
    let KeptCode { destructor, info, unit } = *unsafe { Box::from_raw(info.cast::<KeptCode>()) };
    if let Some(destructor) = destructor {
        // SAFETY: it was the block's, with this to know.
        unsafe { destructor(items, size, info) };
    }
    // A unit has Python objects.
    with_gil(|_| drop(unit));
}

// With what a generator is to fail.
static EXIT: StaticSite = StaticSite::new(ExceptionClass::GeneratorExit, 0);
static THROWN: StaticSite = StaticSite::new(ExceptionClass::Exception, RaiseSite::PENDING_IN_PYTHON);

/// What resuming a generator gave.
enum Outcome {
    Item(Py<PyAny>),
    Returned(Py<PyAny>),
    Failed(usize),
}

impl Generator {
    fn state(&self) -> i64 {
        // SAFETY: the frame is alive.
        unsafe { frame_of(self.word).add(STATE as usize).cast::<i64>().read() }
    }

    fn resume(&self, py: Python<'_>, status: usize) -> PyResult<Outcome> {
        const FEW: usize = 16;
        let (mut few, mut many);
        let out: *mut u64 = if self.words <= FEW {
            few = [0u64; FEW];
            few.as_mut_ptr()
        } else {
            many = vec![0u64; self.words];
            many.as_mut_ptr()
        };
        let frame = frame_of(self.word);
        // SAFETY: the frame and its code are alive; there is room for what is written, and the words are as the plans say.
        unsafe {
            let status = resume_words(frame)(frame, status, out);
            if status != 0 {
                return Ok(Outcome::Failed(status));
            }
            match out.read() {
                0 => Ok(Outcome::Returned(py.None())),
                1 => {
                    let item = Bound::from_owned_ptr_or_err(py, self.item.make(out.add(1)))?;
                    Ok(Outcome::Item(item.unbind()))
                }
                _ => {
                    let result = Bound::from_owned_ptr_or_err(py, self.result.make(out.add(1)))?;
                    Ok(Outcome::Returned(result.unbind()))
                }
            }
        }
    }

    /// The next item, or the exception that the generator ends with.
    fn advance(&self, py: Python<'_>, status: usize) -> PyResult<Py<PyAny>> {
        match self.resume(py, status)? {
            Outcome::Item(item) => Ok(item),
            Outcome::Returned(value) if value.is_none(py) => Err(PyStopIteration::new_err(())),
            Outcome::Returned(value) => Err(PyStopIteration::new_err((value,))),
            Outcome::Failed(status) => {
                // SAFETY: the status is the address of a record, and its code is alive.
                unsafe { set_exception(status, &*self.unit) };
                Err(PyErr::fetch(py))
            }
        }
    }
}

#[pymethods]
impl Generator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match self.advance(py, 0) {
            Ok(item) => Ok(Some(item)),
            Err(error) => Err(error),
        }
    }

    /// Goes on with a value in place of the `yield` where it stopped.
    fn send(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, generator) = (slf.py(), slf.get());
        if !value.is_none() {
            let state = generator.state();
            if state == BEGIN {
                let message = "can't send non-None value to a just-started generator";
                return Err(PyTypeError::new_err(message));
            }
            if state > BEGIN {
                // Compiled code converts the value.
                py.import("rumba.boxing.generators")?.call_method1("put", (slf, value))?;
            }
        }
        generator.advance(py, 0)
    }

    /// Goes on with an exception raised where it stopped.
    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let error = thrown(kind, value)?;
        if let Some(traceback) = traceback.filter(|traceback| !traceback.is_none()) {
            error.set_traceback(py, Some(traceback.cast::<pyo3::types::PyTraceback>()?.clone()));
        }
        if self.state() == RUNNING {
            return Err(PyValueError::new_err("generator already executing"));
        }
        error.restore(py);
        self.advance(py, THROWN.status() as usize)
    }

    /// Ends it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let exit = EXIT.status() as usize;
        match self.resume(py, exit)? {
            Outcome::Failed(status) => {
                if status == exit {
                    return Ok(());
                }
                // SAFETY: as for `advance`.
                unsafe { set_exception(status, &*self.unit) };
                let error = PyErr::fetch(py);
                let ends = error.is_instance_of::<PyGeneratorExit>(py)
                    || error.is_instance_of::<PyStopIteration>(py);
                if ends { Ok(()) } else { Err(error) }
            }
            Outcome::Item(_) => Err(PyRuntimeError::new_err("generator ignored GeneratorExit")),
            Outcome::Returned(_) => Ok(()),
        }
    }

    #[getter]
    fn gi_running(&self) -> bool {
        self.state() == RUNNING
    }
}

/// The exception that `throw` was given: an instance, or a class with what it is made of.
fn thrown(kind: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyResult<PyErr> {
    let wrong = || {
        let name = kind.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let message = "exceptions must be classes or instances deriving from BaseException, not ";
        PyTypeError::new_err(format!("{message}{name}"))
    };
    if let Ok(class) = kind.cast::<PyType>() {
        if !class.is_subclass_of::<pyo3::exceptions::PyBaseException>()? {
            return Err(wrong());
        }
        return Ok(match value.filter(|value| !value.is_none()) {
            None => PyErr::from_value(class.call0()?),
            Some(value) if value.is_instance(class)? => PyErr::from_value(value.clone()),
            Some(value) => match value.cast::<PyTuple>() {
                Ok(arguments) => PyErr::from_value(class.call1(arguments)?),
                Err(_) => PyErr::from_value(class.call1((value,))?),
            },
        });
    }
    if !kind.is_instance_of::<pyo3::exceptions::PyBaseException>() {
        return Err(wrong());
    }
    if value.is_some_and(|value| !value.is_none()) {
        return Err(PyTypeError::new_err("instance exception may not have a separate value"));
    }
    Ok(PyErr::from_value(kind.clone()))
}

/// The word of an object, if it is a generator of this type.
pub fn word_of(object: &Bound<'_, PyAny>, ty: Type) -> Option<u64> {
    let generator = object.cast::<Generator>().ok()?.get();
    (generator.ty == ty).then_some(generator.word)
}

/// The type of a value, if it is a generator.
pub fn type_of(value: &Bound<'_, PyAny>) -> Option<Type> {
    value.cast::<Generator>().ok().map(|generator| generator.get().ty)
}
