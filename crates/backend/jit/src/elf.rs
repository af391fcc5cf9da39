//! What the linker must know about a relocatable ELF object before ORC sees it: the symbols that it defines and needs,
//! and the size of its code.
//!
//! Reads little-endian ELF64, which is all that we generate; anything else is an error.

use crate::line_table::LineTable;
use diag::{Diagnostic, Result, codes};
use entity::HashMap;

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
    /// Whether it has information for debuggers.
    pub is_described: bool,
}

const SECTION_SYMBOLS: u32 = 2;
const SECTION_EXECUTABLE: u64 = 4;
const SECTION_ALLOCATED: u64 = 2;
const SYMBOL_SIZE: usize = 24;
const RELOCATION_SIZE: usize = 24;
const FUNCTION: u64 = 2;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&self, at: usize, count: usize) -> Result<&'a [u8]> {
        at.checked_add(count).and_then(|end| self.0.get(at..end)).ok_or_else(damaged)
    }

    /// The field at `at` of the record at `base`.
    pub(crate) fn number(&self, base: usize, at: usize, bytes: usize) -> Result<u64> {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(self.bytes(base.saturating_add(at), bytes)?);
        Ok(u64::from_le_bytes(word))
    }

    fn offset(&self, base: usize, at: usize) -> Result<usize> {
        usize::try_from(self.number(base, at, 8)?).map_err(|_| damaged())
    }

    pub(crate) fn text(&self, at: usize) -> Result<String> {
        let rest = self.0.get(at..).ok_or_else(damaged)?;
        let end = rest.iter().position(|&byte| byte == 0).ok_or_else(damaged)?;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}

pub(crate) fn damaged() -> Box<Diagnostic> {
    Diagnostic::new(codes::CODE_GENERATION, "cannot link: the object is damaged or no ELF object")
}

/// An object, for who asks where what of it lies in memory.
pub(crate) struct Object<'a> {
    file: Reader<'a>,
    headers: Vec<usize>,
}

/// A function of an object in memory.
pub(crate) struct Function {
    /// Its symbol.
    pub name: String,
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
}

struct SymbolRecord {
    name: String,
    section: usize,
    value: u64,
    size: u64,
    is_function: bool,
}

impl<'a> Object<'a> {
    /// Reads where the sections are.
    pub(crate) fn read(object: &'a [u8]) -> Result<Object<'a>> {
        let file = Reader(object);
        let (table, size) = (file.offset(0, 0x28)?, file.number(0, 0x3a, 2)? as usize);
        let count = file.number(0, 0x3c, 2)? as usize;
        let headers = (0..count).map(|index| table.saturating_add(index * size)).collect();
        Ok(Object { file, headers })
    }

    fn header(&self, index: u64) -> Result<usize> {
        self.headers.get(index as usize).copied().ok_or_else(damaged)
    }

    fn bytes_of(&self, header: usize) -> Result<&'a [u8]> {
        self.file.bytes(self.file.offset(header, 24)?, self.file.offset(header, 32)?)
    }

    /// The header of the section with this name.
    fn named(&self, name: &str) -> Result<Option<usize>> {
        let names = self.file.offset(self.header(self.file.number(0, 0x3e, 2)?)?, 24)?;
        for &header in &self.headers {
            let at = names.saturating_add(self.file.number(header, 0, 4)? as usize);
            if self.file.text(at)? == name {
                return Ok(Some(header));
            }
        }
        Ok(None)
    }

    fn symbols(&self) -> Result<Vec<SymbolRecord>> {
        let file = &self.file;
        let mut found = Vec::new();
        for &section in &self.headers {
            if file.number(section, 4, 4)? as u32 != SECTION_SYMBOLS {
                continue;
            }
            let strings = file.offset(self.header(file.number(section, 40, 4)?)?, 24)?;
            let (start, bytes) = (file.offset(section, 24)?, file.offset(section, 32)?);
            for at in (0..bytes).step_by(SYMBOL_SIZE).map(|offset| start.saturating_add(offset)) {
                found.push(SymbolRecord {
                    name: file.text(strings.saturating_add(file.number(at, 0, 4)? as usize))?,
                    section: file.number(at, 6, 2)? as usize,
                    value: file.number(at, 8, 8)?,
                    size: file.number(at, 16, 8)?,
                    is_function: file.number(at, 4, 1)? & 15 == FUNCTION,
                });
            }
        }
        Ok(found)
    }

    /// Where sections begin in memory, by their numbers, as the addresses of their symbols tell.
    fn bases(&self, symbols: &[SymbolRecord], addresses: &HashMap<String, usize>) -> HashMap<usize, u64> {
        let of = |symbol: &SymbolRecord| {
            let address = *addresses.get(&symbol.name)? as u64;
            Some((symbol.section, address.wrapping_sub(symbol.value)))
        };
        symbols.iter().filter(|symbol| symbol.section != 0).filter_map(of).collect()
    }

    /// A copy in which each section says where it lies.
    pub(crate) fn placed(&self, addresses: &HashMap<String, usize>) -> Result<Vec<u8>> {
        let mut placed = self.file.0.to_vec();
        for (section, base) in self.bases(&self.symbols()?, addresses) {
            let Ok(header) = self.header(section as u64) else { continue };
            let field = placed.get_mut(header + 16..header + 24).ok_or_else(damaged)?;
            field.copy_from_slice(&base.to_le_bytes());
        }
        Ok(placed)
    }

    /// The functions in memory.
    pub(crate) fn functions(&self, addresses: &HashMap<String, usize>) -> Result<Vec<Function>> {
        let symbols = self.symbols()?;
        let bases = self.bases(&symbols, addresses);
        let of = |symbol: SymbolRecord| {
            let address = bases.get(&symbol.section)?.wrapping_add(symbol.value);
            let is_code = symbol.is_function && symbol.size > 0;
            is_code.then_some(Function { name: symbol.name, address, size: symbol.size })
        };
        Ok(symbols.into_iter().filter_map(of).collect())
    }

    /// The lines in memory.
    pub(crate) fn lines(&self, addresses: &HashMap<String, usize>) -> Result<LineTable> {
        let Some(section) = self.named(".debug_line")? else { return Ok(LineTable::default()) };
        let symbols = self.symbols()?;
        let bases = self.bases(&symbols, addresses);
        let mut filled = HashMap::default();
        if let Some(header) = self.named(".rela.debug_line")? {
            let relocations = Reader(self.bytes_of(header)?);
            for at in (0..relocations.0.len()).step_by(RELOCATION_SIZE) {
                let symbol = symbols.get((relocations.number(at, 8, 8)? >> 32) as usize);
                let base =
                    symbol.and_then(|symbol| Some(bases.get(&symbol.section)?.wrapping_add(symbol.value)));
                let Some(base) = base else { continue };
                filled
                    .insert(relocations.number(at, 0, 8)?, base.wrapping_add(relocations.number(at, 16, 8)?));
            }
        }
        LineTable::read(self.bytes_of(section)?, &filled)
    }
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
        let names = file.offset(header(file.number(0, 0x3e, 2)? as usize)?, 24)?;
        for index in 0..count {
            let section = header(index)?;
            let name = names.saturating_add(file.number(section, 0, 4)? as usize);
            info.is_described |= file.0.get(name..).is_some_and(|name| name.starts_with(b".debug_info\0"));
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
