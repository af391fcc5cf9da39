//! What the tests of whole functions share.

use interp::{Library, Outcome, Word};
use ir::Function;
use types::TypeTable;

/// Reads a function from its blocks: `head` is what stands between name and `{`.
pub fn function(name: &str, head: &str, body: &str) -> Function {
    let text = format!("function explicit {name:?} file \"t.py\" line 1 {head} {{\n{body}\n}}\n");
    let func = ir::parse(&text, &TypeTable::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    ir::verify(&func).unwrap_or_else(|e| panic!("{e}\n{text}"));
    func
}

/// Runs a function without others.
pub fn call(func: &Function, args: &[Word]) -> Result<Outcome, String> {
    interp::run(func, args, &Library::default()).map_err(|error| error.to_string())
}

/// Asserts that a call is an internal error that contains the text.
pub fn refuse(func: &Function, args: &[Word], text: &str) {
    let error = call(func, args).expect_err(text);
    assert!(error.contains("internal compiler error in the interpreter") && error.contains(text), "{error}");
}
