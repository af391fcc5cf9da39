//! Object mode (`forceobj=True`): the interpreter runs the function, the dispatcher does the rest.
//!
//! Absent: its units (`object_unit`), the function that runs in its place, with its loops lifted out (`rumba.object_mode.lifted_loops`).

use crate::dispatcher;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};
use python_rt::panic_guard;

/// Whether the decorator's options ask for object mode.
pub(crate) fn is_asked_for(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    let forced = options.get_item(intern!(options.py(), "forceobj"))?;
    forced.map_or(Ok(false), |forced| forced.is_truthy())
}

/// Whether they ask for object mode where a function does not compile.
pub(crate) fn is_fallback(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    let wanted = options.get_item(intern!(options.py(), "fallback"))?;
    wanted.map_or(Ok(false), |wanted| wanted.is_truthy())
}

/// The arguments of a call, as the vectorcall protocol gives them.
type Arguments = (*const *mut ffi::PyObject, usize, *mut ffi::PyObject);

/// The vectorcall slot of a dispatcher in object mode: arguments are matched with parameters as for compiled code,
/// so that errors are the same, and the first call leaves a signature.
pub(crate) unsafe extern "C" fn vectorcall(
    callable: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    nargsf: usize,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are those of the protocol, and the dispatcher holds its function.
    panic_guard::enter("a call in object mode", std::ptr::null_mut(), |py| unsafe {
        let object = callable.cast::<dispatcher::DispatcherObject>();
        let count = nargsf & !ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
        dispatcher::check_arguments(py, object, args, count, kwnames)?;
        run(py, object, (args, nargsf, kwnames))
    })
}

/// A call of a function that does not compile for its arguments, `reason` where this is not known yet.
///
/// # Safety
/// The dispatcher is alive, the arguments are those of the protocol.
pub(crate) unsafe fn fall_back(
    object: *mut dispatcher::DispatcherObject,
    arguments: Arguments,
    reason: Option<PyErr>,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    panic_guard::enter("a call in object mode", std::ptr::null_mut(), |py| unsafe {
        if let Some(reason) = reason {
            let own = Bound::from_borrowed_ptr(py, object.cast());
            let module = py.import(intern!(py, "rumba.object_mode.lifted_loops"))?;
            module.call_method1(intern!(py, "tell"), (own, reason.value(py)))?;
        }
        run(py, object, arguments)
    })
}

/// Has CPython run the function, with calls of its lifted loops.
unsafe fn run(
    py: Python<'_>,
    object: *mut dispatcher::DispatcherObject,
    (args, nargsf, kwnames): Arguments,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller passes a live dispatcher and arguments of the protocol.
    unsafe {
        let executed = dispatcher::executed(py, object, |dispatcher| {
            let module = py.import(intern!(py, "rumba.object_mode.lifted_loops"))?;
            Ok(module.call_method1(intern!(py, "executed"), (dispatcher,))?.unbind())
        })?;
        // The call may make the dispatcher forget the function.
        ffi::Py_INCREF(executed);
        let result = ffi::PyObject_Vectorcall(executed, args, nargsf, kwnames);
        ffi::Py_DECREF(executed);
        Ok(result)
    }
}
