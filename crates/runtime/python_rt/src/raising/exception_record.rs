//! Exception records in heap blocks, and the Python objects created from them.
//!
//! A record keeps the site that raised and a copy of the arguments that lay in the thread's payload. Python's object is
//! made when somebody asks for it: when the exception is shown, returned, or leaves the function.
//!
//! Absent: what compiled code does with caught exceptions (`exceptions`).

use crate::object_registry::ObjectRegistry;
use crate::panic_guard;
use crate::python_state::with_python;
use crate::raising::raise;
use abi::{ExceptionClass, RaiseSite, StaticSite};
use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::mem::offset_of;
use types::{Handle, USER_EXCEPTION};

/// The contents of the block of an exception.
#[repr(C)]
pub struct Record {
    /// What raised.
    pub site: *const RaiseSite,
    /// Knows the classes of users.
    pub known: *const ObjectRegistry,
    /// Python's object, once it was made.
    pub object: *mut ffi::PyObject,
    /// The exception that was being handled when this one was raised: an owner word. 0 if Python's object knows it.
    pub context: u64,
    /// What this one was raised from: an owner word. 0 if Python's object knows it.
    pub cause: u64,
    /// The places that it came through since it was raised, which the object's traceback has not yet.
    pub trace: SmallVec<[u64; 4]>,
    /// Whether it was raised `from` something that Python's object does not know.
    pub has_cause: bool,
    /// Whether the site is where it was raised; else it was made there.
    pub was_raised: bool,
    /// The arguments, laid out as the site describes: [`word_count`] words.
    words: [u64; 0],
}

/// How many words of the payload arguments of a site take at most: each has a letter in the layout and three words if it is a text.
pub(crate) fn word_count(site: &RaiseSite) -> usize {
    match site.flags & RaiseSite::PAYLOAD {
        0 => 0,
        _ => (3 * site.message_len).min(rt::PAYLOAD_WORDS),
    }
}

/// The arguments that a record keeps.
///
/// # Safety
/// Whoever calls holds the record.
pub(crate) unsafe fn words_of<'r>(record: *const Record) -> &'r [u64] {
    // SAFETY: the record was made with room for these (`record_of`).
    unsafe { std::slice::from_raw_parts((&raw const (*record).words).cast(), word_count(&*(*record).site)) }
}

