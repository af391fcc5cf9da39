//! The version of a function that is called if its arguments are large.
//!
//! Loops that are long only for large arguments do not poll in the version that is compiled first. Callers compare the arguments
//! with the limits and call this version if they are larger; it is compiled on first use. Absent: the limits (`opt::argument_bounds`).

use crate::lowered::{Lowered, LoweredFunction};
use crate::object_cache::{ObjectCache, object_of, source_addresses};
use crate::session::link;
use diag::{Diagnostic, Result};
use entity::HashMap;
use jit::{Jit, LinkedUnit};
use opt::ArgumentBounds;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The functions of a unit as they are where polls are not placed yet.
pub(crate) struct LongVersion {
    pub bounds: ArgumentBounds,
    lowered: Lowered,
    code: OnceLock<Result<(Arc<LinkedUnit>, usize)>>,
}

/// What calls of functions cost at most, of those that end soon.
pub(crate) fn costs(functions: &[LoweredFunction]) -> HashMap<Arc<str>, u64> {
    let cost = |member: &LoweredFunction| Some((member.symbol.clone(), opt::bounded_cost(&member.func)?));
    functions.iter().filter_map(cost).collect()
}

impl LongVersion {
    /// If the function that Python enters has loops that only large arguments make long. Nobody else may call it.
    pub(crate) fn of(lowered: &Lowered) -> Option<LongVersion> {
        let [root, others @ ..] = &lowered.members[..] else { return None };
        let mut called = lowered.members.iter().flat_map(|member| opt::functions_named_in(&member.func));
        if others.len() > 64 || called.any(|callee| *callee == *root.symbol) {
            return None;
        }
        let costs = costs(&lowered.members);
        let bounds = opt::argument_bounds(&root.func, &|symbol| costs.get(symbol).copied())?;
        let thunk = format!("{}.long", lowered.thunk);
        let lowered = lowered.with_members(lowered.members.clone(), thunk);
        Some(LongVersion { bounds, lowered, code: OnceLock::new() })
    }

    /// The functions with their polls.
    pub(crate) fn members(&self) -> Vec<LoweredFunction> {
        let mut members = self.lowered.members.clone();
        let costs = costs(&members);
        let aside = rt::can_poll_out_of_line();
        for member in &mut members {
            opt::place_polls(&mut member.func, &|symbol| costs.get(symbol).copied(), None, (None, aside));
        }
        members
    }

    /// The address of the entry for Python, made the first time. `addresses` is what the unit is linked to.
    pub(crate) fn thunk(
        &self,
        jit: &Jit,
        (options, cache): (&llvm::Options, Option<&ObjectCache>),
        addresses: &[(String, usize)],
    ) -> Option<usize> {
        let panicked = |_| Err(Diagnostic::internal("llvm", "compiling a long version panicked"));
        let made = self.code.get_or_init(|| {
            let compile =
                AssertUnwindSafe(|| rt::with_stack(|| self.compile(jit, (options, cache), addresses)));
            catch_unwind(compile).unwrap_or_else(panicked)
        });
        made.as_ref().ok().map(|&(_, address)| address)
    }

    fn compile(
        &self,
        jit: &Jit,
        (options, cache): (&llvm::Options, Option<&ObjectCache>),
        addresses: &[(String, usize)],
    ) -> Result<(Arc<LinkedUnit>, usize)> {
        let lowered = &self.lowered;
        let polled = lowered.with_members(self.members(), lowered.thunk.clone());
        let unit = polled.unit();
        let (object, _) = object_of(cache, &unit, options)?;
        let sources = if options.relocatable { source_addresses(&unit) } else { Vec::new() };
        let linked = link(jit, object, &lowered.called, &[addresses, &sources])?;
        let address = linked.address(&lowered.thunk);
        let address =
            address.ok_or_else(|| Diagnostic::internal("linking", "a long version has no address"))?;
        Ok((linked, address))
    }
}
