//! Memory of its own for interpreted code, where every mistake is noticed.

use crate::ints::Fault;
use crate::{AddressSpace, Memory, Word, libm};
use entity::HashMap;
use ir::{External, Function, Native, Site, SiteData};

/// Memory that nobody else sees, and the statuses that stand for raised exceptions.
pub struct Sandbox {
    /// The bytes.
    pub memory: Memory,
    raised: Vec<SiteData>,
    /// Names whose address was asked for.
    addressed: Vec<String>,
    /// Where constant bytes lie, by their symbols.
    constants: HashMap<String, u64>,
    /// How many references there are to a block, by its address.
    holders: HashMap<u64, u64>,
}

/// The first status. Far from the numbers that programs compute with, so that a mix-up is noticed.
const FIRST_STATUS: i64 = 0x5747_0000_0000;

/// The first address of a function. Nothing can be read there.
const FIRST_ADDRESS: u64 = 0x5748_0000_0000;

impl Sandbox {
    /// Empty memory that holds up to `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Sandbox {
            memory: Memory::new(limit),
            raised: Vec::new(),
            addressed: Vec::new(),
            constants: HashMap::default(),
            holders: HashMap::default(),
        }
    }

    /// How many blocks somebody refers to.
    pub fn blocks_held(&self) -> usize {
        self.holders.len()
    }

    /// What a status stands for.
    pub fn site_of(&self, status: Word) -> Option<&SiteData> {
        let Word::I64(status) = status else { return None };
        let index = status.checked_sub(FIRST_STATUS)?;
        self.raised.get(usize::try_from(index).ok()?)
    }
}

impl AddressSpace for Sandbox {
    fn allocate(&mut self, size: u64) -> Result<u64, Fault> {
        self.memory.allocate(size)
    }

    fn free(&mut self, address: u64) -> Result<(), Fault> {
        self.memory.free(address)
    }

    fn load(&mut self, ty: Native, address: u64) -> Result<Word, Fault> {
        self.memory.load(ty, address)
    }

    fn store(&mut self, address: u64, word: Word) -> Result<(), Fault> {
        self.memory.store(address, word)
    }

    fn alloc(&mut self, size: u64, zeroed: bool) -> Result<Word, Fault> {
        let Some(room) = size.checked_add(abi::ITEMS as u64) else { return Ok(Word::Ptr(0)) };
        let Ok(address) = self.memory.allocate(room) else { return Ok(Word::Ptr(0)) };
        if zeroed {
            self.memory.write(address + abi::ITEMS as u64, &vec![0; size as usize])?;
        }
        self.holders.insert(address, 1);
        Ok(Word::Ptr(address))
    }

    /// Words that are odd or 0 count nothing.
    fn count(&mut self, owner: Word, more: bool) -> Result<(), Fault> {
        let address = owner.bits();
        if address == 0 || address & 1 == 1 {
            return Ok(());
        }
        let missing = || format!("{address:#x} is no block that anybody holds");
        let holders = self.holders.get_mut(&address).ok_or_else(missing)?;
        *holders = if more { *holders + 1 } else { *holders - 1 };
        if *holders == 0 {
            self.holders.remove(&address);
            self.memory.free(address)?;
        }
        Ok(())
    }

    /// Constant bytes lie in memory, functions have numbers.
    fn address_of(&mut self, symbol: &str) -> Result<Word, Fault> {
        if let Some(bytes) = ir::symbol_bytes(symbol) {
            if let Some(&address) = self.constants.get(symbol) {
                return Ok(Word::Ptr(address));
            }
            let address = self.memory.allocate(bytes.len() as u64)?;
            self.memory.write(address, &bytes)?;
            self.constants.insert(symbol.to_owned(), address);
            return Ok(Word::Ptr(address));
        }
        let known = self.addressed.iter().position(|other| other == symbol);
        let index = known.unwrap_or_else(|| {
            self.addressed.push(symbol.to_owned());
            self.addressed.len() - 1
        });
        Ok(Word::Ptr(FIRST_ADDRESS + index as u64))
    }

    fn function_at(&self, address: Word) -> Option<&str> {
        let Word::Ptr(address) = address else { return None };
        let index = address.checked_sub(FIRST_ADDRESS)?;
        self.addressed.get(usize::try_from(index).ok()?).map(String::as_str)
    }

    /// Equal sites have one status.
    fn status_of(&mut self, func: &Function, site: Site) -> Result<Word, Fault> {
        let site = &func.sites[site];
        let known = self.raised.iter().position(|other| other == site);
        let index = known.unwrap_or_else(|| {
            self.raised.push(site.clone());
            self.raised.len() - 1
        });
        Ok(Word::I64(FIRST_STATUS + index as i64))
    }

    fn is_status(&self, status: Word) -> bool {
        self.site_of(status).is_some()
    }

    /// Functions of the C library, which see no memory.
    fn call(&mut self, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault> {
        // What tracebacks show is nothing that a program computes with.
        if external.name == abi::Runtime::Through.symbol() {
            return Ok(Vec::new());
        }
        let result = libm::call(&external.name, args);
        Ok(vec![result.ok_or_else(|| format!("nothing is known of `{}`", external.name))?])
    }

    fn call_at(&mut self, address: Word, _: &External, _: &[Word]) -> Result<Vec<Word>, Fault> {
        Err(format!("{address} is the address of no function that is interpreted"))
    }
}
