//! Logarithms.
//!
//! x = 2^e m with m in sqrt(1/2) .. sqrt(2), and log(m) = 2 artanh(s) with s = (m - 1)/(m + 1) in two doubles
//! (P. Tang, "Table-driven implementation of the logarithm function", 1990, without the table).
//! Coefficients: tools/minimax.py.

use crate::double::Double;
use crate::lanes::{Lanes, polynomial};
use crate::roots::root_of;
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

/// ln(2) to 42 bits, so that products with exponents are exact, and the rest.
const LN_2_HEAD: Double<f64> = Double { hi: 0.6931471805598903, lo: 5.497923018708371e-14 };
const LOG10_2_HEAD: Double<f64> = Double { hi: 0.30102999566383914, lo: 1.42050232272661e-13 };
const LOG2_E_REST: f64 = 2.0355273740931033e-17;
const LOG10_E_REST: f64 = 1.098319650216765e-17;

/// (2 artanh(s) - 2 s) / s^3 in s^2.
const LOG: [f64; 8] = include!("tables/log.in");
/// (2 artanh(s) - 2 s - 2/3 s^3) / s^5 in s^2.
const LOG_POWER: [f64; 8] = include!("tables/log_power.in");
/// 2 artanh(s) / s in s^2 for single precision.
const LOG_SINGLE: [f64; 4] = include!("tables/log_single.in");
const TWO_THIRDS: Double<f64> = Double { hi: 0.6666666666666666, lo: 3.700743415417188e-17 };

/// The bits of sqrt(1/2), with zeros behind.
const ROOT_HALF: u64 = 0x3fe6_a09e << 32;
const ONE: u64 = 1023 << 52;

/// Exponent and mantissa of a normal positive number.
#[inline(always)]
pub(crate) fn split<V: Lanes>(x: V) -> (V, V) {
    let biased = x.int_add(V::splat_bits(ONE - ROOT_HALF)).shift_down(52);
    let m = x.int_sub(biased.shift_up(52)).int_add(V::splat_bits(ONE));
    // An integer in the last bits of 2^52.
    let e = biased.or(V::splat((1u64 << 52) as f64)) - V::splat(((1u64 << 52) + 1023) as f64);
    (e, m)
}

/// log(1 + f): 2 s, and what is left with the series.
#[inline(always)]
fn log_of_one_plus<V: Lanes>(f: Double<V>) -> Double<V> {
    let below = Double::ordered_sum(V::splat(2.0), f.hi).plus(f.lo);
    let s = f.over(below);
    let z = s.hi * s.hi;
    let series = s.hi * z * polynomial(z, LOG);
    Double { hi: s.hi + s.hi, lo: s.lo + s.lo + series }
}

#[inline(always)]
fn exact<V: Lanes>(hi: V) -> Double<V> {
    Double { hi, lo: V::splat(0.0) }
}

/// Whether the exponent says all: positive, normal, finite.
#[inline(always)]
fn is_normal<V: Lanes>(x: V) -> V::Mask {
    V::both(V::splat(f64::MIN_POSITIVE).le(x), x.lt(V::splat(f64::INFINITY)))
}

/// A logarithm from exponent and mantissa, and its value where that is not enough.
macro_rules! logarithm {
    ($(#[$doc:meta])* $name:ident, $slow:ident, $normal:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<V: Lanes>(x: V) -> V {
            let (e, m) = split(x);
            V::patch(is_normal(x), $normal(e, m), x, $slow)
        }

        fn $slow(x: f64) -> f64 {
            if x > 0.0 && x < f64::INFINITY {
                let (e, m) = split(x * (1u64 << 54) as f64);
                return $normal(e - 54.0, m);
            }
            limit(x)
        }
    };
}

/// The logarithm where it is no number or infinite.
fn limit(x: f64) -> f64 {
    match x {
        0.0 => f64::NEG_INFINITY,
        _ if x < 0.0 => f64::NAN,
        _ => x + x,
    }
}

logarithm! {
    /// The natural logarithm.
    log, log_slow, log_normal
}

