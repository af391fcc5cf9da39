//! Acquires and releases the GIL from compiled code, which may run on any thread.

use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::Cell;

thread_local! {
    /// Whether Python keeps a state for this thread of the pool.
    static IS_KNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs what needs Python's lock, from code that may have given it up. What is set in Python stays set.
///
/// # Safety
/// Python is initialized.
pub(crate) unsafe fn with_python<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: the caller's promise; what is taken is given back.
    unsafe {
        if parallel::is_worker() && !IS_KNOWN.replace(true) {
            // The thread's state, which keeps the exception that is set, would end with the last user: this one stays.
            ffi::PyGILState_Ensure();
            ffi::PyEval_SaveThread();
        }
        let state = ffi::PyGILState_Ensure();
        let result = body();
        ffi::PyGILState_Release(state);
        result
    }
}

/// Runs what needs Python's lock, which the thread mostly has; `failure` with nothing done if Python has ended.
///
/// # Safety
/// What the body does is safe with Python's lock.
#[inline]
pub(crate) unsafe fn attached<T>(failure: T, body: impl FnOnce() -> T) -> T {
    // SAFETY: these may be called at any time.
    unsafe {
        // As long as nothing is shared, compiled code runs with the lock alone.
        if !rt::is_shared() {
            return body();
        }
        // When Python has ended, it says that the thread has the lock.
        match (ffi::Py_IsInitialized(), ffi::PyGILState_Check()) {
            (0, _) => failure,
            (_, 0) => with_python(body),
            _ => body(),
        }
    }
}

/// Runs what does not need Python without its lock, if this thread has it.
pub(crate) fn without_python<T>(body: impl FnOnce() -> T) -> T {
    struct Asserted<F>(F);
    // SAFETY: the body runs on this thread; what it does to Python objects, it does with the lock.
    unsafe impl<F> Send for Asserted<F> {}
    impl<T, F: FnOnce() -> T> Asserted<F> {
        fn run(self) -> Asserted<T> {
            Asserted((self.0)())
        }
    }
    // SAFETY: any thread may ask.
    if unsafe { ffi::PyGILState_Check() } == 0 {
        return body();
    }
    rt::share_counts();
    let body = Asserted(body);
    // SAFETY: the thread has the lock.
    unsafe { Python::assume_attached() }.detach(move || body.run()).0
}
