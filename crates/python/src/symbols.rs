//! What compiled code calls in this room, by symbol, and exceptions that C cannot take.

use crate::exceptions;
use crate::foreign_values;
use crate::function_value::c_address;
use crate::interrupts;
use crate::panic_guard;
use crate::parallel_for;
use crate::parallel_ufunc;
use crate::plan::pins;
use crate::print;
use crate::python_calls;
use crate::python_functions;
use crate::python_state::with_python;
use crate::raise;
use crate::session_state::Backend;
use crate::str_object;
use abi::{RaiseSite, Runtime};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::c_void;
use types::Handle;

/// What compiled code calls in this room, by symbol.
pub(crate) fn symbols(backend: *const Backend) -> [(&'static str, usize); 29] {
    [
        ("rumba_box", foreign_values::box_value as *const () as usize),
        ("rumba_unbox", foreign_values::unbox_value as *const () as usize),
        ("rumba_set_exception", foreign_values::set_exception as *const () as usize),
        abi::linked!(Runtime::Ignored => ignored, _ _ _),
        abi::linked!(Runtime::FunctionAddress => function_address, _ _),
        abi::linked!(Runtime::ParallelFor => parallel_for::parallel_for, _ _ _ _),
        abi::linked!(Runtime::Print => print::print, _ _ _),
        abi::linked!(Runtime::Pin => pins::pin, _),
        abi::linked!(Runtime::Poll => interrupts::poll,),
        ("rumba_context", backend as usize),
        abi::linked!(Runtime::Ask => python_calls::ask, _ _ _ _ _),
        abi::linked!(Runtime::CallPython => python_functions::call, _ _ _ _ _),
        abi::linked!(Runtime::HashText => str_object::hash, _ _ _),
        abi::linked!(Runtime::HashNone => str_object::hash_none,),
        abi::linked!(Runtime::Catch => exceptions::catch, _ _),
        abi::linked!(Runtime::Handled => exceptions::handled, _),
        abi::linked!(Runtime::Made => exceptions::made, _ _),
        abi::linked!(Runtime::Boxed => exceptions::boxed, _ _ _ _),
        abi::linked!(Runtime::CaughtIs => exceptions::is_a, _ _),
        abi::linked!(Runtime::StatusIs => exceptions::status_is, _ _ _),
        abi::linked!(Runtime::Forget => exceptions::forget, _ _),
        abi::linked!(Runtime::CaughtExactly => exceptions::is_exactly, _ _),
        abi::linked!(Runtime::CaughtSame => exceptions::is_same, _ _ _),
        abi::linked!(Runtime::CaughtGet => exceptions::get, _ _ _ _ _),
        abi::linked!(Runtime::CaughtStatus => exceptions::status, _),
        abi::linked!(Runtime::CaughtContext => exceptions::set_context, _ _),
        abi::linked!(Runtime::CaughtCause => exceptions::set_cause, _ _),
        abi::linked!(Runtime::StopToError => exceptions::stop_to_error, _ _),
        abi::linked!(Runtime::CaughtWords => exceptions::words, _ _ _ _),
    ]
}

/// How the names of ufuncs' loops begin (`rumba.ufuncs.c_loops`): their callers take exceptions.
const UFUNC_LOOP: &str = "<ufunc ";

/// Prints an exception that leaves a callback, as Python does with those that nobody can take; leaves it to the caller
/// who does.
///
/// # Safety
/// `backend` is the backend that compiled the code and lives as long as the module; both records are of that code.
unsafe extern "C" fn ignored(backend: *const c_void, status: *const RaiseSite, callback: *const RaiseSite) {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        let (Some(backend), true) = (backend.cast::<Backend>().as_ref(), pyo3::ffi::Py_IsInitialized() != 0)
        else {
            return;
        };
        // The thread may have let go of Python, or be one that Python does not know.
        let show = |py: Python<'_>| {
            let error = raise::exception_of(py, &*status, &|number| backend.class(py, Handle(number)));
            let name = (*callback).function().unwrap_or_default();
            if name.starts_with(UFUNC_LOOP) {
                // NumPy looks for it when the loop returns. The first one stays.
                if !PyErr::occurred(py) {
                    error.restore(py);
                }
                parallel_ufunc::note_failure();
            } else if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                // It comes again when Python runs again.
                pyo3::ffi::PyErr_SetInterrupt();
            } else {
                error.write_unraisable(py, Some(PyString::new(py, &name).as_any()));
            }
            Ok(())
        };
        with_python(|| panic_guard::enter("a callback", (), show));
    }
}

/// The address that an object tells now; null if it has none.
///
/// # Safety
/// `object` is null or alive.
unsafe extern "C" fn function_address(_: *const c_void, object: *mut pyo3::ffi::PyObject) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        if object.is_null() || pyo3::ffi::Py_IsInitialized() == 0 {
            return 0;
        }
        let find = |py: Python<'_>| Ok(c_address(&Bound::from_borrowed_ptr(py, object)).unwrap_or(0));
        with_python(|| panic_guard::enter("a function's address", 0, find))
    }
}
