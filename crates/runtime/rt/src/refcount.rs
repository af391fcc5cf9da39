//! Reference-counted blocks of memory.
//!
//! A block begins with a [`MemInfo`], in the order of fields that extensions of Numba know, and its
//! items follow, aligned for vector loads. Compiled code holds blocks by *owner* words: 0 holds nothing, an even
//! word is the address of a block, an odd word that of a Python object which somebody else keeps alive, or, with [`COUNTED`]
//! in it, one whose own references are counted.

pub use abi::ITEMS;

use crate::{alloc_stats, block_cache, small_blocks};
use std::alloc::{Layout, alloc, dealloc};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

/// Before the items of a block.
#[repr(C)]
#[derive(Debug)]
pub struct MemInfo {
    /// Number of holders.
    count: AtomicUsize,
    /// Called before the block is freed.
    destructor: Option<Destructor>,
    /// For the destructor.
    destructor_info: *mut (),
    /// The items.
    data: *mut u8,
    /// Bytes of the items.
    size: usize,
    /// Who allocated it: null for this module.
    allocator: *const (),
    /// What the allocator gave: the block is the first aligned address after it.
    given: *mut u8,
    /// Bytes that were asked of the allocator.
    bytes: usize,
}

/// What is called before a block is freed: with its items, their bytes, and what it was given to know.
pub type Destructor = unsafe extern "C" fn(items: *mut u8, size: usize, info: *mut ());

/// Where items begin in a block, and how a block is aligned: a line of the cache.
const HEAD: usize = ITEMS as usize;

/// Bytes of the items of a small block at most.
pub(crate) const SMALL: usize = small_blocks::LARGEST - HEAD;

/// Bytes that are asked of the allocator: with room to align the block.
fn bytes_for(size: usize) -> Option<usize> {
    size.checked_add(HEAD)?.checked_add(HEAD - small_blocks::ALIGN)
}

/// A block with one holder: its owner word, 0 if there is no memory for it.
pub extern "C" fn rumba_allocate(size: u64, zeroed: u64) -> u64 {
    let Some(bytes) = usize::try_from(size).ok().and_then(bytes_for) else { return 0 };
    let given = block_cache::allocate(bytes, zeroed != 0);
    if given.is_null() {
        return 0;
    }
    // SAFETY: the head fits what was allocated.
    unsafe {
        let block = given.add(given.align_offset(HEAD));
        begin_block(block, given, bytes, size as usize, None);
        alloc_stats::allocated();
        block as u64
    }
}

/// Writes the head of a block with one holder, in memory of so many bytes that the allocator gave.
#[inline]
unsafe fn begin_block(
    block: *mut u8,
    given: *mut u8,
    bytes: usize,
    size: usize,
    destructor: Option<Destructor>,
) {
    // SAFETY: the caller's memory has room for the head.
    unsafe {
        block.cast::<MemInfo>().write(MemInfo {
            count: AtomicUsize::new(1),
            destructor,
            destructor_info: std::ptr::null_mut(),
            data: block.add(HEAD),
            size,
            allocator: std::ptr::null(),
            given,
            bytes,
        });
    }
}

/// A small block with one holder and anything in its items, which are aligned for words alone: its owner word, 0 if there is no
/// memory for it. Nothing if it is not small.
///
/// # Safety
/// As for [`allocate_with`]; the caller writes the items before others know the block.
#[inline]
pub(crate) unsafe fn allocate_small(size: usize, destructor: Destructor) -> Option<u64> {
    if size > SMALL {
        return None;
    }
    let bytes = HEAD + size;
    let block = small_blocks::allocate(bytes);
    if block.is_null() {
        return Some(0);
    }
    // SAFETY: the block is of this size and ours.
    unsafe { begin_block(block, block, bytes, size, Some(destructor)) };
    alloc_stats::allocated();
    Some(block as u64)
}

/// A block with one holder that calls a destructor before it is freed: its owner word, 0 if there is no memory for it.
///
/// # Safety
/// The destructor may be called with `info` on any thread, once.
pub unsafe fn allocate_with(size: u64, destructor: Destructor, info: *mut ()) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { with_destructor(rumba_allocate(size, 1), destructor, info) }
}

