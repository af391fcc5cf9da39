//! Parallel loops of compiled code: they release the GIL, and an exception in another thread is moved to the thread
//! that started the loop. If a signal handler raises in the main thread, its loop is canceled: other threads leave
//! their chunks.
//!
//! Absent: the threads (`parallel`).

use crate::callbacks::interrupts;
use crate::callbacks::parallel_ufunc::shared_loop;
use crate::python_state::without_python;
use crate::raising::exception_record::{RAISED, attached, give_up_arguments, last_raised};
use crate::raising::raise::PENDING;
use abi::{ExceptionClass, RaiseSite, StaticSite};
use parallel::{Ended, Work};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::intern;
use pyo3::prelude::*;
use rt::random::RegionSeeds;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A function of a chunk: context, chunk, first iteration, the one after the last one. It gives a status.
type Body = unsafe extern "C" fn(*mut u8, i64, i64, i64) -> *const RaiseSite;

static FORKED: StaticSite = StaticSite::with_message(
    ExceptionClass::RuntimeError,
    "the process was forked inside of a parallel loop, whose other threads are lost",
);

/// What a handler of signals raised while the thread waited for others: an exception that is set in Python.
static INTERRUPTED: StaticSite =
    StaticSite::new(ExceptionClass::KeyboardInterrupt, RaiseSite::PENDING_IN_PYTHON);

/// In place of a chunk's number: no other exception wins over that of a handler.
const BEFORE_ALL: i64 = -1;

thread_local! {
    /// Whether the loop is given up of which this thread of the pool runs a chunk.
    static IS_GIVEN_UP: Cell<*const AtomicBool> = const { Cell::new(std::ptr::null()) };
}

/// Whether a thread of the pool should leave its chunk, with an exception that is set in Python then.
pub(crate) fn leaves_chunk() -> bool {
    let flag = IS_GIVEN_UP.get();
    // SAFETY: the loop lives as long as its chunks run.
    let is_given_up = !flag.is_null() && unsafe { (*flag).load(Ordering::Acquire) };
    is_given_up && attached("an interrupt", true, |_| Err(PyKeyboardInterrupt::new_err(())))
}

/// An exception between two threads: its status and all that its thread keeps for it.
struct Carried {
    status: *const RaiseSite,
    words: [u64; rt::PAYLOAD_WORDS],
    trace: Vec<u64>,
    /// The owner word of one that was caught before.
    again: u64,
    /// One that was set in Python.
    pending: Option<PyErr>,
}

// SAFETY: sites are constants, owners are counted atomically, and Python's object is touched under its lock.
unsafe impl Send for Carried {}

impl Carried {
    /// Takes from this thread what it keeps for a status with which compiled code failed just now.
    unsafe fn take(status: *const RaiseSite) -> Carried {
        // SAFETY: the site of a status is alive, and its texts can be read.
        let (site, is_pending) = unsafe {
            let site = &*status;
            (site, site.flags & RaiseSite::PENDING_IN_PYTHON != 0 || site.has_payload_like(PENDING))
        };
        let is_again = site.flags & RaiseSite::CAUGHT != 0;
        let mut trace = Vec::new();
        rt::take_trace(status as u64, |sites| trace.extend_from_slice(sites));
        Carried {
            status,
            words: rt::payload(),
            trace,
            again: if is_again { last_raised() } else { 0 },
            pending: is_pending
                .then(|| attached("an exception of a parallel loop", None, |py| Ok(PyErr::take(py))))
                .flatten(),
        }
    }

    /// Gives this thread what the status stands for.
    fn arrive(mut self) -> *const RaiseSite {
        rt::set_payload(&self.words);
        for &site in &self.trace {
            rt::through(self.status as u64, site);
        }
        let again = std::mem::take(&mut self.again);
        if again != 0 {
            RAISED.with_borrow_mut(|raised| raised.push(again));
        }
        if let Some(error) = self.pending.take() {
            attached("an exception of a parallel loop", (), |py| {
                error.restore(py);
                Ok(())
            });
        }
        self.status
    }

    /// Gives up an exception that another one wins over.
    fn forget(mut self) {
        rt::decref(std::mem::take(&mut self.again));
        // SAFETY: the site of a status is alive.
        let site = unsafe { &*self.status };
        if let Some(error) = self.pending.take() {
            attached("an exception of a parallel loop", (), |_| {
                drop(error);
                Ok(())
            });
        } else if site.flags & (RaiseSite::PAYLOAD | RaiseSite::CAUGHT) == RaiseSite::PAYLOAD {
            // SAFETY: the words were the payload of this site.
            unsafe { give_up_arguments(site, &self.words) };
        }
    }
}

