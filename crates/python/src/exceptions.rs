//! Exceptions that compiled code caught: records in blocks of memory, counted as other values are.
//!
//! A record keeps the site that raised and a copy of the arguments that lay in the thread's payload. Python's object is
//! made when somebody asks for it: when the exception is shown, returned, or leaves the function.

use crate::panic_guard;
use crate::raise::{self, PENDING};
use crate::session_state::Backend;
use abi::{ExceptionClass, RaiseSite, StaticSite};
use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ffi::c_void;
use std::mem::offset_of;
use types::{Handle, USER_EXCEPTION};

/// What lies in the block of a caught exception.
#[repr(C)]
struct Record {
    /// What raised.
    site: *const RaiseSite,
    /// Knows the classes of users.
    backend: *const Backend,
    /// Python's object, once it was made.
    object: *mut ffi::PyObject,
    /// The exception that was being handled when this one was raised: an owner word.
    context: u64,
    /// What this one was raised from: an owner word.
    cause: u64,
    /// The places that it came through since it was raised, which the object's traceback has not yet.
    trace: SmallVec<[u64; 4]>,
    /// Whether it was raised `from` something.
    has_cause: bool,
    /// The arguments, as the site says that they lie there. They are there if it says so.
    words: [u64; rt::PAYLOAD_WORDS],
}

thread_local! {
    /// Caught exceptions that are on their way again, as owner words: while one is, a generator that is given up may raise others,
    /// which are caught before it goes on.
    static RAISED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Stands for the exception in [`RAISED`].
static AGAIN: StaticSite = StaticSite::new(ExceptionClass::Exception, RaiseSite::CAUGHT);

static STOPPED: StaticSite =
    StaticSite::with_message(ExceptionClass::RuntimeError, "generator raised StopIteration");

/// What is caught where there is no memory for a record.
static NO_MEMORY: StaticSite = StaticSite::new(ExceptionClass::MemoryError, 0);

/// The record of an owner word; none where there was no memory for one.
fn record(owner: u64) -> Option<*mut Record> {
    (owner != 0 && owner & 1 == 0).then(|| rt::items_of(owner) as *mut Record)
}

/// The record of the exception that a status stands for.
///
/// # Safety
/// Both addresses are those of the compiled code that failed with this status on this thread just now.
pub(crate) unsafe extern "C" fn catch(backend: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let site = &*status;
        if site.flags & RaiseSite::CAUGHT != 0 {
            let owner = last_raised();
            add_trace(owner, status as u64);
            return owner;
        }
        let has_payload = site.flags & RaiseSite::PAYLOAD != 0;
        let size = if has_payload { size_of::<Record>() } else { offset_of!(Record, words) };
        let owner = rt::allocate_with(size as u64, drop_record, std::ptr::null_mut());
        let Some(record) = record(owner) else { return NO_MEMORY.status() as u64 | 1 };
        (*record).site = status;
        (*record).backend = backend.cast();
        (&raw mut (*record).trace).write(SmallVec::new());
        add_trace(owner, status as u64);
        if site.flags & RaiseSite::PENDING_IN_PYTHON != 0
            || has_payload && site.message().as_deref() == Some(PENDING)
        {
            attached("a caught exception", (), |py| {
                (*record).object = PyErr::fetch(py).into_value(py).into_ptr();
                Ok(())
            });
        } else if has_payload {
            (*record).words = rt::payload();
        }
        owner
    }
}

