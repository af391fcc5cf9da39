//! The layout of values in containers.

use super::keepalive::Keepalive;
use pyo3::prelude::*;
use rt::hash_table::TableHead;
use rt::key_hash::{HashStep, hash_of_words};

/// How the words of a value lie in the memory of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(super) size: usize,
    /// Offset and bytes of each word.
    parts: Box<[(usize, usize)]>,
    /// Which parts are owners.
    owners: Box<[usize]>,
    /// The same as words of memory: bit n for the one at byte 8 n.
    pub(super) mask: u64,
}

impl Layout {
    /// For values of a given size in bytes whose parts each have an offset and a size. Which words of the memory are owners, a mask says:
    /// bit n for the one at byte 8 n.
    pub fn new(size: usize, parts: impl Iterator<Item = (usize, usize)>, mask: u64) -> Layout {
        let parts: Box<[(usize, usize)]> = parts.collect();
        let is_owner = |&part: &usize| {
            let (offset, bytes) = parts[part];
            offset % 8 == 0 && mask >> (offset / 8) & 1 != 0 && bytes == 8
        };
        let owners = (0..parts.len()).filter(is_owner).collect();
        Layout { size, parts, owners, mask }
    }

    /// Bytes of a value, and which words of them are owners.
    pub fn in_memory(&self) -> (i64, u64) {
        (self.size as i64, self.mask)
    }

    /// Whether a value is one word, which is no owner.
    pub(super) fn is_word(&self) -> bool {
        self.parts[..] == [(0, 8)] && self.mask == 0
    }

    /// Copies words into memory.
    pub(super) unsafe fn write(&self, to: *mut u8, words: *const u64) {
        for (index, &(offset, bytes)) in self.parts.iter().enumerate() {
            // SAFETY: the caller provides room for an item, and this many words.
            unsafe { std::ptr::copy_nonoverlapping(words.add(index).cast::<u8>(), to.add(offset), bytes) };
        }
    }

    /// Copies words out of memory, the upper bytes zero.
    pub(super) unsafe fn read(&self, from: *const u8, words: *mut u64) {
        for (index, &(offset, bytes)) in self.parts.iter().enumerate() {
            // SAFETY: as for `write`.
            unsafe {
                words.add(index).write(0);
                std::ptr::copy_nonoverlapping(from.add(offset), words.add(index).cast::<u8>(), bytes);
            }
        }
    }

    /// Counts the owners among words once more.
    pub(super) unsafe fn retain(&self, words: *const u64) {
        for &owner in &self.owners {
            // SAFETY: there are this many words.
            rt::incref(unsafe { *words.add(owner) });
        }
    }

    /// Words of a value.
    pub(super) fn words(&self) -> usize {
        self.parts.len()
    }

    /// Owners that Python lends are held by the keepalive, others counted once more.
    pub(super) unsafe fn count(&self, words: &mut [u64], keepalive: &mut Keepalive<'_>) -> PyResult<()> {
        for &owner in &self.owners {
            match words[owner] {
                // SAFETY: the caller says that what is borrowed is alive.
                borrowed if borrowed & 1 != 0 => words[owner] = unsafe { keepalive.hold(borrowed)? },
                counted => rt::incref(counted),
            }
        }
        Ok(())
    }
}

/// How entries lie in the memory of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries {
    /// How keys lie in memory.
    pub key: Layout,
    /// The same of values.
    pub value: Layout,
    /// The offset of the value in an entry.
    pub value_at: usize,
    /// Bytes of an entry.
    pub size: i64,
    /// Which words of an entry are owners.
    pub owners: u64,
    /// How keys are hashed.
    pub hash: Box<[HashStep]>,
}

/// The offset of a key in an entry: after the hash.
pub(super) const KEY_AT: usize = 8;

impl Entries {
    /// The hash of a key that is an object of Python's and has these words.
    ///
    /// # Safety
    /// The words are of the type of the keys.
    pub unsafe fn hash_of(&self, object: &Bound<'_, PyAny>, key: &[u64]) -> PyResult<i64> {
        let told;
        let words = match *self.hash {
            [HashStep::Object] => {
                told = (object.hash()? as i64).cast_unsigned();
                &raw const told
            }
            _ => key.as_ptr(),
        };
        // SAFETY: the caller's promise, or the one word that an object's hash is.
        Ok(unsafe { hash_of_words(&self.hash, words) })
    }

    /// Puts in a key of this hash that is not there, and its value. Whether there was memory for it.
    ///
    /// # Safety
    /// The words are of these types, and counted for the table.
    pub unsafe fn add(&self, head: *mut TableHead, hash: i64, key: &[u64], value: &[u64]) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let entry = rt::hash_table::rumba_table_add(head, hash);
            if entry.is_null() {
                return false;
            }
            self.key.write(entry.add(KEY_AT), key.as_ptr());
            self.value.write(entry.add(self.value_at), value.as_ptr());
        }
        true
    }
}