/// A loop that compiled code runs.
struct Loop {
    body: Body,
    context: *mut u8,
    seeds: RegionSeeds,
    /// The lowest chunk that failed, and with what.
    failure: Mutex<Option<(i64, Carried)>>,
    /// Whether threads of the pool should leave their chunks.
    is_given_up: AtomicBool,
    /// What a handler of signals raised while the loop's thread waited: the first thread that leaves its chunk says where.
    interrupt: Mutex<Option<PyErr>>,
}

impl Loop {
    /// The loop is to end. Who started it waits until all have left.
    fn give_up(&self) {
        if !self.is_given_up.swap(true, Ordering::AcqRel) {
            rt::begin_cancelling();
        }
    }

    fn interrupt(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.interrupt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread of the pool has left its chunk. If it is the first, what a handler raised arrives in place of its exception.
    fn leave(&self, mut carried: Carried) {
        let error = if carried.pending.is_some() { self.interrupt().take() } else { None };
        let Some(error) = error else { return carried.forget() };
        let own = carried.pending.replace(error);
        attached("an interrupt", (), |_| {
            drop(own);
            Ok(())
        });
        self.note(BEFORE_ALL, carried);
    }

    /// What a handler raised, if no thread left its chunk because of it.
    fn note_interrupt(&self) {
        let error = self.interrupt().take();
        if let Some(error) = error {
            let words = [0; rt::PAYLOAD_WORDS];
            let status = INTERRUPTED.status();
            let carried = Carried { status, words, trace: Vec::new(), again: 0, pending: Some(error) };
            self.note(BEFORE_ALL, carried);
        }
    }

    /// Keeps the failure of the lowest chunk.
    fn note(&self, chunk: i64, carried: Carried) {
        let mut late = Some((chunk, carried));
        {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            if failure.as_ref().is_none_or(|&(lowest, _)| chunk < lowest) {
                std::mem::swap(&mut *failure, &mut late);
            }
        }
        if let Some((_, carried)) = late {
            carried.forget();
        }
    }
}

// SAFETY: compiled code makes contexts that its bodies may read on any thread.
unsafe impl Sync for Loop {}

impl Work for Loop {
    fn run_chunk(&self, chunk: i64, begin: i64, end: i64) -> bool {
        if self.is_given_up.load(Ordering::Acquire) {
            return false;
        }
        let (is_worker, is_main) = (parallel::is_worker(), rt::is_main_thread());
        let outer = IS_GIVEN_UP.get();
        if is_worker && outer.is_null() {
            IS_GIVEN_UP.set(&raw const self.is_given_up);
        }
        if is_main {
            interrupts::take_raised();
        }
        // SAFETY: compiled code gave both.
        let status = self.seeds.in_chunk(chunk, || unsafe { (self.body)(self.context, chunk, begin, end) });
        IS_GIVEN_UP.set(outer);
        if status.is_null() {
            return true;
        }
        // SAFETY: the body has just failed with it on this thread.
        let carried = unsafe { Carried::take(status) };
        if is_worker && self.is_given_up.load(Ordering::Acquire) {
            self.leave(carried);
        } else if is_main && interrupts::take_raised() {
            self.note(BEFORE_ALL, carried);
            self.give_up();
        } else {
            self.note(chunk, carried);
        }
        false
    }

