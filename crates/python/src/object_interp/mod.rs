//! Runs functions of the Untyped and Typed phases on Python objects: slow, obvious, the reference for other stages.
//!
//! | file | what |
//! |---|---|
//! | `frame` | an activation: its values |
//! | `lifetimes` | where values are read for the last time |
//! | `run` | the way from block to block, exception edges |
//! | `scope` | what a function sees around it |
//! | `ops` | the ops of the table, one arm each |
//! | `python` | the ops `python "name"` |
//! | `names` | globals, closure variables, the namespace of a class body |
//! | `build` | containers and strings: building, unpacking |
//! | `call` | calls, functions made here, what asks for the caller's frame |
//! | `exceptions` | raising, handling, `with`, exception groups |
//! | `patterns` | `match` |
//! | `import` | `import` and its forms |
//! | `intrinsics` | type parameters and aliases |
//! | `generators` | frames that stop at a value and continue |
//! | `lines` | tells a debugger which line runs, with the variables |
//! | `convert` | constants, `cast` and `promote` |
//! | `bind` | arguments of a call to parameters |
//! | `raw` | what PyO3 has no safe call for |
//!
//! Functions, classes and comprehensions made inside run in CPython, as everything that is called.
//! A variable that was deleted keeps its value until the function is left; entries of tracebacks know
//! lines, not columns. Integers of the Typed phase wrap where they are converted,
//! not in every operation. Coroutines are refused by the name of their op; a
//! function that asks for its own frame (`locals()`, `eval`) is refused too.

mod bind;
mod build;
mod call;
mod convert;
mod exceptions;
mod frame;
mod generators;
mod import;
mod intrinsics;
mod lifetimes;
mod lines;
mod names;
mod ops;
mod patterns;
mod python;
mod raw;
mod run;
mod scope;
#[cfg(test)]
mod tests;

use crate::diagnostics;
use crate::host::snapshot;
pub(crate) use convert::constant_object;
pub(crate) use frame::Dispatchers;
use frame::Frame;
use ir::{Function, Phase};
use lifetimes::Lifetimes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict, PyTuple};
use python_rt::panic_guard;
pub use scope::Scope;
use std::sync::Arc;
use types::TypeTable;

/// Runs a function of the Untyped phase: a value per parameter, `*args` a tuple, `**kwargs` a dict.
pub fn execute<'py>(
    func: &Function,
    scope: &Scope<'py>,
    args: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let dispatchers: Dispatchers = Arc::new(|_, _| None);
    if func.is_generator {
        return generators::generator(func, scope, args, (None, dispatchers));
    }
    Frame::new(func, scope, args, (None, dispatchers), Arc::new(Lifetimes::compute(func)))?.run()
}

/// Runs a function of the Typed phase; values are converted as their types say.
pub fn execute_typed<'py>(
    func: &Function,
    (types, dispatchers): (&Arc<TypeTable>, Dispatchers),
    scope: &Scope<'py>,
    args: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    if func.is_generator {
        return generators::generator(func, scope, args, (Some(types), dispatchers));
    }
    Frame::new(func, scope, args, (Some(types), dispatchers), Arc::new(Lifetimes::compute(func)))?.run()
}

/// The Untyped phase of a live code object.
pub fn untyped(code: &Bound<'_, PyAny>) -> PyResult<Function> {
    let py = code.py();
    let snapshot = snapshot::of_code(code)?;
    let mut func = bytecode::decode(&snapshot)
        .and_then(|decoded| frontend::build(&snapshot, &decoded))
        .map_err(|diagnostic| diagnostics::to_exception(py, &diagnostic))?;
    if snapshot.has_flag(bytecode::flags::GENERATOR) {
        frontend::form_generator(&mut func);
    }
    ir::verify(&func)
        .map_err(|diagnostic| panic_guard::internal_error(py, "the front end", &diagnostic.message))?;
    Ok(func)
}

/// `execute(function, phase, *args, **kwargs)`: calls the function by running its IR.
///
/// Instead of a function a code object can be given, with its globals and, for a class body, its
/// namespace as arguments.
#[pyfunction(name = "execute")]
#[pyo3(signature = (function, phase, /, *args, **kwargs))]
fn execute_python<'py>(
    function: &Bound<'py, PyAny>,
    phase: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if phase != Phase::Untyped.text() {
        return Err(PyValueError::new_err(format!("no phase '{phase}' can be run here: 'untyped' can")));
    }
    if let Ok(code) = function.cast::<PyCode>() {
        let globals = args.get_item(0)?.cast_into::<PyDict>()?;
        let namespace = args.get_item(1).unwrap_or_else(|_| globals.clone().into_any());
        return execute(&untyped(code)?, &Scope::of_body(code, globals, namespace)?, &[]);
    }
    let scope = Scope::of_function(function)?;
    let Some(values) = bind::bind(function, args, kwargs)? else {
        // The call itself tells best what does not fit.
        function.call(args, kwargs)?;
        return Err(panic_guard::internal_error(
            function.py(),
            "the binding of arguments",
            "no error in the call",
        ));
    };
    execute(&untyped(&scope.code)?, &scope, &values)
}

/// Adds `execute`.
pub(crate) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(execute_python, module)?)
}
