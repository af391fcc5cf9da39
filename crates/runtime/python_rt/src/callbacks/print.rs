//! `print` in compiled code: boxes the arguments and calls Python's.

use crate::callbacks::RuntimeContext;
use crate::panic_guard;
use crate::plan::BoxingCx;
use crate::python_state::with_python;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::ffi::c_void;
use types::{LiteralValue, Type, TypeData};

/// Names of the values before those that are printed.
const OPTIONS: [&str; 4] = ["sep", "end", "flush", "file"];

/// The exception is set in Python.
const RAISED: u64 = 1;
const DONE: u64 = 0;

/// Prints values: each is the number of its type and its words. Not 0 with an exception set if something goes wrong.
///
/// # Safety
/// `context` is null or the context of the code that calls this; there are this many values, of the types with these numbers.
pub unsafe extern "C" fn print(context: *const c_void, count: u64, words: *const u64) -> u64 {
    // SAFETY: the caller's promise. Python may have ended before a thread of C calls once more.
    unsafe {
        if context.is_null() || ffi::Py_IsInitialized() == 0 {
            return DONE;
        }
        let cx = RuntimeContext::at(context).cx();
        // The thread may have let go of Python.
        let print = |py: Python<'_>| print_values(py, cx, count, words).map(|()| DONE);
        with_python(|| panic_guard::enter("print", RAISED, print))
    }
}

unsafe fn print_values(py: Python<'_>, cx: &dyn BoxingCx, count: u64, mut words: *const u64) -> PyResult<()> {
    let mut values = Vec::new();
    for _ in 0..count {
        // SAFETY: the caller's promise.
        values.push(unsafe {
            let ty = cx.numbered_type(*words);
            let ty =
                ty.ok_or_else(|| PyTypeError::new_err("a value of an unknown type cannot be printed"))?;
            words = words.add(1);
            value(py, cx, ty, &mut words)?
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
    cx: &dyn BoxingCx,
    ty: Type,
    words: &mut *const u64,
) -> PyResult<Bound<'py, PyAny>> {
    let types = &cx.registries().types;
    match types.get(ty) {
        // What Python has there now.
        TypeData::Function(name) => {
            let (module, attribute) = name.rsplit_once('.').unwrap_or(("builtins", &name));
            return py.import(module)?.getattr(attribute);
        }
        TypeData::Literal(LiteralValue::Str(text)) => return Ok(PyString::new(py, &text).into_any()),
        TypeData::Tuple(elements) => {
            // SAFETY: the words of a tuple are those of its elements.
            let items: PyResult<Vec<_>> =
                elements.iter().map(|&element| unsafe { value(py, cx, element, words) }).collect();
            return Ok(PyTuple::new(py, items?)?.into_any());
        }
        TypeData::FixedList(tuple) => {
            // SAFETY: a list that never changes is held as the tuple of its items.
            let items = unsafe { value(py, cx, tuple, words)? };
            return Ok(items.cast::<PyTuple>()?.to_list().into_any());
        }
        _ => {}
    }
    let boxing = cx.boxing(ty).ok_or_else(|| {
        PyTypeError::new_err(format!("a value of type {} cannot be printed", types.name(ty)))
    })?;
    let boxing = boxing.fresh();
    // SAFETY: the words are those of a value of this type.
    let made = unsafe {
        let made = boxing.make(*words);
        *words = words.add(boxing.words());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    // Halves and singles have fewer digits than the doubles that Python has for them.
    let single = match ty {
        Type::FLOAT16 => "float16",
        Type::FLOAT32 => "float32",
        Type::COMPLEX64 => "complex64",
        _ => return Ok(made),
    };
    py.import("numpy")?.getattr(single)?.call1((made,))
}
