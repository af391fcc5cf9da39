//! The only room that knows Python: dispatcher, boxing, exceptions, and the extension module.
//!
//! The dispatcher reaches the compiler through [`compiler::Compiler`] alone.

pub mod compiler;
pub mod diagnostics;
pub mod dispatcher;
pub mod fingerprint;
pub mod guard;
pub mod plan;
pub mod session;
pub mod snapshot;
pub mod specialization;

mod long;
mod raise;
#[cfg(any(test, feature = "testing"))]
mod testing;

use dispatcher::DispatcherClass;
use pyo3::prelude::*;
use session::Session;
use std::sync::Arc;

/// Fills `rumba._rumba`.
#[pymodule]
fn _rumba(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let class = Arc::new(DispatcherClass::new(module.py())?);
    module.add("Dispatcher", class.type_object(module.py()))?;
    module.add("session", Session::new(Arc::new(compiler::Absent), class))?;
    #[cfg(any(test, feature = "testing"))]
    testing::fill(module)?;
    Ok(())
}
