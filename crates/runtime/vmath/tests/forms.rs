//! All forms of a function give the same bits, and what C's standard says of special values holds. How exact the
//! functions are is measured in tests/python/test_mathematics.py.

use std::f64::consts::{FRAC_PI_2, PI};

fn call(name: &str, args: &[f64]) -> f64 {
    vmath::call(name, args).unwrap()
}

#[test]
fn special_values() {
    let inf = f64::INFINITY;
    let table: &[(&str, &[f64], f64)] = &[
        ("exp", &[0.0], 1.0),
        ("exp", &[-inf], 0.0),
        ("exp", &[710.0], inf),
        ("exp2", &[-1074.0], 5e-324),
        ("expm1", &[-0.0], -0.0),
        ("log", &[0.0], -inf),
        ("log", &[inf], inf),
        ("log2", &[5e-324], -1074.0),
        ("log10", &[1e22], 22.0),
        ("log1p", &[-1.0], -inf),
        ("sin", &[-0.0], -0.0),
        ("tanh", &[-inf], -1.0),
        ("pow", &[-2.0, 3.0], -8.0),
        ("pow", &[-0.0, -3.0], -inf),
        ("pow", &[f64::NAN, 0.0], 1.0),
        ("pow", &[-1.0, inf], 1.0),
        ("pow", &[5e-324, 0.5], 2.2227587494850775e-162),
        ("pow", &[5e-324, 1e308], 0.0),
        ("pow", &[2.0, -1074.0], 5e-324),
        ("pow", &[2.0, 1023.0], 8.98846567431158e307),
        ("exp", &[-745.0], 5e-324),
        ("exp", &[1.0], std::f64::consts::E),
        ("atan2", &[0.0, -0.0], PI),
        ("atan2", &[5e-324, 1.0], 5e-324),
        ("atan2", &[-inf, 1.0], -FRAC_PI_2),
        ("hypot", &[-inf, f64::NAN], inf),
        ("hypot", &[3e-320, 4e-320], 5e-320),
        ("cbrt", &[-27.0], -3.0),
        ("erf", &[inf], 1.0),
        ("atanh", &[-1.0], -inf),
    ];
    for &(name, args, expected) in table {
        let found = call(name, args);
        assert_eq!(found.to_bits(), expected.to_bits(), "{name}{args:?} is {found}");
    }
    for (name, x) in
        [("log", -1.0), ("sin", inf), ("acos", 1.5), ("acosh", 0.5), ("atanh", 2.0), ("exp", f64::NAN)]
    {
        assert!(call(name, &[x]).is_nan(), "{name}({x})");
    }
}

#[test]
fn huge_angles_are_reduced_exactly() {
    // Known from the literature as the double closest to a multiple of pi/2, and ten to the 22nd.
    assert_eq!(call("cos", &[6381956970095103.0 * 2f64.powi(797)]), -4.687165924254628e-19);
    assert_eq!(call("sin", &[1e22]), -0.8522008497671888);
}

#[cfg(target_arch = "x86_64")]
mod lanes {
    use std::arch::x86_64::*;

    /// Bit patterns of all magnitudes.
    fn patterns() -> impl Iterator<Item = u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn eight(address: usize, x: &[f64; 8], y: &[f64; 8], arity: usize) -> [f64; 8] {
        let mut out = [0.0; 8];
        // SAFETY: the caller found the feature, and passes the address of a form with this arity.
        unsafe {
            let (a, b) = (_mm512_loadu_pd(x.as_ptr()), _mm512_loadu_pd(y.as_ptr()));
            let result = if arity == 1 {
                std::mem::transmute::<usize, Unary>(address)(a)
            } else {
                std::mem::transmute::<usize, Binary>(address)(a, b)
            };
            _mm512_storeu_pd(out.as_mut_ptr(), result);
        }
        out
    }

    #[expect(improper_ctypes_definitions, reason = "vectors in registers")]
    type Unary = extern "C" fn(__m512d) -> __m512d;
    #[expect(improper_ctypes_definitions, reason = "vectors in registers")]
    type Binary = extern "C" fn(__m512d, __m512d) -> __m512d;

    #[test]
    fn eight_lanes_have_the_bits_of_one() {
        if vmath::widest() < 64 {
            return;
        }
        for function in vmath::functions().iter().filter(|function| !function.single) {
            let form = function.vectors.iter().find(|vector| vector.lanes == 8).unwrap();
            let mut bits = patterns();
            for round in 0..2000 {
                let mut next = || {
                    let bits = bits.next().unwrap();
                    // Half of the numbers are moderate ones.
                    let bits = if round % 2 == 0 { bits } else { bits & !(0x7f << 56) | 0x3f << 56 };
                    f64::from_bits(bits)
                };
                let (x, y): ([f64; 8], [f64; 8]) =
                    (std::array::from_fn(|_| next()), std::array::from_fn(|_| next()));
                // SAFETY: the processor has what the form needs.
                let found = unsafe { eight(form.address, &x, &y, function.arity) };
                for lane in 0..8 {
                    let args = [x[lane], y[lane]];
                    let one = vmath::call(function.name, &args[..function.arity]).unwrap();
                    let same = one.to_bits() == found[lane].to_bits() || one.is_nan() && found[lane].is_nan();
                    assert!(same, "{}{args:?}: {one} alone, {} beside others", function.name, found[lane]);
                }
            }
        }
    }
}
