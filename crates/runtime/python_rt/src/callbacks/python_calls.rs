//! Calls into Python for strings and the like: one function, with the operation given by name.

use crate::panic_guard;
use crate::python_state::with_python;
use crate::raising::raise;
use crate::values::str_object::copy;
use pyo3::exceptions::{PyOverflowError, PySystemError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyComplexMethods, PyDict, PyTuple};

/// The exception is set in Python.
const RAISED: u64 = 1;

const DONE: u64 = 0;

/// What compiled code asks Python: a request names what is wanted, how the arguments lie in the words (as in the payload of
/// an exception, [`abi::RaiseSite::PAYLOAD`]) and what the result is. The answer is written to `out`.
///
/// A request is the result's letter, the operation, a line end, and the layout. Operations are `.name` (a method of the
/// first argument) and a function's name in `builtins` or `operator` (`operator.mod`). Results are `t` (a string), `i`, `f`,
/// `c`, `b`, and `y` (bytes as a string of one byte per character).
///
/// # Safety
/// The texts and words are as compiled code writes them.
pub unsafe extern "C" fn ask(
    request: *const u8,
    length: u64,
    words: *const u64,
    count: u64,
    out: *mut u64,
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::Py_IsInitialized() == 0 {
            return RAISED;
        }
        // The thread may have let go of Python.
        let request = std::str::from_utf8_unchecked(std::slice::from_raw_parts(request, length as usize));
        let words = std::slice::from_raw_parts(words, count as usize);
        let ask = |py: Python<'_>| answer(py, request, words).map(Some);
        match with_python(|| panic_guard::enter("a question to Python", None, ask)) {
            Some(found) => {
                out.cast::<[u64; 3]>().write(found);
                DONE
            }
            None => RAISED,
        }
    }
}

fn answer(py: Python<'_>, request: &str, words: &[u64]) -> PyResult<[u64; 3]> {
    let damaged = || PySystemError::new_err("a damaged question to Python");
    let (head, layout) = request.split_once('\n').ok_or_else(damaged)?;
    let (result, operation) = head.split_at_checked(1).ok_or_else(damaged)?;
    let args = raise::read_words(py, layout, words, false);
    // Objects were made for this question alone.
    for (_, object) in raise::owners_in(layout, words).filter(|&(letter, _)| letter == 'o') {
        // SAFETY: compiled code gives its reference up, and the arguments hold another one.
        drop(unsafe { Bound::from_owned_ptr(py, object as usize as *mut ffi::PyObject) });
    }
    let args = args.ok_or_else(damaged)??;
    let value = if let Some(method) = operation.strip_prefix('.') {
        call_method(method, &args)?
    } else {
        let (module, name) = operation.split_once('.').unwrap_or(("builtins", operation));
        call(py, module, name, &args)?
    };
    Ok(match result {
        "t" => {
            let text = copy(&value)?;
            [text.owner, text.data as u64, text.meta]
        }
        "i" => {
            let number = value.extract::<i64>();
            let large = |_| PyOverflowError::new_err("Python int too large to convert to int64");
            [number.map_err(large)?.cast_unsigned(), 0, 0]
        }
        "f" => [value.extract::<f64>()?.to_bits(), 0, 0],
        "c" => {
            let number = value.cast::<PyComplex>()?;
            [number.real().to_bits(), number.imag().to_bits(), 0]
        }
        "b" => [value.is_truthy()?.into(), 0, 0],
        "y" => bytes(value.cast::<PyBytes>()?.as_bytes())?,
        _ => return Err(damaged()),
    })
}

/// A call of a method of the first argument. Its name may be followed by `*` and the names of the last arguments.
fn call_method<'py>(method: &str, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let (method, names) = method.split_once('*').unwrap_or((method, ""));
    let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
    let by_position = args.len() - names.len();
    let named = PyDict::new(args.py());
    for (at, name) in names.into_iter().enumerate() {
        named.set_item(name, args.get_item(by_position + at)?)?;
    }
    args.get_item(0)?.call_method(method, args.get_slice(1, by_position), Some(&named))
}

fn call<'py>(
    py: Python<'py>,
    module: &str,
    name: &str,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)?.call1(args)
}

/// A copy of bytes, as a string of one byte per character.
fn bytes(content: &[u8]) -> PyResult<[u64; 3]> {
    let made =
        rt::strings::copy_bytes(content).ok_or_else(|| pyo3::exceptions::PyMemoryError::new_err(()))?;
    Ok([made.owner, made.data as u64, made.meta])
}
