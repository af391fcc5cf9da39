//! C functions for tests of calls through ctypes and cffi, which look them up in the extension's file under the names
//! that Numba's tests use. Not part of wheels (feature `samples`).

use std::ffi::{c_double, c_int};

/// The sine.
#[unsafe(no_mangle)]
pub extern "C" fn _numba_test_sin(x: c_double) -> c_double {
    x.sin()
}

/// The cosine.
#[unsafe(no_mangle)]
pub extern "C" fn _numba_test_cos(x: c_double) -> c_double {
    x.cos()
}

/// The exponential function.
#[unsafe(no_mangle)]
pub extern "C" fn _numba_test_exp(x: c_double) -> c_double {
    x.exp()
}

/// Writes the squares of numbers.
///
/// # Safety
/// There are `count` numbers at `from`, and there is room for as many at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _numba_test_vsquare(count: c_int, from: *const c_double, to: *mut c_double) {
    for index in 0..count.max(0) as usize {
        // SAFETY: the caller's promise.
        unsafe {
            let x = *from.add(index);
            *to.add(index) = x * x;
        }
    }
}

/// Calls a function of a number.
///
/// # Safety
/// The function is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _numba_test_funcptr(
    function: unsafe extern "C" fn(c_double) -> c_double,
) -> c_double {
    // SAFETY: the caller's promise.
    unsafe { function(1.5) }
}

/// The truth.
#[unsafe(no_mangle)]
pub extern "C" fn _numba_test_boolean() -> bool {
    true
}

/// Writes out what C holds back for the standard output.
#[unsafe(no_mangle)]
pub extern "C" fn _numba_flush_stdout() {
    // SAFETY: null stands for all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}
