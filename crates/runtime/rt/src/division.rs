//! True division of integers, correctly rounded.
//!
//! Python's `a / b` of two integers is the exact quotient rounded once to a double, ties to even.
//! Two 64-bit integers do not fit doubles, so dividing doubles would round three times.

use crate::word_abi::runtime_functions;

runtime_functions! {
    DivideI64 = rumba_divide_i64: (a: i64, b: i64) -> f64;
    DivideU64 = rumba_divide_u64: (a: u64, b: u64) -> f64;
}

/// `a / b` rounded once. The divisor is not 0 (with 0 the result has no meaning).
pub(crate) extern "C" fn rumba_divide_i64(a: i64, b: i64) -> f64 {
    let quotient = rumba_divide_u64(a.unsigned_abs(), b.unsigned_abs());
    if (a < 0) != (b < 0) { -quotient } else { quotient }
}

/// `a / b` rounded once. The divisor is not 0 (with 0 the result has no meaning).
pub(crate) extern "C" fn rumba_divide_u64(a: u64, b: u64) -> f64 {
    if a == 0 || b == 0 {
        return 0.0;
    }
    // Scale the dividend so that the integer quotient has 65 or 66 bits, more than a double and
    // its rounding bit need; a remainder is then one sticky bit.
    let shift = 65 + a.leading_zeros() as i32 - b.leading_zeros() as i32;
    let shift = shift.clamp(0, 64 + a.leading_zeros() as i32);
    let scaled = u128::from(a) << shift;
    let (quotient, remainder) = (scaled / u128::from(b), scaled % u128::from(b));
    let sticky = quotient | u128::from(remainder != 0);
    // The conversion rounds to nearest, ties to even; the power of two is exact.
    (sticky as f64) * f64::from_bits(((1023 - shift) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_once() {
        // Each expected value is what CPython prints for the quotient.
        let cases: [(i64, i64, f64); 8] = [
            (i64::MAX, 3, 3.0744573456182584e18),
            (i64::MIN, -1, 9.223372036854775808e18),
            (i64::MIN, i64::MAX, -1.0),
            (9007199254740993, 1, 9007199254740992.0),
            (9007199254740995, 3, 3002399751580331.5),
            (1, i64::MAX, 1.0842021724855044e-19),
            (-7, 2, -3.5),
            (i64::MAX - 1, i64::MAX, 1.0),
        ];
        for (a, b, expected) in cases {
            assert_eq!(rumba_divide_i64(a, b), expected, "{a} / {b}");
        }
        assert_eq!(rumba_divide_u64(u64::MAX, 1), 18446744073709551616.0);
        assert_eq!(rumba_divide_u64(1, u64::MAX), 5.421010862427522e-20);
    }

    /// Against an independent way: small quotients where one double division is exact.
    #[test]
    fn small_integers_agree_with_doubles() {
        for a in 0..200u64 {
            for b in 1..200u64 {
                assert_eq!(rumba_divide_u64(a, b), a as f64 / b as f64, "{a} / {b}");
            }
        }
    }
}
