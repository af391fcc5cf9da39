//! The stack limit of a thread, and switching to a larger stack.

use crate::interrupts;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room that is left below the limit: for C functions that compiled code calls, for raising. Of a small stack it is half.
const RESERVE: usize = 128 * 1024;

/// What compiling may need, and the stack that it gets where there is less.
const MUCH: usize = 4 << 20;
const LARGE: usize = 16 << 20;

thread_local! {
    /// The limit of this thread; 0 before it was asked for.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
    /// The same for functions that call themselves, or the highest address where they should look for signals.
    static WORD: AtomicUsize = const { AtomicUsize::new(0) };
}

/// Where functions of this thread that call themselves find the limit.
pub(crate) extern "C" fn rumba_stack_word() -> *const AtomicUsize {
    WORD.with(|word| {
        if word.load(Ordering::Relaxed) == 0 {
            word.store(rumba_stack_limit(), Ordering::Relaxed);
            interrupts::add_word(word);
        }
        std::ptr::from_ref(word)
    })
}

/// Whether a frame is below the limit.
pub(crate) extern "C" fn rumba_stack_exhausted(frame: usize) -> bool {
    let limit = rumba_stack_limit();
    WORD.with(|word| word.store(limit, Ordering::Relaxed));
    frame < limit
}

/// The lowest address that a frame of compiled code may have on this thread.
pub(crate) extern "C" fn rumba_stack_limit() -> usize {
    LIMIT.with(|limit| {
        if limit.get() == 0 {
            limit.set(find_limit());
        }
        limit.get()
    })
}

/// Runs what may need much stack: on another one where this thread has little left.
pub fn with_stack<T>(body: impl FnOnce() -> T) -> T {
    struct Around(usize);
    impl Drop for Around {
        fn drop(&mut self) {
            set_limit(self.0);
        }
    }
    let limit = rumba_stack_limit();
    if limit <= UNKNOWN || address_here().saturating_sub(limit) >= MUCH {
        return call(body);
    }
    stacker::grow(LARGE, || {
        let _around = Around(limit);
        set_limit(address_here() - LARGE + 2 * RESERVE);
        call(body)
    })
}

/// Calls it with a frame of its own: as a part of its caller's frame, it would need the small stack's room already there.
#[inline(never)]
fn call<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// What runs from here on has another stack.
fn set_limit(limit: usize) {
    LIMIT.set(limit);
    WORD.with(|word| {
        if word.load(Ordering::Relaxed) != 0 {
            word.store(limit, Ordering::Relaxed);
        }
    });
}

/// An address in the frame of who calls this.
#[inline(always)]
fn address_here() -> usize {
    let here = 0u8;
    &raw const here as usize
}

/// The limit where the end of the stack is not to be found: no address is below.
const UNKNOWN: usize = 1;

/// The end of the thread's stack plus the reserve; [`UNKNOWN`] where it is not to be found.
fn find_limit() -> usize {
    // SAFETY: every thread has an id.
    attributes(unsafe { libc::pthread_self() })
        .map_or(UNKNOWN, |(lowest, size, guard)| lowest + guard + RESERVE.min(size / 2))
}

/// The lowest address of a thread's stack, and its size.
pub(crate) fn bounds(thread: libc::pthread_t) -> Option<(usize, usize)> {
    attributes(thread).map(|(lowest, size, _)| (lowest, size))
}

/// The same with the size of what guards its end.
fn attributes(thread: libc::pthread_t) -> Option<(usize, usize, usize)> {
    // SAFETY: the attributes are initialised by the first call, read by the second, then destroyed.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(thread, &mut attributes) != 0 {
            return None;
        }
        let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
        let mut guard = 0;
        let found = libc::pthread_attr_getstack(&attributes, &mut lowest, &mut size) == 0
            && libc::pthread_attr_getguardsize(&attributes, &mut guard) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        found.then_some((lowest as usize, size, guard))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_below_this_frame_on_every_thread() {
        let check = || {
            let here = 0u8;
            let limit = rumba_stack_limit();
            assert!(limit > 1 && limit < &raw const here as usize);
            assert_eq!(rumba_stack_limit(), limit);
            limit
        };
        let mine = check();
        let other = std::thread::spawn(check).join().unwrap();
        assert_ne!(mine, other);
    }

    #[test]
    fn a_small_stack_has_a_limit_and_gets_room() {
        let small = std::thread::Builder::new().stack_size(64 << 10).spawn(|| {
            let limit = rumba_stack_limit();
            assert!(limit > UNKNOWN && address_here() > limit && address_here() - limit < 64 << 10);
            let inside = with_stack(|| {
                let mut much = [0u8; MUCH];
                std::hint::black_box(&mut much);
                assert!(address_here() > rumba_stack_limit());
                rumba_stack_limit()
            });
            assert_ne!(inside, limit);
            assert_eq!(rumba_stack_limit(), limit);
        });
        small.unwrap().join().unwrap();
    }
}
