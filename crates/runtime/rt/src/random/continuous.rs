//! Continuous distributions, as the functions of `np.random` draw them.
//!
//! Sources: the polar method for normal numbers (G. Marsaglia); gamma by G. Marsaglia, W. Tsang, "A simple method for
//! generating gamma variables" (2000), and below 1 by J. Ahrens, U. Dieter (1974); beta by M. Jöhnk (1964); von Mises by
//! D. Best, N. Fisher (1979); inverse Gaussian by J. Michael, W. Schucany, R. Haas (1976); others by inversion. The order of
//! operations is NumPy's, so that the bits are.

use super::{Bits, Twister};
use crate::libm::{acos, cos, exp, log, log1p, pow};
use std::f64::consts::PI;

super::drawing_functions! {
    Twister;
    RandomUnit = unit() -> f64;
    RandomNormal = normal() -> f64;
    RandomExponential = exponential() -> f64;
    RandomGamma = gamma(shape: f64) -> f64;
    RandomBeta = beta(a: f64, b: f64) -> f64;
    RandomChisquare = chisquare(df: f64) -> f64;
    RandomNoncentralChisquare = noncentral_chisquare(df: f64, nonc: f64) -> f64;
    RandomF = f(dfnum: f64, dfden: f64) -> f64;
    RandomNoncentralF = noncentral_f(dfnum: f64, dfden: f64, nonc: f64) -> f64;
    RandomStandardCauchy = standard_cauchy() -> f64;
    RandomStandardT = standard_t(df: f64) -> f64;
    RandomPareto = pareto(a: f64) -> f64;
    RandomWeibull = weibull(a: f64) -> f64;
    RandomPower = power(a: f64) -> f64;
    RandomLaplace = laplace(loc: f64, scale: f64) -> f64;
    RandomGumbel = gumbel(loc: f64, scale: f64) -> f64;
    RandomLogistic = logistic(loc: f64, scale: f64) -> f64;
    RandomLognormal = lognormal(mean: f64, sigma: f64) -> f64;
    RandomRayleigh = rayleigh(scale: f64) -> f64;
    RandomWald = wald(mean: f64, scale: f64) -> f64;
    RandomTriangular = triangular(left: f64, mode: f64, right: f64) -> f64;
    RandomVonmises = vonmises(mu: f64, kappa: f64) -> f64;
}

fn unit(state: &mut Twister) -> f64 {
    state.unit()
}

/// Two numbers come at once; the second one waits for the next call.
pub(super) fn normal(state: &mut Twister) -> f64 {
    if state.has_spare != 0 {
        state.has_spare = 0;
        return std::mem::take(&mut state.spare);
    }
    loop {
        let x = 2.0 * state.unit() - 1.0;
        let y = 2.0 * state.unit() - 1.0;
        let square = x * x + y * y;
        if square < 1.0 && square != 0.0 {
            let factor = (-2.0 * log(square) / square).sqrt();
            (state.spare, state.has_spare) = (factor * x, 1);
            return factor * y;
        }
    }
}

fn exponential(state: &mut Twister) -> f64 {
    -log(1.0 - state.unit())
}

pub(super) fn gamma(state: &mut Twister, shape: f64) -> f64 {
    if shape == 1.0 {
        exponential(state)
    } else if shape == 0.0 {
        0.0
    } else if shape < 1.0 {
        small_gamma(state, shape)
    } else {
        let b = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * b).sqrt();
        loop {
            let x = normal(state);
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let (v, u) = (v * v * v, state.unit());
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + b * (1.0 - v + log(v)) {
                return b * v;
            }
        }
    }
}

fn small_gamma(state: &mut Twister, shape: f64) -> f64 {
    loop {
        let (u, v) = (state.unit(), exponential(state));
        if u <= 1.0 - shape {
            let x = pow(u, 1.0 / shape);
            if x <= v {
                return x;
            }
        } else {
            let y = -log((1.0 - u) / shape);
            let x = pow(1.0 - shape + shape * y, 1.0 / shape);
            if x <= v + y {
                return x;
            }
        }
    }
}

fn beta(state: &mut Twister, a: f64, b: f64) -> f64 {
    if a > 1.0 || b > 1.0 {
        let (x, y) = (gamma(state, a), gamma(state, b));
        return x / (x + y);
    }
    loop {
        let (u, v) = (state.unit(), state.unit());
        let (x, y) = (pow(u, 1.0 / a), pow(v, 1.0 / b));
        let sum = x + y;
        if sum > 1.0 || u + v <= 0.0 {
            continue;
        }
        if sum > 0.0 {
            return x / sum;
        }
        // Both are too small for a float: their logarithms are not.
        let (x, y) = (log(u) / a, log(v) / b);
        let most = if x > y { x } else { y };
        let (x, y) = (x - most, y - most);
        return exp(x - log(exp(x) + exp(y)));
    }
}

