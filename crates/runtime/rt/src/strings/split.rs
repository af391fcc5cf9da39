//! `split`, `splitlines` and `join`.

use super::join::{by_width, concatenate, write};
use super::search::{as_wide, first, last};
use super::{Char, Chars, Text, give, with_chars};
use crate::list::{ListHead, rumba_list_new};
use crate::refcount;
use abi::{Runtime, linked};

/// Bytes of a string in a list, and which of its words is an owner.
const ITEM: (i64, u64) = (size_of::<Text>() as i64, 1);

/// The separator has no characters.
const EMPTY_SEPARATOR: u64 = 2;

/// What Python takes for white space.
pub(super) fn is_space(c: u32) -> bool {
    matches!(c, 9..=13 | 28..=32 | 0x85 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000)
}

/// What ends a line.
fn ends_line(c: u32) -> bool {
    matches!(c, 10..=13 | 28..=30 | 0x85 | 0x2028 | 0x2029)
}

/// Parts of a string on their way into a list. Parts of one byte per character share its memory.
struct Parts {
    of: Text,
    parts: Vec<Text>,
    /// How many of them hold the string's memory, so far uncounted.
    shared: usize,
    failed: bool,
}

impl Parts {
    fn new(of: Text) -> Parts {
        Parts { of, parts: Vec::new(), shared: 0, failed: false }
    }

    fn add(&mut self, start: usize, end: usize) {
        let part = match end - start {
            0 => Text::EMPTY,
            count if self.of.meta & 3 == 0 && count > 1 => {
                self.shared += 1;
                // SAFETY: the range is in bounds of the string.
                let data = unsafe { self.of.data.add(start) };
                Text { owner: self.of.owner, data, meta: (count as u64) << 2 }
            }
            // SAFETY: the same.
            _ => match unsafe { self.of.part(start, end) } {
                Some(part) => part,
                None => {
                    self.failed = true;
                    Text::EMPTY
                }
            },
        };
        self.parts.push(part);
    }

    /// The list: its owner word, 0 without memory. The caller's count of the string is used up.
    fn into_list(self) -> u64 {
        refcount::retain_many(self.of.owner, self.shared);
        refcount::rumba_decref(self.of.owner);
        let list = rumba_list_new(ITEM.0, ITEM.1, self.parts.len() as i64);
        if list == 0 {
            self.parts.iter().for_each(|part| refcount::rumba_decref(part.owner));
            return 0;
        }
        if !self.parts.is_empty() {
            // SAFETY: the list is new and has room for them.
            unsafe {
                let head = &mut *ListHead::of(list);
                std::ptr::copy_nonoverlapping(self.parts.as_ptr(), head.items.cast(), self.parts.len());
                head.len = self.parts.len() as i64;
            }
        }
        if self.failed {
            refcount::rumba_decref(list);
            return 0;
        }
        list
    }
}

/// `text.split(separator, most)`, or with white space between parts where there is no separator (a null): a list's owner and
/// a code. From the end it splits the last parts off. One count of the string is used up.
unsafe extern "C" fn rumba_text_split(
    owner: u64,
    data: *const u8,
    meta: u64,
    separator: *const u8,
    separator_meta: u64,
    most: i64,
    from_end: u64,
) -> crate::word_abi::Pair<u64, u64> {
    let mut parts = Parts::new(Text { owner, data, meta });
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    // SAFETY: compiled code holds both.
    let all = unsafe { parts.of.chars() };
    if separator.is_null() {
        with_chars!(all, all => match from_end {
            0 => words(all, most, &mut parts),
            _ => words_from_end(all, most, &mut parts),
        });
    } else {
        if separator_meta >> 2 == 0 {
            refcount::rumba_decref(owner);
            return crate::word_abi::Pair(EMPTY_SEPARATOR, 0);
        }
        // SAFETY: the same.
        let separator = unsafe { Text::borrowed(separator, separator_meta).chars() };
        with_chars!(all, all => match as_wide(separator) {
            // None so wide is there.
            None => parts.add(0, all.len()),
            Some(separator) if from_end != 0 => pieces_from_end(all, &separator, most, &mut parts),
            Some(separator) => pieces(all, &separator, most, &mut parts),
        });
    }
    made(parts)
}

fn made(parts: Parts) -> crate::word_abi::Pair<u64, u64> {
    let list = parts.into_list();
    crate::word_abi::Pair(if list == 0 { super::NO_MEMORY } else { super::OK }, list)
}

fn pieces<C: Char>(all: &[C], separator: &[C], most: usize, parts: &mut Parts) {
    let mut start = 0;
    if C::CODE == 0 {
        // SAFETY: these are bytes.
        let (hay, needle) = unsafe {
            let hay = std::slice::from_raw_parts(all.as_ptr().cast::<u8>(), all.len());
            (hay, std::slice::from_raw_parts(separator.as_ptr().cast::<u8>(), separator.len()))
        };
        let mut cut = |at: usize| {
            parts.add(start, at);
            start = at + needle.len();
        };
        match needle {
            &[only] => memchr::memchr_iter(only, hay).take(most).for_each(&mut cut),
            _ => memchr::memmem::find_iter(hay, needle).take(most).for_each(&mut cut),
        }
    } else {
        for _ in 0..most {
            let Some(at) = first(&all[start..], separator) else { break };
            parts.add(start, start + at);
            start += at + separator.len();
        }
    }
    parts.add(start, all.len());
}

