//! The tables of dicts and sets: a block with a [`TableHead`], entries in insertion order, and a hash index into them.
//!
//! An entry is its hash, the key, and what a dict holds under it. A slot of the index is the upper half of a hash and the
//! number of an entry; a search begins where the hash says and continues to the next slot until one is free. Nothing here
//! knows types or compares keys: compiled code does, and passes hashes, which are never negative.

use crate::refcount::{self, ITEMS, allocate_with, rumba_decref};
use crate::word_abi::Pair;
use crate::{alloc_stats, block_cache};

/// What the block of a dict or a set holds.
#[repr(C)]
#[derive(Debug)]
pub struct TableHead {
    /// Number of items.
    pub len: i64,
    /// Number of entries, of which some may be removed.
    pub used: i64,
    /// The entries.
    pub entries: *mut u8,
    /// The slots.
    pub index: *mut u64,
    /// Number of slots less one: a power of two less one.
    pub mask: i64,
    /// How many entries there is memory for.
    pub capacity: i64,
    /// How many slots were filled since the index was made.
    pub filled: i64,
    /// Bytes of an entry.
    pub entry_size: i64,
    /// Which words of an entry are owners: bit n for the word at byte 8 n.
    pub owners: u64,
    /// The Python object that this is a copy of while a call runs, or null.
    pub origin: *mut (),
    /// Whether it was changed since the copy was made.
    pub changed: u64,
}

/// A slot without an entry.
pub const FREE: u64 = u64::MAX;

/// A slot whose entry was removed: a search continues after it. No hash has its upper half.
const REMOVED: u64 = u64::MAX - 1;

/// The hash of a removed entry.
pub const TOMBSTONE: i64 = -1;

/// The index of a table without memory.
static NO_SLOTS: [u64; 1] = [FREE];

const FEWEST: i64 = 8;

/// From this many items on, a table doubles when it grows; smaller ones triple.
const MANY: i64 = 1 << 20;

impl TableHead {
    /// The head of the table that an owner word says.
    ///
    /// # Safety
    /// The word is that of a table's block, which somebody holds.
    pub unsafe fn of(owner: u64) -> *mut TableHead {
        (owner as usize + ITEMS as usize) as *mut TableHead
    }

    /// Address of an entry.
    ///
    /// # Safety
    /// There is such an entry.
    pub unsafe fn entry(&self, number: i64) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.entries.add((number * self.entry_size) as usize) }
    }

    /// Addresses of the entries that are not removed.
    pub fn live(&self) -> impl Iterator<Item = *mut u8> {
        // SAFETY: there are this many entries, each of which begins with a hash.
        (0..self.used)
            .map(|number| unsafe { self.entry(number) })
            .filter(|&entry| unsafe { hash_of(entry) } != TOMBSTONE)
    }

    unsafe fn release(&self, entry: *mut u8) {
        let mut owners = self.owners;
        while owners != 0 {
            // SAFETY: the owners' words lie inside the entry.
            rumba_decref(unsafe { entry.cast::<u64>().add(owners.trailing_zeros() as usize).read() });
            owners &= owners - 1;
        }
    }

    /// Gives up all items and the memory. The table is empty before anything is released.
    unsafe fn clear(&mut self) {
        let old = std::mem::replace(self, TableHead { changed: 1, ..TableHead::empty(self) });
        // SAFETY: nobody else has the entries now.
        unsafe {
            if old.owners != 0 {
                old.live().for_each(|entry| old.release(entry));
            }
            old.free();
        }
    }

    fn empty(like: &TableHead) -> TableHead {
        TableHead {
            len: 0,
            used: 0,
            entries: std::ptr::null_mut(),
            index: NO_SLOTS.as_ptr().cast_mut(),
            mask: 0,
            capacity: 0,
            filled: 0,
            ..*like
        }
    }

    unsafe fn free(&self) {
        // SAFETY: this is what was allocated.
        unsafe { block_cache::free(self.entries, self.size()) };
        if !self.entries.is_null() {
            alloc_stats::freed();
        }
    }

    /// Bytes of the entries and, after them, the slots.
    fn size(&self) -> usize {
        if self.capacity == 0 {
            0
        } else {
            (self.capacity * self.entry_size) as usize + (self.mask as usize + 1) * 8
        }
    }

    /// Makes room for a total number of entries, not counting removed ones. Returns whether there was memory for it.
    unsafe fn rebuild(&mut self, capacity: i64) -> bool {
        // SAFETY: the entries are there, and what is made is as large as is said.
        unsafe {
            // It never becomes smaller: entries that are removed and added again and again move seldom.
            if capacity <= self.capacity && self.capacity > 0 {
                self.close_gaps();
                self.fill_index();
                return true;
            }
            let capacity = capacity.max(FEWEST);
            // Entries are numbered in half a word.
            if capacity >= i64::from(u32::MAX) {
                return false;
            }
            let slots = (capacity as u64 + capacity as u64 / 2 + 1).next_power_of_two() as usize;
            let Some(entries) = (capacity as usize).checked_mul(self.entry_size as usize) else {
                return false;
            };
            let Some(size) = entries.checked_add(8 * slots) else { return false };
            let block = block_cache::allocate(size, false);
            if block.is_null() {
                return false;
            }
            alloc_stats::allocated();
            self.close_gaps();
            if self.used > 0 {
                std::ptr::copy_nonoverlapping(self.entries, block, (self.used * self.entry_size) as usize);
            }
            self.free();
            (self.entries, self.index) = (block, block.add(entries).cast());
            (self.capacity, self.mask) = (capacity, slots as i64 - 1);
            self.fill_index();
        }
        true
    }

    /// Makes the index again; no entry is a removed one.
    unsafe fn fill_index(&mut self) {
        // SAFETY: the slots are there, more than entries.
        unsafe {
            std::ptr::write_bytes(self.index, 0xff, self.mask as usize + 1);
            for number in 0..self.used {
                let hash = hash_of(self.entry(number));
                let mut at = hash & self.mask;
                while *self.index.add(at as usize) != FREE {
                    at = (at + 1) & self.mask;
                }
                *self.index.add(at as usize) = slot(hash, number);
            }
        }
        self.filled = self.used;
    }

    /// Moves the entries together. The index is not right any more where any were removed.
    unsafe fn close_gaps(&mut self) {
        if self.len == self.used {
            return;
        }
        let mut kept = 0;
        for number in 0..self.used {
            // SAFETY: both are entries.
            unsafe {
                let from = self.entry(number);
                if hash_of(from) != TOMBSTONE {
                    std::ptr::copy(from, self.entry(kept), self.entry_size as usize);
                    kept += 1;
                }
            }
        }
        self.used = kept;
    }
}

