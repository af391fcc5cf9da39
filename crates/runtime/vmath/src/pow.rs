//! Powers: e^(y log x) with the logarithm to about 68 bits (`log::log_for_power`).

use crate::double_double::Double;
use crate::exp::exp_of_sum;
use crate::log::{log_for_power, log_of_subnormal};
use crate::simd::Lanes;

/// e^(y log), where the logarithm is known to be finite.
#[inline(always)]
fn power<V: Lanes>(log: Double<V>, y: V) -> V {
    let product = Double::product(y, log.hi);
    exp_of_sum(product.hi, y.fma(log.lo, product.lo))
}

/// The sign of a power of a negative number in the first bit, or NaN if it has none.
#[inline(always)]
fn with_sign<V: Lanes>(value: V, x: V, y: V) -> V {
    let half = y * V::splat(0.5);
    let even = half.floor().eq(half);
    let signed = V::select(even, value, value.xor(x.sign()));
    let has_value = V::either(V::splat(0.0).lt(x), y.floor().eq(y));
    V::select(has_value, signed, V::splat(f64::NAN))
}

/// x to the power of y.
#[inline(always)]
pub(crate) fn pow<V: Lanes>(x: V, y: V) -> V {
    let size = x.abs();
    let infinity = V::splat(f64::INFINITY);
    let usual = V::both(V::splat(f64::MIN_POSITIVE).le(size), size.lt(infinity));
    let usual = V::both(usual, y.abs().lt(infinity));
    let value = power(log_for_power(size), y);
    let signed = if V::all(V::splat(0.0).lt(x)) { value } else { with_sign(value, x, y) };
    V::patch2(usual, signed, x, y, pow_slow)
}

/// C99, F.9.4.4.
fn pow_slow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let size = x.abs();
    if y.is_infinite() {
        return if size == 1.0 {
            1.0
        } else if (size < 1.0) == (y < 0.0) {
            f64::INFINITY
        } else {
            0.0
        };
    }
    if size > 0.0 && size < f64::INFINITY {
        return with_sign(power(log_of_subnormal(size), y), x, y);
    }
    let value = if (size == 0.0) == (y < 0.0) { f64::INFINITY } else { 0.0 };
    let odd = y.floor() == y && (y * 0.5).floor() != y * 0.5;
    if odd { value.with_sign_of(x) } else { value }
}
