//! The error function: x (1 + p(x^2)) below 1, and 1 - e^-q(x) from there to where it is 1. Coefficients:
//! tools/minimax.py.

use crate::double_double::Double;
use crate::exp::one_less_exp;
use crate::simd::{Lanes, short_polynomial};

/// erf(x) / x - 1, to 1, in x^2.
const NEAR: [f64; 15] = include!("tables/erf_near.in");
/// -log(1 - erf(x)) from 1 to 6, in x - 1: at 1, and (what is more) / (x - 1).
const AT_ONE: Double<f64> = include!("tables/erf_one.in");
const FAR: [f64; 19] = include!("tables/erf_far.in");

#[inline(always)]
fn near<V: Lanes>(x: V) -> V {
    short_polynomial(x * x, NEAR).fma(x, x)
}

#[inline(always)]
fn far<V: Lanes>(x: V) -> V {
    let size = V::splat(1.0).max(V::splat(6.0).min(x.abs()));
    let t = size - V::splat(1.0);
    let q = Double::sum(V::splat(AT_ONE.hi), t * short_polynomial(t, FAR)).plus(V::splat(AT_ONE.lo));
    one_less_exp(q.hi.negated(), q.lo.negated()).with_sign_of(x)
}

/// The error function.
#[inline(always)]
pub(crate) fn erf<V: Lanes>(x: V) -> V {
    let is_near = x.abs().lt(V::splat(1.0));
    if V::all(is_near) {
        return near(x);
    }
    V::select(is_near, near(x), far(x))
}
