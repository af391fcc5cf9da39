//! The frame of a generator: the state kept in a block of memory while it is suspended.
//!
//! The frame begins with the words below; what the generator returned, its arguments and what lives across a `yield` follow,
//! each part in a word of its own.

/// Offset of the address of the code: it takes the frame and 0 (or a status to fail with), and gives a status, whether there
/// is an item, and the item's parts.
pub const RESUME: i64 = 0;
/// Offset of the address of the same for C: it takes a third operand, where to write 1 and the words of an item, 2 and those of
/// what was returned, or 0. It gives the status.
pub const RESUME_WORDS: i64 = 8;
/// Offset of the state: one of those below, or the number of the `yield` where it stopped.
pub const STATE: i64 = 16;
/// Offset of the parts of what was returned.
pub const RESULT: i64 = 24;

/// Not begun.
pub const BEGIN: i64 = 0;
/// Failed, or returned, and what was returned was told.
pub const DONE: i64 = -1;
/// On its way: it cannot be resumed.
pub const RUNNING: i64 = -2;
/// Returned: the frame holds what.
pub const RETURNED: i64 = -3;
