//! Powers of complex numbers, and logarithms to a base.

use super::direct::log;
use super::{Complex, Error};
use crate::libm::{atan2, cos, exp, hypot, log as real_log, pow, sin};
use crate::word_abi::Pair;

/// Larger integral exponents go by way of the logarithm.
const MAX_MULTIPLIED: f64 = 100.0;

fn multiply(a: Complex, b: Complex) -> Complex {
    Pair(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// A quotient by Smith's method ("Algorithm 116: Complex division", 1962); a domain error for 0.
fn divide(a: Complex, b: Complex) -> (Complex, Error) {
    if b.0.abs() >= b.1.abs() {
        if b.0 == 0.0 {
            return (Pair(0.0, 0.0), Error::Domain);
        }
        let ratio = b.1 / b.0;
        let denominator = b.0 + b.1 * ratio;
        let value = Pair((a.0 + a.1 * ratio) / denominator, (a.1 - a.0 * ratio) / denominator);
        return (value, Error::None);
    }
    if b.1.abs() >= b.0.abs() {
        let ratio = b.0 / b.1;
        let denominator = b.0 * ratio + b.1;
        let value = Pair((a.0 * ratio + a.1) / denominator, (a.1 * ratio - a.0) / denominator);
        return (value, Error::None);
    }
    (Pair(f64::NAN, f64::NAN), Error::None)
}

/// `a ** b`: a domain error where 0 has no such power, a range error if a part is infinite.
pub(crate) fn power(a: Complex, b: Complex) -> (Complex, Error) {
    let integral = b.1 == 0.0 && b.0 == b.0.floor() && b.0.abs() <= MAX_MULTIPLIED;
    if a.0 == 0.0 && a.1 == 0.0 && !(integral && b.0 >= 0.0) {
        return power_of_zero(b);
    }
    let (value, error) = if integral { integer_power(a, b.0 as i32) } else { general_power(a, b) };
    let infinite = value.0.is_infinite() || value.1.is_infinite();
    (value, if infinite && error == Error::None { Error::Range } else { error })
}

/// What CPython refuses has the value that NumPy gives it.
fn power_of_zero(b: Complex) -> (Complex, Error) {
    let wrong = b.1 != 0.0 || b.0 < 0.0;
    let value = if wrong && !(b.0 > 0.0) { Pair(f64::NAN, f64::NAN) } else { Pair(0.0, 0.0) };
    (value, if wrong { Error::Domain } else { Error::None })
}

fn integer_power(base: Complex, exponent: i32) -> (Complex, Error) {
    let (mut power, mut square) = (Pair(1.0, 0.0), base);
    let mut left = exponent.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            power = multiply(power, square);
        }
        left >>= 1;
        square = multiply(square, square);
    }
    if exponent > 0 { (power, Error::None) } else { divide(Pair(1.0, 0.0), power) }
}

fn general_power(a: Complex, b: Complex) -> (Complex, Error) {
    if b.0 == 0.0 && b.1 == 0.0 {
        return (Pair(1.0, 0.0), Error::None);
    }
    let modulus = hypot(a.0, a.1);
    let (mut size, angle) = (pow(modulus, b.0), atan2(a.1, a.0));
    let mut turned = angle * b.0;
    if b.1 != 0.0 {
        size /= exp(angle * b.1);
        turned += b.1 * real_log(modulus);
    }
    // An infinite angle has no direction.
    let error = if turned.is_infinite() { Error::Domain } else { Error::None };
    (Pair(size * cos(turned), size * sin(turned)), error)
}

/// The logarithm to a base. As in CPython only the base can be outside the domain.
pub(crate) fn log_base(z: Complex, base: Complex) -> (Complex, Error) {
    let (divisor, outside) = log(base);
    let (value, by_zero) = divide(log(z).0, divisor);
    (value, if outside == Error::None { by_zero } else { outside })
}