/// The same with anything in the items, which the caller writes before others know the block.
///
/// # Safety
/// As for [`allocate_with`].
pub unsafe fn allocate_unwritten(size: u64, destructor: Destructor) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { with_destructor(rumba_allocate(size, 0), destructor, std::ptr::null_mut()) }
}

/// Gives a new block a destructor.
unsafe fn with_destructor(owner: u64, destructor: Destructor, info: *mut ()) -> u64 {
    if let Some(block) = block(owner) {
        // SAFETY: nobody else knows the block yet.
        unsafe {
            (*block).destructor = Some(destructor);
            (*block).destructor_info = info;
        }
    }
    owner
}

/// A block of zeros with one holder for the frame of a generator, whose code says how it is given up.
pub(crate) extern "C" fn rumba_allocate_frame(size: u64, destructor: *const u8) -> u64 {
    // SAFETY: compiled code gives the address of a function with this signature, which lives as long as the frame.
    unsafe {
        let destructor = std::mem::transmute::<*const u8, Destructor>(destructor);
        allocate_with(size, destructor, std::ptr::null_mut())
    }
}

/// Memory of a block that may be moved to grow, counted as blocks are. Null if there is none.
pub(crate) unsafe fn reallocate(old: *mut u8, old_size: usize, size: usize) -> *mut u8 {
    let fits = |size: usize| Layout::from_size_align(size.max(1), 16).ok();
    let (Some(before), Some(after)) = (fits(old_size), fits(size)) else { return std::ptr::null_mut() };
    // SAFETY: the caller got `old` from here with that size.
    unsafe {
        if old.is_null() {
            let new = alloc(after);
            if !new.is_null() {
                alloc_stats::allocated();
            }
            new
        } else {
            std::alloc::realloc(old, before, after.size())
        }
    }
}

/// Frees what [`reallocate`] gave.
pub(crate) unsafe fn free(memory: *mut u8, size: usize) {
    if let (false, Ok(layout)) = (memory.is_null(), Layout::from_size_align(size.max(1), 16)) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(memory, layout) };
        alloc_stats::freed();
    }
}

/// Copies bytes, which may overlap.
pub(crate) extern "C" fn rumba_move(to: *mut u8, from: *const u8, size: u64) {
    // SAFETY: compiled code asks for records that lie in arrays.
    unsafe { std::ptr::copy(from, to, size as usize) }
}

/// The lowest bits of the owner word of a Python object whose references are counted.
pub const COUNTED: u64 = 0b101;

/// How references of a Python object are counted, by its address: one more, one less.
pub type CountObject = unsafe extern "C" fn(object: usize);

/// Who counts them: whoever knows Python sets both before there is such a word.
static RETAIN_OBJECT: AtomicUsize = AtomicUsize::new(0);
static RELEASE_OBJECT: AtomicUsize = AtomicUsize::new(0);

/// Says how references of Python objects are counted. The functions may be called on any thread.
pub fn count_objects_with(retain: CountObject, release: CountObject) {
    RETAIN_OBJECT.store(retain as usize, Ordering::Relaxed);
    RELEASE_OBJECT.store(release as usize, Ordering::Relaxed);
}

/// Counts a reference of the Python object of an owner word, if it is one.
#[inline]
fn count_object(owner: u64, by: &AtomicUsize) {
    let counter = by.load(Ordering::Relaxed);
    if owner & COUNTED == COUNTED && counter != 0 {
        // SAFETY: only functions of this type are stored, and whoever has the word holds the object.
        unsafe { std::mem::transmute::<usize, CountObject>(counter)((owner & !0b111) as usize) };
    }
}

/// Whether code may count without Python's lock.
pub fn is_shared() -> bool {
    IS_SHARED.load(Ordering::Relaxed)
}

/// The block of an owner word that counts.
fn block(owner: u64) -> Option<*mut MemInfo> {
    (owner != 0 && owner & 1 == 0).then_some(owner as usize as *mut MemInfo)
}

