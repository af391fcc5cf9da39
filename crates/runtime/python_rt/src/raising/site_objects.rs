//! Python objects for raise sites, cached because the same site often raises again.
//!
//! Nothing depends on what is kept here: it is found by the address of the site, and holds as long as the site says the same.

use abi::{ExceptionClass, RaiseSite};
use entity::HashMap;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::cell::RefCell;
use std::ffi::CString;
use std::path::{Component, Path};

/// How many sites are kept.
const MAX_SITES: usize = 1024;

/// What is known of a site, and what that was made of.
struct SiteEntry {
    function: Box<[u8]>,
    file: Box<[u8]>,
    message: Box<[u8]>,
    numbers: [u32; 6],
    /// The code object of a traceback entry; none for places in the library.
    code: Option<Py<PyAny>>,
    /// The class, unless it is the user's.
    class: Option<Py<PyAny>>,
    /// The arguments, unless they lie in the payload.
    arguments: Py<PyTuple>,
}

thread_local! {
    static KNOWN: RefCell<HashMap<usize, SiteEntry>> = RefCell::new(HashMap::default());
}

/// The objects of a site: the code of its traceback entry, its class, the arguments that it names.
pub(crate) struct SiteObjects<'py> {
    pub code: Option<Bound<'py, PyAny>>,
    pub class: Option<Bound<'py, PyAny>>,
    pub arguments: Bound<'py, PyTuple>,
}

/// What stands for a site; nothing for one that has no place.
pub(crate) fn of_site<'py>(py: Python<'py>, site: &RaiseSite) -> Option<SiteObjects<'py>> {
    // SAFETY: whoever has the record can read its texts.
    let (names, message) = unsafe { (site.source_names()?, site.message_bytes()) };
    let numbers = [site.class, site.line, site.column, site.flags, site.end_line, site.end_column];
    let address = std::ptr::from_ref(site) as usize;
    let found = KNOWN.with_borrow(|all| {
        let known = all.get(&address)?;
        let is_same = known.numbers == numbers
            && (&*known.function, &*known.file) == names
            && &*known.message == message
            && (known.message.is_empty() == site.message.is_null());
        is_same.then(|| known.objects(py))
    });
    if found.is_some() {
        return found;
    }
    let (function, file) = (String::from_utf8_lossy(names.0), String::from_utf8_lossy(names.1));
    let code = if is_of_library(&file) { None } else { code_of(py, site, &function, &file).ok() };
    let known = SiteEntry {
        function: names.0.into(),
        file: names.1.into(),
        message: message.into(),
        numbers,
        code: code.map(Bound::unbind),
        class: class_of(py, site).ok().flatten().map(Bound::unbind),
        arguments: arguments_of(py, site).ok()?.unbind(),
    };
    let objects = known.objects(py);
    // What is dropped is dropped when nobody looks here any more.
    let _dropped = KNOWN.with_borrow_mut(|all| {
        let full = if all.len() >= MAX_SITES { std::mem::take(all) } else { HashMap::default() };
        (full, all.insert(address, known))
    });
    Some(objects)
}

impl SiteEntry {
    fn objects<'py>(&self, py: Python<'py>) -> SiteObjects<'py> {
        let bound = |object: &Option<Py<PyAny>>| object.as_ref().map(|object| object.bind(py).clone());
        let arguments = self.arguments.bind(py).clone();
        SiteObjects { code: bound(&self.code), class: bound(&self.class), arguments }
    }
}

fn class_of<'py>(py: Python<'py>, site: &RaiseSite) -> PyResult<Option<Bound<'py, PyAny>>> {
    match site.exception_class() {
        Some(class) if site.flags & RaiseSite::USER_CLASS == 0 => Ok(Some(class_object(py, class)?)),
        _ => Ok(None),
    }
}

/// A class of the runtime as Python has it.
pub(crate) fn class_object(py: Python<'_>, class: ExceptionClass) -> PyResult<Bound<'_, PyAny>> {
    py.import(class.module())?.getattr(class.name())
}

fn arguments_of<'py>(py: Python<'py>, site: &RaiseSite) -> PyResult<Bound<'py, PyTuple>> {
    // SAFETY: as above.
    match unsafe { site.message() } {
        Some(message) if site.flags & RaiseSite::PAYLOAD == 0 => PyTuple::new(py, [message]),
        _ => Ok(PyTuple::empty(py)),
    }
}

/// Whether a file is one of Rumba's own library.
fn is_of_library(file: &str) -> bool {
    let mut parts = Path::new(file).components().map(Component::as_os_str).peekable();
    while let Some(part) = parts.next() {
        if part == "rumba" && parts.peek().is_some_and(|next| *next == "library") {
            return true;
        }
    }
    false
}

/// A code object with the place of a site.
fn code_of<'py>(
    py: Python<'py>,
    site: &RaiseSite,
    function: &str,
    file: &str,
) -> PyResult<Bound<'py, PyAny>> {
    // As Python shows it: without the functions and classes around.
    let function = function.rsplit('.').next().unwrap_or(function);
    let (function, file) = (CString::new(function)?, CString::new(file)?);
    // SAFETY: the texts end in a null; what is made is an object or an error.
    let code = unsafe {
        Bound::from_owned_ptr_or_err(
            py,
            ffi::PyCode_NewEmpty(file.as_ptr(), function.as_ptr(), site.line as i32).cast(),
        )?
    };
    with_columns(code, site)
}

/// The code with the columns of a site as the place of its instructions, so that tracebacks mark them.
fn with_columns<'py>(code: Bound<'py, PyAny>, site: &RaiseSite) -> PyResult<Bound<'py, PyAny>> {
    let py = code.py();
    let is_known = site.column != u32::MAX && site.end_column != u32::MAX && site.end_line >= site.line;
    let units = code.getattr(intern!(py, "co_code"))?.len()? / 2;
    if !is_known || !(1..=8).contains(&units) {
        return Ok(code);
    }
    // The long form of a location, for all instructions: CPython, Objects/locations.md.
    let mut table = vec![0x80 | 14 << 3 | (units as u8 - 1), 0];
    for mut number in [site.end_line - site.line, site.column + 1, site.end_column + 1] {
        while number >= 64 {
            table.push(0x40 | (number & 63) as u8);
            number >>= 6;
        }
        table.push(number as u8);
    }
    let changes = PyDict::new(py);
    changes.set_item(intern!(py, "co_linetable"), PyBytes::new(py, &table))?;
    code.call_method(intern!(py, "replace"), (), Some(&changes))
}
