//! What a call needs of a compiled function: its entry, the dispatch key, and how it runs.
//!
//! Absent: which entry serves a call, and what makes one.

mod fingerprint;
pub mod run;
mod specialization;

pub use fingerprint::{Fingerprint, Quick, of as fingerprint_of, quick};
pub use specialization::{Entry, STACK_WORDS, Specialization};
