//! The functions that a machine interprets.

use crate::Word;
use crate::ints::Fault;
use entity::HashMap;
use ir::{External, Function, Native};

/// Functions of the Explicit phase by symbol. A caller of one that can fail gets its status before its results.
#[derive(Default)]
pub struct Library {
    functions: HashMap<String, Function>,
}

impl Library {
    /// These functions, each under its own name.
    pub fn new(functions: impl IntoIterator<Item = Function>) -> Self {
        Library { functions: functions.into_iter().map(|func| (func.name.clone(), func)).collect() }
    }

    /// Adds a function under a symbol of its own.
    pub fn insert(&mut self, symbol: &str, func: Function) {
        self.functions.insert(symbol.into(), func);
    }

    /// The function with this symbol.
    pub fn function(&self, symbol: &str) -> Option<&Function> {
        self.functions.get(symbol)
    }
}

/// What a caller must declare to call `func`: the status comes first where it can fail.
pub(crate) fn call_results(func: &Function) -> Vec<Native> {
    let status = func.can_fail.then_some(Native::I64);
    status.into_iter().chain(func.results.iter().copied()).collect()
}

/// Checks that a function of the host gave what its declaration says.
pub(crate) fn check_results(external: &External, results: &[Word]) -> std::result::Result<(), Fault> {
    if external.results.iter().copied().eq(results.iter().map(|word| word.ty())) {
        return Ok(());
    }
    Err(format!("`{}` gave {results:?}, declared is {:?}", external.name, external.results))
}
