//! Entry points of a compiled function for callers other than Python: function values and C.
//!
//! They are compiled on request as a separate unit, with copies of the callees of the compiled function:
//! most functions are never called this way.

use crate::compiled::Compiled;
use crate::inlining::{drop_unused, inline_entries};
use crate::lowered::{LoweredFunction, unit_of};
use crate::object_cache::{CacheOutcome, object_of, source_addresses};
use crate::session::Session;
use diag::{Diagnostic, Result};
use jit::LinkedUnit;
use lower::EntryOf;
use std::sync::Arc;

/// Addresses of a compiled function. They are valid while this lives.
pub struct Entries {
    /// For compiled code: parameters by their machine types, a status and the results come back.
    pub native: usize,
    /// For C, or why it does not have the types.
    pub c: Result<usize>,
    /// The symbol of the function for C.
    pub symbol: String,
    /// Whether the cache had their object file; none if it was not asked.
    pub cache_outcome: Option<CacheOutcome>,
    functions: Vec<LoweredFunction>,
    exported: usize,
    _linked: Arc<LinkedUnit>,
}

impl Session {
    /// The entries of a compiled function, made the first time.
    pub fn entries<'c>(&self, compiled: &'c Compiled) -> Result<&'c Entries> {
        let made = compiled.entries.get_or_init(|| self.make_entries(compiled));
        made.as_ref().map_err(Clone::clone)
    }

    fn make_entries(&self, compiled: &Compiled) -> Result<Entries> {
        let lowered = &compiled.lowered;
        let of = EntryOf {
            typed: &compiled.typed,
            callee: &lowered.callee,
            checks_stack: lowered.calls_values,
            types: &self.types,
        };
        let root = &lowered.callee.symbol;
        let native: Arc<str> = format!("{root}.value").into();
        let c: Arc<str> = format!("{root}.c").into();
        let value = lower::value_entry(of, lowered.callee.result)?;
        let mut functions = vec![LoweredFunction { func: value, symbol: native.clone() }];
        // Types that C does not have are no error before somebody asks for the address.
        let mut exported = 1;
        let mut refused = None;
        match lower::c_entry(of) {
            Ok(func) => {
                functions.push(LoweredFunction { func, symbol: c.clone() });
                exported = 2;
            }
            Err(error) => refused = Some(error),
        }
        match &compiled.long {
            Some(long) => functions.extend(long.members()),
            None => functions.extend(lowered.members.iter().cloned()),
        }
        if compiled.options.opt_level > 0 {
            inline_entries(&mut functions, exported);
        }
        drop_unused(&mut functions, exported);
        for function in &functions {
            if self.dumps.verify {
                ir::verify(&function.func)?;
            }
        }
        let unit = unit_of(&functions, exported, &lowered.texts);
        let (object, cache_outcome) = object_of(compiled.cache.as_deref(), &unit, &compiled.options)?;
        let sources = if compiled.options.relocatable { source_addresses(&unit) } else { Vec::new() };
        let linked = self.link(object, lowered, &[&compiled.addresses, &sources])?;
        let address = linked.address(&native);
        let native = address.ok_or_else(|| Diagnostic::internal("linking", "an entry has no address"))?;
        let address = linked.address(&c);
        let no_address =
            || refused.unwrap_or_else(|| Diagnostic::internal("linking", "an entry has no address"));
        Ok(Entries {
            native,
            c: address.ok_or_else(no_address),
            symbol: c.to_string(),
            cache_outcome,
            functions,
            exported,
            _linked: linked,
        })
    }

    /// LLVM's text of the entries.
    pub fn entries_text(&self, compiled: &Compiled) -> Result<Option<String>> {
        let entries = self.entries(compiled)?;
        let texts = llvm::TextRequest { optimized: true, ..llvm::TextRequest::default() };
        let options = llvm::Options { texts, ..compiled.options.clone() };
        let unit = unit_of(&entries.functions, entries.exported, &compiled.lowered.texts);
        Ok(llvm::compile(&unit, &options)?.texts.optimized)
    }
}
