//! Transformations of strings: `strip`, `replace`, `upper`, `center` and so on.

use super::join::{by_width, concatenate, write};
use super::search::{as_wide, first, has_at, occurrences};
use super::split::is_space;
use super::{Char, Chars, NO_MEMORY, OK, Text, give, refuse, with_chars};
use abi::{Runtime, linked};

/// Only Python knows: there are other characters than ASCII's.
const ASK: u64 = 2;

/// Without the characters of a set at its ends: 1 the begin, 2 the end, 3 both. Without a set (a null): without white space.
unsafe extern "C" fn rumba_text_strip(
    owner: u64,
    data: *const u8,
    meta: u64,
    set: *const u8,
    set_meta: u64,
    ends: u64,
    out: *mut Text,
) -> u64 {
    let text = Text { owner, data, meta };
    // SAFETY: compiled code holds both.
    unsafe {
        let range = if set.is_null() {
            with_chars!(text.chars(), chars => stripped(chars, ends, is_space))
        } else {
            let set = Text::borrowed(set, set_meta).chars();
            with_chars!(text.chars(), chars => with_chars!(set, set => {
                match set {
                    [only] => { let only: u32 = (*only).into(); stripped(chars, ends, |c| c == only) }
                    _ => stripped(chars, ends, |c| set.iter().any(|&s| { let s: u32 = s.into(); s == c })),
                }
            }))
        };
        give(text.part(range.0, range.1), out)
    }
}

fn stripped<C: Char>(chars: &[C], ends: u64, drops: impl Fn(u32) -> bool) -> (usize, usize) {
    let (mut start, mut end) = (0, chars.len());
    while ends & 1 != 0 && start < end && drops(chars[start].into()) {
        start += 1;
    }
    while ends & 2 != 0 && start < end && drops(chars[end - 1].into()) {
        end -= 1;
    }
    (start, end)
}

/// Without a string at its begin (or end), if it stands there.
unsafe extern "C" fn rumba_text_remove(
    owner: u64,
    data: *const u8,
    meta: u64,
    part: *const u8,
    part_meta: u64,
    at_end: u64,
    out: *mut Text,
) -> u64 {
    let (text, part) = (Text { owner, data, meta }, Text::borrowed(part, part_meta));
    let (all, cut) = (text.len(), part.len());
    // SAFETY: compiled code holds both.
    unsafe {
        let from = if at_end != 0 { all.saturating_sub(cut) } else { 0 };
        let range = match (cut <= all && has_at(&text, &part, from), at_end != 0) {
            (false, _) => (0, all),
            (true, true) => (0, from),
            (true, false) => (cut, all),
        };
        give(text.part(range.0, range.1), out)
    }
}

/// `text.replace(old, new, count)`: no more than `count` times, unless that is negative.
unsafe extern "C" fn rumba_text_replace(
    text: *const Text,
    old: *const Text,
    new: *const Text,
    count: i64,
    out: *mut Text,
) -> u64 {
    // SAFETY: compiled code holds all three.
    unsafe { give(replace(&*text, &*old, &*new, usize::try_from(count).unwrap_or(usize::MAX)), out) }
}

unsafe fn replace(text: &Text, old: &Text, new: &Text, most: usize) -> Option<Text> {
    // SAFETY: the caller's promise.
    unsafe {
        if most == 0 || old.len() > text.len() || old.len() > 0 && old.meta & 3 > text.meta & 3 {
            return Some(text.held());
        }
        if old.len() == 0 {
            return weave(text, new, most);
        }
        if (text.meta | new.meta) & 3 == 0 {
            return replace_bytes(text, old, new, most);
        }
        let code = (text.meta & 3).max(new.meta & 3);
        by_width!(code, C => {
            let (all, old) = (as_wide::<C>(text.chars())?, as_wide::<C>(old.chars())?);
            let new = as_wide::<C>(new.chars())?;
            let (mut made, mut rest) = (Vec::new(), &all[..]);
            for _ in 0..most {
                let Some(at) = first(rest, &old) else { break };
                made.extend_from_slice(&rest[..at]);
                made.extend_from_slice(&new);
                rest = &rest[at + old.len()..];
            }
            if rest.len() == all.len() {
                return Some(text.held());
            }
            made.extend_from_slice(rest);
            if made.is_empty() { Some(Text::EMPTY) } else { Text::of(&made) }
        })
    }
}

