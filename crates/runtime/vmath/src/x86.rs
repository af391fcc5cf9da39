//! Vectors on x86-64: four doubles (AVX2 and FMA) and eight (AVX-512).
//!
//! All of it is inlined into entries that have these features (`entries`), and runs nowhere else.

use crate::simd::Lanes;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Four doubles.
#[derive(Clone, Copy)]
pub struct Four(pub __m256d);

/// Eight doubles.
#[derive(Clone, Copy)]
pub struct Eight(pub __m512d);

macro_rules! operators {
    ($ty:ident: $($operator:ident $method:ident $intrinsic:ident;)*) => {$(
        impl $operator for $ty {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: reached from entries that have the feature alone.
                unsafe { $ty($intrinsic(self.0, other.0)) }
            }
        }
    )*};
}

operators! { Four: Add add _mm256_add_pd; Sub sub _mm256_sub_pd; Mul mul _mm256_mul_pd; Div div _mm256_div_pd; }
operators! { Eight: Add add _mm512_add_pd; Sub sub _mm512_sub_pd; Mul mul _mm512_mul_pd; Div div _mm512_div_pd; }

macro_rules! bitwise {
    ($ty:ident, $to:ident, $from:ident: $($method:ident $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            // SAFETY: reached from entries that have the feature alone.
            unsafe { $ty($from($intrinsic($to(self.0), $to(other.0)))) }
        }
    )*};
}

/// Calls the slow function for the lanes that are not usual.
#[cold]
#[inline(never)]
fn patch_lanes(usual: u32, results: &mut [f64], xs: &[f64], slow: fn(f64) -> f64) {
    for (lane, (result, &x)) in results.iter_mut().zip(xs).enumerate() {
        if usual >> lane & 1 == 0 {
            *result = slow(x);
        }
    }
}

/// The same for two arguments.
#[cold]
#[inline(never)]
fn patch_pairs(usual: u32, results: &mut [f64], xs: &[f64], ys: &[f64], slow: fn(f64, f64) -> f64) {
    for (lane, (result, (&x, &y))) in results.iter_mut().zip(xs.iter().zip(ys)).enumerate() {
        if usual >> lane & 1 == 0 {
            *result = slow(x, y);
        }
    }
}

/// A bit per lane.
#[inline(always)]
fn four_bits(mask: __m256d) -> u32 {
    // SAFETY: reached from entries that have the feature alone.
    unsafe { _mm256_movemask_pd(mask) }.cast_unsigned()
}

macro_rules! patches {
    ($ty:ident, $count:literal, $store:ident, $load:ident, $bits:path) => {
        #[inline(always)]
        fn all(mask: Self::Mask) -> bool {
            $bits(mask) == (1 << $count) - 1
        }
        #[inline(always)]
        fn patch(usual: Self::Mask, fast: Self, x: Self, slow: fn(f64) -> f64) -> Self {
            if Self::all(usual) {
                return fast;
            }
            let (mut results, mut xs) = ([0.0; $count], [0.0; $count]);
            // SAFETY: the arrays hold as many doubles as are stored and loaded.
            unsafe {
                $store(results.as_mut_ptr(), fast.0);
                $store(xs.as_mut_ptr(), x.0);
                patch_lanes($bits(usual), &mut results, &xs, slow);
                $ty($load(results.as_ptr()))
            }
        }
        #[inline(always)]
        fn patch2(usual: Self::Mask, fast: Self, x: Self, y: Self, slow: fn(f64, f64) -> f64) -> Self {
            if Self::all(usual) {
                return fast;
            }
            let (mut results, mut xs, mut ys) = ([0.0; $count], [0.0; $count], [0.0; $count]);
            // SAFETY: the arrays hold as many doubles as are stored and loaded.
            unsafe {
                $store(results.as_mut_ptr(), fast.0);
                $store(xs.as_mut_ptr(), x.0);
                $store(ys.as_mut_ptr(), y.0);
                patch_pairs($bits(usual), &mut results, &xs, &ys, slow);
                $ty($load(results.as_ptr()))
            }
        }
    };
}

