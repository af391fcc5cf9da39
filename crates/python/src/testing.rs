//! A compiler that knows a few functions by name, to test and time the dispatcher alone.

use crate::dispatcher::DispatcherClass;
use crate::session::Session;
use crate::session::compiler::{Argument, Compiler, Target};
use abi::{ExceptionClass, RaiseSite};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use python_rt::entry::Fingerprint;
use python_rt::entry::Specialization;
use python_rt::plan::{Boxing, Unbox};
use python_rt::unit::Unit;
use std::sync::Arc;

/// Adds `session` (over the fake compiler) and `Dispatcher`.
pub(crate) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = Arc::new(DispatcherClass::new(py)?);
    module.add("_TestingDispatcher", class.type_object(py))?;
    module.add("_testing_session", Session::new(Arc::new(FakeCompiler), class))?;
    module.add_function(wrap_pyfunction!(snapshot_bytes, module)?)?;
    Ok(())
}

/// Length of the code of a function's snapshot: what to time.
#[pyfunction]
fn snapshot_bytes(function: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(crate::host::snapshot::of_function(function)?.code.len())
}

struct FakeCompiler;

struct FakeUnit {
    signature: String,
    /// Counts live units: how a test sees that code is freed.
    _token: Option<Py<PyAny>>,
}

impl Unit for FakeUnit {
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.signature.clone().into_pyobject(py)?.into_any().unbind())
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyDict::new(py).into_any().unbind())
    }

    fn inspect(&self, stage: &str) -> Option<String> {
        (stage == "name").then(|| self.signature.clone())
    }
}

unsafe extern "C" fn add_int(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with two words and room for one result.
    unsafe { *ret = (*args).wrapping_add(*args.add(1)) };
    0
}

unsafe extern "C" fn add_float(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with two words and room for one result.
    unsafe { *ret = (f64::from_bits(*args) + f64::from_bits(*args.add(1))).to_bits() };
    0
}

unsafe extern "C" fn copy_one(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with one word and room for one result.
    unsafe { *ret = *args };
    0
}

unsafe extern "C" fn copy_two(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with two words and room for two results.
    unsafe { std::ptr::copy_nonoverlapping(args, ret, 2) };
    0
}

unsafe extern "C" fn nothing(_: *const u64, _: *mut u64) -> usize {
    0
}

unsafe extern "C" fn sum_forty(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with forty words and room for one result.
    unsafe { *ret = (0..40).map(|index| *args.add(index)).sum() };
    0
}

struct Site(RaiseSite);
// SAFETY: it points to constants.
unsafe impl Sync for Site {}

static DIVISION: Site = {
    let (message, function, file) = ("division by zero", "div", "source.py");
    Site(RaiseSite {
        class: ExceptionClass::ZeroDivisionError as u32,
        line: 42,
        column: 8,
        flags: 0,
        end_line: 42,
        end_column: 14,
        line_offset: 0,
        message: message.as_ptr(),
        message_len: message.len(),
        function: function.as_ptr(),
        function_len: function.len(),
        file: file.as_ptr(),
        file_len: file.len(),
    })
};

unsafe extern "C" fn divide(args: *const u64, ret: *mut u64) -> usize {
    // SAFETY: the tests call it with two words and room for one result.
    unsafe {
        let (left, right) = (*args as i64, *args.add(1) as i64);
        if right == 0 {
            return &raw const DIVISION.0 as usize;
        }
        *ret = left.wrapping_div(right) as u64;
    }
    0
}

/// Calls `builtins.rumba_test_hook()`: compiled code that runs Python.
unsafe extern "C" fn call_hook(_: *const u64, ret: *mut u64) -> usize {
    Python::attach(|py| {
        let hook = py.import("builtins").and_then(|all| all.getattr("rumba_test_hook"));
        let value = hook.and_then(|hook| hook.call0()).and_then(|value| value.extract::<i64>());
        // SAFETY: the tests call it with room for one result.
        unsafe { *ret = value.unwrap_or(-1) as u64 };
    });
    0
}

impl Compiler for FakeCompiler {
    fn compile(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization> {
        let name: String = target.function.getattr("__name__")?.extract()?;
        if !may_compile {
            return Err(PyTypeError::new_err("no matching definition"));
        }
        let count = arguments.len();
        let all = |wanted| arguments.iter().all(|argument| argument.fingerprint.of_value() == wanted);
        let every = |step: Unbox| vec![step; count];
        let (thunk, plan, result): (abi::Thunk, _, _) = match name.as_str() {
            "add" if all(Fingerprint::FLOAT64) => (add_float, every(Unbox::Float64), Boxing::Float64),
            "add" if all(Fingerprint::INT64) => (add_int, every(Unbox::Int64), Boxing::Int64),
            "add" => (add_float, every(Unbox::ToFloat64), Boxing::Float64),
            "div" => (divide, every(Unbox::Int64), Boxing::Int64),
            "echo" => echo(arguments[0].fingerprint)?,
            "swap" => (copy_two, every(Unbox::Int64), Boxing::Tuple([Boxing::Int64, Boxing::Bool].into())),
            "nothing" => (nothing, every(Unbox::Skip), Boxing::None),
            "forty" => (sum_forty, every(Unbox::Int64), Boxing::Int64),
            "hook" => (call_hook, every(Unbox::Int64), Boxing::Int64),
            "panics" => panic!("the compiler lost its way"),
            _ => return Err(PyRuntimeError::new_err(format!("the fake compiler does not know {name}"))),
        };
        let release_gil = target.options.contains("nogil")?;
        let keys: Vec<String> = arguments.iter().map(|one| format!("{:?}", one.fingerprint)).collect();
        let unit = FakeUnit {
            signature: format!("{name}({})", keys.join(", ")),
            _token: target
                .options
                .get_item("token")?
                .map(|token| token.call0().map(Bound::unbind))
                .transpose()?,
        };
        Ok(Specialization {
            thunk,
            arguments: plan.into(),
            result,
            release_gil,
            by_value: false,
            unit: Arc::new(unit),
        })
    }

    fn compile_signature(
        &self,
        _target: &Target<'_>,
        signature: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<dyn Unit>> {
        Ok(Arc::new(FakeUnit { signature: signature.extract()?, _token: None }))
    }

    fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        if value.is_instance_of::<pyo3::types::PyTuple>() {
            return Ok(Fingerprint::interned(7));
        }
        Err(PyTypeError::new_err(format!("cannot determine the type of {value}")))
    }
}

fn echo(kind: Fingerprint) -> PyResult<(abi::Thunk, Vec<Unbox>, Boxing)> {
    Ok(match kind.of_value() {
        Fingerprint::INT64 => (copy_one, vec![Unbox::Int64], Boxing::Int64),
        Fingerprint::UINT64 => (copy_one, vec![Unbox::UInt64], Boxing::UInt64),
        Fingerprint::FLOAT64 => (copy_one, vec![Unbox::Float64], Boxing::Float64),
        Fingerprint::BOOL => (copy_one, vec![Unbox::Bool], Boxing::Bool),
        Fingerprint::COMPLEX128 => (copy_two, vec![Unbox::Complex128], Boxing::Complex128),
        Fingerprint::NONE => (nothing, vec![Unbox::None], Boxing::None),
        other => return Err(PyTypeError::new_err(format!("cannot echo {other:?}"))),
    })
}

#[cfg(test)]
mod tests;
