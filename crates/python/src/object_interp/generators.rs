//! Generators: a frame that stops where it gives a value, and continues when the next one is asked for.
//!
//! What users hold is a generator of Python's own, which asks [`Resumable`] for its values (`rumba.stages.generators`), so
//! that `send`, `throw` and `close` are Python's.

use super::frame::{Dispatchers, Frame, Many, Stop};
use super::lifetimes::Lifetimes;
use super::raw;
use super::run::{At, End, Got};
use super::scope::Scope;
use entity::HashMap;
use ir::{Const, Function, InstData, Symbol};
use pyo3::exceptions::{PyBaseException, PyGeneratorExit, PyStopIteration};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use types::TypeTable;

/// A generator of Python's own that runs a function: its frame begins when the first value is asked for.
pub(super) fn generator<'py>(
    func: &Function,
    scope: &Scope<'py>,
    args: &[Bound<'py, PyAny>],
    (types, dispatchers): (Option<&Arc<TypeTable>>, Dispatchers),
) -> PyResult<Bound<'py, PyAny>> {
    let py = scope.code.py();
    let state = Resumable {
        func: Arc::new(func.clone()),
        lifetimes: Arc::new(Lifetimes::compute(func)),
        types: types.cloned(),
        dispatchers,
        scope: scope.unbind(),
        args: args.iter().map(|arg| arg.clone().unbind()).collect(),
        suspended: None,
    };
    let driver = py.import("rumba.stages.generators")?.getattr("values_of")?;
    driver.call1((Bound::new(py, state)?,))
}

/// A frame between two values.
#[pyclass(module = "rumba._rumba", unsendable)]
pub(crate) struct Resumable {
    func: Arc<Function>,
    lifetimes: Arc<Lifetimes>,
    types: Option<Arc<TypeTable>>,
    dispatchers: Dispatchers,
    scope: super::scope::Unbound,
    args: Vec<Py<PyAny>>,
    suspended: Option<Suspended>,
}

/// What a frame holds while it does not run.
struct Suspended {
    at: At,
    values: Vec<Option<Py<PyAny>>>,
    variables: HashMap<Symbol, Py<PyAny>>,
    constants: HashMap<Const, Py<PyAny>>,
    pushed: Vec<(Py<PyAny>, Py<PyAny>)>,
    delegated: Option<Py<PyAny>>,
    handled: Option<Py<PyAny>>,
}

#[pymethods]
impl Resumable {
    /// Runs until the next value: it and True, or what the function returns and False. `sent` and `raised` are what the generator got.
    fn __call__<'py>(
        &mut self,
        py: Python<'py>,
        sent: Bound<'py, PyAny>,
        raised: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, bool)> {
        let scope = self.scope.bind(py);
        let args: Vec<Bound<'py, PyAny>> = self.args.iter().map(|arg| arg.bind(py).clone()).collect();
        let func = self.func.clone();
        let known = (self.types.as_ref(), self.dispatchers.clone());
        let mut frame = Frame::new(&func, &scope, &args, known, self.lifetimes.clone())?;
        let outside = raw::handled_exception(py);
        let end = match self.suspended.take() {
            None => frame.run_from(At::start(&func), None),
            Some(suspended) => {
                let bound = |object: Py<PyAny>| object.into_bound(py);
                frame.values = suspended.values.into_iter().map(|value| value.map(bound)).collect();
                let variables = suspended.variables.into_iter();
                frame.lines.variables = variables.map(|(name, object)| (name, bound(object))).collect();
                frame.constants =
                    suspended.constants.into_iter().map(|(id, object)| (id, bound(object))).collect();
                let pushed = suspended.pushed.into_iter();
                frame.pushed =
                    RefCell::new(pushed.map(|(one, before)| (bound(one), bound(before))).collect());
                frame.delegated = suspended.delegated.map(bound);
                raw::set_handled_exception(suspended.handled.map(bound).as_ref());
                frame.run_from(suspended.at, Some((sent, raised)))
            }
        };
        let inside = raw::handled_exception(py);
        raw::set_handled_exception(outside.as_ref());
        match end? {
            End::Returned(value) => Ok((value, false)),
            End::Yielded(value, at) => {
                let values = frame.values.into_iter().map(|value| value.map(Bound::unbind)).collect();
                let variables = frame.lines.variables.into_iter();
                let variables = variables.map(|(name, object)| (name, object.unbind())).collect();
                let constants =
                    frame.constants.into_iter().map(|(id, object)| (id, object.unbind())).collect();
                let pushed = frame.pushed.into_inner().into_iter();
                let pushed = pushed.map(|(one, before)| (one.unbind(), before.unbind())).collect();
                let delegated = frame.delegated.map(Bound::unbind);
                let handled = inside.map(Bound::unbind);
                self.suspended =
                    Some(Suspended { at, values, variables, constants, pushed, delegated, handled });
                Ok((value, true))
            }
        }
    }
}

impl<'py> Frame<'_, 'py> {
    /// The results of `yield` when the generator continues.
    pub(super) fn resumed(&self, data: &InstData, (sent, raised): Got<'py>) -> Many<'py> {
        if data.args.len() == 1 {
            return match raised {
                Some(exception) => Err(Stop::Raised(PyErr::from_value(exception))),
                None => Ok(vec![Some(sent)]),
            };
        }
        // The iterator that the value is from gets both.
        let status = raised.unwrap_or_else(|| self.none());
        Ok(vec![Some(sent), Some(status)])
    }

    /// The next item of an iterator that values are handed on from: it gets what the generator got.
    pub(super) fn delegate(&mut self, data: &InstData) -> Many<'py> {
        let (iterator, sent, status) = (self.arg(data, 0)?, self.arg(data, 1)?, self.arg(data, 2)?);
        match pass_on(&iterator, &sent, &status) {
            Ok(item) => Ok(vec![Some(item), Some(self.truth(true))]),
            Err(error) if error.is_instance_of::<PyStopIteration>(self.py) => {
                self.delegated = Some(error.value(self.py).getattr("value")?);
                Ok(vec![None, Some(self.truth(false))])
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What the iterator returned whose items were handed on.
    pub(super) fn generator_result(&self) -> Bound<'py, PyAny> {
        self.delegated.clone().unwrap_or_else(|| self.none())
    }
}

/// `next`, `send`, `throw` or `close` of an iterator, as `yield from` calls them.
fn pass_on<'py>(
    iterator: &Bound<'py, PyAny>,
    sent: &Bound<'py, PyAny>,
    status: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let has = |name: &str| iterator.hasattr(name);
    // At first the status is the number 0.
    if !status.is_instance_of::<PyBaseException>() {
        return match sent.is_none() {
            true => iterator.call_method0("__next__"),
            false => iterator.call_method1("send", (sent,)),
        };
    }
    if status.is_instance_of::<PyGeneratorExit>() {
        if has("close")? {
            iterator.call_method0("close")?;
        }
        return Err(PyErr::from_value(status.clone()));
    }
    match has("throw")? {
        true => iterator.call_method1("throw", (status,)),
        false => Err(PyErr::from_value(status.clone())),
    }
}
