//! The C library's mathematical functions, which the runtime's own functions build on.

#[link(name = "m")]
unsafe extern "C" {
    pub(crate) safe fn acos(x: f64) -> f64;
    pub(crate) safe fn asinh(x: f64) -> f64;
    pub(crate) safe fn atan2(y: f64, x: f64) -> f64;
    pub(crate) safe fn cos(x: f64) -> f64;
    pub(crate) safe fn cosh(x: f64) -> f64;
    pub(crate) safe fn exp(x: f64) -> f64;
    pub(crate) safe fn hypot(x: f64, y: f64) -> f64;
    pub(crate) safe fn ldexp(x: f64, exponent: i32) -> f64;
    pub(crate) safe fn log(x: f64) -> f64;
    pub(crate) safe fn log1p(x: f64) -> f64;
    pub(crate) safe fn pow(x: f64, y: f64) -> f64;
    pub(crate) safe fn sin(x: f64) -> f64;
    pub(crate) safe fn sinh(x: f64) -> f64;
    pub(crate) safe fn tan(x: f64) -> f64;
    pub(crate) safe fn tanh(x: f64) -> f64;
}

/// The square root, by the processor.
pub(crate) fn sqrt_of(x: f64) -> f64 {
    x.sqrt()
}
