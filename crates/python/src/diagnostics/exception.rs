//! The exception object of a diagnostic: class, text, attributes.

use diag::{Diagnostic, ErrorClass, Origin, Span};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An exception of `rumba.errors` with this text; `code`, `loc` and `diagnostic` tell its parts.
pub(super) fn make(py: Python<'_>, diagnostic: &Diagnostic, text: String) -> PyResult<PyErr> {
    let class = py.import("rumba.errors")?.getattr(class_name(class_of(diagnostic)))?;
    let exception = class.call1((text,))?;
    let parts = describe(py, diagnostic)?;
    exception.setattr("code", diagnostic.code.to_string())?;
    exception.setattr("loc", parts.getattr("place")?)?;
    exception.setattr("diagnostic", parts)?;
    Ok(PyErr::from_value(exception))
}

/// A function that is no function for compiled code is, to those that call it, one that cannot be typed.
fn class_of(diagnostic: &Diagnostic) -> ErrorClass {
    match diagnostic.code.class {
        ErrorClass::Compiler if !diagnostic.calls.is_empty() => ErrorClass::Typing,
        class => class,
    }
}

fn class_name(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Typing => "TypingError",
        ErrorClass::Value => "NumbaValueError",
        ErrorClass::Field => "FieldTypeError",
        ErrorClass::Boxing => "BoxingError",
        ErrorClass::Unsupported => "UnsupportedError",
        ErrorClass::Bytecode => "ByteCodeSupportError",
        ErrorClass::Lowering => "LoweringError",
        ErrorClass::Signature => "SignatureError",
        ErrorClass::Usage => "OptionError",
        ErrorClass::Compiler => "CompilerError",
        ErrorClass::Internal => "InternalError",
    }
}

/// A `rumba.diagnostics.Diagnostic`.
fn describe<'py>(py: Python<'py>, diagnostic: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let classes = py.import("rumba.diagnostics")?;
    let origin = diagnostic.origin.clone().unwrap_or_default();
    let location = |origin: &Origin, span: Span| {
        let column = |column: u32| (column != Span::NO_COLUMN).then_some(column);
        let (start, end) = (column(span.column), column(span.end_column));
        let fields = (&origin.file, span.line, start, span.end_line, end, &origin.function);
        classes.getattr("Place")?.call1(fields)
    };
    let primary = match diagnostic.labels.first() {
        Some(label) => location(&origin, label.span)?,
        None => location(&origin, Span::line(origin.line))?,
    };
    let label = classes.getattr("Label")?;
    let labels: Vec<_> = diagnostic
        .labels
        .iter()
        .map(|one| label.call1((location(&origin, one.span)?, &one.text)))
        .collect::<PyResult<_>>()?;
    let calls: Vec<_> =
        diagnostic.calls.iter().map(|call| location(&call.caller, call.span)).collect::<PyResult<_>>()?;
    classes.getattr("Diagnostic")?.call1((
        diagnostic.code.to_string(),
        diagnostic.code.title,
        &diagnostic.message,
        primary,
        PyTuple::new(py, labels)?,
        PyTuple::new(py, &diagnostic.notes)?,
        &diagnostic.hint,
        PyTuple::new(py, calls)?,
    ))
}
