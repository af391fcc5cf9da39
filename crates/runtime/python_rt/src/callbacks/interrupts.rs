//! Interrupts in loops of compiled code: runs Python's signal handlers.
//!
//! Python runs them on its main thread with the GIL. Code that let go of the GIL asks for it, but not so often that waiting for
//! those who have it would slow it down. Absent: when loops look (`rt::interrupts`, `opt::place_polls`).

use crate::callbacks::parallel_for;
use crate::raising::exception_record::attached;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Waiting for the GIL takes at most one part in this many of the time.
const SHARE: u64 = 8;

/// Loops look for signals from here on.
pub fn enable(py: Python<'_>) -> PyResult<()> {
    rt::enable_interrupts(main_thread(py)?, poll);
    Ok(())
}

/// Python's main thread. Where nobody imported `threading`, which takes a while, that is the one the process began with.
fn main_thread(py: Python<'_>) -> PyResult<u64> {
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    let is_known = modules.contains(intern!(py, "threading"))?;
    if let Some(thread) = rt::initial_thread().filter(|_| !is_known) {
        return Ok(thread);
    }
    let main = py.import(intern!(py, "threading"))?.call_method0(intern!(py, "main_thread"))?;
    main.getattr(intern!(py, "ident"))?.extract()
}

/// Runs handlers of signals that have come: whether one raised, whose exception is set in Python then. On a thread of the pool
/// whether its chunk is abandoned, which is an exception, too.
pub(crate) extern "C" fn poll() -> bool {
    if !rt::is_main_thread() {
        return parallel_for::leaves_chunk();
    }
    rt::rearm();
    // SAFETY: Python may have ended; where it has not, the thread gets the GIL if it has not got it.
    unsafe {
        if ffi::Py_IsInitialized() == 0 || ffi::PyGILState_Check() == 0 && !is_time() {
            return false;
        }
        let began = now();
        let state = ffi::PyGILState_Ensure();
        let got = now();
        // A handler must not see an exception that is on its way.
        let raised = ffi::PyErr_Occurred().is_null() && ffi::PyErr_CheckSignals() != 0;
        ffi::PyGILState_Release(state);
        NOT_BEFORE.store(now() + (got - began) * SHARE, Ordering::Relaxed);
        HAS_RAISED.fetch_or(raised, Ordering::Relaxed);
        raised
    }
}

/// Whether a handler has raised since somebody asked.
static HAS_RAISED: AtomicBool = AtomicBool::new(false);

/// Whether a handler has raised in compiled code of the main thread since this was asked.
pub(crate) fn take_raised() -> bool {
    HAS_RAISED.swap(false, Ordering::Relaxed)
}

/// Runs handlers on the main thread while it waits: what one raised.
pub(crate) fn raised_while_waiting() -> Option<PyErr> {
    attached("a signal", None, |py| {
        // SAFETY: the thread has the GIL.
        Ok((unsafe { ffi::PyErr_CheckSignals() } != 0).then(|| PyErr::fetch(py)))
    })
}

/// When code without the GIL may ask for it again.
static NOT_BEFORE: AtomicU64 = AtomicU64::new(0);

fn is_time() -> bool {
    now() >= NOT_BEFORE.load(Ordering::Relaxed)
}

/// Nanoseconds since loops look for signals.
fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