thread_local! {
    /// Caught exceptions that are on their way again, as owner words: while one is, a generator that is released may raise others,
    /// which are caught before it continues.
    pub(crate) static RAISED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Stands for the exception in [`RAISED`].
pub(crate) static AGAIN: StaticSite = StaticSite::new(ExceptionClass::Exception, RaiseSite::CAUGHT);

/// What is caught where there is no memory for a record.
pub(crate) static NO_MEMORY: StaticSite = StaticSite::new(ExceptionClass::MemoryError, 0);

/// The record of an owner word; none where there was no memory for one.
pub fn record(owner: u64) -> Option<*mut Record> {
    (owner != 0 && owner & 1 == 0).then(|| rt::items_of(owner) as *mut Record)
}

/// A new record of what a site describes, with the arguments that lie in the thread's payload; 0 if there is no memory.
pub(crate) unsafe fn record_of(known: *const ObjectRegistry, site: &RaiseSite) -> u64 {
    // SAFETY: the destructor knows what a record is, and nobody else knows this one yet.
    unsafe {
        let count = word_count(site);
        let size = offset_of!(Record, words) + 8 * count;
        let owner = rt::allocate_unwritten(size as u64, drop_record);
        let Some(record) = record(owner) else { return 0 };
        (&raw mut (*record).site).write(site);
        (&raw mut (*record).known).write(known);
        (&raw mut (*record).object).write(std::ptr::null_mut());
        (&raw mut (*record).context).write(0);
        (&raw mut (*record).cause).write(0);
        (&raw mut (*record).trace).write(SmallVec::new());
        (&raw mut (*record).has_cause).write(false);
        (&raw mut (*record).was_raised).write(false);
        if count != 0 {
            rt::copy_payload((&raw mut (*record).words).cast(), count);
        }
        owner
    }
}

/// Python's object of a record; the exception that making it ended with.
pub(crate) unsafe fn made_object(py: Python<'_>, record: *mut Record) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: whoever has the record holds it, and the record its site.
    unsafe {
        let (known, site) = (&*(*record).known, &*(*record).site);
        let classes = |number| known.class(py, Handle(number));
        let words = words_of(record);
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
pub(crate) fn record_around(known: *const ObjectRegistry, exception: Bound<'_, PyAny>) -> u64 {
    // SAFETY: as of a record without arguments.
    unsafe {
        let owner = record_of(known, &*AGAIN.status());
        if let Some(record) = record(owner) {
            (*record).object = exception.into_ptr();
        }
        owner
    }
}

/// The exception that was raised again last.
pub(crate) fn last_raised() -> u64 {
    RAISED.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// Notes the places that an exception came through with a status.
pub(crate) fn add_trace(owner: u64, status: u64) {
    let Some(record) = record(owner) else { return };
    // SAFETY: whoever has the word holds the record.
    rt::take_trace(status, |sites| unsafe { (*record).trace.extend_from_slice(sites) });
}

/// Runs what needs Python, from code that may have let go of it. What is set in Python stays set.
pub fn attached<T>(context: &str, failure: T, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    // SAFETY: Python runs as long as compiled code does.
    unsafe { with_python(|| panic_guard::enter(context, failure, body)) }
}

/// Gives up what a record keeps.
unsafe extern "C" fn drop_record(items: *mut u8, _: usize, _: *mut ()) {
    // SAFETY: the items of a block with this destructor are a record.
    unsafe {
        let record = items.cast::<Record>();
        drop(std::mem::take(&mut (*record).trace));
        rt::object::release_parts(|give_up| {
            give_up((*record).context);
            give_up((*record).cause);
        });
        let object = (*record).object;
        if !object.is_null() {
            attached("a caught exception", (), |py| {
                drop(Bound::from_owned_ptr(py, object));
                Ok(())
            });
        } else if (*(*record).site).flags & RaiseSite::PAYLOAD != 0 {
            give_up_arguments(&*(*record).site, words_of(record));
        }
    }
}

/// Whether arguments hold references, as the letters of their layout tell.
pub(crate) unsafe fn holds_owners(site: &RaiseSite) -> bool {
    // SAFETY: whoever has a record holds the site.
    unsafe { site.message_bytes() }.iter().any(|letter| b"tyeEo".contains(letter))
}

/// Gives up what the arguments hold that nobody has made an exception of.
pub(crate) unsafe fn give_up_arguments(site: &RaiseSite, words: &[u64]) {
    // SAFETY: whoever has a record holds the site.
    if !unsafe { holds_owners(site) } {
        return;
    }
    // SAFETY: the same.
    let layout = unsafe { site.message_bytes() };
    let layout = std::str::from_utf8(layout).unwrap_or_default();
    for (letter, word) in raise::owners_in(layout, words) {
        if letter != 'o' {
            rt::decref(word);
            continue;
        }
        attached("an argument of an exception", (), |py| {
            // SAFETY: the word is a reference to an object that was boxed for this.
            drop(unsafe { Bound::from_owned_ptr(py, word as usize as *mut ffi::PyObject) });
            Ok(())
        });
    }
}

/// The object of an exception, which is made once. From then on its cause and its context are those of the object.
///
/// # Safety
/// The word is that of a record.
pub unsafe fn object(py: Python<'_>, owner: u64) -> PyResult<Bound<'_, PyAny>> {
    let Some(first) = record(owner) else {
        return py.get_type::<pyo3::exceptions::PyMemoryError>().call0();
    };
    // A loop, as chains may be long. Words of records behind the first are given up when all is linked.
    let (mut pending, mut passed) = (vec![first], Vec::new());
    // SAFETY: whoever has the word holds the record, and a record those that it was raised from.
    unsafe {
        while let Some(record) = pending.pop() {
            make_object(py, record);
            if std::mem::take(&mut (*record).has_cause) {
                let cause = std::mem::take(&mut (*record).cause);
                let object = if cause == 0 { std::ptr::null_mut() } else { linked(py, cause, &mut pending)? };
                ffi::PyException_SetCause((*record).object, object);
                passed.push(cause);
            }
            let context = std::mem::take(&mut (*record).context);
            if context != 0 {
                ffi::PyException_SetContext((*record).object, linked(py, context, &mut pending)?);
                passed.push(context);
            }
        }
        passed.into_iter().for_each(|owner| rt::decref(owner));
        Ok(Bound::from_borrowed_ptr(py, (*first).object))
    }
}

/// A new reference to the object of a record that another one was raised from; its own links are still to be made.
unsafe fn linked(py: Python<'_>, owner: u64, pending: &mut Vec<*mut Record>) -> PyResult<*mut ffi::PyObject> {
    let Some(record) = record(owner) else {
        return Ok(py.get_type::<pyo3::exceptions::PyMemoryError>().call0()?.into_ptr());
    };
    // SAFETY: the caller holds the record.
    unsafe {
        make_object(py, record);
        pending.push(record);
        ffi::Py_INCREF((*record).object);
        Ok((*record).object)
    }
}

/// Makes the object of a record unless it has one, and adds the places that it came through.
unsafe fn make_object(py: Python<'_>, record: *mut Record) {
    // SAFETY: the caller holds the record.
    unsafe {
        if (*record).object.is_null() {
            let error = match made_object(py, record) {
                Ok(made) => PyErr::from_value(made),
                Err(error) => error,
            };
            if (*record).was_raised {
                raise::add_traceback_entry(py, &error, &*(*record).site);
            }
            (*record).object = error.into_value(py).into_ptr();
        }
        if !(*record).trace.is_empty() {
            let trace = std::mem::take(&mut (*record).trace);
            let made = Bound::from_borrowed_ptr(py, (*record).object);
            let error = PyErr::from_value(made);
            raise::add_traceback_entries(py, &error, &trace);
            // Only with this the object has the traceback.
            drop(error.into_value(py));
        }
    }
}

/// A new reference to the object of an exception that compiled code holds no longer, or null with an exception set.
///
/// # Safety
/// The thread is attached to Python; the word is that of a record.
pub unsafe fn make(owner: u64) -> *mut ffi::PyObject {
    panic_guard::enter("an exception as a value", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let made = unsafe { object(py, owner) };
        rt::decref(owner);
        Ok(made?.into_ptr())
    })
}

/// The same for its class.
///
/// # Safety
/// As for [`make`].
pub unsafe fn make_class(owner: u64) -> *mut ffi::PyObject {
    panic_guard::enter("the class of an exception", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let made = unsafe { object(py, owner) };
        rt::decref(owner);
        Ok(made?.get_type().into_ptr())
    })
}

/// The caught exception that is on its way again.
pub fn take(py: Python<'_>) -> PyResult<PyErr> {
    let owner = last_raised();
    add_trace(owner, AGAIN.status() as u64);
    // SAFETY: the thread keeps a record.
    let made = unsafe { object(py, owner) };
    let error = made.and_then(|made| Ok(PyErr::from_value(made.cast_into::<PyBaseException>()?.into_any())));
    rt::decref(owner);
    error
}

/// The class of a number as types have it.
pub fn class_of<'py>(py: Python<'py>, known: &ObjectRegistry, number: u32) -> PyResult<Bound<'py, PyAny>> {
    if number & USER_EXCEPTION != 0 {
        let class = known.class(py, Handle(number & !USER_EXCEPTION));
        let unknown = || panic_guard::internal_error(py, "an exception of compiled code", "unknown class");
        return Ok(class.ok_or_else(unknown)?.into_bound(py));
    }
    let class = ExceptionClass::from_index(number).unwrap_or(ExceptionClass::BaseException);
    py.import(class.module())?.getattr(class.name())
}

/// Whether Python code runs where an instance of a class of exceptions is made.
pub fn runs_code(class: &Bound<'_, PyAny>) -> bool {
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
