//! Memory functions under Numba's names: `NRT_Allocate`, `NRT_MemInfo_alloc`, `NRT_incref` and others.
//!
//! A *meminfo* is the address of a block of [`crate::refcount`], whose first fields stand as they do in Numba: holders,
//! destructor, what the destructor is given, items, their bytes, allocator. A meminfo of an array that came from Python need be no
//! block; it can be counted all the same.

use crate::object;
use crate::refcount::{self, Destructor, rumba_allocate, rumba_decref, rumba_incref};
use std::ptr;

/// Before plain memory: its bytes, and as much again to keep the alignment.
const HEAD: usize = 16;

/// Plain memory that [`free`] frees; null if there is none.
extern "C" fn allocate(size: usize) -> *mut u8 {
    // SAFETY: a null block grows to a new one.
    unsafe { reallocate(ptr::null_mut(), size) }
}

/// Plain memory with another size, the content kept; null if there is none.
unsafe extern "C" fn reallocate(memory: *mut u8, size: usize) -> *mut u8 {
    let Some(room) = size.checked_add(HEAD) else { return ptr::null_mut() };
    // SAFETY: the caller got the memory from here: its head holds its room.
    unsafe {
        let (old, before) = if memory.is_null() {
            (ptr::null_mut(), 0)
        } else {
            let head = memory.sub(HEAD);
            (head, head.cast::<usize>().read())
        };
        let head = refcount::reallocate(old, before, room);
        if head.is_null() {
            return head;
        }
        head.cast::<usize>().write(room);
        head.add(HEAD)
    }
}

/// Frees plain memory.
unsafe extern "C" fn free(memory: *mut u8) {
    if !memory.is_null() {
        // SAFETY: as for `reallocate`.
        unsafe {
            let head = memory.sub(HEAD);
            refcount::free(head, head.cast::<usize>().read());
        }
    }
}

extern "C" fn block(size: usize) -> u64 {
    rumba_allocate(size as u64, 0)
}

extern "C" fn block_aligned(size: usize, align: u32) -> u64 {
    refcount::allocate_aligned(size, align as usize)
}

unsafe extern "C" fn block_with(size: usize, destructor: Option<Destructor>) -> u64 {
    match destructor {
        // SAFETY: the caller's promise.
        Some(destructor) => unsafe { refcount::allocate_with(size as u64, destructor, ptr::null_mut()) },
        None => block(size),
    }
}

unsafe extern "C" fn block_over(
    data: *mut u8,
    size: usize,
    destructor: Option<Destructor>,
    info: *mut (),
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { refcount::adopt(data, size, destructor, info) }
}

extern "C" fn data(owner: u64) -> usize {
    object::memory_of(owner).0
}

extern "C" fn size(owner: u64) -> usize {
    object::memory_of(owner).1
}

/// Functions that code written in C calls, in the order of `NRT_api_functions` in Numba's `nrt_external.h`.
#[repr(C)]
struct Api {
    allocate: extern "C" fn(usize) -> u64,
    allocate_external: unsafe extern "C" fn(usize, *const ExternalAllocator) -> u64,
    manage_memory: unsafe extern "C" fn(*mut u8, ManagedDestructor) -> u64,
    acquire: extern "C" fn(u64),
    release: extern "C" fn(u64),
    get_data: extern "C" fn(u64) -> usize,
}

/// What gives memory of C's own up.
type ManagedDestructor = unsafe extern "C" fn(*mut u8);

/// An allocator of C: `NRT_ExternalAllocator`.
#[repr(C)]
struct ExternalAllocator {
    malloc: unsafe extern "C" fn(usize, *mut ()) -> *mut u8,
    realloc: unsafe extern "C" fn(*mut u8, usize, *mut ()) -> *mut u8,
    free: unsafe extern "C" fn(*mut u8, *mut ()),
    opaque: *mut (),
}

// SAFETY: the functions of an allocator may be called from any thread.
unsafe impl Sync for ExternalAllocator {}

static API: Api = Api {
    allocate: block,
    allocate_external: block_of_allocator,
    manage_memory: block_of_memory,
    acquire: rumba_incref,
    release: rumba_decref,
    get_data: data,
};

