//! What compiled code calls: functions of the C calling convention, by symbol.
//!
//! Absent: the compiler and Python. [`symbols`] is the one list; whoever links compiled code binds
//! these addresses.

mod division;
mod payload;
mod stack;

pub use payload::{PAYLOAD_WORDS, payload};

/// A runtime function: its symbol and address.
pub type Symbol = (&'static str, usize);

/// Every runtime function.
pub fn symbols() -> Vec<Symbol> {
    vec![
        ("rumba_divide_i64", division::rumba_divide_i64 as *const () as usize),
        ("rumba_divide_u64", division::rumba_divide_u64 as *const () as usize),
        ("rumba_payload", payload::rumba_payload as *const () as usize),
        ("rumba_stack_limit", stack::rumba_stack_limit as *const () as usize),
    ]
}

/// Runtime functions of two integers and a float result, for the reference interpreter.
pub fn divide_function(symbol: &str) -> Option<extern "C" fn(u64, u64) -> f64> {
    match symbol {
        "rumba_divide_i64" => Some(division::divide_words_i64),
        "rumba_divide_u64" => Some(division::rumba_divide_u64),
        _ => None,
    }
}
