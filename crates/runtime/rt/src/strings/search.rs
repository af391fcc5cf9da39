//! Substring search.
//!
//! Bytes are searched by `memchr` and `memmem` (Two-Way with vectors: the crate `memchr`); wider characters as the bytes
//! that they take, where only what begins at a character counts.

use super::{Char, Chars, Text, with_chars};
use abi::{LEFT_OUT, Runtime, linked};
use memchr::{memchr, memchr_iter, memmem, memrchr};
use std::borrow::Cow;

/// Bounds as Python takes them, counted from the front, the end no longer than the string.
fn bounds(length: usize, start: i64, end: i64) -> Option<(usize, usize)> {
    let length = length as i64;
    let from_front = |bound: i64| if bound < 0 { (bound + length).max(0) } else { bound };
    let start = if start == LEFT_OUT { 0 } else { from_front(start) };
    let end = if end == LEFT_OUT { length } else { from_front(end).min(length) };
    (start <= end).then_some((start as usize, end as usize))
}

/// The characters as wider ones; none if one is too wide.
pub(super) fn as_wide<C: Char>(chars: Chars<'_>) -> Option<Cow<'_, [C]>> {
    let converted = |number: u32| C::narrow(number);
    let same = match chars {
        Chars::One(own) if C::CODE == 0 => Some((own.as_ptr().cast::<C>(), own.len())),
        Chars::Two(own) if C::CODE == 1 => Some((own.as_ptr().cast::<C>(), own.len())),
        Chars::Four(own) if C::CODE == 2 => Some((own.as_ptr().cast::<C>(), own.len())),
        _ => None,
    };
    if let Some((start, length)) = same {
        // SAFETY: the slice has characters of this very type.
        return Some(Cow::Borrowed(unsafe { std::slice::from_raw_parts(start, length) }));
    }
    with_chars!(chars, own => own.iter().map(|&c| converted(c.into())).collect::<Option<Vec<C>>>())
        .map(Cow::Owned)
}

fn bytes<C: Char>(chars: &[C]) -> &[u8] {
    // SAFETY: characters are numbers without padding.
    unsafe { std::slice::from_raw_parts(chars.as_ptr().cast(), size_of_val(chars)) }
}

/// The first place of what is not empty.
pub(super) fn first<C: Char>(all: &[C], part: &[C]) -> Option<usize> {
    let (hay, needle, size) = (bytes(all), bytes(part), size_of::<C>());
    if let &[only] = needle {
        return memchr(only, hay);
    }
    let mut from = 0;
    loop {
        let at = from + memmem::find(&hay[from..], needle)?;
        if at % size == 0 {
            return Some(at / size);
        }
        from = at + 1;
    }
}

/// The last place of what is not empty.
pub(super) fn last<C: Char>(all: &[C], part: &[C]) -> Option<usize> {
    let (hay, needle, size) = (bytes(all), bytes(part), size_of::<C>());
    if let &[only] = needle {
        return memrchr(only, hay);
    }
    let mut until = hay.len();
    loop {
        let at = memmem::rfind(&hay[..until], needle)?;
        if at % size == 0 {
            return Some(at / size);
        }
        until = at + needle.len() - 1;
    }
}

/// How often what is not empty stands there, one after the other.
pub(super) fn occurrences<C: Char>(all: &[C], part: &[C]) -> usize {
    if C::CODE == 0 {
        return match bytes(part) {
            &[only] => memchr_iter(only, bytes(all)).count(),
            needle => memmem::find_iter(bytes(all), needle).count(),
        };
    }
    let (mut from, mut count) = (0, 0);
    while let Some(at) = first(&all[from..], part) {
        (from, count) = (from + at + part.len(), count + 1);
    }
    count
}

/// What to look for.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    First,
    Last,
    Count,
}

fn search(text: Text, part: Text, start: i64, end: i64, wanted: Wanted) -> i64 {
    let nothing = if wanted == Wanted::Count { 0 } else { -1 };
    let Some((start, end)) = bounds(text.len(), start, end) else { return nothing };
    if part.len() > end - start {
        return nothing;
    }
    if part.len() == 0 {
        return match wanted {
            Wanted::First => start as i64,
            Wanted::Last => end as i64,
            Wanted::Count => (end - start + 1) as i64,
        };
    }
    // SAFETY: compiled code holds both.
    let (all, part) = unsafe { (text.chars(), part.chars()) };
    with_chars!(all, all => {
        let Some(part) = as_wide(part) else { return nothing };
        let all = &all[start..end];
        match wanted {
            Wanted::First => first(all, &part).map_or(-1, |at| (start + at) as i64),
            Wanted::Last => last(all, &part).map_or(-1, |at| (start + at) as i64),
            Wanted::Count => occurrences(all, &part) as i64,
        }
    })
}

macro_rules! searches {
    ($($name:ident $wanted:ident)*) => {
        $(unsafe extern "C" fn $name(
            data: *const u8, meta: u64, part: *const u8, part_meta: u64, start: i64, end: i64,
        ) -> i64 {
            search(Text::borrowed(data, meta), Text::borrowed(part, part_meta), start, end, Wanted::$wanted)
        })*
    };
}
searches! { rumba_text_find First rumba_text_rfind Last rumba_text_count Count }

/// Whether a part of a string begins (or ends) with another.
unsafe extern "C" fn rumba_text_edge(
    data: *const u8,
    meta: u64,
    part: *const u8,
    part_meta: u64,
    start: i64,
    end: i64,
    at_end: u64,
) -> bool {
    let (text, part) = (Text::borrowed(data, meta), Text::borrowed(part, part_meta));
    let Some((start, end)) = bounds(text.len(), start, end) else { return false };
    if part.len() > end - start {
        return false;
    }
    let from = if at_end != 0 { end - part.len() } else { start };
    // SAFETY: compiled code holds both.
    unsafe { has_at(&text, &part, from) }
}

/// Whether another string, which is not too long, stands at a place of a string.
///
/// # Safety
/// As for [`Text::chars`].
pub(super) unsafe fn has_at(text: &Text, part: &Text, from: usize) -> bool {
    // SAFETY: the caller's promise.
    let (all, part) = unsafe { (text.chars(), part.chars()) };
    match (all, part) {
        (_, Chars::One([])) => true,
        (Chars::One(all), Chars::One(part)) => all[from..from + part.len()] == *part,
        (all, part) => with_chars!(all, all => with_chars!(part, part => {
            let there = all[from..from + part.len()].iter().map(|&c| -> u32 { c.into() });
            there.eq(part.iter().map(|&c| -> u32 { c.into() }))
        })),
    }
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextFind => rumba_text_find, _ _ _ _ _ _),
        linked!(Runtime::TextRfind => rumba_text_rfind, _ _ _ _ _ _),
        linked!(Runtime::TextCount => rumba_text_count, _ _ _ _ _ _),
        linked!(Runtime::TextEdge => rumba_text_edge, _ _ _ _ _ _ _),
    ]
}
