//! What the linker must know about a relocatable ELF object before ORC sees it: the symbols that it defines and needs,
//! and the size of its code.
//!
//! Reads little-endian ELF64, which is all that we generate; anything else is an error.

use diag::{Diagnostic, Result, codes};

/// Names and sizes of an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectInfo {
    /// Symbols that it defines for others.
    pub defined: Vec<String>,
    /// Symbols that it uses and does not define.
    pub wanted: Vec<String>,
    /// Bytes of machine code.
    pub code_size: usize,
    /// Bytes that it takes in memory, code included.
    pub memory_size: usize,
}

const SECTION_SYMBOLS: u32 = 2;
const SECTION_EXECUTABLE: u64 = 4;
const SECTION_ALLOCATED: u64 = 2;
const SYMBOL_SIZE: usize = 24;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&self, at: usize, count: usize) -> Result<&'a [u8]> {
        at.checked_add(count).and_then(|end| self.0.get(at..end)).ok_or_else(damaged)
    }

    /// The field at `at` of the record at `base`.
    fn number(&self, base: usize, at: usize, bytes: usize) -> Result<u64> {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(self.bytes(base.saturating_add(at), bytes)?);
        Ok(u64::from_le_bytes(word))
    }

    fn offset(&self, base: usize, at: usize) -> Result<usize> {
        usize::try_from(self.number(base, at, 8)?).map_err(|_| damaged())
    }

    fn text(&self, at: usize) -> Result<String> {
        let rest = self.0.get(at..).ok_or_else(damaged)?;
        let end = rest.iter().position(|&byte| byte == 0).ok_or_else(damaged)?;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}

fn damaged() -> Box<Diagnostic> {
    Diagnostic::new(codes::CODE_GENERATION, "cannot link: the object is damaged or no ELF object")
}

impl ObjectInfo {
    /// Reads an object.
    pub fn read(object: &[u8]) -> Result<ObjectInfo> {
        let file = Reader(object);
        if file.bytes(0, 6)? != b"\x7fELF\x02\x01" {
            return Err(damaged());
        }
        let table = file.offset(0, 0x28)?;
        let size = file.number(0, 0x3a, 2)? as usize;
        let count = file.number(0, 0x3c, 2)? as usize;
        let header =
            |index: usize| index.checked_mul(size).and_then(|at| at.checked_add(table)).ok_or_else(damaged);
        let mut info = ObjectInfo::default();
        for index in 0..count {
            let section = header(index)?;
            let flags = file.number(section, 8, 8)?;
            let bytes = file.offset(section, 32)?;
            let counted = |flag| if flags & flag != 0 { bytes } else { 0 };
            info.code_size = info.code_size.saturating_add(counted(SECTION_EXECUTABLE));
            info.memory_size = info.memory_size.saturating_add(counted(SECTION_ALLOCATED));
            if file.number(section, 4, 4)? as u32 == SECTION_SYMBOLS {
                let strings = header(file.number(section, 40, 4)? as usize)?;
                info.symbols(&file, file.offset(section, 24)?, bytes, file.offset(strings, 24)?)?;
            }
        }
        Ok(info)
    }

    fn symbols(&mut self, file: &Reader, table: usize, bytes: usize, strings: usize) -> Result<()> {
        // The first one stands for no symbol.
        for at in (SYMBOL_SIZE..bytes).step_by(SYMBOL_SIZE).map(|offset| table.saturating_add(offset)) {
            let binding = (file.number(at, 4, 1)? >> 4) as u8;
            let name = strings.saturating_add(file.number(at, 0, 4)? as usize);
            let section = file.number(at, 6, 2)?;
            if binding != GLOBAL && binding != WEAK {
                continue;
            }
            let name = file.text(name)?;
            if section != 0 {
                self.defined.push(name);
            } else if name != "_GLOBAL_OFFSET_TABLE_" {
                self.wanted.push(name);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectInfo;

    #[test]
    fn nonsense_is_an_error() {
        assert!(ObjectInfo::read(b"").is_err());
        assert!(ObjectInfo::read(b"\x7fELF\x02\x01").is_err());
        assert!(ObjectInfo::read(&[0xff; 200]).is_err());
        let mut header = [0xff; 80];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert!(ObjectInfo::read(&header).is_err());
    }
}
