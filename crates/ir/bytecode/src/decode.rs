//! Decodes a code object into common instructions, in one pass over its bytes and one over its jumps.
//!
//! Guaranteed of a [`Decoded`]: ids are in range, every jump and handler goes to an
//! instruction, the last instruction does not run off the end. Absent: depths of the stack and
//! which code is reachable; the `frontend` room finds these.

use diag::{Result, Span};

use crate::Op;
use crate::exception_table::{ExceptionRange, decode_exception_table};
use crate::line_table::Positions;
use crate::normalize::Lowering;
use crate::snapshot::CodeSnapshot;
use crate::wordcode::{RawInstructions, malformed};

/// A common instruction and where it comes from. Several may come from the same bytes; they
/// have the same offset then, and jumps go to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Byte offset in `co_code`, extended arguments included.
    pub offset: u32,
    /// Byte offset after it and its caches.
    pub next: u32,
    /// What it does.
    pub op: Op,
    /// Lines and columns of its source.
    pub span: Span,
}

/// A code object as common instructions.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// In order of their offsets.
    pub instructions: Vec<Instruction>,
    /// In order of their starts, without overlap.
    pub exceptions: Vec<ExceptionRange>,
    /// By code unit: the first instruction that starts there, or [`NO_INSTRUCTION`].
    starts: Vec<u32>,
}

const NO_INSTRUCTION: u32 = u32::MAX;

impl Decoded {
    /// Index of the first instruction at a byte offset; `None` if none starts there.
    #[inline]
    pub fn index_at(&self, offset: u32) -> Option<usize> {
        if !offset.is_multiple_of(2) {
            return None;
        }
        let index = *self.starts.get(offset as usize / 2)?;
        (index != NO_INSTRUCTION).then_some(index as usize)
    }

    /// The range that protects the instruction at a byte offset.
    pub fn handler_of(&self, offset: u32) -> Option<&ExceptionRange> {
        let behind = self.exceptions.partition_point(|range| range.start <= offset);
        self.exceptions[..behind].last().filter(|range| offset < range.end)
    }

    /// The same code with other instructions, in the order of their offsets: jumps go to the first of an offset. Ranges
    /// without a handler are dropped.
    pub fn with_instructions(&self, instructions: Vec<Instruction>) -> Decoded {
        let mut starts = vec![NO_INSTRUCTION; self.starts.len()];
        for (index, instruction) in instructions.iter().enumerate().rev() {
            starts[instruction.offset as usize / 2] = index as u32;
        }
        let has_handler =
            |range: &&ExceptionRange| starts.get(range.target as usize / 2) != Some(&NO_INSTRUCTION);
        let exceptions = self.exceptions.iter().filter(has_handler).copied().collect();
        Decoded { instructions, exceptions, starts }
    }

    fn check_target(&self, from: u32, target: u32) -> Result<()> {
        match self.index_at(target) {
            Some(_) => Ok(()),
            None => {
                Err(malformed(from, format_args!("a jump to offset {target}, where no instruction starts")))
            }
        }
    }

    fn check(&self, code_length: u32) -> Result<()> {
        for instruction in &self.instructions {
            if let Some(target) = instruction.op.target() {
                self.check_target(instruction.offset, target)?;
            }
        }
        for range in &self.exceptions {
            self.check_target(range.start, range.target)?;
            if range.end > code_length {
                return Err(malformed(range.start, "a range of the exception table leaves the code"));
            }
        }
        match self.instructions.last() {
            Some(last) if !last.op.falls_through() => Ok(()),
            Some(last) => Err(malformed(last.offset, "the code runs off its end")),
            None => Err(malformed(0, "no instructions")),
        }
    }
}

/// Decodes a code object; those inside it are decoded on their own.
pub fn decode(code: &CodeSnapshot) -> Result<Decoded> {
    let length = u32::try_from(code.code.len()).ok().filter(|length| *length < u32::MAX / 2);
    let length = length.ok_or_else(|| malformed(0, "too long"))?;
    let mut starts = vec![NO_INSTRUCTION; code.code.len().div_ceil(2)];
    let mut positions = Positions::new(&code.line_table, code.first_line);
    let mut lowering = Lowering::new(code);
    for raw in RawInstructions::new(code.version, &code.code) {
        let raw = raw?;
        starts[raw.offset as usize / 2] = lowering.out.len() as u32;
        lowering.lower(&raw, positions.at(raw.offset))?;
    }
    let exceptions = decode_exception_table(&code.exception_table)?;
    let decoded = Decoded { instructions: lowering.out, exceptions, starts };
    decoded.check(length)?;
    Ok(decoded)
}
