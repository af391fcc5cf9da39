//! Thread-local state: the thread limit of its regions, their chunk size, and the thread's id in a region.

use abi::{Linked, Runtime, linked};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads of the process at most; 0 before somebody has said.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A thread's settings.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// Threads that a region may use; 0 for all.
    limit: usize,
    /// Iterations of a chunk; 0 leaves it open.
    chunk_size: i64,
    /// Which of the region's threads this is.
    id: usize,
    /// Whether it runs a region's chunks.
    is_in_region: bool,
}

thread_local! {
    static SETTINGS: Cell<Settings> =
        const { Cell::new(Settings { limit: 0, chunk_size: 0, id: 0, is_in_region: false }) };
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

fn change(change: impl FnOnce(&mut Settings)) {
    let mut settings = SETTINGS.get();
    change(&mut settings);
    SETTINGS.set(settings);
}

/// Says how many threads the process may use, which counts until the pool is started.
pub fn configure(count: usize) {
    COUNT.store(count.max(1), Ordering::Relaxed);
}

/// How many threads the process may use.
pub fn thread_count() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// How many threads the regions that this thread starts may use.
pub fn thread_limit() -> usize {
    match SETTINGS.get().limit {
        0 => thread_count(),
        limit => limit.min(thread_count()),
    }
}

/// Limits the threads of the regions that this thread starts; false for a number that it cannot be.
pub fn set_thread_limit(limit: i64) -> bool {
    let fits = usize::try_from(limit).is_ok_and(|limit| (1..=thread_count()).contains(&limit));
    if fits {
        change(|settings| settings.limit = limit as usize);
    }
    fits
}

/// Which of its region's threads this one is; 0 outside.
pub fn thread_id() -> usize {
    SETTINGS.get().id
}

/// Whether this thread runs a region's chunks.
pub fn is_in_region() -> bool {
    SETTINGS.get().is_in_region
}

/// Whether this is a thread of the pool.
pub fn is_worker() -> bool {
    IS_WORKER.get()
}

/// The chunk size of this thread's regions; 0 leaves it open.
pub fn chunk_size() -> i64 {
    SETTINGS.get().chunk_size
}

/// Sets the chunk size of this thread's regions: the one before.
pub fn set_chunk_size(size: i64) -> i64 {
    let before = chunk_size();
    change(|settings| settings.chunk_size = size.max(0));
    before
}

/// From now on this is a thread of the pool.
pub(crate) fn become_worker() {
    IS_WORKER.set(true);
}

/// Runs as a region's thread of a number; what the body sets is forgotten after it.
pub(crate) fn inside_region(id: usize, limit: usize, body: impl FnOnce()) {
    struct Back(Settings);
    impl Drop for Back {
        fn drop(&mut self) {
            SETTINGS.set(self.0);
        }
    }
    let _back = Back(SETTINGS.get());
    SETTINGS.set(Settings { limit, chunk_size: 0, id, is_in_region: true });
    body();
}

extern "C" fn rumba_thread_count() -> i64 {
    thread_count() as i64
}

extern "C" fn rumba_get_num_threads() -> i64 {
    thread_limit() as i64
}

extern "C" fn rumba_set_num_threads(limit: i64) -> bool {
    set_thread_limit(limit)
}

extern "C" fn rumba_get_thread_id() -> i64 {
    thread_id() as i64
}

extern "C" fn rumba_get_parallel_chunksize() -> i64 {
    chunk_size()
}

extern "C" fn rumba_set_parallel_chunksize(size: i64) -> i64 {
    set_chunk_size(size)
}

extern "C" fn rumba_parallel_chunks(iterations: i64, cost: i64) -> i64 {
    crate::chunk_count(iterations, cost)
}

/// What compiled code calls, by symbol.
pub fn symbols() -> [Linked; 7] {
    [
        linked!(Runtime::ThreadCount => rumba_thread_count,),
        linked!(Runtime::GetNumThreads => rumba_get_num_threads,),
        linked!(Runtime::SetNumThreads => rumba_set_num_threads, _),
        linked!(Runtime::GetThreadId => rumba_get_thread_id,),
        linked!(Runtime::GetChunkSize => rumba_get_parallel_chunksize,),
        linked!(Runtime::SetChunkSize => rumba_set_parallel_chunksize, _),
        linked!(Runtime::ParallelChunks => rumba_parallel_chunks, _ _),
    ]
}
