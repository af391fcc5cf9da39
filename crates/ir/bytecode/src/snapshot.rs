//! A code object of CPython as plain data: everything a compile reads from it.
//!
//! Lives here: the data. Its serialized form is in `wire`. Absent: Python objects; the `py`
//! room fills the public fields from a live code object, `tools/snapshot.py` writes files.

use crate::{LocalId, NameId};
use diag::Diagnostic;
use std::fmt;
use std::sync::Arc;

/// The versions of CPython there are opcode tables for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PythonVersion {
    /// CPython 3.11
    V311,
    /// CPython 3.12
    V312,
    /// CPython 3.13
    V313,
}

impl PythonVersion {
    /// All, oldest first.
    pub const ALL: [PythonVersion; 3] = [PythonVersion::V311, PythonVersion::V312, PythonVersion::V313];

    /// The `x` of `3.x`.
    pub fn minor(self) -> u8 {
        11 + self as u8
    }

    /// The version `3.minor`, if there is a table for it.
    pub fn from_minor(minor: u8) -> Option<Self> {
        PythonVersion::ALL.into_iter().find(|version| version.minor() == minor)
    }
}

/// `3.11`
impl fmt::Display for PythonVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "3.{}", self.minor())
    }
}

/// A code object. Names that are not valid Unicode (lone surrogates) have replacement
/// characters instead; string constants keep them.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeSnapshot {
    /// Whose instruction set it is.
    pub version: PythonVersion,
    /// `co_name`
    pub name: String,
    /// `co_qualname`
    pub qualname: String,
    /// `co_filename`
    pub filename: String,
    /// `co_firstlineno`
    pub first_line: u32,
    /// `co_flags`; see [`flags`].
    pub flags: u32,
    /// `co_argcount`: positional parameters, the positional-only ones included.
    pub argcount: u32,
    /// `co_posonlyargcount`
    pub posonlyargcount: u32,
    /// `co_kwonlyargcount`
    pub kwonlyargcount: u32,
    /// `co_stacksize`
    pub stack_size: u32,
    /// `co_code`: base opcodes, caches empty.
    pub code: Vec<u8>,
    /// `co_exceptiontable`
    pub exception_table: Vec<u8>,
    /// `co_linetable`
    pub line_table: Vec<u8>,
    /// `co_consts`
    pub constants: Vec<Constant>,
    /// `co_names`
    pub names: Vec<String>,
    /// The slots of a frame: `co_varnames`, then `co_cellvars` that are not among them, then
    /// `co_freevars`. Parameters come first: positional, keyword-only, `*args`, `**kwargs`.
    pub locals: Vec<LocalVariable>,
    /// Blocks that Python runs, in the order of their offsets. They belong to no code object: whoever knows the function's globals
    /// finds them.
    pub python_blocks: Vec<PythonBlock>,
}

/// A `with` statement whose body Python runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonBlock {
    /// Byte offset of the instruction that enters it.
    pub at: u32,
    /// What stands for it; or why it cannot be run so.
    pub call: Result<PythonBlockCall, Box<Diagnostic>>,
}

/// The call that stands for a `with` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonBlockCall {
    /// The global that holds the function.
    pub function: NameId,
    /// The slots that it is passed.
    pub passed: Vec<LocalId>,
    /// The slots that its result, a tuple, is unpacked to.
    pub outgoing: Vec<LocalId>,
}

/// Bits of [`CodeSnapshot::flags`].
#[allow(missing_docs, reason = "named as in Python's `inspect`, which documents them")]
pub mod flags {
    pub const OPTIMIZED: u32 = 0x1;
    pub const NEWLOCALS: u32 = 0x2;
    pub const VARARGS: u32 = 0x4;
    pub const VARKEYWORDS: u32 = 0x8;
    pub const NESTED: u32 = 0x10;
    pub const GENERATOR: u32 = 0x20;
    pub const COROUTINE: u32 = 0x80;
    pub const ITERABLE_COROUTINE: u32 = 0x100;
    pub const ASYNC_GENERATOR: u32 = 0x200;
}

