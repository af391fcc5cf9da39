//! Callees of interpreted code: functions of the host, and other functions of the Explicit phase.

use crate::ints::Fault;
use crate::{Libm, Memory, Word};
use diag::Result;
use entity::HashMap;
use ir::{External, Function, Native, SiteData};

/// What calls share: memory, and the statuses that stand for raised exceptions.
pub struct State {
    /// The sandbox.
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

impl State {
    pub(crate) fn new(memory: Memory) -> Self {
        State {
            memory,
            raised: Vec::new(),
            addressed: Vec::new(),
            constants: HashMap::default(),
            holders: HashMap::default(),
        }
    }

    /// The status that stands for a place that raises; equal places have one status.
    pub fn status_of(&mut self, site: &SiteData) -> Word {
        let known = self.raised.iter().position(|other| other == site);
        let index = known.unwrap_or_else(|| {
            self.raised.push(site.clone());
            self.raised.len() - 1
        });
        Word::I64(FIRST_STATUS + index as i64)
    }

    /// The address of what is called so; one per name. Constant bytes lie in memory.
    pub(crate) fn address_of(&mut self, symbol: &str) -> std::result::Result<Word, Fault> {
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

    /// What an address that was asked for stands for.
    pub(crate) fn at_address(&self, address: Word) -> Option<&str> {
        let Word::Ptr(address) = address else { return None };
        let index = address.checked_sub(FIRST_ADDRESS)?;
        self.addressed.get(usize::try_from(index).ok()?).map(String::as_str)
    }

    /// A new block to which there is one reference; null if there is no memory.
    pub fn alloc(&mut self, size: u64, zeroed: bool) -> std::result::Result<Word, Fault> {
        let Some(room) = size.checked_add(abi::ITEMS as u64) else { return Ok(Word::Ptr(0)) };
        let Ok(address) = self.memory.allocate(room) else { return Ok(Word::Ptr(0)) };
        if zeroed {
            self.memory.write(address + abi::ITEMS as u64, &vec![0; size as usize])?;
        }
        self.holders.insert(address, 1);
        Ok(Word::Ptr(address))
    }

    /// One reference more or less to the block of an owner word; words that are odd or 0 count nothing.
    pub(crate) fn count(&mut self, owner: Word, more: bool) -> std::result::Result<(), Fault> {
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

/// Resolves the functions that `call_external` names.
pub trait Externals {
    /// The function of the Explicit phase with this symbol. A caller of one that can fail gets
    /// its status before its results.
    fn function(&self, _symbol: &str) -> Option<&Function> {
        None
    }

    /// Calls a function of the host; `None` if there is none of this name and signature.
    fn call(&self, external: &External, args: &[Word], state: &mut State) -> Result<Option<Vec<Word>>>;
}

/// Functions of the Explicit phase by symbol, over [`Libm`].
#[derive(Default)]
pub struct Library {
    functions: HashMap<String, Function>,
}

impl Library {
    /// These functions, each under its own name.
    pub fn new(functions: impl IntoIterator<Item = Function>) -> Self {
        Library { functions: functions.into_iter().map(|func| (func.name.clone(), func)).collect() }
    }

    /// Adds a function under a symbol of its own.
    pub fn insert(&mut self, symbol: &str, func: Function) {
        self.functions.insert(symbol.into(), func);
    }
}

impl Externals for Library {
    fn function(&self, symbol: &str) -> Option<&Function> {
        self.functions.get(symbol)
    }

    fn call(&self, external: &External, args: &[Word], state: &mut State) -> Result<Option<Vec<Word>>> {
        Libm.call(external, args, state)
    }
}

/// What a caller must declare to call `func`: the status comes first where it can fail.
pub(crate) fn call_results(func: &Function) -> Vec<Native> {
    let status = func.can_fail.then_some(Native::I64);
    status.into_iter().chain(func.results.iter().copied()).collect()
}

/// Checks that a function of the host gave what its declaration says.
pub(crate) fn check_results(external: &External, results: &[Word]) -> std::result::Result<(), Fault> {
    if external.results.iter().copied().eq(results.iter().map(|word| word.ty())) {
        return Ok(());
    }
    Err(format!("`{}` gave {results:?}, declared is {:?}", external.name, external.results))
}
