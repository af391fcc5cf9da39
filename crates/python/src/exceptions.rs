//! Exceptions that compiled code caught: records in blocks of memory, counted as other values are.
//!
//! A record keeps the site that raised and a copy of the arguments that lay in the thread's payload. Python's object is
//! made when somebody asks for it: when the exception is shown, returned, or leaves the function.

use crate::panic_guard;
use crate::raise::{self, PENDING};
use crate::session_state::Backend;
use crate::typeof_value;
use abi::{ExceptionClass, RaiseSite, StaticSite};
use pyo3::exceptions::{PyBaseException, PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ffi::c_void;
use std::mem::offset_of;
use types::{Handle, TypeData, USER_EXCEPTION};

/// What lies in the block of an exception.
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
    /// Whether the site is where it was raised; else it was made there.
    was_raised: bool,
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
        let owner = record_of(backend.cast(), site);
        let Some(record) = record(owner) else { return NO_MEMORY.status() as u64 | 1 };
        (*record).was_raised = true;
        add_trace(owner, status as u64);
        if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || site.has_payload_like(PENDING) {
            attached("a caught exception", (), |py| {
                (*record).object = PyErr::fetch(py).into_value(py).into_ptr();
                Ok(())
            });
        }
        owner
    }
}

/// A new record of what a site describes, with the arguments that lie in the thread's payload; 0 if there is no memory.
unsafe fn record_of(backend: *const Backend, site: &RaiseSite) -> u64 {
    // SAFETY: the destructor knows what a record is, and nobody else knows this one yet.
    unsafe {
        let has_payload = site.flags & RaiseSite::PAYLOAD != 0;
        let size = if has_payload { size_of::<Record>() } else { offset_of!(Record, words) };
        let owner = rt::allocate_unwritten(size as u64, drop_record);
        let Some(record) = record(owner) else { return 0 };
        (&raw mut (*record).site).write(site);
        (&raw mut (*record).backend).write(backend);
        (&raw mut (*record).object).write(std::ptr::null_mut());
        (&raw mut (*record).context).write(0);
        (&raw mut (*record).cause).write(0);
        (&raw mut (*record).trace).write(SmallVec::new());
        (&raw mut (*record).has_cause).write(false);
        (&raw mut (*record).was_raised).write(false);
        if has_payload {
            rt::copy_payload((&raw mut (*record).words).cast());
        }
        owner
    }
}

/// Whether Python code runs where an instance of a class of exceptions is made.
pub(crate) fn runs_code(class: &Bound<'_, PyAny>) -> bool {
    let making = |class: *mut ffi::PyObject| {
        // SAFETY: a class of exceptions is a type, which is alive.
        let class = unsafe { &*class.cast::<ffi::PyTypeObject>() };
        (class.tp_init.map(|function| function as usize), class.tp_new.map(|function| function as usize))
    };
    // The nearest class that is not written in Python makes instances without any.
    let mut base = class.as_ptr().cast::<ffi::PyTypeObject>();
    // SAFETY: bases live as long as their classes.
    unsafe {
        while ffi::PyType_GetFlags(base) & ffi::Py_TPFLAGS_HEAPTYPE != 0 && !(*base).tp_base.is_null() {
            base = (*base).tp_base;
        }
    }
    making(base.cast()) != making(class.as_ptr())
}

/// An exception that is made and not raised yet, with the class and arguments of a site; 0 with an exception set in Python.
///
/// # Safety
/// Both addresses are those of the compiled code that calls this.
pub(crate) unsafe extern "C" fn made(backend: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let site = &*status;
        let owner = record_of(backend.cast(), site);
        if owner == 0 {
            attached("a new exception", (), |_| Err::<(), _>(PyMemoryError::new_err(())));
            return 0;
        }
        if site.flags & RaiseSite::USER_CLASS == 0 {
            return owner;
        }
        let made = attached("a new exception", false, |py| {
            let Some(record) = record(owner) else { return Ok(true) };
            (*record).object = made_object(py, record)?.into_ptr();
            Ok(true)
        });
        if made {
            return owner;
        }
        // What was made of the arguments took them over, or failed with them.
        if let Some(record) = record(owner) {
            (*record).site = AGAIN.status();
        }
        rt::release(owner);
        0
    }
}

