//! Multithreaded ufunc loops (`rumba.ufuncs.c_loops`): NumPy calls [`run`] instead of the loop.
//!
//! The cost per element is measured to decide whether a call is worth a launch. Elements are independent, so
//! results do not depend on it. If they are not, as in reductions, the loop runs on the calling thread.

use crate::callbacks::parallel_for::check_threading_layer;
use crate::python_state::without_python;
use crate::raising::exception_record::attached;
use parallel::{Ended, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A loop as NumPy calls it: addresses of the operands, lengths, steps, data.
type Inner = unsafe extern "C" fn(*const *mut u8, *const isize, *const isize, *mut c_void);

/// Items by which the cost of one is measured first.
const SAMPLE: isize = 16;

/// A loop that may run on several threads. Ufuncs keep its address alone, so it stays for ever.
struct SharedLoop {
    inner: Inner,
    operands: usize,
    /// How many lengths there are: that of the loop, those of rows.
    lengths: usize,
    /// Operands that the loop writes: bit n for operand n.
    written: u64,
    /// Picoseconds that an item took; 0 before the first one.
    cost: AtomicU64,
}

thread_local! {
    /// Whether the loop that runs on this thread has set an exception in Python.
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
}

/// A loop on this thread has set an exception.
pub(crate) fn note_failure() {
    HAS_FAILED.set(true);
}

/// A call of a loop.
struct Call<'c> {
    shared: &'c SharedLoop,
    addresses: &'c [*mut u8],
    lengths: &'c [isize],
    steps: *const isize,
    /// The lowest chunk that failed, and with what.
    failure: Mutex<Option<(i64, PyErr)>>,
    /// Nanoseconds of all threads.
    spent: AtomicU64,
}

// SAFETY: operands are memory that NumPy keeps alive while the call runs, and chunks write to different items.
unsafe impl Sync for Call<'_> {}

impl Call<'_> {
    /// Runs some items: false if they failed, with the exception set in Python.
    fn run_items(&self, begin: isize, end: isize) -> bool {
        HAS_FAILED.set(false);
        let since = Instant::now();
        // SAFETY: NumPy passes this many operands, steps and lengths, and items at these addresses.
        unsafe {
            let first_item = |(at, address): (usize, &*mut u8)| address.offset(begin * *self.steps.add(at));
            let addresses: SmallVec<[*mut u8; 8]> =
                self.addresses.iter().enumerate().map(first_item).collect();
            let mut lengths: SmallVec<[isize; 8]> = SmallVec::from_slice(self.lengths);
            lengths[0] = end - begin;
            (self.shared.inner)(addresses.as_ptr(), lengths.as_ptr(), self.steps, std::ptr::null_mut());
        }
        self.spent.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        !HAS_FAILED.get()
    }

    /// Whether items may be done in any order: none that is written is another item's, too.
    fn is_independent(&self) -> bool {
        let shared = self.shared;
        // SAFETY: NumPy passes this many steps.
        let step = |at: usize| unsafe { *self.steps.add(at) };
        let range = |at: usize| {
            let (first, last) =
                (self.addresses[at] as isize, self.addresses[at] as isize + step(at) * (self.lengths[0] - 1));
            first.min(last)..first.max(last) + step(at).abs().max(1)
        };
        let mut written = (0..shared.operands).filter(|at| shared.written >> at & 1 != 0);
        written.all(|at| {
            // (NumPy copies operands of rows that overlap with results.)
            let is_apart = |other: usize| {
                let (mine, others) = (range(at), range(other));
                let is_same = self.addresses[at] == self.addresses[other] && step(at) == step(other);
                shared.lengths > 1 || is_same || mine.end <= others.start || others.end <= mine.start
            };
            step(at) != 0 && (0..shared.operands).all(is_apart)
        })
    }

    /// Remembers what items cost.
    fn learn(&self, items: isize) {
        let took = (self.spent.load(Ordering::Relaxed) * 1000 / items.max(1) as u64).max(1);
        let before = self.shared.cost.load(Ordering::Relaxed);
        let now = if before == 0 { took } else { before / 2 + took / 2 };
        self.shared.cost.store(now.max(1), Ordering::Relaxed);
    }
}

