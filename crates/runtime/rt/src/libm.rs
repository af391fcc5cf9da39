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
    fn sincos(x: f64, sin: *mut f64, cos: *mut f64);
    pub(crate) safe fn tan(x: f64) -> f64;
    pub(crate) safe fn tanh(x: f64) -> f64;
}

/// The square root, by the processor.
pub(crate) fn sqrt_of(x: f64) -> f64 {
    x.sqrt()
}

/// The sine and the cosine, to the bit, in little more than the time of one.
pub(crate) fn sine_and_cosine(x: f64) -> (f64, f64) {
    let (mut sin, mut cos) = (0.0, 0.0);
    // SAFETY: both are written to, and nothing else is.
    unsafe { sincos(x, &mut sin, &mut cos) };
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_those_of_one_alone() {
        let numbers = (0..20_000).map(|at| f64::from(at * at - 77) * 0.037);
        for x in numbers.chain([0.0, -0.0, 1e-300, 1e22, -1e300, f64::MAX, f64::INFINITY, f64::NAN]) {
            let (one, other) = sine_and_cosine(x);
            assert_eq!([one.to_bits(), other.to_bits()], [sin(x).to_bits(), cos(x).to_bits()], "{x}");
        }
    }
}
