//! What the variables of the source hold, and which line runs: what `rumba.step` shows.

use super::frame::{Frame, Step, Stop};
use entity::{EntityRef, HashMap};
use ir::{Block, Inst, InstData, Op, Symbol, Value};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What was told last, and what variables hold now.
#[derive(Default)]
pub(super) struct Lines<'py> {
    line: u32,
    pub variables: HashMap<Symbol, Bound<'py, PyAny>>,
}

impl<'py> Frame<'_, 'py> {
    /// Tells the line of an instruction if it is another one than before. An exception of the listener ends the run.
    pub(super) fn tell_line(&mut self, data: &InstData) -> Step<()> {
        let is_entry = matches!(data.op, Op::Arg | Op::FreeCell | Op::Freevar);
        if self.scope.tracer.is_none()
            || is_entry
            || !data.span.is_known()
            || data.span.line == self.lines.line
        {
            return Ok(());
        }
        self.tell(data.span.line)
    }

    /// Tells the statements such as `y = x` that stand behind an instruction, or at the begin of the block.
    pub(super) fn tell_renamings(&mut self, block: Block, after: Option<Inst>) -> Step<()> {
        let (func, lifetimes) = (self.func, self.lifetimes.clone());
        for &number in lifetimes.renamings(block, after) {
            let renaming = &func.renamings[number];
            if self.scope.tracer.is_some()
                && renaming.span.is_known()
                && renaming.span.line != self.lines.line
            {
                self.tell(renaming.span.line)?;
            }
            self.note(renaming.name, renaming.value);
        }
        Ok(())
    }

    fn tell(&mut self, line: u32) -> Step<()> {
        let Some(tracer) = &self.scope.tracer else { return Ok(()) };
        self.lines.line = line;
        let variables = PyDict::new(self.py);
        for (&name, object) in &self.lines.variables {
            variables.set_item(self.func.symbols.get(name), object).map_err(Stop::Refused)?;
        }
        tracer.call1((line, variables)).map(drop).map_err(Stop::Refused)
    }

    /// Notes which variables these values are.
    pub(super) fn note_variables(&mut self, values: &[Value]) {
        for &value in values {
            if let Some(name) = self.func.values[value].name.expand() {
                self.note(name, value);
            }
        }
    }

    fn note(&mut self, name: Symbol, value: Value) {
        // The variable of a loop keeps its last item when there are no more.
        if let Some(object) = self.values[value.index()].clone() {
            self.lines.variables.insert(name, object);
        }
    }
}
