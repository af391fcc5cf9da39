//! Values at infinities and NaN, one table per function.
//!
//! Rows are the real part: -inf, negative, -0, 0, positive, inf, NaN; columns the imaginary part in
//! the same order. A cell is the real and the imaginary part of the value, a letter each. Cells of
//! finite numbers are never looked at. Source: annex G of the C standard.

use super::Complex;
use crate::word_abi::Pair;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Seven rows of seven cells of two letters.
pub(crate) type Table = [&'static str; 7];

/// The row or column of a part.
fn kind(part: f64) -> usize {
    let negative = part.is_sign_negative();
    match part {
        _ if part.is_nan() => 6,
        _ if part.is_infinite() => {
            if negative {
                0
            } else {
                5
            }
        }
        _ if part == 0.0 => {
            if negative {
                2
            } else {
                3
            }
        }
        _ => {
            if negative {
                1
            } else {
                4
            }
        }
    }
}

fn number(letter: u8) -> f64 {
    let size = match letter.to_ascii_lowercase() {
        b'0' | b'z' => 0.0,
        b'1' | b'm' => 1.0,
        b'p' => PI,
        b'h' => FRAC_PI_2,
        b'q' => FRAC_PI_4,
        b't' => 3.0 * FRAC_PI_4,
        b'i' | b'j' => f64::INFINITY,
        _ => f64::NAN,
    };
    let negative = matches!(letter, b'z' | b'm' | b'j' | b'P' | b'H' | b'Q' | b'T');
    if negative { -size } else { size }
}

/// The value for an argument with a part that is not finite.
pub(crate) fn look_up(table: &Table, re: f64, im: f64) -> Complex {
    let (row, column) = (table[kind(re)].as_bytes(), kind(im));
    Pair(number(row[3 * column]), number(row[3 * column + 1]))
}

/// Arc cosine.
pub(crate) const ACOS: Table = [
    "ti pi pi pj pj tj ni",
    "hi .. .. .. .. hj nn",
    "hi .. .. .. .. hj hn",
    "hi .. .. .. .. hj hn",
    "hi .. .. .. .. hj nn",
    "qi 0i 0i 0j 0j qj ni",
    "ni nn nn nn nn nj nn",
];

/// Inverse hyperbolic cosine.
pub(crate) const ACOSH: Table = [
    "iT iP iP ip ip it in",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ iz iz i0 i0 iq in",
    "in nn nn nn nn in nn",
];

/// Inverse hyperbolic sine.
pub(crate) const ASINH: Table = [
    "jQ jz jz j0 j0 jq jn",
    "jH .. .. .. .. jh nn",
    "jH .. .. .. .. jh nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ iz iz i0 i0 iq in",
    "in nn nz n0 nn in nn",
];

/// Inverse hyperbolic tangent.
pub(crate) const ATANH: Table = [
    "zH zH zH zh zh zh zn",
    "zH .. .. .. .. zh nn",
    "zH .. .. .. .. zh zn",
    "0H .. .. .. .. 0h 0n",
    "0H .. .. .. .. 0h nn",
    "0H 0H 0H 0h 0h 0h 0n",
    "0H nn nn nn nn 0h nn",
];

/// Hyperbolic cosine.
pub(crate) const COSH: Table = [
    "in ii i0 iz ij in in",
    "nn .. .. .. .. nn nn",
    "n0 .. .. .. .. n0 n0",
    "n0 .. .. .. .. n0 n0",
    "nn .. .. .. .. nn nn",
    "in ij iz i0 ii in in",
    "nn nn n0 n0 nn nn nn",
];

/// Exponential function.
pub(crate) const EXP: Table = [
    "00 0z 0z 00 00 00 00",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "in ij iz i0 ii in in",
    "nn nn nz n0 nn nn nn",
];

/// Natural logarithm.
pub(crate) const LOG: Table = [
    "iT iP iP ip ip it in",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ iz iz i0 i0 iq in",
    "in nn nn nn nn in nn",
];

/// Hyperbolic sine.
pub(crate) const SINH: Table = [
    "in jj jz j0 ji in in",
    "nn .. .. .. .. nn nn",
    "0n .. .. .. .. 0n 0n",
    "0n .. .. .. .. 0n 0n",
    "nn .. .. .. .. nn nn",
    "in ij iz i0 ii in in",
    "nn nn nz n0 nn nn nn",
];

/// Square root.
pub(crate) const SQRT: Table = [
    "ij 0j 0j 0i 0i ii ni",
    "ij .. .. .. .. ii nn",
    "ij .. .. .. .. ii nn",
    "ij .. .. .. .. ii nn",
    "ij .. .. .. .. ii nn",
    "ij iz iz i0 i0 ii in",
    "ij nn nn nn nn ii nn",
];

/// Hyperbolic tangent.
pub(crate) const TANH: Table = [
    "m0 mz mz m0 m0 m0 m0",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "nn .. .. .. .. nn nn",
    "10 1z 1z 10 10 10 10",
    "nn nn nz n0 nn nn nn",
];

/// The number of a modulus and an argument.
pub(crate) const RECT: Table = [
    "in ji j0 jz jj in in",
    "nn .. .. .. .. nn nn",
    "00 .. .. .. .. 00 00",
    "00 .. .. .. .. 00 00",
    "nn .. .. .. .. nn nn",
    "in ij iz i0 ii in in",
    "nn nn n0 n0 nn nn nn",
];
