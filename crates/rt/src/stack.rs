//! How much stack a thread may use.

use std::cell::Cell;

/// Room that is left below the limit: for C functions that compiled code calls, for raising.
const RESERVE: usize = 128 * 1024;

thread_local! {
    /// The limit of this thread; 0 before it was asked for.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
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

/// The end of the thread's stack plus the reserve; 1 (no check) where it is not to be found.
fn find_limit() -> usize {
    // SAFETY: the attributes are initialised by the first call, read by the second, then destroyed.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 1;
        }
        let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
        let mut guard = 0;
        let found = libc::pthread_attr_getstack(&attributes, &mut lowest, &mut size) == 0
            && libc::pthread_attr_getguardsize(&attributes, &mut guard) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if found && size > 2 * RESERVE { lowest as usize + guard + RESERVE } else { 1 }
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
}
