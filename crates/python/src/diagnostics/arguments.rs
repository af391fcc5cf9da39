//! Errors of a call from Python, before anything is compiled.

use super::to_exception;
use diag::{Diagnostic, Origin, Span, codes};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use python_rt::panic_guard;
use python_rt::plan::value_types::LONGEST_TUPLE;
use python_rt::values::ndarray;
use python_rt::values::numpy_scalar;

/// What to do about an argument.
fn hint(parameter: &str, value: &Bound<'_, PyAny>) -> &'static str {
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    match name.as_str() {
        "function" => "Compile it too: decorate it with njit, then it can be passed.",
        "str" | "bytes" | "list" | "dict" | "set" => {
            "Arguments are numbers, strings, arrays, None, compiled functions, and tuples, lists, dicts and sets of one type of them."
        }
        "DataFrame" => "Pass columns as arrays: `frame[\"name\"].to_numpy()`.",
        "Series" => "Pass it as an array: `series.to_numpy()`.",
        _ if parameter == "self" => {
            "Methods of plain classes are not compiled: decorate the class with `jitclass`, or make it a static function of what it reads."
        }
        _ if holds_objects(value) => {
            "Give the array a type, as `a.astype(np.float64)`; where items are missing, NaN can stand for them."
        }
        _ if ndarray::is_array(value) => {
            "Pass an array of numbers, truth values, times, text of fixed width, or records of them."
        }
        _ => {
            "Pass what the function reads of it (numbers, strings, arrays, tuples of them), or decorate its class with `jitclass`."
        }
    }
}

/// What a value is: its class, of an array of objects that as well.
fn kind(value: &Bound<'_, PyAny>) -> String {
    let class = value.get_type();
    match holds_objects(value) {
        true => format!("{class} whose items are Python objects (dtype object)"),
        false => class.to_string(),
    }
}

fn holds_objects(value: &Bound<'_, PyAny>) -> bool {
    let dtype = || {
        value.getattr(intern!(value.py(), "dtype"))?.getattr(intern!(value.py(), "hasobject"))?.is_truthy()
    };
    ndarray::is_array(value) && dtype().unwrap_or(false)
}

/// An argument that compiled code has no type for; errors of another kind stay what they are.
pub(crate) fn argument_type(
    function: &Bound<'_, PyAny>,
    parameter: &str,
    value: &Bound<'_, PyAny>,
    error: PyErr,
) -> PyErr {
    let py = function.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    if value.cast::<PyTuple>().is_ok_and(|tuple| tuple.len() > LONGEST_TUPLE) {
        return too_long(value, parameter);
    }
    let mut diagnostic = Diagnostic::new(
        codes::ARGUMENT_TYPE,
        format!("argument '{parameter}': Cannot determine Numba type of {}", kind(value)),
    )
    .label(Span::line(origin(function).line), "the function that is called")
    .hint(hint(parameter, value))
    .in_function(|| origin(function));
    // Of a tuple the element is what matters, of NumPy's values what is special about them: the error says so.
    if value.is_instance_of::<PyTuple>()
        || ndarray::is_array(value) && !holds_objects(value)
        || numpy_scalar::is_item(value)
    {
        diagnostic = diagnostic.note(error.value(py).to_string());
    }
    to_exception(py, &diagnostic)
}

/// A tuple with too many elements.
fn too_long(value: &Bound<'_, PyAny>, parameter: &str) -> PyErr {
    let message = format!(
        "Tuple '{parameter}' length must be smaller than {LONGEST_TUPLE}: each element is a parameter of the \
         compiled code"
    );
    panic_guard::exception(value.py(), "UnsupportedError", message).unwrap_or_else(|error| error)
}

/// The same where the function has fixed signatures: none of them takes the argument.
pub(crate) fn no_definition(function: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let kind = py.import("rumba.types").and_then(|types| types.call_method1("typeof", (value,)));
    let kind = kind.map_or_else(|_| "pyobject".to_owned(), |kind| kind.to_string());
    no_signature(function, &kind, &[])
}

/// How many signatures a message lists.
const MAX_SIGNATURES: usize = 4;

/// Arguments of these types for a function with fixed signatures, none of which takes them.
pub(crate) fn no_signature(function: &Bound<'_, PyAny>, given: &str, signatures: &[String]) -> PyErr {
    let (shown, hidden) = signatures.split_at(signatures.len().min(MAX_SIGNATURES));
    let message = format!("No matching definition for argument type(s) {given}");
    let mut diagnostic = Diagnostic::new(codes::NO_DEFINITION, message)
        .label(Span::line(origin(function).line), "compiled for the signatures of its decorator alone")
        .in_function(|| origin(function));
    if !shown.is_empty() {
        let more = if hidden.is_empty() { String::new() } else { format!(", and {} more", hidden.len()) };
        diagnostic = diagnostic.note(format!("they are {}{more}", shown.join(", ")));
    }
    let diagnostic = diagnostic.hint(
        "Convert the arguments (an array with `a.astype(...)`), add a signature, or leave the signatures out: then every \
         call compiles what it needs.",
    );
    to_exception(function.py(), &diagnostic)
}

/// An unknown option of a decorator, with the location of the decorator: file, function, and the span.
pub(crate) fn unknown_option(
    py: Python<'_>,
    message: &str,
    hint: Option<&str>,
    file: &str,
    span: [Option<u32>; 4],
) -> PyErr {
    let [line, end_line, column, end_column] = span;
    let columns = |column: Option<u32>| column.unwrap_or(Span::NO_COLUMN);
    let line = line.unwrap_or_default();
    let span = Span {
        line,
        end_line: end_line.unwrap_or(line),
        column: columns(column),
        end_column: columns(end_column),
    };
    let decorated = Origin { file: file.to_owned(), line, ..Origin::default() };
    let diagnostic =
        Diagnostic::new(codes::USAGE, message).label(span, "in this decorator").in_function(|| decorated);
    let diagnostic = match hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    };
    to_exception(py, &diagnostic)
}

/// What is to be had of a function, which is asked while an error is made: what fails is left out.
fn origin(function: &Bound<'_, PyAny>) -> Origin {
    let code = function.getattr(intern!(function.py(), "__code__"));
    let text = |name: &str| code.as_ref().ok()?.getattr(name).ok()?.extract::<String>().ok();
    let line = || code.as_ref().ok()?.getattr("co_firstlineno").ok()?.extract::<u32>().ok();
    Origin {
        file: text("co_filename").unwrap_or_default(),
        function: text("co_qualname").unwrap_or_default(),
        line: line().unwrap_or_default(),
        arguments: None,
    }
}