/// The same where every character takes one byte: what is made is as long as it has to be from the begin.
unsafe fn replace_bytes(text: &Text, old: &Text, new: &Text, most: usize) -> Option<Text> {
    // SAFETY: the caller's promise.
    let (all, old, new) = unsafe {
        match (text.chars(), old.chars(), new.chars()) {
            (Chars::One(all), Chars::One(old), Chars::One(new)) => (all, old, new),
            _ => return None,
        }
    };
    if let (&[from], &[to]) = (old, new) {
        let Some(begin) = memchr::memchr(from, all) else { return Some(text.held()) };
        let (made, out) = Text::allocate::<u8>(all.len())?;
        // SAFETY: there is room for as many.
        let out = unsafe {
            std::ptr::copy_nonoverlapping(all.as_ptr(), out, all.len());
            std::slice::from_raw_parts_mut(out, all.len())
        };
        if most >= all.len() {
            out[begin..].iter_mut().for_each(|c| *c = if *c == from { to } else { *c });
        } else {
            memchr::memchr_iter(from, all).take(most).for_each(|at| out[at] = to);
        }
        return Some(made);
    }
    let count = occurrences(all, old).min(most);
    if count == 0 {
        return Some(text.held());
    }
    let length = (all.len() - count * old.len()).checked_add(count.checked_mul(new.len())?)?;
    let (made, mut out) = Text::allocate::<u8>(length)?;
    let mut add = |part: &[u8]| {
        // SAFETY: the length is that of all parts.
        unsafe {
            std::ptr::copy_nonoverlapping(part.as_ptr(), out, part.len());
            out = out.add(part.len());
        }
    };
    let mut done = 0;
    let mut add_match = |at: usize| {
        add(&all[done..at]);
        add(new);
        done = at + old.len();
    };
    match old {
        &[only] => memchr::memchr_iter(only, all).take(count).for_each(&mut add_match),
        _ => memchr::memmem::find_iter(all, old).take(count).for_each(&mut add_match),
    }
    add(&all[done..]);
    Some(made)
}

/// With a string before each character and at the end.
unsafe fn weave(text: &Text, new: &Text, most: usize) -> Option<Text> {
    let gaps = (text.len() + 1).min(most);
    let mut parts = Vec::with_capacity(2 * gaps + 1);
    // SAFETY: the caller's promise.
    unsafe {
        for at in 0..gaps {
            parts.push(*new);
            if at < text.len() {
                parts.push(Text::of_char(text.char_at(at)));
            }
        }
        // A part may need fewer bytes than the whole.
        let rest = text.part(gaps.min(text.len()), text.len())?;
        parts.push(rest);
        let made = concatenate(&parts);
        crate::refcount::rumba_decref(rest.owner);
        made
    }
}

/// Filled up to a width: 0 at its end, 1 at its begin, 2 at both, 3 with zeros after a sign.
unsafe extern "C" fn rumba_text_fill(
    owner: u64,
    data: *const u8,
    meta: u64,
    width: i64,
    fill: u64,
    how: u64,
    out: *mut Text,
) -> u64 {
    let text = Text { owner, data, meta };
    let Some(missing) = usize::try_from(width).ok().and_then(|width| width.checked_sub(text.len())) else {
        // SAFETY: compiled code's.
        return unsafe { give(Some(text.held()), out) };
    };
    let width = missing + text.len();
    let left = match how {
        0 => 0,
        2 => missing / 2 + (missing & width & 1),
        _ => missing,
    };
    let fill = Text::of_char(fill as u32);
    // SAFETY: compiled code holds the string.
    unsafe {
        if missing == 0 {
            return give(Some(text.held()), out);
        }
        let first = if text.len() > 0 { text.char_at(0) } else { 0 };
        let code = if text.len() > 0 { text.meta & 3 } else { 0 };
        let made = by_width!(code.max(fill.meta & 3), C => {
            Text::allocate::<C>(width).map(|(made, to)| {
                let fill = C::narrow(fill.char_at(0)).unwrap_or_else(|| to.read());
                (0..left).for_each(|at| to.add(at).write(fill));
                write(&text, to.add(left));
                (left + text.len()..width).for_each(|at| to.add(at).write(fill));
                if how == 3 && (first == 0x2b || first == 0x2d) {
                    std::ptr::swap(to, to.add(left));
                }
                made
            })
        });
        give(made, out)
    }
}

