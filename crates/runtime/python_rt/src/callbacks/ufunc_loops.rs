//! Inner loops of C ufuncs, as compiled code calls them: by module, ufunc name, and type characters.

use crate::panic_guard;
use crate::python_state::with_python;
use numpy::npyffi::{PyUFuncObject, npy_intp};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::{LazyLock, PoisonError, RwLock};

/// A loop, and what it is called with after the operands. It stays for ever, since code keeps its address.
#[derive(Clone, Copy)]
struct InnerLoop {
    function: unsafe extern "C" fn(*mut *mut c_char, *mut npy_intp, *mut npy_intp, *mut c_void),
    data: *mut c_void,
}

// SAFETY: NumPy calls loops from any thread with the same data, which they only read.
unsafe impl Send for InnerLoop {}
// SAFETY: as above.
unsafe impl Sync for InnerLoop {}

/// Loops by their names.
static FOUND: LazyLock<RwLock<HashMap<Box<[u8]>, &'static InnerLoop>>> = LazyLock::new(RwLock::default);

/// Where a loop's record stands; null if there is none.
///
/// # Safety
/// `length` bytes can be read at `name`.
pub unsafe extern "C" fn find(name: *const u8, length: i64) -> *const c_void {
    // SAFETY: the caller's promise.
    let name = unsafe { std::slice::from_raw_parts(name, length as usize) };
    if let Some(&known) = FOUND.read().unwrap_or_else(PoisonError::into_inner).get(name) {
        return std::ptr::from_ref(known).cast();
    }
    // SAFETY: any thread may ask.
    if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
        return std::ptr::null();
    }
    let look = |py: Python<'_>| Ok(look_up(py, name).ok());
    // SAFETY: Python is initialized.
    let found = unsafe { with_python(|| panic_guard::enter("the loop of a ufunc", None, look)) };
    let Some(found) = found else { return std::ptr::null() };
    let mut known = FOUND.write().unwrap_or_else(PoisonError::into_inner);
    let record = *known.entry(name.into()).or_insert_with(|| Box::leak(Box::new(found)));
    std::ptr::from_ref(record).cast()
}

/// Calls the loop of a record for a number of items at addresses, with the given strides.
///
/// # Safety
/// `find` gave the record, and the vectors and what they point to are what the loop reads and writes.
pub unsafe extern "C" fn run(
    record: *const c_void,
    addresses: *mut c_void,
    lengths: *mut c_void,
    steps: *mut c_void,
) {
    // SAFETY: the caller's promise; records live for ever.
    unsafe {
        let InnerLoop { function, data } = *record.cast::<InnerLoop>();
        function(addresses.cast(), lengths.cast(), steps.cast(), data);
    }
}

/// `module:ufunc:types`, where the types are those of `ufunc.types`.
fn look_up(py: Python<'_>, name: &[u8]) -> PyResult<InnerLoop> {
    let unknown = || PyTypeError::new_err("no such loop");
    let name = std::str::from_utf8(name).map_err(|_| unknown())?;
    let mut parts = name.splitn(3, ':');
    let (Some(module), Some(ufunc), Some(types)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(unknown());
    };
    let class = py.import("numpy")?.getattr("ufunc")?;
    let ufunc = py.import(module)?.getattr(ufunc)?;
    if !ufunc.is_instance(&class)? {
        return Err(unknown());
    }
    let known: Vec<String> = ufunc.getattr("types")?.extract()?;
    let at = known.iter().position(|known| known == types).ok_or_else(unknown)?;
    // SAFETY: it is a ufunc, whose tables have as many entries as it has types.
    unsafe {
        let ufunc = &(*ufunc.as_ptr().cast::<PyUFuncObject>()).fields;
        let data = if ufunc.data.is_null() { std::ptr::null_mut() } else { *ufunc.data.add(at) };
        let function = (*ufunc.functions.add(at)).ok_or_else(unknown)?;
        Ok(InnerLoop { function, data })
    }
}
