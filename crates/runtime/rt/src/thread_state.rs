//! What the runtime keeps for each thread, behind one thread-local pointer: counts of blocks, and how deep releases are nested.

use crate::alloc_stats::{ENDED, Tally, forget, register};
use std::cell::{Cell, RefCell};
use std::ptr::null;

/// The state of one thread.
#[derive(Default)]
pub(crate) struct ThreadState {
    /// Blocks that it has allocated and freed. Other threads read it.
    pub(crate) tally: Tally,
    /// How many objects are being released within each other.
    pub(crate) depth: Cell<usize>,
    /// Owner words to be released when the outermost of them is.
    pub(crate) waiting: RefCell<Vec<u64>>,
}

thread_local! {
    static OWN: Cell<*const ThreadState> = const { Cell::new(null()) };
    static END: AtEnd = const { AtEnd };
}

/// Gives a thread's state up when the thread ends.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        let own = OWN.replace(null());
        if !own.is_null() {
            // SAFETY: the state was made by `begin`, and this thread was the only one to have it, but for its tally.
            let state = unsafe { Box::from_raw(own.cast_mut()) };
            forget(&state.tally);
        }
    }
}

/// The first block of a thread. Nothing while the thread ends.
#[cold]
fn begin() -> Option<*const ThreadState> {
    END.try_with(|_| ()).ok()?;
    let state: *const ThreadState = Box::into_raw(Box::default());
    // SAFETY: the state lives until the thread ends, when it is forgotten.
    unsafe { register(&raw const (*state).tally) };
    OWN.set(state);
    Some(state)
}

/// Does something with the state of this thread; there is none while the thread ends.
#[inline]
pub(crate) fn with<T>(body: impl FnOnce(Option<&ThreadState>) -> T) -> T {
    let own = OWN.get();
    let own = if own.is_null() { begin() } else { Some(own) };
    // SAFETY: the state lives until the thread ends, and nobody else refers to more of it than the tally.
    body(own.map(|state| unsafe { &*state }))
}

/// The counts of a thread, or those of all that have ended.
#[inline]
pub(crate) fn tally_of(state: Option<&ThreadState>) -> &Tally {
    state.map_or(&ENDED, |state| &state.tally)
}
