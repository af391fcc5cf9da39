//! `print` in compiled code: boxes the arguments and calls Python's.

use crate::panic_guard;
use crate::python_state::with_python;
use crate::session_state::Backend;
use crate::typeof_value;
use entity::EntityRef;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::ffi::c_void;
use types::{LiteralValue, Type, TypeData};

/// Names of the values in front of those that are printed.
const OPTIONS: [&str; 3] = ["sep", "end", "flush"];

/// The exception is set in Python.
const RAISED: u64 = 1;
const DONE: u64 = 0;

/// Prints values: each is the number of its type and its words. Not 0 with an exception set if something goes wrong.
///
/// # Safety
/// `backend` is null or the backend whose types have these numbers; there are so many values.
pub(crate) unsafe extern "C" fn print(backend: *const c_void, count: u64, words: *const u64) -> u64 {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        let (Some(backend), true) = (backend.cast::<Backend>().as_ref(), ffi::Py_IsInitialized() != 0) else {
            return DONE;
        };
        // The thread may have let go of Python.
        let print = |py: Python<'_>| print_values(py, backend, count, words).map(|()| DONE);
        with_python(|| panic_guard::enter("print", RAISED, print))
    }
}

unsafe fn print_values(py: Python<'_>, backend: &Backend, count: u64, mut words: *const u64) -> PyResult<()> {
    let mut values = Vec::new();
    for _ in 0..count {
        // SAFETY: the caller's promise.
        values.push(unsafe {
            let ty = Type::new(*words as usize);
            words = words.add(1);
            value(py, backend, ty, &mut words)?
        });
    }
    let options = PyDict::new(py);
    let items = values.split_off(OPTIONS.len());
    for (name, value) in OPTIONS.iter().zip(&values) {
        if !value.is_none() {
            options.set_item(name, value)?;
        }
    }
    py.import("builtins")?.getattr("print")?.call(PyTuple::new(py, items)?, Some(&options))?;
    Ok(())
}

/// The value whose words come next.
unsafe fn value<'py>(
    py: Python<'py>,
    backend: &Backend,
    ty: Type,
    words: &mut *const u64,
) -> PyResult<Bound<'py, PyAny>> {
    let types = &backend.session().types;
    match types.get(ty) {
        TypeData::Literal(LiteralValue::Str(text)) => return Ok(PyString::new(py, &text).into_any()),
        TypeData::Tuple(elements) => {
            // SAFETY: the words of a tuple are those of its elements.
            let items: PyResult<Vec<_>> =
                elements.iter().map(|&element| unsafe { value(py, backend, element, words) }).collect();
            return Ok(PyTuple::new(py, items?)?.into_any());
        }
        TypeData::FixedList(tuple) => {
            // SAFETY: a list that never changes is held as the tuple of its items.
            let items = unsafe { value(py, backend, tuple, words)? };
            return Ok(items.cast::<PyTuple>()?.to_list().into_any());
        }
        _ => {}
    }
    let boxing = typeof_value::boxing(backend, ty).ok_or_else(|| {
        PyTypeError::new_err(format!("a value of type {} cannot be printed", types.name(ty)))
    })?;
    let boxing = boxing.fresh();
    // SAFETY: the words are those of a value of this type.
    let made = unsafe {
        let made = boxing.make(*words);
        *words = words.add(boxing.words());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    // Singles have fewer digits than the doubles that Python has for them.
    let single = match ty {
        Type::FLOAT32 => "float32",
        Type::COMPLEX64 => "complex64",
        _ => return Ok(made),
    };
    py.import("numpy")?.getattr(single)?.call1((made,))
}
