//! Splits the bytes of a code object into instructions: combines extended arguments and skips caches. Absent: what an
//! opcode means (`normalize`).

use diag::{Diagnostic, Result, codes};

use crate::PythonVersion;
use crate::tables::{Form, Opcode, OpcodeTable};

/// One instruction as CPython numbers it.
#[derive(Clone, Copy)]
pub struct RawInstruction {
    /// Byte offset of its first unit, which may be an `EXTENDED_ARG`.
    pub offset: u32,
    /// Byte offset of the instruction after it and its caches.
    pub next: u32,
    /// The number of its opcode.
    pub number: u8,
    /// Its argument with all extensions.
    pub arg: u32,
    /// What the table says of its opcode.
    pub opcode: &'static Opcode,
}

impl RawInstruction {
    /// Byte offset it jumps to, if it is a jump; `u32::MAX` for a distance that leaves the code.
    pub fn target(&self) -> Option<u32> {
        let distance = self.arg.checked_mul(2);
        match self.opcode.form {
            Form::Forward(_) => Some(distance.and_then(|bytes| self.next.checked_add(bytes))),
            Form::Backward(_) => Some(distance.and_then(|bytes| self.next.checked_sub(bytes))),
            _ => None,
        }
        .map(|target| target.unwrap_or(u32::MAX))
    }
}

/// Walks over the instructions of `co_code`; stops after the first error.
pub struct RawInstructions<'a> {
    table: &'static OpcodeTable,
    code: &'a [u8],
    at: usize,
}

impl<'a> RawInstructions<'a> {
    /// Starts at the first byte.
    pub fn new(version: PythonVersion, code: &'a [u8]) -> Self {
        RawInstructions { table: OpcodeTable::of(version), code, at: 0 }
    }

    fn fail(&mut self, offset: usize, what: &str) -> Box<Diagnostic> {
        self.at = self.code.len();
        malformed(offset as u32, what)
    }
}

/// The error of this crate for bytes that make no sense.
#[cold]
pub(crate) fn malformed(offset: u32, what: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::new(codes::MALFORMED_BYTECODE, format!("malformed bytecode at offset {offset}: {what}"))
}

impl Iterator for RawInstructions<'_> {
    type Item = Result<RawInstruction>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.code.len() {
            return None;
        }
        let start = self.at;
        let mut arg = 0u32;
        loop {
            let Some(&[number, byte]) = self.code.get(self.at..self.at + 2) else {
                return Some(Err(self.fail(start, "an instruction stops early")));
            };
            self.at += 2;
            arg = arg << 8 | u32::from(byte);
            let opcode = self.table.get(number);
            match opcode.form {
                Form::Extend if self.at - start < 8 => continue,
                Form::Extend => return Some(Err(self.fail(start, "an argument of more than 32 bits"))),
                Form::Absent => {
                    return Some(Err(self.fail(start, &format!("unknown opcode {number}"))));
                }
                _ => {}
            }
            self.at += 2 * usize::from(opcode.caches);
            if self.at > self.code.len() {
                return Some(Err(self.fail(start, "an inline cache stops early")));
            }
            let (offset, next) = (start as u32, self.at as u32);
            return Some(Ok(RawInstruction { offset, next, number, arg, opcode }));
        }
    }
}
