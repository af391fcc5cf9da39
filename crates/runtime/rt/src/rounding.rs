//! `round` of a float to a number of decimal digits, correctly rounded.
//!
//! The result is the double nearest to the exact decimal value of the argument rounded half to even
//! at the wanted place, as the Python library reference promises.

use crate::word_abi::{Pair, runtime_functions};
use std::fmt::Write;

runtime_functions! {
    RoundDigits = rumba_round_digits: (value: f64, digits: i64) -> Pair<f64, i64>;
}

/// No double has digits after this place.
const MAX_DIGITS: i64 = 323;
/// All doubles are below half of this unit.
const MIN_DIGITS: i64 = -308;

/// The rounded value; code 1 if it is beyond all doubles.
extern "C" fn rumba_round_digits(value: f64, digits: i64) -> Pair<f64, i64> {
    if !value.is_finite() || digits > MAX_DIGITS || value == 0.0 {
        return Pair(value, 0);
    }
    if digits < MIN_DIGITS {
        return Pair(0.0 * value, 0);
    }
    let rounded = if digits >= 0 {
        let mut text = Text::default();
        write!(text, "{:.*}", digits as usize, value).expect("the buffer takes every double");
        text.number()
    } else {
        round_to_power(value, digits.unsigned_abs() as usize)
    };
    Pair(rounded, i64::from(rounded.is_infinite()))
}

/// Rounded to a multiple of 10 to the power of `zeros`.
fn round_to_power(value: f64, zeros: usize) -> f64 {
    let mut text = Text::default();
    write!(text, "{:.1074}", value.abs()).expect("the buffer takes every double");
    let point = text.bytes[..text.length].iter().position(|&b| b == b'.').unwrap_or(text.length);
    // At least one digit before those that are dropped, so that there is a digit to carry into.
    let mut kept = vec![b'0'; (zeros + 1).saturating_sub(point).max(1)];
    kept.extend_from_slice(&text.bytes[..point]);
    let dropped = kept.split_off(kept.len() - zeros);
    let behind = text.bytes[point..text.length].iter().any(|b| (b'1'..=b'9').contains(b));
    let odd = (kept[kept.len() - 1] - b'0') % 2 == 1;
    let beyond_half = behind || dropped[1..].iter().any(|&b| b != b'0');
    if dropped[0] > b'5' || dropped[0] == b'5' && (beyond_half || odd) {
        carry(&mut kept);
    }
    let mut rounded = Text::default();
    let digits = std::str::from_utf8(&kept).unwrap_or("0");
    write!(rounded, "{digits}e{zeros}").expect("the buffer takes every double");
    rounded.number().copysign(value)
}

/// Adds one to a decimal number. The first digit is 0, so that it fits.
fn carry(digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
}

/// Text on the stack: the longest is all digits of the least double.
struct Text {
    bytes: [u8; 1500],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Text { bytes: [0; 1500], length: 0 }
    }
}

impl Text {
    fn number(&self) -> f64 {
        let text = std::str::from_utf8(&self.bytes[..self.length]).unwrap_or("nan");
        text.parse().unwrap_or(f64::NAN)
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_the_exact_value_half_to_even() {
        let cases = [
            (0.125, 2, 0.12),
            (2.675, 2, 2.67),
            (2.5, 0, 2.0),
            (-0.5, 0, -0.0),
            (1e22, -22, 1e22),
            (15.0, -1, 20.0),
            (25.0, -1, 20.0),
            (25.000001, -1, 30.0),
            (99.0, -2, 100.0),
            (5e-324, 323, 0.0),
            (12345.678, -3, 12000.0),
        ];
        for (value, digits, expected) in cases {
            let Pair(rounded, code) = rumba_round_digits(value, digits);
            assert_eq!((rounded.to_bits(), code), (f64::to_bits(expected), 0), "{value} {digits}");
        }
        assert_eq!(rumba_round_digits(1.7e308, -308), Pair(f64::INFINITY, 1));
    }
}
