//! Resolves the names that a module's machine code refers to.

use crate::context::Context;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use python_rt::callbacks::RuntimeContext;
use python_rt::callbacks::numpy_kernels::KernelTable;
use python_rt::callbacks::symbols::symbols;
use std::sync::Arc;

/// The symbol of the context, for which a module has room.
pub const CONTEXT: &str = "rumba_context";

/// How much room.
pub const CONTEXT_BYTES: usize = 256;

const _: () = assert!(size_of::<RuntimeContext>() <= CONTEXT_BYTES);

/// Whether a name is that of memory, which the linker finds in the runtime by this name. All others are functions.
pub fn is_data(name: &str) -> bool {
    ["rumba_interrupts", "rumba_latin"].contains(&name)
}

/// Writes the addresses of functions by their names; ImportError for one that nobody has.
///
/// # Safety
/// There is room for as many addresses as there are names, and for the context.
pub(crate) unsafe fn fill(
    py: Python<'_>,
    cx: &Arc<Context>,
    names: &[String],
    (room, addresses): (*mut RuntimeContext, *mut usize),
) -> PyResult<()> {
    let weak: std::sync::Weak<Context> = Arc::downgrade(cx);
    // SAFETY: the caller's promise.
    let context = unsafe {
        room.write(RuntimeContext::new(weak));
        &*room
    };
    let known = [rt::symbols(), parallel::symbols().to_vec(), symbols(context).to_vec()].concat();
    let kernels = KernelTable::default();
    let is_known = |name: &&String| known.iter().any(|(known, _)| known == *name);
    if !names.iter().all(|name| is_known(&name)) {
        py.import("numpy.linalg")?;
        kernels.look(py, cx.types());
    }
    for (index, name) in names.iter().enumerate() {
        let own = known.iter().find(|(known, _)| known == name).map(|&(_, address)| address);
        // NumPy's own sorts, where it lends them, are faster than ours.
        let address = kernels.address(name).or_else(|| vmath::address(name)).or(own).ok_or_else(|| {
            PyImportError::new_err(format!("this NumPy has no function for what the module knows as {name}"))
        })?;
        // SAFETY: the caller's promise.
        unsafe { *addresses.add(index) = address };
    }
    Ok(())
}
