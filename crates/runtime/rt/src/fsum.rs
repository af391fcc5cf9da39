//! Sums and norms of floats, exact before the final rounding.

use crate::word_abi::runtime_functions;
use std::cmp::Ordering;

runtime_functions! {
    Hypot = rumba_hypot: (x: f64, y: f64) -> f64;
}

/// The length of the hypotenuse.
extern "C" fn rumba_hypot(x: f64, y: f64) -> f64 {
    norm(&[x, y])
}

/// The sum of `count` floats, rounded once; code 1 if a partial sum overflows, 2 if infinities of
/// both signs meet.
///
/// Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997: the sum is kept as
/// floats that do not overlap.
pub(crate) extern "C" fn rumba_fsum(values: *const f64, count: u64) -> crate::word_abi::Pair<f64, i64> {
    // SAFETY: compiled code passes the address of this many floats.
    let (sum, code) = fsum(unsafe { floats(values, count) });
    crate::word_abi::Pair(sum, code)
}

/// The Euclidean norm of `count` floats.
pub(crate) extern "C" fn rumba_norm(values: *const f64, count: u64) -> f64 {
    // SAFETY: as above.
    norm(unsafe { floats(values, count) })
}

unsafe fn floats<'a>(values: *const f64, count: u64) -> &'a [f64] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(values, count as usize) }
}

pub(crate) fn fsum(values: &[f64]) -> (f64, i64) {
    let mut parts: Vec<f64> = Vec::with_capacity(8);
    let (mut special, mut infinite) = (0.0, 0.0);
    for &value in values {
        let rest = insert(&mut parts, value);
        if rest != 0.0 {
            if !rest.is_finite() {
                if value.is_finite() {
                    return (0.0, 1);
                }
                if value.is_infinite() {
                    infinite += value;
                }
                special += value;
                parts.clear();
            } else {
                parts.push(rest);
            }
        }
    }
    if special != 0.0 {
        return if f64::is_nan(infinite) { (0.0, 2) } else { (special, 0) };
    }
    (round_parts(&parts), 0)
}

/// Adds a value to floats that do not overlap; what is left is larger than all of them.
fn insert(parts: &mut Vec<f64>, value: f64) -> f64 {
    let (mut rest, mut kept) = (value, 0);
    for index in 0..parts.len() {
        let (sum, error) = two_sum(rest, parts[index]);
        if error != 0.0 {
            parts[kept] = error;
            kept += 1;
        }
        rest = sum;
    }
    parts.truncate(kept);
    rest
}

/// A sum and its rounding error: a + b = sum + error exactly.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let sum = large + small;
    (sum, small - (sum - large))
}

/// The sum of floats that do not overlap, ascending, rounded half to even.
fn round_parts(parts: &[f64]) -> f64 {
    let Some((&last, rest)) = parts.split_last() else { return 0.0 };
    let (mut high, mut index) = (last, rest.len());
    while index > 0 {
        index -= 1;
        let (sum, error) = two_sum(high, rest[index]);
        high = sum;
        if error == 0.0 {
            continue;
        }
        // A tie was rounded to even, but what is below it may decide otherwise.
        let below = index.checked_sub(1).map_or(0.0, |next| rest[next]);
        if (error < 0.0 && below < 0.0) || (error > 0.0 && below > 0.0) {
            let double = error * 2.0;
            let moved = high + double;
            if moved - high == double {
                high = moved;
            }
        }
        break;
    }
    high
}

/// A number as the unevaluated sum of two floats.
#[derive(Clone, Copy)]
struct Double(f64, f64);

/// The square root of the sum of squares, rounded nearly always as if it were exact.
pub(crate) fn norm(values: &[f64]) -> f64 {
    let most = values.iter().fold(0.0, |most: f64, value| match most.partial_cmp(&value.abs()) {
        Some(Ordering::Less) => value.abs(),
        _ => most,
    });
    if values.iter().any(|value| value.is_infinite()) {
        return f64::INFINITY;
    }
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    if most == 0.0 || values.len() == 1 {
        return most;
    }
    // Scaled by a power of two, so that no square overflows or loses bits.
    let exponent = (most.to_bits() >> 52) as i32 - 1022;
    let scale = |value: f64, by: i32| crate::libm::ldexp(value, by);
    let mut sum = Double(0.0, 0.0);
    for &value in values {
        let scaled = scale(value, -exponent);
        let square = scaled * scaled;
        let error = scaled.mul_add(scaled, -square);
        let (high, low) = two_sum(sum.0, square);
        sum = Double(high, sum.1 + low + error);
    }
    let Double(high, low) = sum;
    let (high, low) = two_sum(high, low);
    // One step of Newton's method on the exact residual corrects the rounded root.
    let root = high.sqrt();
    let residual = (-root).mul_add(root, high) + low;
    crate::libm::ldexp(root + residual / (2.0 * root), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_round_once() {
        assert_eq!(fsum(&[0.1; 10]), (1.0, 0));
        assert_eq!(fsum(&[1e100, 1.0, -1e100]), (1.0, 0));
        assert_eq!(fsum(&[1e16, 1.0, 1e-16]), (10000000000000002.0, 0));
        assert_eq!(fsum(&[f64::MAX, f64::MAX]).1, 1);
        assert_eq!(fsum(&[f64::INFINITY, f64::NEG_INFINITY]).1, 2);
        assert_eq!(fsum(&[]), (0.0, 0));
    }

    #[test]
    fn norms_do_not_overflow_on_the_way() {
        assert_eq!(norm(&[3e200, 4e200]), 4.9999999999999995e200);
        assert_eq!(norm(&[3e-320, 4e-320]), 5e-320);
        assert_eq!(norm(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(norm(&[f64::NAN, f64::INFINITY]), f64::INFINITY);
    }
}
