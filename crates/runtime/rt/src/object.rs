//! Objects of classes: a block with an [`ObjectHead`], the fields, and masks that tell which of their words are owners.
//!
//! Nothing here knows types. An object knows the Python object that stands for it, if there is one, so that it has one identity.

use crate::refcount::{self, ITEMS, SMALL, allocate_small, allocate_with, rumba_decref};
use crate::thread_state::{self, ThreadState};

/// What an object's block begins with.
#[repr(C)]
#[derive(Debug)]
pub struct ObjectHead {
    /// The Python object that stands for it, which holds it, or null. Read and written with the GIL.
    pub shown: *mut (),
    /// Words of its fields, which follow. After them is a mask for every 64 of them: bit n for an owner.
    pub words: u64,
}

/// Where the fields lie in a block's items, as compiled code knows it.
pub const FIELDS: i64 = abi::FIELDS;

const _: () = assert!(FIELDS == size_of::<ObjectHead>() as i64);

/// Bytes of a block's items.
#[must_use]
pub const fn size_of_object(words: u64) -> u64 {
    FIELDS as u64 + 8 * (words + words.div_ceil(64))
}

impl ObjectHead {
    /// The head of the object that an owner word says.
    ///
    /// # Safety
    /// The word is that of an object's block, which somebody holds.
    #[must_use]
    pub unsafe fn of(owner: u64) -> *mut ObjectHead {
        (owner as usize + ITEMS as usize) as *mut ObjectHead
    }
}

/// Address and bytes of what others may read of a block: of an object its fields.
pub fn memory_of(owner: u64) -> (usize, usize) {
    let (items, size) = (refcount::items_of(owner), refcount::size_of(owner));
    if refcount::known_to(owner, drop_object).is_none() {
        return (items, size);
    }
    // SAFETY: the block is one of an object, which whoever has the word holds.
    (items + FIELDS as usize, 8 * unsafe { (*ObjectHead::of(owner)).words } as usize)
}

/// How many blocks are released within each other before the rest waits: a list of a million nodes needs no deep stack.
const DEEPEST: usize = 64;

unsafe extern "C" fn drop_object(items: *mut u8, _size: usize, _info: *mut ()) {
    // SAFETY: the block holds a head, fields and masks, and nobody holds the block any more.
    let words = unsafe { (*items.cast::<ObjectHead>()).words } as usize;
    let fields = items.wrapping_add(FIELDS as usize).cast::<u64>();
    // SAFETY: the same.
    let holds_none = |group: usize| unsafe { fields.add(words + group).read() } == 0;
    if (0..words.div_ceil(64)).all(holds_none) {
        return;
    }
    release_parts(|give_up| {
        for group in 0..words.div_ceil(64) {
            // SAFETY: the same.
            let mut mask = unsafe { fields.add(words + group).read() };
            while mask != 0 {
                // SAFETY: the same.
                give_up(unsafe { fields.add(64 * group + mask.trailing_zeros() as usize).read() });
                mask &= mask - 1;
            }
        }
    });
}

/// Releases what a block that is freed holds: `parts` names the owner words. Behind [`DEEPEST`] blocks within each other they wait.
pub fn release_parts(parts: impl FnOnce(&dyn Fn(u64))) {
    thread_state::with(|state| {
        // While a thread ends there is no list any more.
        let Some(state) = state else { return parts(&|owner| rumba_decref(owner)) };
        let depth = state.depth.get();
        state.depth.set(depth + 1);
        parts(&|owner| match depth < DEEPEST {
            true => rumba_decref(owner),
            false => state.waiting.borrow_mut().push(owner),
        });
        if depth == 0 {
            // What is released meanwhile is nested deeper, so that it does not get here.
            release_waiting(state);
        }
        state.depth.set(depth);
    });
}

fn release_waiting(state: &ThreadState) {
    let next = || state.waiting.borrow_mut().pop();
    while let Some(owner) = next() {
        rumba_decref(owner);
    }
}

/// An object with this many words of fields, all 0; the mask says which of the first 64 are owners. Its owner word, 0 if there is
/// no memory for it.
pub extern "C" fn rumba_object_new(words: u64, owners: u64) -> u64 {
    let size = size_of_object(words);
    // SAFETY: what is not zeroed is written below; the destructor needs nothing but the block.
    unsafe {
        let owner = match allocate_small(size as usize, drop_object) {
            Some(owner) => owner,
            None => allocate_with(size, drop_object, std::ptr::null_mut()),
        };
        if owner == 0 {
            return 0;
        }
        let head = ObjectHead::of(owner);
        if size <= SMALL as u64 {
            zero_words(head.cast::<u64>(), size as usize / 8);
        }
        (*head).words = words;
        if words > 0 {
            head.cast::<u64>().add(FIELDS as usize / 8 + words as usize).write(owners);
        }
        owner
    }
}

/// Zeros a few words, in fewer steps than a call of `memset` takes.
#[inline]
unsafe fn zero_words(first: *mut u64, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise. Were it not volatile, the loop would become that call.
        unsafe { first.add(at).write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_is_given_up_without_a_deep_stack() {
        let first = rumba_object_new(2, 0b10);
        let mut last = first;
        for _ in 0..1_000_000 {
            let next = rumba_object_new(2, 0b10);
            // SAFETY: the object is held by the one before, and has two fields.
            unsafe { ObjectHead::of(last).cast::<u64>().add(3).write(next) };
            last = next;
        }
        crate::refcount::rumba_incref(last);
        rumba_decref(first);
        assert_eq!(crate::holders(last), 1);
        rumba_decref(last);
    }

    #[test]
    fn all_owners_of_a_large_object_are_given_up() {
        let held = rumba_object_new(0, 0);
        let object = rumba_object_new(70, 1);
        // SAFETY: the object has this many fields, and two masks after them.
        unsafe {
            let fields = ObjectHead::of(object).cast::<u64>().add(2);
            fields.write(held);
            fields.add(69).write(held);
            fields.add(71).write(1 << 5);
        }
        crate::refcount::rumba_incref(held);
        crate::refcount::rumba_incref(held);
        rumba_decref(object);
        assert_eq!(crate::holders(held), 1);
        rumba_decref(held);
    }
}