/// Python's object of a record; the exception that making it ended with.
unsafe fn made_object(py: Python<'_>, record: *mut Record) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: whoever has the record holds it, and the record its site.
    unsafe {
        let (backend, site) = (&*(*record).backend, &*(*record).site);
        let classes = |number| backend.class(py, Handle(number));
        let has_payload = site.flags & RaiseSite::PAYLOAD != 0;
        let words: &[u64] = if has_payload { &(*record).words } else { &[] };
        // Somebody else's exception may be set.
        let other = PyErr::take(py);
        let made = raise::made_of_words(py, site, &classes, words);
        if let Some(other) = other {
            other.restore(py);
        }
        Ok(made?.into_value(py).into_bound(py).into_any())
    }
}

/// A new record of an exception that Python has, which it takes over; 0 if there is no memory.
fn record_around(backend: *const Backend, exception: Bound<'_, PyAny>) -> u64 {
    // SAFETY: as of a record without arguments.
    unsafe {
        let owner = record_of(backend, &*AGAIN.status());
        if let Some(record) = record(owner) {
            (*record).object = exception.into_ptr();
        }
        owner
    }
}

/// Reads an attribute as a value of a type: a text names both. The words, whose owners the caller gets, are written to `out`. Not
/// 0 with an exception set in Python.
///
/// # Safety
/// The word is that of a record; the text is readable and there is room for the words.
pub(crate) unsafe extern "C" fn get(
    backend: *const c_void,
    owner: u64,
    text: *const u8,
    length: u64,
    out: *mut u64,
) -> u64 {
    attached("an attribute of an exception", 1, |py| {
        // SAFETY: the caller's promise.
        unsafe {
            let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length as usize));
            let (name, ty) = text.split_once('\n').unwrap_or((text, ""));
            let backend = &*backend.cast::<Backend>();
            let types = &backend.session().types;
            let ty = types.parse(ty).ok_or_else(|| PyTypeError::new_err(format!("a value of type {ty}")))?;
            let mut value = object(py, owner)?;
            for name in name.split('.') {
                value = value.getattr(name)?;
            }
            if let TypeData::Optional(inner) = types.get(ty)
                && let TypeData::Caught(_) = types.get(inner)
            {
                let is_there = !value.is_none();
                out.write(is_there.into());
                out.add(1).write(if is_there { record_around(backend, value) } else { 0 });
                return Ok(0);
            }
            let shown = value.clone();
            backend.take(&value, ty, out).map_err(|error| {
                if !error.is_instance_of::<PyTypeError>(py) {
                    return error;
                }
                let class = object(py, owner)
                    .and_then(|object| object.get_type().name().map(|name| name.to_string()));
                PyTypeError::new_err(format!(
                    "`{name}` of this {} is {}, and the function was compiled for {}",
                    class.unwrap_or_default(),
                    shown.repr().map(|text| text.to_string()).unwrap_or_default(),
                    types.name(ty)
                ))
            })?;
            Ok(0)
        }
    })
}

/// Whether two exceptions are one object, or of one class.
///
/// # Safety
/// The words are those of records.
pub(crate) unsafe extern "C" fn is_same(a: u64, b: u64, by_class: u64) -> bool {
    if a == b {
        return true;
    }
    attached("exceptions that are compared", false, |py| {
        // SAFETY: whoever has the words holds the records.
        let (a, b) = unsafe { (object(py, a)?, object(py, b)?) };
        Ok(if by_class != 0 { a.get_type().is(b.get_type()) } else { a.is(&b) })
    })
}

