//! Turns the raise site that compiled code returned into the Python exception it describes.
//!
//! The traceback gets an entry with the file, function, line and columns of the Python source, as if the
//! interpreter had run it.

use crate::panic_guard;
use crate::raising::exception_record;
use crate::raising::site_objects::{self, Location, class_object};
use crate::unit::Unit;
use crate::values::str_object;
use abi::RaiseSite;
use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyString, PyTraceback, PyTuple};
use rt::strings::Text;

/// Sets the exception of a status that is not zero.
///
/// # Safety
/// `status` is the address of a [`RaiseSite`] whose texts can be read.
#[cold]
#[inline(never)]
pub unsafe fn set_exception(status: usize, unit: &dyn Unit) {
    // SAFETY: the caller's promise.
    let site = unsafe { &*(status as *const RaiseSite) };
    panic_guard::enter("an exception of compiled code", (), |py| {
        let error = if site.flags & RaiseSite::PENDING_IN_PYTHON != 0 {
            PyErr::fetch(py)
        } else {
            // SAFETY: as above; the unit that failed knows the classes that its sites number.
            unsafe { instantiate(py, site, &|number| unit.exception_class(py, number), None) }
                .unwrap_or_else(|error| error)
        };
        add_traceback_entry(py, &error, site);
        rt::take_trace(status as u64, |sites| add_traceback_entries(py, &error, sites));
        add_context(py, &error)?;
        error.restore(py);
        Ok(())
    });
}

/// Finds a user-defined class by its number.
pub(crate) type UserClasses<'a> = dyn Fn(u32) -> Option<Py<PyAny>> + 'a;

/// The exception that a record describes, or the one that kept it from being made.
///
/// # Safety
/// The texts of the record can be read.
pub(crate) unsafe fn exception_of(py: Python<'_>, site: &RaiseSite, classes: &UserClasses<'_>) -> PyErr {
    // SAFETY: the caller's promise.
    let error = unsafe { instantiate(py, site, classes, None) }.unwrap_or_else(|error| error);
    add_traceback_entry(py, &error, site);
    rt::take_trace(std::ptr::from_ref(site) as u64, |sites| add_traceback_entries(py, &error, sites));
    error
}

/// The same with arguments that are no longer in the payload, and without its place.
///
/// # Safety
/// The texts of the record can be read, and the words are as it says.
pub(crate) unsafe fn made_of_words(
    py: Python<'_>,
    site: &RaiseSite,
    classes: &UserClasses<'_>,
    words: &[u64],
) -> PyResult<PyErr> {
    // SAFETY: the caller's promise.
    unsafe { instantiate(py, site, classes, Some(words)) }
}

/// The words that count references among the arguments that a layout tells of, with their letters.
pub(crate) fn owners_in<'w>(layout: &str, words: &'w [u64]) -> impl Iterator<Item = (char, u64)> + 'w {
    let mut found = Vec::new();
    let (mut at, mut rest) = (0, layout);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            't' | 'y' | 'e' | 'E' | 'o' => found.push((letter, at)),
            's' => {
                let Some((length, text)) = rest.split_once(':') else { break };
                rest = length.parse().ok().and_then(|length| text.get(length..)).unwrap_or_default();
            }
            _ => {}
        }
        at += match letter {
            't' | 'y' => 3,
            'c' | 'k' => 2,
            'i' | 'w' | 'u' | 'f' | 'g' | 'h' | 'b' | 'e' | 'E' | 'o' | '{' => 1,
            _ => 0,
        };
    }
    found.into_iter().filter_map(|(letter, at)| Some((letter, *words.get(at)?)))
}

unsafe fn instantiate(
    py: Python<'_>,
    site: &RaiseSite,
    classes: &UserClasses<'_>,
    words: Option<&[u64]>,
) -> PyResult<PyErr> {
    if site.flags & RaiseSite::CAUGHT != 0 {
        return exception_record::take(py);
    }
    if site.flags & (RaiseSite::PAYLOAD | RaiseSite::USER_CLASS) == 0
        && let Some(known) = site_objects::of_site(py, site)
        && let Some(class) = known.class
    {
        return made_by(&class, known.arguments, None);
    }
    // SAFETY: the site's texts can be read.
    let message = unsafe { site.message() };
    let payload = site.flags & RaiseSite::PAYLOAD != 0;
    if payload && message.as_deref() == Some(PENDING) {
        return Ok(PyErr::fetch(py));
    }
    let user = (site.flags & RaiseSite::USER_CLASS != 0).then_some(site.class);
    let class = match (user, site.exception_class()) {
        (Some(number), _) => classes(number),
        (None, Some(class)) => match site_objects::of_site(py, site).and_then(|known| known.class) {
            Some(class) => Some(class.unbind()),
            None => Some(class_object(py, class)?.unbind()),
        },
        (None, None) => None,
    };
    let class = class
        .ok_or_else(|| panic_guard::internal_error(py, "an exception of compiled code", "unknown class"))?;
    let of_thread = rt::payload();
    let words = payload.then(|| words.unwrap_or(&of_thread));
    make(class.bind(py), message.as_deref(), words)
}

