//! The thread pool that runs the chunks of parallel loops.
//!
//! A region is a number of iterations, divided into chunks. [`run`] starts one: the calling thread takes part, threads of the pool
//! join, and it returns when all have stopped. The number of chunks depends on the iterations alone
//! ([`chunk_count`]), so results that are combined in chunk order do not depend on the number of threads.
//!
//! The pool is not rayon's, for four reasons. A thread that waits for the end of an inner loop must not execute another
//! iteration of the outer one, which may use the same scratch memory, as work stealing does: here a nested region runs
//! on its own thread. The child of a fork needs a new pool, and rayon's threads cannot be discarded. The threads that
//! take part in a region are numbered from 0, below the limit of the thread that started it, even if several regions run at once. And the
//! work is a range of numbers, for which one atomic word per thread is enough.
//!
//! Absent: Python and its lock, exceptions, what a chunk does ([`Work`]).

mod chunks;
mod futex;
mod pool;
mod region;
mod thread;

pub use chunks::{chunk_bounds, chunk_count, chunk_count_of_work};
pub use pool::{is_started, run};
pub use region::{Ended, Work};
pub use thread::{
    chunk_size, configure, is_in_region, is_worker, set_chunk_size, set_thread_limit, symbols, thread_count,
    thread_id, thread_limit,
};