#[inline(always)]
fn log_normal<V: Lanes>(e: V, m: V) -> V {
    let log = log_of_one_plus(exact(m - V::splat(1.0)));
    let sum = Double::ordered_sum(e * V::splat(LN_2_HEAD.hi), log.hi);
    sum.plus(e.fma(V::splat(LN_2_HEAD.lo), log.lo)).rounded()
}

logarithm! {
    /// The logarithm to base 2.
    log2, log2_slow, log2_normal
}

#[inline(always)]
fn log2_normal<V: Lanes>(e: V, m: V) -> V {
    let log = log_of_one_plus(exact(m - V::splat(1.0)));
    let scaled = log.times(Double { hi: V::splat(LOG2_E), lo: V::splat(LOG2_E_REST) });
    Double::ordered_sum(e, scaled.hi).plus(scaled.lo).rounded()
}

logarithm! {
    /// The logarithm to base 10.
    log10, log10_slow, log10_normal
}

#[inline(always)]
fn log10_normal<V: Lanes>(e: V, m: V) -> V {
    let log = log_of_one_plus(exact(m - V::splat(1.0)));
    let scaled = log.times(Double { hi: V::splat(LOG10_E), lo: V::splat(LOG10_E_REST) });
    let sum = Double::ordered_sum(e * V::splat(LOG10_2_HEAD.hi), scaled.hi);
    sum.plus(e.fma(V::splat(LOG10_2_HEAD.lo), scaled.lo)).rounded()
}

/// log(1 + x) of a number in two doubles.
#[inline(always)]
fn log1p_of<V: Lanes>(x: Double<V>) -> Double<V> {
    let sum = Double::sum(V::splat(1.0), x.hi).plus(x.lo);
    let (e, m) = split(sum.hi);
    let lost = sum.lo * V::power_of_two(V::splat(-1000.0).max(V::splat(0.0) - e));
    let log = log_of_one_plus(Double::ordered_sum(m - V::splat(1.0), lost));
    let sum = Double::ordered_sum(e * V::splat(LN_2_HEAD.hi), log.hi);
    sum.plus(e.fma(V::splat(LN_2_HEAD.lo), log.lo))
}

/// A number in low .. high, where formulas hold that lose what is smaller.
#[inline(always)]
fn is_within<V: Lanes>(x: V, low: f64, high: f64) -> V::Mask {
    V::both(V::splat(low).le(x), x.lt(V::splat(high)))
}

/// What is smaller is its own logarithm of 1 + x, and the same of functions like it.
const TINY: f64 = f64::EPSILON / 4.0;
/// From here on squares lose nothing that counts by taking 1 off.
const VAST: f64 = (1u64 << 60) as f64;

/// log(1 + x).
#[inline(always)]
pub(crate) fn log1p<V: Lanes>(x: V) -> V {
    let above = is_normal(V::splat(1.0) + x);
    V::patch(V::both(V::splat(TINY).le(x.abs()), above), log1p_of(exact(x)).rounded(), x, log1p_slow)
}

fn log1p_slow(x: f64) -> f64 {
    if x.abs() < 1.0 { x } else { limit(1.0 + x) }
}

/// log(x + sqrt(x^2 + 1)), from what that is more than 1: x + x^2 / (1 + sqrt(x^2 + 1)).
#[inline(always)]
pub(crate) fn asinh<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let square = Double::product(size, size);
    let root = root_of(Double::sum(square.hi, V::splat(1.0)).plus(square.lo).normal());
    let curve = square.over(Double::sum(root.hi, V::splat(1.0)).plus(root.lo));
    let more = Double::sum(size, curve.hi).plus(curve.lo).normal();
    let value = log1p_of(more).rounded().with_sign_of(x);
    V::patch(is_within(size, TINY, VAST), value, x, asinh_slow)
}

fn asinh_slow(x: f64) -> f64 {
    let size = x.abs();
    if size < 1.0 || !x.is_finite() {
        return x;
    }
    log_of_double(size).with_sign_of(x)
}

