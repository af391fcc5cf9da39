//! Waiting for a word of memory to change (Linux's futexes).
//! Source: Ulrich Drepper, "Futexes Are Tricky".

use std::sync::atomic::AtomicU32;
use std::time::Duration;

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

/// The same for so long at most: whether the time went by.
pub(crate) fn wait_for(word: &AtomicU32, seen: u32, time: Duration) -> bool {
    let time = libc::timespec {
        tv_sec: time.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(time.subsec_nanos()),
    };
    // SAFETY: word and time are alive, and the kernel only reads them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            seen,
            &raw const time,
        )
    };
    // A signal that came ends the wait, too.
    let error = std::io::Error::last_os_error().raw_os_error();
    result != 0 && matches!(error, Some(libc::ETIMEDOUT | libc::EINTR))
}

/// Wakes up to this many threads that sleep on the word.
pub(crate) fn wake(word: &AtomicU32, threads: usize) {
    let threads = threads.min(i32::MAX as usize) as i32;
    // SAFETY: the kernel uses the address as a name.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, threads);
    }
}