/// Items from one on, in chunks.
struct Rest<'c>(&'c Call<'c>, isize);

impl Work for Rest<'_> {
    fn run_chunk(&self, chunk: i64, begin: i64, end: i64) -> bool {
        let &Rest(call, first) = self;
        if call.run_items(first + begin as isize, first + end as isize) {
            return true;
        }
        let Some(error) = attached("a loop of a ufunc", None, |py| Ok(PyErr::take(py))) else { return true };
        let mut failure = call.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let mut late = Some((chunk, error));
        if failure.as_ref().is_none_or(|&(lowest, _)| chunk < lowest) {
            std::mem::swap(&mut *failure, &mut late);
        }
        drop(failure);
        attached("a loop of a ufunc", (), |_| {
            drop(late);
            Ok(())
        });
        false
    }
}

/// The loop that NumPy calls.
///
/// # Safety
/// Operands, lengths and steps are as the loop's own are, and `data` is a [`SharedLoop`].
unsafe extern "C" fn run(
    addresses: *const *mut u8,
    lengths: *const isize,
    steps: *const isize,
    data: *mut c_void,
) {
    // SAFETY: the caller's promise.
    let call = unsafe {
        let shared = &*data.cast::<SharedLoop>();
        let addresses = std::slice::from_raw_parts(addresses, shared.operands);
        let lengths = std::slice::from_raw_parts(lengths, shared.lengths);
        let (failure, spent) = (Mutex::new(None), AtomicU64::new(0));
        Call { shared, addresses, lengths, steps, failure, spent }
    };
    let items = call.lengths[0];
    if items <= 1 || parallel::thread_limit() <= 1 || parallel::is_in_region() || !call.is_independent() {
        call.run_items(0, items);
        return;
    }
    let mut done = 0;
    if call.shared.cost.load(Ordering::Relaxed) == 0 {
        done = items.min(SAMPLE);
        if !call.run_items(0, done) {
            return;
        }
        call.learn(done);
    }
    let rest = items - done;
    let work = (rest as u64).saturating_mul(call.shared.cost.load(Ordering::Relaxed)) / 1000;
    let chunks = parallel::chunk_count_of_work(rest as i64, work.min(i64::MAX as u64) as i64);
    if chunks <= 1 {
        call.run_items(done, items);
    } else {
        run_chunks(&call, done, chunks);
    }
    // Few items say little.
    if items >= SAMPLE {
        call.learn(items);
    }
}

fn run_chunks(call: &Call<'_>, first: isize, chunks: i64) {
    let rest = Rest(call, first);
    let ended = without_python(|| parallel::run(&rest, (call.lengths[0] - first) as i64, chunks));
    let failure = call.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    let forked =
        || PyRuntimeError::new_err("the process was forked inside of a loop, whose other threads are lost");
    let error = match ended {
        Ended::Forked => Some(forked()),
        Ended::Complete => failure.map(|(_, error)| error),
    };
    if let Some(error) = error {
        attached("a loop of a ufunc", (), |_| Err::<(), _>(error));
    }
}

/// A loop for NumPy that runs another one, which has the address `inner`, on several threads: its address and its data. `written`
/// has a bit for each operand that the loop writes.
#[pyfunction]
pub(crate) fn shared_loop(
    py: Python<'_>,
    inner: usize,
    operands: usize,
    lengths: usize,
    written: u64,
) -> PyResult<(usize, usize)> {
    check_threading_layer(py)?;
    // SAFETY: who gives the address vouches for it.
    let inner = unsafe { std::mem::transmute::<usize, Inner>(inner) };
    let shared =
        Box::leak(Box::new(SharedLoop { inner, operands, lengths, written, cost: AtomicU64::new(0) }));
    Ok((run as *const () as usize, std::ptr::from_mut(shared) as usize))
}
