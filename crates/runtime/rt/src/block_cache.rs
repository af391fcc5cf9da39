//! A cache of freed large blocks, shared by all threads: arrays and tables.
//!
//! The system gives a large block page by page, and each page costs more than what is put into it: fresh memory for 10^6
//! doubles takes three times as long as adding to them. What calls or iterations allocate has the same sizes each time, so the block
//! that the last one freed fits. glibc gives freed memory back as soon as two such blocks are free.
//!
//! Where a block does come from the system, huge pages are asked for, as NumPy does.

use crate::small_blocks::{self, ALIGN};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ops::RangeInclusive;
use std::sync::Mutex;

/// Smaller blocks are kept by the allocator itself. Larger ones are kept by nobody: glibc has the same limit.
const KEPT: RangeInclusive<usize> = 64 << 10..=32 << 20;

/// Bytes that are kept in all: what glibc keeps at most at the end of its heap.
const MAX_BYTES: usize = 64 << 20;

/// Blocks that are kept in all, so that looking for one is short.
const MAX_BLOCKS: usize = 64;

/// From this size on huge pages are asked for.
const HUGE: usize = 4 << 20;

/// Never waited for: whoever finds it locked asks the allocator. So the child of a fork is safe, too.
static SPARE: Mutex<Spare> = Mutex::new(Spare { blocks: Vec::new(), bytes: 0 });

/// What is kept, the oldest first.
struct Spare {
    blocks: Vec<(Block, usize)>,
    bytes: usize,
}

struct Block(*mut u8);

// SAFETY: whoever takes a block is the only one that has it.
unsafe impl Send for Block {}

impl Spare {
    fn take(&mut self, size: usize) -> Option<*mut u8> {
        let at = self.blocks.iter().rposition(|&(_, own)| own == size)?;
        self.bytes -= size;
        Some(self.blocks.remove(at).0.0)
    }

    fn keep(&mut self, block: *mut u8, size: usize) {
        while self.bytes + size > MAX_BYTES || self.blocks.len() >= MAX_BLOCKS {
            let (oldest, size) = self.blocks.remove(0);
            self.bytes -= size;
            release(oldest.0, size);
        }
        self.blocks.push((Block(block), size));
        self.bytes += size;
    }

    fn clear(&mut self) {
        self.blocks.drain(..).for_each(|(block, size)| release(block.0, size));
        self.bytes = 0;
    }
}

/// The layout of a block of this size.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGN).ok()
}

/// Gives a block of this size back to the allocator.
fn release(block: *mut u8, size: usize) {
    if let Some(layout) = layout(size) {
        // SAFETY: nobody else has the block, which was allocated with this layout.
        unsafe { dealloc(block, layout) };
    }
}

/// Allocates memory of a given size in bytes, zeroed or uninitialized. Null if that fails.
pub(crate) fn allocate(size: usize, zeroed: bool) -> *mut u8 {
    if size <= small_blocks::LARGEST {
        let block = small_blocks::allocate(size);
        if zeroed && !block.is_null() {
            // SAFETY: the block has this size and is ours.
            unsafe { block.write_bytes(0, size) };
        }
        return block;
    }
    let kept = match KEPT.contains(&size) {
        true => SPARE.try_lock().ok().and_then(|mut spare| spare.take(size)),
        false => None,
    };
    if let Some(block) = kept {
        if zeroed {
            // SAFETY: the block has this size and is ours.
            unsafe { block.write_bytes(0, size) };
        }
        return block;
    }
    let Some(layout) = layout(size) else { return std::ptr::null_mut() };
    // SAFETY: the layout is not empty.
    let new = || unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } };
    let mut block = new();
    if block.is_null() {
        // What is kept may be what is missing.
        SPARE.try_lock().into_iter().for_each(|mut spare| spare.clear());
        block = new();
    }
    if !block.is_null() && size >= HUGE {
        ask_for_huge_pages(block, size);
    }
    block
}

/// Gives up what [`allocate`] gave.
///
/// # Safety
/// The memory is of this size, and nobody uses it any more.
pub(crate) unsafe fn free(block: *mut u8, size: usize) {
    if block.is_null() {
        return;
    }
    if size <= small_blocks::LARGEST {
        // SAFETY: the caller's promise.
        return unsafe { small_blocks::free(block) };
    }
    match KEPT.contains(&size).then(|| SPARE.try_lock()) {
        Some(Ok(mut spare)) => spare.keep(block, size),
        _ => release(block, size),
    }
}

/// Says that memory is used as a whole.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(block: *mut u8, size: usize) {
    const PAGE: usize = 4096;
    let skipped = block.align_offset(PAGE);
    // SAFETY: the range is in memory that we own. It does not matter if the system refuses.
    unsafe {
        let first = block.wrapping_add(skipped).cast::<libc::c_void>();
        libc::madvise(first, (size - skipped) & !(PAGE - 1), libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size that no other test has.
    const SIZE: usize = (5 << 20) + 16;

    #[test]
    fn a_freed_block_is_used_again_and_zero_where_that_is_asked() {
        let first = allocate(SIZE, false);
        // SAFETY: the block is ours, and has this size.
        unsafe {
            first.write_bytes(7, SIZE);
            free(first, SIZE);
            let again = allocate(SIZE, true);
            assert!(std::slice::from_raw_parts(again, SIZE).iter().all(|&byte| byte == 0));
            free(again, SIZE);
        }
    }

    #[test]
    fn what_is_kept_is_limited() {
        let mut spare = Spare { blocks: Vec::new(), bytes: 0 };
        let new = |size| {
            // SAFETY: the layout is not empty.
            unsafe { alloc(layout(size).expect("the size is small")) }
        };
        (0..3 * MAX_BLOCKS).for_each(|_| spare.keep(new(*KEPT.start()), *KEPT.start()));
        assert_eq!((spare.blocks.len(), spare.bytes), (MAX_BLOCKS, MAX_BLOCKS * KEPT.start()));
        (0..3).for_each(|_| spare.keep(new(*KEPT.end()), *KEPT.end()));
        assert_eq!((spare.blocks.len(), spare.bytes), (2, 2 * KEPT.end()));
        let newest = spare.blocks[1].0.0;
        assert_eq!(spare.take(*KEPT.end()), Some(newest));
        assert_eq!(spare.take(1 << 20), None);
        spare.keep(newest, *KEPT.end());
        spare.clear();
        assert_eq!((spare.blocks.len(), spare.bytes), (0, 0));
    }

    #[test]
    fn absurd_sizes_have_no_memory() {
        assert!(allocate(usize::MAX, false).is_null());
        assert!(allocate(isize::MAX as usize - 64, true).is_null());
    }
}
