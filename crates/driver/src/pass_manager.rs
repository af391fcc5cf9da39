//! The wrapper around every pass: it times, verifies and dumps.

use crate::{Dumps, Point, Stage};
use diag::{Diagnostic, Result};
use ir::{Function, Printer};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use types::TypeTable;

/// What happened to one function so far.
pub(crate) struct Passes {
    dumps: Dumps,
    function: String,
    timings: Vec<(&'static str, Duration)>,
}

impl Passes {
    pub fn new(dumps: &Dumps, function: &str) -> Self {
        Passes { dumps: dumps.clone(), function: function.to_owned(), timings: Vec::new() }
    }

    /// Runs a pass and notes its time. A panic in it is a bug of ours and ends as a diagnostic.
    pub fn run<T>(&mut self, name: &'static str, pass: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(pass))
            .unwrap_or_else(|panic| Err(Diagnostic::internal(name, panic_text(&*panic))));
        self.timings.push((name, start.elapsed()));
        result
    }

    /// Verifies what a pass made, and prints it where wanted.
    pub fn check(
        &mut self,
        pass: &'static str,
        func: &Function,
        types: &TypeTable,
        stage: Stage,
    ) -> Result<()> {
        self.check_again(pass, func, types, stage, self.wants(stage))
    }

    /// The same behind a pass that changes what has been printed before under the name of its stage.
    pub fn check_changed(
        &mut self,
        pass: &'static str,
        func: &Function,
        types: &TypeTable,
        stage: Stage,
    ) -> Result<()> {
        self.check_again(pass, func, types, stage, false)
    }

    fn check_again(
        &mut self,
        pass: &'static str,
        func: &Function,
        types: &TypeTable,
        stage: Stage,
        wanted: bool,
    ) -> Result<()> {
        if wanted || self.wants_point(pass) {
            self.dumps.print(stage, &func.name, &Printer::new(func, types).to_string());
        }
        if self.dumps.verify {
            self.run("verify", || ir::verify(func))?;
            // Later passes drop the ops that say who holds a reference.
            if pass == "lower" {
                self.run("verify", || ir::verify_counts(func))?;
            }
        }
        Ok(())
    }

    /// Whether a stage is to be printed.
    pub fn wants(&self, stage: Stage) -> bool {
        self.dumps.stages.contains(&stage)
    }

    /// Whether a stage is to be printed, by its name or by that of the pass that makes it.
    fn wants_at(&self, stage: Stage, pass: &str) -> bool {
        self.wants(stage) || self.wants_point(pass)
    }

    fn wants_point(&self, pass: &str) -> bool {
        let next = NEXT.iter().find(|(before, _)| *before == pass).map(|(_, next)| *next);
        self.dumps.points.iter().any(|point| match point {
            Point::After(name) => name == pass,
            Point::Before(name) => Some(name.as_str()) == next,
        })
    }

    /// Prints a stage, if that is wanted.
    pub fn dump(&self, stage: Stage, pass: &str, text: impl FnOnce() -> String) {
        if self.wants_at(stage, pass) {
            self.dumps.print(stage, &self.function, &text());
        }
    }

    /// Which texts LLVM has to write.
    pub fn texts(&self) -> llvm::TextRequest {
        llvm::TextRequest {
            llvm: self.wants(Stage::Llvm),
            optimized: self.wants_at(Stage::Optimized, "llvm"),
            assembly: self.wants(Stage::Assembly),
        }
    }

    pub fn dump_texts(&self, texts: &llvm::Texts) {
        let all = [
            (Stage::Llvm, &texts.llvm),
            (Stage::Optimized, &texts.optimized),
            (Stage::Assembly, &texts.assembly),
        ];
        for (stage, text) in all {
            if let Some(text) = text {
                self.dumps.print(stage, &self.function, text);
            }
        }
    }

    pub fn add_timings(&mut self, timings: &[(&'static str, Duration)]) {
        self.timings.extend_from_slice(timings);
    }

    pub fn into_timings(self) -> Vec<(&'static str, Duration)> {
        self.timings
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Passes in their order: a dump before one is a dump after the one that precedes it.
const NEXT: &[(&str, &str)] = &[
    ("decode", "ssa"),
    ("ssa", "infer"),
    ("infer", "lower"),
    ("lower", "loops"),
    ("loops", "llvm"),
    ("llvm", "link"),
];
