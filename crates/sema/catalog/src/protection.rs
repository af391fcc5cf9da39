//! The target of exceptions in a protected block.

use ir::{Block, Value};
use smallvec::SmallVec;

/// Where a protected block's exceptions go.
#[derive(Clone, Debug)]
pub struct Protection {
    /// The handler.
    pub block: Block,
    /// What it is given before the status.
    pub args: SmallVec<[Value; 4]>,
    /// Owners of these that are counted for it.
    pub counted: Vec<Value>,
}
