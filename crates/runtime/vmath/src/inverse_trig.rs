//! Inverse trigonometric functions.
//!
//! atan: the angle of a point is turned by multiples of an eighth of a turn until its tangent is within
//! tan(pi/8); quotient and turn are kept in two doubles. asin: above 1/2 by the half angle, asin(x) = pi/2 -
//! 2 asin(sqrt((1 - x)/2)), with what the root lacks (Cody and Waite). Coefficients: tools/minimax.py.

use crate::double_double::Double;
use crate::simd::{Lanes, polynomial, short_polynomial};
use std::f64::consts::FRAC_PI_4;

/// What FRAC_PI_4 lacks.
const PI_4_REST: f64 = 3.061616997868383e-17;

/// (atan(x) / x - 1) / x^2 in x^2.
const ATAN: [f64; 12] = include!("tables/atan.in");
/// (asin(x) / x - 1) / x^2 in x^2.
const ASIN: [f64; 14] = include!("tables/asin.in");

/// Sides up to this, and from its inverse on, have a quotient that is no smaller than normal numbers.
const LARGE: f64 = f64::from_bits((1023 + 400) << 52);
const SMALL: f64 = f64::from_bits((1023 - 400) << 52);

/// A quotient of sides that is its own angle.
const FLAT: f64 = f64::from_bits((1023 - 700) << 52);

/// A multiple of pi/4.
#[inline(always)]
fn eighths<V: Lanes>(count: V) -> Double<V> {
    Double::product(count, V::splat(FRAC_PI_4)).plus(count * V::splat(PI_4_REST))
}

/// The angle of the point (x, y), of which y is not negative; `less` and `more` are its sides' sizes in order.
#[inline(always)]
fn angle<V: Lanes>(less: V, more: V, is_steep: V::Mask, is_left: V::Mask) -> V {
    let zero = V::splat(0.0);
    // Between the diagonal and an axis: seen from the diagonal.
    let turns = (more * V::splat(std::f64::consts::SQRT_2 - 1.0)).lt(less);
    let above = Double::sum(less, V::select(turns, more.negated(), zero));
    let below = Double::sum(more, V::select(turns, less, zero));
    let slope = above.over(below);
    let z = slope.hi * slope.hi;
    let rest = (slope.hi * z).fma(short_polynomial(z, ATAN), slope.lo);

    let mut count = V::select(turns, V::splat(1.0), zero);
    let mut sign = zero;
    let negative = V::splat(-0.0);
    count = V::select(is_steep, V::splat(2.0) - count, count);
    sign = V::select(is_steep, negative, sign);
    count = V::select(is_left, V::splat(4.0) - count, count);
    sign = sign.xor(V::select(is_left, negative, zero));
    let start = eighths(count);
    let sum = Double::ordered_sum(start.hi, slope.hi.xor(sign));
    sum.plus(start.lo + rest.xor(sign)).rounded()
}

/// The angle whose tangent is x.
#[inline(always)]
pub(crate) fn atan<V: Lanes>(x: V) -> V {
    let size = V::splat(LARGE).min(x.abs());
    let one = V::splat(1.0);
    let is_steep = one.lt(size);
    let (less, more) = (V::select(is_steep, one, size), V::select(is_steep, size, one));
    angle(less, more, is_steep, one.lt(one)).with_sign_of(x)
}

/// The angle of the point (x, y).
#[inline(always)]
pub(crate) fn atan2<V: Lanes>(y: V, x: V) -> V {
    let (height, width) = (y.abs(), x.abs());
    let is_steep = width.lt(height);
    let (less, more) = (V::select(is_steep, width, height), V::select(is_steep, height, width));
    let is_left = x.sign().or(V::splat(1.0)).lt(V::splat(0.0));
    let usual = V::both(V::splat(SMALL).le(more), more.le(V::splat(LARGE)));
    let usual = V::both(usual, V::either(V::splat(SMALL).le(less), less.eq(V::splat(0.0))));
    V::patch2(usual, angle(less, more, is_steep, is_left).with_sign_of(y), y, x, atan2_slow)
}

fn atan2_slow(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let unit = |side: f64, is_long: bool| if is_long { 1f64.copysign(side) } else { 0f64.copysign(side) };
    if x.is_infinite() || y.is_infinite() {
        return atan2(unit(y, y.is_infinite()), unit(x, x.is_infinite()));
    }
    if x == 0.0 && y == 0.0 {
        return atan2(y, unit(x, true));
    }
    let (height, width) = (y.abs(), x.abs());
    let more = height.max(width);
    // A side that is far below the other does not count, but where it is the result.
    if height / width < FLAT {
        return if x > 0.0 { y / x } else { atan2(0f64.copysign(y), -1.0) };
    }
    if width / height < FLAT {
        return atan2(1f64.copysign(y), 0.0);
    }
    let factor = match more {
        _ if more < SMALL => f64::power_of_two(600.0),
        _ if more > LARGE => f64::power_of_two(-600.0),
        _ => 1.0,
    };
    let (height, width) = (height * factor, width * factor);
    let is_steep = width < height;
    let (less, more) = if is_steep { (width, height) } else { (height, width) };
    angle(less, more, is_steep, x < 0.0).with_sign_of(y)
}

/// Whether x is beyond 1/2, a number whose arc sine is asked for, and that arc sine as a sum.
#[inline(always)]
fn arc<V: Lanes>(x: V) -> (V::Mask, Double<V>) {
    let size = x.abs();
    let half = V::splat(0.5);
    let beyond = half.lt(size);
    let z = V::select(beyond, (V::splat(1.0) - size) * half, size * size);
    let root = z.sqrt();
    let lacking = root.fnma(root, z) * half / V::splat(f64::MIN_POSITIVE).max(root);
    let s = V::select(beyond, root, size);
    let lo = V::select(beyond, lacking, V::splat(0.0));
    (beyond, Double { hi: s, lo: (s * z).fma(polynomial(z, ASIN), lo) })
}

/// The arc sine; NaN beyond 1.
#[inline(always)]
pub(crate) fn asin<V: Lanes>(x: V) -> V {
    let (beyond, arc) = arc(x);
    let quarter = eighths(V::splat(2.0));
    let sum = Double::ordered_sum(quarter.hi, (arc.hi + arc.hi).negated());
    let large = sum.plus(quarter.lo - (arc.lo + arc.lo)).rounded();
    V::select(beyond, large, arc.rounded()).with_sign_of(x)
}

/// The arc cosine; NaN beyond 1.
#[inline(always)]
pub(crate) fn acos<V: Lanes>(x: V) -> V {
    let (beyond, arc) = arc(x);
    let is_left = x.lt(V::splat(0.0));
    let count = V::select(is_left, V::splat(4.0), V::splat(0.0));
    let start = eighths(V::select(beyond, count, V::splat(2.0)));
    let factor = V::select(beyond, V::splat(2.0), V::splat(-1.0));
    let factor = V::select(is_left, factor.negated(), factor);
    let sum = Double::ordered_sum(start.hi, arc.hi * factor);
    sum.plus(arc.lo.fma(factor, start.lo)).rounded()
}
