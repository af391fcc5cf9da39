//! Discrete distributions, as the functions of `np.random` draw them.
//!
//! Sources: Poisson by D. Knuth's product below 10 and above by W. Hörmann, "The transformed rejection method for generating
//! Poisson random variables" (1993); binomial by inversion and by V. Kachitvichyanukul, B. Schmeiser, "Binomial random
//! variate generation" (1988), whose steps have numbers here; zipf and logarithmic series by L. Devroye, "Non-uniform random
//! variate generation" (1986), and A. Kemp (1981); hypergeometric by E. Stadlober's ratio of uniforms (HRUA). The order
//! of operations is NumPy's, so that the bits are.

use super::continuous::gamma;
use super::{Bits, Twister};
use crate::libm::{exp, log, log1p, pow};

super::drawing_functions! {
    Twister;
    RandomPoisson = poisson(mean: f64) -> i64;
    RandomBinomial = binomial(n: i64, p: f64) -> i64;
    RandomNegativeBinomial = negative_binomial(n: f64, p: f64) -> i64;
    RandomGeometric = geometric(p: f64) -> i64;
    RandomZipf = zipf(a: f64) -> i64;
    RandomLogseries = logseries(p: f64) -> i64;
    RandomHypergeometric = hypergeometric(good: i64, bad: i64, sample: i64) -> i64;
}

pub(super) fn poisson(state: &mut Twister, mean: f64) -> i64 {
    if mean >= 10.0 {
        large_poisson(state, mean)
    } else if mean == 0.0 {
        0
    } else {
        let (least, mut product, mut count) = (exp(-mean), 1.0, 0);
        loop {
            product *= state.unit();
            if product <= least || product.is_nan() || least.is_nan() {
                return count;
            }
            count += 1;
        }
    }
}

fn large_poisson(state: &mut Twister, mean: f64) -> i64 {
    let (root, log_mean) = (mean.sqrt(), log(mean));
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let limit = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = state.unit() - 0.5;
        let v = state.unit();
        let near = 0.5 - u.abs();
        let k = ((2.0 * a / near + b) * u + mean + 0.43).floor() as i64;
        if near >= 0.07 && v <= limit {
            return k;
        }
        if k < 0 || near < 0.013 && v > near {
            continue;
        }
        let probable = -mean + k as f64 * log_mean - log_gamma((k + 1) as f64);
        if log(v) + log(inverse) - log(a / (near * near) + b) <= probable {
            return k;
        }
    }
}

/// The logarithm of the gamma function by Stirling's series.
fn log_gamma(x: f64) -> f64 {
    const SERIES: [f64; 10] = [
        8.333333333333333e-02,
        -2.777777777777778e-03,
        7.936507936507937e-04,
        -5.952380952380952e-04,
        8.417508417508418e-04,
        -1.917526917526918e-03,
        6.410256410256410e-03,
        -2.955065359477124e-02,
        1.796443723688307e-01,
        -1.39243221690590e+00,
    ];
    const LOG_TWO_PI: f64 = 1.8378770664093453;
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    // The series is for large numbers: small ones are moved up.
    let moved = if x < 7.0 { (7.0 - x) as i64 } else { 0 };
    let mut large = x + moved as f64;
    let square = (1.0 / large) * (1.0 / large);
    let mut sum = SERIES[9];
    for &coefficient in SERIES[..9].iter().rev() {
        sum *= square;
        sum += coefficient;
    }
    let mut result = sum / large + 0.5 * LOG_TWO_PI + (large - 0.5) * log(large) - large;
    for _ in 0..moved {
        result -= log(large - 1.0);
        large -= 1.0;
    }
    result
}

fn binomial(state: &mut Twister, n: i64, p: f64) -> i64 {
    // A number is drawn for no tries, too, and for those that never succeed.
    let one = |state: &mut Twister, p: f64| {
        if p * n as f64 <= 30.0 { binomial_by_inversion(state, n, p) } else { Btpe::new(n, p).draw(state) }
    };
    if p <= 0.5 { one(state, p) } else { n - one(state, 1.0 - p) }
}