/// An instance of `class` made of a message, or of arguments that lie in a payload as it tells.
pub fn make(class: &Bound<'_, PyAny>, message: Option<&str>, payload: Option<&[u64]>) -> PyResult<PyErr> {
    let py = class.py();
    let by_name = PyDict::new(py);
    let arguments = match (message, payload) {
        (Some(layout), Some(words)) => {
            read_arguments(py, layout, words, true, &by_name).ok_or_else(|| {
                panic_guard::internal_error(py, "an exception of compiled code", "a damaged payload")
            })??
        }
        (Some(message), None) => PyTuple::new(py, [message])?,
        (None, _) => PyTuple::empty(py),
    };
    made_by(class, arguments, (!by_name.is_empty()).then_some(&by_name))
}

fn made_by<'py>(
    class: &Bound<'py, PyAny>,
    arguments: Bound<'py, PyTuple>,
    by_name: Option<&Bound<'py, PyDict>>,
) -> PyResult<PyErr> {
    let value = class.call(arguments, by_name)?;
    Ok(PyErr::from_value(value.cast_into::<PyBaseException>()?.into_any()))
}

/// The layout of an exception that is set in Python.
pub(crate) const PENDING: &str = "!";

/// The values that a layout of [`RaiseSite::PAYLOAD`] tells of; strings are released with that, or stay held.
pub(crate) fn read_words<'py>(
    py: Python<'py>,
    layout: &str,
    words: &[u64],
    give_up: bool,
) -> Option<PyResult<Bound<'py, PyTuple>>> {
    read_arguments(py, layout, words, give_up, &PyDict::new(py))
}

/// The same; what is given by name goes into the dict.
fn read_arguments<'py>(
    py: Python<'py>,
    layout: &str,
    words: &[u64],
    give_up: bool,
    by_name: &Bound<'py, PyDict>,
) -> Option<PyResult<Bound<'py, PyTuple>>> {
    let mut open: Vec<Vec<Bound<'py, PyAny>>> = vec![Vec::new()];
    let mut present = Vec::new();
    let mut words = words.iter().copied();
    let mut rest = layout;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let value = match letter {
            't' | 'e' | 'E' | 'o' | 'y' => read_owned(py, letter, &mut words, give_up)?,
            's' => {
                let (length, text) = rest.split_once(':')?;
                let (text, behind) = text.split_at_checked(length.parse().ok()?)?;
                rest = behind;
                Ok(PyString::new(py, text).into_any())
            }
            // What may be None: the content follows in braces.
            '{' => {
                open.push(Vec::new());
                present.push(words.next()? & 1 != 0);
                continue;
            }
            '}' => {
                let content = open.pop()?.into_iter().next();
                Ok(if present.pop()? { content? } else { py.None().into_bound(py) })
            }
            '(' | '[' => {
                open.push(Vec::new());
                continue;
            }
            // A named tuple: the text before the tuple is its name and those of its fields.
            'N' => {
                let values = open.last_mut()?;
                let (tuple, name) = (values.pop()?, values.pop()?);
                named_tuple(py, &name, &tuple)
            }
            // An argument after its name.
            'K' => {
                let values = open.last_mut()?;
                let (value, name) = (values.pop()?, values.pop()?);
                match by_name.set_item(name, value) {
                    Ok(()) => continue,
                    Err(error) => Err(error),
                }
            }
            // A text combined of values as they print.
            ']' => {
                let texts = open.pop()?.into_iter().map(|value| value.to_string());
                Ok(PyString::new(py, &texts.collect::<String>()).into_any())
            }
            ')' => PyTuple::new(py, open.pop()?).map(Bound::into_any),
            _ => read_scalar(py, letter, &mut words)?,
        };
        match value {
            Ok(value) => open.last_mut()?.push(value),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(PyTuple::new(py, open.pop()?))
}

/// A value that holds no reference; nothing where the letter or the words are not those of one.
fn read_scalar<'py>(
    py: Python<'py>,
    letter: char,
    words: &mut impl Iterator<Item = u64>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    Some(Ok(match letter {
        'n' => py.None().into_bound(py),
        'i' => words.next()?.cast_signed().into_pyobject(py).ok()?.into_any(),
        // A length of a shape; NumPy shows so what is left open.
        'w' => match words.next()?.cast_signed() {
            ..0 => PyString::new(py, "newaxis").into_any(),
            length => length.into_pyobject(py).ok()?.into_any(),
        },
        'u' => words.next()?.into_pyobject(py).ok()?.into_any(),
        'f' => PyFloat::new(py, f64::from_bits(words.next()?)).into_any(),
        'h' => return Some(narrow(PyFloat::new(py, f64::from_bits(words.next()?)).into_any(), "float16")),
        'g' => return Some(narrow(PyFloat::new(py, f64::from_bits(words.next()?)).into_any(), "float32")),
        'b' => PyBool::new(py, words.next()? & 1 != 0).to_owned().into_any(),
        'c' | 'k' => {
            let (re, im) = (f64::from_bits(words.next()?), f64::from_bits(words.next()?));
            let value = PyComplex::from_doubles(py, re, im).into_any();
            match letter {
                'k' => return Some(narrow(value, "complex64")),
                _ => value,
            }
        }
        _ => return None,
    }))
}

