//! A cache of freed memory of tables, per thread.
//!
//! A large block comes from the system page by page, and each page costs more than what is put into it. A table that grows asks for
//! the same sizes each time, so what the last one left fits.

use crate::{alloc_stats, refcount};
use std::alloc::{Layout, dealloc};
use std::cell::RefCell;

/// Smaller blocks are kept by the allocator itself, larger ones by nobody.
const KEPT: std::ops::RangeInclusive<usize> = 64 << 10..=8 << 20;

/// Bytes that a thread keeps.
const MAX_BYTES: usize = 24 << 20;

thread_local! {
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare { blocks: Vec::new(), bytes: 0 }) };
}

/// What a thread keeps, the oldest first.
struct Spare {
    blocks: Vec<(*mut u8, usize)>,
    bytes: usize,
}

impl Spare {
    fn take(&mut self, size: usize) -> Option<*mut u8> {
        let at = self.blocks.iter().rposition(|&(_, own)| own == size)?;
        self.bytes -= size;
        Some(self.blocks.remove(at).0)
    }

    fn keep(&mut self, block: *mut u8, size: usize) {
        while self.bytes + size > MAX_BYTES && !self.blocks.is_empty() {
            let (oldest, size) = self.blocks.remove(0);
            self.bytes -= size;
            release(oldest, size);
        }
        self.blocks.push((block, size));
        self.bytes += size;
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        self.blocks.drain(..).for_each(|(block, size)| release(block, size));
    }
}

fn release(block: *mut u8, size: usize) {
    if let Ok(layout) = Layout::from_size_align(size, 16) {
        // SAFETY: nobody else has the block, which was allocated with this layout (`refcount::reallocate`).
        unsafe { dealloc(block, layout) };
    }
}

/// Memory of so many bytes, with anything in it. Null if there is none.
pub(crate) fn allocate(size: usize) -> *mut u8 {
    let kept =
        KEPT.contains(&size).then(|| SPARE.try_with(|spare| spare.borrow_mut().take(size)).ok()).flatten();
    match kept.flatten() {
        Some(block) => {
            alloc_stats::allocated();
            block
        }
        // SAFETY: nothing is moved.
        None => unsafe { refcount::reallocate(std::ptr::null_mut(), 0, size) },
    }
}

/// Gives up what [`allocate`] gave.
///
/// # Safety
/// The memory is of this size, and nobody uses it any more.
pub(crate) unsafe fn free(block: *mut u8, size: usize) {
    let keeps = !block.is_null() && KEPT.contains(&size);
    if keeps && SPARE.try_with(|spare| spare.borrow_mut().keep(block, size)).is_ok() {
        alloc_stats::freed();
    } else {
        // SAFETY: the caller's promise.
        unsafe { refcount::free(block, size) };
    }
}
