//! The wrapper around every pass: timing, panics as diagnostics, verification, dumps.

use crate::dumps::{Dumps, Point};
use crate::pipeline::{PASSES, Pass};
use crate::stage::Stage;
use diag::{Diagnostic, Result};
use ir::{Function, Phase, Printer, RunPass};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use types::TypeTable;

/// What happened to one function so far.
pub(crate) struct PassLog {
    dumps: Dumps,
    function: String,
    timings: RefCell<Vec<(&'static str, Duration)>>,
}

impl PassLog {
    pub fn new(dumps: &Dumps, function: &str) -> Self {
        PassLog { dumps: dumps.clone(), function: function.to_owned(), timings: RefCell::default() }
    }

    /// Adds to the time of a pass; a pass that runs over several functions has one total time.
    fn add(&self, name: &'static str, time: Duration) {
        let mut timings = self.timings.borrow_mut();
        match timings.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += time,
            None => timings.push((name, time)),
        }
    }

    /// The time of each pass, in the order in which they first finished.
    pub fn into_timings(self) -> Vec<(&'static str, Duration)> {
        self.timings.into_inner()
    }
}

/// Runs the passes of one function or group.
#[derive(Clone, Copy)]
pub(crate) struct PassManager<'a> {
    pub log: &'a PassLog,
    pub types: &'a TypeTable,
}

impl PassManager<'_> {
    /// Runs a pass and records its time. A panic in it becomes a diagnostic (an internal error).
    pub fn run<T>(&self, pass: &Pass, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.timed(pass.name, body)
    }

    fn timed<T>(&self, name: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(body))
            .unwrap_or_else(|panic| Err(Diagnostic::internal(name, panic_text(&*panic))));
        self.log.add(name, start.elapsed());
        result
    }

    /// Runs a pass that makes a function.
    pub fn make(&self, pass: &Pass, body: impl FnOnce() -> Result<Function>) -> Result<Function> {
        let func = self.run(pass, body)?;
        self.after(pass, &func)?;
        Ok(func)
    }

    /// Runs a pass that changes a function.
    pub fn change<T>(
        &self,
        pass: &Pass,
        func: &mut Function,
        body: impl FnOnce(&mut Function) -> Result<T>,
    ) -> Result<T> {
        self.before(pass, func);
        let result = self.run(pass, || body(func))?;
        self.after(pass, func)?;
        Ok(result)
    }

    /// The same for a pass that cannot fail.
    pub fn apply<T>(
        &self,
        pass: &Pass,
        func: &mut Function,
        body: impl FnOnce(&mut Function) -> T,
    ) -> Result<T> {
        self.change(pass, func, |func| Ok(body(func)))
    }

    /// Prints a function before a pass, if requested.
    pub fn before(&self, pass: &Pass, func: &Function) {
        if self.log.dumps.points.iter().any(|point| point.is_before(pass.name)) {
            self.print(stage_of(func), func);
        }
    }

    /// Verifies the result of a pass, and prints it if requested.
    pub fn after(&self, pass: &Pass, func: &Function) -> Result<()> {
        if self.wants_after(pass) {
            self.print(stage_of(func), func);
        }
        self.verify(pass, || ir::verify(func))
    }

    /// Runs a verifier, if verification is enabled. Errors are attributed to the pass.
    pub fn verify(&self, pass: &Pass, verifier: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.log.dumps.verify || !pass.verified {
            return Ok(());
        }
        let outcome = self.timed("verify", verifier);
        outcome.map_err(|error| error.note(format!("This was found after the pass `{}`.", pass.name)))
    }

    fn wants_after(&self, pass: &Pass) -> bool {
        self.log.dumps.points.iter().any(|point| point.is_after(pass.name))
    }

    /// Whether a stage is printed.
    pub fn wants(&self, stage: Stage) -> bool {
        self.log.dumps.stages.contains(&stage)
    }

    /// Prints a function as a stage, if requested and not already printed after the pass.
    pub fn stage(&self, stage: Stage, behind: &Pass, func: &Function) {
        if self.wants(stage) && !self.wants_after(behind) {
            self.print(stage, func);
        }
    }

    fn print(&self, stage: Stage, func: &Function) {
        self.log.dumps.print(stage, &func.name, &Printer::new(func, self.types).to_string());
    }

    /// Prints a stage that is not a function of the IR, by its name or after the pass that produces it.
    pub fn dump(&self, stage: Stage, pass: Option<&Pass>, text: impl FnOnce() -> String) {
        if self.wants(stage) || pass.is_some_and(|pass| self.wants_after(pass)) {
            self.log.dumps.print(stage, &self.log.function, &text());
        }
    }

    /// The texts that LLVM generates.
    pub fn texts(&self, pass: &Pass) -> llvm::TextRequest {
        llvm::TextRequest {
            llvm: self.wants(Stage::Llvm),
            optimized: self.wants(Stage::Optimized) || self.wants_after(pass),
            assembly: self.wants(Stage::Assembly),
        }
    }

    /// Prints the texts that LLVM generated, and adds the times of its steps.
    pub fn note_code(&self, code: &llvm::Compiled) {
        for &(step, time) in &code.timings {
            self.log.add(step, time);
        }
        let texts = &code.texts;
        let all = [
            (Stage::Llvm, &texts.llvm),
            (Stage::Optimized, &texts.optimized),
            (Stage::Assembly, &texts.assembly),
        ];
        for (stage, text) in all {
            if let Some(text) = text {
                self.log.dumps.print(stage, &self.log.function, text);
            }
        }
    }
}

/// Passes inside inference, each over one function of the group.
impl RunPass for PassManager<'_> {
    fn change(
        &self,
        pass: &'static str,
        func: &mut Function,
        body: &mut dyn FnMut(&mut Function) -> Result<()>,
    ) -> Result<()> {
        let known = PASSES.iter().find(|known| known.name == pass);
        let known =
            known.ok_or_else(|| Diagnostic::internal("the driver", format!("`{pass}` is no pass")))?;
        PassManager::change(self, known, func, body)
    }
}

fn stage_of(func: &Function) -> Stage {
    match func.phase {
        Phase::Untyped => Stage::Ssa,
        Phase::Typed => Stage::Typed,
        Phase::Explicit => Stage::Explicit,
    }
}

impl Point {
    fn is_before(&self, pass: &str) -> bool {
        matches!(self, Point::Before(name) if name == pass || name == ALL)
    }

    fn is_after(&self, pass: &str) -> bool {
        matches!(self, Point::After(name) if name == pass || name == ALL)
    }
}

/// The name that stands for every pass.
const ALL: &str = "all";

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
