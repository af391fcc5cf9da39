//! The line table: the source location of every code unit.
//!
//! An entry starts with a byte that has bit 7 set, a kind in bits 3 to 6 and a number of units
//! less one in bits 0 to 2. Kinds 0 to 9: the same line, columns in one more byte; 10 to 12:
//! 0 to 2 lines on, two columns; 13: a line delta and no columns; 14: line delta, end line
//! delta, two columns plus one; 15: no place. Numbers stand in groups of six bits, least
//! significant first; bit 6 says that a group follows; a signed one has its sign in bit 0.
//!
//! Locations are for display: a damaged table gives unknown locations and never an error.

use diag::Span;

/// Walks over a line table along with the instructions.
pub(crate) struct Positions<'a> {
    bytes: &'a [u8],
    at: usize,
    line: i64,
    /// Byte offset after the units that `span` is for.
    end: u32,
    span: Span,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(line_table: &'a [u8], first_line: u32) -> Self {
        Positions { bytes: line_table, at: 0, line: i64::from(first_line), end: 0, span: Span::UNKNOWN }
    }

    /// The place of the unit at a byte offset; offsets must not go down from call to call.
    #[inline]
    pub(crate) fn at(&mut self, offset: u32) -> Span {
        while self.end <= offset {
            match self.entry() {
                Some((units, span)) => {
                    self.end = self.end.saturating_add(2 * units);
                    self.span = span;
                }
                None => {
                    // Nothing more to read: the rest of the code has no place.
                    self.at = self.bytes.len();
                    (self.end, self.span) = (u32::MAX, Span::UNKNOWN);
                    break;
                }
            }
        }
        self.span
    }

    fn entry(&mut self) -> Option<(u32, Span)> {
        let head = self.byte()?;
        if head & 0x80 == 0 {
            return None;
        }
        let units = u32::from(head & 7) + 1;
        let span = match head >> 3 & 15 {
            kind @ 0..=9 => {
                let columns = u32::from(self.byte()?);
                let column = u32::from(kind) * 8 + (columns >> 4);
                self.span(0, Some((column, column + (columns & 15))))
            }
            kind @ 10..=12 => {
                self.line += i64::from(kind - 10);
                let columns = (u32::from(self.byte()?), u32::from(self.byte()?));
                self.span(0, Some(columns))
            }
            13 => {
                self.line = self.line.wrapping_add(self.signed()?);
                self.span(0, None)
            }
            14 => self.long_entry()?,
            _ => Span::UNKNOWN,
        };
        Some((units, span))
    }

    fn long_entry(&mut self) -> Option<Span> {
        self.line = self.line.wrapping_add(self.signed()?);
        let lines = self.unsigned()?;
        // 0 stands for a column that is not known.
        let columns = (self.unsigned()?.checked_sub(1), self.unsigned()?.checked_sub(1));
        let columns = columns.0.zip(columns.1);
        let columns = columns.map(|(from, to)| (clamp(from as i64), clamp(to as i64)));
        Some(self.span(lines as i64, columns))
    }

    fn span(&self, lines: i64, columns: Option<(u32, u32)>) -> Span {
        let (line, end_line) = (clamp(self.line), clamp(self.line.saturating_add(lines)));
        let (column, end_column) = columns.unwrap_or((Span::NO_COLUMN, Span::NO_COLUMN));
        Span { line, end_line, column, end_column }
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..36).step_by(6) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x3f) << shift;
            if byte & 0x40 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        let magnitude = (value >> 1) as i64;
        Some(if value & 1 != 0 { -magnitude } else { magnitude })
    }
}

/// Lines and columns outside `u32` are damage: they become "not known" or a far end.
fn clamp(number: i64) -> u32 {
    number.clamp(0, i64::from(u32::MAX - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind() {
        let table = [
            0x80 | 1 << 3 | 1,
            0x24, // two units: line 5, columns 10 to 14
            0x80 | 11 << 3,
            3,
            9, // line 6, columns 3 to 9
            0x80 | 13 << 3,
            5, // two lines up, no columns
            0x80 | 14 << 3,
            2,
            1,
            3,
            0x40 | 1,
            1, // line 5 to 6, columns 2 to 64
            0x80 | 15 << 3,
        ];
        let mut positions = Positions::new(&table, 5);
        let spans: Vec<String> = (0..7).map(|unit| positions.at(unit * 2).to_string()).collect();
        assert_eq!(spans, ["5:10-14", "5:10-14", "6:3-9", "4", "5:2-6:64", "?", "?"]);
    }

    #[test]
    fn damage_gives_unknown_places() {
        for table in [&[0x00][..], &[0x80], &[0xf0, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f]] {
            assert_eq!(Positions::new(table, 1).at(0), Span::UNKNOWN);
        }
    }
}
