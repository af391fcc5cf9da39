//! Passes of users over the text of a phase: `njit(stages={"typed": [pass]})`.
//!
//! Absent: where they run in the pipeline, and the check of what they return (`driver::stage_passes`).

use crate::diagnostics::to_exception;
use crate::host::{options, snapshot};
use crate::object_interp::{Scope, execute, untyped};
use crate::session::session_state::Backend;
use diag::{Diagnostic, Result, codes};
use driver::{StagePasses, UserPasses};
use ir::Printer;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use python_rt::without_gil::with_gil;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use types::Handle;

/// Asks the options of dispatchers for their passes, in one compilation.
struct OptionPasses {
    backend: Weak<Backend>,
    found: AtomicBool,
}

/// The runner of the passes of a compilation; none while no function has any.
pub(crate) fn runner(backend: &Backend) -> Option<UserPasses> {
    let has_any = backend.has_stage_passes.load(Ordering::Relaxed);
    has_any.then(|| {
        UserPasses(Arc::new(OptionPasses { backend: backend.own.clone(), found: AtomicBool::new(false) }))
    })
}

/// The passes that the options of a dispatcher give, by stage.
fn passes_of<'py>(dispatcher: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let options = dispatcher.getattr(intern!(dispatcher.py(), "targetoptions"))?.cast_into::<PyDict>()?;
    let stages = options.get_item(intern!(dispatcher.py(), "stages"))?;
    Ok(stages.map(|stages| stages.cast_into::<PyDict>()).transpose()?)
}

/// `rumba._rumba.stages`.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct Stages {
    backend: Arc<Backend>,
}

impl Stages {
    pub fn new(backend: Arc<Backend>) -> Self {
        Stages { backend }
    }

    fn read(&self, py: Python<'_>, text: &str) -> PyResult<ir::Function> {
        let func = ir::parse(text, &self.backend.session().types);
        let checked = func.and_then(|func| ir::verify(&func).map(|()| func));
        checked.map_err(|error| to_exception(py, &error))
    }
}

#[pymethods]
impl Stages {
    /// From here on compilations ask functions for their passes.
    fn enable(&self) {
        self.backend.has_stage_passes.store(true, Ordering::Relaxed);
    }

    /// The text of the Untyped phase of a function; `options` are those of a decorator.
    fn untyped(&self, function: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<String> {
        let code = snapshot::of_function(function)?;
        let declared = options::locals(&self.backend, options)?;
        let func = driver::untyped(&code, &declared).map_err(|error| to_exception(function.py(), &error))?;
        Ok(Printer::new(&func, &self.backend.session().types).to_string())
    }

    /// Raises an exception unless a text is a function that keeps the rules of its phase.
    fn verify(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        self.read(py, text).map(drop)
    }

    /// Runs a text of the Untyped phase on Python objects, with the globals and the closure of a function.
    #[pyo3(signature = (text, function, *args))]
    fn execute<'py>(
        &self,
        text: &str,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let func = self.read(function.py(), text)?;
        let values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        execute(&func, &Scope::of_function(function)?, &values)
    }

    /// Runs the Untyped phase of a function. The tracer is called before each line, with its number and the variables.
    #[staticmethod]
    #[pyo3(signature = (function, tracer, *args))]
    fn step<'py>(
        function: &Bound<'py, PyAny>,
        tracer: Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scope = Scope::of_function(function)?;
        let values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        execute(&untyped(&scope.code)?, &scope.traced(Some(tracer)), &values)
    }
}

/// Runs passes one after the other.
fn run_all(passes: &Bound<'_, PyAny>, text: String) -> PyResult<String> {
    let mut text = PyString::new(passes.py(), &text).into_any();
    for pass in passes.cast::<PyList>()? {
        let made = pass.call1((&text,))?;
        if !made.is_instance_of::<PyString>() {
            let message =
                format!("a pass over a stage returns text, and {} gave {}", pass.repr()?, made.repr()?);
            return Err(PyTypeError::new_err(message));
        }
        text = made;
    }
    text.extract()
}

impl StagePasses for OptionPasses {
    fn found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }

    fn run(
        &self,
        function: Handle,
        stage: &str,
        text: &dyn Fn() -> Result<String>,
    ) -> Result<Option<String>> {
        let Some(backend) = self.backend.upgrade() else { return Ok(None) };
        let raised = |error: PyErr| {
            let message = format!("a pass over the {stage} stage raised an exception: {error}");
            Diagnostic::new(codes::LIBRARY, message)
        };
        with_gil(|py| {
            let Some(dispatcher) = backend.function_of(py, function) else { return Ok(None) };
            let Some(stages) = passes_of(&dispatcher).map_err(raised)? else { return Ok(None) };
            self.found.store(true, Ordering::Relaxed);
            let Some(passes) = stages.get_item(stage).map_err(raised)? else { return Ok(None) };
            run_all(&passes, text()?).map(Some).map_err(raised)
        })
    }
}
