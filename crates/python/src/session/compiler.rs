//! The compiler interface of the dispatcher. The session implements it, and tests use a fake.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use python_rt::entry::Fingerprint;
use python_rt::entry::Specialization;
use python_rt::panic_guard;
use python_rt::unit::Unit;
use std::sync::Arc;

/// The function a request is about.
pub struct Target<'py> {
    /// The dispatcher itself.
    pub dispatcher: Bound<'py, PyAny>,
    /// The decorated Python function.
    pub function: Bound<'py, PyAny>,
    /// The decorator's options, as written.
    pub options: Bound<'py, PyDict>,
    /// What was compiled for this dispatcher so far, oldest first.
    pub units: Vec<Arc<dyn Unit>>,
}

/// One argument of the call that needs a specialization.
pub struct Argument<'py> {
    /// Key of the argument; says also whether it was omitted.
    pub fingerprint: Fingerprint,
    /// The value, given by the caller or taken from the defaults.
    pub value: Bound<'py, PyAny>,
}

/// What a function is to be compiled for.
#[derive(Clone, Copy)]
pub enum CompileFor<'a, 'py> {
    /// A call with these arguments.
    Arguments(&'a [Argument<'py>]),
    /// An explicit signature.
    Signature(&'a Bound<'py, PyAny>),
}

/// Makes specializations. Methods are called with the GIL and without any lock or borrow of the
/// dispatcher: they may run Python code, which may call the same dispatcher.
pub trait Compiler: Send + Sync {
    /// A specialization that serves a call with these arguments, one per parameter (`*args` as one
    /// tuple, at the end). It may be a unit of the target's that is there already, reached by
    /// another plan. Called once per combination of fingerprints.
    ///
    /// With `may_compile` false (after explicit signatures) only units that exist may serve.
    fn compile(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization>;

    /// Compiles for an explicit signature: a string, a tuple of types or a signature object.
    fn compile_signature(&self, target: &Target<'_>, signature: &Bound<'_, PyAny>)
    -> PyResult<Arc<dyn Unit>>;

    /// The same, for C to call instead of Python.
    fn compile_callback(
        &self,
        target: &Target<'_>,
        _signature: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<dyn Unit>> {
        let message = "this compiler makes no functions for C".to_owned();
        Err(panic_guard::exception(target.function.py(), "UnsupportedError", message)?)
    }

    /// Announces a compilation to the listener, if there is one and nothing serves the request yet. What it gives is called with the
    /// exception, or None, once the dispatcher has what was compiled.
    fn announce<'py>(
        &self,
        _target: &Target<'py>,
        _request: CompileFor<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(None)
    }

    /// Whom compilations are announced to: called with the dispatcher and the types of its arguments. None ends it.
    fn set_listener(&self, _listener: Option<Py<PyAny>>) {}

    /// How many units of machine code are in memory.
    fn live_units(&self) -> usize {
        0
    }

    /// The dotted name under which the compiler knows a function, an operator or a class.
    fn function_name(&self, _value: &Bound<'_, PyAny>) -> Option<String> {
        None
    }

    /// The types of arguments for which a dispatcher was compiled as part of other functions, since this was asked last.
    fn reached<'py>(&self, _dispatcher: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        Ok(Vec::new())
    }

    /// The key of a value whose type dispatch does not know by heart. Equal keys promise that the
    /// same specialization serves.
    fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("cannot determine the type of a value of class '{kind}'")))
    }

    /// The key of a value without a type, where one of the units takes any object.
    fn fingerprint_of_object(&self, _units: &[Arc<dyn Unit>]) -> Option<Fingerprint> {
        None
    }

    /// The key of any object, for functions that may do with objects what they cannot do otherwise.
    fn object_fingerprint(&self) -> Option<Fingerprint> {
        None
    }

    /// The same arguments with containers as objects; nothing where there are none.
    fn with_containers_as_objects<'py>(&self, _arguments: &[Argument<'py>]) -> Option<Vec<Argument<'py>>> {
        None
    }
}

/// Stands where no compiler is: dispatchers can be made and looked at, calls are errors.
pub struct Absent;

impl Absent {
    fn error(&self, py: Python<'_>) -> PyErr {
        let message = "this build of Rumba has no compiler".to_owned();
        panic_guard::exception(py, "UnsupportedError", message).unwrap_or_else(|error| error)
    }
}

impl Compiler for Absent {
    fn compile(&self, target: &Target<'_>, _: &[Argument<'_>], _: bool) -> PyResult<Specialization> {
        Err(self.error(target.function.py()))
    }

    fn compile_signature(&self, target: &Target<'_>, _: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Unit>> {
        Err(self.error(target.function.py()))
    }
}
