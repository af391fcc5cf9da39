//! Functions of extensions as text in the Explicit phase. They are members of the units that call them.
//!
//! A text says itself what it is: one of LLVM IR never begins as these do.
//!
//! Absent: what writes them (`rumba.codegen.explicit`).

use crate::lowered::LoweredFunction;
use diag::Result;
use types::TypeTable;

/// How such a text begins.
const BEGINNING: &str = "function explicit ";

/// Whether a text is one of a function in the Explicit phase.
pub(crate) fn is_explicit(text: &str) -> bool {
    text.starts_with(BEGINNING)
}

/// The function of a text; none if the text is LLVM IR. Its symbol is its name.
pub(crate) fn read(text: &str, types: &TypeTable) -> Result<Option<LoweredFunction>> {
    if !is_explicit(text) {
        return Ok(None);
    }
    let func = ir::parse(text, types)?;
    let symbol = func.name.as_str().into();
    Ok(Some(LoweredFunction { func, symbol }))
}

/// Checks a text that an extension wrote: that it can be read, and keeps the rules of the phase.
pub fn check(text: &str, types: &TypeTable) -> Result<()> {
    let func = ir::parse(text, types)?;
    ir::verify(&func)
}
