//! Compiler diagnostics as the Python exceptions that users catch.

use crate::guard;
use diag::{Diagnostic, ErrorClass};
use pyo3::prelude::*;

/// The exception a diagnostic is raised as, with its whole text.
pub fn to_exception(py: Python<'_>, diagnostic: &Diagnostic) -> PyErr {
    let class = match diagnostic.code.class {
        ErrorClass::Typing => "TypingError",
        ErrorClass::Unsupported => "UnsupportedError",
        ErrorClass::Bytecode => "ByteCodeSupportError",
        ErrorClass::Lowering => "LoweringError",
        ErrorClass::Usage => "NumbaError",
        ErrorClass::Internal => "InternalError",
    };
    // Failing here means that `rumba.errors` cannot be imported, which is worth telling.
    guard::exception(py, class, diagnostic.to_string()).unwrap_or_else(|error| error)
}
