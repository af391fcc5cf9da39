//! What the functions of a group know about each other during lowering.

use crate::host::Callee;
use diag::Span;
use ir::Function;
use std::cell::RefCell;
use types::{Handle, Type};

/// What a function shares with others of its group.
pub struct Callees<'a> {
    /// The compiled functions, by handle and types of arguments.
    pub find: &'a dyn Fn(Handle, &[Type]) -> Option<Callee>,
    /// What cells hold, by their number.
    pub cells: &'a [Type],
    /// Where functions go that threads run; nothing where loops of one instruction run on one thread.
    pub chunks: Option<ChunkFunctions<'a>>,
}

/// Where functions go that threads run.
#[derive(Clone, Copy)]
pub struct ChunkFunctions<'a> {
    /// The symbol of the function at hand, with which theirs begin.
    pub symbol: &'a str,
    /// Them, with their symbols and where they stand.
    pub made: &'a RefCell<Vec<ChunkFunction>>,
}

/// A function that runs some iterations of an instruction's loops.
#[derive(Debug)]
pub struct ChunkFunction {
    /// Its symbol.
    pub symbol: String,
    /// Its code.
    pub func: Function,
    /// Where the instruction stands.
    pub span: Span,
}
