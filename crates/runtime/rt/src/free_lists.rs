//! Lists of freed small blocks, for each thread and size class: what is freed is allocated again without the allocator.
//!
//! Objects, strings and short lists are small, and the system's allocator merges them with their neighbours when they are freed, which takes longer
//! than what most loops do with them.

use crate::thread_state::ThreadState;
use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::null_mut;

/// Bytes by which the size classes differ.
const STEP: usize = 16;

/// The largest block that is kept, in bytes.
pub(crate) const LARGEST: usize = 512;

/// Bytes that are kept at most, for each thread.
const MOST_BYTES: usize = 4 << 20;

/// The alignment of blocks: the one that the fast ways of the allocator have. Fresh memory of the system is zero without being written.
pub(crate) const ALIGN: usize = 16;

/// The lists of a thread.
pub(crate) struct FreeLists {
    /// Of each size class the block that was freed last; its first word is the address of the one before.
    first: [Cell<*mut u8>; LARGEST / STEP],
    bytes: Cell<usize>,
}

impl Default for FreeLists {
    fn default() -> FreeLists {
        FreeLists { first: [const { Cell::new(null_mut()) }; LARGEST / STEP], bytes: Cell::new(0) }
    }
}

impl Drop for FreeLists {
    fn drop(&mut self) {
        for class in 0..LARGEST / STEP {
            while let Some(block) = self.take(class) {
                release(block, (class + 1) * STEP);
            }
        }
    }
}

impl FreeLists {
    fn take(&self, class: usize) -> Option<*mut u8> {
        let block = self.first[class].get();
        if block.is_null() {
            return None;
        }
        // SAFETY: a block in the list is ours, and begins with the address of the next one.
        self.first[class].set(unsafe { block.cast::<*mut u8>().read() });
        self.bytes.set(self.bytes.get() - (class + 1) * STEP);
        Some(block)
    }

    /// Whether there is room for one more block.
    fn keep(&self, block: *mut u8, class: usize) -> bool {
        let bytes = self.bytes.get() + (class + 1) * STEP;
        if bytes > MOST_BYTES {
            return false;
        }
        // SAFETY: nobody uses the block any more, which has room for a word.
        unsafe { block.cast::<*mut u8>().write(self.first[class].get()) };
        self.first[class].set(block);
        self.bytes.set(bytes);
        true
    }
}

/// The number of the size class, and its bytes.
fn class(size: usize) -> (usize, usize) {
    let class = size.max(1).div_ceil(STEP);
    (class - 1, class * STEP)
}

/// The layout of a block of this size.
pub(crate) fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGN).ok()
}

/// Gives a block of this size back to the allocator.
pub(crate) fn release(block: *mut u8, size: usize) {
    if let Some(layout) = layout(size) {
        // SAFETY: nobody else has the block, which was allocated with this layout.
        unsafe { dealloc(block, layout) };
    }
}

/// A block of at least this size, of [`LARGEST`] bytes at most, with anything in it. Null if there is no memory.
#[inline]
pub(crate) fn allocate(state: Option<&ThreadState>, size: usize) -> *mut u8 {
    let (class, size) = class(size);
    // While a thread ends there are no lists any more.
    if let Some(block) = state.and_then(|state| state.free_lists.take(class)) {
        return block;
    }
    // SAFETY: the layout is not empty.
    layout(size).map_or(null_mut(), |layout| unsafe { alloc(layout) })
}

/// Gives up what [`allocate`] gave for this size.
///
/// # Safety
/// Nobody uses the block any more.
#[inline]
pub(crate) unsafe fn free(state: Option<&ThreadState>, block: *mut u8, size: usize) {
    let (class, size) = class(size);
    if !state.is_some_and(|state| state.free_lists.keep(block, class)) {
        release(block, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_is_the_next_of_its_class() {
        let state = ThreadState::default();
        let state = Some(&state);
        let block = allocate(state, 100);
        let other = allocate(state, 100);
        // SAFETY: the blocks are of this size, and nobody uses them.
        unsafe {
            free(state, other, 100);
            free(state, block, 100);
            assert_eq!(allocate(state, 112), block);
            assert_eq!(allocate(state, 97), other);
            free(state, block, 112);
            free(state, other, 97);
        }
    }

    #[test]
    fn a_list_is_bounded() {
        let state = ThreadState::default();
        let blocks: Vec<*mut u8> = (0..10_000).map(|_| allocate(Some(&state), LARGEST)).collect();
        // SAFETY: as above.
        blocks.into_iter().for_each(|block| unsafe { free(Some(&state), block, LARGEST) });
        assert_eq!(state.free_lists.bytes.get(), MOST_BYTES);
    }
}
