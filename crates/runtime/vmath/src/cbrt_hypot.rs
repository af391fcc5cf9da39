//! Cube root and hypotenuse: an approximation, corrected by an exact residual.

use crate::double_double::Double;
use crate::log::split;
use crate::simd::{Lanes, polynomial};

/// The cube root in sqrt(1/2) .. sqrt(2).
const CBRT: [f64; 6] = include!("tables/cbrt.in");
const CBRT_2: f64 = 1.2599210498948732;

/// The cube root.
#[inline(always)]
pub(crate) fn cbrt<V: Lanes>(x: V) -> V {
    let size = x.abs();
    let usual = V::both(V::splat(f64::MIN_POSITIVE).le(size), size.lt(V::splat(f64::INFINITY)));
    V::patch(usual, normal_cbrt(size).with_sign_of(x), x, cbrt_slow)
}

fn cbrt_slow(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x + x;
    }
    let root = normal_cbrt(x.abs() * (1u64 << 54) as f64) * f64::power_of_two(-18.0);
    root.with_sign_of(x)
}

/// One step of third order from a polynomial, then one of first order from the exact residue.
#[inline(always)]
fn normal_cbrt<V: Lanes>(x: V) -> V {
    let (e, m) = split(x);
    let magic = V::splat(crate::simd::MAGIC);
    let n = e.fma(V::splat(1.0 / 3.0), magic) - magic;
    let left = n.fnma(V::splat(3.0), e);
    let y = m * V::power_of_two(left);
    let inverse = V::splat(1.0) / y;
    let zero = V::splat(0.0);
    let factor = V::select(left.lt(zero), V::splat(1.0 / CBRT_2), V::splat(1.0));
    let factor = V::select(zero.lt(left), V::splat(CBRT_2), factor);
    let first = polynomial(m, CBRT) * factor;
    let error = (first * first * first).fnma(inverse, V::splat(1.0));
    let series = polynomial(error, [1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0]);
    let root = (first * error).fma(series, first);
    let square = Double::product(root, root);
    let cube = Double::product(square.hi, root).plus(square.lo * root);
    let residue = (y - cube.hi) - cube.lo;
    residue.fma(root * inverse * V::splat(1.0 / 3.0), root) * V::power_of_two(n)
}

/// The square root of a number in two doubles.
#[inline(always)]
pub(crate) fn root_of<V: Lanes>(square: Double<V>) -> Double<V> {
    let hi = square.hi.sqrt();
    let residue = hi.fnma(hi, square.hi) + square.lo;
    Double { hi, lo: residue * V::splat(0.5) / V::splat(f64::MIN_POSITIVE).max(hi) }
}

/// The length of (x, y).
#[inline(always)]
pub(crate) fn hypot<V: Lanes>(x: V, y: V) -> V {
    let (a, b) = (x.abs(), y.abs());
    let swaps = a.lt(b);
    let (more, less) = (V::select(swaps, b, a), V::select(swaps, a, b));
    let low = V::splat(f64::from_bits((1023 - 400) << 52));
    let usual = V::both(low.le(more), more.le(V::splat(f64::from_bits((1023 + 500) << 52))));
    V::patch2(V::both(usual, less.le(more)), length(more, less), x, y, hypot_slow)
}

#[inline(always)]
fn length<V: Lanes>(more: V, less: V) -> V {
    let (first, second) = (Double::product(more, more), Double::product(less, less));
    let sum = Double::ordered_sum(first.hi, second.hi);
    root_of(sum.plus(first.lo + second.lo)).rounded()
}

fn hypot_slow(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    if a == f64::INFINITY || b == f64::INFINITY {
        return f64::INFINITY;
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (more, less) = if a < b { (b, a) } else { (a, b) };
    if more == 0.0 {
        return 0.0;
    }
    let exponent = if more < 1.0 { 600.0 } else { -600.0 };
    let (up, down) = (f64::power_of_two(exponent), f64::power_of_two(-exponent));
    length(more * up, less * up) * down
}
