//! Exponential and hyperbolic functions.
//!
//! e^x = 2^(k/32) e^r with |r| <= ln(2)/64 and a table of 32 powers (P. Tang, "Table-driven implementation of the
//! exponential function", 1989). Where e^x - 1 is needed, e^x = 2^n e^r with |r| <= ln(2)/2: n ln(2) is taken off in
//! two steps, the first of which is exact with a fused operation (W. Cody and W. Waite, "Software Manual for the
//! Elementary Functions", 1980), and the sum 1 + r + ... is kept in two doubles to its last step. Coefficients and
//! tables: tools/minimax.py. Functions of `single` are for single precision: computed on doubles, with as many terms
//! as that takes.

use crate::double_double::Double;
use crate::simd::{Lanes, MAGIC, polynomial, short_polynomial};
use std::f64::consts::{LN_2, LOG2_E};

/// What LN_2 lacks.
const LN_2_REST: f64 = 2.3190468138462996e-17;

/// ln(2) / 32, and what it lacks.
const STEP: Double<f64> = Double { hi: LN_2 / 32.0, lo: LN_2_REST / 32.0 };
/// 2^(i/32) with i/32 taken off the exponent's bits, and what the power lacks, beside it.
static SCALE: [f64; 32] = include!("tables/exp_scale.in");
static TAIL: [f64; 32] = include!("tables/exp_tail.in");
/// (e^r - 1 - r) / r^2 for a step, and nearly as much again.
const EXP_STEP: [f64; 6] = include!("tables/exp_step.in");

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

/// What e^x is composed of.
struct Steps<V> {
    /// k, with the bits of a large number before its own.
    magic: V,
    /// e^r - 1, with what the power lacks.
    fraction: V,
}

impl<V: Lanes> Steps<V> {
    /// For e^(x + more), where `about` is the sum.
    #[inline(always)]
    fn new(about: V, x: V, more: Option<V>) -> Self {
        let magic = about.fma(V::splat(1.0 / STEP.hi), V::splat(MAGIC));
        let k = magic - V::splat(MAGIC);
        let r = k.fnma(V::splat(STEP.lo), k.fnma(V::splat(STEP.hi), x));
        let r = more.map_or(r, |more| r + more);
        let line = magic.lookup(&TAIL) + r;
        Steps { magic, fraction: (r * r).fma(short_polynomial(r, EXP_STEP), line) }
    }

    /// 2^(k/32), for a k of moderate size.
    #[inline(always)]
    fn power(&self) -> V {
        self.magic.lookup(&SCALE).int_add(self.magic.shift_up(47))
    }

    /// The value for any k.
    #[inline(always)]
    fn wide(&self) -> V {
        let n = ((self.magic - V::splat(MAGIC)) * V::splat(1.0 / 32.0)).floor();
        let index = self.magic.and(V::splat_bits(31));
        let power = self.magic.lookup(&SCALE).int_add(index.shift_up(47));
        self.fraction.fma(power, power).scale(n)
    }

    /// The value for a k of moderate size.
    #[inline(always)]
    fn usual(&self) -> V {
        let power = self.power();
        self.fraction.fma(power, power)
    }
}

/// Whether the power is a normal number with all that leads to it.
#[inline(always)]
fn is_moderate<V: Lanes>(x: V) -> V::Mask {
    x.abs().lt(V::splat(700.0))
}

/// e^x.
#[inline(always)]
pub(crate) fn exp<V: Lanes>(x: V) -> V {
    if V::all(is_moderate(x)) {
        return Steps::new(x, x, None).usual();
    }
    let x = limited(x, -746.0, 710.0);
    Steps::new(x, x, None).wide()
}

/// e^(x + more), where `more` is at most 8e-5 times x.
#[inline(always)]
pub(crate) fn exp_of_sum<V: Lanes>(x: V, more: V) -> V {
    // Where x is small the step is found without the other part, which is known later.
    let is_small = x.abs().lt(V::splat(100.0));
    if V::all(is_small) {
        return Steps::new(x, x, Some(more)).usual();
    }
    // What is off the limits needs no more, which may be no number there.
    let more = V::select(x.abs().lt(V::splat(1000.0)), more, V::splat(0.0));
    let sum = V::select(is_small, x, x + more);
    let about = limited(sum, -746.0, 710.0);
    let within = about.eq(sum);
    let x = V::select(within, x, about);
    Steps::new(about, x, Some(V::select(within, more, V::splat(0.0)))).wide()
}

/// 1 - e^(x + more) for x in -100 .. -1.
#[inline(always)]
pub(crate) fn one_less_exp<V: Lanes>(x: V, more: V) -> V {
    let steps = Steps::new(x, x, Some(more));
    let power = steps.power();
    let sum = Double::ordered_sum(V::splat(1.0), power.negated());
    steps.fraction.fnma(power, sum.lo) + sum.hi
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
    let (n, r) = reduced(x);
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
