//! Strings of compiled code.
//!
//! A string is three words: an owner ([`crate::refcount`]), the address of its characters, and its length times four plus
//! 0, 1 or 2 for characters of 1, 2 or 4 bytes: the minimum for its widest character. A function that creates a
//! string writes it through its last parameter, with a reference owned by the caller, and returns [`OK`] or another code.
//!
//! Absent: operations that need Unicode tables (such as `lower` of non-ASCII letters), which Python does.

mod compare;
mod join;
mod parse_format;
mod search;
mod slices;
mod split;
mod transform;

use crate::refcount::{self, rumba_allocate};
use abi::{Runtime, linked};

/// A string was made.
pub(crate) const OK: u64 = 0;
/// There is no memory for it.
pub(crate) const NO_MEMORY: u64 = 1;

/// How a string becomes characters of a fixed number of one byte each: they are ASCII's, or that is an error.
pub const TO_ASCII: i64 = 2;
/// The bits in which the place of that error stands; those above say how many characters are wrong.
pub const PLACE_BITS: u32 = 40;

/// A string as words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// What keeps the characters alive.
    pub owner: u64,
    /// The first character.
    pub data: *const u8,
    /// Length and width.
    pub meta: u64,
}

/// The characters of a string.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chars<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

/// Does the same with the characters of a string, whatever their width.
macro_rules! with_chars {
    ($chars:expr, $name:ident => $body:expr) => {
        match $chars {
            $crate::strings::Chars::One($name) => $body,
            $crate::strings::Chars::Two($name) => $body,
            $crate::strings::Chars::Four($name) => $body,
        }
    };
}
pub(crate) use with_chars;

/// A character of 1, 2 or 4 bytes.
pub(crate) trait Char: Copy + Ord + Into<u32> + 'static {
    /// What stands for this width.
    const CODE: u64;
    /// The character with this number, if it is so narrow.
    fn narrow(number: u32) -> Option<Self>;
}

impl Char for u8 {
    const CODE: u64 = 0;
    fn narrow(number: u32) -> Option<u8> {
        u8::try_from(number).ok()
    }
}

impl Char for u16 {
    const CODE: u64 = 1;
    fn narrow(number: u32) -> Option<u16> {
        u16::try_from(number).ok()
    }
}

impl Char for u32 {
    const CODE: u64 = 2;
    fn narrow(number: u32) -> Option<u32> {
        Some(number)
    }
}

/// Every character of one byte, as strings of one character and for whoever needs an address.
#[unsafe(export_name = "rumba_latin")]
pub(crate) static LATIN: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 0;
    while at < 256 {
        all[at] = at as u8;
        at += 1;
    }
    all
};

/// Every character of two bytes.
static BASIC: [u16; 65536] = {
    let mut all = [0; 65536];
    let mut at = 0;
    while at < 65536 {
        all[at] = at as u16;
        at += 1;
    }
    all
};

/// Whether the characters of a string that nobody keeps alive lie where they stay.
pub(crate) fn is_lasting(text: &Text) -> bool {
    let within = |first: *const u8, size: usize| {
        (first as usize..first as usize + size).contains(&(text.data as usize))
    };
    text.len() == 0
        || within(LATIN.as_ptr(), LATIN.len())
        || within(BASIC.as_ptr().cast(), size_of_val(&BASIC))
}

/// Every character of four bytes after those of two, made when the first is asked for.
static OTHERS: std::sync::LazyLock<Vec<u32>> = std::sync::LazyLock::new(|| (0x10000..0x11_0000).collect());

impl Text {
    /// The string without characters.
    pub const EMPTY: Text = Text { owner: 0, data: LATIN.as_ptr(), meta: 0 };

    /// Number of characters.
    pub fn len(&self) -> usize {
        (self.meta >> 2) as usize
    }

    /// Bytes of its characters.
    pub fn size(&self) -> usize {
        self.len() << (self.meta & 3)
    }

    /// A string of borrowed characters.
    pub(crate) fn borrowed(data: *const u8, meta: u64) -> Text {
        Text { owner: 0, data, meta }
    }

    /// The characters.
    ///
    /// # Safety
    /// The words are those of a string that lives as long as the result is used.
    pub(crate) unsafe fn chars<'a>(&self) -> Chars<'a> {
        // SAFETY: the caller's promise; a string without characters may have no address.
        unsafe {
            match (self.len(), self.meta & 3) {
                (0, _) => Chars::One(&[]),
                (length, 0) => Chars::One(std::slice::from_raw_parts(self.data, length)),
                (length, 1) => Chars::Two(std::slice::from_raw_parts(self.data.cast(), length)),
                (length, _) => Chars::Four(std::slice::from_raw_parts(self.data.cast(), length)),
            }
        }
    }