unsafe fn hash_of(entry: *const u8) -> i64 {
    // SAFETY: an entry begins with its hash.
    unsafe { entry.cast::<i64>().read() }
}

fn slot(hash: i64, number: i64) -> u64 {
    hash.cast_unsigned() & !u64::from(u32::MAX) | number.cast_unsigned()
}

unsafe extern "C" fn drop_table(items: *mut u8, _size: usize, _info: *mut ()) {
    // SAFETY: the block holds a head, and nobody holds the block any more.
    unsafe { (*items.cast::<TableHead>()).clear() };
}

/// An empty table with a given capacity: its owner word, 0 if there is no memory for it.
pub extern "C" fn rumba_table_new(entry_size: i64, owners: u64, capacity: i64) -> u64 {
    // SAFETY: the destructor needs nothing but the block.
    let owner = unsafe { allocate_with(size_of::<TableHead>() as u64, drop_table, std::ptr::null_mut()) };
    if owner == 0 {
        return 0;
    }
    // SAFETY: the block is new and large enough, and all zeros are a head.
    unsafe {
        let head = &mut *TableHead::of(owner);
        *head = TableHead { entry_size, owners, ..TableHead::empty(head) };
        if capacity > 0 && !head.rebuild(capacity) {
            rumba_decref(owner);
            return 0;
        }
    }
    owner
}

/// A new entry, whose key and value are to be written: its address, null if there is no memory for it.
///
/// # Safety
/// The table is held, and has no entry with the same key.
pub unsafe extern "C" fn rumba_table_add(head: *mut TableHead, hash: i64) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        let table = &mut *head;
        if table.used == table.capacity || table.filled == table.capacity {
            // So much more that adding takes constant time in the mean, and memory is asked for seldom.
            let ample = if table.len < MANY { 3 * table.len } else { 2 * table.len };
            // Where memory is short an eighth more: each entry that is added to a full table moves all others.
            let scarce = table.len + table.len / 8 + 1;
            if !table.rebuild(ample) && !table.rebuild(scarce) {
                return std::ptr::null_mut();
            }
        }
        let mut at = hash & table.mask;
        while *table.index.add(at as usize) != FREE {
            at = (at + 1) & table.mask;
        }
        let number = table.used;
        *table.index.add(at as usize) = slot(hash, number);
        table.used += 1;
        table.filled += 1;
        table.len += 1;
        table.changed = 1;
        let entry = table.entry(number);
        entry.cast::<i64>().write(hash);
        entry
    }
}

