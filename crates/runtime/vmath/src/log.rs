//! Logarithms.
//!
//! x = 2^e m with m around 1. The natural logarithm multiplies m by an inverse from a table and adds the logarithm of it (P. Tang, "Table-driven implementation of the logarithm function",
//! 1990); the others go by log(m) = 2 artanh(s) with s = (m - 1)/(m + 1) in two doubles. Coefficients and tables:
//! tools/minimax.py.

use crate::cbrt_hypot::root_of;
use crate::double_double::Double;
use crate::simd::{Lanes, polynomial, short_polynomial};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

/// ln(2) to 42 bits, so that products with exponents are exact, and the rest.
const LN_2_HEAD: Double<f64> = Double { hi: 0.6931471805598903, lo: 5.497923018708371e-14 };
const LOG10_2_HEAD: Double<f64> = Double { hi: 0.30102999566383914, lo: 1.42050232272661e-13 };
const LOG2_E_REST: f64 = 2.0355273740931033e-17;
const LOG10_E_REST: f64 = 1.098319650216765e-17;

/// (2 artanh(s) - 2 s) / s^3 in s^2.
const LOG: [f64; 8] = include!("tables/log.in");
/// The tables' inverses, their logarithms to 43 bits after the point, and what those lack.
static INVERSE: [f64; 32] = include!("tables/log_inverse.in");
static HEAD: [f64; 32] = include!("tables/log_head.in");
static TAIL: [f64; 32] = include!("tables/log_tail.in");
/// (log(1 + r) - r) / r^2 for a step.
const LOG_STEP: [f64; 7] = include!("tables/log_step.in");
/// (log(1 + r) - r + r^2 / 2) / r^3 for a step.
const LOG_STEP_POWER: [f64; 8] = include!("tables/log_step_power.in");
/// 2 artanh(s) / s in s^2 for single precision.
const LOG_SINGLE: [f64; 4] = include!("tables/log_single.in");

/// What numbers below the normal ones are multiplied with.
const SUBNORMALS: f64 = (1u64 << 54) as f64;

/// The bits of sqrt(1/2), with zeros after.
const ROOT_HALF: u64 = 0x3fe6_a09e << 32;
const ONE: u64 = 1023 << 52;
/// The bits of the number where the tables begin: half a step beside one of those that 1 is a step of.
const FIRST: u64 = 0x3fe6_c000 << 32;

/// Exponent and mantissa of a normal positive number.
#[inline(always)]
pub(crate) fn split<V: Lanes>(x: V) -> (V, V) {
    let biased = x.int_add(V::splat_bits(ONE - ROOT_HALF)).shift_down(52);
    (exponent(biased, 0.0), x.int_sub(biased.shift_up(52)).int_add(V::splat_bits(ONE)))
}

/// The exponent from its bits, and more.
#[inline(always)]
fn exponent<V: Lanes>(biased: V, more: f64) -> V {
    // An integer in the last bits of 2^52.
    biased.or(V::splat((1u64 << 52) as f64)) - V::splat(((1u64 << 52) + 1023) as f64 - more)
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
                let (e, m) = split(x * SUBNORMALS);
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

/// A logarithm in steps: of a power of two with the table's, in two doubles, and of 1 + r.
struct Steps<V> {
    table: Double<V>,
    r: V,
    /// What 1 + r was rounded from: a product.
    factors: (V, V),
}

impl<V: Lanes> Steps<V> {
    /// Of a normal positive number times 2^more.
    #[inline(always)]
    fn new(x: V, more: f64) -> Self {
        let moved = x.int_add(V::splat_bits(ONE - FIRST));
        let (index, biased) = (moved.shift_down(47), moved.shift_down(52));
        let m = x.int_sub(biased.shift_up(52)).int_add(V::splat_bits(ONE));
        let e = exponent(biased, more);
        let hi = e.fma(V::splat(LN_2_HEAD.hi), index.lookup(&HEAD));
        let lo = e.fma(V::splat(LN_2_HEAD.lo), index.lookup(&TAIL));
        let inverse = index.lookup(&INVERSE);
        let r = m.fma(inverse, V::splat(-1.0));
        Steps { table: Double { hi, lo }, r, factors: (m, inverse) }
    }

    /// To a double.
    #[inline(always)]
    fn rounded(&self) -> V {
        let sum = Double::ordered_sum(self.table.hi, self.r).plus(self.table.lo);
        sum.plus(self.r * self.r * polynomial(self.r, LOG_STEP)).rounded()
    }

    /// To about 68 bits, up to 14 of which are in both parts.
    #[inline(always)]
    fn double(&self) -> Double<V> {
        let r = self.r;
        let product = Double::product(self.factors.0, self.factors.1);
        let of_r = product.hi - V::splat(1.0) - r + product.lo;
        let half = r * V::splat(-0.5);
        let square = r * half;
        let first = Double::ordered_sum(self.table.hi, r);
        let sum = Double::ordered_sum(first.hi, square);
        let rest = r * r * r * short_polynomial(r, LOG_STEP_POWER);
        let lost = first.lo + (of_r.fnma(r, of_r) + self.table.lo) + (half.fma(r, square.negated()) + sum.lo);
        Double { hi: sum.hi, lo: lost + rest }
    }
}

/// The natural logarithm.
#[inline(always)]
pub(crate) fn log<V: Lanes>(x: V) -> V {
    V::patch(is_normal(x), Steps::new(x, 0.0).rounded(), x, log_slow)
}

fn log_slow(x: f64) -> f64 {
    if x > 0.0 && x < f64::INFINITY { Steps::new(x * SUBNORMALS, -54.0).rounded() } else { limit(x) }
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
    Steps::new(x, 1.0).rounded()
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

/// The logarithm of a normal number to about 68 bits, for powers.
#[inline(always)]
pub(crate) fn log_for_power<V: Lanes>(x: V) -> Double<V> {
    Steps::new(x, 0.0).double()
}

/// The same of a positive number that is smaller than normal.
pub(crate) fn log_of_subnormal(x: f64) -> Double<f64> {
    Steps::new(x * SUBNORMALS, -54.0).double()
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
