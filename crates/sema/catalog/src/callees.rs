//! What functions of a group know of each other while they are lowered.

use crate::host::Callee;
use types::{Handle, Type};

/// What a function shares with others of its group.
pub struct Callees<'a> {
    /// The compiled functions, by handle and types of arguments.
    pub find: &'a dyn Fn(Handle, &[Type]) -> Option<Callee>,
    /// What cells hold, by their number.
    pub cells: &'a [Type],
}
