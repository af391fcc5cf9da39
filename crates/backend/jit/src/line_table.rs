//! Reads the line table of an object (DWARF 4, as our code generator writes it): which line each address is of.

use crate::elf::{Reader, damaged};
use diag::Result;
use entity::HashMap;

/// Code from an address on is of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LineEntry {
    pub address: u64,
    pub line: u32,
    /// Its file, among those of the table.
    pub file: usize,
}

/// All lines of an object.
#[derive(Debug, Default)]
pub(crate) struct LineTable {
    /// Paths; the first one stands for no file.
    pub files: Vec<String>,
    pub entries: Vec<LineEntry>,
}

/// Reads bytes one after the other.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(damaged)?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self, bytes: usize) -> Result<u64> {
        let number = Reader(self.bytes).number(self.at, 0, bytes)?;
        self.at += bytes;
        Ok(number)
    }

    fn text(&mut self) -> Result<String> {
        let text = Reader(self.bytes).text(self.at)?;
        self.at += text.len() + 1;
        Ok(text)
    }

    /// A number in groups of seven bits.
    fn unsigned(&mut self) -> Result<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    fn signed(&mut self) -> Result<i64> {
        let start = self.at;
        let number = self.unsigned()? as i64;
        let bits = 7 * (self.at - start) as u32;
        let is_negative = bits < 64 && self.bytes[self.at - 1] & 0x40 != 0;
        Ok(if is_negative { number | (-1 << bits) } else { number })
    }
}

/// The parts of the header that the program refers to.
struct Header {
    line_base: i64,
    line_range: u64,
    /// How many operands each standard opcode has.
    operands: Vec<u8>,
}

impl LineTable {
    /// Reads the section; `addresses` are those that the linker fills in, by their place in it.
    pub(crate) fn read(section: &[u8], addresses: &HashMap<u64, u64>) -> Result<LineTable> {
        let mut table = LineTable::default();
        let mut cursor = Cursor { bytes: section, at: 0 };
        while cursor.at < section.len() {
            let end = cursor.number(4)? as usize + cursor.at;
            if cursor.number(2)? != 4 || end > section.len() {
                return Ok(table);
            }
            let first_file = table.files.len();
            let header = table.header(&mut cursor)?;
            table.run(&mut cursor, end, &header, (addresses, first_file))?;
        }
        Ok(table)
    }

    fn header(&mut self, cursor: &mut Cursor<'_>) -> Result<Header> {
        let program = cursor.number(4)? as usize + cursor.at;
        // Sizes of instructions, and whether lines are statements, are always the same.
        cursor.number(3)?;
        let line_base = i64::from(cursor.byte()? as i8);
        let line_range = u64::from(cursor.byte()?.max(1));
        let opcodes = cursor.byte()?.max(1);
        let operands = (1..opcodes).map(|_| cursor.byte()).collect::<Result<_>>()?;
        let mut folders = vec![String::new()];
        loop {
            let folder = cursor.text()?;
            if folder.is_empty() {
                break;
            }
            folders.push(folder);
        }
        self.files.push(String::new());
        loop {
            let name = cursor.text()?;
            if name.is_empty() {
                break;
            }
            let folder = cursor.unsigned()? as usize;
            (cursor.unsigned()?, cursor.unsigned()?);
            let folder = folders.get(folder).map_or("", String::as_str);
            self.files.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
        }
        cursor.at = program;
        Ok(Header { line_base, line_range, operands })
    }

    fn run(
        &mut self,
        cursor: &mut Cursor<'_>,
        end: usize,
        header: &Header,
        (addresses, first_file): (&HashMap<u64, u64>, usize),
    ) -> Result<()> {
        let first_special = header.operands.len() as u64 + 1;
        let start = || LineEntry { address: 0, line: 1, file: first_file + 1 };
        let mut now = start();
        while cursor.at < end {
            let opcode = u64::from(cursor.byte()?);
            if opcode >= first_special {
                let step = opcode - first_special;
                now.address += step / header.line_range;
                now.line = now
                    .line
                    .wrapping_add_signed((header.line_base + (step % header.line_range) as i64) as i32);
                self.entries.push(now.clone());
                continue;
            }
            match opcode {
                0 => {
                    let next = cursor.unsigned()? as usize + cursor.at;
                    match cursor.byte()? {
                        1 => now = start(),
                        2 => now.address = addresses.get(&(cursor.at as u64)).copied().unwrap_or(0),
                        _ => {}
                    }
                    cursor.at = next;
                }
                1 => self.entries.push(now.clone()),
                2 => now.address += cursor.unsigned()?,
                3 => now.line = now.line.wrapping_add_signed(cursor.signed()? as i32),
                4 => now.file = first_file + cursor.unsigned()? as usize,
                8 => now.address += (255 - first_special) / header.line_range,
                9 => now.address += cursor.number(2)?,
                _ => {
                    for _ in 0..header.operands.get(opcode as usize - 1).copied().unwrap_or(0) {
                        cursor.unsigned()?;
                    }
                }
            }
        }
        Ok(())
    }
}
