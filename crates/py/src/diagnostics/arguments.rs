//! Errors of a call from Python, before anything is compiled.

use super::to_exception;
use crate::guard;
use crate::ndarray;
use crate::record;
use crate::typeof_value::LONGEST_TUPLE;
use diag::{Diagnostic, Origin, Span, codes};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// What to do about an argument.
fn hint(value: &Bound<'_, PyAny>) -> &'static str {
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    match name.as_str() {
        "function" => "Compile it too: decorate it with njit, then it can be passed.",
        "str" | "bytes" | "list" | "dict" | "set" => {
            "Arguments are numbers, arrays, None, compiled functions, and tuples and lists of them."
        }
        _ if ndarray::is_array(value) => {
            "Pass an array of numbers, truth values, times, text of fixed width, or records of them."
        }
        _ => "Pass the numbers that the function needs of it, or a tuple of them.",
    }
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
    let class = value.get_type();
    let mut diagnostic = Diagnostic::new(
        codes::ARGUMENT_TYPE,
        format!("argument '{parameter}': Cannot determine Numba type of {class}"),
    )
    .label(Span::line(origin(function).line), "the function that is called")
    .hint(hint(value))
    .in_function(|| origin(function));
    // Of a tuple the element is what matters, of NumPy's values what is special about them: the error says so.
    if value.is_instance_of::<PyTuple>() || ndarray::is_array(value) || record::is_item(value) {
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
    guard::exception(value.py(), "UnsupportedError", message).unwrap_or_else(|error| error)
}

/// The same where the function has fixed signatures: none of them takes the argument.
pub(crate) fn no_definition(value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let kind = py.import("rumba.types").and_then(|types| types.call_method1("typeof", (value,)));
    let kind = kind.map_or_else(|_| "pyobject".to_owned(), |kind| kind.to_string());
    PyTypeError::new_err(format!("No matching definition for argument type(s) {kind}"))
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
