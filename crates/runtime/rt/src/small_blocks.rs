//! Small blocks, from mimalloc: objects, strings and short lists, whose allocation takes longer than what most loops do with them.
//!
//! Its pages hold blocks of one size and one thread. So a freed block is allocated again in a few instructions, and blocks that are
//! allocated one after the other lie side by side, whatever was freed before.

use libmimalloc_sys::{mi_free, mi_malloc};

/// The largest of them, in bytes.
pub(crate) const LARGEST: usize = 512;

/// The alignment of blocks, as that of mimalloc's.
pub(crate) const ALIGN: usize = 16;

/// A block of this size, with anything in it. Null if there is no memory.
#[inline]
pub(crate) fn allocate(size: usize) -> *mut u8 {
    // SAFETY: any size may be asked for.
    unsafe { mi_malloc(size).cast() }
}

/// Gives up what [`allocate`] gave.
///
/// # Safety
/// Nobody uses the block any more.
#[inline]
pub(crate) unsafe fn free(block: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { mi_free(block.cast()) }
}
