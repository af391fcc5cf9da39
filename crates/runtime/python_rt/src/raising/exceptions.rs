//! Operations of compiled code on caught exceptions, by symbol.
//!
//! Absent: what is known of an exception (`exception_record`).

use crate::callbacks::RuntimeContext;
use crate::callbacks::unbox_value::take_copy;
use crate::object_registry::ObjectRegistry;
use crate::raising::exception_chain::{set_cause, set_context};
use crate::raising::exception_record::{
    AGAIN, NO_MEMORY, RAISED, add_trace, attached, class_of, give_up_arguments, holds_owners, last_raised,
    made_object, object, record, record_around, record_of, words_of,
};
use crate::raising::raise::{self, PENDING};
use abi::{ExceptionClass, RaiseSite, StaticSite};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use types::{TypeData, USER_EXCEPTION};

static STOPPED: StaticSite =
    StaticSite::with_message(ExceptionClass::RuntimeError, "generator raised StopIteration");

/// Python objects that types name by a number.
///
/// # Safety
/// As for [`RuntimeContext::at`].
unsafe fn registry(context: *const c_void) -> *const ObjectRegistry {
    // SAFETY: the caller's promise.
    unsafe { RuntimeContext::at(context).cx() }.registries()
}

/// The record of the exception that a status stands for.
///
/// # Safety
/// Both addresses are those of the compiled code that failed with this status on this thread just now.
pub unsafe extern "C" fn catch(context: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let site = &*status;
        if site.flags & RaiseSite::CAUGHT != 0 {
            let owner = last_raised();
            add_trace(owner, status as u64);
            return owner;
        }
        let owner = record_of(registry(context), site);
        let Some(record) = record(owner) else { return NO_MEMORY.status() as u64 | 1 };
        (*record).was_raised = true;
        add_trace(owner, status as u64);
        if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || site.has_payload_like(PENDING) {
            attached("a caught exception", (), |py| {
                let error = PyErr::fetch(py);
                raise::add_traceback_entry(py, &error, site);
                (*record).object = error.into_value(py).into_ptr();
                Ok(())
            });
        }
        owner
    }
}

/// An exception that is made and not raised yet, with the class and arguments of a site; 0 with an exception set in Python.
///
/// # Safety
/// Both addresses are those of the compiled code that calls this.
pub unsafe extern "C" fn made(context: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let site = &*status;
        let owner = record_of(registry(context), site);
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
        rt::decref(owner);
        0
    }
}

/// Reads an attribute as a value of a type: a text names both. The words, whose owners the caller gets, are written to `out`. Not
/// 0 with an exception set in Python.
///
/// # Safety
/// The word is that of a record; the text is readable and there is room for the words.
pub unsafe extern "C" fn get(
    context: *const c_void,
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
            let cx = RuntimeContext::at(context).cx();
            let types = &cx.registries().types;
            let ty = types.parse(ty).ok_or_else(|| PyTypeError::new_err(format!("a value of type {ty}")))?;
            let mut value = object(py, owner)?;
            for name in name.split('.') {
                value = value.getattr(name)?;
            }
            if let TypeData::Optional(inner) = types.get(ty)
                && let TypeData::Caught(_) | TypeData::CaughtTraceback = types.get(inner)
            {
                let is_there = !value.is_none();
                out.write(is_there.into());
                out.add(1).write(if is_there { record_around(cx.registries(), value) } else { 0 });
                return Ok(0);
            }
            let shown = value.clone();
            take_copy(cx, &value, ty, out).map_err(|error| {
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
            Ok(class.is(&class_of(py, &*(*record).known, number)?))
        })
    }
}

/// The exception that Python handles where compiled code was called; RuntimeError if there is none.
///
/// # Safety
/// The address is that of a [`RuntimeContext`].
pub unsafe extern "C" fn handled(context: *const c_void) -> u64 {
    // SAFETY: the site has no arguments.
    let owner = unsafe { record_of(registry(context), &*AGAIN.status()) };
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

/// An argument of an exception as a Python object: a text names its type. Its owners are released. 0 with an exception set in
/// Python.
///
/// # Safety
/// The text is readable; the words are those of a value of that type.
pub unsafe extern "C" fn boxed(
    context: *const c_void,
    text: *const u8,
    length: u64,
    words: *const u64,
) -> u64 {
    attached("an argument of an exception", 0, |py| {
        // SAFETY: the caller's promise.
        unsafe {
            let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, length as usize));
            let cx = RuntimeContext::at(context).cx();
            let ty = cx.registries().types.parse(name);
            let boxing = ty.and_then(|ty| cx.boxing(ty));
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
pub unsafe extern "C" fn is_a(owner: u64, number: u64) -> bool {
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
                class_of(py, &*(*record).known, site.class | USER_EXCEPTION)?
            } else {
                Bound::from_borrowed_ptr(py, (*record).object).get_type().into_any()
            };
            let wanted = class_of(py, &*(*record).known, number)?;
            Ok(ffi::PyErr_GivenExceptionMatches(class.as_ptr(), wanted.as_ptr()) != 0)
        })
    }
}

