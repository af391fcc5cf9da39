//! Calls of compiled functions as values.

use python_rt::unit::Unit;
use std::sync::Arc;
use types::Type;

/// Where compiled code and C (0 if it cannot) call a compiled function, and whether it may fail.
#[derive(Clone, Copy)]
pub(crate) struct FunctionAddresses {
    pub native: usize,
    pub c: usize,
    pub can_fail: bool,
}

/// A compiled function as a value: its type, where it is called, and what keeps the code alive.
pub(crate) struct Made {
    pub ty: Type,
    pub addresses: FunctionAddresses,
    pub unit: Arc<dyn Unit>,
}
