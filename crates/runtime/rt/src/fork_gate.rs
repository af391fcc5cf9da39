//! A gate that a fork passes alone.
//!
//! The child of a fork has one thread, the one that forked: a lock that another thread held at that moment stays
//! closed in it for ever. Python's own lock keeps threads that hold it out of a fork. Work without it that takes
//! locks (the compiler's back end, linking) continues [`inside`] the gate, and a fork waits until nobody is inside.
//!
//! Who is inside must not wait for Python's lock, which a forking thread holds while it waits here: what runs Python
//! goes [`outside`] meanwhile.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Set while a thread forks. The other bits count the threads that are inside.
static STATE: AtomicU32 = AtomicU32::new(0);
const FORKING: u32 = 1 << 31;

thread_local! {
    /// How often this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// From here on, forks go through the gate.
pub fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handlers touch atomics and a number of their own thread.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child)) };
    });
}

/// Runs what a fork of another thread has to wait for.
pub fn inside<T>(body: impl FnOnce() -> T) -> T {
    let _visit = Visit::begin();
    body()
}

/// Runs what may wait for Python's lock: this thread is not inside meanwhile, and may hold no lock that others take there.
pub fn outside<T>(body: impl FnOnce() -> T) -> T {
    let depth = DEPTH.replace(0);
    if depth == 0 {
        return body();
    }
    leave();
    let _return = Return(depth);
    body()
}

fn enter() {
    loop {
        let state = STATE.load(Ordering::Relaxed);
        if state & FORKING != 0 {
            pause();
        } else if STATE.compare_exchange_weak(state, state + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            return;
        }
    }
}

fn leave() {
    STATE.fetch_sub(1, Ordering::Release);
}

/// Forks are rare and take longer than this.
fn pause() {
    std::thread::sleep(Duration::from_micros(50));
}

struct Visit;

impl Visit {
    fn begin() -> Visit {
        let depth = DEPTH.get();
        if depth == 0 {
            enter();
        }
        DEPTH.set(depth + 1);
        Visit
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            leave();
        }
    }
}

/// The depth of a thread that went outside.
struct Return(u32);

impl Drop for Return {
    fn drop(&mut self) {
        enter();
        DEPTH.set(self.0);
    }
}

/// Whether the thread itself is inside: 0 or 1.
fn own() -> u32 {
    u32::from(DEPTH.get() > 0)
}

extern "C" fn before_fork() {
    // One fork at a time.
    while STATE.fetch_or(FORKING, Ordering::Acquire) & FORKING != 0 {
        pause();
    }
    while STATE.load(Ordering::Acquire) & !FORKING > own() {
        pause();
    }
}

extern "C" fn after_fork() {
    STATE.fetch_and(!FORKING, Ordering::Release);
}

extern "C" fn after_fork_in_child() {
    STATE.store(own(), Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Whether a child ends by itself, with status 0.
    fn child_ends(body: impl FnOnce()) -> bool {
        // SAFETY: the child runs the body and leaves.
        let child = unsafe { libc::fork() };
        if child == 0 {
            body();
            // SAFETY: as above.
            unsafe { libc::_exit(0) };
        }
        for _ in 0..2000 {
            let mut status = 1;
            // SAFETY: the child is ours.
            if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
                return status == 0;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: as above.
        unsafe { libc::kill(child, libc::SIGKILL) };
        false
    }

    #[test]
    fn locks_that_are_taken_inside_are_free_in_the_child() {
        static LOCK: Mutex<u64> = Mutex::new(0);
        static STOP: AtomicU32 = AtomicU32::new(0);
        watch();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while STOP.load(Ordering::Relaxed) == 0 {
                        inside(|| {
                            let mut held = LOCK.lock().unwrap();
                            *held += 1;
                            std::thread::sleep(Duration::from_micros(100));
                        });
                        outside(|| inside(|| ()));
                    }
                });
            }
            let free = (0..20).all(|_| child_ends(|| inside(|| *LOCK.lock().unwrap() += 1)));
            STOP.store(1, Ordering::Relaxed);
            assert!(free);
        });
    }

    #[test]
    fn who_is_inside_can_fork() {
        watch();
        assert!(inside(|| child_ends(|| inside(|| outside(|| ())))));
    }
}
