//! Random numbers with the streams of NumPy and CPython, bit for bit.
//!
//! What compiled code calls is listed by [`symbols`]: a state first, then numbers. Bits come from a Mersenne Twister for each
//! thread (`twister`, `states`), or from a bit generator of NumPy's (`generator`). `floats` and `counts` turn them into
//! distributions as NumPy's legacy functions do, `python` as CPython's module `random`. The C library's mathematics is
//! what both call, so the runtime does, too. Absent: checks of arguments and arrays, which are the library's
//! (`python/rumba/library/random_*.py`).

mod bitgen;
mod bounded_ints;
mod continuous;
mod cpython;
mod discrete;
mod mt19937;
mod region_states;
mod thread_state;
mod ziggurat;

use abi::{Runtime, linked};
pub use bitgen::{KERNELS, bind_kernels, kernels_are_bound};
pub use mt19937::{Twister, WORDS};
pub use region_states::RegionSeeds;
pub use thread_state::{Stream, state};

/// Where random bits come from.
pub(crate) trait Bits {
    /// 32 bits.
    fn word(&mut self) -> u32;
    /// 64 bits.
    fn long(&mut self) -> u64;
    /// A number from 0 on and below 1.
    fn unit(&mut self) -> f64;
}

pub(super) fn symbols() -> impl Iterator<Item = crate::Symbol> {
    let states = [
        linked!(Runtime::RandomNumpy => thread_state::rumba_random_numpy,),
        linked!(Runtime::RandomPython => thread_state::rumba_random_python,),
    ];
    states
        .into_iter()
        .chain(continuous::SYMBOLS.iter().chain(discrete::SYMBOLS).map(|linked| linked()))
        .chain(cpython::SYMBOLS.iter().chain(bounded_ints::SYMBOLS).map(|linked| linked()))
        .chain(bitgen::SYMBOLS.iter().map(|linked| linked()))
}

/// Functions of a state and of numbers, by the names of their rows.
macro_rules! drawing_functions {
    ($state:ty; $($row:ident = $function:ident($($arg:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// Symbols and addresses.
        pub(super) const SYMBOLS: &[fn() -> abi::Linked] = &[$(
            || {
                extern "C" fn called(state: *mut $state, $($arg: $ty),*) -> $result {
                    // SAFETY: compiled code gives the state that it got, which no other function uses meanwhile.
                    $function(unsafe { &mut *state }, $($arg),*)
                }
                abi::linked!(abi::Runtime::$row => called, _ $($ty)*)
            }
        ),*];
    };
}
use drawing_functions;