/// The exception that was raised again last.
fn last_raised() -> u64 {
    RAISED.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// Notes the places that an exception came through with a status.
fn add_trace(owner: u64, status: u64) {
    let Some(record) = record(owner) else { return };
    // SAFETY: whoever has the word holds the record.
    rt::take_trace(status, |sites| unsafe { (*record).trace.extend_from_slice(sites) });
}

/// The exception that Python handles where compiled code was called; RuntimeError if there is none.
///
/// # Safety
/// The address is that of the backend.
pub(crate) unsafe extern "C" fn handled(backend: *const c_void) -> u64 {
    let owner =
        // SAFETY: the destructor knows what a record is.
        unsafe { rt::allocate_with(offset_of!(Record, words) as u64, drop_record, std::ptr::null_mut()) };
    let Some(record) = record(owner) else { return NO_MEMORY.status() as u64 | 1 };
    attached("the exception that is handled", (), |py| {
        // SAFETY: nobody else knows the record yet.
        unsafe {
            (*record).site = AGAIN.status();
            (*record).backend = backend.cast();
            (&raw mut (*record).trace).write(SmallVec::new());
            let handled = Bound::from_owned_ptr_or_opt(py, ffi::PyErr_GetHandledException());
            let none = || PyRuntimeError::new_err("No active exception to reraise").into_value(py).into_ptr();
            (*record).object = handled.map_or_else(none, Bound::into_ptr);
        }
        Ok(())
    });
    owner
}

/// Runs what needs Python, from code that may have let go of it. What is set in Python stays set.
fn attached<T>(place: &str, failure: T, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    // SAFETY: Python runs as long as compiled code does.
    unsafe {
        let state = ffi::PyGILState_Ensure();
        let result = panic_guard::enter(place, failure, body);
        ffi::PyGILState_Release(state);
        result
    }
}

/// Gives up what a record keeps.
unsafe extern "C" fn drop_record(items: *mut u8, _: usize, _: *mut ()) {
    // SAFETY: the items of a block with this destructor are a record.
    unsafe {
        let record = items.cast::<Record>();
        drop(std::mem::take(&mut (*record).trace));
        rt::release((*record).context);
        rt::release((*record).cause);
        let object = (*record).object;
        if !object.is_null() {
            attached("a caught exception", (), |py| {
                drop(Bound::from_owned_ptr(py, object));
                Ok(())
            });
        } else if (*(*record).site).flags & RaiseSite::PAYLOAD != 0 {
            let layout = (*(*record).site).message().unwrap_or_default();
            for word in raise::owners_in(&layout, &(*record).words) {
                rt::release(word);
            }
        }
    }
}

/// Whether an exception is an instance of the class of a number.
///
/// # Safety
/// The word is that of a record.
pub(crate) unsafe extern "C" fn is_a(owner: u64, number: u64) -> bool {
    let number = number as u32;
    let wanted = ExceptionClass::from_index(number);
    let Some(record) = record(owner) else {
        return wanted.is_some_and(|wanted| ExceptionClass::MemoryError.is_a(wanted));
    };
    // SAFETY: whoever has the word holds the record, and the record its site.
    unsafe {
        let site = &*(*record).site;
        let is_plain = (*record).object.is_null() && site.flags & RaiseSite::USER_CLASS == 0;
        if let (true, Some(class)) = (is_plain, site.exception_class()) {
            return wanted.is_some_and(|wanted| class.is_a(wanted));
        }
        attached("a handler", false, |py| {
            let class = if (*record).object.is_null() {
                class_of(py, &*(*record).backend, site.class | USER_EXCEPTION)?
            } else {
                Bound::from_borrowed_ptr(py, (*record).object).get_type().into_any()
            };
            let wanted = class_of(py, &*(*record).backend, number)?;
            Ok(ffi::PyErr_GivenExceptionMatches(class.as_ptr(), wanted.as_ptr()) != 0)
        })
    }
}

/// The class of a number as types have it.
fn class_of<'py>(py: Python<'py>, backend: &Backend, number: u32) -> PyResult<Bound<'py, PyAny>> {
    if number & USER_EXCEPTION != 0 {
        let class = backend.class(py, Handle(number & !USER_EXCEPTION));
        let unknown = || panic_guard::internal_error(py, "an exception of compiled code", "unknown class");
        return Ok(class.ok_or_else(unknown)?.into_bound(py));
    }
    let class = ExceptionClass::from_index(number).unwrap_or(ExceptionClass::BaseException);
    py.import(class.module())?.getattr(class.name())
}

/// The status by which an exception leaves again.
///
/// # Safety
/// The word is that of a record.
pub(crate) unsafe extern "C" fn status(owner: u64) -> u64 {
    rt::retain(owner);
    RAISED.with_borrow_mut(|raised| raised.push(owner));
    AGAIN.status() as u64
}

/// The status with which a generator fails: that of a RuntimeError in place of a StopIteration, which would end loops that go
/// through the generator.
///
/// # Safety
/// As for [`catch`].
pub(crate) unsafe extern "C" fn stop_to_error(backend: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise; words are those of records.
    unsafe {
        let site = &*status;
        let is_elsewhere = site.flags & !RaiseSite::PAYLOAD != 0;
        if !is_elsewhere && site.exception_class() != Some(ExceptionClass::StopIteration) {
            return status as u64;
        }
        let raised = catch(backend, status);
        let stays = !is_a(raised, ExceptionClass::StopIteration as u64);
        let error = if stays { raised } else { catch(backend, STOPPED.status()) };
        if !stays {
            set_cause(error, raised);
            set_context(error, raised);
            rt::release(raised);
        }
        let status = self::status(error);
        rt::release(error);
        status
    }
}

/// Writes the words of the value that a StopIteration was raised with, if there is one and it lies as expected.
///
/// # Safety
/// The word is that of a record; there is room for the words of such a value.
pub(crate) unsafe extern "C" fn stop_value(owner: u64, layout: u64, out: *mut u64) -> bool {
    let Some(record) = record(owner) else { return false };
    // SAFETY: whoever has the word holds the record, and the record its site.
    unsafe {
        let site = &*(*record).site;
        let is_stop = site.exception_class() == Some(ExceptionClass::StopIteration);
        if !is_stop || site.flags != RaiseSite::PAYLOAD {
            return false;
        }
        let fits = site.message().is_some_and(|known| abi::layout_hash(&known) == layout);
        if fits {
            out.copy_from_nonoverlapping((*record).words.as_ptr(), rt::PAYLOAD_WORDS);
        }
        fits
    }
}