/// Removes an entry and gives up what it holds.
///
/// # Safety
/// The table is held and has this entry, which is not removed.
pub unsafe extern "C" fn rumba_table_remove(head: *mut TableHead, number: i64) {
    // SAFETY: the caller's promise; the slot is found before a free one.
    unsafe {
        let table = &mut *head;
        let entry = table.entry(number);
        let hash = hash_of(entry);
        let wanted = slot(hash, number);
        let mut at = hash & table.mask;
        while *table.index.add(at as usize) != wanted {
            at = (at + 1) & table.mask;
        }
        *table.index.add(at as usize) = REMOVED;
        entry.cast::<i64>().write(TOMBSTONE);
        table.len -= 1;
        table.changed = 1;
        let mut owners = [0u64; 64];
        let mut count = 0;
        let mut mask = table.owners;
        while mask != 0 {
            owners[count] = entry.cast::<u64>().add(mask.trailing_zeros() as usize).read();
            count += 1;
            mask &= mask - 1;
        }
        // Entries that are removed from the end leave nothing behind.
        while table.used > 0 && hash_of(table.entry(table.used - 1)) == TOMBSTONE {
            table.used -= 1;
        }
        // Last, since whoever is released may look at the table.
        owners[..count].iter().for_each(|&owner| rumba_decref(owner));
    }
}

/// Removes everything.
///
/// # Safety
/// The table is held.
pub unsafe extern "C" fn rumba_table_clear(head: *mut TableHead) {
    // SAFETY: the caller's promise.
    unsafe { (*head).clear() };
}

/// The first entry from a number on that is not removed; the number of entries if there is none.
///
/// # Safety
/// The table is held.
pub unsafe extern "C" fn rumba_table_next(head: *mut TableHead, from: i64) -> i64 {
    // SAFETY: the caller's promise.
    unsafe {
        let table = &*head;
        (from..table.used).find(|&number| hash_of(table.entry(number)) != TOMBSTONE).unwrap_or(table.used)
    }
}

/// Makes an empty table of the same kind as large as another one, with the same entries, each owner counted once more.
/// 0 if there is no memory for it.
///
/// # Safety
/// Both tables are held, and the first one is empty.
pub unsafe extern "C" fn rumba_table_copy(to: *mut TableHead, from: *mut TableHead) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let (to, from) = (&mut *to, &*from);
        if from.len == 0 {
            return 1;
        }
        if !to.rebuild(from.len) {
            return 0;
        }
        for entry in from.live() {
            let number = to.used;
            std::ptr::copy_nonoverlapping(entry, to.entry(number), to.entry_size as usize);
            let mut owners = to.owners;
            while owners != 0 {
                refcount::rumba_incref(entry.cast::<u64>().add(owners.trailing_zeros() as usize).read());
                owners &= owners - 1;
            }
            let hash = hash_of(entry);
            let mut at = hash & to.mask;
            while *to.index.add(at as usize) != FREE {
                at = (at + 1) & to.mask;
            }
            *to.index.add(at as usize) = slot(hash, number);
            to.used += 1;
        }
        (to.len, to.filled, to.changed) = (to.used, to.used, 1);
    }
    1
}

/// The number that [`mix`] multiplies by: odd, with bits in no pattern (the golden ratio's).
pub const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A word more of a key goes into a hash. Compiled code does the same.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

/// The hash when all words of a key are in: its lower bits say where to look, and it is not negative. One product alone would let
/// consecutive keys collide in the lower bits.
pub fn finish(hash: u64) -> i64 {
    let mixed = (hash ^ hash >> 32).wrapping_mul(FACTOR);
    ((mixed ^ mixed >> 32) & i64::MAX.cast_unsigned()).cast_signed()
}

/// A word that stands for a string in a hash: equal strings have equal characters of the same width.
///
/// # Safety
/// There are as many characters as `meta` says.
pub unsafe extern "C" fn rumba_table_text(data: *const u8, meta: u64) -> u64 {
    let size = ((meta >> 2) << (meta & 3)) as usize;
    let mut hash = meta;
    // Half of a product's bits is lost where both are added up, so that every bit counts everywhere.
    let mut add = |word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        hash = (product >> 64) as u64 ^ product as u64 ^ word.rotate_left(23);
    };
    // SAFETY: all reads lie inside the string.
    unsafe {
        let word = |at: usize| data.add(at).cast::<u64>().read_unaligned();
        let half = |at: usize| u64::from(data.add(at).cast::<u32>().read_unaligned());
        match size {
            0 => {}
            1..4 => {
                let (first, middle, last) = (*data, *data.add(size / 2), *data.add(size - 1));
                add(u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16);
            }
            4..=8 => add(half(0) | half(size - 4) << 32),
            _ => {
                (0..size - 8).step_by(8).for_each(|at| add(word(at)));
                add(word(size - 8));
            }
        }
    }
    hash
}

