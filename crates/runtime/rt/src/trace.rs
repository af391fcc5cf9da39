//! The call chain of a propagating exception, per thread: raise sites, innermost first.
//!
//! A call that fails appends its site on the way on; whoever catches the exception or turns it into one of Python's takes
//! them. The buffer is bounded: of a deep recursion the innermost calls are kept.

use std::cell::RefCell;

/// Calls that are kept.
const MAX_SITES: usize = 256;

/// Most exceptions are caught near where they were raised.
const FEW: usize = 4;

/// The status that is on its way, and the sites that it came through.
pub(crate) struct Trace {
    status: u64,
    sites: Vec<u64>,
}

impl Trace {
    /// Nothing is on its way.
    pub const NONE: Trace = Trace { status: 0, sites: Vec::new() };
}

thread_local! {
    static TRACE: RefCell<Trace> = const { RefCell::new(Trace::NONE) };
}

/// The calls that were noted; these stand in their place now.
pub(crate) fn exchange_trace(other: Trace) -> Trace {
    TRACE.replace(other)
}

/// A call at a site has failed with a status.
pub extern "C" fn rumba_through(status: u64, site: u64) {
    TRACE.with_borrow_mut(|trace| {
        // What another exception left is forgotten.
        if trace.status != status {
            trace.status = status;
            trace.sites.clear();
        }
        if trace.sites.len() < MAX_SITES {
            trace.sites.push(site);
        }
    });
}

/// Hands on the addresses of the sites that a status came through, if there are any, which are forgotten then.
pub fn take_trace(status: u64, take: impl FnOnce(&[u64])) {
    // Whoever takes them may run compiled code, so a few are copied, and of many the buffer is taken.
    let mut few = [0; FEW];
    let (count, mut sites) = TRACE.with_borrow_mut(|trace| {
        if std::mem::take(&mut trace.status) != status {
            return (0, Vec::new());
        }
        let count = trace.sites.len();
        if count > FEW {
            return (count, std::mem::take(&mut trace.sites));
        }
        for (to, site) in few.iter_mut().zip(trace.sites.drain(..)) {
            *to = site;
        }
        (count, Vec::new())
    });
    match count {
        0 => {}
        1..=FEW => take(&few[..count]),
        _ => {
            take(&sites);
            sites.clear();
            TRACE.with_borrow_mut(|trace| {
                if trace.sites.is_empty() {
                    trace.sites = sites;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_those_of_the_last_status() {
        rumba_through(8, 1);
        rumba_through(16, 2);
        rumba_through(16, 3);
        let taken = |status: u64| {
            let mut sites = Vec::new();
            take_trace(status, |taken| sites.extend_from_slice(taken));
            sites
        };
        assert_eq!(taken(16), [2, 3]);
        assert!(taken(16).is_empty());
        rumba_through(8, 1);
        assert!(taken(16).is_empty() && taken(8).is_empty());
    }
}
