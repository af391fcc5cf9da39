//! Units made of the text of an extension's function, in the Explicit phase or as LLVM IR: boxing and unboxing of its types.

use crate::explicit_text;
use crate::lowered::unit_of;
use crate::session::Session;
use diag::{Diagnostic, Result};
use jit::{Imports, LinkedUnit};
use std::sync::Arc;

/// A function in memory, as long as this lives.
pub struct ForeignCode {
    /// Its address.
    pub address: usize,
    _linked: Arc<LinkedUnit>,
}

impl Session {
    /// Compiles a text and finds the function with this symbol.
    pub fn foreign_code(&self, symbol: &str, text: &str) -> Result<ForeignCode> {
        let options = llvm::Options::default();
        let object = match explicit_text::read(text, &self.types)? {
            // It calls Python for most of its time: cheap code is as fast, and there sooner.
            Some(function) => {
                let options = llvm::Options { opt_level: 0, ..options };
                llvm::compile(&unit_of(&[function], 1, &[]), &options)?.object
            }
            None => llvm::compile_text(text, &options)?,
        };
        let linked = self.jit.link(object, &Imports::default())?;
        let address = linked.address(symbol);
        let address =
            address.ok_or_else(|| Diagnostic::internal("linking", format!("`{symbol}` has no address")))?;
        Ok(ForeignCode { address, _linked: linked })
    }
}
