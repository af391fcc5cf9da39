//! Double-double arithmetic: numbers as an unevaluated sum of two doubles.
//!
//! Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971.

use crate::simd::Lanes;

/// A sum of two doubles; the second is small beside the first.
#[derive(Clone, Copy)]
pub(crate) struct Double<V> {
    pub(crate) hi: V,
    pub(crate) lo: V,
}

impl<V: Lanes> Double<V> {
    /// The exact sum of two numbers, the first of which is the larger one, or zero.
    #[inline(always)]
    pub(crate) fn ordered_sum(a: V, b: V) -> Self {
        let hi = a + b;
        Double { hi, lo: a - hi + b }
    }

    /// The exact sum of any two numbers.
    #[inline(always)]
    pub(crate) fn sum(a: V, b: V) -> Self {
        let hi = a + b;
        let of_b = hi - a;
        Double { hi, lo: (a - (hi - of_b)) + (b - of_b) }
    }

    /// The exact product of two numbers.
    #[inline(always)]
    pub(crate) fn product(a: V, b: V) -> Self {
        let hi = a * b;
        Double { hi, lo: a.fma(b, hi.negated()) }
    }

    /// With a little more.
    #[inline(always)]
    pub(crate) fn plus(self, little: V) -> Self {
        Double { hi: self.hi, lo: self.lo + little }
    }

    /// The same number with all that fits in the first double.
    #[inline(always)]
    pub(crate) fn normal(self) -> Self {
        Self::ordered_sum(self.hi, self.lo)
    }

    /// The nearest double.
    #[inline(always)]
    pub(crate) fn rounded(self) -> V {
        self.hi + self.lo
    }

    /// The product, to about a hundred bits.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        let high = Self::product(self.hi, other.hi);
        high.plus(self.hi.fma(other.lo, self.lo * other.hi))
    }

    /// The quotient, to about a hundred bits.
    #[inline(always)]
    pub(crate) fn over(self, other: Self) -> Self {
        let inverse = V::splat(1.0) / other.hi;
        let hi = self.hi * inverse;
        let rest = hi.fnma(other.hi, self.hi) + hi.fnma(other.lo, self.lo);
        Double { hi, lo: rest * inverse }
    }
}
