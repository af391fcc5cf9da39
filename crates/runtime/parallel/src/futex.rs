//! Waiting for a word of memory to change (Linux's futexes).
//! Source: Ulrich Drepper, "Futexes Are Tricky".

use std::sync::atomic::AtomicU32;

/// Sleeps unless the word has another value. May return early.
pub(crate) fn wait(word: &AtomicU32, seen: u32) {
    // SAFETY: the word is alive, and the kernel only reads it.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            seen,
            std::ptr::null::<libc::timespec>(),
        );
    }
}

/// Wakes so many threads that sleep on the word.
pub(crate) fn wake(word: &AtomicU32, threads: usize) {
    let threads = threads.min(i32::MAX as usize) as i32;
    // SAFETY: the kernel uses the address as a name.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, threads);
    }
}
