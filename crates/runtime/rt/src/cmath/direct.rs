//! Exponential function, logarithm, square root, circular and hyperbolic functions.

use super::special::{self, Table, look_up};
use super::{Complex, Error, checked, fine};
use crate::libm;
use crate::libm::{atan2, hypot, ldexp, sqrt_of};
use crate::word_abi::Pair;
use std::f64::consts::{E, LN_2, LN_10};

type Result = (Complex, Error);

/// Squares of larger numbers overflow in sums.
const LARGE: f64 = f64::MAX / 4.0;
/// Its logarithm: the exponential function of more may overflow on the way.
const LARGE_LOG: f64 = 708.3964185322641;
/// Subnormal numbers are multiplied by two to this power.
const SCALE_UP: i32 = 53;
const SCALE_DOWN: i32 = -27;

/// Values at infinities and NaN: a direction where only the first part is infinite and the second a
/// finite number other than 0, otherwise a table; a domain error as the caller finds.
fn special(
    table: &Table,
    re: f64,
    im: f64,
    direction: impl FnOnce(f64, f64) -> Complex,
    domain: bool,
) -> Result {
    let value = if re.is_infinite() && im.is_finite() && im != 0.0 {
        direction(libm::cos(im), libm::sin(im))
    } else {
        look_up(table, re, im)
    };
    (value, if domain { Error::Domain } else { Error::None })
}

fn infinite(sign: f64) -> f64 {
    f64::INFINITY.copysign(sign)
}

pub(crate) fn exp(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        let size = if re > 0.0 { f64::INFINITY } else { 0.0 };
        let domain = im.is_infinite() && (re.is_finite() || re == f64::INFINITY);
        let direction = |cos: f64, sin: f64| Pair(size.copysign(cos), size.copysign(sin));
        return special(&special::EXP, re, im, direction, domain);
    }
    let (sin, cos) = libm::sine_and_cosine(im);
    if re > LARGE_LOG {
        let size = libm::exp(re - 1.0);
        return checked(size * cos * E, size * sin * E);
    }
    let size = libm::exp(re);
    checked(size * cos, size * sin)
}

pub(crate) fn cosh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        let direction = |cos: f64, sin: f64| Pair(infinite(cos), infinite(sin).copysign(sin * re.signum()));
        return special(&special::COSH, re, im, direction, im.is_infinite() && !re.is_nan());
    }
    if re.abs() > LARGE_LOG {
        let less = re - 1f64.copysign(re);
        return checked(libm::cos(im) * libm::cosh(less) * E, libm::sin(im) * libm::sinh(less) * E);
    }
    checked(libm::cos(im) * libm::cosh(re), libm::sin(im) * libm::sinh(re))
}

pub(crate) fn sinh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        let direction = |cos: f64, sin: f64| Pair(infinite(cos * re.signum()), infinite(sin));
        return special(&special::SINH, re, im, direction, im.is_infinite() && !re.is_nan());
    }
    if re.abs() > LARGE_LOG {
        let less = re - 1f64.copysign(re);
        return checked(libm::cos(im) * libm::sinh(less) * E, libm::sin(im) * libm::cosh(less) * E);
    }
    checked(libm::cos(im) * libm::sinh(re), libm::sin(im) * libm::cosh(re))
}

pub(crate) fn tanh(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        let direction = |cos: f64, sin: f64| Pair(re.signum(), 0f64.copysign(2.0 * sin * cos));
        return special(&special::TANH, re, im, direction, im.is_infinite() && re.is_finite());
    }
    if re.abs() > LARGE_LOG {
        let fading = 4.0 * libm::sin(im) * libm::cos(im) * libm::exp(-2.0 * re.abs());
        return fine(1f64.copysign(re), fading);
    }
    let (real, tangent) = (libm::tanh(re), libm::tan(im));
    let shrink = 1.0 / libm::cosh(re);
    let product = real * tangent;
    let denominator = 1.0 + product * product;
    fine(real * (1.0 + tangent * tangent) / denominator, ((tangent / denominator) * shrink) * shrink)
}

/// i times z in, -i times the value out: circular functions from hyperbolic ones.
fn rotated(hyperbolic: fn(Complex) -> Result, z: Complex) -> Result {
    let (Pair(re, im), error) = hyperbolic(Pair(-z.1, z.0));
    (Pair(im, -re), error)
}

pub(crate) fn sin(z: Complex) -> Result {
    rotated(sinh, z)
}

pub(crate) fn tan(z: Complex) -> Result {
    rotated(tanh, z)
}

pub(crate) fn cos(z: Complex) -> Result {
    cosh(Pair(-z.1, z.0))
}

pub(crate) fn sqrt(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        return (look_up(&special::SQRT, re, im), Error::None);
    }
    if re == 0.0 && im == 0.0 {
        return fine(0.0, im);
    }
    let (width, height) = (re.abs(), im.abs());
    let root = if width < f64::MIN_POSITIVE && height < f64::MIN_POSITIVE {
        let scaled = ldexp(width, SCALE_UP);
        ldexp(sqrt_of(scaled + hypot(scaled, ldexp(height, SCALE_UP))), SCALE_DOWN)
    } else {
        let scaled = width / 8.0;
        2.0 * sqrt_of(scaled + hypot(scaled, height / 8.0))
    };
    let other = height / (2.0 * root);
    if re >= 0.0 { fine(root, other.copysign(im)) } else { fine(other, root.copysign(im)) }
}

pub(crate) fn log(z: Complex) -> Result {
    let Pair(re, im) = z;
    if !re.is_finite() || !im.is_finite() {
        return (look_up(&special::LOG, re, im), Error::None);
    }
    let (width, height) = (re.abs(), im.abs());
    let angle = atan2(im, re);
    if width > LARGE || height > LARGE {
        return fine(libm::log(hypot(width / 2.0, height / 2.0)) + LN_2, angle);
    }
    if width < f64::MIN_POSITIVE && height < f64::MIN_POSITIVE {
        if width == 0.0 && height == 0.0 {
            return (Pair(f64::NEG_INFINITY, angle), Error::Domain);
        }
        let size = hypot(ldexp(width, SCALE_UP), ldexp(height, SCALE_UP));
        return fine(libm::log(size) - f64::from(SCALE_UP) * LN_2, angle);
    }
    let size = hypot(width, height);
    if (0.71..=1.73).contains(&size) {
        // Near 1 the logarithm of the square loses less.
        let (more, less) = if width > height { (width, height) } else { (height, width) };
        return fine(libm::log1p((more - 1.0) * (more + 1.0) + less * less) / 2.0, angle);
    }
    fine(libm::log(size), angle)
}

pub(crate) fn log10(z: Complex) -> Result {
    let (Pair(re, im), error) = log(z);
    (Pair(re / LN_10, im / LN_10), error)
}

/// The number of a modulus and an argument.
pub(crate) fn rect(z: Complex) -> Result {
    let Pair(modulus, angle) = z;
    if !modulus.is_finite() || !angle.is_finite() {
        let direction = |cos: f64, sin: f64| {
            let sign = modulus.signum();
            Pair(infinite(cos * sign), infinite(sin * sign))
        };
        let domain = modulus != 0.0 && !modulus.is_nan() && angle.is_infinite();
        return special(&special::RECT, modulus, angle, direction, domain);
    }
    if angle == 0.0 {
        return fine(modulus, modulus * angle);
    }
    let (sin, cos) = libm::sine_and_cosine(angle);
    fine(modulus * cos, modulus * sin)
}
