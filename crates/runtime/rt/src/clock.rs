//! Clocks of the system, as Python's `time` reads them.

use crate::word_abi::runtime_functions;

runtime_functions! {
    ClockNs = rumba_clock_ns: (clock: i64) -> i64;
}

/// What a clock shows, in nanoseconds: 0 the time since 1970, 1 a clock that only goes forward, 2 the processor time of the process,
/// 3 that of the thread. Any other number is the first of these.
extern "C" fn rumba_clock_ns(clock: i64) -> i64 {
    let clock = match clock {
        1 => libc::CLOCK_MONOTONIC,
        2 => libc::CLOCK_PROCESS_CPUTIME_ID,
        3 => libc::CLOCK_THREAD_CPUTIME_ID,
        _ => libc::CLOCK_REALTIME,
    };
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `now` alone.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    i64::from(now.tv_sec) * 1_000_000_000 + i64::from(now.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward() {
        for clock in 1..4 {
            let before = rumba_clock_ns(clock);
            assert!(rumba_clock_ns(clock) >= before);
        }
        assert!(rumba_clock_ns(0) > 1_600_000_000_000_000_000);
    }
}