fn pieces_from_end<C: Char>(all: &[C], separator: &[C], most: usize, parts: &mut Parts) {
    let mut end = all.len();
    for _ in 0..most {
        let Some(at) = last(&all[..end], separator) else { break };
        parts.add(at + separator.len(), end);
        end = at;
    }
    parts.add(0, end);
    parts.parts.reverse();
}

fn words<C: Char>(all: &[C], most: usize, parts: &mut Parts) {
    let is_space = |at: usize| is_space(all[at].into());
    let mut at = 0;
    loop {
        while at < all.len() && is_space(at) {
            at += 1;
        }
        if at == all.len() {
            return;
        }
        if parts.parts.len() == most {
            return parts.add(at, all.len());
        }
        let start = at;
        while at < all.len() && !is_space(at) {
            at += 1;
        }
        parts.add(start, at);
    }
}

fn words_from_end<C: Char>(all: &[C], most: usize, parts: &mut Parts) {
    let is_space = |at: usize| is_space(all[at].into());
    let mut at = all.len();
    loop {
        while at > 0 && is_space(at - 1) {
            at -= 1;
        }
        if at == 0 {
            break;
        }
        if parts.parts.len() == most {
            parts.add(0, at);
            break;
        }
        let end = at;
        while at > 0 && !is_space(at - 1) {
            at -= 1;
        }
        parts.add(at, end);
    }
    parts.parts.reverse();
}

/// `text.splitlines(keep)`: a list's owner and a code. One count of the string is used up.
unsafe extern "C" fn rumba_text_lines(
    owner: u64,
    data: *const u8,
    meta: u64,
    keep: u64,
) -> crate::word_abi::Pair<u64, u64> {
    let mut parts = Parts::new(Text { owner, data, meta });
    // SAFETY: compiled code holds it.
    let all = unsafe { parts.of.chars() };
    with_chars!(all, all => {
        let mut start = 0;
        while start < all.len() {
            let end = (start..all.len()).find(|&at| ends_line(all[at].into()));
            let (end, next) = match end {
                None => (all.len(), all.len()),
                Some(end) => {
                    let is = |at: usize, wanted: u32| all.get(at).is_some_and(|&c| Into::<u32>::into(c) == wanted);
                    let pair = is(end, 13) && is(end + 1, 10);
                    (end, end + 1 + usize::from(pair))
                }
            };
            parts.add(start, if keep != 0 { next } else { end });
            start = next;
        }
    });
    made(parts)
}

/// `separator.join(items)` of `count` strings that lie one after the other.
unsafe extern "C" fn rumba_text_join(
    separator: *const u8,
    separator_meta: u64,
    items: *const Text,
    count: u64,
    out: *mut Text,
) -> u64 {
    let separator = Text::borrowed(separator, separator_meta);
    // SAFETY: compiled code holds all.
    unsafe {
        let items = if count == 0 { &[] } else { std::slice::from_raw_parts(items, count as usize) };
        give(join(&separator, items), out)
    }
}

unsafe fn join(separator: &Text, items: &[Text]) -> Option<Text> {
    // SAFETY: the caller's promise.
    unsafe {
        if separator.len() == 0 || items.len() < 2 {
            return concatenate(items);
        }
        let mut length = separator.len().checked_mul(items.len() - 1)?;
        let mut code = separator.meta & 3;
        for item in items {
            length = length.checked_add(item.len())?;
            code = code.max(if item.len() > 0 { item.meta & 3 } else { 0 });
        }
        by_width!(code, C => {
            let (made, mut to) = Text::allocate::<C>(length)?;
            // Most separators are a character.
            let only = if separator.len() == 1 { C::narrow(separator.char_at(0)) } else { None };
            for (number, item) in items.iter().enumerate() {
                match only {
                    _ if number == 0 => {}
                    Some(c) => {
                        to.write(c);
                        to = to.add(1);
                    }
                    None => to = to.add(write(separator, to)),
                }
                if item.len() > 0 {
                    to = to.add(write(item, to));
                }
            }
            Some(made)
        })
    }
}

/// `separator.join(text)`: the characters of a string.
unsafe extern "C" fn rumba_text_spread(
    separator: *const u8,
    separator_meta: u64,
    data: *const u8,
    meta: u64,
    out: *mut Text,
) -> u64 {
    let separator = Text::borrowed(separator, separator_meta);
    // SAFETY: compiled code holds both.
    unsafe {
        let chars: Vec<Text> = match Text::borrowed(data, meta).chars() {
            Chars::One(chars) => chars.iter().map(|&c| Text::of_char(c.into())).collect(),
            Chars::Two(chars) => chars.iter().map(|&c| Text::of_char(c.into())).collect(),
            Chars::Four(chars) => chars.iter().map(|&c| Text::of_char(c)).collect(),
        };
        give(join(&separator, &chars), out)
    }
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextSplit => rumba_text_split, _ _ _ _ _ _ _),
        linked!(Runtime::TextLines => rumba_text_lines, _ _ _ _),
        linked!(Runtime::TextJoin => rumba_text_join, _ _ _ _ _),
        linked!(Runtime::TextSpread => rumba_text_spread, _ _ _ _ _),
    ]
}
