//! A request to a session: a function, argument types, options.

use crate::stage::Stage;
use crate::stage_passes::UserPasses;
use bytecode::{CodeSnapshot, flags};
use catalog::{Host, Semantics};
use diag::{Diagnostic, Origin, Result, codes};
use std::rc::Rc;
use types::{Handle, Type};

/// How one function is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// LLVM's optimization level; `None` chooses by content.
    pub opt_level: Option<u8>,
    /// Fast-math flags.
    pub fastmath: llvm::FastMath,
    /// The semantics that the user selected for operations.
    pub semantics: Semantics,
    /// Types that the user declared for local variables.
    pub locals: Vec<(String, Type)>,
    /// Whether array expressions are not fused.
    pub no_rewrites: bool,
    /// Whether object files are cached for later processes.
    pub cache: bool,
    /// Stages to print; by default those that the environment names.
    pub dumps: Option<Vec<Stage>>,
    /// Passes of users between stages, where any function has some.
    pub passes: Option<UserPasses>,
}

/// A function to compile for given argument types.
pub struct Request<'a> {
    /// Its code.
    pub code: &'a CodeSnapshot,
    /// Types of its parameters, `*args` as one tuple.
    pub args: &'a [Type],
    /// The declared type of the result.
    pub result: Option<Type>,
    /// The function's own handle, for recursive calls.
    pub own: Option<Handle>,
    /// Options of the decorator.
    pub options: Options,
    /// The interface to Python.
    pub host: Rc<dyn Host>,
    /// Set to the parameters whose values must be known at compile time.
    pub wanted: infer::WantedLiterals,
    /// The function as left by a custom pipeline; the code gives its source location.
    pub func: Option<ir::Function>,
}

/// The caller of a compiled function's entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// Python, through the thunk; other entries are created on request.
    Python,
    /// C and function values.
    Callback,
}

/// Where a function is, for diagnostics.
pub(crate) fn origin_of(code: &CodeSnapshot) -> Origin {
    Origin {
        file: code.filename.clone(),
        function: code.qualname.clone(),
        line: code.first_line,
        arguments: None,
    }
}

/// Coroutines and asynchronous generators are not compiled.
pub(crate) fn check_kind(code: &CodeSnapshot) -> Result<()> {
    let kinds = [(flags::COROUTINE, "a coroutine"), (flags::ASYNC_GENERATOR, "an asynchronous generator")];
    match kinds.iter().find(|(flag, _)| code.has_flag(*flag)) {
        None => Ok(()),
        Some((_, kind)) => Err(Diagnostic::new(
            codes::UNSUPPORTED_FUNCTION_KIND,
            format!("`{}` is {kind}, which is not compiled", code.qualname),
        )
        .label(diag::Span::line(code.first_line), "defined here")
        .hint("Make it a plain `def`, and await around the call of the compiled function.")),
    }
}

/// The control flow of bytecode, for display.
pub(crate) fn report(regions: &frontend::Regions) -> String {
    let cfg = flow::Cfg::compute(regions);
    flow::report::CfgReport::new(&cfg, |region| regions.label(region)).to_string()
}
