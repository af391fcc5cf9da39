//! Numbers to strings and back, for ASCII.

use super::{Chars, Text, give};
use crate::word_abi::Pair;
use abi::{Runtime, linked};

/// Only Python knows, or raises.
const ASK: u64 = 2;

/// The numbers below 100 with two digits each.
const PAIRS: [u8; 200] = {
    let mut all = [b'0'; 200];
    let mut at = 0;
    while at < 100 {
        all[2 * at] += (at / 10) as u8;
        all[2 * at + 1] += (at % 10) as u8;
        at += 1;
    }
    all
};

/// `str` of an integer.
unsafe extern "C" fn rumba_text_of_int(value: i64, signed: u64, out: *mut Text) -> u64 {
    let mut room = [0; 20];
    let mut at = room.len();
    let negative = signed != 0 && value < 0;
    let mut rest = if negative { value.unsigned_abs() } else { value.cast_unsigned() };
    while rest >= 10 {
        at -= 2;
        room[at..at + 2].copy_from_slice(&PAIRS[2 * (rest % 100) as usize..][..2]);
        rest /= 100;
    }
    if rest > 0 || at == room.len() {
        at -= 1;
        room[at] = b'0' + rest as u8;
    }
    if negative {
        at -= 1;
        room[at] = b'-';
    }
    // SAFETY: compiled code's.
    unsafe {
        match room[at..] {
            [only] => give(Some(Text::of_char(only.into())), out),
            _ => give(Text::copy(&room[at..]), out),
        }
    }
}

/// `repr` of a float.
unsafe extern "C" fn rumba_text_of_float(value: f64, out: *mut Text) -> u64 {
    // SAFETY: compiled code's.
    unsafe { give(Text::of_ascii(&repr(value)), out) }
}

/// The shortest digits that read back as the number, in the form that Python gives them.
fn repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    // Of two shortest texts that are as near to the number, Python takes the one whose last digit is even, as Ryu does.
    let mut buffer = ryu::Buffer::new();
    let shortest = buffer.format_finite(value);
    if let Some((digits, exponent)) = shortest.split_once('e') {
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let small = shortest.trim_start_matches('-').strip_prefix("0.0000");
    let Some((first, rest)) = small.and_then(|digits| digits.split_at_checked(1)) else {
        return shortest.into();
    };
    // Python changes to exponents one digit earlier.
    let (minus, point) = (if value < 0.0 { "-" } else { "" }, if rest.is_empty() { "" } else { "." });
    format!("{minus}{first}{point}{rest}e-05")
}

/// The characters without ASCII's white space around them, if they are ASCII's.
fn trimmed(text: &Text) -> Option<&str> {
    // SAFETY: compiled code holds it.
    match unsafe { text.chars() } {
        Chars::One(chars) if chars.is_ascii() => std::str::from_utf8(chars.trim_ascii()).ok(),
        _ => None,
    }
}

/// `int(text)`, and whether that is known.
unsafe extern "C" fn rumba_text_to_int(data: *const u8, meta: u64) -> Pair<i64, u64> {
    let text = Text::borrowed(data, meta);
    let known = trimmed(&text).filter(|digits| digits.len() <= 20);
    match known.and_then(|digits| digits.parse::<i64>().ok()) {
        Some(value) => Pair(value, 0),
        None => Pair(0, ASK),
    }
}

/// `float(text)`, and whether that is known.
unsafe extern "C" fn rumba_text_to_float(data: *const u8, meta: u64) -> Pair<u64, u64> {
    let text = Text::borrowed(data, meta);
    let plain =
        |digits: &&str| digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    match trimmed(&text).filter(plain).and_then(|digits| digits.parse::<f64>().ok()) {
        Some(value) => Pair(value.to_bits(), 0),
        None => Pair(0, ASK),
    }
}

pub(super) fn symbols() -> Vec<crate::Symbol> {
    vec![
        linked!(Runtime::TextOfInt => rumba_text_of_int, _ _ _),
        linked!(Runtime::TextOfFloat => rumba_text_of_float, _ _),
        linked!(Runtime::TextToInt => rumba_text_to_int, _ _),
        linked!(Runtime::TextToFloat => rumba_text_to_float, _ _),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_no_leading_zeros() {
        for value in [0i64, 7, 10, 42, 99, 100, 101, 1009, 12345, -5, -10, -100, i64::MAX, i64::MIN] {
            let mut made = Text::EMPTY;
            // SAFETY: the result has room.
            unsafe {
                assert_eq!(rumba_text_of_int(value, 1, &mut made), 0);
                let Chars::One(chars) = made.chars() else { panic!("digits are narrow") };
                assert_eq!(std::str::from_utf8(chars).unwrap(), value.to_string());
            }
            crate::refcount::rumba_decref(made.owner);
        }
    }

    #[test]
    fn floats_are_written_as_python_does() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.5, "1.5"),
            (1e16, "1e+16"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (9999999999999998.0, "9999999999999998.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(repr(value), text);
        }
    }
}
