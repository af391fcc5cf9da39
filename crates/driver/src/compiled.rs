//! A compiled function and its textual forms.

use crate::entry_points::Entries;
use crate::interpreter::Interpreter;
use crate::lazy_compile::LazyFunctions;
use crate::long_version::LongVersion;
use crate::lowered::Lowered;
use crate::object_cache::{CacheOutcome, ObjectCache};
use diag::Result;
use infer::Typed;
use ir::{Function, Printer};
use jit::LinkedUnit;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use types::{Signature, TypeTable};

/// A function compiled for given argument types. Dropping the last `Arc` frees its code.
pub struct Compiled {
    /// Types of parameters and result.
    pub signature: Signature,
    /// The Typed phase.
    pub typed: Function,
    /// The Explicit phase of the function and its callees.
    pub lowered: Lowered,
    /// What is compiled when it is needed.
    _late: LazyFunctions,
    /// What is called where arguments are large.
    pub(crate) long: Option<LongVersion>,
    /// The time of each pass, in order.
    pub timings: Vec<(&'static str, Duration)>,
    linked: Option<Arc<LinkedUnit>>,
    /// Where object files are kept, if they are.
    pub(crate) cache: Option<Arc<ObjectCache>>,
    /// Whether the cache had the object file; none if it was not used.
    pub cache_outcome: Option<CacheOutcome>,
    pub(crate) options: llvm::Options,
    /// Python's entry; none if the function is for C alone.
    thunk: Option<usize>,
    /// Where the names lie that the code refers to besides the runtime's.
    pub(crate) addresses: Vec<(String, usize)>,
    /// Entries for others than Python, once asked for.
    pub(crate) entries: OnceLock<Result<Entries>>,
    /// The reference interpreter, once asked for.
    pub(crate) interpreter: OnceLock<Result<Interpreter>>,
}

/// What linking gave.
pub(crate) struct LinkedEntry {
    pub linked: Option<Arc<LinkedUnit>>,
    pub thunk: Option<usize>,
    pub addresses: Vec<(String, usize)>,
    pub cache_outcome: Option<CacheOutcome>,
}

impl Compiled {
    pub(crate) fn new(
        typed: Typed,
        (lowered, late, long): (Lowered, LazyFunctions, Option<LongVersion>),
        placed: LinkedEntry,
        (options, cache): (llvm::Options, Option<Arc<ObjectCache>>),
        timings: Vec<(&'static str, Duration)>,
    ) -> Self {
        let signature = Signature::new(typed.result, typed.params);
        let options = llvm::Options { texts: llvm::TextRequest::default(), ..options };
        let LinkedEntry { linked, thunk, addresses, cache_outcome } = placed;
        let (entries, interpreter) = (OnceLock::new(), OnceLock::new());
        Compiled {
            signature,
            typed: typed.func,
            lowered,
            _late: late,
            long,
            timings,
            linked,
            cache,
            cache_outcome,
            options,
            thunk,
            addresses,
            entries,
            interpreter,
        }
    }

    /// The entry point for Python, if it was compiled. Valid while the function lives.
    pub fn thunk(&self) -> Option<abi::Thunk> {
        // SAFETY: the linker gave this address for a thunk that the code generator made.
        self.thunk.map(|thunk| unsafe { std::mem::transmute::<usize, abi::Thunk>(thunk) })
    }

    /// The limits of the arguments of the entry point: larger ones use [`crate::Session::long_thunk`].
    pub fn argument_bounds(&self) -> Option<(&[usize], u64)> {
        self.long.as_ref().map(|long| (&long.bounds.params[..], long.bounds.most))
    }

    /// The entries for callers other than Python, if they were requested before.
    pub fn known_entries(&self) -> Option<&Entries> {
        self.entries.get()?.as_ref().ok()
    }

    /// Bytes of machine code.
    pub fn code_size(&self) -> usize {
        self.linked.as_ref().map_or(0, |linked| linked.code_size())
    }
}

/// Texts of a compiled function that LLVM generates on request.
pub struct Inspection {
    /// LLVM's texts.
    pub texts: llvm::Texts,
}

impl Compiled {
    /// The text of the Typed phase.
    pub fn typed_text(&self, types: &TypeTable) -> String {
        Printer::new(&self.typed, types).to_string()
    }

    /// The text of the Explicit phase of the function and its callees.
    pub fn explicit_text(&self, types: &TypeTable) -> String {
        let members = self.lowered.members.iter();
        members.map(|member| Printer::new(&member.func, types).to_string()).collect()
    }
}

impl Inspection {
    pub(crate) fn make(compiled: &Compiled) -> Result<Self> {
        let texts = llvm::TextRequest { llvm: true, optimized: true, assembly: true };
        Inspection::of(compiled, llvm::Options { texts, ..compiled.options.clone() })
    }

    /// The same with places in the source on all instructions, and what LLVM's passes remark.
    pub(crate) fn with_lines(compiled: &Compiled) -> Result<Self> {
        let texts = llvm::TextRequest { llvm: true, optimized: true, assembly: true };
        Inspection::of(compiled, llvm::Options { texts, lines: true, ..compiled.options.clone() })
    }

    fn of(compiled: &Compiled, options: llvm::Options) -> Result<Self> {
        Ok(Inspection { texts: llvm::compile(&compiled.lowered.unit(), &options)?.texts })
    }
}
