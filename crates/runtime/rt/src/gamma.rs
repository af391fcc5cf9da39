//! The gamma function and its logarithm, and the parts of a float.
//!
//! Source: C. Lanczos, "A precision approximation of the gamma function", 1964, with the rational
//! approximation for doubles that the Boost mathematics library publishes (13 terms).

use crate::libm::{cos, exp, log, pow, sin};
use crate::word_abi::{Pair, runtime_functions};
use std::f64::consts::PI;

runtime_functions! {
    Gamma = rumba_gamma: (x: f64) -> f64;
    Lgamma = rumba_lgamma: (x: f64) -> f64;
    Frexp = rumba_frexp: (x: f64) -> Pair<f64, i64>;
}

#[expect(clippy::excessive_precision, reason = "as published")]
const G: f64 = 6.024680040776729583740234375;

#[expect(clippy::excessive_precision, reason = "as published")]
#[rustfmt::skip]
const NUMERATOR: [f64; 13] = [
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
];

#[rustfmt::skip]
const DENOMINATOR: [f64; 13] = [
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0,
    32670.0, 1925.0, 66.0, 1.0,
];

/// The rational approximation, evaluated from the end that loses nothing. Both polynomials go along together, as the two halves of a
/// vector: most of the time is waiting for the previous term.
#[inline]
fn lanczos(x: f64) -> f64 {
    const LAST: usize = NUMERATOR.len() - 1;
    let [numerator, denominator] = if x < 5.0 {
        let mut sums = [NUMERATOR[LAST], DENOMINATOR[LAST]];
        for at in (0..LAST).rev() {
            sums = [sums[0] * x + NUMERATOR[at], sums[1] * x + DENOMINATOR[at]];
        }
        sums
    } else {
        let mut sums = [NUMERATOR[0], DENOMINATOR[0]];
        for at in 1..=LAST {
            sums = [sums[0] / x + NUMERATOR[at], sums[1] / x + DENOMINATOR[at]];
        }
        sums
    };
    numerator / denominator
}

/// The sine of pi times x, exact where it is 0.
fn sine_of_pi(x: f64) -> f64 {
    let turn = x.abs() % 2.0;
    let value = match (2.0 * turn).round() as i32 {
        0 => sin(PI * turn),
        1 => cos(PI * (turn - 0.5)),
        2 => sin(PI * (1.0 - turn)),
        3 => -cos(PI * (turn - 1.5)),
        _ => sin(PI * (turn - 2.0)),
    };
    1f64.copysign(x) * value
}

/// NaN where the function has no value, infinity at poles and beyond all doubles.
extern "C" fn rumba_gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == f64::NEG_INFINITY || x < 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x.abs() < 1e-20 {
        return 1.0 / x;
    }
    if x == x.floor() && x <= 23.0 {
        // 22! is the last factorial that is a double.
        return (1..x as u64).map(|factor| factor as f64).product();
    }
    if x.abs() > 200.0 {
        return if x < 0.0 { 0.0 / sine_of_pi(x) } else { f64::INFINITY };
    }
    gamma_by_lanczos(x)
}

fn gamma_by_lanczos(x: f64) -> f64 {
    const SHIFT: f64 = G - 0.5;
    let size = x.abs();
    let base = size + SHIFT;
    // What was lost in the sum, to correct the power by.
    let lost = if size > SHIFT { (base - size) - SHIFT } else { (base - SHIFT) - size };
    let correction = lost * G / base;
    // Above 140 the power may overflow though the result does not: half of it twice.
    let half = size >= 140.0;
    let power = if half { pow(base, size / 2.0 - 0.25) } else { pow(base, size - 0.5) };
    if x < 0.0 {
        let mut value = -PI / sine_of_pi(size) / size * exp(base) / lanczos(size);
        value -= correction * value;
        value /= power;
        if half { value / power } else { value }
    } else {
        let mut value = lanczos(size) / exp(base);
        value += correction * value;
        value *= power;
        if half { value * power } else { value }
    }
}

/// The logarithm of the magnitude of gamma; infinity at poles and beyond all doubles.
extern "C" fn rumba_lgamma(x: f64) -> f64 {
    const LOG_PI: f64 = 1.144729885849400174143427351353058711647;
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    if x <= 2.0 && x == x.floor() {
        return if x <= 0.0 { f64::INFINITY } else { 0.0 };
    }
    let size = x.abs();
    if size < 1e-20 {
        return -log(size);
    }
    let mut value = log(lanczos(size)) - G;
    value += (size - 0.5) * (log(size + G - 0.5) - 1.0);
    if x < 0.0 {
        value = LOG_PI - log(sine_of_pi(size).abs()) - log(size) - value;
    }
    value
}

/// A float as a mantissa of magnitude in 0.5 .. 1 and a power of two.
extern "C" fn rumba_frexp(x: f64) -> Pair<f64, i64> {
    if x == 0.0 || !x.is_finite() {
        return Pair(x, 0);
    }
    // Subnormal numbers are scaled first.
    let (bits, shift) =
        if x.abs() < f64::MIN_POSITIVE { ((x * 2f64.powi(54)).to_bits(), -54) } else { (x.to_bits(), 0) };
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let mantissa = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    Pair(mantissa, exponent - 1022 + shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_of_integers_is_a_factorial() {
        assert_eq!(rumba_gamma(5.0), 24.0);
        assert_eq!(rumba_gamma(23.0), 1.1240007277776077e21);
        assert_eq!(rumba_gamma(0.5), PI.sqrt());
        assert!(rumba_gamma(-3.0).is_nan());
        assert_eq!(rumba_lgamma(1.0), 0.0);
        assert_eq!(rumba_lgamma(-1.0), f64::INFINITY);
    }

    #[test]
    fn parts_of_floats() {
        assert_eq!(rumba_frexp(8.0), Pair(0.5, 4));
        assert_eq!(rumba_frexp(-5e-324), Pair(-0.5, -1073));
        assert_eq!(rumba_frexp(f64::INFINITY), Pair(f64::INFINITY, 0));
    }
}
