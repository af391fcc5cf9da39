//! Compile-time check that a Rust function has the machine signature of its row ([`crate::Runtime`]).
//!
//! ```text
//! linked!(Runtime::TextAt => rumba_text_at, _ _ _)        symbol and address; an error at compile time if they differ
//! ```

use crate::{Native, Runtime};

/// A function's symbol and address.
pub type Linked = (&'static str, usize);

/// What crosses a call as one machine value.
pub trait Machine {
    /// Its machine type.
    const NATIVE: Native;
}

macro_rules! machine {
    ($($native:ident: $($ty:ty)*;)*) => { $($(impl Machine for $ty {
        const NATIVE: Native = Native::$native;
    })*)* };
}

machine! {
    I1: bool;
    I32: i32 u32;
    I64: i64 u64 isize usize;
    F64: f64;
}

impl<T> Machine for *const T {
    const NATIVE: Native = Native::Ptr;
}

impl<T> Machine for *mut T {
    const NATIVE: Native = Native::Ptr;
}

/// What a function returns.
pub trait Returned {
    /// Machine types of its results.
    const NATIVES: &'static [Native];
}

impl Returned for () {
    const NATIVES: &'static [Native] = &[];
}

impl<T: Machine> Returned for T {
    const NATIVES: &'static [Native] = &[T::NATIVE];
}

/// A type of functions.
pub trait Signature: Copy {
    /// Machine types of its parameters.
    const PARAMS: &'static [Native];
    /// Machine types of its results.
    const RESULTS: &'static [Native];
}

macro_rules! signatures {
    ($(($($param:ident)*))*) => { $(
        impl<R: Returned, $($param: Machine),*> Signature for unsafe extern "C" fn($($param),*) -> R {
            const PARAMS: &'static [Native] = &[$($param::NATIVE),*];
            const RESULTS: &'static [Native] = R::NATIVES;
        }
    )* };
}

signatures! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// Whether the function has the machine signature of the row. A word may be an address on the one side and an integer on the
/// other, which the calling convention does not tell apart.
pub const fn fits<F: Signature>(function: Runtime, _: F) -> bool {
    let row = function.row();
    let through_pointer = !in_registers(row.results);
    let params = row.params.len() + through_pointer as usize;
    let results = if through_pointer { 1 } else { row.results.len() };
    if F::PARAMS.len() != params || F::RESULTS.len() != results {
        return false;
    }
    let mut at = 0;
    while at < row.params.len() {
        if !same(F::PARAMS[at], row.params[at]) {
            return false;
        }
        at += 1;
    }
    at = 0;
    while at < results {
        if !same(F::RESULTS[at], row.results[at]) {
            return false;
        }
        at += 1;
    }
    !through_pointer || matches!(F::PARAMS[params - 1], Native::Ptr)
}

/// Whether the calling convention returns this many results in registers.
const fn in_registers(results: &[Native]) -> bool {
    let (mut at, mut floats) = (0, 0);
    while at < results.len() {
        floats += results[at].is_float() as usize;
        at += 1;
    }
    floats <= 2 && at - floats <= 3
}

const fn same(a: Native, b: Native) -> bool {
    a as u8 == b as u8 || matches!((a, b), (Native::I64, Native::Ptr) | (Native::Ptr, Native::I64))
}

/// Symbol and address of a runtime function, with a `_` for each parameter in Rust. It does not compile where the function
/// does not fit its row.
#[macro_export]
macro_rules! linked {
    ($row:expr => $path:path, $($param:tt)*) => {{
        const FITS: bool = $crate::fits($row, $path as unsafe extern "C" fn($($param),*) -> _);
        const { assert!(FITS, "the function does not have the machine signature of its row") };
        ($row.symbol(), $path as unsafe extern "C" fn($($param),*) -> _ as *const () as usize)
    }};
}
