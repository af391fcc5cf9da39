//! Lazy compilation: cold code, such as the loop version with checks, is compiled on its first call.

use crate::inlining::drop_unused;
use crate::library::Instance;
use crate::lowered::{Lowered, LoweredFunction, unit_of};
use crate::object_cache::{ObjectCache, object_of, source_addresses};
use crate::session::link;
use abi::Runtime;
use diag::{Diagnostic, Result};
use jit::{Jit, LinkedUnit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// A function that was not compiled with its unit. Machine code of the unit knows its address.
struct Late {
    /// The function, then what it calls.
    functions: Vec<LoweredFunction>,
    /// Texts of LLVM IR with further functions that these call.
    texts: Vec<Arc<str>>,
    called: Vec<Arc<Instance>>,
    options: llvm::Options,
    cache: Option<Arc<ObjectCache>>,
    jit: Jit,
    /// What its code is linked to: the same as its unit's.
    addresses: OnceLock<Arc<[(String, usize)]>>,
    code: OnceLock<Result<(Arc<LinkedUnit>, usize)>>,
}

/// The late functions of a unit.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "machine code knows their addresses")]
pub(crate) struct LazyFunctions(Vec<Box<Late>>);

impl LazyFunctions {
    /// Late functions beside the members that they may call, compiled with these options.
    pub(crate) fn new(
        functions: Vec<LoweredFunction>,
        lowered: &Lowered,
        options: &llvm::Options,
        cache: Option<&Arc<ObjectCache>>,
        jit: &Jit,
    ) -> LazyFunctions {
        let late = |function: LoweredFunction| {
            let mut calls = opt::functions_named_in(&function.func);
            let members =
                if calls.any(|callee| lowered.members.iter().any(|member| *member.symbol == *callee)) {
                    lowered.members.clone()
                } else {
                    Vec::new()
                };
            drop(calls);
            let mut functions: Vec<LoweredFunction> = std::iter::once(function).chain(members).collect();
            drop_unused(&mut functions, 1);
            Box::new(Late {
                functions,
                texts: lowered.texts.clone(),
                called: lowered.called.clone(),
                options: llvm::Options { texts: llvm::TextRequest::default(), ..options.clone() },
                cache: cache.cloned(),
                jit: jit.clone(),
                addresses: OnceLock::new(),
                code: OnceLock::new(),
            })
        };
        LazyFunctions(functions.into_iter().map(late).collect())
    }

    /// Adds to what the unit is linked to, and notes all of it.
    pub(crate) fn bind(&self, mut addresses: Vec<(String, usize)>) -> Vec<(String, usize)> {
        if self.0.is_empty() {
            return addresses;
        }
        addresses.extend(self.0.iter().map(|late| {
            let address: *const Late = &**late;
            (opt::lazy_symbol(&late.functions[0].symbol), address as usize)
        }));
        let shared: Arc<[(String, usize)]> = addresses.as_slice().into();
        for late in &self.0 {
            let _ = late.addresses.set(Arc::clone(&shared));
        }
        addresses
    }
}

impl Late {
    fn compile(&self) -> Result<(Arc<LinkedUnit>, usize)> {
        let unit = unit_of(&self.functions, 1, &self.texts);
        let (object, _) = object_of(self.cache.as_deref(), &unit, &self.options)?;
        let addresses = self.addresses.get().map(|addresses| &**addresses).unwrap_or_default();
        let sources = if self.options.relocatable { source_addresses(&unit) } else { Vec::new() };
        let linked = link(&self.jit, object, &self.called, &[addresses, &sources])?;
        let address = linked.address(&self.functions[0].symbol);
        let address =
            address.ok_or_else(|| Diagnostic::internal("linking", "a late function has no address"))?;
        Ok((linked, address))
    }
}

/// What machine code calls for the code of a late function: `rumba_late(address)`; 0 if there can be none.
///
/// # Safety
/// The address is one of [`LazyFunctions::bind`], and the unit that it was bound for is alive.
unsafe extern "C" fn rumba_late(late: *const Late) -> usize {
    // SAFETY: by the contract.
    let late = unsafe { &*late };
    let compile = || {
        let panicked = |_| Err(Diagnostic::internal("llvm", "compiling a late function panicked"));
        catch_unwind(AssertUnwindSafe(|| rt::with_stack(|| late.compile()))).unwrap_or_else(panicked)
    };
    // (A child of a fork would wait for ever for code that is being made.)
    let code = match late.code.get() {
        Some(code) => code,
        None => rt::fork_gate::inside(|| late.code.get_or_init(compile)),
    };
    code.as_ref().map_or(0, |&(_, address)| address)
}

/// The name and address of the function that gives the code of late functions.
pub(crate) fn symbols() -> (&'static str, usize) {
    abi::linked!(Runtime::Late => rumba_late, _)
}
