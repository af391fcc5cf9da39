//! The chunks of a region, and which are taken.
//!
//! Each thread begins with a share of consecutive chunks and takes them in order, so that loops over the same arrays find
//! them in the same caches. Who has none left takes the last ones of the others.

use crate::chunks::chunk_bounds;
use crate::thread::thread_limit;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What a region's chunks do.
pub trait Work: Sync {
    /// Runs iterations `begin` to `end`: false if they failed. Chunks after one that failed need not run.
    fn run_chunk(&self, chunk: i64, begin: i64, end: i64) -> bool;

    /// Called now and then where the region's own thread waits for the others: they may be told to leave their chunks.
    fn glance(&self) {}
}

/// How a region ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every chunk has run, or every one before one that failed.
    Complete,
    /// The process was forked meanwhile, and this is the child: the chunks of other threads are lost.
    Forked,
}

/// Chunks that a thread may take: the first one in the lower half of the word, the one after the last in the upper half. (A
/// share has cache lines of its own.)
#[repr(align(128))]
#[derive(Debug)]
struct Share(AtomicU64);

impl Share {
    fn new(first: u32, end: u32) -> Share {
        Share(AtomicU64::new(u64::from(end) << 32 | u64::from(first)))
    }

    /// A chunk below `limit`: the first one for its owner, the last one for others.
    fn take(&self, is_owner: bool, limit: u32) -> Option<u32> {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let (first, end) = (word as u32, ((word >> 32) as u32).min(limit));
            if first >= end {
                return None;
            }
            let (chunk, first, end) =
                if is_owner { (first, first + 1, end) } else { (end - 1, first, end - 1) };
            let rest = u64::from(end) << 32 | u64::from(first);
            match self.0.compare_exchange_weak(word, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(chunk),
                Err(other) => word = other,
            }
        }
    }

    fn is_empty(&self, limit: u32) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        word as u32 >= ((word >> 32) as u32).min(limit)
    }
}

/// A running region. It is on the stack of the thread that started it.
pub(crate) struct Region<'w> {
    work: &'w dyn Work,
    iterations: i64,
    chunks: i64,
    shares: Vec<Share>,
    /// The limit of threads of who started it.
    pub limit: usize,
    /// The lowest chunk that failed.
    failed: AtomicU32,
    /// Threads that have joined. Changes under the pool's lock.
    pub joined: AtomicU32,
    /// Threads of the pool that are inside. Changes under the pool's lock.
    pub inside: AtomicU32,
}

impl<'w> Region<'w> {
    /// A region for this many threads, the first of which has joined.
    pub fn new(work: &'w dyn Work, iterations: i64, chunks: i64, threads: usize) -> Self {
        let bound = |k: usize| chunk_bounds(chunks, threads as i64, k as i64);
        let shares =
            (0..threads).map(bound).map(|(first, end)| Share::new(first as u32, end as u32)).collect();
        Region {
            work,
            iterations,
            chunks,
            shares,
            limit: thread_limit(),
            failed: AtomicU32::new(u32::MAX),
            joined: AtomicU32::new(1),
            inside: AtomicU32::new(0),
        }
    }

    /// How many threads may join.
    pub fn threads(&self) -> usize {
        self.shares.len()
    }

    /// Whether another thread would find something to do.
    pub fn wants_threads(&self) -> bool {
        let failed = self.failed.load(Ordering::Relaxed);
        (self.joined.load(Ordering::Relaxed) as usize) < self.threads()
            && self.shares.iter().any(|share| !share.is_empty(failed))
    }

    /// Looks whether the chunks that run should end.
    pub fn glance(&self) {
        self.work.glance();
    }

    /// Runs chunks until there are none left, as the thread of a number.
    pub fn take_part(&self, id: usize) {
        let count = self.shares.len();
        for turn in 0..count {
            let share = &self.shares[(id + turn) % count];
            while let Some(chunk) = share.take(turn == 0, self.failed.load(Ordering::Relaxed)) {
                let (begin, end) = chunk_bounds(self.iterations, self.chunks, chunk.into());
                if !self.work.run_chunk(chunk.into(), begin, end) {
                    self.failed.fetch_min(chunk, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Runs the chunks one after the other on this thread.
pub(crate) fn run_serially(work: &dyn Work, iterations: i64, chunks: i64) {
    for chunk in 0..chunks {
        let (begin, end) = chunk_bounds(iterations, chunks, chunk);
        if !work.run_chunk(chunk, begin, end) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_take_the_first_and_others_the_last_below_the_limit() {
        let share = Share::new(3, 9);
        assert_eq!([share.take(true, u32::MAX), share.take(false, u32::MAX)], [Some(3), Some(8)]);
        assert_eq!(
            [share.take(false, 6), share.take(true, 6), share.take(true, 6)],
            [Some(5), Some(4), None]
        );
        assert!(share.is_empty(u32::MAX));
    }
}
