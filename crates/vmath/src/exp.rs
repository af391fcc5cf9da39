//! Exponential and hyperbolic functions.
//!
//! e^x = 2^n e^r with |r| <= ln(2)/2; n ln(2) is taken off in two steps, the first of which is exact with a fused
//! operation (W. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980). The sum 1 + r + ... is kept
//! in two doubles to its last step. Coefficients: tools/minimax.py. Functions of `single` are for single
//! precision: computed on doubles, with as many terms as that takes.

use crate::double::Double;
use crate::lanes::{Lanes, MAGIC, polynomial};
use std::f64::consts::{LN_2, LOG2_E};

/// What LN_2 lacks.
const LN_2_REST: f64 = 2.3190468138462996e-17;

/// (e^r - 1 - r) / r^2.
const EXP: [f64; 11] = include!("tables/exp.in");
/// (e^r - 1 - r - r^2 / 2) / r^3: the same without the first.
const EXP_CUBIC: [f64; 10] = {
    let [_, rest @ ..] = EXP;
    rest
};
/// (2^r - 1 - r ln 2) / r^2.
const EXP2: [f64; 11] = include!("tables/exp2.in");
/// (e^r - 1) / r for single precision.
const EXP_SINGLE: [f64; 6] = include!("tables/exp_single.in");

/// The integer nearest to x * by, and x reduced.
#[inline(always)]
fn nearest<V: Lanes>(x: V, by: f64) -> V {
    x.fma(V::splat(by), V::splat(MAGIC)) - V::splat(MAGIC)
}

/// x limited so that powers of two stay numbers; NaN passes.
#[inline(always)]
fn limited<V: Lanes>(x: V, low: f64, high: f64) -> V {
    V::splat(low).max(V::splat(high).min(x))
}

/// x = n ln(2) + r.
#[inline(always)]
fn reduced<V: Lanes>(x: V) -> (V, Double<V>) {
    let n = nearest(x, LOG2_E);
    let exact = n.fnma(V::splat(LN_2), x);
    let hi = n.fnma(V::splat(LN_2_REST), exact);
    (n, Double { hi, lo: n.fnma(V::splat(LN_2_REST), exact - hi) })
}

/// n and e^x / 2^n, for an x that was limited.
#[inline(always)]
fn parts<V: Lanes>(x: V) -> (V, Double<V>) {
    let (n, r) = reduced(x);
    let rest = (r.hi * r.hi).fma(polynomial(r.hi, EXP), r.lo);
    (n, Double::ordered_sum(V::splat(1.0), r.hi).plus(rest))
}

/// e^x.
#[inline(always)]
pub(crate) fn exp<V: Lanes>(x: V) -> V {
    let (n, value) = parts(limited(x, -746.0, 710.0));
    value.rounded().scale(n)
}

/// e^(x + more), where `more` is small beside x.
#[inline(always)]
pub(crate) fn exp_of_sum<V: Lanes>(x: V, more: V) -> V {
    let (n, value) = parts(limited(x, -746.0, 710.0));
    (value.hi + more.fma(value.rounded(), value.lo)).scale(n)
}

/// 2^x.
#[inline(always)]
pub(crate) fn exp2<V: Lanes>(x: V) -> V {
    let x = limited(x, -1080.0, 1025.0);
    let n = nearest(x, 1.0);
    let r = x - n;
    let first = Double::product(r, V::splat(LN_2)).plus(r * V::splat(LN_2_REST));
    let rest = (r * r).fma(polynomial(r, EXP2), first.lo);
    Double::ordered_sum(V::splat(1.0), first.hi).plus(rest).rounded().scale(n)
}

/// n, 2^-n and (e^x - 1) / 2^n. The square's half is a term of its own: the sum may be much smaller than 1.
#[inline(always)]
fn less_one<V: Lanes>(x: V) -> (V, V, Double<V>) {
    less_one_of_sum(x, V::splat(0.0))
}

/// n and (e^x - 1) / 2^n of a number in two doubles.
#[inline(always)]
pub(crate) fn less_one_of<V: Lanes>(x: Double<V>) -> (V, Double<V>) {
    let (n, _, value) = less_one_of_sum(x.hi, x.lo);
    (n, value)
}

#[inline(always)]
fn less_one_of_sum<V: Lanes>(x: V, more: V) -> (V, V, Double<V>) {
    let (n, r) = reduced(x);
    let r = r.plus(more);
    let shrunk = V::power_of_two(V::splat(-1000.0).max(V::splat(0.0) - n));
    let square = Double::product(r.hi, r.hi);
    let half = V::splat(0.5);
    let rest = (r.hi * square.hi).fma(polynomial(r.hi, EXP_CUBIC), square.lo.fma(half, r.lo));
    let one = Double::ordered_sum(V::splat(1.0), shrunk.negated());
    let first = Double::ordered_sum(one.hi, r.hi).plus(one.lo);
    let sum = Double::sum(first.hi, square.hi * half);
    (n, shrunk, sum.plus(first.lo + r.hi.fma(r.lo, rest)).normal())
}

/// e^x - 1.
#[inline(always)]
pub(crate) fn expm1<V: Lanes>(x: V) -> V {
    let (n, _, value) = less_one(limited(x, -40.0, 709.9));
    let value = value.rounded().scale(n);
    let value = V::select(V::splat(709.8).lt(x), V::splat(f64::INFINITY), value);
    value.with_sign_of(x)
}

/// (e^2x - 1) / (e^2x + 1).
#[inline(always)]
pub(crate) fn tanh<V: Lanes>(x: V) -> V {
    let size = V::splat(22.0).min(x.abs());
    let (n, _, value) = less_one(size + size);
    let (hi, lo) = (value.hi.scale(n), value.lo.scale(n));
    let below = Double::sum(hi, V::splat(2.0)).plus(lo);
    Double { hi, lo }.over(below).rounded().with_sign_of(x)
}

/// (d - 1/d) / 2 with d = e^x, from e^x - 1.
#[inline(always)]
pub(crate) fn sinh<V: Lanes>(x: V) -> V {
    let size = V::splat(711.0).min(x.abs());
    let (n, shrunk, less) = less_one(size);
    let ratio = less.over(Double::sum(less.hi, shrunk).plus(less.lo));
    let sum = Double::sum(less.hi, shrunk * ratio.hi);
    let value = sum.plus(shrunk.fma(ratio.lo, less.lo)).rounded();
    value.scale(n - V::splat(1.0)).with_sign_of(x)
}

/// (d + 1/d) / 2 with d = e^x.
#[inline(always)]
pub(crate) fn cosh<V: Lanes>(x: V) -> V {
    let (n, power) = parts(V::splat(711.0).min(x.abs()));
    let power = power.normal();
    let shrunk = V::power_of_two(V::splat(-500.0).max(V::splat(0.0) - n));
    let other = Double { hi: shrunk * shrunk, lo: V::splat(0.0) }.over(power);
    let value = Double::sum(power.hi, other.hi).plus(power.lo + other.lo).rounded();
    value.scale(n - V::splat(1.0))
}

/// For single precision.
pub(crate) mod single {
    use super::*;

    /// e^x.
    #[inline(always)]
    pub(crate) fn exp<V: Lanes>(x: V) -> V {
        let x = limited(x, -110.0, 90.0);
        let n = nearest(x, LOG2_E);
        let r = n.fnma(V::splat(LN_2), x);
        r.fma(polynomial(r, EXP_SINGLE), V::splat(1.0)) * V::power_of_two(n)
    }
}
