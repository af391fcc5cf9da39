//! The interface through which a crate has its passes timed, verified and printed.

use crate::Function;
use diag::Result;

/// Runs passes. The driver's times, verifies and prints; tests run them plainly ([`Plainly`]).
pub trait RunPass {
    /// Runs a pass, by its name in the driver's table of passes, over a function.
    ///
    /// # Errors
    /// Those of the pass, and those of the verifier about what it left.
    fn change(
        &self,
        pass: &'static str,
        func: &mut Function,
        body: &mut dyn FnMut(&mut Function) -> Result<()>,
    ) -> Result<()>;
}

/// Runs passes and does nothing else.
pub struct Plainly;

impl RunPass for Plainly {
    fn change(
        &self,
        _: &'static str,
        func: &mut Function,
        body: &mut dyn FnMut(&mut Function) -> Result<()>,
    ) -> Result<()> {
        body(func)
    }
}
