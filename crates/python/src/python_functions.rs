//! Calls of Python functions out of compiled code: the arguments become objects, the result the words of what was declared.
//!
//! Absent: which functions these are (`global_values`), blocks as functions (`python_blocks`).

use crate::call_plan::CallPlan;
use crate::panic_guard;
use crate::plan::lent_lists::LentLists;
use crate::python_state::with_python;
use crate::session_state::Backend;
use crate::typeof_value;
use catalog::{machine_types, owners};
use entity::EntityRef;
use pyo3::exceptions::{PyNotImplementedError, PySystemError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::{Arc, PoisonError};
use types::{Type, TypeData, TypeTable};

/// The exception is set in Python.
const RAISED: u64 = 1;
const DONE: u64 = 0;

/// Calls a Python function. Not 0 with an exception set if something goes wrong.
///
/// # Safety
/// `backend` is the backend that compiled the code, the function is alive, the words are those of arguments of the types that the type
/// of this number says, and there is room for the result.
pub(crate) unsafe extern "C" fn call(
    backend: *const c_void,
    function: *mut ffi::PyObject,
    ty: u64,
    words: *const u64,
    out: *mut u64,
) -> u64 {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        if ffi::Py_IsInitialized() == 0 {
            return RAISED;
        }
        with_python(|| {
            panic_guard::enter("a call of a Python function", RAISED, |py| {
                let backend = &*backend.cast::<Backend>();
                let plan = backend.call_plan(Type::new(ty as usize))?;
                let result = plan.run(py, backend, function, words)?;
                plan.take(backend, &result, out)?;
                Ok(DONE)
            })
        })
    }
}

impl Backend {
    fn call_plan(&self, ty: Type) -> PyResult<Arc<CallPlan>> {
        let known = self.call_plans.0.lock().unwrap_or_else(PoisonError::into_inner).get(&ty).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let types = &self.session().types;
        let TypeData::PythonFunction { name, params: Some(params), result, outgoing } = types.get(ty) else {
            return Err(PySystemError::new_err("a function that Python does not run"));
        };
        let boxed = |&param: &Type| {
            let boxing = typeof_value::boxing(self, param).ok_or_else(|| {
                let what = format!("a value of type {} cannot be passed to Python code", types.name(param));
                PyNotImplementedError::new_err(what)
            })?;
            Ok((param, boxing))
        };
        let params = params.iter().map(boxed).collect::<PyResult<_>>()?;
        let elements = types.elements(result).filter(|_| !outgoing.is_empty()).unwrap_or_default();
        let plan = Arc::new(CallPlan { name, params, result, outgoing, elements });
        self.call_plans.0.lock().unwrap_or_else(PoisonError::into_inner).insert(ty, plan.clone());
        Ok(plan)
    }
}

impl CallPlan {
    /// Calls the function; the words are used up.
    unsafe fn run<'py>(
        &self,
        py: Python<'py>,
        backend: &Backend,
        function: *mut ffi::PyObject,
        mut words: *const u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut args: SmallVec<[Bound<'py, PyAny>; 8]> = SmallVec::new();
        let (types, mut lists, mut failed) = (&backend.session().types, LentLists::default(), None);
        for (ty, boxing) in &self.params {
            // SAFETY: the caller's promise. What a failing call does not take over is given up.
            unsafe {
                if failed.is_none() {
                    match lists.object(py, boxing, *ty, words) {
                        Ok(made) => args.push(made),
                        Err(error) => failed = Some(error),
                    }
                } else {
                    release(types, *ty, words);
                }
                words = words.add(boxing.words());
            }
        }
        let result = match failed {
            Some(error) => Err(error),
            None => {
                let pointers: SmallVec<[*mut ffi::PyObject; 8]> = args.iter().map(Bound::as_ptr).collect();
                // SAFETY: the objects are alive.
                unsafe {
                    let result = ffi::PyObject_Vectorcall(
                        function,
                        pointers.as_ptr(),
                        pointers.len(),
                        std::ptr::null_mut(),
                    );
                    Bound::from_owned_ptr_or_err(py, result)
                }
            }
        };
        let taken = lists.take_back(backend);
        result.and_then(|result| taken.map(|()| result))
    }

    /// Writes the words of a result.
    unsafe fn take(&self, backend: &Backend, result: &Bound<'_, PyAny>, out: *mut u64) -> PyResult<()> {
        let types = &backend.session().types;
        if self.outgoing.is_empty() {
            // SAFETY: the caller has room for the words.
            let taken = unsafe { backend.take(result, self.result, out) };
            return taken.map_err(|error| {
                let what = format!("`{}` is declared to return", self.name);
                mismatch(backend, result, self.result, error, (&what, "returned"))
            });
        }
        let mut at = 0;
        for (number, item) in result.cast::<PyTuple>()?.iter().enumerate() {
            let ty = self.elements[number];
            // SAFETY: the same.
            if let Err(error) = unsafe { backend.take(&item, ty, out.add(at)) } {
                let mut taken = 0;
                for &element in &self.elements[..number] {
                    // SAFETY: these words were written.
                    unsafe { release(types, element, out.add(taken)) };
                    taken += machine_types(types, element).len();
                }
                let what = format!("`{}` of an objmode block is declared to be", self.outgoing[number]);
                return Err(mismatch(backend, &item, ty, error, (&what, "is")));
            }
            at += machine_types(types, ty).len();
        }
        Ok(())
    }
}

/// Gives up what words hold.
unsafe fn release(types: &TypeTable, ty: Type, words: *const u64) {
    for owner in owners(types, ty) {
        // SAFETY: the caller says that the words are those of a value of this type.
        let word = unsafe { *words.add(owner) };
        if word & 1 == 0 {
            rt::release(word);
        }
    }
}

/// What is said of a value of another type than the declared one; what Python code raised while it was looked at stays.
fn mismatch(
    backend: &Backend,
    value: &Bound<'_, PyAny>,
    declared: Type,
    error: PyErr,
    (what, verb): (&str, &str),
) -> PyErr {
    let py = value.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let types = &backend.session().types;
    let class =
        || value.get_type().name().map(|name| format!("an object of class '{name}'")).unwrap_or_default();
    let found = match typeof_value::type_of(backend, value) {
        Ok(found) if found != declared => types.name(found),
        _ => class(),
    };
    let said = PyTypeError::new_err(format!("{what} {} and {verb} {found}", types.name(declared)));
    said.set_cause(py, Some(error));
    said
}
