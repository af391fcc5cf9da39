//! Slices of strings.

use super::{Chars, Text, give, refuse, with_chars};
use abi::{LEFT_OUT, Runtime, linked};

/// The step of a slice is zero.
const ZERO_STEP: u64 = 2;

/// `text[start:stop:step]`.
unsafe extern "C" fn rumba_text_slice(
    owner: u64,
    data: *const u8,
    meta: u64,
    start: i64,
    stop: i64,
    step: i64,
    out: *mut Text,
) -> u64 {
    let text = Text { owner, data, meta };
    let step = if step == LEFT_OUT { 1 } else { step };
    if step == 0 {
        // SAFETY: compiled code's.
        return unsafe { refuse(ZERO_STEP, out) };
    }
    let (first, count) = indices(text.len() as i64, start, stop, step);
    // SAFETY: compiled code holds the string; the indices are in it.
    unsafe {
        if step == 1 {
            return give(text.part(first as usize, (first + count) as usize), out);
        }
        let at = |number: i64| (first + number * step) as usize;
        let made = match count {
            0 => Some(Text::EMPTY),
            1 => Some(Text::of_char(text.char_at(at(0)))),
            _ => with_chars!(text.chars(), chars => {
                Text::of(&(0..count).map(|number| chars[at(number)]).collect::<Vec<_>>())
            }),
        };
        give(made, out)
    }
}

/// The first place that a slice selects, and how many: as Python's `slice.indices`.
fn indices(length: i64, start: i64, stop: i64, step: i64) -> (i64, i64) {
    let (low, high) = if step < 0 { (-1, length - 1) } else { (0, length) };
    let bound = |given: i64, default: i64| match given {
        LEFT_OUT => default,
        ..0 => (given + length).max(low),
        _ => given.min(high),
    };
    let (start, stop) = if step < 0 {
        (bound(start, high), bound(stop, low))
    } else {
        (bound(start, low), bound(stop, high))
    };
    let span = if step < 0 { start - stop } else { stop - start };
    let width = step.unsigned_abs();
    let count = if span <= 0 { 0 } else { ((span as u64 - 1) / width + 1) as i64 };
    (if count == 0 { 0 } else { start }, count)
}

/// Characters of one byte at a given stride in bytes, copied to new memory.
unsafe extern "C" fn rumba_text_gather(data: *const u8, meta: u64, stride: i64, out: *mut Text) -> u64 {
    // SAFETY: compiled code holds them.
    unsafe {
        let at = |number: i64| *data.offset((number * stride) as isize);
        let chars: Vec<u8> = (0..(meta >> 2) as i64).map(at).collect();
        give(Text::of(&chars), out)
    }
}

/// The string of characters of four bytes, of which nulls at the end do not count.
unsafe extern "C" fn rumba_text_of_wide(data: *const u32, count: u64, out: *mut Text) -> u64 {
    // SAFETY: compiled code's frame has them.
    unsafe {
        let chars = std::slice::from_raw_parts(data, count as usize);
        let length = chars.iter().rposition(|&c| c != 0).map_or(0, |last| last + 1);
        give(Text::of(&chars[..length]), out)
    }
}

/// The characters of a string in a field of a fixed number of them, of four bytes (`how` is 1) or of one: what is too long is cut
/// off, after what is too short stand nulls. With `TO_ASCII`, the place of the first character that is not ASCII's, and after
/// `PLACE_BITS` how many such stand there; 0 if there is none.
unsafe extern "C" fn rumba_text_to_fixed(
    data: *const u8,
    meta: u64,
    count: u64,
    how: u64,
    index: *mut u8,
) -> u64 {
    let text = Text { owner: 0, data, meta };
    let count = count as usize;
    // SAFETY: compiled code's frame has room for this many.
    unsafe {
        with_chars!(text.chars(), own => {
            for at in 0..count {
                let char: u32 = own.get(at).map_or(0, |&char| char.into());
                match how {
                    1 => index.cast::<u32>().add(at).write(char),
                    _ => index.add(at).write(char as u8),
                }
            }
            if how == super::TO_ASCII as u64 {
                let is_outside = |&char: &_| u32::from(char) > 127;
                if let Some(first) = own.iter().position(is_outside) {
                    let many = own[first..].iter().take_while(|&char| is_outside(char)).count();
                    return first as u64 | (many.min((1 << 23) - 1) as u64) << super::PLACE_BITS;
                }
            }
        });
    }
    0
}

/// The same string if all its characters are ASCII's.
unsafe extern "C" fn rumba_text_ascii(owner: u64, data: *const u8, meta: u64, out: *mut Text) -> u64 {
    let text = Text { owner, data, meta };
    // SAFETY: compiled code holds it.
    match unsafe { text.chars() } {
        // SAFETY: compiled code gives room for a string.
        Chars::One(chars) if chars.is_ascii() => unsafe { give(Some(text.held()), out) },
        // Only Python knows.
        // SAFETY: compiled code gives room for a string.
        _ => unsafe { refuse(2, out) },
    }
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextSlice => rumba_text_slice, _ _ _ _ _ _ _),
        linked!(Runtime::TextGather => rumba_text_gather, _ _ _ _),
        linked!(Runtime::TextOfWide => rumba_text_of_wide, _ _ _),
        linked!(Runtime::TextAscii => rumba_text_ascii, _ _ _ _),
        linked!(Runtime::TextToFixed => rumba_text_to_fixed, _ _ _ _ _),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_select_the_places_that_python_has() {
        assert_eq!(indices(5, LEFT_OUT, LEFT_OUT, 1), (0, 5));
        assert_eq!(indices(5, LEFT_OUT, LEFT_OUT, -1), (4, 5));
        assert_eq!(indices(5, -2, 100, 1), (3, 2));
        assert_eq!(indices(5, 4, 0, -3), (4, 2));
        assert_eq!(indices(5, 9, 1, 2), (0, 0));
        assert_eq!(indices(5, LEFT_OUT, LEFT_OUT, i64::MIN + 1), (4, 1));
    }
}
