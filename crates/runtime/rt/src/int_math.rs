//! Functions of integers: greatest common divisors, modular powers, square roots, combinations.
//!
//! A function that can fail gives its result and a code: 0 is success, what another number means
//! is said at the function.

use crate::word_abi::{Pair, runtime_functions};

runtime_functions! {
    Gcd = rumba_gcd: (a: u64, b: u64) -> u64;
    Isqrt = rumba_isqrt: (n: u64) -> u64;
    PowMod = rumba_pow_mod: (base: i64, exponent: i64, modulus: i64) -> Pair<i64, i64>;
    PowModU64 = rumba_pow_mod_u64: (base: u64, exponent: u64, modulus: u64) -> u64;
    Factorial = rumba_factorial: (n: i64) -> Pair<i64, i64>;
    Comb = rumba_comb: (n: i64, k: i64) -> Pair<i64, i64>;
    Perm = rumba_perm: (n: i64, k: i64) -> Pair<i64, i64>;
    Lcm = rumba_lcm: (a: u64, b: u64) -> Pair<i64, i64>;
    LcmWrapping = rumba_lcm_wrapping: (a: u64, b: u64) -> u64;
    RoundInt = rumba_round_int: (value: i64, digits: i64) -> Pair<i64, i64>;
    RoundUnsigned = rumba_round_unsigned: (value: u64, digits: i64) -> Pair<u64, i64>;
}

/// The greatest common divisor; of 0 and 0 it is 0.
pub(crate) extern "C" fn rumba_gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    // Binary algorithm: J. Stein, "Computational problems associated with Racah algebra", 1967.
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

/// The least common multiple; code 1 if it does not fit int64.
extern "C" fn rumba_lcm(a: u64, b: u64) -> Pair<i64, i64> {
    if a == 0 || b == 0 {
        return Pair(0, 0);
    }
    fitting(u128::from(a / rumba_gcd(a, b)) * u128::from(b))
}

/// The least common multiple modulo 2^64.
extern "C" fn rumba_lcm_wrapping(a: u64, b: u64) -> u64 {
    a.checked_div(rumba_gcd(a, b)).unwrap_or(0).wrapping_mul(b)
}

fn fitting(value: u128) -> Pair<i64, i64> {
    match i64::try_from(value) {
        Ok(value) => Pair(value, 0),
        Err(_) => Pair(0, 1),
    }
}

/// The integer part of the square root.
extern "C" fn rumba_isqrt(n: u64) -> u64 {
    n.isqrt()
}

/// `pow(base, exponent, modulus)`: code 1 if the modulus is 0, 2 if a negative exponent needs the
/// inverse of a base that has none.
extern "C" fn rumba_pow_mod(base: i64, exponent: i64, modulus: i64) -> Pair<i64, i64> {
    if modulus == 0 {
        return Pair(0, 1);
    }
    let size = modulus.unsigned_abs();
    let mut reduced = i128::from(base).rem_euclid(i128::from(size)) as u64;
    if exponent < 0 {
        match inverse(reduced, size) {
            Some(inverse) => reduced = inverse,
            None => return Pair(0, 2),
        }
    }
    let power = rumba_pow_mod_u64(reduced, exponent.unsigned_abs(), size);
    // The result has the sign of the modulus.
    let signed =
        if modulus < 0 && power != 0 { i128::from(power) - i128::from(size) } else { i128::from(power) };
    Pair(signed as i64, 0)
}

/// The same without signs; 0 if the modulus is 0.
extern "C" fn rumba_pow_mod_u64(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    if modulus == 0 {
        return 0;
    }
    let product = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64;
    let (mut power, mut square) = (1 % modulus, base % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = product(power, square);
        }
        square = product(square, square);
        exponent >>= 1;
    }
    power
}

/// The inverse of `a` modulo `m` by the extended Euclidean algorithm.
fn inverse(a: u64, m: u64) -> Option<u64> {
    let (mut old, mut rest) = (i128::from(a), i128::from(m));
    let (mut factor, mut next) = (1i128, 0i128);
    while rest != 0 {
        let quotient = old / rest;
        (old, rest) = (rest, old - quotient * rest);
        (factor, next) = (next, factor - quotient * next);
    }
    (old == 1).then(|| factor.rem_euclid(i128::from(m)) as u64)
}

/// `n!`: code 1 if it does not fit int64, 2 if n is negative.
extern "C" fn rumba_factorial(n: i64) -> Pair<i64, i64> {
    if n < 0 {
        return Pair(0, 2);
    }
    if n > 20 {
        return Pair(0, 1);
    }
    Pair((1..=n).product(), 0)
}

