//! Source locations of the functions of a unit, kept outside the object file.
//!
//! In a cached object file, raise sites have line numbers relative to the `def` of their
//! function, and file indices: symbols whose values the linker gets with the object file. So an edit above a function, or
//! moving the file, does not invalidate its object file.

use crate::unit::Unit;
use ir::{Function, SiteData};

/// A function's file and the line of its `def`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionSource<'a> {
    /// The file.
    pub file: &'a str,
    /// The line; 0 if lines are those of the file.
    pub first_line: u32,
}

impl<'a> FunctionSource<'a> {
    /// The source that the position of a site is relative to.
    pub fn of(func: &'a Function, data: &'a SiteData) -> FunctionSource<'a> {
        match &data.origin {
            Some(origin) => FunctionSource { file: &origin.file, first_line: origin.first_line },
            None => FunctionSource { file: &func.file, first_line: func.first_line },
        }
    }

    /// What is added to lines of the place: never 0, which is no address.
    pub fn base(self) -> u32 {
        self.first_line + 1
    }

    /// Lines from the function's first one to a line; 0 if the first line is not known.
    pub fn line_offset(self, line: u32) -> u32 {
        if self.first_line == 0 { 0 } else { line.saturating_sub(self.first_line) }
    }

    /// A line as it stands in the object.
    pub fn relative(self, line: u32) -> u32 {
        line.wrapping_sub(self.base())
    }
}

/// The sources of a unit, each once, in the order of its sites.
pub fn function_sources<'a>(unit: &Unit<'a>) -> Vec<FunctionSource<'a>> {
    let mut found = Vec::new();
    for func in unit.functions.iter().map(|member| member.func) {
        for (_, data) in func.sites.iter() {
            let source = FunctionSource::of(func, data);
            if !found.contains(&source) {
                found.push(source);
            }
        }
    }
    found
}

/// The symbols of a source by its number: what is added to lines, the address of the file's name, the bytes of that.
pub fn source_symbols(number: usize) -> [String; 3] {
    ["line", "file", "length"].map(|what| format!("rumba.{what}.{number}"))
}