fn binomial_by_inversion(state: &mut Twister, n: i64, p: f64) -> i64 {
    let q = 1.0 - p;
    let none = exp(n as f64 * log1p(-p));
    let mean = n as f64 * p;
    let bound = (n as f64).min(mean + 10.0 * (mean * q + 1.0).sqrt()) as i64;
    let (mut count, mut probable, mut u) = (0, none, state.unit());
    while u > probable {
        count += 1;
        if count > bound {
            (count, probable, u) = (0, none, state.unit());
        } else {
            u -= probable;
            probable = ((n - count + 1) as f64 * p * probable) / (count as f64 * q);
        }
    }
    count
}

/// What the algorithm BTPE computes before it draws.
struct Btpe {
    n: i64,
    r: f64,
    q: f64,
    m: i64,
    p: [f64; 4],
    xm: f64,
    xl: f64,
    xr: f64,
    c: f64,
    left: f64,
    right: f64,
}

impl Btpe {
    fn new(n: i64, p: f64) -> Btpe {
        let count = n as f64;
        let r = p.min(1.0 - p);
        let q = 1.0 - r;
        let fm = count * r + r;
        let m = fm.floor() as i64;
        let p1 = (2.195 * (count * r * q).sqrt() - 4.6 * q).floor() + 0.5;
        let xm = m as f64 + 0.5;
        let (xl, xr) = (xm - p1, xm + p1);
        let c = 0.134 + 20.5 / (15.3 + m as f64);
        let a = (fm - xl) / (fm - xl * r);
        let left = a * (1.0 + a / 2.0);
        let a = (xr - fm) / (xr * q);
        let right = a * (1.0 + a / 2.0);
        let p2 = p1 * (1.0 + 2.0 * c);
        let p3 = p2 + c / left;
        let p4 = p3 + c / right;
        Btpe { n, r, q, m, p: [p1, p2, p3, p4], xm, xl, xr, c, left, right }
    }

    fn draw(&self, state: &mut Twister) -> i64 {
        loop {
            // Step 10.
            let u = state.unit() * self.p[3];
            let v = state.unit();
            let (y, v) = if u <= self.p[0] {
                return (self.xm - self.p[0] * v + u).floor() as i64;
            } else if u <= self.p[1] {
                // Step 20.
                let x = self.xl + (u - self.p[0]) / self.c;
                let v = v * self.c + 1.0 - (self.m as f64 - x + 0.5).abs() / self.p[0];
                if v > 1.0 {
                    continue;
                }
                (x.floor() as i64, v)
            } else if u <= self.p[2] {
                // Step 30.
                let y = (self.xl + log(v) / self.left).floor() as i64;
                if y < 0 || v == 0.0 {
                    continue;
                }
                (y, v * (u - self.p[1]) * self.left)
            } else {
                // Step 40.
                let y = (self.xr - log(v) / self.right).floor() as i64;
                if y > self.n || v == 0.0 {
                    continue;
                }
                (y, v * (u - self.p[2]) * self.right)
            };
            if self.takes(y, v) {
                return y;
            }
        }
    }

    /// Step 50: whether a candidate stays.
    fn takes(&self, y: i64, v: f64) -> bool {
        let k = (y - self.m).abs();
        let variance = self.n as f64 * self.r * self.q;
        if k > 20 && (k as f64) < variance / 2.0 - 1.0 {
            return self.takes_far(y, v, k, variance);
        }
        let s = self.r / self.q;
        let a = s * (self.n + 1) as f64;
        let mut limit = 1.0;
        for i in self.m + 1..=y {
            limit *= a / i as f64 - s;
        }
        for i in y + 1..=self.m {
            limit /= a / i as f64 - s;
        }
        v <= limit
    }

