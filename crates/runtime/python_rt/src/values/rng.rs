//! Random number generator states in Python: `rumba.rng_state`, and NumPy's functions for Generators.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};
use rt::random::{KERNELS, Stream, Twister, WORDS, bind_kernels, kernels_are_bound, state};

/// Fills `rumba._rumba`.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(random_state, module)?)?;
    module.add_function(wrap_pyfunction!(random_set_state, module)?)?;
    module.add_function(wrap_pyfunction!(random_seed, module)?)?;
    module.add_function(wrap_pyfunction!(random_refill, module)?)
}

/// The state of this thread for `np.random` or `random`.
fn stream<'a>(name: &str) -> PyResult<&'a mut Twister> {
    let stream = match name {
        "numpy" => Stream::Numpy,
        "random" => Stream::Python,
        _ => return Err(PyValueError::new_err("the states are those of 'numpy' and 'random'")),
    };
    // SAFETY: the state of this thread, which only lives in this call: nothing here calls Python.
    Ok(unsafe { &mut *state(stream) })
}

/// The number of the next word and the words of this thread's state.
#[pyfunction]
fn random_state(name: &str) -> PyResult<(u32, Vec<u32>)> {
    let (at, words) = stream(name)?.state();
    Ok((at, words.to_vec()))
}

/// Sets this thread's state.
#[pyfunction]
fn random_set_state(name: &str, at: u32, words: Vec<u32>) -> PyResult<()> {
    let words: [u32; WORDS] = words.try_into().map_err(|_| PyValueError::new_err("a state has 624 words"))?;
    stream(name)?.set_state(at, &words);
    Ok(())
}

/// Seeds this thread's state by one word, by some, or by chance.
#[pyfunction]
#[pyo3(signature = (name, words=None))]
fn random_seed(name: &str, words: Option<Vec<u32>>) -> PyResult<()> {
    let state = stream(name)?;
    match words.as_deref() {
        None => state.seed_by_chance(),
        Some([seed]) => state.seed(*seed),
        Some([]) => return Err(PyValueError::new_err("Seed must be non-empty")),
        Some(words) => state.seed_words(words),
    }
    Ok(())
}

/// Makes the next block of words.
#[pyfunction]
fn random_refill(name: &str) -> PyResult<()> {
    stream(name)?.refill();
    Ok(())
}

/// Whether a value is a `numpy.random.Generator`. NumPy's functions for such objects are then bound.
pub fn is_generator(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?.cast_into::<PyDict>()?;
    let Some(module) = modules.get_item(intern!(py, "numpy.random._generator"))? else { return Ok(false) };
    if !value.get_type().is(&module.getattr(intern!(py, "Generator"))?) {
        return Ok(false);
    }
    if !kernels_are_bound() {
        bind_kernels(find_kernels(&module)?);
    }
    Ok(true)
}

/// The addresses of the functions of NumPy's C API for random numbers: its extension module exports them.
fn find_kernels(module: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let library = module.py().import("ctypes")?.getattr("CDLL")?.call1((module.getattr("__file__")?,))?;
    let addresses = module.py().import("rumba.rng_state")?.getattr("address")?;
    let find = |name: &&str| {
        let found: PyResult<usize> = addresses.call1((&library, name))?.extract();
        found.map_err(|_| {
            let text = format!(
                "compiled code draws from Generators by NumPy's function {name}, which this NumPy lacks"
            );
            PyTypeError::new_err(text)
        })
    };
    KERNELS.iter().map(find).collect()
}

/// Writes the words of a Generator: its bit generator as C sees it, and the owner word of the borrowed object.
///
/// # Safety
/// With the GIL; `object` is a Generator, and two words fit to `out`.
pub unsafe fn unbox(object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    Python::attach(|py| {
        // SAFETY: the caller's promise.
        let value = unsafe { Bound::from_borrowed_ptr(py, object) };
        let bits = value.getattr(intern!(py, "bit_generator")).ok()?;
        let capsule = bits.getattr(intern!(py, "capsule")).ok()?;
        // SAFETY: the name is checked; what the capsule points to belongs to the bit generator, which the Generator keeps.
        unsafe {
            let address = ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"BitGenerator".as_ptr());
            if address.is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            *out = address as u64;
            *out.add(1) = object as u64 | 1;
        }
        Some(2)
    })
}