/// log(2 x) of a large number.
fn log_of_double(x: f64) -> f64 {
    let (e, m) = split(x);
    log_normal(e + 1.0, m)
}

/// log(x + sqrt(x^2 - 1)), from what that is more than 1.
#[inline(always)]
pub(crate) fn acosh<V: Lanes>(x: V) -> V {
    let t = x - V::splat(1.0);
    let square = Double::product(t, t);
    let sum = Double::sum(t + t, square.hi).plus(square.lo).normal();
    let root = root_of(sum);
    let more = Double::sum(t, root.hi).plus(root.lo).normal();
    V::patch(is_within(x, 1.0, VAST), log1p_of(more).rounded(), x, acosh_slow)
}

fn acosh_slow(x: f64) -> f64 {
    if x >= VAST && x < f64::INFINITY { log_of_double(x) } else { limit(if x < 1.0 { -1.0 } else { x }) }
}

/// log((1 + x) / (1 - x)) / 2.
#[inline(always)]
pub(crate) fn atanh<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let below = Double::ordered_sum(V::splat(1.0), size.negated());
    let value = log1p_of(exact(size + size).over(below)).rounded() * V::splat(0.5);
    V::patch(is_within(size, TINY, 1.0), value.with_sign_of(x), x, atanh_slow)
}

fn atanh_slow(x: f64) -> f64 {
    match x.abs() {
        size if size < 1.0 => x,
        1.0 => f64::INFINITY.with_sign_of(x),
        _ => f64::NAN,
    }
}

/// The logarithm of a normal number to about 65 bits, for powers.
#[inline(always)]
pub(crate) fn log_for_power<V: Lanes>(x: V) -> Double<V> {
    let (e, m) = split(x);
    log_for_power_of_parts(e, m)
}

/// The same of a positive number that is smaller than normal.
pub(crate) fn log_of_subnormal(x: f64) -> Double<f64> {
    let (e, m) = split(x * (1u64 << 54) as f64);
    log_for_power_of_parts(e - 54.0, m)
}

#[inline(always)]
fn log_for_power_of_parts<V: Lanes>(e: V, m: V) -> Double<V> {
    let f = m - V::splat(1.0);
    let s = exact(f).over(Double::ordered_sum(V::splat(2.0), f));
    let z = s.times(s);
    let third = Double::ordered_sum(V::splat(TWO_THIRDS.hi), z.hi * polynomial(z.hi, LOG_POWER));
    let series = s.times(z).times(third.plus(V::splat(TWO_THIRDS.lo)));
    let log = Double::ordered_sum(s.hi + s.hi, series.hi).plus(s.lo + s.lo + series.lo);
    let sum = Double::ordered_sum(e * V::splat(LN_2_HEAD.hi), log.hi);
    sum.plus(e.fma(V::splat(LN_2_HEAD.lo), log.lo)).normal()
}

/// For single precision.
pub(crate) mod single {
    use super::*;

    #[inline(always)]
    fn log_parts<V: Lanes>(x: V) -> (V, V) {
        let (e, m) = split(x);
        let s = (m - V::splat(1.0)) / (m + V::splat(1.0));
        (e, s * polynomial(s * s, LOG_SINGLE))
    }

    /// The natural logarithm.
    #[inline(always)]
    pub(crate) fn log<V: Lanes>(x: V) -> V {
        let (e, log) = log_parts(x);
        V::patch(is_normal(x), e.fma(V::splat(LN_2), log), x, limit)
    }

    /// The logarithm to base 2.
    #[inline(always)]
    pub(crate) fn log2<V: Lanes>(x: V) -> V {
        let (e, log) = log_parts(x);
        V::patch(is_normal(x), log.fma(V::splat(LOG2_E), e), x, limit)
    }

    /// The logarithm to base 10.
    #[inline(always)]
    pub(crate) fn log10<V: Lanes>(x: V) -> V {
        let (e, log) = log_parts(x);
        let value = e.fma(V::splat(std::f64::consts::LOG10_2), log * V::splat(LOG10_E));
        V::patch(is_normal(x), value, x, limit)
    }
}
