//! Allocation statistics, counted per thread to avoid contention for a cache line.

use crate::fork_gate;
use crate::thread_state::{tally_of, with};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one thread counts, or those that have ended did.
#[derive(Default)]
pub(crate) struct Tally {
    allocations: AtomicUsize,
    frees: AtomicUsize,
}

/// Of threads that have ended, or are ending.
pub(crate) static ENDED: Tally = Tally { allocations: AtomicUsize::new(0), frees: AtomicUsize::new(0) };

/// Of threads that live: each is there from [`register`] to [`forget`].
static LIVING: Mutex<Vec<Living>> = Mutex::new(Vec::new());

struct Living(*const Tally);

// SAFETY: a tally is shared between threads.
unsafe impl Send for Living {}

impl Tally {
    /// A block was allocated.
    #[inline]
    pub(crate) fn allocated(&self) {
        self.add(&self.allocations);
    }

    /// A block was freed.
    #[inline]
    pub(crate) fn freed(&self) {
        self.add(&self.frees);
    }

    /// Adds one. Only the thread itself writes to its own, so nothing is lost there; threads that end share what has ended.
    #[inline]
    fn add(&self, counter: &AtomicUsize) {
        if std::ptr::eq(self, &raw const ENDED) {
            counter.fetch_add(1, Ordering::Relaxed);
        } else {
            counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }
}

/// A thread begins to count.
///
/// # Safety
/// The tally lives until [`forget`].
pub(crate) unsafe fn register(tally: *const Tally) {
    fork_gate::inside(|| LIVING.lock().unwrap_or_else(PoisonError::into_inner).push(Living(tally)));
}

/// A thread ends: its numbers count among those that have ended.
pub(crate) fn forget(own: &Tally) {
    fork_gate::inside(|| {
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        living.retain(|other| !std::ptr::eq(other.0, own));
        ENDED.allocations.fetch_add(own.allocations.load(Ordering::Relaxed), Ordering::Relaxed);
        ENDED.frees.fetch_add(own.frees.load(Ordering::Relaxed), Ordering::Relaxed);
    });
}

/// A block was allocated.
pub(crate) fn allocated() {
    with(|state| tally_of(state).allocated());
}

/// A block was freed.
pub(crate) fn freed() {
    with(|state| tally_of(state).freed());
}

/// How many blocks were allocated and freed since the process began.
pub fn allocation_counts() -> (usize, usize) {
    let living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    let sum = |of: fn(&Tally) -> &AtomicUsize| {
        // SAFETY: a tally lives as long as it is in the list.
        let counted = living.iter().map(|other| of(unsafe { &*other.0 }).load(Ordering::Relaxed));
        counted.sum::<usize>() + of(&ENDED).load(Ordering::Relaxed)
    };
    (sum(|tally| &tally.allocations), sum(|tally| &tally.frees))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_have_ended_are_counted() {
        let before = allocation_counts();
        std::thread::spawn(|| (0..10).for_each(|_| allocated())).join().unwrap();
        (0..5).for_each(|_| freed());
        let after = allocation_counts();
        assert!(after.0 - before.0 >= 10 && after.1 - before.1 >= 5);
    }
}
