//! The text of functions that CPython compiles, and of functions written down as IR.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod edges;
#[path = "../../../ir/bytecode/tests/it/interpreters.rs"]
mod interpreters;
mod seed;
mod stdlib;

use numba_ir::Outside;

/// Some of Python's built-in names.
fn describe(outside: Outside<'_>) -> Option<String> {
    match outside {
        Outside::Global(name @ ("range" | "ValueError")) => Some(format!("<class '{name}'>")),
        Outside::Global(name) => Some(format!("<built-in function {name}>")),
        Outside::Freevar(index) => Some(format!("<value {index}>")),
    }
}

/// The text with one blank between words.
fn squeezed(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}
