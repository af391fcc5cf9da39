//! An activation: its values, and why it stops.
//!
//! Absent: the way from block to block (`run`), what an instruction does (`ops`).

use super::lifetimes::Lifetimes;
use super::lines::Lines;
use super::scope::Scope;
use entity::{EntityRef, HashMap};
use ir::{Attr, BlockCall, Const, Function, InstData, Value, ValueType};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyNone};
use python_rt::panic_guard;
use std::cell::RefCell;
use std::sync::Arc;
use types::{Handle, Type, TypeTable};

/// Why an instruction did not finish.
pub(super) enum Stop {
    /// It raised; the program may handle it.
    Raised(PyErr),
    /// It passed on an exception that was raised before.
    PassedOn(PyErr),
    /// It cannot be run, or the IR is not well-formed: no handler of the program sees this.
    Refused(PyErr),
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Stop {
        Stop::Raised(error)
    }
}

impl From<std::convert::Infallible> for Stop {
    fn from(never: std::convert::Infallible) -> Stop {
        match never {}
    }
}

/// The outcome of an instruction or a part of it.
pub(super) type Step<T> = Result<T, Stop>;

/// The result of an op that has one.
pub(super) type One<'py> = Step<Bound<'py, PyAny>>;

/// The results of an op; none stands for an undefined value.
pub(super) type Many<'py> = Step<Vec<Option<Bound<'py, PyAny>>>>;

/// Where to go after an instruction.
pub(super) enum Flow<'a, 'py> {
    Next,
    To(&'a BlockCall),
    Return(Bound<'py, PyAny>),
    /// A generator gives a value.
    Yield(Bound<'py, PyAny>),
}

/// The compiled function of a handle.
pub type Dispatchers = Arc<dyn for<'py> Fn(Python<'py>, Handle) -> Option<Bound<'py, PyAny>>>;

/// An exception that a handler got, and what was handled before.
pub(super) type Pushed<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// An activation.
pub(super) struct Frame<'a, 'py> {
    pub py: Python<'py>,
    pub func: &'a Function,
    pub scope: &'a Scope<'py>,
    /// What the function was called with, by parameter.
    pub args: &'a [Bound<'py, PyAny>],
    /// The table of the types, in the Typed phase.
    pub types: Option<&'a Arc<TypeTable>>,
    /// The compiled functions that types name, in the Typed phase.
    pub dispatchers: Dispatchers,
    /// Where values end.
    pub lifetimes: Arc<Lifetimes>,
    /// By index; `None` is a value that does not exist, is undefined or is not read any more.
    pub values: Vec<Option<Bound<'py, PyAny>>>,
    /// The values of variables now, and the line that runs.
    pub lines: Lines<'py>,
    /// Exceptions that handlers got, and what was handled before each.
    pub pushed: RefCell<Vec<Pushed<'py>>>,
    /// What an iterator returned whose items were handed on.
    pub delegated: Option<Bound<'py, PyAny>>,
    /// Constants that were met so far, or that are the code object's own.
    pub constants: HashMap<Const, Bound<'py, PyAny>>,
}

impl<'a, 'py> Frame<'a, 'py> {
    /// A value; it is an error of ours if there is none.
    pub fn get(&self, value: Value) -> Step<Bound<'py, PyAny>> {
        match &self.values[value.index()] {
            Some(object) => Ok(object.clone()),
            None => Err(self.broken(&format!("{value} is used but has no value"))),
        }
    }

    /// Lets go of values that are not read any more.
    pub fn release(&mut self, values: &[Value]) {
        for value in values {
            self.values[value.index()] = None;
        }
    }

    /// The type of a value, in the Typed phase.
    pub fn type_of(&self, value: Value) -> Option<(&'a TypeTable, Type)> {
        match self.func.values[value].ty {
            ValueType::Typed(ty) => Some((self.types?, ty)),
            _ => None,
        }
    }

    /// The n-th operand.
    pub fn arg(&self, data: &InstData, n: usize) -> Step<Bound<'py, PyAny>> {
        match data.args.get(n) {
            Some(&value) => self.get(value),
            None => Err(self.broken("an operand is missing")),
        }
    }

    /// All operands from the n-th on.
    pub fn args_from(&self, data: &InstData, n: usize) -> Step<Vec<Bound<'py, PyAny>>> {
        data.args.iter().skip(n).map(|&value| self.get(value)).collect()
    }

    /// The first name among the immediate operands.
    pub fn symbol(&self, data: &InstData) -> Step<&'a str> {
        let found = data.attrs.iter().find_map(|attr| match attr {
            Attr::Symbol(symbol) => Some(self.func.symbols.get(*symbol).as_str()),
            _ => None,
        });
        found.ok_or_else(|| self.broken("a name is missing"))
    }

    /// The first number among the immediate operands.
    pub fn int(&self, data: &InstData) -> Step<i64> {
        let found = data.attrs.iter().find_map(|attr| match attr {
            Attr::Int(number) => Some(*number),
            _ => None,
        });
        found.ok_or_else(|| self.broken("a number is missing"))
    }

    /// The IR is not well-formed.
    pub fn broken(&self, what: &str) -> Stop {
        Stop::Refused(self.broken_error(what))
    }

    pub fn broken_error(&self, what: &str) -> PyErr {
        panic_guard::internal_error(self.py, &format!("the IR of `{}`", self.func.name), what)
    }

    /// An op that cannot be run yet.
    pub fn refused(&self, what: &str) -> Stop {
        let name = &self.func.name;
        Stop::Refused(PyNotImplementedError::new_err(format!("`{name}`: {what} cannot be executed")))
    }

    /// `!s`, `!r` or `!a` of an f-string by its number; 0 is the value itself.
    pub(super) fn converted(&self, value: Bound<'py, PyAny>, kind: i64) -> One<'py> {
        match kind {
            0 => Ok(value),
            1 => Ok(value.str()?.into_any()),
            2 => Ok(value.repr()?.into_any()),
            3 => Ok(self.scope.builtin("ascii")?.call1((value,))?),
            _ => Err(self.broken("an unknown conversion")),
        }
    }

    /// `True` or `False`.
    pub(super) fn truth(&self, truth: bool) -> Bound<'py, PyAny> {
        PyBool::new(self.py, truth).to_owned().into_any()
    }

    /// `None`.
    pub(super) fn none(&self) -> Bound<'py, PyAny> {
        PyNone::get(self.py).to_owned().into_any()
    }
}