extern "C" fn get_api() -> *const () {
    // C may count without Python's lock.
    refcount::share_counts();
    (&raw const API).cast()
}

unsafe extern "C" fn block_of_allocator(size: usize, allocator: *const ExternalAllocator) -> u64 {
    // SAFETY: the caller passes an allocator that lives as long as its memory, which is given back to it.
    unsafe {
        let memory = ((*allocator).malloc)(size, (*allocator).opaque);
        if memory.is_null() {
            return 0;
        }
        refcount::adopt(memory, size, Some(back_to_allocator), allocator.cast_mut().cast())
    }
}

/// Before items that an allocator's memory is aligned for: that memory, and the allocator.
#[repr(C)]
struct AlignedHead {
    memory: *mut u8,
    allocator: *const ExternalAllocator,
}

unsafe extern "C" fn block_of_allocator_aligned(
    size: usize,
    align: u32,
    allocator: *const ExternalAllocator,
) -> u64 {
    let align = (align as usize).max(align_of::<AlignedHead>());
    let Some(room) = size.checked_add(align + size_of::<AlignedHead>()) else { return 0 };
    // SAFETY: the caller passes an allocator that lives as long as its memory, which is given back to it.
    unsafe {
        let memory = ((*allocator).malloc)(room, (*allocator).opaque);
        if memory.is_null() {
            return 0;
        }
        let first = memory.add(size_of::<AlignedHead>());
        let items = first.add((first as usize).next_multiple_of(align) - first as usize);
        items.cast::<AlignedHead>().sub(1).write_unaligned(AlignedHead { memory, allocator });
        refcount::adopt(items, size, Some(aligned_back_to_allocator), ptr::null_mut())
    }
}

unsafe extern "C" fn aligned_back_to_allocator(items: *mut u8, _size: usize, _: *mut ()) {
    // SAFETY: this is what `block_of_allocator_aligned` stored.
    unsafe {
        let AlignedHead { memory, allocator } = items.cast::<AlignedHead>().sub(1).read_unaligned();
        ((*allocator).free)(memory, (*allocator).opaque);
    }
}

unsafe extern "C" fn sample_malloc(size: usize, _opaque: *mut ()) -> *mut u8 {
    allocate(size)
}

unsafe extern "C" fn sample_realloc(memory: *mut u8, size: usize, _opaque: *mut ()) -> *mut u8 {
    // SAFETY: the memory is the sample's.
    unsafe { reallocate(memory, size) }
}

unsafe extern "C" fn sample_free(memory: *mut u8, _opaque: *mut ()) {
    // SAFETY: the memory is the sample's.
    unsafe { free(memory) }
}

/// An allocator of C as extensions write one, over plain memory.
extern "C" fn sample_allocator() -> *const () {
    static SAMPLE: ExternalAllocator = ExternalAllocator {
        malloc: sample_malloc,
        realloc: sample_realloc,
        free: sample_free,
        opaque: ptr::null_mut(),
    };
    (&raw const SAMPLE).cast()
}

unsafe extern "C" fn back_to_allocator(memory: *mut u8, _size: usize, allocator: *mut ()) {
    // SAFETY: this is what `block_of_allocator` stored.
    unsafe {
        let allocator = allocator.cast::<ExternalAllocator>();
        ((*allocator).free)(memory, (*allocator).opaque);
    }
}

unsafe extern "C" fn block_of_memory(memory: *mut u8, destructor: ManagedDestructor) -> u64 {
    // SAFETY: the caller passes memory and the function that gives it up.
    unsafe { refcount::adopt(memory, 0, Some(by_destructor), destructor as *mut ()) }
}

unsafe extern "C" fn by_destructor(memory: *mut u8, _size: usize, destructor: *mut ()) {
    // SAFETY: this is what `block_of_memory` stored.
    unsafe { std::mem::transmute::<*mut (), ManagedDestructor>(destructor)(memory) }
}

/// The functions by which code of C allocates and counts, by the names that `c_helpers` has for them.
pub fn c_helpers() -> Vec<(&'static str, usize)> {
    symbols().into_iter().filter_map(|(name, address)| Some((name.strip_prefix("NRT_")?, address))).collect()
}

