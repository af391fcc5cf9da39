//! What a machine needs of the world around its code: memory, and functions that are not interpreted.

use crate::Word;
use crate::ints::Fault;
use ir::{External, Function, Native, Site};

/// Memory by addresses, and what some addresses stand for.
pub trait AddressSpace {
    /// Room for `size` bytes without content, aligned to 16.
    fn allocate(&mut self, size: u64) -> Result<u64, Fault>;

    /// Gives back what [`AddressSpace::allocate`] gave.
    fn free(&mut self, address: u64) -> Result<(), Fault>;

    /// Reads a word, little-endian; a boolean is a byte that is 0 or 1.
    fn load(&mut self, ty: Native, address: u64) -> Result<Word, Fault>;

    /// Writes a word.
    fn store(&mut self, address: u64, word: Word) -> Result<(), Fault>;

    /// A block of memory to which there is one reference; null if there is no memory.
    fn alloc(&mut self, size: u64, zeroed: bool) -> Result<Word, Fault>;

    /// One reference more or less to the block of an owner word.
    fn count(&mut self, owner: Word, more: bool) -> Result<(), Fault>;

    /// The address of what is called so.
    fn address_of(&mut self, symbol: &str) -> Result<Word, Fault>;

    /// The symbol of the interpreted function at an address that [`AddressSpace::address_of`] gave.
    fn function_at(&self, address: Word) -> Option<&str>;

    /// The status that stands for a place of `func` that raises.
    fn status_of(&mut self, func: &Function, site: Site) -> Result<Word, Fault>;

    /// Whether functions fail with this status.
    fn is_status(&self, status: Word) -> bool;

    /// Calls a function that is not interpreted.
    fn call(&mut self, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault>;

    /// Calls what is at an address by the signature of `external`.
    fn call_at(&mut self, address: Word, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault>;
}
