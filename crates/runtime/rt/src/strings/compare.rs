//! Equality and order of strings.

use super::{Char, Text, with_chars};
use abi::{Runtime, linked};
use std::cmp::Ordering;

/// Whether this many bytes are equal.
unsafe extern "C" fn rumba_text_same(a: *const u8, b: *const u8, size: u64) -> bool {
    if size == 0 || a == b {
        return true;
    }
    // SAFETY: both strings have this many bytes.
    unsafe {
        let size = size as usize;
        std::slice::from_raw_parts(a, size) == std::slice::from_raw_parts(b, size)
    }
}

/// -1, 0 or 1, as the first string stands before, with or after the second.
unsafe extern "C" fn rumba_text_order(a: *const u8, am: u64, b: *const u8, bm: u64) -> i64 {
    // SAFETY: compiled code holds both.
    unsafe {
        let (a, b) = (Text::borrowed(a, am).chars(), Text::borrowed(b, bm).chars());
        with_chars!(a, x => with_chars!(b, y => order(x, y))) as i64
    }
}

fn order<A: Char, B: Char>(a: &[A], b: &[B]) -> Ordering {
    if A::CODE == 0 && B::CODE == 0 {
        // SAFETY: both are slices of bytes, which `memcmp` compares.
        return unsafe {
            std::slice::from_raw_parts(a.as_ptr().cast::<u8>(), a.len())
                .cmp(std::slice::from_raw_parts(b.as_ptr().cast::<u8>(), b.len()))
        };
    }
    a.iter().map(|&c| c.into()).cmp(b.iter().map(|&c| c.into()))
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextSame => rumba_text_same, _ _ _),
        linked!(Runtime::TextOrder => rumba_text_order, _ _ _ _),
    ]
}
