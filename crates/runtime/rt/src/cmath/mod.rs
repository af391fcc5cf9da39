//! Functions of complex numbers.
//!
//! Branch cuts, signs of zeros and special values follow W. Kahan, "Branch cuts for complex
//! elementary functions, or: Much ado about nothing's sign bit", 1987, and annex G of the C
//! standard. Every function is computed so that no intermediate step overflows where the result
//! does not; T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and
//! arccosine functions using exception handling", 1997, explains the care that takes.
//!
//! A function gives its value and an [`Error`]. Compiled code calls the value alone and asks for the
//! error (`rumba_c..._error`: 0 none, 1 domain, 2 range) only if the value is not finite.

mod direct;
mod inverse;
mod power;
mod special;

use crate::word_abi::{Pair, Row, runtime_functions};
use abi::{Runtime, linked};

/// A complex number.
pub(crate) type Complex = Pair<f64, f64>;

/// What Python raises for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Error {
    /// Nothing.
    None,
    /// The argument has no image: ValueError.
    Domain,
    /// The image is beyond all doubles: OverflowError.
    Range,
}

/// A value without an error.
fn fine(re: f64, im: f64) -> (Complex, Error) {
    (Pair(re, im), Error::None)
}

/// A range error if a part is infinite.
fn checked(re: f64, im: f64) -> (Complex, Error) {
    let range = re.is_infinite() || im.is_infinite();
    (Pair(re, im), if range { Error::Range } else { Error::None })
}

macro_rules! functions {
    ($($name:ident $value:ident $error:ident = $path:path;)*) => {
        $(mod $name {
            use super::{Complex, Pair};
            pub(super) extern "C" fn value(re: f64, im: f64) -> Complex {
                $path(Pair(re, im)).0
            }
            pub(super) extern "C" fn error(re: f64, im: f64) -> i64 {
                $path(Pair(re, im)).1 as i64
            }
        })*

        const UNARY: &[Row] = &[$(
            (
                Runtime::$value,
                || linked!(Runtime::$value => $name::value, f64 f64),
                |words| {
                    let Pair(re, im) = $name::value(f64::from_bits(words[0]), f64::from_bits(words[1]));
                    [re.to_bits(), im.to_bits()]
                },
            ),
            (
                Runtime::$error,
                || linked!(Runtime::$error => $name::error, f64 f64),
                |words| [$name::error(f64::from_bits(words[0]), f64::from_bits(words[1])).cast_unsigned(), 0],
            ),
        )*];
    };
}

functions! {
    acos Cacos CacosError = super::inverse::acos;
    acosh Cacosh CacoshError = super::inverse::acosh;
    asin Casin CasinError = super::inverse::asin;
    asinh Casinh CasinhError = super::inverse::asinh;
    atan Catan CatanError = super::inverse::atan;
    atanh Catanh CatanhError = super::inverse::atanh;
    cos Ccos CcosError = super::direct::cos;
    cosh Ccosh CcoshError = super::direct::cosh;
    exp Cexp CexpError = super::direct::exp;
    log Clog ClogError = super::direct::log;
    log10 Clog10 Clog10Error = super::direct::log10;
    sin Csin CsinError = super::direct::sin;
    sinh Csinh CsinhError = super::direct::sinh;
    sqrt Csqrt CsqrtError = super::direct::sqrt;
    tan Ctan CtanError = super::direct::tan;
    tanh Ctanh CtanhError = super::direct::tanh;
    rect Crect CrectError = super::direct::rect;
}

runtime_functions! {
    ClogBase = log_base: (re: f64, im: f64, base_re: f64, base_im: f64) -> Complex;
    ClogBaseError = log_base_error: (re: f64, im: f64, base_re: f64, base_im: f64) -> i64;
    Cpow = power: (re: f64, im: f64, by_re: f64, by_im: f64) -> Complex;
    CpowError = power_error: (re: f64, im: f64, by_re: f64, by_im: f64) -> i64;
}

extern "C" fn log_base(re: f64, im: f64, base_re: f64, base_im: f64) -> Complex {
    power::log_base(Pair(re, im), Pair(base_re, base_im)).0
}

extern "C" fn log_base_error(re: f64, im: f64, base_re: f64, base_im: f64) -> i64 {
    power::log_base(Pair(re, im), Pair(base_re, base_im)).1 as i64
}

extern "C" fn power(re: f64, im: f64, by_re: f64, by_im: f64) -> Complex {
    power::power(Pair(re, im), Pair(by_re, by_im)).0
}

extern "C" fn power_error(re: f64, im: f64, by_re: f64, by_im: f64) -> i64 {
    power::power(Pair(re, im), Pair(by_re, by_im)).1 as i64
}

/// Every function of complex numbers.
pub(crate) fn table() -> impl Iterator<Item = &'static Row> {
    UNARY.iter().chain(TABLE)
}
