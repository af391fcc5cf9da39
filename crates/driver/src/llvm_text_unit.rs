//! Units made of LLVM IR text from extensions: boxing and unboxing of their types.

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
        let object = llvm::compile_text(text, &llvm::Options::default())?;
        let linked = self.jit.link(object, &Imports::default())?;
        let address = linked.address(symbol);
        let address =
            address.ok_or_else(|| Diagnostic::internal("linking", format!("`{symbol}` has no address")))?;
        Ok(ForeignCode { address, _linked: linked })
    }
}
