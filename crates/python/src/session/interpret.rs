//! Runs a dispatcher's function in the reference interpreter, for tests.

use crate::diagnostics::to_exception;
use crate::object_interp::{Dispatchers, Scope, execute_typed};
use crate::session::compiled_unit::CompiledUnit;
use crate::session::session_state::Backend;
use abi::{ExceptionClass, RaiseSite};
use catalog::Key;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use python_rt::entry::run::run_attached;
use python_rt::entry::{Entry, Specialization};
use python_rt::panic_guard;
use python_rt::without_gil::with_gil;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use types::{Type, TypeTable};

/// `rumba._rumba.interpreter`.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct Interpreter {
    backend: Arc<Backend>,
}

impl Interpreter {
    pub fn new(backend: Arc<Backend>) -> Self {
        Interpreter { backend }
    }
}

#[pymethods]
impl Interpreter {
    /// Runs the Typed phase for the types of these arguments on Python objects; a tracer is told each line and the variables.
    #[pyo3(signature = (dispatcher, *args, tracer=None))]
    fn run_typed<'py>(
        &self,
        dispatcher: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        tracer: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let made = self.backend.prepare(dispatcher, args)?;
        let unit = CompiledUnit::of(&made.unit).ok_or_else(|| no_unit(dispatcher.py()))?;
        let scope = Scope::of_function(&dispatcher.getattr("__wrapped__")?)?.uncompiled()?.traced(tracer);
        let values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let backend = self.backend.clone();
        let dispatchers: Dispatchers = Arc::new(move |py, handle| backend.function_of(py, handle));
        execute_typed(&unit.compiled.typed, (&self.backend.session().types, dispatchers), &scope, &values)
    }

    /// What the compiler knows of, arrays aside, sorted: each key as the Typed phase writes it, and the parameter types of
    /// its tabled signatures.
    fn catalog(&self) -> Vec<(String, Vec<Vec<String>>)> {
        let session = self.backend.session();
        let catalog = session.catalog_of_scalars();
        let types = &session.types;
        let names = |params: &[Type]| params.iter().map(|&ty| types.name(ty)).collect();
        let rows = |key: &Key| catalog.candidates(key).into_iter().map(|(_, params)| names(params)).collect();
        let mut all: Vec<_> = catalog.keys().map(|key| (key_text(types, key), rows(key))).collect();
        all.sort();
        all
    }

    /// The dotted names of all functions that are part of the compiler, sorted, each with the names of its parameters where they can
    /// be given by keyword. Methods are called `method.name`.
    fn functions(&self) -> Vec<(String, Option<Vec<&'static str>>)> {
        let session = self.backend.session();
        let catalog = session.catalog();
        let named = |key: &Key| match key {
            Key::Function(name) => {
                Some((name.to_string(), catalog.parameter_names(name).map(|names| names.collect())))
            }
            _ => None,
        };
        let mut all: Vec<_> = catalog.keys().filter_map(named).collect();
        all.sort();
        all
    }

    /// Runs the function compiled for the types of these arguments, as the call itself would.
    #[pyo3(signature = (dispatcher, *args))]
    fn run<'py>(
        &self,
        dispatcher: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = dispatcher.py();
        let made = self.backend.prepare(dispatcher, args)?;
        let unit = CompiledUnit::of(&made.unit).ok_or_else(|| no_unit(py))?;
        let interpreter = self.backend.session().interpreter(&unit.compiled);
        let interpreter = interpreter.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let entry = Entry::new(Specialization { thunk, ..made }, Box::default(), false);
        let values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        // SAFETY: the entry was made for these arguments, and is freed here.
        unsafe {
            // What is compiled for large arguments is machine code.
            (*entry).bounded = Box::default();
            let outer = RUNNING.replace(interpreter);
            let result = run_attached(py, entry, &values, &Cell::new(false));
            RUNNING.set(outer);
            Entry::release(entry);
            Bound::from_owned_ptr_or_err(py, result?)
        }
    }
}

thread_local! {
    /// What [`thunk`] runs on this thread.
    static RUNNING: Cell<*const driver::Interpreter> = const { Cell::new(std::ptr::null()) };
}

/// An exception that Python knows of already.
static IN_PYTHON: Site = Site(RaiseSite {
    class: ExceptionClass::RuntimeError as u32,
    line: 0,
    column: u32::MAX,
    flags: RaiseSite::PENDING_IN_PYTHON,
    end_line: 0,
    end_column: u32::MAX,
    line_offset: 0,
    message: std::ptr::null(),
    message_len: 0,
    function: std::ptr::null(),
    function_len: 0,
    file: std::ptr::null(),
    file_len: 0,
});

struct Site(RaiseSite);

// SAFETY: it is only read, and its pointers are null.
unsafe impl Sync for Site {}

/// Interprets in place of machine code.
unsafe extern "C" fn thunk(words: *const u64, results: *mut u64) -> usize {
    let run = || {
        // SAFETY: whoever enters sets the interpreter, which its unit keeps alive, and passes words as machine code takes them.
        unsafe { (*RUNNING.get()).run(words, results) }
    };
    let panicked = |_| Err(diag::Diagnostic::internal("the interpreter", "it panicked"));
    let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked);
    outcome.unwrap_or_else(|diagnostic| {
        with_gil(|py| to_exception(py, &diagnostic).restore(py));
        std::ptr::from_ref(&IN_PYTHON.0) as usize
    })
}

fn key_text(types: &TypeTable, key: &Key) -> String {
    match key {
        Key::Binary(op) => format!("binary {op}"),
        Key::Inplace(op) => format!("inplace {op}"),
        Key::Unary(op) => format!("unary {op}"),
        Key::Compare(op) => format!("compare {op}"),
        Key::Getattr(name) => format!("getattr {name}"),
        Key::Setattr(name) => format!("setattr {name}"),
        Key::Function(name) => format!("call {name}"),
        Key::Construct(ty) => format!("construct {}", types.name(*ty)),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// No unit serves these arguments.
pub(crate) fn no_unit(py: Python<'_>) -> PyErr {
    let error = panic_guard::exception(py, "TypingError", "no compiled function for these arguments".into());
    error.unwrap_or_else(|error| PyTypeError::new_err(error.to_string()))
}
