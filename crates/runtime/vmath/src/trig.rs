//! Sine, cosine, tangent.
//!
//! x = n pi/2 + r with |r| <= pi/4; n pi/2 is taken off in three steps with fused operations (Cody and Waite), and r is
//! kept in two doubles. From 2^30 on, the bits of 2/pi that count are multiplied by x as integers (M. Payne and
//! R. Hanek, "Radian reduction for trigonometric functions", 1983). Coefficients: tools/minimax.py.

use crate::double_double::Double;
use crate::simd::{Lanes, MAGIC, polynomial};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// What FRAC_PI_2 lacks, in two steps.
const PI_2_REST: [f64; 2] = [6.123233995736766e-17, -1.4973849048591698e-33];

/// (sin(r) / r - 1) / r^2 in r^2.
const SIN: [f64; 7] = include!("tables/sin.in");
/// (cos(r) - 1 + r^2 / 2) / r^4 in r^2.
const COS: [f64; 6] = include!("tables/cos.in");
/// (sin(r) / r - 1) / r^2 in r^2, for single precision.
const SIN_SINGLE: [f64; 4] = include!("tables/sin_single.in");
/// (cos(r) - 1) / r^2 in r^2, for single precision.
const COS_SINGLE: [f64; 4] = include!("tables/cos_single.in");

/// Below this the three steps are exact enough.
const HUGE: f64 = (1u64 << 30) as f64;

/// The bits of 2/pi after the point, after a word of zeros.
const TWO_OVER_PI: [u64; 20] = [
    0x0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];

/// The number of quarter turns in the lowest bits, and what is left.
#[inline(always)]
fn reduced<V: Lanes>(size: V) -> (V, Double<V>) {
    let quarters = size.fma(V::splat(FRAC_2_PI), V::splat(MAGIC));
    let n = quarters - V::splat(MAGIC);
    let exact = n.fnma(V::splat(FRAC_PI_2), size);
    let hi = n.fnma(V::splat(PI_2_REST[0]), exact);
    let lo = n.fnma(V::splat(PI_2_REST[0]), exact - hi);
    (quarters, Double { hi, lo: n.fnma(V::splat(PI_2_REST[1]), lo) })
}

/// The same of a number from 2^30 on.
#[inline(never)]
fn reduced_huge(size: f64) -> (f64, Double<f64>) {
    let bits = size.to_bits();
    let position = (bits >> 52) as usize + 62 - 1075;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // Bits of 2/pi whose products are whole turns are left out: of those that count, 192 from here on. The word
    // of zeros keeps their place positive.
    let (word, shift) = (position / 64, (position % 64) as u32);
    let at = |index: usize| {
        let (high, low) =
            (TWO_OVER_PI[word + index], TWO_OVER_PI.get(word + index + 1).copied().unwrap_or(0));
        ((u128::from(high) << 64 | u128::from(low)) << shift >> 64) as u64
    };
    // The product modulo 4, with 190 bits after the point.
    let low = mantissa * u128::from(at(2));
    let middle = mantissa * u128::from(at(1)) + (low >> 64);
    let high = (mantissa * u128::from(at(0))).wrapping_add(middle >> 64) as u64;
    let (middle, low) = (middle as u64, low as u64);
    // To the nearest whole number: half a turn is added and taken off.
    let whole = (high >> 61).wrapping_add(1) >> 1;
    let negative = high >> 61 & 1 == 1;
    let top = u128::from(high << 2 | middle >> 62) << 64 | u128::from(middle << 2 | low >> 62);
    let fraction = if negative { top.wrapping_neg() } else { top };
    let zeros = fraction.leading_zeros().min(127);
    let digits = fraction << zeros;
    let scale = f64::power_of_two(-f64::from(zeros));
    let hi = (digits >> 75) as f64 * f64::power_of_two(-53.0) * scale;
    let lo = (digits >> 22 & ((1 << 53) - 1)) as f64 * f64::power_of_two(-106.0) * scale;
    let turned = Double { hi, lo }.times(Double { hi: FRAC_PI_2, lo: PI_2_REST[0] }).normal();
    let signed = if negative { Double { hi: -turned.hi, lo: -turned.lo } } else { turned };
    (f64::from_bits(whole), signed)
}

