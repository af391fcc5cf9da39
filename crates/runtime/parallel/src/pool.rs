//! The threads of the pool: started by the first region that needs them, asleep while there is none.
//!
//! A thread without work looks for some for a while before it sleeps, and who starts a region wakes no more threads than it has
//! chunks. It does not wait for those that come too late: a region ends when its chunks have run and nobody is inside.

use crate::futex;
use crate::region::{Ended, Region, Work, run_serially};
use crate::thread::{become_worker, inside_region, is_in_region, thread_count, thread_limit};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread looks for work, or for the end of a region, before it sleeps.
const LOOK: Duration = Duration::from_micros(50);

/// How often who waits for the other threads of a region looks whether it should end before.
const GLANCE: Duration = Duration::from_millis(20);

/// The stack of a thread: as large as the main thread's usually is.
const STACK: usize = 8 << 20;

/// The pool of this process; null before the first region and in the child of a fork. A pool is never freed: its threads run until
/// the process ends.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// How often this process is the child of a fork since its pool was first asked for.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A region on the stack of a thread that waits until nobody knows it any more.
#[derive(Clone, Copy, PartialEq)]
struct RegionPtr(*const Region<'static>);

// SAFETY: regions are shared between threads, and the list has them as long as they live.
unsafe impl Send for RegionPtr {}

struct Pool {
    /// Regions that may want threads. Joining and leaving one happens under this lock.
    regions: Mutex<Vec<RegionPtr>>,
    /// Changes with every region that is started.
    news: News,
    /// Threads that sleep, or are about to.
    asleep: AtomicUsize,
    workers: AtomicUsize,
}

/// On a cache line that nothing else changes: threads without work read it all the time.
#[repr(align(128))]
struct News(AtomicU32);

/// Whether threads were started in this process.
pub fn is_started() -> bool {
    !POOL.load(Ordering::Acquire).is_null()
}

/// Runs iterations in chunks, on as many threads as the calling one may use. Within a region it runs on the calling thread alone.
pub fn run(work: &dyn Work, iterations: i64, chunks: i64) -> Ended {
    let chunks = chunks.clamp(0, u32::MAX.into()).min(iterations);
    let (threads, is_nested) = (thread_limit().min(chunks.max(0) as usize), is_in_region());
    if threads <= 1 || is_nested {
        let serially = || run_serially(work, iterations, chunks);
        if is_nested {
            serially()
        } else {
            inside_region(0, thread_limit(), serially)
        }
        return Ended::Complete;
    }
    let forks = FORKS.load(Ordering::Relaxed);
    let pool = started();
    let region = Region::new(work, iterations, chunks, threads);
    pool.add(&region);
    inside_region(0, region.limit, || region.take_part(0));
    if FORKS.load(Ordering::Relaxed) != forks {
        // The list is that of the process before the fork, and so are those who may be inside.
        let is_alone = region.joined.load(Ordering::Relaxed) == 1;
        return if is_alone { Ended::Complete } else { Ended::Forked };
    }
    pool.end(&region);
    Ended::Complete
}

/// The pool, whose threads are started by the first who asks.
fn started() -> &'static Pool {
    let known = POOL.load(Ordering::Acquire);
    if !known.is_null() {
        // SAFETY: a pool lives as long as the process.
        return unsafe { &*known };
    }
    watch_forks();
    let mine = Box::into_raw(Box::new(Pool {
        regions: Mutex::default(),
        news: News(AtomicU32::new(0)),
        asleep: AtomicUsize::new(0),
        workers: AtomicUsize::new(0),
    }));
    match POOL.compare_exchange(ptr::null_mut(), mine, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            // SAFETY: as above.
            let pool = unsafe { &*mine };
            pool.start_threads(thread_count() - 1);
            pool
        }
        Err(other) => {
            // SAFETY: nobody has seen this one, and the other lives as long as the process.
            unsafe {
                drop(Box::from_raw(mine));
                &*other
            }
        }
    }
}

impl Pool {
    fn regions(&self) -> MutexGuard<'_, Vec<RegionPtr>> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts threads, or as many as there can be.
    fn start_threads(&'static self, count: usize) {
        // Signals are for the threads that were there before.
        // SAFETY: both sets are written before they are read.
        unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            for number in 1..=count {
                let builder = std::thread::Builder::new().name(format!("rumba-{number}")).stack_size(STACK);
                if builder.spawn(|| self.work()).is_err() {
                    break;
                }
                self.workers.fetch_add(1, Ordering::Relaxed);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        }
    }

