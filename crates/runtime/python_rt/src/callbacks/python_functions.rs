//! Calls of Python functions from compiled code: arguments are boxed, and the result is converted to the declared type.
//!
//! Absent: which functions these are (`global_values`), blocks as functions (`python_blocks`).

use crate::callbacks::RuntimeContext;
use crate::callbacks::call_plan::{CallPlan, Taken};
use crate::callbacks::unbox_value::{hold_owners, take_by};
use crate::data_model::ValueWords;
use crate::panic_guard;
use crate::plan::BoxingCx;
use crate::plan::borrowed_lists::BorrowedLists;
use crate::python_state::attached;
use entity::EntityRef;
use pyo3::exceptions::{PyNotImplementedError, PySystemError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};
use types::{Type, TypeData};

/// The exception is set in Python.
const RAISED: u64 = 1;
const DONE: u64 = 0;

/// Calls a Python function. Not 0 with an exception set if something goes wrong.
///
/// # Safety
/// `context` is the context of the code that calls this, the function is alive, the words are those of arguments of the types that the type
/// of this number says, and there is room for the result.
pub unsafe extern "C" fn call(
    context: *const c_void,
    function: *mut ffi::PyObject,
    ty: u64,
    words: *const u64,
    out: *mut u64,
) -> u64 {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        attached(RAISED, || {
            panic_guard::enter("a call of a Python function", RAISED, |py| {
                let context = RuntimeContext::at(context);
                let cx = context.cx();
                let plan = call_plan(context, Type::new(ty as usize))?;
                let result = plan.run(py, cx, function, words)?;
                plan.take(cx, &result, out)?;
                Ok(DONE)
            })
        })
    }
}

/// # Safety
/// As for [`RuntimeContext::cx`].
unsafe fn call_plan(context: &RuntimeContext, ty: Type) -> PyResult<Arc<CallPlan>> {
    // SAFETY: the caller's promise.
    context.call_plans.of(ty, || make_call_plan(unsafe { context.cx() }, ty))
}

fn make_call_plan(cx: &dyn BoxingCx, ty: Type) -> PyResult<CallPlan> {
    let types = &cx.registries().types;
    let TypeData::PythonFunction { name, params: Some(params), result, outgoing } = types.get(ty) else {
        return Err(PySystemError::new_err("a function that Python does not run"));
    };
    let boxed = |&param: &Type| {
        let boxing = cx.boxing(param).ok_or_else(|| {
            let what = format!("a value of type {} cannot be passed to Python code", types.name(param));
            PyNotImplementedError::new_err(what)
        })?;
        Ok((param, boxing))
    };
    let params = params.iter().map(boxed).collect::<PyResult<_>>()?;
    let taken = |&ty: &Type| {
        let ValueWords { count, owners } = cx.words(ty);
        Taken { ty, words: count, owners, step: OnceLock::new() }
    };
    let results = match types.elements(result) {
        Some(elements) if outgoing.len() > 1 => elements.iter().map(taken).collect(),
        _ => [taken(&result)].into(),
    };
    Ok(CallPlan { name, params, outgoing, results })
}

impl CallPlan {
    /// Calls the function; the words are used up.
    unsafe fn run<'py>(
        &self,
        py: Python<'py>,
        cx: &dyn BoxingCx,
        function: *mut ffi::PyObject,
        mut words: *const u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut args: SmallVec<[Bound<'py, PyAny>; 8]> = SmallVec::new();
        let (mut lists, mut failed) = (BorrowedLists::default(), None);
        for (ty, boxing) in &self.params {
            // SAFETY: the caller's promise. What a failing call does not take over is released.
            unsafe {
                if failed.is_none() {
                    match lists.object(py, boxing, *ty, words) {
                        Ok(made) => args.push(made),
                        Err(error) => failed = Some(error),
                    }
                } else {
                    release(cx, *ty, words);
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
        let taken = lists.take_back(cx);
        result.and_then(|result| taken.map(|()| result))
    }

    /// Writes the words of a result.
    unsafe fn take(&self, cx: &dyn BoxingCx, result: &Bound<'_, PyAny>, out: *mut u64) -> PyResult<()> {
        if let [only] = &self.results[..] {
            // SAFETY: the caller has room for the words.
            return unsafe { self.take_one(cx, (0, only), result, out) };
        }
        let mut at = 0;
        for (number, (item, taken)) in result.cast::<PyTuple>()?.iter().zip(&self.results).enumerate() {
            // SAFETY: the same.
            if let Err(error) = unsafe { self.take_one(cx, (number, taken), &item, out.add(at)) } {
                let mut before = 0;
                for taken in &self.results[..number] {
                    // SAFETY: these words were written.
                    unsafe { release(cx, taken.ty, out.add(before)) };
                    before += taken.words;
                }
                return Err(error);
            }
            at += taken.words;
        }
        Ok(())
    }

    /// Writes the words of one value of a result.
    unsafe fn take_one(
        &self,
        cx: &dyn BoxingCx,
        (number, taken): (usize, &Taken),
        value: &Bound<'_, PyAny>,
        out: *mut u64,
    ) -> PyResult<()> {
        // SAFETY: the caller has room for the words.
        let found = unsafe {
            if let Some(step) = taken.step.get() {
                if step.unbox(value.as_ptr(), out).is_some() {
                    return hold_owners(&taken.owners, out);
                }
                drop(PyErr::take(value.py()));
            }
            take_by(cx, value, taken.ty, out)
        };
        match found {
            Ok(step) => {
                if let Some(step) = step {
                    let _ = taken.step.set(step);
                }
                Ok(())
            }
            Err(error) => {
                let (what, verb) = match self.outgoing.get(number) {
                    Some(name) => (format!("`{name}` of an objmode block is declared to be"), "is"),
                    None => (format!("`{}` is declared to return", self.name), "returned"),
                };
                Err(mismatch(cx, value, taken.ty, error, (&what, verb)))
            }
        }
    }
}

/// Gives up what words hold.
unsafe fn release(cx: &dyn BoxingCx, ty: Type, words: *const u64) {
    for owner in cx.words(ty).owners {
        // SAFETY: the caller says that the words are those of a value of this type.
        rt::decref(unsafe { *words.add(owner) });
    }
}

/// What is said of a value of another type than the declared one; what Python code raised while it was looked at stays.
fn mismatch(
    cx: &dyn BoxingCx,
    value: &Bound<'_, PyAny>,
    declared: Type,
    error: PyErr,
    (what, verb): (&str, &str),
) -> PyErr {
    let py = value.py();
    // Python's own containers are refused as such where one of `rumba.typed` is declared.
    let is_container = error.get_type(py).name().is_ok_and(|name| name == "UnsupportedError");
    if !is_container && !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let types = &cx.registries().types;
    let class =
        || value.get_type().name().map(|name| format!("an object of class '{name}'")).unwrap_or_default();
    let found = match cx.value_type(value) {
        Ok(found) if found != declared => types.name(found),
        _ => class(),
    };
    let said = PyTypeError::new_err(format!("{what} {} and {verb} {found}", types.name(declared)));
    said.set_cause(py, Some(error));
    said
}
