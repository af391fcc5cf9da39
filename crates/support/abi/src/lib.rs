//! The interface between machine code and the rest of Rumba: `#[repr(C)]` structs, calling conventions, the bits of half
//! precision, and the table of runtime functions.
//!
//! Nothing here knows Python, LLVM or the compiler; it depends on `std` alone. Layouts are part of
//! the object cache's format: a change here makes every cached object stale.

mod exceptions;
pub mod frame;
mod half;
mod native;
pub mod objects;
mod raise;
mod runtime;
mod signature;

use std::path::{Component, Path};

pub use exceptions::ExceptionClass;
pub use half::{double_to_half, float_to_half, half_to_float};
pub use native::Native;
pub use raise::{RaiseSite, StaticSite, layout_hash};
pub use runtime::{Effect, Runtime, RuntimeFunction};
pub use signature::{Linked, Machine, Returned, Signature, fits};

/// Offset of a block's items from its address (`rt::memory`).
pub const ITEMS: i64 = 64;

/// Whether a source file is one of Rumba's own library, whose lines users are not shown.
pub fn is_of_library(file: &str) -> bool {
    let mut parts = Path::new(file).components().map(Component::as_os_str).peekable();
    while let Some(part) = parts.next() {
        if part == "rumba" && parts.peek().is_some_and(|next| *next == "library") {
            return true;
        }
    }
    false
}

/// Nanoseconds of work below which a launch of threads does not pay.
pub const WORTH_A_LAUNCH: i64 = 10_000;

/// The word of a bound or step of a slice that is left out.
pub const LEFT_OUT: i64 = i64::MIN;

/// Offset of an object's fields from its block's items (`rt::object`).
pub const FIELDS: i64 = 16;

/// The packed-words entry point through which Python calls a compiled function.
///
/// `args` are the unboxed arguments, `ret` has room for the result, both as 64-bit words laid out
/// by the plans that accompany the thunk: a scalar takes one word, a complex number two. Integers
/// narrower than a word come extended by their signedness, a `bool` is 0 or 1, a `float32` stands in
/// the low half, a `float16` in the low 16 bits. A narrow parameter may be given a wider integer: the thunk truncates. The value is 0 when the call returned, and otherwise
/// the address of a [`RaiseSite`] that lives as long as the code does.
pub type Thunk = unsafe extern "C" fn(args: *const u64, ret: *mut u64) -> usize;
