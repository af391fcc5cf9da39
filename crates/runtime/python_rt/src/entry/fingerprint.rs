//! The dispatch key: a word per argument that decides which specialization serves a call.
//!
//! Cheap to compute for the types compiled code knows by heart; every other value is asked of the
//! compiler, which numbers the types it has seen.

use crate::values::int_object;
use pyo3::ffi;

/// What dispatch needs to know of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// An `int` in the range of `int64`.
    pub const INT64: Fingerprint = Fingerprint(1);
    /// An `int` in `2**63..2**64`.
    pub const UINT64: Fingerprint = Fingerprint(2);
    /// A `float`.
    pub const FLOAT64: Fingerprint = Fingerprint(3);
    /// A `bool`.
    pub const BOOL: Fingerprint = Fingerprint(4);
    /// A `complex`.
    pub const COMPLEX128: Fingerprint = Fingerprint(5);
    /// `None`.
    pub const NONE: Fingerprint = Fingerprint(6);

    /// A `str`.
    pub const STR: Fingerprint = Fingerprint(7);

    const INTERNED: u64 = 1 << 62;
    const OMITTED: u64 = 1 << 63;

    /// A type that the compiler numbers itself.
    pub const fn interned(number: u32) -> Fingerprint {
        Fingerprint(Self::INTERNED | number as u64)
    }

    /// The compiler's number, of a fingerprint that has one.
    pub fn interned_number(self) -> Option<u32> {
        (self.0 & Self::INTERNED != 0).then_some(self.0 as u32)
    }

    /// The same value standing in for an argument the caller left out.
    pub const fn omitted(self) -> Fingerprint {
        Fingerprint(self.0 | Self::OMITTED)
    }

    /// Whether the value is the parameter's default.
    pub const fn is_omitted(self) -> bool {
        self.0 & Self::OMITTED != 0
    }

    /// The fingerprint of the value, given or default.
    pub const fn of_value(self) -> Fingerprint {
        Fingerprint(self.0 & !Self::OMITTED)
    }
}

/// What can be told of a value without asking the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quick {
    /// Its fingerprint.
    Known(Fingerprint),
    /// An `int` beyond 64 bits.
    TooBig,
    /// Only the compiler knows.
    Slow,
}

/// Looks at exact built-in types alone: a subclass may mean something else to the compiler.
///
/// # Safety
/// The thread is attached to Python and `object` is alive.
#[inline(always)]
pub unsafe fn quick(object: *mut ffi::PyObject) -> Quick {
    // SAFETY: the caller's promise; each type is looked at before its fields are.
    unsafe {
        let kind = ffi::Py_TYPE(object);
        let known = if kind == &raw mut ffi::PyLong_Type {
            if int_object::to_i64(object).is_some() {
                Fingerprint::INT64
            } else if int_object::to_u64(object).is_some() {
                Fingerprint::UINT64
            } else {
                return Quick::TooBig;
            }
        } else if kind == &raw mut ffi::PyFloat_Type {
            Fingerprint::FLOAT64
        } else if kind == &raw mut ffi::PyBool_Type {
            Fingerprint::BOOL
        } else if kind == &raw mut ffi::PyComplex_Type {
            Fingerprint::COMPLEX128
        } else if kind == &raw mut ffi::PyUnicode_Type {
            Fingerprint::STR
        } else if object == ffi::Py_None() {
            Fingerprint::NONE
        } else {
            return Quick::Slow;
        };
        Quick::Known(known)
    }
}

/// The fingerprint of a value whose type dispatch knows by heart.
pub fn of(value: &pyo3::Bound<'_, pyo3::PyAny>) -> Option<Fingerprint> {
    // SAFETY: a bound value is alive and its thread attached.
    match unsafe { quick(value.as_ptr()) } {
        Quick::Known(fingerprint) => Some(fingerprint),
        Quick::TooBig | Quick::Slow => None,
    }
}
