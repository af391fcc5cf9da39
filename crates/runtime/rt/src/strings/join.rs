//! Concatenation and `join`.

use super::{Char, Text, give, with_chars};
use crate::refcount::{self, ZeroInit};
use abi::{Runtime, linked};

/// Does the same with the type of characters of a width.
macro_rules! by_width {
    ($code:expr, $name:ident => $body:expr) => {
        match $code {
            0 => {
                type $name = u8;
                $body
            }
            1 => {
                type $name = u16;
                $body
            }
            _ => {
                type $name = u32;
                $body
            }
        }
    };
}
pub(super) use by_width;

/// Writes the characters of a string as characters that are as wide or wider; how many.
///
/// # Safety
/// As for [`Text::chars`]; `to` has room for them.
pub(super) unsafe fn write<C: Char>(text: &Text, to: *mut C) -> usize {
    let length = text.len();
    // SAFETY: the caller's promise.
    unsafe {
        if text.meta & 3 == C::CODE {
            copy(text.data, to.cast(), length * size_of::<C>());
        } else {
            with_chars!(text.chars(), chars => for (at, &c) in chars.iter().enumerate() {
                if let Some(c) = C::narrow(c.into()) {
                    to.add(at).write(c);
                }
            });
        }
    }
    length
}

/// Copies this many bytes to memory that does not overlap them. Most pieces of text are short: a call would cost more.
unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller's promise; the pieces overlap, so that all bytes are copied whatever the size.
    unsafe {
        match size {
            0 => {}
            1 => *to = *from,
            2..4 => {
                let (first, last) =
                    (from.cast::<u16>().read_unaligned(), from.add(size - 2).cast::<u16>().read_unaligned());
                to.cast::<u16>().write_unaligned(first);
                to.add(size - 2).cast::<u16>().write_unaligned(last);
            }
            4..8 => {
                let (first, last) =
                    (from.cast::<u32>().read_unaligned(), from.add(size - 4).cast::<u32>().read_unaligned());
                to.cast::<u32>().write_unaligned(first);
                to.add(size - 4).cast::<u32>().write_unaligned(last);
            }
            8..=16 => {
                let (first, last) =
                    (from.cast::<u64>().read_unaligned(), from.add(size - 8).cast::<u64>().read_unaligned());
                to.cast::<u64>().write_unaligned(first);
                to.add(size - 8).cast::<u64>().write_unaligned(last);
            }
            _ => std::ptr::copy_nonoverlapping(from, to, size),
        }
    }
}

/// One string after the other.
///
/// # Safety
/// As for [`Text::chars`] of all.
pub(crate) unsafe fn concatenate(parts: &[Text]) -> Option<Text> {
    let mut filled = parts.iter().filter(|part| part.len() > 0);
    match (filled.next(), filled.next()) {
        (None, _) => return Some(Text::EMPTY),
        (Some(only), None) => return Some(only.held()),
        _ => {}
    }
    let mut length = 0usize;
    let mut code = 0;
    for part in parts {
        length = length.checked_add(part.len())?;
        code = code.max(if part.len() > 0 { part.meta & 3 } else { 0 });
    }
    by_width!(code, C => {
        let (made, mut to) = Text::allocate::<C>(length)?;
        for part in parts.iter().filter(|part| part.len() > 0) {
            // SAFETY: there is room for all.
            unsafe { to = to.add(write(part, to)) };
        }
        Some(made)
    })
}

unsafe extern "C" fn rumba_text_add(
    a_owner: u64,
    a: *const u8,
    am: u64,
    b_owner: u64,
    b: *const u8,
    bm: u64,
    out: *mut Text,
) -> u64 {
    let parts = [Text { owner: a_owner, data: a, meta: am }, Text { owner: b_owner, data: b, meta: bm }];
    // SAFETY: compiled code holds both.
    unsafe { give(append(&parts[0], &parts[1]), out) }
}

