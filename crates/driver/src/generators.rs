//! The functions of a generator: the one that creates it, its resume function, and the one that drops it.

use crate::lowered::LoweredFunction;
use crate::session::Session;
use catalog::generator::{FrameLayout, parts_of, sent_to, sent_value};
use catalog::{machine_types, references};
use diag::{Diagnostic, Result};
use infer::Typed;
use ir::{Function, Native};
use lower::GeneratorEntries;

/// A generator that is lowered.
pub(crate) struct Generator<'a> {
    session: &'a Session,
    typed: &'a Typed,
    /// Symbol of the function that a call is of.
    symbol: &'a str,
}

impl<'a> Generator<'a> {
    pub fn new(session: &'a Session, typed: &'a Typed, symbol: &'a str) -> Self {
        Generator { session, typed, symbol }
    }

    /// All of them, the one that a call is of first.
    pub fn functions(&self, mut body: Function, is_cyclic: bool) -> Result<[LoweredFunction; 4]> {
        let types = &self.session.types;
        let Typed { func: typed, params, result: generator, .. } = self.typed;
        let parts = parts_of(types, *generator);
        let (item, _) =
            parts.ok_or_else(|| Diagnostic::internal("lowering", "a generator without a type"))?;
        if self.session.verifies() {
            ir::verify(&body)?;
            ir::verify_counts(&body)?;
        }
        let layout = FrameLayout::of(types, params, *generator);
        let natives = machine_types(types, sent_value(types, sent_to(types, *generator)));
        let sent: Vec<(Native, i64)> = natives.into_iter().zip(layout.sent.iter().copied()).collect();
        let frame = opt::Frame {
            args: &layout.args,
            result: &layout.result,
            sent: &sent,
            free: layout.free,
            items: &machine_types(types, item),
            gives: references(types, item),
            checks_stack: is_cyclic,
        };
        let holds_nothing = opt::holds_nothing(&body);
        let size = opt::split_generator(&mut body, &frame);
        let [resume, words, give_up] =
            ["resume", "words", "give_up"].map(|name| format!("{}.{name}", self.symbol));
        let entries = GeneratorEntries {
            typed,
            params,
            generator: *generator,
            resume: &resume,
            symbols: [&words, &give_up],
            size,
            holds_nothing,
            types,
        };
        let function = |func: Function, symbol: &str| LoweredFunction { func, symbol: symbol.into() };
        Ok([
            function(entries.create()?, self.symbol),
            function(body, &resume),
            function(entries.resume_words()?, &words),
            function(entries.give_up()?, &give_up),
        ])
    }
}