/// Holders as Numba counts them: -1 (as a word) of what is no block.
extern "C" fn holders(owner: u64) -> usize {
    if refcount::is_block(owner) { refcount::holders(owner) } else { usize::MAX }
}

pub(crate) fn symbols() -> Vec<crate::Symbol> {
    macro_rules! list {
        ($($name:literal $function:path;)*) => { vec![$(($name, $function as *const () as usize)),*] };
    }
    list! {
        "NRT_Allocate" allocate;
        "NRT_Reallocate" reallocate;
        "NRT_Free" free;
        "NRT_MemInfo_alloc" block;
        "NRT_MemInfo_alloc_safe" block;
        "NRT_MemInfo_alloc_aligned" block_aligned;
        "NRT_MemInfo_alloc_safe_aligned" block_aligned;
        "NRT_MemInfo_alloc_external" block_of_allocator;
        "NRT_MemInfo_alloc_safe_aligned_external" block_of_allocator_aligned;
        "_nrt_get_sample_external_allocator" sample_allocator;
        "NRT_MemInfo_alloc_dtor" block_with;
        "NRT_MemInfo_alloc_dtor_safe" block_with;
        "NRT_MemInfo_new" block_over;
        "NRT_MemInfo_data" data;
        "NRT_MemInfo_data_fast" data;
        "NRT_MemInfo_size" size;
        "NRT_MemInfo_refcount" holders;
        "NRT_MemInfo_acquire" rumba_incref;
        "NRT_MemInfo_release" rumba_decref;
        "NRT_incref" rumba_incref;
        "NRT_decref" rumba_decref;
        "NRT_get_api" get_api;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc_stats::allocation_counts;

    #[test]
    fn plain_memory_grows_and_is_freed() {
        let before = allocation_counts();
        let memory = allocate(8);
        // SAFETY: the memory has the bytes that were asked for.
        unsafe {
            memory.cast::<u64>().write(42);
            let memory = reallocate(memory, 4096);
            assert_eq!(memory as usize % 16, 0);
            assert_eq!(memory.cast::<u64>().read(), 42);
            free(memory);
            free(ptr::null_mut());
        }
        assert!(allocation_counts().1 > before.1);
        assert!(allocate(usize::MAX).is_null());
    }

    #[test]
    fn items_are_aligned_as_asked() {
        for align in [1, 32, 64, 128, 4096] {
            let owner = block_aligned(100, align);
            assert_eq!(data(owner) % align as usize, 0);
            assert_eq!((size(owner), holders(owner)), (100, 1));
            rumba_decref(owner);
        }
        assert_eq!(block_aligned(usize::MAX - 10, 128), 0);
        assert_eq!((data(4097), size(4097), holders(4097)), (0, 0, usize::MAX));
    }

    #[test]
    fn an_allocators_memory_is_aligned_and_given_back() {
        let before = allocation_counts();
        for align in [1, 32, 64, 4096] {
            // SAFETY: the sample lives forever.
            let owner = unsafe { block_of_allocator_aligned(100, align, sample_allocator().cast()) };
            assert_eq!(data(owner) % align as usize, 0);
            assert_eq!((size(owner), holders(owner)), (100, 1));
            rumba_decref(owner);
        }
        // SAFETY: the same.
        assert_eq!(unsafe { block_of_allocator_aligned(usize::MAX - 10, 64, sample_allocator().cast()) }, 0);
        assert!(allocation_counts().1 > before.1);
    }

    #[test]
    fn the_last_holder_calls_the_destructor() {
        unsafe extern "C" fn note(items: *mut u8, size: usize, info: *mut ()) {
            // SAFETY: the test gives a word.
            unsafe { *info.cast::<usize>() = *items as usize + size };
        }
        let (mut item, mut seen) = (7u8, 0usize);
        // SAFETY: item and word outlive the block.
        let owner = unsafe { block_over(&mut item, 1000, Some(note), (&raw mut seen).cast()) };
        rumba_incref(owner);
        assert_eq!((data(owner), size(owner), holders(owner)), (&raw const item as usize, 1000, 2));
        rumba_decref(owner);
        rumba_decref(owner);
        assert_eq!(seen, 1007);
    }
}
