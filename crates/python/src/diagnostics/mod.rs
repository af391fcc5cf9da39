//! Compiler diagnostics as the Python exceptions that users catch.
//!
//! | file | what |
//! |---|---|
//! | `render` | the text, with excerpts of the source |
//! | `source` | lines of Python source, and whether text may have colors |
//! | `arguments` | errors of a call from Python, before anything is compiled |
//! | `exception` | the exception object: class, text, attributes |
//!
//! Absent: what diagnostics say; that is settled where the problem is found.

pub(crate) mod arguments;

mod exception;
mod render;
mod source;

use diag::Diagnostic;
use driver::Revealed;
use pyo3::prelude::*;
use render::Look;

/// The exception a diagnostic is raised as, with its whole text and its parts as attributes.
pub fn to_exception(py: Python<'_>, diagnostic: &Diagnostic) -> PyErr {
    let look = if source::wants_color(py) { Look::Colored } else { Look::Plain };
    let text = render::error(diagnostic, &source::Files(py), look);
    // Failing here means that `rumba.errors` cannot be imported, which is worth telling.
    exception::make(py, diagnostic, text).unwrap_or_else(|error| error)
}

/// Tells the types that `reveal_type` was asked for, on the standard error stream.
pub(crate) fn print_revealed(py: Python<'_>, revealed: &[Revealed]) {
    if revealed.is_empty() {
        return;
    }
    print(py, render::revealed(revealed, &source::Files(py), look_of_stderr(py)));
}

/// Tells what costs time, on the standard error stream.
pub(crate) fn print_notes(py: Python<'_>, notes: &[Diagnostic]) {
    for note in notes {
        print(py, render::note(note, &source::Files(py), look_of_stderr(py)));
    }
}

fn look_of_stderr(py: Python<'_>) -> Look {
    if source::wants_color(py) { Look::Colored } else { Look::Plain }
}

fn print(py: Python<'_>, text: String) {
    // A stream that cannot be written to must not stop a compilation.
    let _ = py
        .import("sys")
        .and_then(|sys| sys.getattr("stderr"))
        .and_then(|stream| stream.call_method1("write", (text + "\n",)));
}
