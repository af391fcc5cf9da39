//! Lines and columns, as CPython 3.11+ records them for every instruction.

use std::fmt;

/// A stretch of source text. Lines count from 1, columns from 0 in UTF-8 bytes; 0 in `line`
/// means that the place is not known, `NO_COLUMN` in a column that only the line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First line, from 1; 0 if unknown.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// First column, in UTF-8 bytes from 0.
    pub column: u32,
    /// Column after the last character.
    pub end_column: u32,
}

impl Span {
    /// A column that is not known.
    pub const NO_COLUMN: u32 = u32::MAX;
    /// A place that is not known.
    pub const UNKNOWN: Span =
        Span { line: 0, end_line: 0, column: Span::NO_COLUMN, end_column: Span::NO_COLUMN };

    /// A whole line.
    pub fn line(line: u32) -> Self {
        Span { line, end_line: line, ..Span::UNKNOWN }
    }

    /// Whether the line is known.
    pub fn is_known(self) -> bool {
        self.line != 0
    }

    /// Whether the columns are known too.
    pub fn has_columns(self) -> bool {
        self.is_known() && self.column != Span::NO_COLUMN && self.end_column != Span::NO_COLUMN
    }
}

/// `12:4-9`, `12:4-13:2`, `12`, or `?`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_known(), self.has_columns()) {
            (false, _) => write!(f, "?"),
            (true, false) => write!(f, "{}", self.line),
            (true, true) if self.line == self.end_line => {
                write!(f, "{}:{}-{}", self.line, self.column, self.end_column)
            }
            (true, true) => {
                write!(f, "{}:{}-{}:{}", self.line, self.column, self.end_line, self.end_column)
            }
        }
    }
}
