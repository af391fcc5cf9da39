//! Lanes: one or several doubles, with operations that round in the same way in all forms.
//!
//! Absent: the functions, and what processors call these operations (`x86`).

use std::ops::{Add, Div, Mul, Sub};

/// 1.5 * 2^52: a sum with it is rounded to an integer, which stands in the lowest bits.
pub(crate) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Doubles side by side. Every operation is exact or rounds once, so the bits do not depend on how many there are.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A boolean per lane.
    type Mask: Copy;

    /// The same double in all lanes.
    fn splat(value: f64) -> Self;
    /// The same bits in all lanes.
    fn splat_bits(bits: u64) -> Self;
    /// self * b + c, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// c - self * b, rounded once.
    fn fnma(self, b: Self, c: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The largest integer below or at it.
    fn floor(self) -> Self;
    /// Bits in both.
    fn and(self, other: Self) -> Self;
    /// Bits in either.
    fn or(self, other: Self) -> Self;
    /// Bits in one of them.
    fn xor(self, other: Self) -> Self;
    /// The sum as integers of 64 bits.
    fn int_add(self, other: Self) -> Self;
    /// The difference as integers of 64 bits.
    fn int_sub(self, other: Self) -> Self;
    /// Bits moved up.
    fn shift_up(self, by: u32) -> Self;
    /// Bits moved down, zeros after them.
    fn shift_down(self, by: u32) -> Self;
    /// self < other, false of NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other, false of NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// self == other, false of NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// Both.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Either.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// What stands in a table at the place that each lane's last five bits are.
    fn lookup(self, table: &'static [f64; 32]) -> Self;
    /// Whether the mask holds in all lanes.
    fn all(mask: Self::Mask) -> bool;
    /// `fast` where the mask holds; elsewhere what `slow` gives of the argument.
    fn patch(usual: Self::Mask, fast: Self, x: Self, slow: fn(f64) -> f64) -> Self;
    /// The same for two arguments.
    fn patch2(usual: Self::Mask, fast: Self, x: Self, y: Self, slow: fn(f64, f64) -> f64) -> Self;

    /// self * 2^n for an integer n in -2100 .. 2100, rounded once. The magnitude is in 0.25 .. 4, or n is moderate.
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // Two factors: the first product is exact.
        let magic = Self::splat(MAGIC);
        let half = n.fma(Self::splat(0.5), magic);
        let rest = n - (half - magic) + magic;
        let bias = Self::splat_bits(1023);
        self * half.int_add(bias).shift_up(52) * rest.int_add(bias).shift_up(52)
    }

    /// 2^n for an integer n in -1022 .. 1023.
    #[inline(always)]
    fn power_of_two(n: Self) -> Self {
        (n + Self::splat(MAGIC)).int_add(Self::splat_bits(1023)).shift_up(52)
    }

    /// The lesser; `other` if one of them is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// The larger; `other` if one of them is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The magnitude.
    #[inline(always)]
    fn abs(self) -> Self {
        self.and(Self::splat_bits(u64::MAX >> 1))
    }

    /// The bit of the sign alone.
    #[inline(always)]
    fn sign(self) -> Self {
        self.and(Self::splat(-0.0))
    }

    /// The other sign.
    #[inline(always)]
    fn negated(self) -> Self {
        self.xor(Self::splat(-0.0))
    }

    /// This magnitude with the sign of another.
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        self.abs().or(other.sign())
    }
}

impl Lanes for f64 {
    type Mask = bool;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn splat_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn fnma(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        f64::floor(self)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        f64::from_bits(self.to_bits() & other.to_bits())
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        f64::from_bits(self.to_bits() | other.to_bits())
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        f64::from_bits(self.to_bits() ^ other.to_bits())
    }
    #[inline(always)]
    fn int_add(self, other: Self) -> Self {
        f64::from_bits(self.to_bits().wrapping_add(other.to_bits()))
    }
    #[inline(always)]
    fn int_sub(self, other: Self) -> Self {
        f64::from_bits(self.to_bits().wrapping_sub(other.to_bits()))
    }
    #[inline(always)]
    fn shift_up(self, by: u32) -> Self {
        f64::from_bits(self.to_bits() << by)
    }
    #[inline(always)]
    fn shift_down(self, by: u32) -> Self {
        f64::from_bits(self.to_bits() >> by)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn both(a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn either(a: bool, b: bool) -> bool {
        a | b
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn lookup(self, table: &'static [f64; 32]) -> Self {
        table[(self.to_bits() & 31) as usize]
    }
    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn patch(usual: bool, fast: Self, x: Self, slow: fn(f64) -> f64) -> Self {
        if usual { fast } else { slow(x) }
    }
    #[inline(always)]
    fn patch2(usual: bool, fast: Self, x: Self, y: Self, slow: fn(f64, f64) -> f64) -> Self {
        if usual { fast } else { slow(x, y) }
    }
}

/// A polynomial from its coefficients, the constant first: even and odd powers apart, which the processor computes
/// side by side.
#[inline(always)]
pub(crate) fn polynomial<V: Lanes, const N: usize>(x: V, coefficients: [f64; N]) -> V {
    let square = x * x;
    let (mut last, mut before) = (V::splat(coefficients[N - 1]), V::splat(coefficients[N - 2]));
    let mut index = N - 2;
    while index >= 2 {
        last = last.fma(square, V::splat(coefficients[index - 1]));
        before = before.fma(square, V::splat(coefficients[index - 2]));
        index -= 2;
    }
    if index == 1 {
        // `last` belongs to the even powers: one coefficient is left.
        last = last.fma(square, V::splat(coefficients[0]));
        return before.fma(x, last);
    }
    last.fma(x, before)
}

/// The same by pairs of coefficients: more products, a shorter way from the argument to the value.
#[inline(always)]
pub(crate) fn short_polynomial<V: Lanes, const N: usize>(x: V, coefficients: [f64; N]) -> V {
    let pair = |index: usize| {
        let first = V::splat(coefficients[2 * index]);
        if 2 * index + 1 < N { V::splat(coefficients[2 * index + 1]).fma(x, first) } else { first }
    };
    let square = x * x;
    let fourth = square * square;
    let mut index = N.div_ceil(2) - 1;
    let (mut last, mut before) = (pair(index), pair(index - 1));
    while index >= 3 {
        last = last.fma(fourth, pair(index - 2));
        before = before.fma(fourth, pair(index - 3));
        index -= 2;
    }
    if index == 2 {
        // `last` belongs to the even ones: one pair is left.
        last = last.fma(fourth, pair(0));
        return before.fma(square, last);
    }
    last.fma(square, before)
}
