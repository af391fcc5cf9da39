//! A function of a module as Python calls it: selects the entry for the argument types, and creates entries.

use crate::context::Context;
use crate::fold::Params;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use python_rt::entry::{Entry, Fingerprint, Quick, STACK_WORDS, Specialization, quick, run};
use python_rt::panic_guard;
use python_rt::plan;
use python_rt::unit::Unit;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::Arc;
use types::{Mismatch, Type, choose_overload};

/// A function. It lives as long as the process, as the machine code does.
pub(crate) struct Function {
    pub params: Params,
    pub overloads: Vec<Overload>,
    pub cx: Arc<Context>,
    /// The entry that served last and can be called without a search, or null.
    pub last: Cell<*mut Entry>,
    pub entries: RefCell<Vec<*mut Entry>>,
    pub unit: Arc<dyn Unit>,
}

/// What a function is compiled for.
pub(crate) struct Overload {
    pub params: Vec<Type>,
    pub result: Type,
    pub thunk: abi::Thunk,
    pub release_gil: bool,
}

/// The machine code of a module, which is always there.
pub(crate) struct Code;

impl Unit for Code {
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(py.None())
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(py.None())
    }

    fn inspect(&self, _: &str) -> Option<String> {
        None
    }
}

/// What Python calls: `capsule` leads to the function.
pub(crate) unsafe extern "C" fn call(
    capsule: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    kwnames: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the capsule holds a function, which is never freed; the arguments are those of the protocol. An entry lives as long as
    // the function, and the words of one that is called here fit the room on the stack.
    unsafe {
        let function = &*ffi::PyCapsule_GetPointer(capsule, std::ptr::null()).cast::<Function>();
        let count = count as usize;
        let entry = function.last.get();
        if kwnames.is_null() && !entry.is_null() && (*entry).fast_arity == count {
            let mut words = [const { MaybeUninit::<u64>::uninit() }; STACK_WORDS];
            if run::unbox_all(entry, args, words.as_mut_ptr().cast()) {
                return run::run(entry, words.as_ptr().cast());
            }
        }
        panic_guard::enter("a call", null_mut(), |py| function.call_any(py, args, count, kwnames))
    }
}

impl Function {
    #[cold]
    #[inline(never)]
    unsafe fn call_any(
        &self,
        py: Python<'_>,
        args: *const *mut ffi::PyObject,
        count: usize,
        kwnames: *mut ffi::PyObject,
    ) -> PyResult<*mut ffi::PyObject> {
        // Reading an argument ran Python code.
        if let Some(raised) = PyErr::take(py) {
            return Err(raised);
        }
        // SAFETY: the caller passes on what the protocol gave it.
        let values = unsafe { self.params.fold(py, args, count, kwnames)? };
        let key = values.iter().map(|value| self.fingerprint(value)).collect::<PyResult<Vec<_>>>()?;
        // SAFETY: entries are never freed.
        let same = |entry: &*mut Entry| unsafe { *(**entry).fingerprints == *key };
        let found = self.entries.borrow().iter().copied().find(same);
        let entry = match found {
            Some(entry) => entry,
            None => {
                let made = Entry::new(self.specialize(&values, &key)?, key.into_boxed_slice(), false);
                self.entries.borrow_mut().push(made);
                made
            }
        };
        // SAFETY: the entry lives and is for these arguments.
        unsafe {
            if (*entry).fast_arity == values.len() {
                self.last.set(entry);
            }
            run::run_attached(py, entry, &values, &Cell::new(false))
        }
    }

    fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        // SAFETY: a bound object is alive.
        match unsafe { quick(value.as_ptr()) } {
            Quick::Known(fingerprint) => Ok(fingerprint),
            // A signature may ask for a float, which holds it.
            Quick::TooBig if value.lt(0)? => Ok(Fingerprint::INT64),
            Quick::TooBig => Ok(Fingerprint::UINT64),
            Quick::Slow => self.cx.fingerprint(value),
        }
    }

    /// The machine code that takes these values best, by conversions.
    fn specialize(&self, values: &[Bound<'_, PyAny>], key: &[Fingerprint]) -> PyResult<Specialization> {
        let types = self.cx.types();
        let given: Vec<Type> = key.iter().map(|&fingerprint| self.cx.type_of(fingerprint)).collect();
        let cases = self.overloads.iter().map(|overload| &overload.params[..]);
        let exact = self.overloads.iter().position(|overload| overload.params == given);
        let chosen = match exact {
            Some(exact) => exact,
            None => {
                choose_overload(types, cases, &given, true, false).map_err(|why| self.refuse(&given, &why))?
            }
        };
        let overload = &self.overloads[chosen];
        let pairs = given.iter().zip(&overload.params);
        let steps: Option<Vec<_>> = values
            .iter()
            .zip(pairs)
            .map(|(value, (&from, &to))| plan::unboxing(&*self.cx, value, from, to))
            .collect();
        let result = plan::boxing(&*self.cx, overload.result);
        let (Some(steps), Some(result)) = (steps, result) else {
            return Err(self.refuse(&given, &Mismatch::NoMatch));
        };
        result.bind(&self.unit);
        Ok(Specialization {
            thunk: overload.thunk,
            arguments: steps.into(),
            result,
            release_gil: overload.release_gil,
            by_value: false,
            unit: self.unit.clone(),
        })
    }

    fn refuse(&self, given: &[Type], why: &Mismatch) -> PyErr {
        let types = self.cx.types();
        let shown = |index: usize| {
            let overload = &self.overloads[index];
            format!("({}) -> {}", types.names(&overload.params), types.name(overload.result))
        };
        let (what, listed): (&str, Vec<String>) = match why {
            Mismatch::NoMatch => ("No matching definition", (0..self.overloads.len()).map(shown).collect()),
            Mismatch::Ambiguous(equal) => {
                ("Ambiguous overloading", equal.iter().map(|&index| shown(index)).collect())
            }
        };
        let (name, names) = (&self.params.function, types.names(given));
        let listed = listed.join(", ");
        PyTypeError::new_err(format!(
            "{name}(): {what} for argument type(s) {names}: it was built for {listed}"
        ))
    }
}