/// Whether the class of a number is the very class of an exception.
///
/// # Safety
/// The word is that of a record.
pub(crate) unsafe extern "C" fn is_exactly(owner: u64, number: u64) -> bool {
    let number = number as u32;
    let Some(record) = record(owner) else { return number == ExceptionClass::MemoryError as u32 };
    // SAFETY: whoever has the word holds the record, and the record its site.
    unsafe {
        let site = &*(*record).site;
        if (*record).object.is_null() && !has_its_class(site) && site.flags & RaiseSite::USER_CLASS == 0 {
            attached("an exception of the system", (), |py| object(py, owner).map(|_| ()));
        }
        if (*record).object.is_null() {
            let user = if site.flags & RaiseSite::USER_CLASS != 0 { USER_EXCEPTION } else { 0 };
            return site.class | user == number;
        }
        attached("the class of an exception", false, |py| {
            let class = Bound::from_borrowed_ptr(py, (*record).object).get_type();
            Ok(class.is(&class_of(py, &*(*record).backend, number)?))
        })
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
    // SAFETY: the site has no arguments.
    let owner = unsafe { record_of(backend.cast(), &*AGAIN.status()) };
    let Some(record) = record(owner) else { return NO_MEMORY.status() as u64 | 1 };
    attached("the exception that is handled", (), |py| {
        // SAFETY: nobody else knows the record yet.
        unsafe {
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
            give_up_arguments(&*(*record).site, &(*record).words);
        }
    }
}

/// Gives up what the arguments hold that nobody has made an exception of.
unsafe fn give_up_arguments(site: &RaiseSite, words: &[u64]) {
    // SAFETY: whoever has a record holds the site.
    let layout = unsafe { site.message_bytes() };
    if !layout.iter().any(|letter| b"tyeEo".contains(letter)) {
        return;
    }
    let layout = std::str::from_utf8(layout).unwrap_or_default();
    for (letter, word) in raise::owners_in(layout, words) {
        if letter != 'o' {
            rt::release(word);
            continue;
        }
        attached("an argument of an exception", (), |py| {
            // SAFETY: the word is a reference to an object that was boxed for this.
            drop(unsafe { Bound::from_owned_ptr(py, word as usize as *mut ffi::PyObject) });
            Ok(())
        });
    }
}

/// An argument of an exception as an object of Python: a text names its type. Its owners are given up. 0 with an exception set in
/// Python.
///
/// # Safety
/// The text is readable; the words are those of a value of that type.
pub(crate) unsafe extern "C" fn boxed(
    backend: *const c_void,
    text: *const u8,
    length: u64,
    words: *const u64,
) -> u64 {
    attached("an argument of an exception", 0, |py| {
        // SAFETY: the caller's promise.
        unsafe {
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length as usize));
            let backend = &*backend.cast::<Backend>();
            let ty = backend.session().types.parse(name);
            let boxing = ty.and_then(|ty| typeof_value::boxing(backend, ty));
            let boxing = boxing.ok_or_else(|| {
                PyTypeError::new_err(format!("cannot convert native {name} to Python object"))
            })?;
            let made = boxing.fresh().make(words);
            if made.is_null() { Err(PyErr::fetch(py)) } else { Ok(made as u64) }
        }
    })
}

/// Whether an exception is of the class of the runtime that its site names: OSError makes exceptions of other classes by their number.
fn has_its_class(site: &RaiseSite) -> bool {
    let makes_others = site.class == ExceptionClass::OSError as u32 && site.flags & RaiseSite::PAYLOAD != 0;
    site.flags & RaiseSite::USER_CLASS == 0 && !makes_others
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
        let is_plain = (*record).object.is_null() && has_its_class(site);
        if let (true, Some(class)) = (is_plain, site.exception_class()) {
            return wanted.is_some_and(|wanted| class.is_a(wanted));
        }
        attached("a handler", false, |py| {
            let class = if (*record).object.is_null() && site.flags & RaiseSite::USER_CLASS == 0 {
                object(py, owner)?.get_type().into_any()
            } else if (*record).object.is_null() {
                class_of(py, &*(*record).backend, site.class | USER_EXCEPTION)?
            } else {
                Bound::from_borrowed_ptr(py, (*record).object).get_type().into_any()
            };
            let wanted = class_of(py, &*(*record).backend, number)?;
            Ok(ffi::PyErr_GivenExceptionMatches(class.as_ptr(), wanted.as_ptr()) != 0)
        })
    }
}

