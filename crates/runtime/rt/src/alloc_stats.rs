//! Allocation statistics, counted per thread to avoid contention for a cache line.

use crate::fork_gate;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one thread counts, or those that have ended did.
#[derive(Default)]
struct Tally {
    allocations: AtomicUsize,
    frees: AtomicUsize,
}

/// Of threads that have ended, or are ending.
static ENDED: Tally = Tally { allocations: AtomicUsize::new(0), frees: AtomicUsize::new(0) };

/// Of threads that live.
static LIVING: Mutex<Vec<&'static Tally>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Cell<Option<&'static Tally>> = const { Cell::new(None) };
    static END: AtEnd = const { AtEnd };
}

/// Hands a thread's numbers on when it ends.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        let Some(own) = OWN.replace(None) else { return };
        fork_gate::inside(|| {
            let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
            living.retain(|other| !std::ptr::eq(*other, own));
        });
        ENDED.allocations.fetch_add(own.allocations.load(Ordering::Relaxed), Ordering::Relaxed);
        ENDED.frees.fetch_add(own.frees.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The first block of a thread; while it ends, it counts with those that have ended.
#[cold]
fn begin() -> &'static Tally {
    if END.try_with(|_| ()).is_err() {
        return &ENDED;
    }
    let own: &'static Tally = Box::leak(Box::default());
    fork_gate::inside(|| LIVING.lock().unwrap_or_else(PoisonError::into_inner).push(own));
    OWN.set(Some(own));
    own
}

/// Adds one. Only the thread itself writes, so nothing is lost; threads that end together share what has ended.
fn add(of: fn(&Tally) -> &AtomicUsize) {
    match OWN.get() {
        Some(own) => {
            let counter = of(own);
            counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        None => drop(of(begin()).fetch_add(1, Ordering::Relaxed)),
    }
}

/// A block was allocated.
pub(crate) fn allocated() {
    add(|tally| &tally.allocations);
}

/// A block was freed.
pub(crate) fn freed() {
    add(|tally| &tally.frees);
}

/// How many blocks were allocated and freed since the process began.
pub fn allocation_counts() -> (usize, usize) {
    let living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = || living.iter().copied().chain([&ENDED]);
    let sum = |of: fn(&Tally) -> &AtomicUsize| all().map(|tally| of(tally).load(Ordering::Relaxed)).sum();
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
