//! What the functions of a group know about each other during lowering.

use crate::host::Callee;
use diag::Span;
use ir::Function;
use std::cell::RefCell;
use types::{Handle, Type};

/// What a function shares with other functions of its group.
pub struct Callees<'a> {
    /// The compiled functions, by handle and types of arguments.
    pub find: &'a dyn Fn(Handle, &[Type]) -> Option<Callee>,
    /// Types of cells, by number.
    pub cells: &'a [Type],
    /// Collects functions that threads run; none if loops of one instruction run on one thread.
    pub chunks: Option<ChunkFunctions<'a>>,
}

/// Collects functions that threads run.
#[derive(Clone, Copy)]
pub struct ChunkFunctions<'a> {
    /// The symbol of the current function, a prefix of theirs.
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
    /// The location of the instruction.
    pub span: Span,
}
