//! Mathematical functions with the same bits as compiled code: Rumba's own, and those of the C library.

use crate::Word;
use std::ffi::{c_double, c_float, c_int};

/// Declares functions of the C library and calls them by name on words that fit.
macro_rules! libm {
    ($($float:ty, $word:ident { unary: $($unary:ident)*; binary: $($binary:ident)*; ternary: $($ternary:ident)*;
        scale: $($scale:ident)*; })*) => {
        #[link(name = "m")]
        unsafe extern "C" {
            $(
                $(safe fn $unary(a: $float) -> $float;)*
                $(safe fn $binary(a: $float, b: $float) -> $float;)*
                $(safe fn $ternary(a: $float, b: $float, c: $float) -> $float;)*
                $(safe fn $scale(a: $float, b: c_int) -> $float;)*
            )*
        }

        fn by_name(name: &str, args: &[Word]) -> Option<Word> {
            Some(match (name, args) {
                $(
                    $((stringify!($unary), &[Word::$word(a)]) => Word::$word($unary(a)),)*
                    $((stringify!($binary), &[Word::$word(a), Word::$word(b)]) => Word::$word($binary(a, b)),)*
                    $((stringify!($ternary), &[Word::$word(a), Word::$word(b), Word::$word(c)]) =>
                        Word::$word($ternary(a, b, c)),)*
                    $((stringify!($scale), &[Word::$word(a), Word::I32(b)]) => Word::$word($scale(a, b)),)*
                )*
                _ => return None,
            })
        }
    };
}

libm! {
    c_double, F64 {
        unary: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p
            cbrt erf erfc tgamma lgamma sqrt fabs floor ceil trunc round rint nearbyint;
        binary: pow atan2 hypot fmod remainder copysign nextafter fmax fmin fdim;
        ternary: fma;
        scale: ldexp;
    }
    c_float, F32 {
        unary: sinf cosf tanf asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf expf exp2f expm1f logf
            log2f log10f log1pf cbrtf erff erfcf tgammaf lgammaf sqrtf fabsf floorf ceilf truncf roundf rintf
            nearbyintf;
        binary: powf atan2f hypotf fmodf remainderf copysignf nextafterf fmaxf fminf fdimf;
        ternary: fmaf;
        scale: ldexpf;
    }
}

/// What a mathematical function gives; none if there is none of this name and signature.
pub(crate) fn call(name: &str, args: &[Word]) -> Option<Word> {
    own_by_name(name, args).or_else(|| by_name(name, args))
}

fn own_by_name(name: &str, args: &[Word]) -> Option<Word> {
    match *args {
        [Word::F64(x)] => vmath::call(name, &[x]).map(Word::F64),
        [Word::F64(x), Word::F64(y)] => vmath::call(name, &[x, y]).map(Word::F64),
        [Word::F32(x)] => vmath::call_single(name, &[x]).map(Word::F32),
        [Word::F32(x), Word::F32(y)] => vmath::call_single(name, &[x, y]).map(Word::F32),
        _ => None,
    }
}
