//! C functions that LLVM's code generator may call on its own, and similar ones: memory moves, and mathematical
//! functions without a machine instruction.

use std::ffi::{c_int, c_void};

// What processors without instructions for half precision call. A half is passed in the low bits of a register for floats.

extern "C" fn extend_half(value: f32) -> f32 {
    abi::half_to_float(value.to_bits() as u16)
}

extern "C" fn truncate_to_half(value: f32) -> f32 {
    f32::from_bits(abi::float_to_half(value).into())
}

macro_rules! functions {
    ($($name:ident ($($arg:ty),*) -> $result:ty;)*) => {
        mod c {
            use super::*;
            unsafe extern "C" {
                $(pub fn $name($(_: $arg),*) -> $result;)*
            }
        }

        /// Names and addresses.
        pub fn libc_symbols() -> &'static [(&'static str, usize)] {
            static TABLE: std::sync::LazyLock<Vec<(&str, usize)>> = std::sync::LazyLock::new(|| {
                let halves = [
                    ("__extendhfsf2", extend_half as extern "C" fn(f32) -> f32 as usize),
                    ("__truncsfhf2", truncate_to_half as extern "C" fn(f32) -> f32 as usize),
                ];
                let known =
                    [$((stringify!($name), c::$name as unsafe extern "C" fn($($arg),*) -> $result as usize)),*];
                halves.into_iter().chain(known).collect()
            });
            &TABLE
        }
    };
}

functions! {
    memcpy(*mut c_void, *const c_void, usize) -> *mut c_void;
    memmove(*mut c_void, *const c_void, usize) -> *mut c_void;
    memset(*mut c_void, c_int, usize) -> *mut c_void;
    memcmp(*const c_void, *const c_void, usize) -> c_int;
    bcmp(*const c_void, *const c_void, usize) -> c_int;
    fmod(f64, f64) -> f64;
    fmodf(f32, f32) -> f32;
    fma(f64, f64, f64) -> f64;
    fmaf(f32, f32, f32) -> f32;
    sqrt(f64) -> f64;
    sqrtf(f32) -> f32;
    floor(f64) -> f64;
    floorf(f32) -> f32;
    ceil(f64) -> f64;
    ceilf(f32) -> f32;
    trunc(f64) -> f64;
    truncf(f32) -> f32;
    rint(f64) -> f64;
    rintf(f32) -> f32;
    nearbyint(f64) -> f64;
    nearbyintf(f32) -> f32;
    round(f64) -> f64;
    roundf(f32) -> f32;
    roundeven(f64) -> f64;
    roundevenf(f32) -> f32;
    fabs(f64) -> f64;
    fabsf(f32) -> f32;
    copysign(f64, f64) -> f64;
    copysignf(f32, f32) -> f32;
    fmin(f64, f64) -> f64;
    fminf(f32, f32) -> f32;
    fmax(f64, f64) -> f64;
    fmaxf(f32, f32) -> f32;
    pow(f64, f64) -> f64;
    powf(f32, f32) -> f32;
    exp(f64) -> f64;
    expf(f32) -> f32;
    exp2(f64) -> f64;
    exp2f(f32) -> f32;
    exp10(f64) -> f64;
    exp10f(f32) -> f32;
    expm1(f64) -> f64;
    expm1f(f32) -> f32;
    log(f64) -> f64;
    logf(f32) -> f32;
    log2(f64) -> f64;
    log2f(f32) -> f32;
    log10(f64) -> f64;
    log10f(f32) -> f32;
    log1p(f64) -> f64;
    log1pf(f32) -> f32;
    sin(f64) -> f64;
    sinf(f32) -> f32;
    cos(f64) -> f64;
    cosf(f32) -> f32;
    sincos(f64, *mut f64, *mut f64) -> ();
    sincosf(f32, *mut f32, *mut f32) -> ();
    tan(f64) -> f64;
    tanf(f32) -> f32;
    asin(f64) -> f64;
    asinf(f32) -> f32;
    acos(f64) -> f64;
    acosf(f32) -> f32;
    atan(f64) -> f64;
    atanf(f32) -> f32;
    atan2(f64, f64) -> f64;
    atan2f(f32, f32) -> f32;
    sinh(f64) -> f64;
    sinhf(f32) -> f32;
    cosh(f64) -> f64;
    coshf(f32) -> f32;
    tanh(f64) -> f64;
    tanhf(f32) -> f32;
    asinh(f64) -> f64;
    asinhf(f32) -> f32;
    acosh(f64) -> f64;
    acoshf(f32) -> f32;
    atanh(f64) -> f64;
    atanhf(f32) -> f32;
    erf(f64) -> f64;
    erff(f32) -> f32;
    erfc(f64) -> f64;
    erfcf(f32) -> f32;
    tgamma(f64) -> f64;
    tgammaf(f32) -> f32;
    lgamma(f64) -> f64;
    lgammaf(f32) -> f32;
    hypot(f64, f64) -> f64;
    hypotf(f32, f32) -> f32;
    cbrt(f64) -> f64;
    cbrtf(f32) -> f32;
    remainder(f64, f64) -> f64;
    remainderf(f32, f32) -> f32;
    nextafter(f64, f64) -> f64;
    nextafterf(f32, f32) -> f32;
    ldexp(f64, c_int) -> f64;
    ldexpf(f32, c_int) -> f32;
}
