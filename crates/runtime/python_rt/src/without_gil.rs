//! Runs compiler work without the GIL.
//!
//! Such work takes locks that no fork may find closed, so it continues inside the gate that forks go through; what
//! takes the GIL again in the middle goes through [`with_gil`].

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rt::fork_gate;

/// Runs work that needs no Python.
pub fn without_gil<T: Ungil + Send>(py: Python<'_>, work: impl FnOnce() -> T + Ungil + Send) -> T {
    py.detach(|| fork_gate::inside(work))
}

/// Runs Python in the middle of such work, or elsewhere. Nobody who calls this may hold a lock that others wait for.
pub fn with_gil<T>(body: impl FnOnce(Python<'_>) -> T) -> T {
    fork_gate::outside(|| Python::attach(body))
}
