//! The symbols of this crate that compiled code calls, and exceptions that cannot propagate through C.

use crate::callbacks::RuntimeContext;
use crate::callbacks::interrupts;
use crate::callbacks::object_ops;
use crate::callbacks::object_values;
use crate::callbacks::parallel_for;
use crate::callbacks::parallel_ufunc;
use crate::callbacks::print;
use crate::callbacks::python_calls;
use crate::callbacks::python_functions;
use crate::callbacks::ufunc_loops;
use crate::callbacks::unbox_value;
use crate::panic_guard;
use crate::plan::keepalive;
use crate::python_state::with_python;
use crate::raising::exception_chain;
use crate::raising::exceptions;
use crate::raising::raise;
use crate::values::str_object;
use abi::{RaiseSite, Runtime};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::c_void;
use types::Handle;

/// What compiled code calls in this room, by symbol.
pub fn symbols(context: &RuntimeContext) -> [(&'static str, usize); 46] {
    [
        ("rumba_box", unbox_value::box_value as *const () as usize),
        ("rumba_unbox", unbox_value::unbox_value as *const () as usize),
        ("rumba_set_exception", unbox_value::set_exception as *const () as usize),
        abi::linked!(Runtime::Ignored => ignored, _ _ _),
        abi::linked!(Runtime::FunctionAddress => function_address, _ _),
        abi::linked!(Runtime::ParallelFor => parallel_for::parallel_for, _ _ _ _),
        abi::linked!(Runtime::Print => print::print, _ _ _),
        abi::linked!(Runtime::KeepAlive => keepalive::keep_alive, _),
        abi::linked!(Runtime::Poll => interrupts::poll,),
        ("rumba_context", context.address() as usize),
        abi::linked!(Runtime::Ask => python_calls::ask, _ _ _ _ _),
        abi::linked!(Runtime::CallPython => python_functions::call, _ _ _ _ _),
        abi::linked!(Runtime::ObjectBox => object_values::box_object, _ _ _),
        abi::linked!(Runtime::ObjectUnbox => object_values::unbox_object, _ _ _ _),
        abi::linked!(Runtime::ObjectText => object_values::text, _ _),
        abi::linked!(Runtime::ObjectSingle => object_values::single, _),
        abi::linked!(Runtime::ObjectNamed => object_values::named, _ _),
        abi::linked!(Runtime::ObjectOperator => object_ops::operator, _ _ _),
        abi::linked!(Runtime::ObjectTest => object_ops::test, _ _ _),
        abi::linked!(Runtime::ObjectGetattr => object_ops::getattr, _ _ _),
        abi::linked!(Runtime::ObjectSetattr => object_ops::setattr, _ _ _ _),
        abi::linked!(Runtime::ObjectSetitem => object_ops::setitem, _ _ _),
        abi::linked!(Runtime::ObjectNext => object_ops::next, _ _),
        abi::linked!(Runtime::ObjectCall => object_ops::call, _ _ _ _ _),
        abi::linked!(Runtime::ObjectCallEx => object_ops::call_ex, _ _ _),
        abi::linked!(Runtime::ObjectUnpack => object_ops::unpack, _ _ _ _),
        abi::linked!(Runtime::ObjectBuild => object_ops::build, _ _ _),
        abi::linked!(Runtime::UfuncLoop => ufunc_loops::find, _ _),
        abi::linked!(Runtime::RunUfuncLoop => ufunc_loops::run, _ _ _ _),
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
        abi::linked!(Runtime::CaughtContext => exception_chain::set_context, _ _),
        abi::linked!(Runtime::CaughtCause => exception_chain::set_cause, _ _),
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
/// `context` is null or the context of the code that calls this; both records are of that code.
unsafe extern "C" fn ignored(context: *const c_void, status: *const RaiseSite, callback: *const RaiseSite) {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        if context.is_null() || pyo3::ffi::Py_IsInitialized() == 0 {
            return;
        }
        let registry = RuntimeContext::at(context).cx().registries();
        // The thread may have let go of Python, or be one that Python does not know.
        let show = |py: Python<'_>| {
            // No exception may be made while another is set.
            let pending = PyErr::take(py);
            let error = raise::exception_of(py, &*status, &|number| registry.class(py, Handle(number)));
            let name = (*callback).function().unwrap_or_default();
            if name.starts_with(UFUNC_LOOP) {
                // NumPy looks for it when the loop returns. That of the first row stays.
                pending.unwrap_or(error).restore(py);
                parallel_ufunc::note_failure();
                return Ok(());
            }
            if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                // It comes again when Python runs again.
                pyo3::ffi::PyErr_SetInterrupt();
            } else {
                error.write_unraisable(py, Some(PyString::new(py, &name).as_any()));
            }
            if let Some(pending) = pending {
                pending.restore(py);
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

/// The address of the C function that a function value stands for.
pub fn c_address(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let py = value.py();
    py.import(intern!(py, "rumba.c_interop.callbacks"))?
        .call_method1(intern!(py, "address_of"), (value,))?
        .extract()
}