/// Sine and cosine within an eighth of a turn.
#[inline(always)]
fn sine_and_cosine<V: Lanes>(r: Double<V>) -> (Double<V>, Double<V>) {
    let z = r.hi * r.hi;
    let lost = r.hi.fma(r.hi, z.negated());
    let half = z * V::splat(0.5);
    let cosine = Double::ordered_sum(V::splat(1.0), half.negated());
    let sine_rest = (z * r.hi).fma(polynomial(z, SIN), r.lo * cosine.hi);
    let correction = r.hi.fnma(r.lo, lost * V::splat(-0.5));
    let cosine_rest = (z * z).fma(polynomial(z, COS), correction);
    (Double { hi: r.hi, lo: sine_rest }, cosine.plus(cosine_rest))
}

/// Whether a bit of an integer is set.
#[inline(always)]
fn has_bit<V: Lanes>(integer: V, bit: u32) -> V::Mask {
    // As the sign of 1.
    integer.shift_up(63 - bit).sign().or(V::splat(1.0)).lt(V::splat(0.0))
}

/// The sine of an angle in quarters of a turn and what is left.
#[inline(always)]
fn turned<V: Lanes>(quarters: V, r: Double<V>) -> V {
    let (sine, cosine) = sine_and_cosine(r);
    let odd = has_bit(quarters, 0);
    let value = V::select(odd, cosine.rounded(), sine.rounded());
    value.xor(quarters.shift_down(1).shift_up(63))
}

/// The sine.
#[inline(always)]
pub(crate) fn sin<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let (quarters, r) = reduced(size);
    V::patch(size.lt(V::splat(HUGE)), turned(quarters, r).xor(x.sign()), x, sin_slow)
}

fn sin_slow(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarters, r) = reduced_huge(x.abs());
    turned(quarters, r).xor(x.sign())
}

/// The cosine.
#[inline(always)]
pub(crate) fn cos<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let (quarters, r) = reduced(size);
    V::patch(size.lt(V::splat(HUGE)), turned(quarters.int_add(V::splat_bits(1)), r), x, cos_slow)
}

fn cos_slow(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarters, r) = reduced_huge(x.abs());
    turned(quarters.int_add(f64::from_bits(1)), r)
}

/// The tangent.
#[inline(always)]
pub(crate) fn tan<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let (quarters, r) = reduced(size);
    V::patch(size.lt(V::splat(HUGE)), slope(quarters, r).xor(x.sign()), x, tan_slow)
}

fn tan_slow(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarters, r) = reduced_huge(x.abs());
    slope(quarters, r).xor(x.sign())
}

/// Sine over cosine, or the other way with the other sign.
#[inline(always)]
fn slope<V: Lanes>(quarters: V, r: Double<V>) -> V {
    let (sine, cosine) = sine_and_cosine(r);
    let odd = has_bit(quarters, 0);
    let pick = |a: Double<V>, b: Double<V>| Double {
        hi: V::select(odd, a.hi, b.hi),
        lo: V::select(odd, a.lo, b.lo),
    };
    let (above, below) = (pick(cosine, sine), pick(sine, cosine));
    above.normal().over(below.normal()).rounded().xor(quarters.shift_up(63))
}

/// For single precision.
pub(crate) mod single {
    use super::*;

    /// One step of reduction: what it loses is far below single precision up to here.
    const LARGE: f64 = (1u64 << 26) as f64;

    #[inline(always)]
    fn reduced<V: Lanes>(size: V) -> (V, V) {
        let quarters = size.fma(V::splat(FRAC_2_PI), V::splat(MAGIC));
        let n = quarters - V::splat(MAGIC);
        (quarters, n.fnma(V::splat(PI_2_REST[0]), n.fnma(V::splat(FRAC_PI_2), size)))
    }

    #[inline(always)]
    fn turned<V: Lanes>(quarters: V, r: V) -> V {
        let z = r * r;
        let sine = (r * z).fma(polynomial(z, SIN_SINGLE), r);
        let cosine = z.fma(polynomial(z, COS_SINGLE), V::splat(1.0));
        V::select(has_bit(quarters, 0), cosine, sine).xor(quarters.shift_down(1).shift_up(63))
    }

    /// The sine.
    #[inline(always)]
    pub(crate) fn sin<V: Lanes>(x: V) -> V {
        let size = x.abs();
        let (quarters, r) = reduced(size);
        V::patch(size.lt(V::splat(LARGE)), turned(quarters, r).xor(x.sign()), x, |x| super::sin(x))
    }

    /// The cosine.
    #[inline(always)]
    pub(crate) fn cos<V: Lanes>(x: V) -> V {
        let size = x.abs();
        let (quarters, r) = reduced(size);
        V::patch(size.lt(V::splat(LARGE)), turned(quarters.int_add(V::splat_bits(1)), r), x, |x| {
            super::cos(x)
        })
    }
}