/// One slot of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// The variable's name; comprehensions have parameters like `.0`.
    pub name: String,
    /// What the slot holds.
    pub kind: LocalKind,
}

/// What a slot of a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// A value.
    Local,
    /// A local (often a parameter) that inner functions use: its value first, after `MakeCell`
    /// a cell.
    LocalCell,
    /// A variable that inner functions use: a cell after `MakeCell`.
    Cell,
    /// A variable of an outer function: its cell, from the start.
    Free,
}

impl LocalKind {
    /// All, in the order of their numbers in the serialized form.
    pub const ALL: [LocalKind; 4] =
        [LocalKind::Local, LocalKind::LocalCell, LocalKind::Cell, LocalKind::Free];

    /// Whether the slot holds a cell for most of the function.
    pub fn is_cell(self) -> bool {
        self != LocalKind::Local
    }
}

/// A constant of a code object.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `None`
    None,
    /// `...`
    Ellipsis,
    /// `True`, `False`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// Any other integer, in decimal.
    BigInt(String),
    /// A float, to the bit.
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
    /// A string.
    Str(String),
    /// A string with lone surrogates, in UTF-8 as if these were characters.
    SurrogateStr(Vec<u8>),
    /// A bytes object.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Constant>),
    /// A frozenset, in no particular order.
    FrozenSet(Vec<Constant>),
    /// A slice of constants: start, stop, step.
    Slice(Box<[Constant; 3]>),
    /// The code of an inner function, class body, lambda or comprehension.
    Code(Arc<CodeSnapshot>),
}

impl CodeSnapshot {
    /// Whether a flag of [`flags`] is set.
    pub fn has_flag(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Slots that are parameters, `*args` and `**kwargs` included.
    pub fn parameter_count(&self) -> u32 {
        let extra = [flags::VARARGS, flags::VARKEYWORDS].map(|flag| u32::from(self.has_flag(flag)));
        self.argcount.saturating_add(self.kwonlyargcount).saturating_add(extra[0] + extra[1])
    }

    /// Code objects among the constants, in order; not those inside them.
    pub fn nested(&self) -> impl Iterator<Item = &Arc<CodeSnapshot>> {
        self.constants.iter().filter_map(|constant| match constant {
            Constant::Code(code) => Some(code),
            _ => None,
        })
    }

    /// This code object and all inside it, outer before inner, in order.
    pub fn for_each(&self, visit: &mut impl FnMut(&CodeSnapshot)) {
        visit(self);
        for inner in self.nested() {
            inner.for_each(visit);
        }
    }
}

/// As Python's `repr`, nearly: for listings.
impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::None => write!(f, "None"),
            Constant::Ellipsis => write!(f, "Ellipsis"),
            Constant::Bool(value) => write!(f, "{}", if *value { "True" } else { "False" }),
            Constant::Int(value) => write!(f, "{value}"),
            Constant::BigInt(text) => write!(f, "{text}"),
            Constant::Float(value) => write!(f, "{value:?}"),
            Constant::Complex(real, imaginary) => write!(f, "({real:?}{imaginary:+?}j)"),
            Constant::Str(text) => write!(f, "{text:?}"),
            Constant::SurrogateStr(bytes) => write!(f, "{:?}", String::from_utf8_lossy(bytes)),
            Constant::Bytes(bytes) => write!(f, "b\"{}\"", bytes.escape_ascii()),
            Constant::Tuple(items) => display_items(f, "(", items, ")"),
            Constant::FrozenSet(items) => display_items(f, "frozenset({", items, "})"),
            Constant::Slice(items) => display_items(f, "slice(", items.as_slice(), ")"),
            Constant::Code(code) => write!(f, "<code {}>", code.qualname),
        }
    }
}

fn display_items(f: &mut fmt::Formatter<'_>, open: &str, items: &[Constant], close: &str) -> fmt::Result {
    write!(f, "{open}")?;
    for (position, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if position > 0 { ", " } else { "" })?;
    }
    write!(f, "{close}")
}
