//! Random numbers of `np.random.Generator` objects, from NumPy's bit generators.
//!
//! A bit generator is a struct that NumPy's C API describes (`numpy/random/bitgen.h`). The distributions are NumPy's own:
//! the functions that its C API for random numbers names (`numpy/random/distributions.h`), whose addresses Python's side
//! finds and binds once. So the bits are those of the NumPy that is installed; their tables for the ziggurat method
//! cannot be computed from the published construction.

use super::ziggurat::{self, Distribution, Ziggurat};
use super::{Bits, bounded_ints};
use crate::libm::log1p;
use std::ffi::c_void;
use std::sync::OnceLock;

/// NumPy's `bitgen_t`.
#[repr(C)]
pub(super) struct BitGenerator {
    state: *mut c_void,
    next_long: extern "C" fn(*mut c_void) -> u64,
    next_word: extern "C" fn(*mut c_void) -> u32,
    next_unit: extern "C" fn(*mut c_void) -> f64,
    next_raw: extern "C" fn(*mut c_void) -> u64,
}

impl BitGenerator {
    /// Of functions of a state.
    pub(super) fn new(
        state: *mut c_void,
        next_long: extern "C" fn(*mut c_void) -> u64,
        next_word: extern "C" fn(*mut c_void) -> u32,
        next_unit: extern "C" fn(*mut c_void) -> f64,
    ) -> Self {
        BitGenerator { state, next_long, next_word, next_unit, next_raw: next_long }
    }
}

impl Bits for BitGenerator {
    fn word(&mut self) -> u32 {
        (self.next_word)(self.state)
    }
    fn long(&mut self) -> u64 {
        (self.next_long)(self.state)
    }
    fn unit(&mut self) -> f64 {
        (self.next_unit)(self.state)
    }
}

super::drawing_functions! {
    BitGenerator;
    RandomGeneratorUnit = unit() -> f64;
    RandomGeneratorSingle = single() -> f64;
    RandomGeneratorInverse = inverse() -> f64;
    RandomGeneratorSingleInverse = single_inverse() -> f64;
    RandomGeneratorWord = word() -> u64;
    RandomGeneratorLong = long() -> u64;
    RandomGeneratorBelow = below(most: u64) -> u64;
    RandomGeneratorInterval = interval(most: u64) -> u64;
    RandomGeneratorFill = fill(width: u64, first: u64, most: u64, count: u64, out: u64) -> u64;
    RandomGeneratorNormal = normal() -> f64;
    RandomGeneratorExponential = exponential() -> f64;
    RandomGeneratorFillNormal = fill_normal(count: u64, out: u64) -> u64;
    RandomGeneratorFillExponential = fill_exponential(count: u64, out: u64) -> u64;
    RandomGeneratorFloat0 = float_0(kernel: u64) -> f64;
    RandomGeneratorFloat1 = float_1(kernel: u64, a: f64) -> f64;
    RandomGeneratorFloat2 = float_2(kernel: u64, a: f64, b: f64) -> f64;
    RandomGeneratorFloat3 = float_3(kernel: u64, a: f64, b: f64, c: f64) -> f64;
    RandomGeneratorSingle0 = single_0(kernel: u64) -> f64;
    RandomGeneratorSingle1 = single_1(kernel: u64, a: f64) -> f64;
    RandomGeneratorCount1 = count_1(kernel: u64, a: f64) -> i64;
    RandomGeneratorCount2 = count_2(kernel: u64, a: f64, b: f64) -> i64;
    RandomGeneratorBinomial = binomial(n: i64, p: f64) -> i64;
    RandomGeneratorHypergeometric = hypergeometric(good: i64, bad: i64, sample: i64) -> i64;
}

/// NumPy's functions by the numbers that the library gives.
pub const KERNELS: &[&str] = &[
    "random_standard_normal",
    "random_standard_exponential",
    "random_standard_normal_f",
    "random_standard_exponential_f",
    "random_standard_gamma",
    "random_standard_gamma_f",
    "random_beta",
    "random_chisquare",
    "random_f",
    "random_standard_cauchy",
    "random_pareto",
    "random_weibull",
    "random_power",
    "random_laplace",
    "random_gumbel",
    "random_logistic",
    "random_lognormal",
    "random_rayleigh",
    "random_standard_t",
    "random_noncentral_chisquare",
    "random_noncentral_f",
    "random_wald",
    "random_vonmises",
    "random_triangular",
    "random_poisson",
    "random_negative_binomial",
    "random_logseries",
    "random_geometric",
    "random_zipf",
    "random_binomial",
    "random_hypergeometric",
];

/// The numbers of the functions with other parameters than floats.
const BINOMIAL: u64 = KERNELS.len() as u64 - 2;
const HYPERGEOMETRIC: u64 = BINOMIAL + 1;

static BOUND: OnceLock<Vec<usize>> = OnceLock::new();

/// Says where NumPy's functions are, in the order of [`KERNELS`]. The first call counts: a process has one NumPy.
pub fn bind_kernels(addresses: Vec<usize>) {
    debug_assert_eq!(addresses.len(), KERNELS.len());
    BOUND.get_or_init(|| addresses);
}

/// Whether the functions are known.
pub fn kernels_are_bound() -> bool {
    BOUND.get().is_some()
}