    fn glance(&self) {
        if !rt::is_main_thread() || self.is_given_up.load(Ordering::Acquire) {
            return;
        }
        if let Some(error) = interrupts::raised_while_waiting() {
            *self.interrupt() = Some(error);
            self.give_up();
        }
    }
}

/// Runs a loop: the status of the lowest chunk that failed, or null.
///
/// # Safety
/// The body may be called with the context for every chunk, on several threads at once.
pub unsafe extern "C" fn parallel_for(body: usize, context: *mut u8, iterations: i64, chunks: i64) -> u64 {
    // SAFETY: the caller's promise.
    let body = unsafe { std::mem::transmute::<usize, Body>(body) };
    let whole = Loop {
        body,
        context,
        seeds: RegionSeeds::new(),
        failure: Mutex::new(None),
        is_given_up: AtomicBool::new(false),
        interrupt: Mutex::new(None),
    };
    init_thread_count();
    let run = || parallel::run(&whole, iterations, chunks);
    let is_alone = chunks <= 1 || parallel::is_in_region() || parallel::thread_limit() <= 1;
    let ended = if is_alone { run() } else { without_python(run) };
    if whole.is_given_up.load(Ordering::Relaxed) {
        rt::end_cancelling();
        whole.note_interrupt();
    }
    let failure = whole.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (failure, ended) {
        (Some((_, carried)), _) => carried.arrive() as u64,
        (None, Ended::Complete) => 0,
        (None, Ended::Forked) => FORKED.status() as u64,
    }
}

/// Whether the number of threads is set, which the first loop does.
static IS_CONFIGURED: AtomicBool = AtomicBool::new(false);

/// The number of threads is what the program has assigned to the setting until now.
pub(crate) fn init_thread_count() {
    if IS_CONFIGURED.load(Ordering::Relaxed) {
        return;
    }
    attached("the number of threads", (), |py| {
        ask_for_count(py)?;
        IS_CONFIGURED.store(true, Ordering::Relaxed);
        Ok(())
    });
}

/// Sets the number of threads, where nobody has.
pub fn init_thread_count_with(count: usize) {
    if !IS_CONFIGURED.swap(true, Ordering::Relaxed) {
        parallel::configure(count);
    }
}

/// The same where parallel code is compiled: ValueError if a setting names an unknown layer.
pub fn check_threading_layer(py: Python<'_>) -> PyResult<()> {
    if !IS_CONFIGURED.load(Ordering::Relaxed) {
        py.import(intern!(py, "rumba.parallel.thread_pool"))?.call_method0(intern!(py, "check_settings"))?;
        init_thread_count();
    }
    Ok(())
}

fn ask_for_count(py: Python<'_>) -> PyResult<()> {
    if !IS_CONFIGURED.load(Ordering::Relaxed) {
        let count = py.import(intern!(py, "rumba.config"))?.getattr(intern!(py, "NUMBA_NUM_THREADS"))?;
        parallel::configure(count.extract()?);
    }
    Ok(())
}

/// How many threads there can be at the same time: processors that the process may use, or its share of time.
#[pyfunction]
fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Sets how many threads the process may use at most; false where they run already and are of another number.
#[pyfunction]
fn configure_threads(count: usize) -> bool {
    if IS_CONFIGURED.load(Ordering::Relaxed) {
        return parallel::thread_count() == count;
    }
    parallel::configure(count);
    true
}

/// Settles the number of threads now.
#[pyfunction]
fn init_threads(py: Python<'_>) -> PyResult<()> {
    check_threading_layer(py)
}

#[pyfunction]
fn get_num_threads(py: Python<'_>) -> PyResult<usize> {
    ask_for_count(py)?;
    Ok(parallel::thread_limit())
}

#[pyfunction]
fn set_num_threads(py: Python<'_>, limit: i64) -> PyResult<bool> {
    ask_for_count(py)?;
    Ok(parallel::set_thread_limit(limit))
}

#[pyfunction]
fn get_thread_id() -> usize {
    parallel::thread_id()
}

#[pyfunction]
fn thread_count(py: Python<'_>) -> PyResult<usize> {
    ask_for_count(py)?;
    Ok(parallel::thread_count())
}

#[pyfunction]
fn layer_is_settled() -> bool {
    IS_CONFIGURED.load(Ordering::Relaxed)
}

#[pyfunction]
fn get_parallel_chunksize() -> i64 {
    parallel::chunk_size()
}

#[pyfunction]
fn set_parallel_chunksize(size: i64) -> i64 {
    parallel::set_chunk_size(size)
}

/// Fills `rumba._rumba`.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(shared_loop, module)?)?;
    module.add_function(wrap_pyfunction!(init_threads, module)?)?;
    module.add_function(wrap_pyfunction!(available_threads, module)?)?;
    module.add_function(wrap_pyfunction!(configure_threads, module)?)?;
    module.add_function(wrap_pyfunction!(get_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(set_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(get_thread_id, module)?)?;
    module.add_function(wrap_pyfunction!(thread_count, module)?)?;
    module.add_function(wrap_pyfunction!(layer_is_settled, module)?)?;
    module.add_function(wrap_pyfunction!(get_parallel_chunksize, module)?)?;
    module.add_function(wrap_pyfunction!(set_parallel_chunksize, module)?)
}
