//! The error function: erf(x) = 1 - e^-q(x), where q(x)/x is smooth from 0 to where erf is 1: two polynomials.
//! Coefficients: tools/minimax.py.

use crate::double::Double;
use crate::exp::less_one_of;
use crate::lanes::Lanes;

/// -log(1 - erf(x)) / x, from 0 to 1.5, in x.
const NEAR: [f64; 22] = include!("tables/erf_near.in");
/// The same from 1.5 to 6, in x - CENTER.
const FAR: [f64; 22] = include!("tables/erf_far.in");
const BORDER: f64 = 1.5;
const CENTER: f64 = 3.5;
/// What NEAR's first coefficient lacks, of the constant 2/sqrt(pi).
const NEAR_REST: f64 = include!("tables/erf_rest.in");

/// The error function.
#[inline(always)]
pub(crate) fn erf<V: Lanes>(x: V) -> V {
    let size = V::splat(6.0).min(x.abs());
    let near = size.lt(V::splat(BORDER));
    let t = V::select(near, size, size - V::splat(CENTER));
    let pick = |index: usize| V::select(near, V::splat(NEAR[index]), V::splat(FAR[index]));
    // Coefficients of even and odd numbers apart.
    let square = t * t;
    let (mut odd, mut even) = (pick(21), pick(20));
    let mut index = 20;
    while index > 2 {
        odd = odd.fma(square, pick(index - 1));
        even = even.fma(square, pick(index - 2));
        index -= 2;
    }
    let slope = even.fma(t, odd.fma(square, pick(1)));
    let first = Double::sum(pick(0), t * slope).plus(V::select(near, V::splat(NEAR_REST), V::splat(0.0)));
    let power = Double::product(size, first.hi).plus(size * first.lo);
    let (n, value) = less_one_of(Double { hi: power.hi.negated(), lo: power.lo.negated() });
    // Small numbers in one rounding: products of tiny ones lose bits.
    let line = size.fma(V::splat(NEAR[0] - 1.0), size);
    let is_line = size.lt(V::splat(f64::EPSILON / 64.0));
    V::select(is_line, line, value.rounded().scale(n)).with_sign_of(x)
}