/// The address of a function of NumPy.
fn kernel(number: u64) -> usize {
    // A Generator reaches compiled code only after they were bound.
    BOUND.get().map_or(0, |all| all[number as usize])
}

fn unit(bits: &mut BitGenerator) -> f64 {
    bits.unit()
}

/// In single precision.
fn single(bits: &mut BitGenerator) -> f64 {
    f64::from((bits.word() >> 8) as f32 * (1.0 / 16_777_216.0))
}

/// By inversion.
fn inverse(bits: &mut BitGenerator) -> f64 {
    -log1p(-bits.unit())
}

/// By inversion, for single precision.
fn single_inverse(bits: &mut BitGenerator) -> f64 {
    -log1p(-single(bits))
}

/// The layers of the two distributions that nearly always take one step: those of the process's NumPy.
static NORMAL: OnceLock<Ziggurat> = OnceLock::new();
static EXPONENTIAL: OnceLock<Ziggurat> = OnceLock::new();

/// NumPy's function of this number, without parameters.
fn distribution<const NUMBER: u64>() -> Distribution {
    // SAFETY: the functions of these numbers have no parameters, as NumPy's header says.
    unsafe { std::mem::transmute(kernel(NUMBER)) }
}

fn normal_layers() -> &'static Ziggurat {
    Ziggurat::of(&NORMAL, distribution::<0>, ziggurat::NORMAL)
}

fn exponential_layers() -> &'static Ziggurat {
    Ziggurat::of(&EXPONENTIAL, distribution::<1>, ziggurat::EXPONENTIAL)
}

fn normal(bits: &mut BitGenerator) -> f64 {
    normal_layers().draw(bits, distribution::<0>, ziggurat::NORMAL)
}

fn exponential(bits: &mut BitGenerator) -> f64 {
    exponential_layers().draw(bits, distribution::<1>, ziggurat::EXPONENTIAL)
}

fn fill_normal(bits: &mut BitGenerator, count: u64, out: u64) -> u64 {
    let layers = normal_layers();
    fill_with(count, out, || layers.draw(bits, distribution::<0>, ziggurat::NORMAL))
}

fn fill_exponential(bits: &mut BitGenerator, count: u64, out: u64) -> u64 {
    let layers = exponential_layers();
    fill_with(count, out, || layers.draw(bits, distribution::<1>, ziggurat::EXPONENTIAL))
}

/// Fills an array of doubles with the values that a function draws.
fn fill_with(count: u64, out: u64, draw: impl FnMut() -> f64) -> u64 {
    // SAFETY: the library passes the address of an array that it has just created, with this many items.
    let items = unsafe { std::slice::from_raw_parts_mut(out as *mut f64, count as usize) };
    items.fill_with(draw);
    0
}

fn word(bits: &mut BitGenerator) -> u64 {
    u64::from(bits.word())
}

fn long(bits: &mut BitGenerator) -> u64 {
    bits.long()
}

fn below(bits: &mut BitGenerator, most: u64) -> u64 {
    bounded_ints::long(bits, most)
}

fn interval(bits: &mut BitGenerator, most: u64) -> u64 {
    bounded_ints::interval(bits, most)
}

fn fill(bits: &mut BitGenerator, width: u64, first: u64, most: u64, count: u64, out: u64) -> u64 {
    bounded_ints::fill(bits, width, first, most, count, out as *mut u8);
    0
}

/// Calls of NumPy's functions with these parameters.
macro_rules! kernel_calls {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $result:ty as $given:ty;)*) => {$(
        fn $name(bits: &mut BitGenerator, number: u64, $($arg: f64),*) -> $given {
            let function: extern "C" fn(*mut BitGenerator, $($ty),*) -> $result =
                // SAFETY: the function of this number has these parameters, as NumPy's header says.
                unsafe { std::mem::transmute(kernel(number)) };
            <$given>::from(function(bits, $($arg as $ty),*))
        }
    )*};
}

kernel_calls! {
    float_0() -> f64 as f64;
    float_1(a: f64) -> f64 as f64;
    float_2(a: f64, b: f64) -> f64 as f64;
    float_3(a: f64, b: f64, c: f64) -> f64 as f64;
    single_0() -> f32 as f64;
    single_1(a: f32) -> f32 as f64;
    count_1(a: f64) -> i64 as i64;
    count_2(a: f64, b: f64) -> i64 as i64;
}

/// What NumPy's binomial distribution keeps between calls; zeros are a beginning.
#[repr(C, align(16))]
struct Binomial([u8; 256]);

fn binomial(bits: &mut BitGenerator, n: i64, p: f64) -> i64 {
    // SAFETY: the function has these parameters, as NumPy's header says.
    let function: extern "C" fn(*mut BitGenerator, f64, i64, *mut Binomial) -> i64 =
        unsafe { std::mem::transmute(kernel(BINOMIAL)) };
    function(bits, p, n, &mut Binomial([0; 256]))
}

fn hypergeometric(bits: &mut BitGenerator, good: i64, bad: i64, sample: i64) -> i64 {
    // SAFETY: the function has these parameters, as NumPy's header says.
    let function: extern "C" fn(*mut BitGenerator, i64, i64, i64) -> i64 =
        unsafe { std::mem::transmute(kernel(HYPERGEOMETRIC)) };
    function(bits, good, bad, sample)
}
