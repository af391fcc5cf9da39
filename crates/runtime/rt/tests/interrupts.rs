//! The byte that loops look at, in a process of its own: it has forks.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

fn is_due() -> bool {
    let (_, address) = rt::symbols().into_iter().find(|(name, _)| *name == "rumba_interrupts").unwrap();
    // SAFETY: the byte is static.
    unsafe { &*(address as *const AtomicU8) }.load(Ordering::Acquire) != 0
}

fn check_set_again() {
    rt::rearm();
    assert!(!is_due());
    let began = Instant::now();
    while !is_due() {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1));
    }
}

extern "C" fn none() -> bool {
    false
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn the_byte_is_set_again_also_in_a_child() {
    assert!(!is_due());
    let before = threads();
    // SAFETY: the thread is the one that runs; the child does nothing but what is tested.
    unsafe {
        rt::enable_interrupts(libc::pthread_self(), none);
        assert!(is_due());
        check_set_again();
        check_set_again();
        assert_eq!(threads(), before + 1);
        let child = libc::fork();
        if child == 0 {
            let alone = is_due() && threads() == 1;
            check_set_again();
            libc::_exit(if alone { 7 } else { 1 });
        }
        assert!(is_due() && threads() == before);
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7);
    }
    check_set_again();
    assert_eq!(threads(), before + 1);
}