/// A value with a reference, which is released with that or stays held; nothing as for [`read_scalar`].
fn read_owned<'py>(
    py: Python<'py>,
    letter: char,
    words: &mut impl Iterator<Item = u64>,
    give_up: bool,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    // A Python object, which was made for this.
    if letter == 'o' {
        let object = words.next()? as usize as *mut ffi::PyObject;
        // SAFETY: compiled code holds a reference to it.
        return Some(Ok(unsafe {
            match give_up {
                true => Bound::from_owned_ptr(py, object),
                false => Bound::from_borrowed_ptr(py, object),
            }
        }));
    }
    let owner = words.next()?;
    let value = match letter {
        't' => {
            let text = Text { owner, data: words.next()? as usize as *const u8, meta: words.next()? };
            // SAFETY: compiled code holds the string.
            unsafe { str_object::borrowed(py, &text) }
        }
        // Bytes: an owner, an address and a length.
        'y' => {
            let (data, length) = (words.next()? as usize as *const u8, words.next()? as usize);
            let bytes = match length {
                0 => &[],
                // SAFETY: compiled code holds them.
                _ => unsafe { std::slice::from_raw_parts(data, length) },
            };
            Ok(PyBytes::new(py, bytes).into_any())
        }
        // What was caught, or its class: its record.
        // SAFETY: compiled code holds the record.
        'e' => unsafe { exception_record::object(py, owner) },
        // SAFETY: the same.
        'E' => unsafe { exception_record::object(py, owner) }.map(|value| value.get_type().into_any()),
        _ => return None,
    };
    if give_up {
        rt::decref(owner);
    }
    Some(value)
}

/// A named tuple with these fields, of a class of its own.
fn named_tuple<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    tuple: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("rumba.boxing.namedtuples")?.getattr("made")?.call1((name, tuple))
}

/// A number of one of NumPy's narrow classes, which has fewer digits than the one that Python has for it.
fn narrow<'py>(value: Bound<'py, PyAny>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("numpy")?.getattr(class)?.call1((value,))
}

/// Adds entries to the traceback of an exception, the innermost first.
pub(crate) fn add_traceback_entries(py: Python<'_>, error: &PyErr, sites: &[u64]) {
    for &site in sites {
        // SAFETY: compiled code that is held gave the address of a record of its own.
        add_traceback_entry(py, error, unsafe { &*(site as *const RaiseSite) });
    }
}

/// Adds an entry to the traceback of an exception, but for functions of the library. What fails here is dropped: an exception
/// with a poorer traceback is better than another exception.
pub(crate) fn add_traceback_entry(py: Python<'_>, error: &PyErr, site: &RaiseSite) {
    let Some(code) = site_objects::of_site(py, site).and_then(|known| known.code) else { return };
    push_traceback(error, code, &PyDict::new(py), site.line);
}

/// Adds the newest entry to an exception's traceback: a location, in a module with these globals. What fails here is
/// dropped: an exception with a poorer traceback is better than another exception.
pub fn add_location(error: &PyErr, location: &Location<'_>, globals: &Bound<'_, PyDict>) {
    if let Ok(code) = location.code(globals.py()) {
        push_traceback(error, code, globals, location.line);
    }
}

/// What Python handles where compiled code was called is the context of what comes out of it.
fn add_context(py: Python<'_>, error: &PyErr) -> PyResult<()> {
    // SAFETY: a new reference or null.
    let handled = unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyErr_GetHandledException()) };
    let Some(handled) = handled else { return Ok(()) };
    let context = intern!(py, "__context__");
    let mut last = error.value(py).clone().into_any();
    let (mut first, raised) = (handled.clone(), last.clone());
    while !first.is_none() {
        if first.is(&raised) {
            return Ok(());
        }
        first = first.getattr(context)?;
    }
    loop {
        if last.is(&handled) {
            return Ok(());
        }
        let before = last.getattr(context)?;
        if before.is_none() {
            return last.setattr(context, handled);
        }
        last = before;
    }
}

/// Adds the newest entry to an exception's traceback: a code object that stands for the location that raised.
fn push_traceback(error: &PyErr, code: Bound<'_, PyAny>, globals: &Bound<'_, PyDict>, line: u32) {
    let py = code.py();
    // SAFETY: the code is a code object; what is made is an object or an error.
    let frame = unsafe {
        let thread = ffi::PyThreadState_Get();
        let frame = ffi::PyFrame_New(thread, code.as_ptr().cast(), globals.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, frame.cast())
    };
    // The first instruction of that code stands for what raised.
    let entry = frame
        .and_then(|frame| py.get_type::<PyTraceback>().call1((error.traceback(py), frame, 0, line)))
        .and_then(|entry| Ok(entry.cast_into::<PyTraceback>()?));
    if let Ok(entry) = entry {
        error.set_traceback(py, Some(entry));
    }
}
