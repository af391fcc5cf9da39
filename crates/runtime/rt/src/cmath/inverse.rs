//! Inverse circular and hyperbolic functions.

use super::direct::sqrt;
use super::special::{self, look_up};
use super::{Complex, Error, fine};
use crate::libm::{asinh as real_asinh, atan2, hypot, log, log1p, sqrt_of};
use crate::word_abi::Pair;
use std::f64::consts::{FRAC_PI_2, LN_2};

type Result = (Complex, Error);

/// Squares of larger numbers overflow in sums.
const LARGE: f64 = f64::MAX / 4.0;
/// The square root of `LARGE`, rounded down.
const LARGE_ROOT: f64 = 6.703903964971298e153;
/// The square root of the least normal number.
const TINY_ROOT: f64 = 1.4916681462400413e-154;

fn is_large(z: Complex) -> bool {
    z.0.abs() > LARGE || z.1.abs() > LARGE
}

/// The logarithm of twice the magnitude of a large number.
fn log_of_twice(z: Complex) -> f64 {
    log(hypot(z.0 / 2.0, z.1 / 2.0)) + LN_2 * 2.0
}

/// The square roots of 1 - z and 1 + z, and the like, without their errors.
fn roots(a: (f64, f64), b: (f64, f64)) -> (Complex, Complex) {
    (sqrt(Pair(a.0, a.1)).0, sqrt(Pair(b.0, b.1)).0)
}

fn is_finite(z: Complex) -> bool {
    z.0.is_finite() && z.1.is_finite()
}

pub(crate) fn acos(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !is_finite(z) {
        return (look_up(&special::ACOS, re, im), Error::None);
    }
    if is_large(z) {
        let size = log_of_twice(z);
        let imaginary = if re < 0.0 { -size.copysign(im) } else { size.copysign(-im) };
        return fine(atan2(im.abs(), re), imaginary);
    }
    let (minus, plus) = roots((1.0 - re, -im), (1.0 + re, im));
    fine(2.0 * atan2(minus.0, plus.0), real_asinh(plus.0 * minus.1 - plus.1 * minus.0))
}

pub(crate) fn acosh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !is_finite(z) {
        return (look_up(&special::ACOSH, re, im), Error::None);
    }
    if is_large(z) {
        return fine(log_of_twice(z), atan2(im, re));
    }
    let (minus, plus) = roots((re - 1.0, im), (re + 1.0, im));
    fine(real_asinh(minus.0 * plus.0 + minus.1 * plus.1), 2.0 * atan2(minus.1, plus.0))
}

pub(crate) fn asin(z: Complex) -> Result {
    // asin(z) = -i asinh(iz)
    let (Pair(re, im), error) = asinh(Pair(-z.1, z.0));
    (Pair(im, -re), error)
}

pub(crate) fn asinh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !is_finite(z) {
        return (look_up(&special::ASINH, re, im), Error::None);
    }
    if is_large(z) {
        let size = log_of_twice(z);
        let real = if im >= 0.0 { size.copysign(re) } else { -size.copysign(-re) };
        return fine(real, atan2(im, re.abs()));
    }
    let (plus, minus) = roots((1.0 + im, -re), (1.0 - im, re));
    fine(real_asinh(plus.0 * minus.1 - minus.0 * plus.1), atan2(im, plus.0 * minus.0 - plus.1 * minus.1))
}

pub(crate) fn atan(z: Complex) -> Result {
    // atan(z) = -i atanh(iz)
    let (Pair(re, im), error) = atanh(Pair(-z.1, z.0));
    (Pair(im, -re), error)
}

pub(crate) fn atanh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !is_finite(z) {
        return (look_up(&special::ATANH, re, im), Error::None);
    }
    if re.is_sign_negative() {
        let (Pair(re, im), error) = atanh(Pair(-re, -im));
        return (Pair(-re, -im), error);
    }
    let height = im.abs();
    if re > LARGE_ROOT || height > LARGE_ROOT {
        let half = hypot(re / 2.0, im / 2.0);
        return fine(re / 4.0 / half / half, -FRAC_PI_2.copysign(-im));
    }
    if re == 1.0 && height < TINY_ROOT {
        if height == 0.0 {
            return (Pair(f64::INFINITY, im), Error::Domain);
        }
        let real = -log(sqrt_of(height) / sqrt_of(hypot(height, 2.0)));
        return fine(real, (atan2(2.0, -height) / 2.0).copysign(im));
    }
    let away = 1.0 - re;
    fine(
        log1p(4.0 * re / (away * away + height * height)) / 4.0,
        -atan2(-2.0 * im, away * (1.0 + re) - height * height) / 2.0,
    )
}
