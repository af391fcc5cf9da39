//! Runs an activation: control flow and exception propagation.

use super::frame::{Dispatchers, Flow, Frame, Step, Stop};
use super::lifetimes::Lifetimes;
use super::lines::Lines;
use super::scope::Scope;
use super::{convert, exceptions, raw};
use entity::EntityRef;
use ir::{Block, BlockCall, Function};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use types::TypeTable;

/// Where a frame runs: in which block, and how many of its instructions ran.
#[derive(Clone, Copy)]
pub(super) struct At {
    block: Block,
    done: usize,
}

impl At {
    pub(super) fn start(func: &Function) -> At {
        At { block: func.entry, done: 0 }
    }
}

/// How a run ends, if nothing is raised.
pub(super) enum End<'py> {
    Returned(Bound<'py, PyAny>),
    /// A generator gives a value, in the instruction that comes next.
    Yielded(Bound<'py, PyAny>, At),
}

/// What a generator gets when it continues: the value that is sent, and the exception that is thrown.
pub(super) type Got<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

impl<'a, 'py> Frame<'a, 'py> {
    pub fn new(
        func: &'a Function,
        scope: &'a Scope<'py>,
        args: &'a [Bound<'py, PyAny>],
        (types, dispatchers): (Option<&'a Arc<TypeTable>>, Dispatchers),
        lifetimes: Arc<Lifetimes>,
    ) -> PyResult<Self> {
        let constants = convert::own_constants(func, scope)?;
        let values = vec![None; func.values.len()];
        Ok(Frame {
            py: scope.code.py(),
            func,
            scope,
            args,
            types,
            dispatchers,
            lifetimes,
            values,
            lines: Lines::default(),
            pushed: RefCell::default(),
            delegated: None,
            constants,
        })
    }

    /// Runs from the entry to the end.
    pub fn run(mut self) -> PyResult<Bound<'py, PyAny>> {
        let handled = raw::handled_exception(self.py);
        let end = self.run_from(At::start(self.func), None);
        raw::set_handled_exception(handled.as_ref());
        match end? {
            End::Returned(value) => Ok(value),
            End::Yielded(..) => Err(self.broken_error("a function that is no generator gives a value")),
        }
    }

    /// Runs to the end, or to the next value.
    pub(super) fn run_from(&mut self, at: At, got: Option<Got<'py>>) -> PyResult<End<'py>> {
        let func = self.func;
        let (mut at, mut got) = (at, got);
        loop {
            self.py.check_signals()?;
            let (call, exception) = match self.block(&mut at, got.take()) {
                Ok(Flow::Return(value)) => return Ok(End::Returned(value)),
                Ok(Flow::Yield(value)) => return Ok(End::Yielded(value, at)),
                Ok(Flow::To(call)) => (call, None),
                Ok(Flow::Next) => return Err(self.broken_error("a block has no end")),
                Err(Stop::Refused(error)) => return Err(error),
                Err(Stop::Raised(error) | Stop::PassedOn(error)) => match &func.blocks[at.block].handler {
                    Some(call) => (call, Some(error.into_value(self.py).into_bound(self.py).into_any())),
                    None => return Err(error),
                },
            };
            self.enter(call, exception)?;
            at = At { block: call.block, done: 0 };
        }
    }

    /// Runs the instructions of a block that did not run yet.
    fn block(&mut self, at: &mut At, mut got: Option<Got<'py>>) -> Step<Flow<'a, 'py>> {
        let (func, block) = (self.func, at.block);
        let lifetimes = self.lifetimes.clone();
        if at.done == 0 {
            self.tell_renamings(block, None)?;
        }
        for &inst in &func.blocks[block].insts[at.done..] {
            let data = &func.insts[inst];
            self.tell_line(data)?;
            let flow = match got.take() {
                Some(got) => self.resumed(data, got).and_then(|results| self.define(data, results)),
                None => self.step(data),
            };
            match flow {
                Ok(Flow::Next) => {
                    self.note_variables(&data.results);
                    self.tell_renamings(block, Some(inst))?;
                    self.release(lifetimes.behind(inst));
                }
                Ok(flow) => {
                    self.release(lifetimes.behind(inst));
                    return Ok(flow);
                }
                Err(Stop::Raised(error)) => {
                    return Err(Stop::Raised(exceptions::complete(self, data, error)));
                }
                Err(stop) => return Err(stop),
            }
            at.done += 1;
        }
        Ok(Flow::Next)
    }

    /// Gives the parameters of a block their values, all at once.
    fn enter(&mut self, call: &BlockCall, exception: Option<Bound<'py, PyAny>>) -> PyResult<()> {
        let func = self.func;
        let params = &func.blocks[call.block].params;
        let mut given: Vec<_> = call.args.iter().map(|arg| self.values[arg.index()].clone()).collect();
        given.extend(exception.map(Some));
        if given.len() != params.len() {
            return Err(self.broken_error("an edge with the wrong number of values"));
        }
        for (param, value) in params.iter().zip(given) {
            self.values[param.index()] = value;
        }
        self.note_variables(params);
        let lifetimes = self.lifetimes.clone();
        self.release(lifetimes.at_entry(call.block));
        Ok(())
    }
}
