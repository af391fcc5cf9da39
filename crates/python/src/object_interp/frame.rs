//! An activation: the values it has, the way from block to block, where exceptions go.
//! What an instruction does is in `ops`.

use super::names::Scope;
use super::{convert, exceptions, raw};
use crate::panic_guard;
use entity::{EntityRef, HashMap};
use ir::{Attr, Block, BlockCall, Const, Function, InstData, Value};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use types::TypeTable;

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

/// Where to go behind an instruction.
pub(super) enum Flow<'a, 'py> {
    Next,
    To(&'a BlockCall),
    Return(Bound<'py, PyAny>),
}

/// An activation.
pub(super) struct Frame<'a, 'py> {
    pub py: Python<'py>,
    pub func: &'a Function,
    pub scope: &'a Scope<'py>,
    /// What the function was called with, by parameter.
    pub args: &'a [Bound<'py, PyAny>],
    /// The table of the types, in the Typed phase.
    pub types: Option<&'a TypeTable>,
    /// By index; `None` is a value that does not exist or is undefined.
    pub values: Vec<Option<Bound<'py, PyAny>>>,
    /// Constants that were met so far, or that are the code object's own.
    pub constants: HashMap<Const, Bound<'py, PyAny>>,
}

impl<'a, 'py> Frame<'a, 'py> {
    pub fn new(
        func: &'a Function,
        scope: &'a Scope<'py>,
        args: &'a [Bound<'py, PyAny>],
        types: Option<&'a TypeTable>,
    ) -> PyResult<Self> {
        let constants = convert::own_constants(func, scope)?;
        let values = vec![None; func.values.len()];
        Ok(Frame { py: scope.code.py(), func, scope, args, types, values, constants })
    }

    /// Runs from the entry to the end.
    pub fn run(mut self) -> PyResult<Bound<'py, PyAny>> {
        let handled = raw::handled_exception(self.py);
        let result = self.blocks();
        raw::set_handled_exception(handled.as_ref());
        result
    }

    fn blocks(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let func = self.func;
        let mut block = func.entry;
        loop {
            self.py.check_signals()?;
            let (call, exception) = match self.block(block) {
                Ok(Flow::Return(value)) => return Ok(value),
                Ok(Flow::To(call)) => (call, None),
                Ok(Flow::Next) => return Err(self.broken_error("a block has no end")),
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Raised(error) | Stop::PassedOn(error)) => match &func.blocks[block].handler {
                    Some(call) => (call, Some(error.into_value(self.py).into_bound(self.py).into_any())),
                    None => return Err(error),
                },
            };
            self.enter(call, exception)?;
            block = call.block;
        }
    }

    /// Runs the instructions of a block.
    fn block(&mut self, block: Block) -> Step<Flow<'a, 'py>> {
        let func = self.func;
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            match self.step(data) {
                Ok(Flow::Next) => {}
                Ok(flow) => return Ok(flow),
                Err(Stop::Raised(error)) => {
                    return Err(Stop::Raised(exceptions::complete(self, data, error)));
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(Flow::Next)
    }

    /// Gives the parameters of a block their values, all at once.
    fn enter(&mut self, call: &BlockCall, exception: Option<Bound<'py, PyAny>>) -> PyResult<()> {
        let params = &self.func.blocks[call.block].params;
        let mut given: Vec<_> = call.args.iter().map(|arg| self.values[arg.index()].clone()).collect();
        given.extend(exception.map(Some));
        if given.len() != params.len() {
            return Err(self.broken_error("an edge with the wrong number of values"));
        }
        for (param, value) in params.iter().zip(given) {
            self.values[param.index()] = value;
        }
        Ok(())
    }

    /// A value; it is an error of ours if there is none.
    pub fn get(&self, value: Value) -> Step<Bound<'py, PyAny>> {
        match &self.values[value.index()] {
            Some(object) => Ok(object.clone()),
            None => Err(self.broken(&format!("{value} is used but has no value"))),
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

    fn broken_error(&self, what: &str) -> PyErr {
        panic_guard::internal_error(self.py, &format!("the IR of `{}`", self.func.name), what)
    }

    /// An op that cannot be run yet.
    pub fn refused(&self, what: &str) -> Stop {
        let name = &self.func.name;
        Stop::Refused(PyNotImplementedError::new_err(format!("`{name}`: {what} cannot be executed")))
    }
}