    /// Character number `at`.
    ///
    /// # Safety
    /// As for [`Text::chars`]; there are more characters.
    unsafe fn char_at(&self, at: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            match self.meta & 3 {
                0 => u32::from(*self.data.add(at)),
                1 => u32::from(*self.data.cast::<u16>().add(at)),
                _ => *self.data.cast::<u32>().add(at),
            }
        }
    }

    /// The same string with one holder more.
    pub(crate) fn held(self) -> Text {
        refcount::rumba_incref(self.owner);
        self
    }

    /// A new string of these characters, in the fewest bytes; none without memory.
    pub(crate) fn of<C: Char>(chars: &[C]) -> Option<Text> {
        match C::CODE {
            0 => Text::copy(chars),
            _ => {
                let widest = chars.iter().fold(0u32, |all, &c| all | c.into());
                match widest {
                    ..0x100 => Text::narrowed::<C, u8>(chars),
                    0x100..0x10000 => Text::narrowed::<C, u16>(chars),
                    _ => Text::copy(chars),
                }
            }
        }
    }

    /// A new string of ASCII text.
    pub fn of_ascii(text: &str) -> Option<Text> {
        debug_assert!(text.is_ascii());
        Text::copy(text.as_bytes())
    }

    /// A new string of the characters, which need this width.
    fn copy<C: Char>(chars: &[C]) -> Option<Text> {
        let (text, to) = Text::allocate::<C>(chars.len())?;
        // SAFETY: so many were allocated.
        unsafe { std::ptr::copy_nonoverlapping(chars.as_ptr(), to, chars.len()) };
        Some(text)
    }

    fn narrowed<C: Char, N: Char>(chars: &[C]) -> Option<Text> {
        let (text, to) = Text::allocate::<N>(chars.len())?;
        for (at, &c) in chars.iter().enumerate() {
            // SAFETY: so many were allocated.
            unsafe { to.add(at).write(N::narrow(c.into())?) };
        }
        Some(text)
    }

    /// A new string of a number of characters of a width, to be written; the empty one needs no memory.
    pub(crate) fn allocate<C: Char>(count: usize) -> Option<(Text, *mut C)> {
        if count == 0 {
            return Some((Text::EMPTY, std::ptr::dangling_mut()));
        }
        let size = count.checked_mul(size_of::<C>()).filter(|&size| size < isize::MAX as usize / 4)?;
        let owner = rumba_allocate(size as u64, 0);
        if owner == 0 {
            return None;
        }
        let data = (owner as usize + refcount::ITEMS as usize) as *mut C;
        Some((Text { owner, data: data.cast(), meta: (count as u64) << 2 | C::CODE }, data))
    }

    /// The string of one character.
    pub(crate) fn of_char(c: u32) -> Text {
        let (data, code) = match c {
            ..0x100 => (&raw const LATIN[c as usize], 0),
            0x100..0x10000 => ((&raw const BASIC[c as usize]).cast(), 1),
            _ => (OTHERS.get(c as usize - 0x10000).map_or(LATIN.as_ptr(), |c| (&raw const *c).cast()), 2),
        };
        Text { owner: 0, data, meta: 4 | code }
    }

    /// Some of the string's characters: they stay where they are.
    ///
    /// # Safety
    /// As for [`Text::chars`]; the range is in bounds of the string.
    pub(crate) unsafe fn part(&self, start: usize, end: usize) -> Option<Text> {
        if start == 0 && end == self.len() {
            return Some(self.held());
        }
        let code = self.meta & 3;
        // SAFETY: the caller's promise.
        unsafe {
            let part = Text {
                owner: self.owner,
                data: self.data.add(start << code),
                meta: ((end - start) as u64) << 2 | code,
            };
            match part.len() {
                0 => Some(Text::EMPTY),
                1 => Some(Text::of_char(part.char_at(0))),
                _ if code == 0 => Some(part.held()),
                // Without its widest characters it may need fewer bytes.
                _ if with_chars!(part.chars(), chars => fewest(chars)) == code => Some(part.held()),
                _ => with_chars!(part.chars(), chars => Text::of(chars)),
            }
        }
    }
}

/// What stands for the fewest bytes that hold each of the characters.
fn fewest<C: Char>(chars: &[C]) -> u64 {
    match chars.iter().fold(0u32, |all, &c| all | c.into()) {
        ..0x100 => 0,
        0x100..0x10000 => 1,
        _ => 2,
    }
}

/// Hands a string to compiled code.
///
/// # Safety
/// `out` can be written.
pub(crate) unsafe fn give(text: Option<Text>, out: *mut Text) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { out.write(text.unwrap_or(Text::EMPTY)) };
    if text.is_some() { OK } else { NO_MEMORY }
}

/// No string, for a reason.
///
/// # Safety
/// `out` can be written.
pub(crate) unsafe fn refuse(code: u64, out: *mut Text) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { out.write(Text::EMPTY) };
    code
}

/// The string that holds the character with this number: its address and its third word.
extern "C" fn rumba_text_char(c: u64) -> crate::word_abi::Pair<u64, u64> {
    let text = Text::of_char(c as u32);
    crate::word_abi::Pair(text.data as u64, text.meta)
}

/// Character number `at` of a string.
unsafe extern "C" fn rumba_text_at(data: *const u8, meta: u64, at: u64) -> u64 {
    // SAFETY: compiled code has compared with the length.
    unsafe { Text::borrowed(data, meta).char_at(at as usize).into() }
}

/// What compiled code calls.
pub(crate) fn symbols() -> Vec<crate::Symbol> {
    let own = [
        linked!(Runtime::TextChar => rumba_text_char, _),
        linked!(Runtime::TextAt => rumba_text_at, _ _ _),
        ("rumba_latin", LATIN.as_ptr() as usize),
    ];
    let others = [
        compare::symbols(),
        transform::symbols(),
        join::symbols(),
        parse_format::symbols(),
        search::symbols(),
        slices::symbols(),
        split::symbols(),
    ];
    own.into_iter().chain(others.into_iter().flatten()).collect()
}

impl Text {
    /// A copy in memory of its own.
    ///
    /// # Safety
    /// As of a string that lives.
    pub unsafe fn copied(&self) -> Option<Text> {
        // SAFETY: the caller's promise.
        unsafe {
            match self.len() {
                0 => Some(Text::EMPTY),
                1 => Some(Text::of_char(self.char_at(0))),
                _ => with_chars!(self.chars(), chars => Text::copy(chars)),
            }
        }
    }
}

/// A copy of bytes, as a string of as many characters.
pub fn copy_bytes(bytes: &[u8]) -> Option<Text> {
    Text::copy(bytes)
}