/// Whether several threads may count at once. An atomic change of a count takes as long as twenty instructions, so as long as all that
/// count hold Python's lock, they do so without.
static IS_SHARED: AtomicBool = AtomicBool::new(true);

/// Says that whoever counts holds Python's lock, until [`share_counts`].
pub fn count_under_gil() {
    IS_SHARED.store(false, Ordering::Relaxed);
}

/// Says that from now on code may count without Python's lock: called before it is given up, or a function handed to C. There is
/// no way back.
pub fn share_counts() {
    if !IS_SHARED.load(Ordering::Relaxed) {
        IS_SHARED.store(true, Ordering::SeqCst);
    }
}

/// Changes a count, by wrapping addition: what it was.
#[inline]
fn change(count: &AtomicUsize, by: usize, order: Ordering) -> usize {
    if IS_SHARED.load(Ordering::Relaxed) {
        return count.fetch_add(by, order);
    }
    let before = count.load(Ordering::Relaxed);
    count.store(before.wrapping_add(by), Ordering::Relaxed);
    before
}

/// One holder more.
pub extern "C" fn rumba_incref(owner: u64) {
    if let Some(block) = block(owner) {
        // SAFETY: whoever has the word holds the block.
        unsafe { change(&(*block).count, 1, Ordering::Relaxed) };
    } else {
        count_object(owner, &RETAIN_OBJECT);
    }
}

/// So many holders more.
pub(crate) fn retain_many(owner: u64, count: usize) {
    if let Some(block) = block(owner).filter(|_| count > 0) {
        // SAFETY: whoever has the word holds the block.
        unsafe { change(&(*block).count, count, Ordering::Relaxed) };
    } else {
        (0..count).for_each(|_| count_object(owner, &RETAIN_OBJECT));
    }
}