fn chisquare(state: &mut Twister, df: f64) -> f64 {
    2.0 * gamma(state, df / 2.0)
}

fn noncentral_chisquare(state: &mut Twister, df: f64, nonc: f64) -> f64 {
    if nonc == 0.0 {
        return chisquare(state, df);
    }
    if 1.0 < df {
        let square = chisquare(state, df - 1.0);
        let n = normal(state) + nonc.sqrt();
        return square + n * n;
    }
    let more = super::discrete::poisson(state, nonc / 2.0);
    let drawn = chisquare(state, df + 2.0 * more as f64);
    if nonc.is_nan() { f64::NAN } else { drawn }
}

fn f(state: &mut Twister, dfnum: f64, dfden: f64) -> f64 {
    let over = chisquare(state, dfnum) * dfden;
    over / (chisquare(state, dfden) * dfnum)
}

fn noncentral_f(state: &mut Twister, dfnum: f64, dfden: f64, nonc: f64) -> f64 {
    let over = noncentral_chisquare(state, dfnum, nonc) * dfden;
    over / (chisquare(state, dfden) * dfnum)
}

fn standard_cauchy(state: &mut Twister) -> f64 {
    let over = normal(state);
    over / normal(state)
}

fn standard_t(state: &mut Twister, df: f64) -> f64 {
    let over = normal(state);
    let under = gamma(state, df / 2.0);
    (df / 2.0).sqrt() * over / under.sqrt()
}

fn pareto(state: &mut Twister, a: f64) -> f64 {
    exp(exponential(state) / a) - 1.0
}

fn weibull(state: &mut Twister, a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { pow(exponential(state), 1.0 / a) }
}

fn power(state: &mut Twister, a: f64) -> f64 {
    pow(1.0 - exp(-exponential(state)), 1.0 / a)
}

fn laplace(state: &mut Twister, loc: f64, scale: f64) -> f64 {
    loop {
        let u = state.unit();
        if u >= 0.5 {
            return loc - scale * log(2.0 - u - u);
        } else if u > 0.0 {
            return loc + scale * log(u + u);
        }
    }
}

fn gumbel(state: &mut Twister, loc: f64, scale: f64) -> f64 {
    loop {
        let u = 1.0 - state.unit();
        if u < 1.0 {
            return loc - scale * log(-log(u));
        }
    }
}

fn logistic(state: &mut Twister, loc: f64, scale: f64) -> f64 {
    loop {
        let u = state.unit();
        if u > 0.0 {
            return loc + scale * log(u / (1.0 - u));
        }
    }
}

fn lognormal(state: &mut Twister, mean: f64, sigma: f64) -> f64 {
    exp(mean + sigma * normal(state))
}

fn rayleigh(state: &mut Twister, scale: f64) -> f64 {
    scale * (-2.0 * log1p(-state.unit())).sqrt()
}

fn wald(state: &mut Twister, mean: f64, scale: f64) -> f64 {
    let half = mean / (2.0 * scale);
    let y = normal(state);
    let y = mean * y * y;
    let x = mean + half * (y - (4.0 * scale * y + y * y).sqrt());
    if state.unit() <= mean / (mean + x) { x } else { mean * mean / x }
}

fn triangular(state: &mut Twister, left: f64, mode: f64, right: f64) -> f64 {
    let (base, before) = (right - left, mode - left);
    let u = state.unit();
    if u <= before / base {
        left + (u * (before * base)).sqrt()
    } else {
        right - ((1.0 - u) * ((right - mode) * base)).sqrt()
    }
}

fn vonmises(state: &mut Twister, mu: f64, kappa: f64) -> f64 {
    if kappa.is_nan() {
        return f64::NAN;
    }
    if kappa < 1e-8 {
        return PI * (2.0 * state.unit() - 1.0);
    }
    // Near 0 a series: there rho would vanish.
    let s = if kappa < 1e-5 {
        1.0 / kappa + kappa
    } else {
        let r = 1.0 + (1.0 + 4.0 * kappa * kappa).sqrt();
        let rho = (r - (2.0 * r).sqrt()) / (2.0 * kappa);
        (1.0 + rho * rho) / (2.0 * rho)
    };
    let w = loop {
        let z = cos(PI * state.unit());
        let w = (1.0 + s * z) / (s + z);
        let y = kappa * (s - w);
        let v = state.unit();
        if y * (2.0 - y) - v >= 0.0 || log(y / v) + 1.0 - y >= 0.0 {
            break w;
        }
    };
    let angle = if state.unit() < 0.5 { -acos(w) } else { acos(w) } + mu;
    let turned = (angle.abs() + PI) % (2.0 * PI) - PI;
    if angle < 0.0 { -turned } else { turned }
}