/// The next entry of a hash after a slot, or the first one after -1: its number, -1 if there is none, and its slot. The table may
/// have changed since the slot was found: then entries may be missed, but nothing that is not there is read.
pub(crate) unsafe extern "C" fn rumba_table_find_hash(
    head: *const TableHead,
    hash: i64,
    after: i64,
) -> Pair<i64, i64> {
    // SAFETY: compiled code holds the table; a slot is found in its index by the mask.
    unsafe {
        let table = &*head;
        let mut at = (if after < 0 { hash } else { after + 1 }) & table.mask;
        loop {
            let slot = *table.index.add(at as usize);
            if slot == FREE {
                return Pair(-1, at);
            }
            let number = (slot & u64::from(u32::MAX)).cast_signed();
            if (slot ^ hash.cast_unsigned()) >> 32 == 0 && hash_of(table.entry(number)) == hash {
                return Pair(number, at);
            }
            at = (at + 1) & table.mask;
        }
    }
}

/// A string's hash, and the number of its entry, -1 if there is none. (Searches for other keys are compiled where they stand.)
pub(crate) unsafe extern "C" fn rumba_table_find_text(
    head: *const TableHead,
    data: *const u8,
    meta: u64,
) -> Pair<i64, i64> {
    // SAFETY: compiled code holds the table, whose keys are strings, and the string.
    unsafe {
        let table = &*head;
        let size = ((meta >> 2) << (meta & 3)) as usize;
        let hash = (rumba_table_text(data, meta) & i64::MAX.cast_unsigned()).cast_signed();
        let mut at = hash & table.mask;
        loop {
            let slot = *table.index.add(at as usize);
            if (slot ^ hash.cast_unsigned()) >> 32 == 0 {
                let number = slot & u64::from(u32::MAX);
                // An entry begins with the hash; a string is its owner, its characters and what says how many.
                let words = table.entries.add(number as usize * table.entry_size as usize).cast::<u64>();
                let known = words.add(2).read() as *const u8;
                if words.add(3).read() == meta
                    && (size == 0
                        || known == data
                        || std::slice::from_raw_parts(known, size) == std::slice::from_raw_parts(data, size))
                {
                    return Pair(hash, number.cast_signed());
                }
            } else if slot == FREE {
                return Pair(hash, -1);
            }
            at = (at + 1) & table.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe fn find(head: *mut TableHead, key: i64) -> Option<i64> {
        // SAFETY: the tests' tables have entries of a hash and a key.
        unsafe {
            let table = &*head;
            let hash = finish(mix(0, key as u64));
            let mut at = hash & table.mask;
            loop {
                match *table.index.add(at as usize) {
                    FREE => return None,
                    found if found >> 32 == hash as u64 >> 32 => {
                        let number = (found & u64::from(u32::MAX)) as i64;
                        if table.entry(number).cast::<i64>().add(1).read() == key {
                            return Some(number);
                        }
                    }
                    _ => {}
                }
                at = (at + 1) & table.mask;
            }
        }
    }

    #[test]
    fn entries_are_found_until_they_are_removed() {
        let owner = rumba_table_new(16, 0, 0);
        // SAFETY: the table is new.
        unsafe {
            let head = TableHead::of(owner);
            for round in 0..3 {
                for key in 0..1000 {
                    assert_eq!(find(head, key), None);
                    let entry = rumba_table_add(head, finish(mix(0, key as u64)));
                    entry.cast::<i64>().add(1).write(key);
                }
                assert_eq!((*head).len, 1000);
                for key in 0..1000 {
                    let last = (*head).used - 1;
                    rumba_table_remove(head, if round == 1 { last } else { find(head, key).unwrap() });
                }
                assert_eq!(((*head).len, (*head).used), (0, 0));
            }
            assert!((*head).capacity < 5000);
        }
        rumba_decref(owner);
    }

    #[test]
    fn owners_are_given_up_with_the_entry_and_with_the_table() {
        let inner = crate::list::rumba_list_new(8, 0, 0);
        let owner = rumba_table_new(16, 0b10, 4);
        let copy = rumba_table_new(16, 0b10, 0);
        // SAFETY: the tables are new.
        unsafe {
            let head = TableHead::of(owner);
            for key in 0..3 {
                crate::incref(inner);
                rumba_table_add(head, finish(mix(0, key))).cast::<u64>().add(1).write(inner);
            }
            assert_eq!(rumba_table_copy(TableHead::of(copy), head), 1);
            assert_eq!(crate::holders(inner), 7);
            rumba_table_remove(head, 1);
            assert_eq!((rumba_table_next(head, 1), (*head).len), (2, 2));
            rumba_table_clear(TableHead::of(copy));
        }
        assert_eq!(crate::holders(inner), 3);
        rumba_decref(owner);
        assert_eq!(crate::holders(inner), 1);
        rumba_decref(copy);
        rumba_decref(inner);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert_eq!(rumba_table_new(16, 0, i64::MAX), 0);
    }
}
