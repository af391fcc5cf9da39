//! `hash` of numbers and the combination of hashes for tuples, as Python has them.
//!
//! Source: the Python library reference, "Hashing of numeric types": a rational number's hash is its
//! residue modulo the prime 2**61 - 1. Tuples combine hashes in the manner of xxHash (Y. Collet).

use crate::word_abi::runtime_functions;
use std::hash::{BuildHasher, Hasher, RandomState};

runtime_functions! {
    HashI64 = rumba_hash_i64: (value: i64) -> i64;
    HashU64 = rumba_hash_u64: (value: u64) -> i64;
    HashF64 = rumba_hash_f64: (value: f64) -> i64;
    HashC128 = rumba_hash_c128: (re: f64, im: f64) -> i64;
    HashCombine = rumba_hash_combine: (all: u64, item: i64) -> u64;
    HashFinish = rumba_hash_finish: (all: u64, count: u64) -> i64;
}

const BITS: u32 = 61;
const MODULUS: u64 = (1 << BITS) - 1;
const INFINITY: i64 = 314159;
const IMAGINARY: u64 = 1000003;

/// -1 stands for an error in Python and is no hash.
fn valid(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

extern "C" fn rumba_hash_i64(value: i64) -> i64 {
    let residue = (value.unsigned_abs() % MODULUS) as i64;
    valid(if value < 0 { -residue } else { residue })
}

extern "C" fn rumba_hash_u64(value: u64) -> i64 {
    (value % MODULUS) as i64
}

extern "C" fn rumba_hash_f64(value: f64) -> i64 {
    if value.is_nan() {
        return hash_of_nan();
    }
    if value.is_infinite() {
        return if value > 0.0 { INFINITY } else { -INFINITY };
    }
    if value == 0.0 {
        return 0;
    }
    // value = mantissa * 2**exponent; powers of two are rotations modulo 2**61 - 1.
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = match biased {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, biased - 1075),
    };
    let turns = exponent.rem_euclid(BITS as i32) as u32;
    let residue =
        if turns == 0 { mantissa } else { ((mantissa << turns) & MODULUS) | (mantissa >> (BITS - turns)) };
    let residue = (residue % MODULUS) as i64;
    valid(if value < 0.0 { -residue } else { residue })
}

/// In Python the hash of a NaN depends on the address of the object, so that many of them do not get into each other's way
/// in a table. Here there is no object, and each hash is another one.
fn hash_of_nan() -> i64 {
    valid(RandomState::new().build_hasher().finish().cast_signed())
}

extern "C" fn rumba_hash_c128(re: f64, im: f64) -> i64 {
    let (re, im) = (rumba_hash_f64(re).cast_unsigned(), rumba_hash_f64(im).cast_unsigned());
    valid(re.wrapping_add(IMAGINARY.wrapping_mul(im)).cast_signed())
}

const PRIME_1: u64 = 11400714785074694791;
const PRIME_2: u64 = 14029467366897019727;
const PRIME_5: u64 = 2870177450012600261;

/// One more item of a tuple. The first is combined with [`START`], the fifth prime of xxHash.
extern "C" fn rumba_hash_combine(all: u64, item: i64) -> u64 {
    let all = all.wrapping_add(item.cast_unsigned().wrapping_mul(PRIME_2));
    all.rotate_left(31).wrapping_mul(PRIME_1)
}

/// What the hash of a tuple starts from.
pub const START: u64 = PRIME_5;

/// The hash of a tuple of `count` items.
extern "C" fn rumba_hash_finish(all: u64, count: u64) -> i64 {
    let hash = all.wrapping_add(count ^ (PRIME_5 ^ 3527539)).cast_signed();
    if hash == -1 { 1546275796 } else { hash }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_equal_hashes() {
        for value in [0i64, 1, -1, 2, 1 << 40, -(1 << 52), (1 << 53) - 1] {
            assert_eq!(rumba_hash_i64(value), rumba_hash_f64(value as f64), "{value}");
        }
        assert_eq!(rumba_hash_f64(2f64.powi(63)), rumba_hash_u64(1 << 63));
        assert_eq!(rumba_hash_f64(0.5), 1 << 60);
        assert_eq!(rumba_hash_c128(-1.0, 0.0), -2);
    }

    #[test]
    fn nans_have_hashes_of_their_own() {
        assert_ne!(rumba_hash_f64(f64::NAN), rumba_hash_f64(f64::NAN));
    }
}
