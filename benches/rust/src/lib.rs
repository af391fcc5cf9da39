//! The kernels of `benches/kernels/containers.py` and `text.py` over `Vec`, `indexmap`, `hashbrown` and `str`.
//!
//! Integers are as wide as there, and wrap; what Python raises is a panic here. A string comes as its UTF-8 and its length.

#![allow(clippy::missing_safety_doc)] // Called with the arguments that `benches/child.py` makes.

mod containers;
mod text;

/// The string that was handed over.
///
/// # Safety
/// So many bytes of UTF-8 lie there for the time of the call.
unsafe fn string<'a>(bytes: *const u8, length: i64) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(bytes, length as usize)) }
}
