//! The memory of the process, as interpreted code sees it.
//!
//! Arrays, lists and texts are where machine code has them. Slots of frames are memory too, but the interpreter knows which of
//! their bytes were written, until somebody else may know their address.

use super::bridges::{Bridges, runtime_of};
use interp::{AddressSpace, Fault, Word};
use ir::{External, Function, Native, Op, Site};
use std::collections::BTreeMap;

/// What an interpreted function reaches while it runs.
pub(super) struct Process<'a> {
    bridges: &'a Bridges,
    /// Slots of frames by their addresses.
    slots: BTreeMap<u64, Slot>,
}

struct Slot {
    words: Box<[u128]>,
    /// Which bytes were written; none once others know the address.
    written: Option<Box<[bool]>>,
}

impl<'a> Process<'a> {
    pub(super) fn new(bridges: &'a Bridges) -> Self {
        Process { bridges, slots: BTreeMap::new() }
    }

    /// The slot that `address` points into, and where.
    fn slot(&mut self, address: u64) -> Option<(&mut Slot, usize)> {
        let (&start, slot) = self.slots.range_mut(..=address).next_back()?;
        let offset = (address - start) as usize;
        (offset <= size_of_val(&*slot.words)).then_some((slot, offset))
    }

    /// Others may read and write the slot that a word points into.
    fn escape(&mut self, word: Word) {
        let Word::Ptr(address) = word else { return };
        if let Some((slot, _)) = self.slot(address) {
            slot.written = None;
        }
    }

    fn results(&mut self, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault> {
        for &word in args {
            self.escape(word);
        }
        self.bridges
            .call(external, args)
            .ok_or_else(|| format!("there is no way to call `{}`", external.name))
    }

    fn runtime(&mut self, op: Op, args: &[Word]) -> Result<Vec<Word>, Fault> {
        let function = runtime_of(op).ok_or("is no function of the runtime")?;
        self.results(&function.into(), args)
    }
}

/// Nobody has data on the first page.
fn check(address: u64) -> Result<(), Fault> {
    if address < 4096 { Err(format!("{address:#x} is no address")) } else { Ok(()) }
}

impl AddressSpace for Process<'_> {
    fn allocate(&mut self, size: u64) -> Result<u64, Fault> {
        let words = vec![0u128; (size as usize).div_ceil(16).max(1)].into_boxed_slice();
        let written = Some(vec![false; size_of_val(&*words)].into_boxed_slice());
        let address = words.as_ptr() as u64;
        self.slots.insert(address, Slot { words, written });
        Ok(address)
    }

    fn free(&mut self, address: u64) -> Result<(), Fault> {
        let slot = self.slots.remove(&address);
        slot.map(drop).ok_or_else(|| format!("{address:#x} is not allocated"))
    }

    fn load(&mut self, ty: Native, address: u64) -> Result<Word, Fault> {
        check(address)?;
        let size = ty.size() as usize;
        if let Some((Slot { written: Some(written), .. }, offset)) = self.slot(address)
            && !written.get(offset..offset + size).is_some_and(|bytes| bytes.iter().all(|&byte| byte))
        {
            return Err(format!("not all of the {size} bytes at {address:#x} were written before"));
        }
        let mut bytes = [0u8; 8];
        // SAFETY: machine code would read the same bytes; slots are checked above.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size) };
        let bits = u64::from_le_bytes(bytes);
        if ty == Native::I1 && bits > 1 {
            return Err(format!("the byte {bits} is no truth value"));
        }
        Ok(Word::from_bits(ty, bits))
    }

    fn store(&mut self, address: u64, word: Word) -> Result<(), Fault> {
        check(address)?;
        let size = word.ty().size() as usize;
        self.escape(word);
        if let Some((Slot { written: Some(written), .. }, offset)) = self.slot(address) {
            let room = written.get_mut(offset..offset + size);
            room.ok_or_else(|| format!("{size} bytes at {address:#x} are not inside of a slot"))?.fill(true);
        }
        let bytes = word.bits().to_le_bytes();
        // SAFETY: machine code would write the same bytes; slots are checked above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, size) };
        Ok(())
    }

    fn alloc(&mut self, size: u64, zeroed: bool) -> Result<Word, Fault> {
        let args = [Word::I64(size.cast_signed()), Word::I1(zeroed)];
        self.runtime(Op::Alloc, &args)?.pop().ok_or_else(|| "gave nothing".to_owned())
    }

    fn count(&mut self, owner: Word, more: bool) -> Result<(), Fault> {
        self.runtime(if more { Op::Incref } else { Op::Decref }, &[owner]).map(drop)
    }

    fn address_of(&mut self, symbol: &str) -> Result<Word, Fault> {
        let address = self.bridges.address_of(symbol);
        address.map(Word::Ptr).ok_or_else(|| format!("the address of `{symbol}` is not known"))
    }

    fn function_at(&self, address: Word) -> Option<&str> {
        self.bridges.function_at(address.bits())
    }

    fn status_of(&mut self, func: &Function, site: Site) -> Result<Word, Fault> {
        let status = self.bridges.status_of(func, site);
        status
            .map(|status| Word::I64(status.cast_signed()))
            .ok_or_else(|| "names a site of no function that was reached".to_owned())
    }

    /// Functions of the runtime give statuses of their own.
    fn is_status(&self, status: Word) -> bool {
        status.bits() != 0
    }

    fn call(&mut self, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault> {
        self.results(external, args)
    }

    fn call_at(&mut self, address: Word, external: &External, args: &[Word]) -> Result<Vec<Word>, Fault> {
        check(address.bits())?;
        let operands: Vec<Word> = [address].iter().chain(args).copied().collect();
        self.results(&External { name: String::new(), ..external.clone() }, &operands)
    }
}