/// A method that is one operation of the processor.
macro_rules! methods {
    ($($name:ident($($arg:ident: $arg_ty:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name($($arg: $arg_ty),*) -> $result {
            // SAFETY: reached from entries that have the feature alone.
            unsafe { $body }
        }
    )*};
}

impl Lanes for Four {
    type Mask = __m256d;

    methods! {
        splat(value: f64) -> Self = Four(_mm256_set1_pd(value));
        splat_bits(bits: u64) -> Self = Four(_mm256_castsi256_pd(_mm256_set1_epi64x(bits.cast_signed())));
        both(a: __m256d, b: __m256d) -> __m256d = _mm256_and_pd(a, b);
        either(a: __m256d, b: __m256d) -> __m256d = _mm256_or_pd(a, b);
        select(mask: __m256d, yes: Self, no: Self) -> Self = Four(_mm256_blendv_pd(no.0, yes.0, mask));
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_min_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_max_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn fnma(self, b: Self, c: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_fnmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Four(_mm256_floor_pd(self.0)) }
    }
    #[inline(always)]
    fn shift_up(self, by: u32) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe {
            let count = _mm256_set1_epi64x(i64::from(by));
            Four(_mm256_castsi256_pd(_mm256_sllv_epi64(_mm256_castpd_si256(self.0), count)))
        }
    }
    #[inline(always)]
    fn shift_down(self, by: u32) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe {
            let count = _mm256_set1_epi64x(i64::from(by));
            Four(_mm256_castsi256_pd(_mm256_srlv_epi64(_mm256_castpd_si256(self.0), count)))
        }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> __m256d {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> __m256d {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> __m256d {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0) }
    }
    bitwise! { Four, _mm256_castpd_si256, _mm256_castsi256_pd:
        and _mm256_and_si256; or _mm256_or_si256; xor _mm256_xor_si256; int_add _mm256_add_epi64;
        int_sub _mm256_sub_epi64;
    }
    #[inline(always)]
    fn lookup(self, table: &'static [f64; 32]) -> Self {
        // Indices are below 32.
        // SAFETY: reached from entries that have the feature alone. Indices are below 32, as many as the table
        // has.
        unsafe {
            let indices = _mm256_and_si256(_mm256_castpd_si256(self.0), _mm256_set1_epi64x(31));
            Four(_mm256_i64gather_pd::<8>(table.as_ptr(), indices))
        }
    }
    patches! { Four, 4, _mm256_storeu_pd, _mm256_loadu_pd, four_bits }
}

impl Lanes for Eight {
    type Mask = __mmask8;

    methods! {
        splat(value: f64) -> Self = Eight(_mm512_set1_pd(value));
        splat_bits(bits: u64) -> Self = Eight(_mm512_castsi512_pd(_mm512_set1_epi64(bits.cast_signed())));
        select(mask: __mmask8, yes: Self, no: Self) -> Self = Eight(_mm512_mask_blend_pd(mask, no.0, yes.0));
    }
    #[inline(always)]
    fn both(a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn either(a: __mmask8, b: __mmask8) -> __mmask8 {
        a | b
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_min_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_max_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn fnma(self, b: Self, c: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_fnmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)) }
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { Eight(_mm512_scalef_pd(self.0, n.0)) }
    }
    #[inline(always)]
    fn shift_up(self, by: u32) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe {
            let count = _mm512_set1_epi64(i64::from(by));
            Eight(_mm512_castsi512_pd(_mm512_sllv_epi64(_mm512_castpd_si512(self.0), count)))
        }
    }
    #[inline(always)]
    fn shift_down(self, by: u32) -> Self {
        // SAFETY: reached from entries that have the feature alone.
        unsafe {
            let count = _mm512_set1_epi64(i64::from(by));
            Eight(_mm512_castsi512_pd(_mm512_srlv_epi64(_mm512_castpd_si512(self.0), count)))
        }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> __mmask8 {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> __mmask8 {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> __mmask8 {
        // SAFETY: reached from entries that have the feature alone.
        unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0) }
    }
    bitwise! { Eight, _mm512_castpd_si512, _mm512_castsi512_pd:
        and _mm512_and_si512; or _mm512_or_si512; xor _mm512_xor_si512; int_add _mm512_add_epi64;
        int_sub _mm512_sub_epi64;
    }
    #[inline(always)]
    fn lookup(self, table: &'static [f64; 32]) -> Self {
        // Two registers at a time, which four bits of a position choose from; the fifth chooses between the pairs.
        // SAFETY: reached from entries that have the feature alone. Four registers are the 32 doubles of the
        // table.
        unsafe {
            let part = |index: usize| _mm512_loadu_pd(table.as_ptr().add(8 * index));
            let indices = _mm512_castpd_si512(self.0);
            let low = _mm512_permutex2var_pd(part(0), indices, part(1));
            let high = _mm512_permutex2var_pd(part(2), indices, part(3));
            let is_high = _mm512_test_epi64_mask(indices, _mm512_set1_epi64(16));
            Eight(_mm512_mask_blend_pd(is_high, low, high))
        }
    }
    patches! { Eight, 8, _mm512_storeu_pd, _mm512_loadu_pd, u32::from }
}