    /// Makes a region known and wakes threads for it.
    fn add(&self, region: &Region<'_>) {
        self.regions().push(RegionPtr(ptr::from_ref(region).cast()));
        self.news.0.fetch_add(1, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 {
            futex::wake(&self.news.0, region.threads() - 1);
        }
    }

    /// Takes a region out of the list and waits until nobody is inside.
    fn end(&self, region: &Region<'_>) {
        let known = RegionPtr(ptr::from_ref(region).cast());
        {
            let mut regions = self.regions();
            if let Some(index) = regions.iter().position(|&other| other == known) {
                regions.swap_remove(index);
            }
            if region.inside.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
        look_until(|| region.inside.load(Ordering::Acquire) == 0);
        loop {
            let inside = region.inside.load(Ordering::Acquire);
            if inside == 0 {
                break;
            }
            if futex::wait_for(&region.inside, inside, GLANCE) {
                region.glance();
            }
        }
        // The last one has left the region when it has left the lock.
        drop(self.regions());
    }

    /// A region that wants threads, and which of its threads this one is.
    fn join(&self) -> Option<(RegionPtr, usize)> {
        let regions = self.regions();
        // SAFETY: regions in the list are alive.
        let region = |known: &RegionPtr| unsafe { &*known.0 };
        let wanted = regions.iter().filter(|&known| region(known).wants_threads());
        let known = *wanted.min_by_key(|&known| region(known).joined.load(Ordering::Relaxed))?;
        region(&known).inside.fetch_add(1, Ordering::Relaxed);
        Some((known, region(&known).joined.fetch_add(1, Ordering::Relaxed) as usize))
    }

    /// What a thread of the pool does.
    fn work(&self) {
        become_worker();
        let forks = FORKS.load(Ordering::Relaxed);
        // The child of a fork on this thread ends with it.
        while FORKS.load(Ordering::Relaxed) == forks {
            let news = self.news.0.load(Ordering::SeqCst);
            if let Some((known, id)) = self.join() {
                // SAFETY: who started the region waits as long as somebody is inside.
                let region = unsafe { &*known.0 };
                inside_region(id, region.limit, || region.take_part(id));
                if FORKS.load(Ordering::Relaxed) != forks {
                    return;
                }
                let _lock = self.regions();
                if region.inside.fetch_sub(1, Ordering::Release) == 1 {
                    futex::wake(&region.inside, 1);
                }
                continue;
            }
            if look_until(|| self.news.0.load(Ordering::Relaxed) != news) {
                continue;
            }
            self.asleep.fetch_add(1, Ordering::SeqCst);
            futex::wait(&self.news.0, news);
            self.asleep.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Looks for a while whether something has happened.
fn look_until(happened: impl Fn() -> bool) -> bool {
    let mut since = None;
    loop {
        for _ in 0..16 {
            if happened() {
                return true;
            }
            std::hint::spin_loop();
        }
        let now = Instant::now();
        if now - *since.get_or_insert(now) > LOOK {
            return false;
        }
    }
}

/// From now on, the child of a fork begins without threads.
fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the function changes two words.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    });
}

extern "C" fn forget() {
    POOL.store(ptr::null_mut(), Ordering::Release);
    FORKS.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::{configure, set_thread_limit, thread_id};
    use std::sync::atomic::AtomicI64;

    struct Body<F: Fn(i64, i64, i64) -> bool + Sync>(F);

    impl<F: Fn(i64, i64, i64) -> bool + Sync> Work for Body<F> {
        fn run_chunk(&self, chunk: i64, begin: i64, end: i64) -> bool {
            (self.0)(chunk, begin, end)
        }
    }

    fn sum_of(iterations: i64, chunks: i64) -> i64 {
        let sum = AtomicI64::new(0);
        let add = |_, begin, end| {
            sum.fetch_add((begin..end).sum(), Ordering::Relaxed);
            true
        };
        assert_eq!(run(&Body(add), iterations, chunks), Ended::Complete);
        sum.into_inner()
    }

    #[test]
    fn every_iteration_runs_once_from_several_threads_at_once() {
        configure(4);
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || {
                    for round in 0..2000 {
                        let iterations = (round * 7 + seed) % 300;
                        let sum = sum_of(iterations, (round % 40).max(1));
                        assert_eq!(sum, iterations * (iterations - 1) / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn regions_inside_of_regions_stay_on_their_thread() {
        configure(4);
        let body = |_, begin, end| {
            let id = thread_id();
            assert!(id < 3 && thread_limit() == 3 && is_in_region());
            for _ in begin..end {
                let inner = |_, _, _| thread_id() == id;
                assert_eq!(run(&Body(inner), 20, 5), Ended::Complete);
            }
            thread_id() == id
        };
        std::thread::spawn(move || {
            assert!(set_thread_limit(3) && !set_thread_limit(5) && !set_thread_limit(0));
            assert_eq!(run(&Body(body), 1000, 50), Ended::Complete);
            assert!(!is_in_region() && thread_limit() == 3);
        })
        .join()
        .expect("the threads of a region have numbers of their own");
    }

    #[test]
    fn chunks_in_front_of_one_that_fails_run() {
        configure(4);
        for failing in [0, 13, 99] {
            let ran: Vec<AtomicU32> = (0..100).map(|_| AtomicU32::new(0)).collect();
            let body = |chunk: i64, _, _| {
                ran[chunk as usize].fetch_add(1, Ordering::Relaxed);
                chunk < failing
            };
            run(&Body(body), 1000, 100);
            let ran: Vec<u32> = ran.into_iter().map(AtomicU32::into_inner).collect();
            assert!(ran[..=failing as usize].iter().all(|&times| times == 1));
            assert!(ran.iter().all(|&times| times <= 1));
        }
    }

    #[test]
    fn the_child_of_a_fork_has_a_pool_of_its_own() {
        configure(4);
        assert_eq!(sum_of(100, 10), 4950);
        // SAFETY: the child uses nothing that another thread may hold, but memory, and ends at once.
        let (child, mut status) = unsafe { (libc::fork(), 0) };
        if child == 0 {
            let fresh = !is_started();
            let right = sum_of(1000, 10) == 499_500 && is_started();
            // SAFETY: nothing else is to run in the child.
            unsafe { libc::_exit(if fresh && right { 7 } else { 1 }) };
        }
        // SAFETY: the child is ours.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7, "{status}");
    }
}
