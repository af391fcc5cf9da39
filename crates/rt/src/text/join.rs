//! Strings put together.

use super::{Char, Text, give, symbol, with_chars};

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
/// As of [`Text::chars`]; `to` has room for them.
pub(super) unsafe fn write<C: Char>(text: &Text, to: *mut C) -> usize {
    let length = text.len();
    // SAFETY: the caller's promise.
    unsafe {
        if text.meta & 3 == C::CODE {
            std::ptr::copy_nonoverlapping(text.data.cast::<C>(), to, length);
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

/// One string behind the other.
///
/// # Safety
/// As of [`Text::chars`] of all.
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
    unsafe { give(concatenate(&parts), out) }
}

/// `count` strings that lie one behind the other.
unsafe extern "C" fn rumba_text_concatenate(parts: *const Text, count: u64, out: *mut Text) -> u64 {
    // SAFETY: compiled code holds all.
    unsafe { give(concatenate(std::slice::from_raw_parts(parts, count as usize)), out) }
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
    vec![symbol!(rumba_text_add), symbol!(rumba_text_concatenate), symbol!(rumba_text_repeat)]
}