    /// Step 52: by squeezing, then by Stirling's formula.
    fn takes_far(&self, y: i64, v: f64, k: i64, variance: f64) -> bool {
        let (n, m) = (self.n, self.m);
        let far = k as f64;
        let rho = (far / variance) * ((far * (far / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
        let t = -(k.wrapping_mul(k)) as f64 / (2.0 * variance);
        let found = log(v);
        if found < t - rho {
            return true;
        }
        if found > t + rho {
            return false;
        }
        let (x1, f1, z, w) = ((y + 1) as f64, (m + 1) as f64, (n + 1 - m) as f64, (n - y + 1) as f64);
        let series = |x: f64| {
            let square = x * x;
            (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x / 166320.
        };
        let limit = self.xm * log(f1 / x1)
            + ((n - m) as f64 + 0.5) * log(z / w)
            + (y - m) as f64 * log(w * self.r / (x1 * self.q))
            + series(f1)
            + series(z)
            + series(x1)
            + series(w);
        found <= limit
    }
}

fn negative_binomial(state: &mut Twister, n: f64, p: f64) -> i64 {
    let mean = (1.0 - p) / p * gamma(state, n);
    poisson(state, mean)
}

fn geometric(state: &mut Twister, p: f64) -> i64 {
    if p < 0.333333333333333333333333 {
        return (log1p(-state.unit()) / log(1.0 - p)).ceil() as i64;
    }
    let (q, u) = (1.0 - p, state.unit());
    let (mut count, mut product, mut sum) = (1, p, p);
    while u > sum {
        product *= q;
        sum += product;
        count += 1;
    }
    count
}

fn zipf(state: &mut Twister, a: f64) -> i64 {
    let less = a - 1.0;
    let b = pow(2.0, less);
    loop {
        let u = 1.0 - state.unit();
        let v = state.unit();
        let x = pow(u, -1.0 / less).floor();
        // The compared float is 2**63: what is not below it fits no integer.
        if x > i64::MAX as f64 || x < 1.0 {
            continue;
        }
        let t = pow(1.0 + 1.0 / x, less);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b {
            return x as i64;
        }
    }
}

fn logseries(state: &mut Twister, p: f64) -> i64 {
    let r = log1p(-p);
    loop {
        let v = state.unit();
        if v >= p {
            return 1;
        }
        let q = 1.0 - exp(r * state.unit());
        if v <= q * q {
            let result = (1.0 + log(v) / log(q)).floor() as i64;
            if result < 1 || v == 0.0 {
                continue;
            }
            return result;
        }
        return if v >= q { 1 } else { 2 };
    }
}

fn hypergeometric(state: &mut Twister, good: i64, bad: i64, sample: i64) -> i64 {
    match sample {
        11.. => hypergeometric_by_ratio(state, good, bad, sample),
        1.. => hypergeometric_one_by_one(state, good, bad, sample),
        _ => 0,
    }
}

fn hypergeometric_one_by_one(state: &mut Twister, good: i64, bad: i64, sample: i64) -> i64 {
    let others = bad + good - sample;
    let fewer = good.min(bad) as f64;
    let (mut left, mut k) = (fewer, sample);
    while left > 0.0 {
        let u = state.unit();
        left -= (u + left / (others + k) as f64).floor();
        k -= 1;
        if k == 0 {
            break;
        }
    }
    let taken = (fewer - left) as i64;
    if good > bad { sample - taken } else { taken }
}

fn hypergeometric_by_ratio(state: &mut Twister, good: i64, bad: i64, sample: i64) -> i64 {
    // 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e).
    const SLOPE: f64 = 1.7155277699214135;
    const SHIFT: f64 = 0.8989161620588988;
    let (fewer, more, all) = (good.min(bad), good.max(bad), good + bad);
    let m = sample.min(all - sample);
    let d4 = fewer as f64 / all as f64;
    let d5 = 1.0 - d4;
    let d6 = m as f64 * d4 + 0.5;
    let d7 = ((all - m) as f64 * sample as f64 * d4 * d5 / (all - 1) as f64 + 0.5).sqrt();
    let d8 = SLOPE * d7 + SHIFT;
    let d9 = ((m + 1) as f64 * (fewer + 1) as f64 / (all + 2) as f64).floor() as i64;
    let weight = |at: i64| {
        log_gamma((at + 1) as f64)
            + log_gamma((fewer - at + 1) as f64)
            + log_gamma((m - at + 1) as f64)
            + log_gamma((more - m + at + 1) as f64)
    };
    let d10 = weight(d9);
    let end = (m.min(fewer) as f64 + 1.0).min((d6 + 16.0 * d7).floor());
    let drawn = loop {
        let x = state.unit();
        let y = state.unit();
        let w = d6 + d8 * (y - 0.5) / x;
        if w < 0.0 || w >= end {
            continue;
        }
        let z = w.floor() as i64;
        let t = d10 - weight(z);
        if x * (4.0 - x) - 3.0 <= t {
            break z;
        }
        if x * (x - t) >= 1.0 {
            continue;
        }
        if 2.0 * log(x) <= t {
            break z;
        }
    };
    let drawn = if good > bad { m - drawn } else { drawn };
    if m < sample { good - drawn } else { drawn }
}
