//! Random numbers with the streams of NumPy and CPython, bit for bit.
//!
//! [`symbols`] lists the functions that compiled code calls: their first argument is a state, the others are numbers. Bits come from a
//! Mersenne Twister per thread (`mt19937`, `thread_state`), or from one of NumPy's bit generators (`bitgen`). `continuous`, `discrete` and
//! `bounded_ints` turn them into distributions like NumPy's legacy functions, `cpython` like CPython's module `random`. Both call
//! the C library's mathematical functions, so the runtime does, too. Absent: checks of arguments, and arrays, which the library
//! handles (`python/rumba/library/random`).

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