/// Two strings that have characters, in new memory.
unsafe fn fresh(a: &Text, b: &Text) -> Option<Text> {
    let code = (a.meta & 3).max(b.meta & 3);
    by_width!(code, C => {
        let (made, to) = Text::allocate::<C>(a.len() + b.len())?;
        // SAFETY: there is room for both.
        unsafe {
            write(a, to);
            write(b, to.add(a.len()));
        }
        Some(made)
    })
}

/// One string and another. Where the first ends after all that is used of its memory, which compiled code made, the
/// second is written after it: so a string that grows in a loop is not copied each time.
unsafe fn append(a: &Text, b: &Text) -> Option<Text> {
    // SAFETY: the caller's promise.
    unsafe {
        let parts = [*a, *b];
        let code = a.meta & 3;
        if a.len() == 0 || b.len() == 0 {
            return concatenate(&parts);
        }
        if b.meta & 3 > code || a.owner == 0 || a.owner & 1 != 0 {
            return fresh(a, b);
        }
        let more = b.len() << code;
        let room = refcount::extend(a.owner, a.data.add(a.size()), more);
        if room == ZeroInit::None {
            return fresh(a, b);
        }
        by_width!(code, C => {
            let mut made = a.held();
            if room == ZeroInit::Full {
                refcount::rumba_decref(a.owner);
                let length = a.len().checked_add(b.len())?;
                let (longer, to) = Text::allocate::<C>(length.checked_mul(2)?)?;
                refcount::set_used_size(longer.owner, length << code);
                write(a, to);
                made = longer;
            }
            write(b, made.data.cast_mut().cast::<C>().add(a.len()));
            Some(Text { meta: a.meta + ((b.len() as u64) << 2), ..made })
        })
    }
}

/// `count` strings that lie one after the other.
unsafe extern "C" fn rumba_text_concatenate(parts: *const Text, count: u64, out: *mut Text) -> u64 {
    // SAFETY: compiled code holds all.
    unsafe { give(concatenate(std::slice::from_raw_parts(parts, count as usize)), out) }
}

/// A string that nobody keeps alive as one that does not depend on where its characters lie.
unsafe extern "C" fn rumba_text_keep(data: *const u8, meta: u64, out: *mut Text) -> u64 {
    let text = Text::borrowed(data, meta);
    // SAFETY: compiled code has the characters.
    unsafe {
        let kept = if super::is_lasting(&text) { Some(text) } else { copied(&text) };
        give(kept, out)
    }
}

/// The characters in memory of their own.
unsafe fn copied(text: &Text) -> Option<Text> {
    by_width!(text.meta & 3, C => {
        let (made, to) = Text::allocate::<C>(text.len())?;
        // SAFETY: there is room for the characters.
        unsafe { write(text, to) };
        Some(made)
    })
}

/// `text * count`.
unsafe extern "C" fn rumba_text_repeat(
    owner: u64,
    data: *const u8,
    meta: u64,
    count: i64,
    out: *mut Text,
) -> u64 {
    let text = Text { owner, data, meta };
    // SAFETY: compiled code holds it.
    unsafe { give(repeat(&text, usize::try_from(count).unwrap_or(0)), out) }
}

unsafe fn repeat(text: &Text, count: usize) -> Option<Text> {
    match (text.len(), count) {
        (0, _) | (_, 0) => return Some(Text::EMPTY),
        (_, 1) => return Some(text.held()),
        _ => {}
    }
    let total = text.len().checked_mul(count)?;
    by_width!(text.meta & 3, C => {
        let (made, to) = Text::allocate::<C>(total)?;
        // SAFETY: there is room for all; what is written is doubled.
        unsafe {
            let mut done = write(text, to);
            while done < total {
                let more = done.min(total - done);
                std::ptr::copy_nonoverlapping(to, to.add(done), more);
                done += more;
            }
        }
        Some(made)
    })
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextAdd => rumba_text_add, _ _ _ _ _ _ _),
        linked!(Runtime::TextConcatenate => rumba_text_concatenate, _ _ _),
        linked!(Runtime::TextKeep => rumba_text_keep, _ _ _),
        linked!(Runtime::TextRepeat => rumba_text_repeat, _ _ _ _ _),
    ]
}