/// In another case, where all characters are ASCII's: 0 lower, 1 upper, 2 swapped, 3 title, 4 capitalized.
unsafe extern "C" fn rumba_text_case(data: *const u8, meta: u64, how: u64, out: *mut Text) -> u64 {
    // SAFETY: compiled code holds it.
    unsafe {
        let Chars::One(chars) = Text::borrowed(data, meta).chars() else {
            return refuse(ASK, out);
        };
        if !chars.is_ascii() {
            return refuse(ASK, out);
        }
        let Some((made, to)) = Text::allocate::<u8>(chars.len()) else {
            return refuse(NO_MEMORY, out);
        };
        let to = if chars.is_empty() { &mut [][..] } else { std::slice::from_raw_parts_mut(to, chars.len()) };
        to.copy_from_slice(chars);
        match how {
            0 => to.make_ascii_lowercase(),
            1 => to.make_ascii_uppercase(),
            2 => to.iter_mut().for_each(|c| *c ^= if c.is_ascii_alphabetic() { 32 } else { 0 }),
            3 => {
                let mut inside = false;
                for c in to.iter_mut() {
                    *c = if inside { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
                    inside = c.is_ascii_alphabetic();
                }
            }
            _ => {
                to.make_ascii_lowercase();
                to.iter_mut().take(1).for_each(|c| c.make_ascii_uppercase());
            }
        }
        out.write(made);
        OK
    }
}

/// What a string of ASCII's characters is: 0 no, 1 yes; 2 where there are others. `kind` counts as the list below.
unsafe extern "C" fn rumba_text_is(data: *const u8, meta: u64, kind: u64) -> u64 {
    // SAFETY: compiled code holds it.
    let chars = match unsafe { Text::borrowed(data, meta).chars() } {
        Chars::One(chars) if chars.is_ascii() => chars,
        // Wide ones are never ASCII's.
        _ if kind == 9 => return 0,
        _ => return ASK,
    };
    let all = |is: fn(&u8) -> bool| !chars.is_empty() && chars.iter().all(is);
    let cased = || chars.iter().any(u8::is_ascii_alphabetic);
    let answer = match kind {
        0 => all(u8::is_ascii_alphabetic),
        1 => all(u8::is_ascii_alphanumeric),
        2..=4 => all(u8::is_ascii_digit),
        5 => all(|&c| is_space(c.into())),
        6 => cased() && !chars.iter().any(u8::is_ascii_lowercase),
        7 => cased() && !chars.iter().any(u8::is_ascii_uppercase),
        8 => is_title(chars),
        9 => true,
        10 => chars.iter().all(|&c| (32..127).contains(&c)),
        _ => {
            all(|&c| c.is_ascii_alphanumeric() || c == b'_') && !chars.first().is_some_and(u8::is_ascii_digit)
        }
    };
    answer.into()
}

fn is_title(chars: &[u8]) -> bool {
    let (mut inside, mut any) = (false, false);
    for &c in chars {
        if c.is_ascii_alphabetic() && c.is_ascii_uppercase() == inside {
            return false;
        }
        inside = c.is_ascii_alphabetic();
        any |= inside;
    }
    any
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextStrip => rumba_text_strip, _ _ _ _ _ _ _),
        linked!(Runtime::TextRemove => rumba_text_remove, _ _ _ _ _ _ _),
        linked!(Runtime::TextReplace => rumba_text_replace, _ _ _ _ _),
        linked!(Runtime::TextFill => rumba_text_fill, _ _ _ _ _ _ _),
        linked!(Runtime::TextCase => rumba_text_case, _ _ _ _),
        linked!(Runtime::TextIs => rumba_text_is, _ _ _),
    ]
}
