//! Tests of this crate against the interpreters that are installed, and without them against
//! files and damaged bytes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod against_dis;
mod damage;
mod interpreters;
mod listings;
mod stdlib;