/// One holder less; the last one frees the block.
pub extern "C" fn rumba_decref(owner: u64) {
    let Some(block) = block(owner) else { return count_object(owner, &RELEASE_OBJECT) };
    // SAFETY: whoever has the word holds the block, and gives that up now.
    unsafe {
        // The only holder need not tell others: nobody else can come by the block.
        if (*block).count.load(Ordering::Acquire) != 1 {
            if change(&(*block).count, usize::MAX, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        if let Some(destructor) = (*block).destructor {
            destructor((*block).data, (*block).size, (*block).destructor_info);
        }
        block_cache::free((*block).given, (*block).bytes);
    }
    alloc_stats::freed();
}

/// A block with one holder whose items are elsewhere: its owner word, 0 if there is no memory for it.
///
/// # Safety
/// The destructor, if there is one, may be called with these on any thread, once.
pub unsafe fn adopt(data: *mut u8, size: usize, destructor: Option<Destructor>, info: *mut ()) -> u64 {
    let owner = rumba_allocate(0, 0);
    if let Some(block) = block(owner) {
        // SAFETY: nobody else knows the block yet.
        unsafe {
            (*block).data = data;
            (*block).size = size;
            (*block).destructor = destructor;
            (*block).destructor_info = info;
        }
    }
    owner
}

/// A block with one holder whose items are aligned so: its owner word, 0 if there is no memory for it.
pub(crate) fn allocate_aligned(size: usize, align: usize) -> u64 {
    if align <= HEAD {
        return rumba_allocate(size as u64, 0);
    }
    let Some(room) = size.checked_add(align) else { return 0 };
    let owner = rumba_allocate(room as u64, 0);
    if let Some(block) = block(owner) {
        // SAFETY: nobody else knows the block yet; the first aligned address is in the space that was added.
        unsafe {
            (*block).data = (*block).data.add((*block).data.align_offset(align));
            (*block).size = size;
        }
    }
    owner
}

/// Whether an owner word is that of a block.
pub(crate) fn is_block(owner: u64) -> bool {
    block(owner).is_some()
}

/// Says that only the first bytes of a block are used, and others may be taken by [`extend`].
pub(crate) fn set_used_size(owner: u64, used: usize) {
    if let Some(block) = block(owner) {
        // SAFETY: the block is new; without a destructor there is nothing that this word is for.
        unsafe { (*block).destructor_info = used as *mut () };
    }
}

/// How a block can become longer.
#[derive(PartialEq, Debug)]
pub(crate) enum ZeroInit {
    /// The bytes after what is used are the caller's now.
    Taken,
    /// There is none.
    Full,
    /// The block was made to have none.
    None,
}

/// Takes `more` bytes of a block, where those before `end` are all that are used.
///
/// # Safety
/// Somebody holds the block.
pub(crate) unsafe fn extend(owner: u64, end: *const u8, more: usize) -> ZeroInit {
    let Some(block) = block(owner) else { return ZeroInit::None };
    // SAFETY: the caller's promise; all that change this word do so as an atomic one.
    unsafe {
        if (*block).destructor.is_some() || (end as usize) < (*block).data as usize {
            return ZeroInit::None;
        }
        let used = AtomicUsize::from_ptr((&raw mut (*block).destructor_info).cast::<usize>());
        let at = end as usize - (*block).data as usize;
        let before = used.load(Ordering::Relaxed);
        if before == 0 {
            return if at == (*block).size { ZeroInit::Full } else { ZeroInit::None };
        }
        if before != at {
            return ZeroInit::None;
        }
        if at + more > (*block).size {
            return ZeroInit::Full;
        }
        let taken = used.compare_exchange(at, at + more, Ordering::Relaxed, Ordering::Relaxed);
        if taken.is_ok() { ZeroInit::Taken } else { ZeroInit::None }
    }
}

/// How many hold the block; 0 of a word that does not count.
pub fn holders(owner: u64) -> usize {
    // SAFETY: whoever has the word holds the block.
    block(owner).map_or(0, |block| unsafe { (*block).count.load(Ordering::Relaxed) })
}

/// What the block's destructor was given to know, if it is this one.
pub fn known_to(owner: u64, destructor: Destructor) -> Option<*mut ()> {
    // SAFETY: whoever has the word holds the block.
    let (own, info) = block(owner).map(|block| unsafe { ((*block).destructor, (*block).destructor_info) })?;
    own.is_some_and(|own| std::ptr::fn_addr_eq(own, destructor)).then_some(info)
}

/// Has a block call another destructor, for which `info` makes something of the one before and of what that was given to know.
///
/// # Safety
/// As for [`adopt`]; the caller holds the block, and no other thread does the same.
pub unsafe fn replace_destructor(
    owner: u64,
    destructor: Destructor,
    info: impl FnOnce(Option<Destructor>, *mut ()) -> *mut (),
) {
    if let Some(block) = block(owner) {
        // SAFETY: the caller's promise.
        unsafe {
            (*block).destructor_info = info((*block).destructor, (*block).destructor_info);
            (*block).destructor = Some(destructor);
        }
    }
}

/// Address of the block's items; 0 of a word that does not count.
pub fn items_of(owner: u64) -> usize {
    // SAFETY: whoever has the word holds the block.
    block(owner).map_or(0, |block| unsafe { (*block).data as usize })
}

/// Bytes of the block's items.
pub fn size_of(owner: u64) -> usize {
    // SAFETY: whoever has the word holds the block.
    block(owner).map_or(0, |block| unsafe { (*block).size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc_stats::allocation_counts;

    #[test]
    fn the_last_holder_frees() {
        let owner = rumba_allocate(100, 1);
        let data = owner as usize + ITEMS as usize;
        assert_eq!(data % 64, 0);
        // SAFETY: the block has 100 bytes of items.
        let items = unsafe { std::slice::from_raw_parts(data as *const u8, 100) };
        assert!(items.iter().all(|&item| item == 0));
        rumba_incref(owner);
        let before = allocation_counts().1;
        rumba_decref(owner);
        rumba_decref(owner);
        assert!(allocation_counts().1 > before);
    }

    #[test]
    fn absurd_sizes_and_words_that_do_not_count_are_harmless() {
        assert_eq!(rumba_allocate(u64::MAX, 0), 0);
        assert_eq!(rumba_allocate(i64::MAX as u64 - 10, 0), 0);
        rumba_incref(0);
        rumba_decref(0);
        rumba_decref(4097);
    }
}
