//! The exception table: which instructions are protected by which handler.
//!
//! An entry is four numbers in groups of six bits, most significant first: start and length
//! and handler in code units, then twice the depth plus whether the handler gets the raising
//! instruction's offset. Bit 7 marks an entry's first byte, bit 6 that a group follows.
//! Absent: edges of the control-flow graph (the `frontend` room makes them).

use diag::Result;

use crate::wordcode::malformed;

/// A handler and the instructions it protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionRange {
    /// Byte offset of the first protected instruction.
    pub start: u32,
    /// Byte offset after the last.
    pub end: u32,
    /// Byte offset of the handler.
    pub target: u32,
    /// The handler starts with this many elements of the stack, then what `push_lasti` says,
    /// then the exception.
    pub depth: u32,
    /// The offset of the raising instruction is pushed below the exception.
    pub push_lasti: bool,
}

impl ExceptionRange {
    /// Depth of the stack when the handler starts.
    pub fn handler_depth(&self) -> u32 {
        self.depth.saturating_add(1 + u32::from(self.push_lasti))
    }
}

/// Reads `co_exceptiontable`. The ranges are in order and do not overlap.
pub(crate) fn decode_exception_table(bytes: &[u8]) -> Result<Vec<ExceptionRange>> {
    let mut ranges: Vec<ExceptionRange> = Vec::with_capacity(bytes.len() / 4);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] & 0x80 == 0 {
            return Err(malformed(0, "an entry of the exception table has no start"));
        }
        let [start, length, target, flags] = [(); 4].map(|()| read_number(bytes, &mut at));
        let (start, target, flags) = (start?, target?, flags?);
        let (Some(end), Some(target)) = (start.checked_add(length?), target.checked_mul(2)) else {
            return Err(malformed(0, "an entry of the exception table leaves the code"));
        };
        let (Some(end), start) = (end.checked_mul(2), start.saturating_mul(2)) else {
            return Err(malformed(start, "an entry of the exception table leaves the code"));
        };
        if start >= end || ranges.last().is_some_and(|last| last.end > start) {
            return Err(malformed(start, "ranges of the exception table are not in order"));
        }
        ranges.push(ExceptionRange { start, end, target, depth: flags >> 1, push_lasti: flags & 1 != 0 });
    }
    Ok(ranges)
}

fn read_number(bytes: &[u8], at: &mut usize) -> Result<u32> {
    let mut value = 0u32;
    loop {
        let byte = *bytes.get(*at).ok_or_else(|| malformed(0, "the exception table stops early"))?;
        *at += 1;
        if value >> 26 != 0 {
            return Err(malformed(0, "a number of the exception table is too large"));
        }
        value = value << 6 | u32::from(byte & 0x3f);
        if byte & 0x40 == 0 {
            return Ok(value);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_of_several_groups() {
        // start 20 units, length 64 = groups 1 and 0, target 3, depth 2 with lasti.
        let ranges = decode_exception_table(&[0x80 | 20, 0x40 | 1, 0, 3, 5]).unwrap();
        let expected = ExceptionRange { start: 40, end: 168, target: 6, depth: 2, push_lasti: true };
        assert_eq!(ranges, [expected]);
        assert_eq!(expected.handler_depth(), 4);
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        for bytes in [&[1, 1, 1, 1][..], &[0x81, 1, 1], &[0x81, 0, 1, 1], &[0xff; 40]] {
            assert!(decode_exception_table(bytes).is_err(), "{bytes:?}");
        }
        let overlapping = [0x80 | 1, 4, 9, 0, 0x80 | 3, 4, 9, 0];
        assert!(decode_exception_table(&overlapping).is_err());
    }
}
