//! The exported C functions: scalar forms and vector forms.
//!
//! Each is written once over [`Lanes`](crate::simd::Lanes); here it is instantiated for what a processor may have.
//! The forms with several lanes follow the convention of x86-64 for vectors: in a register and out of one.

use crate::{cbrt_hypot, erf, exp, inverse_trig, log, pow, trig};

/// A form with several lanes.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// How many numbers it takes at once.
    pub lanes: usize,
    /// How wide its registers are: 32 bytes need AVX2 with fused operations, 64 AVX-512.
    pub bytes: usize,
    /// Its symbol.
    pub symbol: &'static str,
    /// Its address.
    pub address: usize,
}

/// A function in its best form for the host processor.
#[derive(Debug)]
pub struct Function {
    /// C's name of it.
    pub name: &'static str,
    /// The symbol that it has here: no compiler takes it for a function that it knows.
    pub symbol: &'static str,
    /// How many arguments it has.
    pub arity: usize,
    /// Whether its numbers are singles.
    pub single: bool,
    /// The address of the form for one number.
    pub address: usize,
    /// Forms for several.
    pub vectors: Vec<Vector>,
}

/// The features of the host processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Plain,
    Fused,
    Wide,
}

impl Level {
    /// The bytes of the widest registers that forms with several lanes may use.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Level::Plain => 0,
            Level::Fused => 32,
            Level::Wide => 64,
        }
    }
}

/// Asks the processor.
pub(crate) fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if fused
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
        {
            return Level::Wide;
        }
        if fused {
            return Level::Fused;
        }
    }
    Level::Plain
}

/// Instances of a function for one of the two precisions.
macro_rules! instances {
    ($name:ident, $plain:literal, $single:literal, $wide:path, $narrow:path, ($($arg:ident),*), $arity:literal) => {
        /// One function in all forms.
        pub(crate) mod $name {
            use super::*;

            pub(crate) extern "C" fn plain($($arg: f64),*) -> f64 {
                $wide($($arg),*)
            }

            pub(crate) extern "C" fn single($($arg: f32),*) -> f32 {
                $narrow($(f64::from($arg)),*) as f32
            }

            #[cfg(target_arch = "x86_64")]
            #[expect(improper_ctypes_definitions, reason = "vectors in registers, as x86-64's convention has them")]
            mod x86 {
                use super::*;
                use crate::x86::{Eight, Four};
                use std::arch::x86_64::*;

                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
                pub(super) extern "C" fn fused($($arg: f64),*) -> f64 {
                    $wide($($arg),*)
                }

                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
                pub(super) extern "C" fn fused_single($($arg: f32),*) -> f32 {
                    $narrow($(f64::from($arg)),*) as f32
                }

                #[target_feature(enable = "avx2,fma")]
                pub(super) extern "C" fn four($($arg: __m256d),*) -> __m256d {
                    $wide($(Four($arg)),*).0
                }

                #[target_feature(enable = "avx2,fma")]
                pub(super) extern "C" fn eight_singles($($arg: __m256),*) -> __m256 {
                    let low = $narrow($(Four(_mm256_cvtps_pd(_mm256_castps256_ps128($arg)))),*);
                    let high = $narrow($(Four(_mm256_cvtps_pd(_mm256_extractf128_ps::<1>($arg)))),*);
                    _mm256_set_m128(_mm256_cvtpd_ps(high.0), _mm256_cvtpd_ps(low.0))
                }

                #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
                pub(super) extern "C" fn eight($($arg: __m512d),*) -> __m512d {
                    $wide($(Eight($arg)),*).0
                }

                #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
                pub(super) extern "C" fn sixteen_singles($($arg: __m512),*) -> __m512 {
                    let low = $narrow($(Eight(_mm512_cvtps_pd(_mm512_castps512_ps256($arg)))),*);
                    let high = $narrow($(Eight(_mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>($arg)))),*);
                    let low = _mm512_castps256_ps512(_mm512_cvtpd_ps(low.0));
                    _mm512_insertf32x8::<1>(low, _mm512_cvtpd_ps(high.0))
                }

                /// The address of a form for doubles of this type.
                macro_rules! address {
                    ($form:ident: $ty:ty) => {
                        $form as unsafe extern "C" fn($(address!(@ $arg $ty)),*) -> $ty as usize
                    };
                    (@ $any:ident $ty:ty) => { $ty };
                }

                pub(super) fn doubles() -> (usize, [Vector; 2]) {
                    let (half, whole) = (concat!("rumba_", $plain, "_x4"), concat!("rumba_", $plain, "_x8"));
                    let half = Vector { lanes: 4, bytes: 32, symbol: half, address: address!(four: __m256d) };
                    let address = address!(eight: __m512d);
                    (address!(fused: f64), [half, Vector { lanes: 8, bytes: 64, symbol: whole, address }])
                }

                pub(super) fn singles() -> (usize, [Vector; 2]) {
                    let (half, whole) = (concat!("rumba_", $single, "_x8"), concat!("rumba_", $single, "_x16"));
                    let address = address!(eight_singles: __m256);
                    let half = Vector { lanes: 8, bytes: 32, symbol: half, address };
                    let address = address!(sixteen_singles: __m512);
                    (address!(fused_single: f32), [half, Vector { lanes: 16, bytes: 64, symbol: whole, address }])
                }
            }

            pub(crate) fn functions(level: Level) -> [Function; 2] {
                let (mut double, mut narrow) = (plain as *const () as usize, single as *const () as usize);
                let (mut doubles, mut singles) = (Vec::<Vector>::new(), Vec::<Vector>::new());
                #[cfg(target_arch = "x86_64")]
                {
                    let (forms, narrow_forms) = (x86::doubles(), x86::singles());
                    doubles.extend(forms.1);
                    singles.extend(narrow_forms.1);
                    if level >= Level::Fused {
                        (double, narrow) = (forms.0, narrow_forms.0);
                    }
                }
                let symbol = concat!("rumba_", $plain);
                let (arity, vectors) = ($arity, doubles);
                let wide = Function { name: $plain, symbol, arity, single: false, address: double, vectors };
                let (symbol, vectors) = (concat!("rumba_", $single), singles);
                [wide, Function { name: $single, symbol, arity, single: true, address: narrow, vectors }]
            }
        }
    };
}