/// Whether the exception that a status stands for is an instance of the class of a number. It stays on its way.
///
/// # Safety
/// Both addresses are those of the compiled code that failed with this status on this thread just now.
pub(crate) unsafe extern "C" fn status_is(
    backend: *const c_void,
    status: *const RaiseSite,
    number: u64,
) -> bool {
    // SAFETY: the caller's promise.
    let site = unsafe { &*status };
    if site.flags & RaiseSite::CAUGHT != 0 {
        let owner = RAISED.with_borrow(|raised| raised.last().copied()).unwrap_or_default();
        // SAFETY: the thread keeps a record.
        return unsafe { is_a(owner, number) };
    }
    // SAFETY: the texts of a site can be read.
    let is_pending =
        site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || unsafe { site.has_payload_like(PENDING) };
    if !is_pending
        && has_its_class(site)
        && let Some(class) = site.exception_class()
    {
        return ExceptionClass::from_index(number as u32).is_some_and(|wanted| class.is_a(wanted));
    }
    attached("a handler", false, |py| {
        // SAFETY: compiled code gave the address of the backend; the arguments lie in the payload.
        unsafe {
            let backend = &*backend.cast::<Backend>();
            let wanted = class_of(py, backend, number as u32)?;
            if is_pending {
                return Ok(ffi::PyErr_ExceptionMatches(wanted.as_ptr()) != 0);
            }
            let class = if site.flags & RaiseSite::USER_CLASS != 0 {
                class_of(py, backend, site.class | USER_EXCEPTION)?
            } else {
                class_of_system(py, site)?
            };
            Ok(ffi::PyErr_GivenExceptionMatches(class.as_ptr(), wanted.as_ptr()) != 0)
        }
    })
}

/// The class of which OSError makes an exception with arguments that lie in the payload.
unsafe fn class_of_system<'py>(py: Python<'py>, site: &RaiseSite) -> PyResult<Bound<'py, PyAny>> {
    let class = py.get_type::<pyo3::exceptions::PyOSError>();
    // SAFETY: the texts of a site can be read.
    match unsafe { site.message_bytes() } {
        [b'i', _, ..] => Ok(class.call1((rt::payload()[0].cast_signed(), ""))?.get_type().into_any()),
        _ => Ok(class.into_any()),
    }
}

/// Gives up the exception that a status stands for.
///
/// # Safety
/// As of [`status_is`].
pub(crate) unsafe extern "C" fn forget(_: *const c_void, status: *const RaiseSite) {
    // SAFETY: the caller's promise.
    let site = unsafe { &*status };
    rt::take_trace(status as u64, |_| ());
    if site.flags & RaiseSite::CAUGHT != 0 {
        rt::release(last_raised());
        return;
    }
    // SAFETY: the texts of a site can be read, and the arguments lie in the payload.
    unsafe {
        if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || site.has_payload_like(PENDING) {
            attached("a caught exception", (), |py| {
                drop(PyErr::take(py));
                Ok(())
            });
        } else if site.flags & RaiseSite::PAYLOAD != 0 {
            give_up_arguments(site, &rt::payload());
        }
    }
}

/// The class of a number as types have it.
pub(crate) fn class_of<'py>(py: Python<'py>, backend: &Backend, number: u32) -> PyResult<Bound<'py, PyAny>> {
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
            let error = match made_object(py, record) {
                Ok(made) => PyErr::from_value(made),
                Err(error) => error,
            };
            if (*record).was_raised {
                raise::add_place(py, &error, &*(*record).site);
            }
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

/// The same for its class.
///
/// # Safety
/// As of [`make`].
pub(crate) unsafe fn make_class(owner: u64) -> *mut ffi::PyObject {
    panic_guard::enter("the class of an exception", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let made = unsafe { object(py, owner) };
        rt::release(owner);
        Ok(made?.get_type().into_ptr())
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
