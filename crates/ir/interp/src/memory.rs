//! The sandbox: allocations with checked bounds, lifetime and initialization.

use crate::Word;
use crate::ints::Fault;
use ir::Native;
use std::collections::BTreeMap;

/// Where the first allocation begins; everything below is never valid.
const BASE: u64 = 0x1_0000;
/// Room between allocations, so that running over the end of one never reaches the next.
const GAP: u64 = 0x1000;
/// Alignment of every allocation.
const ALIGNMENT: u64 = 16;

/// Memory that only interpreted code sees. Addresses are never used twice, so that a dangling
/// pointer is always noticed.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Live allocations by their first address.
    live: BTreeMap<u64, Vec<Option<u8>>>,
    next: u64,
    used: u64,
    limit: u64,
}

impl Memory {
    /// Empty memory that refuses to hold more than `limit` bytes at once.
    pub fn new(limit: u64) -> Self {
        Memory { live: BTreeMap::new(), next: BASE, used: 0, limit }
    }

    /// A fresh allocation of `size` bytes without content, aligned to 16.
    pub fn allocate(&mut self, size: u64) -> Result<u64, Fault> {
        if size > self.limit - self.used {
            return Err(format!("{size} more bytes are above the limit of {} bytes", self.limit));
        }
        let address = self.next;
        self.next = (address + size + GAP).next_multiple_of(ALIGNMENT);
        self.used += size;
        self.live.insert(address, vec![None; size as usize]);
        Ok(address)
    }

    /// Ends the life of an allocation.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let bytes = self.live.remove(&address).ok_or_else(|| format!("{address:#x} is not allocated"))?;
        self.used -= bytes.len() as u64;
        Ok(())
    }

    /// The bytes at an address, of which `None` were never written.
    fn bytes(&mut self, address: u64, size: u64) -> Result<&mut [Option<u8>], Fault> {
        let fault = || format!("{size} bytes at {address:#x} are not inside of an allocation");
        let (start, bytes) = self.live.range_mut(..=address).next_back().ok_or_else(fault)?;
        let offset = (address - start) as usize;
        let end = offset.checked_add(size as usize).ok_or_else(fault)?;
        bytes.get_mut(offset..end).ok_or_else(fault)
    }

    /// Reads bytes; each must have been written.
    pub fn read(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Fault> {
        let bytes: Option<Vec<u8>> = self.bytes(address, size)?.iter().copied().collect();
        bytes.ok_or_else(|| format!("not all of the {size} bytes at {address:#x} were written before"))
    }

    /// Writes bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let target = self.bytes(address, bytes.len() as u64)?;
        target.iter_mut().zip(bytes).for_each(|(to, &from)| *to = Some(from));
        Ok(())
    }

    /// Reads a word, little-endian; a boolean is a byte that is 0 or 1.
    pub fn load(&mut self, ty: Native, address: u64) -> Result<Word, Fault> {
        let bytes = self.read(address, ty.size().into())?;
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        if ty == Native::I1 && bits > 1 {
            return Err(format!("the byte {bits} is no truth value"));
        }
        Ok(Word::from_bits(ty, bits))
    }

    /// Writes a word.
    pub fn store(&mut self, address: u64, word: Word) -> Result<(), Fault> {
        let size = word.ty().size() as usize;
        self.write(address, &word.bits().to_le_bytes()[..size])
    }
}