/// Ways to choose k of n: code 1 if the number does not fit int64, 2 if n is negative, 3 if k is.
extern "C" fn rumba_comb(n: i64, k: i64) -> Pair<i64, i64> {
    if n < 0 || k < 0 {
        return Pair(0, if n < 0 { 2 } else { 3 });
    }
    if k > n {
        return Pair(0, 0);
    }
    let k = k.min(n - k);
    let mut ways: u128 = 1;
    for i in 1..=k {
        // The product of i consecutive factors is divisible by i!.
        ways = ways * (n - k + i) as u128 / i as u128;
        if ways > i64::MAX as u128 {
            return Pair(0, 1);
        }
    }
    fitting(ways)
}

/// Ways to arrange k of n: codes as for `rumba_comb`.
extern "C" fn rumba_perm(n: i64, k: i64) -> Pair<i64, i64> {
    if n < 0 || k < 0 {
        return Pair(0, if n < 0 { 2 } else { 3 });
    }
    if k > n {
        return Pair(0, 0);
    }
    let mut ways: u128 = 1;
    for factor in n - k + 1..=n {
        ways *= factor as u128;
        if ways > i64::MAX as u128 {
            return Pair(0, 1);
        }
    }
    fitting(ways)
}

/// An integer rounded to 10 to the power of `-digits`, ties to even; code 1 if the result does not fit int64.
extern "C" fn rumba_round_int(value: i64, digits: i64) -> Pair<i64, i64> {
    match i64::try_from(rounded(i128::from(value), digits)) {
        Ok(value) => Pair(value, 0),
        Err(_) => Pair(0, 1),
    }
}

/// The same of an integer without a sign; code 1 if the result does not fit uint64.
extern "C" fn rumba_round_unsigned(value: u64, digits: i64) -> Pair<u64, i64> {
    match u64::try_from(rounded(i128::from(value), digits)) {
        Ok(value) => Pair(value, 0),
        Err(_) => Pair(0, 1),
    }
}

fn rounded(value: i128, digits: i64) -> i128 {
    if digits >= 0 {
        return value;
    }
    if digits < -20 {
        return 0;
    }
    let unit = 10i128.pow(digits.unsigned_abs() as u32);
    let (down, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let up = rest * 2 > unit || rest * 2 == unit && down % 2 != 0;
    (down + i128::from(up)) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modular_powers_follow_the_sign_of_the_modulus() {
        assert_eq!(rumba_pow_mod(3, 5, 7), Pair(5, 0));
        assert_eq!(rumba_pow_mod(3, 5, -7), Pair(-2, 0));
        assert_eq!(rumba_pow_mod(3, -1, 7), Pair(5, 0));
        assert_eq!(rumba_pow_mod(2, -1, 4), Pair(0, 2));
        assert_eq!(rumba_pow_mod(2, 1, 0), Pair(0, 1));
        assert_eq!(rumba_pow_mod(i64::MIN, i64::MAX, i64::MIN), Pair(0, 0));
    }

    #[test]
    fn combinations_notice_what_does_not_fit() {
        assert_eq!(rumba_comb(66, 33), Pair(7219428434016265740, 0));
        assert_eq!(rumba_comb(67, 33), Pair(0, 1));
        assert_eq!(rumba_comb(i64::MAX, 1), Pair(i64::MAX, 0));
        assert_eq!(rumba_perm(20, 20), rumba_factorial(20));
        assert_eq!(rumba_factorial(21), Pair(0, 1));
        assert_eq!(rumba_lcm(1 << 40, 3), Pair(3 << 40, 0));
        assert_eq!(rumba_lcm_wrapping(1 << 63, 3), 1 << 63);
        assert_eq!(rumba_lcm_wrapping(0, 0), 0);
    }

    #[test]
    fn integers_round_half_to_even() {
        for (value, expected) in [(25, 20), (35, 40), (-25, -20), (26, 30), (-26, -30), (4, 0)] {
            assert_eq!(rumba_round_int(value, -1), Pair(expected, 0));
        }
        assert_eq!(rumba_round_int(i64::MAX, -1), Pair(0, 1));
        assert_eq!(rumba_round_int(i64::MIN, -20), Pair(0, 0));
        assert_eq!(rumba_round_unsigned(u64::MAX - 1, -2), Pair(18446744073709551600, 0));
        assert_eq!(rumba_round_unsigned(u64::MAX, -1), Pair(0, 1));
    }
}