/// Whether the exception that a status stands for is an instance of the class of a number. It stays on its way.
///
/// # Safety
/// Both addresses are those of the compiled code that failed with this status on this thread just now.
pub(crate) unsafe extern "C" fn status_is(
    context: *const c_void,
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
        // SAFETY: compiled code gave the address of its context; the arguments lie in the payload.
        unsafe {
            let cx = RuntimeContext::at(context).cx();
            if is_pending {
                // Finding the class imports its module, which an exception that is set would not live through.
                let Some(pending) = PyErr::take(py) else { return Ok(false) };
                let wanted = class_of(py, cx.registries(), number as u32);
                let matches = wanted.is_ok_and(|wanted| pending.is_instance(py, &wanted));
                pending.restore(py);
                return Ok(matches);
            }
            let wanted = class_of(py, cx.registries(), number as u32)?;
            let class = if site.flags & RaiseSite::USER_CLASS != 0 {
                class_of(py, cx.registries(), site.class | USER_EXCEPTION)?
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
/// As for [`status_is`].
pub unsafe extern "C" fn forget(_: *const c_void, status: *const RaiseSite) {
    // SAFETY: the caller's promise.
    let site = unsafe { &*status };
    rt::take_trace(status as u64, |_| ());
    if site.flags & RaiseSite::CAUGHT != 0 {
        rt::decref(last_raised());
        return;
    }
    // SAFETY: the texts of a site can be read, and the arguments lie in the payload.
    unsafe {
        if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || site.has_payload_like(PENDING) {
            attached("a caught exception", (), |py| {
                drop(PyErr::take(py));
                Ok(())
            });
        } else if site.flags & RaiseSite::PAYLOAD != 0 && holds_owners(site) {
            give_up_arguments(site, &rt::payload());
        }
    }
}

/// The status by which an exception leaves again.
///
/// # Safety
/// The word is that of a record.
pub unsafe extern "C" fn status(owner: u64) -> u64 {
    rt::incref(owner);
    RAISED.with_borrow_mut(|raised| raised.push(owner));
    AGAIN.status() as u64
}

/// The status with which a generator fails: that of a RuntimeError in place of a StopIteration, which would end loops that go
/// through the generator.
///
/// # Safety
/// As for [`catch`].
pub(crate) unsafe extern "C" fn stop_to_error(context: *const c_void, status: *const RaiseSite) -> u64 {
    // SAFETY: the caller's promise; words are those of records.
    unsafe {
        let site = &*status;
        let is_elsewhere = site.flags & !RaiseSite::PAYLOAD != 0;
        if !is_elsewhere && site.exception_class() != Some(ExceptionClass::StopIteration) {
            return status as u64;
        }
        let raised = catch(context, status);
        let stays = !is_a(raised, ExceptionClass::StopIteration as u64);
        let error = if stays { raised } else { catch(context, STOPPED.status()) };
        if !stays {
            set_cause(error, raised);
            set_context(error, raised);
            rt::decref(raised);
        }
        let status = self::status(error);
        rt::decref(error);
        status
    }
}

/// Writes the words that an exception was made of, if it is of a class and they lie as expected, and still do.
///
/// # Safety
/// The word is that of a record; there is room for the words of such values.
pub unsafe extern "C" fn words(owner: u64, class: u64, layout: u64, out: *mut u64) -> bool {
    let Some(record) = record(owner) else { return false };
    // SAFETY: whoever has the word holds the record, and the record its site.
    unsafe {
        let site = &*(*record).site;
        // Python's object took them over, and may have been changed since.
        if site.flags != RaiseSite::PAYLOAD || !(*record).object.is_null() {
            return false;
        }
        let wanted = ExceptionClass::from_index(class as u32);
        let is_a = wanted.zip(site.exception_class()).is_some_and(|(wanted, class)| class.is_a(wanted));
        let fits = is_a && abi::layout_hash(site.message_bytes()) == layout;
        if fits {
            let words = words_of(record);
            out.copy_from_nonoverlapping(words.as_ptr(), words.len());
        }
        fits
    }
}
