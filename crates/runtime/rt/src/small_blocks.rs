//! Small blocks, from mimalloc: objects, strings and short lists, whose allocation takes longer than what most loops do with them.
//!
//! Its pages hold blocks of one size and one thread. So a freed block is allocated again in a few instructions, and blocks that are
//! allocated one after the other lie side by side, whatever was freed before.

use libmimalloc_sys::{mi_free, mi_malloc, mi_option_set_default};

/// The largest of them, in bytes.
pub(crate) const LARGEST: usize = 512;

/// The alignment of blocks, as that of mimalloc's.
pub(crate) const ALIGN: usize = 16;

/// The option that says how many KiB of addresses are reserved at a time: a gibibyte, if nothing is said, which a process whose addresses
/// are limited (`RLIMIT_AS`) needs for other things. The crate has no name for it.
const ARENA_RESERVE: i32 = 23;

/// What is reserved instead, in KiB.
const RESERVED: std::ffi::c_long = 16 << 10;

/// Prepares the allocator; called before the first block is allocated.
pub fn configure_allocator() {
    // SAFETY: this sets a number.
    unsafe { mi_option_set_default(ARENA_RESERVE, RESERVED) };
}

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
