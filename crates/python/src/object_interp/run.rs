//! Runs an activation: control flow and exception propagation.

use super::frame::{Dispatchers, Flow, Frame, Step, Stop};
use super::lines::Lines;
use super::scope::Scope;
use super::{convert, exceptions, raw};
use entity::EntityRef;
use ir::{Block, BlockCall, Function};
use pyo3::prelude::*;
use types::TypeTable;

impl<'a, 'py> Frame<'a, 'py> {
    pub fn new(
        func: &'a Function,
        scope: &'a Scope<'py>,
        args: &'a [Bound<'py, PyAny>],
        (types, dispatchers): (Option<&'a TypeTable>, Dispatchers<'a, 'py>),
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
            values,
            lines: Lines::default(),
            constants,
        })
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
        self.tell_renamings(block, None)?;
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            self.tell_line(data)?;
            match self.step(data) {
                Ok(Flow::Next) => {
                    self.note_variables(&data.results);
                    self.tell_renamings(block, Some(inst))?;
                }
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
        Ok(())
    }
}
