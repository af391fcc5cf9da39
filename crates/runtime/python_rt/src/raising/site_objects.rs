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

/// How many sites are kept.
const MAX_SITES: usize = 1024;

/// What is known of a site, and what that was made of.
struct SiteEntry {
    function: Box<[u8]>,
    file: Box<[u8]>,
    message: Box<[u8]>,
    numbers: [u32; 7],
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
    let numbers =
        [site.class, site.line, site.column, site.flags, site.end_line, site.end_column, site.line_offset];
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
    let code =
        if abi::is_of_library(&file) { None } else { Location::of(site, &function, &file).code(py).ok() };
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

/// Where something was raised, as a traceback shows it. Columns are `u32::MAX` where they are not known.
#[derive(Clone, Copy)]
pub struct Location<'a> {
    /// The qualified name of the function.
    pub function: &'a str,
    /// The file's name.
    pub file: &'a str,
    /// The first line of the function, or of its decorators.
    pub first_line: u32,
    /// The line that raised.
    pub line: u32,
    /// The last line of what raised.
    pub end_line: u32,
    /// The first column, in bytes, from 0.
    pub column: u32,
    /// The column after what raised.
    pub end_column: u32,
}

impl<'a> Location<'a> {
    fn of(site: &RaiseSite, function: &'a str, file: &'a str) -> Self {
        let &RaiseSite { line, end_line, column, end_column, .. } = site;
        let first_line = line - site.line_offset.min(line);
        Location { function, file, first_line, line, end_line, column, end_column }
    }

    /// A code object that begins at the function's first line, and all of whose instructions are at this location.
    pub fn code<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // As Python shows it: without the functions and classes around.
        let function = self.function.rsplit('.').next().unwrap_or(self.function);
        let (function, file) = (CString::new(function)?, CString::new(self.file)?);
        // SAFETY: the texts end in a null; what is made is an object or an error.
        let code = unsafe {
            let code = ffi::PyCode_NewEmpty(file.as_ptr(), function.as_ptr(), self.first_line as i32);
            Bound::from_owned_ptr_or_err(py, code.cast())?
        };
        let units = code.getattr(intern!(py, "co_code"))?.len()? / 2;
        if !(1..=8).contains(&units) {
            return Ok(code);
        }
        let changes = PyDict::new(py);
        changes.set_item(intern!(py, "co_linetable"), PyBytes::new(py, &self.line_table(units as u8)))?;
        code.call_method(intern!(py, "replace"), (), Some(&changes))
    }

    /// One entry for all instructions: without columns, or in the long form (CPython, Objects/locations.md).
    fn line_table(&self, units: u8) -> Vec<u8> {
        let has_columns =
            self.column != u32::MAX && self.end_column != u32::MAX && self.end_line >= self.line;
        let form = if has_columns { 14 } else { 13 };
        let mut table = vec![0x80 | form << 3 | (units - 1)];
        push_varint(&mut table, self.line.saturating_sub(self.first_line) << 1);
        if has_columns {
            let numbers = [self.end_line - self.line, self.column + 1, self.end_column + 1];
            numbers.into_iter().for_each(|number| push_varint(&mut table, number));
        }
        table
    }
}

/// Six bits of a number per byte, the lowest first; all bytes but the last have one more bit set.
fn push_varint(table: &mut Vec<u8>, mut number: u32) {
    while number >= 64 {
        table.push(0x40 | (number & 63) as u8);
        number >>= 6;
    }
    table.push(number as u8);
}
