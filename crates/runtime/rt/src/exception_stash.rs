//! Exceptions on their way while other code runs: a generator that is given up may raise and catch some of its own, in its
//! `finally` blocks.
//!
//! What an exception keeps in the thread is put aside meanwhile: its arguments, and the calls that it came through. Exceptions that
//! are raised again have a stack of their own (`python_rt`).

use crate::exception_args::{PAYLOAD_WORDS, payload, set_payload};
use crate::trace::{Trace, exchange_trace};
use std::cell::RefCell;

/// What was put aside.
type Aside = ([u64; PAYLOAD_WORDS], Trace);

thread_local! {
    static ASIDE: RefCell<Vec<Aside>> = const { RefCell::new(Vec::new()) };
}

/// Puts aside what the thread keeps of an exception.
pub(crate) extern "C" fn rumba_stash_exception() {
    let kept = (payload(), exchange_trace(Trace::NONE));
    ASIDE.with_borrow_mut(|aside| aside.push(kept));
}

/// Puts back what was put aside last.
pub(crate) extern "C" fn rumba_unstash_exception() {
    if let Some((arguments, trace)) = ASIDE.with_borrow_mut(Vec::pop) {
        set_payload(&arguments);
        exchange_trace(trace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{rumba_through, take_trace};

    #[test]
    fn what_is_on_its_way_stays() {
        let arguments = std::array::from_fn(|at| at as u64);
        set_payload(&arguments);
        rumba_through(8, 1);
        rumba_stash_exception();
        set_payload(&[0; PAYLOAD_WORDS]);
        rumba_through(16, 2);
        rumba_unstash_exception();
        let mut sites = Vec::new();
        take_trace(8, |taken| sites.extend_from_slice(taken));
        assert_eq!((payload(), sites), (arguments, vec![1]));
    }
}
