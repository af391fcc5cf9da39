//! The thread pool that runs the chunks of parallel loops.
//!
//! A region is a number of iterations, cut into chunks. [`run`] starts one: the calling thread takes part, threads of the pool
//! join, and it returns when all have stopped. How many chunks there are follows from the iterations alone
//! ([`chunk_count`]), so what is combined in their order does not depend on the number of threads.
//!
//! The pool is our own and not rayon's, for four reasons. A thread that waits for the end of an inner loop must not take up another
//! iteration of the outer one, which may use the same scratch memory, as work stealing does: here a region inside a region runs
//! on its own thread. The child of a fork needs a new pool, and rayon's threads cannot be given up. The threads that
//! take part in a region are numbered from 0 on, below the limit of who started it, however many regions run at once. And what is
//! to be shared is a range of numbers, for which one atomic word a thread is enough.
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
