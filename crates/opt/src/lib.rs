//! Passes from Explicit to Explicit: calls of small functions give way to their bodies, calls by a known
//! address become direct, the frame becomes values, checks that pass leave loops.
//!
//! LLVM could do this, too. Here a callee's failure becomes the caller's own, so that no status is
//! made up, merged and tested again, and LLVM gets one function to look at instead of several.
//!
//! Absent: which functions there are and whether a call is worth it for the whole group (`driver`
//! knows the sizes and asks [`Policy`]), everything about types.

mod checks;
mod counters;
mod counts;
mod direct;
mod facts;
mod inline;
mod intervals;
mod linear;
mod one_counter;
mod outline;
mod places;
mod promote;
mod rare;
mod region;
mod sweep;
mod versions;

pub use counts::{drop_transfers, prune_counts};
pub use direct::make_calls_direct;
pub use inline::{Policy, calls_of, functions_named_in, inline};
pub use outline::{Outlined, late_symbol};
pub use promote::promote;
pub use versions::prepare_loops;