/// The table of functions: C's names, what computes doubles, what computes singles on doubles.
macro_rules! table {
    (unary { $($name:ident $plain:literal $single:literal = $wide:path, $narrow:path;)* }
     binary { $($name2:ident $plain2:literal $single2:literal = $wide2:path, $narrow2:path;)* }) => {
        $(instances! { $name, $plain, $single, $wide, $narrow, (x), 1 })*
        $(instances! { $name2, $plain2, $single2, $wide2, $narrow2, (x, y), 2 })*

        /// Every function, for a processor of this level.
        pub(crate) fn all(level: Level) -> Vec<Function> {
            let unary = [$($name::functions(level)),*];
            let binary = [$($name2::functions(level)),*];
            unary.into_iter().chain(binary).flatten().collect()
        }
    };
}

table! {
    unary {
        f_exp "exp" "expf" = exp::exp, exp::single::exp;
        f_exp2 "exp2" "exp2f" = exp::exp2, exp::exp2;
        f_expm1 "expm1" "expm1f" = exp::expm1, exp::expm1;
        f_sinh "sinh" "sinhf" = exp::sinh, exp::sinh;
        f_cosh "cosh" "coshf" = exp::cosh, exp::cosh;
        f_tanh "tanh" "tanhf" = exp::tanh, exp::tanh;
        f_log "log" "logf" = log::log, log::single::log;
        f_log2 "log2" "log2f" = log::log2, log::single::log2;
        f_log10 "log10" "log10f" = log::log10, log::single::log10;
        f_log1p "log1p" "log1pf" = log::log1p, log::log1p;
        f_sin "sin" "sinf" = trig::sin, trig::single::sin;
        f_cos "cos" "cosf" = trig::cos, trig::single::cos;
        f_tan "tan" "tanf" = trig::tan, trig::tan;
        f_asin "asin" "asinf" = inverse_trig::asin, inverse_trig::asin;
        f_acos "acos" "acosf" = inverse_trig::acos, inverse_trig::acos;
        f_atan "atan" "atanf" = inverse_trig::atan, inverse_trig::atan;
        f_asinh "asinh" "asinhf" = log::asinh, log::asinh;
        f_acosh "acosh" "acoshf" = log::acosh, log::acosh;
        f_atanh "atanh" "atanhf" = log::atanh, log::atanh;
        f_cbrt "cbrt" "cbrtf" = cbrt_hypot::cbrt, cbrt_hypot::cbrt;
        f_erf "erf" "erff" = erf::erf, erf::erf;
    }
    binary {
        f_atan2 "atan2" "atan2f" = inverse_trig::atan2, inverse_trig::atan2;
        f_hypot "hypot" "hypotf" = cbrt_hypot::hypot, cbrt_hypot::hypot;
        f_pow "pow" "powf" = pow::pow, pow::pow;
    }
}