/// The second exception was being handled when the first one was raised.
///
/// # Safety
/// The words are those of records.
pub(crate) unsafe extern "C" fn set_context(raised: u64, handled: u64) {
    if raised == handled || record(handled).is_none() {
        return;
    }
    // SAFETY: whoever has the words holds the records, which hold those behind them.
    unsafe {
        // What was handled cannot have come behind what is raised again now.
        let mut at = handled;
        while let Some(record) = record(at) {
            if (*record).context == raised {
                (*record).context = 0;
                rt::release(raised);
                break;
            }
            at = (*record).context;
        }
        let mut first = raised;
        while let Some(record) = record(first).filter(|&record| (*record).context != 0) {
            first = (*record).context;
            if first == handled {
                return;
            }
        }
        let Some(first) = record(first) else { return };
        rt::retain(handled);
        (*first).context = handled;
        if !(*first).object.is_null() {
            attached("the context of an exception", (), |py| {
                let context = object(py, handled)?;
                ffi::PyException_SetContext((*first).object, context.into_ptr());
                Ok(())
            });
        }
    }
}

/// The first exception is raised from the second one, or from None.
///
/// # Safety
/// The words are those of records, or the second is 0.
pub(crate) unsafe extern "C" fn set_cause(raised: u64, cause: u64) {
    let Some(record) = record(raised) else { return };
    // SAFETY: whoever has the words holds the records.
    unsafe {
        (*record).has_cause = true;
        // An exception that is its own cause would hold itself.
        if cause != raised {
            rt::retain(cause);
            rt::release(std::mem::replace(&mut (*record).cause, cause));
        }
        if !(*record).object.is_null() {
            attached("the cause of an exception", (), |py| add_cause(py, record));
        }
    }
}

unsafe fn add_cause(py: Python<'_>, record: *mut Record) -> PyResult<()> {
    // SAFETY: the record has its object, and holds its cause.
    unsafe {
        let cause = match (*record).cause {
            0 => std::ptr::null_mut(),
            cause => object(py, cause)?.into_ptr(),
        };
        ffi::PyException_SetCause((*record).object, cause);
    }
    Ok(())
}

/// The object of an exception, which is made once.
///
/// # Safety
/// The word is that of a record.
pub(crate) unsafe fn object(py: Python<'_>, owner: u64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: whoever has the word holds the record.
    unsafe {
        let Some(record) = record(owner) else {
            return py.get_type::<pyo3::exceptions::PyMemoryError>().call0();
        };
        if (*record).object.is_null() {
            let backend = &*(*record).backend;
            let site = &*(*record).site;
            let classes = |number| backend.class(py, Handle(number));
            let has_payload = site.flags & RaiseSite::PAYLOAD != 0;
            let words: &[u64] = if has_payload { &(*record).words } else { &[] };
            let error = raise::exception_of_words(py, site, &classes, words);
            (*record).object = error.into_value(py).into_ptr();
            if (*record).has_cause {
                add_cause(py, record)?;
            }
            if (*record).context != 0 {
                let context = object(py, (*record).context)?;
                ffi::PyException_SetContext((*record).object, context.into_ptr());
            }
        }
        if !(*record).trace.is_empty() {
            let trace = std::mem::take(&mut (*record).trace);
            let made = Bound::from_borrowed_ptr(py, (*record).object);
            let error = PyErr::from_value(made);
            raise::add_places(py, &error, &trace);
            // Only with this the object has the traceback.
            drop(error.into_value(py));
        }
        Ok(Bound::from_borrowed_ptr(py, (*record).object))
    }
}

/// A new reference to the object of an exception that compiled code holds no longer, or null with an exception set.
///
/// # Safety
/// The thread is attached to Python; the word is that of a record.
pub(crate) unsafe fn make(owner: u64) -> *mut ffi::PyObject {
    panic_guard::enter("an exception as a value", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let made = unsafe { object(py, owner) };
        rt::release(owner);
        Ok(made?.into_ptr())
    })
}

/// The caught exception that is on its way again.
pub(crate) fn take(py: Python<'_>) -> PyResult<PyErr> {
    let owner = last_raised();
    add_trace(owner, AGAIN.status() as u64);
    // SAFETY: the thread keeps a record.
    let made = unsafe { object(py, owner) };
    let error = made.and_then(|made| Ok(PyErr::from_value(made.cast_into::<PyBaseException>()?.into_any())));
    rt::release(owner);
    error
}
