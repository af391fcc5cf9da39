//! Passes of users over the text of a function, at the end of a phase.
//!
//! Absent: which functions have any, and how they are run (`compat::stage_passes` of the crate `python`).

use diag::{Diagnostic, Result, codes};
use ir::{Function, Printer};
use std::sync::Arc;
use types::{Handle, TypeTable};

/// Runs passes of users.
pub trait StagePasses: Send + Sync {
    /// Whether a function that was asked about has passes, for any stage.
    fn found(&self) -> bool;

    /// What the passes of a compiled function for a stage, `untyped`, `typed`, `explicit` or `llvm`, make of its text; none if it has
    /// none for it.
    fn run(&self, function: Handle, stage: &str, text: &dyn Fn() -> Result<String>)
    -> Result<Option<String>>;
}

/// The runner of passes, as an option of a compilation.
#[derive(Clone)]
pub struct UserPasses(pub Arc<dyn StagePasses>);

impl std::fmt::Debug for UserPasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserPasses")
    }
}

/// Runs the passes of a function at the end of its phase. Whether they changed it: then instructions have new numbers.
pub fn apply(
    passes: Option<&UserPasses>,
    handle: Option<Handle>,
    func: &mut Function,
    types: &TypeTable,
) -> Result<bool> {
    apply_numbered((passes, handle), func, types, "")
}

/// The same, of a function that refers to the symbols of the unit with a number.
pub(crate) fn apply_numbered(
    (passes, handle): (Option<&UserPasses>, Option<Handle>),
    func: &mut Function,
    types: &TypeTable,
    number: &str,
) -> Result<bool> {
    let (Some(UserPasses(passes)), Some(handle)) = (passes, handle) else { return Ok(false) };
    let printed = || renumbered(&Printer::new(func, types).to_string(), number, NO_NUMBER);
    let Some(text) = passes.run(handle, func.phase.text(), &|| Ok(printed()))? else { return Ok(false) };
    if text == printed() {
        return Ok(false);
    }
    *func = read(&renumbered(&text, NO_NUMBER, number), types, func)?;
    Ok(true)
}

/// What stands for the number of the unit in its symbols, so that text fits any unit.
const NO_NUMBER: &str = "unit";

/// A text in which the symbols of a unit, `_ZN...Ez.7.0`, have another number.
fn renumbered(text: &str, from: &str, to: &str) -> String {
    if from.is_empty() || to.is_empty() {
        return text.to_owned();
    }
    let mut parts = text.split("Ez.");
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_symbol_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let symbol = made.rsplit(|c| !is_symbol_char(c)).next().unwrap_or_default();
        let is_symbol = symbol.starts_with("_ZN");
        made.push_str("Ez.");
        match part.strip_prefix(from) {
            Some(rest) if is_symbol && !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                made.push_str(to);
                made.push_str(rest);
            }
            _ => made.push_str(part),
        }
    }
    made
}

/// The object file of a unit after the passes of its first function over LLVM IR; none if it has none, or they change nothing.
pub(crate) fn edited_object(
    (passes, handle): (Option<&UserPasses>, Option<Handle>),
    (unit, number): (&llvm::Unit<'_>, &str),
    options: &llvm::Options,
) -> Result<Option<Vec<u8>>> {
    let (Some(UserPasses(passes)), Some(handle)) = (passes, handle) else { return Ok(None) };
    let texts = llvm::TextRequest { llvm: true, ..llvm::TextRequest::default() };
    let printed = || {
        let compiled = llvm::compile(unit, &llvm::Options { texts, ..options.clone() })?;
        Ok(renumbered(&compiled.texts.llvm.unwrap_or_default(), number, NO_NUMBER))
    };
    let Some(text) = passes.run(handle, "llvm", &printed)? else { return Ok(None) };
    if text == printed()? {
        return Ok(None);
    }
    llvm::compile_text(&renumbered(&text, NO_NUMBER, number), options).map(Some).map_err(|error| {
        let message = format!("the LLVM IR that a pass returned is not valid: {}", error.message);
        Diagnostic::new(codes::LIBRARY, message)
    })
}

/// The function of a text that takes the place of another one; it keeps the rules of the phase.
fn read(text: &str, types: &TypeTable, like: &Function) -> Result<Function> {
    let refused = |what: &str| refused(like, what);
    let func = ir::parse_edited(text, types, like).map_err(|error| refused(&error.message))?;
    if func.phase != like.phase {
        return Err(refused(&format!("it is of the {} phase", func.phase.text())));
    }
    if func.params.len() != like.params.len()
        || func.results != like.results
        || func.can_fail != like.can_fail
    {
        return Err(refused("it has other parameters or results"));
    }
    ir::verify(&func).map_err(|error| refused(&error.message))?;
    Ok(func)
}

/// The error of a text that is not valid.
pub(crate) fn refused(func: &Function, what: &str) -> Box<Diagnostic> {
    let (phase, name) = (func.phase.text(), &func.name);
    let what = what.strip_prefix("internal compiler error in ").unwrap_or(what);
    let message =
        format!("the text of the {phase} phase of `{name}` that a pass returned is not valid: {what}");
    Diagnostic::new(codes::LIBRARY, message)
        .hint("The text before the pass shows the form; `rumba.stages` prints it.")
}
