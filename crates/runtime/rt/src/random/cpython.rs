//! Distributions as CPython's module `random` draws them.
//!
//! Sources: the module's documentation and the papers that it names: normal numbers by A. Kinderman, J. Monahan (1977);
//! gamma by R. Cheng (1977) and, below 1, J. Ahrens, U. Dieter (1974); von Mises by D. Best, N. Fisher (1979). The order of
//! operations is CPython's, so that the bits are.

use super::{Bits, Twister};
use crate::libm::{acos, cos, exp, log, pow, sin};
use std::f64::consts::{E, PI};

super::drawing_functions! {
    Twister;
    RandomPythonGauss = gauss() -> f64;
    RandomPythonNormal = normal() -> f64;
    RandomPythonGamma = gamma(alpha: f64, scale: f64) -> f64;
    RandomPythonBeta = beta(alpha: f64, other: f64) -> f64;
    RandomPythonVonmises = vonmises(mu: f64, kappa: f64) -> f64;
    RandomPythonLognormal = lognormal(mu: f64, sigma: f64) -> f64;
    RandomPythonExponential = exponential() -> f64;
    RandomPythonPareto = pareto(alpha: f64) -> f64;
    RandomPythonWeibull = weibull(alpha: f64, shape: f64) -> f64;
    RandomPythonBelow = below(n: u64) -> u64;
    RandomPythonBits = bits(count: u64) -> u64;
}

fn gauss(state: &mut Twister) -> f64 {
    if state.has_spare != 0 {
        state.has_spare = 0;
        return std::mem::take(&mut state.spare);
    }
    let angle = state.unit() * (2.0 * PI);
    let radius = (-2.0 * log(1.0 - state.unit())).sqrt();
    (state.spare, state.has_spare) = (sin(angle) * radius, 1);
    cos(angle) * radius
}

fn normal(state: &mut Twister) -> f64 {
    let magic = 4.0 * exp(-0.5) / 2f64.sqrt();
    loop {
        let u = state.unit();
        let v = 1.0 - state.unit();
        let z = magic * (u - 0.5) / v;
        if z * z / 4.0 <= -log(v) {
            return z;
        }
    }
}

fn lognormal(state: &mut Twister, mu: f64, sigma: f64) -> f64 {
    exp(mu + normal(state) * sigma)
}

fn exponential(state: &mut Twister) -> f64 {
    -log(1.0 - state.unit())
}

fn gamma(state: &mut Twister, alpha: f64, beta: f64) -> f64 {
    if alpha > 1.0 {
        large_gamma(state, alpha) * beta
    } else if alpha == 1.0 {
        -log(1.0 - state.unit()) * beta
    } else {
        small_gamma(state, alpha) * beta
    }
}

fn large_gamma(state: &mut Twister, alpha: f64) -> f64 {
    let root = (2.0 * alpha - 1.0).sqrt();
    let (b, c) = (alpha - log(4.0), alpha + root);
    let magic = 1.0 + log(4.5);
    loop {
        let u = state.unit();
        if !(1e-7 < u && u < 0.9999999) {
            continue;
        }
        let other = 1.0 - state.unit();
        let v = log(u / (1.0 - u)) / root;
        let x = alpha * exp(v);
        let z = u * u * other;
        let r = b + c * v - x;
        if r + magic - 4.5 * z >= 0.0 || r >= log(z) {
            return x;
        }
    }
}

fn small_gamma(state: &mut Twister, alpha: f64) -> f64 {
    loop {
        let b = (E + alpha) / E;
        let p = b * state.unit();
        let x = if p <= 1.0 { pow(p, 1.0 / alpha) } else { -log((b - p) / alpha) };
        let limit = state.unit();
        if p > 1.0 && limit <= pow(x, alpha - 1.0) || p <= 1.0 && limit <= exp(-x) {
            return x;
        }
    }
}

fn beta(state: &mut Twister, alpha: f64, beta: f64) -> f64 {
    let y = gamma(state, alpha, 1.0);
    if y == 0.0 { 0.0 } else { y / (y + gamma(state, beta, 1.0)) }
}

fn vonmises(state: &mut Twister, mu: f64, kappa: f64) -> f64 {
    let turn = 2.0 * PI;
    if kappa <= 1e-6 {
        return turn * state.unit();
    }
    let s = 0.5 / kappa;
    let r = s + (1.0 + s * s).sqrt();
    let z = loop {
        let z = cos(PI * state.unit());
        let d = z / (r + z);
        let u = state.unit();
        if u < 1.0 - d * d || u <= (1.0 - d) * exp(d) {
            break z;
        }
    };
    let q = 1.0 / r;
    let f = (q + z) / (1.0 + q * z);
    let angle = if state.unit() > 0.5 { mu + acos(f) } else { mu - acos(f) };
    let rest = angle % turn;
    if rest < 0.0 { rest + turn } else { rest }
}

fn pareto(state: &mut Twister, alpha: f64) -> f64 {
    pow(1.0 - state.unit(), -1.0 / alpha)
}

fn weibull(state: &mut Twister, alpha: f64, beta: f64) -> f64 {
    let u = 1.0 - state.unit();
    alpha * pow(-log(u), 1.0 / beta)
}

/// A random integer of this many bits, at most 64.
fn bits(state: &mut Twister, count: u64) -> u64 {
    match count {
        0 => 0,
        1..=32 => u64::from(state.word() >> (32 - count)),
        _ => {
            let low = u64::from(state.word());
            low | u64::from(state.word() >> (64 - count.min(64))) << 32
        }
    }
}

/// An integer from 0 on and below another one; 0 stands for 2**64.
fn below(state: &mut Twister, n: u64) -> u64 {
    if n == 0 {
        // Of 65 bits the highest one must not be set.
        loop {
            let drawn = bits(state, 64);
            if state.word() >> 31 == 0 {
                return drawn;
            }
        }
    }
    let count = u64::from(u64::BITS - n.leading_zeros());
    if count <= 32 {
        return u64::from(state.first_below(32 - count as u32, u32::MAX, (n - 1) as u32));
    }
    loop {
        let drawn = bits(state, count);
        if drawn < n {
            return drawn;
        }
    }
}
