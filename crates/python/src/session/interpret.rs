//! Runs a dispatcher's function in the reference interpreter, for tests.

use crate::diagnostics::to_exception;
use crate::object_interp::{Scope, execute_typed};
use crate::session::compiled_unit::CompiledUnit;
use crate::session::session_state::Backend;
use catalog::Key;
use interp::Outcome;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use python_rt::panic_guard;
use python_rt::raising::raise;
use python_rt::unit::Unit;
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
        let (unit, ..) = self.backend.prepare(dispatcher, args)?;
        let scope = Scope::of_function(&dispatcher.getattr("__wrapped__")?)?.traced(tracer);
        let values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let dispatchers = |handle| self.backend.function_of(dispatcher.py(), handle);
        execute_typed(&unit.compiled.typed, (&self.backend.session().types, &dispatchers), &scope, &values)
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

    /// Runs the function compiled for the types of these arguments, as the call itself would.
    #[pyo3(signature = (dispatcher, *args))]
    fn run<'py>(
        &self,
        dispatcher: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = dispatcher.py();
        let (unit, words, result) = self.backend.prepare(dispatcher, args)?;
        let root = &unit.compiled.lowered.members[0].func;
        if root.results.contains(&ir::Native::Ptr) {
            return Err(PyNotImplementedError::new_err(format!(
                "the interpreter of the Explicit phase cannot give Python the result of `{}`, which refers to its own memory",
                root.name
            )));
        }
        let interpreted = driver::interpret(&unit.compiled, &self.backend.session().types, &words);
        let interpreted = interpreted.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        match interpreted.outcome {
            Outcome::Returned(values) => {
                let words: Vec<u64> = values.iter().map(|word| widen(*word)).collect();
                // SAFETY: the interpreter gave one word per part of the result's type.
                unsafe { Bound::from_owned_ptr_or_err(py, result.make(words.as_ptr())) }
            }
            Outcome::Failed(site) => {
                let class = match site.user_class {
                    Some(number) => unit.exception_class(py, number).ok_or_else(|| no_unit(py))?,
                    None => py.import(site.class.module())?.getattr(site.class.name())?.unbind(),
                };
                let payload = site.payload.then_some(&interpreted.payload[..]);
                Err(raise::make(class.bind(py), site.message.as_deref(), payload)?)
            }
        }
    }
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

/// A word as a thunk would store it: integers extended by their sign.
fn widen(word: interp::Word) -> u64 {
    word.bits()
}

/// No unit serves these arguments.
pub(crate) fn no_unit(py: Python<'_>) -> PyErr {
    let error = panic_guard::exception(py, "TypingError", "no compiled function for these arguments".into());
    error.unwrap_or_else(|error| PyTypeError::new_err(error.to_string()))
}

/// The unit, unboxed words and boxing plan of a call.
pub(crate) type Prepared = (Arc<CompiledUnit>, Vec<u64>, python_rt::plan::Boxing);
