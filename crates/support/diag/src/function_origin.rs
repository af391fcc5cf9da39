//! The function that a diagnostic is about, and how compilation got there.

use crate::Span;

/// A function whose compilation a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Origin {
    /// File of its source.
    pub file: String,
    /// Its qualified name.
    pub function: String,
    /// Line where it begins.
    pub line: u32,
    /// Printed types of the arguments it was compiled for, once they are known.
    pub arguments: Option<String>,
}

/// A call that made another function be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that the call stands in.
    pub caller: Origin,
    /// Where the call stands.
    pub span: Span,
}
