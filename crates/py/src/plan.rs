//! Precomputed plans that turn Python values into words and words into Python values.
//!
//! A compiled function has no wrapper of its own: the dispatcher follows its plan. Layout of the
//! words: [`abi::Thunk`].

use crate::long;
use pyo3::ffi;

/// How one argument becomes words. A step checks what it reads, so that a plan doubles as the test
/// whether its specialization serves a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unbox {
    /// An `int` in the range of `int64`: one word.
    Int64,
    /// An `int` in the range of `uint64`: one word.
    UInt64,
    /// A `float`: one word.
    Float64,
    /// A `bool`: one word, 0 or 1.
    Bool,
    /// A `complex`: two words, real and imaginary.
    Complex128,
    /// `None`: no word.
    None,
    /// A `float` or an `int` rounded to single precision: the low half of one word.
    Float32,
    /// A `float`, `int` or `bool` as `float64`: one word.
    ToFloat64,
    /// A `complex`, `float` or `int`: two words.
    ToComplex128,
    /// A `bool` or an `int` in the range of `int64`: one word.
    ToInt64,
    /// Anything: no word (an omitted argument whose value is compiled in).
    Skip,
}

impl Unbox {
    /// Words that the step writes.
    pub const fn words(self) -> usize {
        match self {
            Unbox::None | Unbox::Skip => 0,
            Unbox::Complex128 | Unbox::ToComplex128 => 2,
            _ => 1,
        }
    }

    /// Whether the step refuses every value of another type than it was made for.
    pub(crate) const fn is_guard(self) -> bool {
        !matches!(self, Unbox::Skip)
    }

    /// Writes the words of `object` from `out` on and says how many; `None` when the value does not
    /// fit the step (or an exception, which is then cleared, kept it from being read).
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    #[inline(always)]
    pub(crate) unsafe fn unbox(self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        unsafe {
            let kind = ffi::Py_TYPE(object);
            match self {
                Unbox::Int64 => {
                    if kind != &raw mut ffi::PyLong_Type {
                        return None;
                    }
                    *out = long::to_i64(object)? as u64;
                    Some(1)
                }
                Unbox::Float64 => {
                    if kind != &raw mut ffi::PyFloat_Type {
                        return None;
                    }
                    *out = (*object.cast::<ffi::PyFloatObject>()).ob_fval.to_bits();
                    Some(1)
                }
                _ => self.unbox_rarer(object, out),
            }
        }
    }

    unsafe fn unbox_rarer(self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        unsafe {
            let kind = ffi::Py_TYPE(object);
            let is_bool = kind == &raw mut ffi::PyBool_Type;
            match self {
                Unbox::Int64 | Unbox::Float64 => return self.unbox(object, out),
                Unbox::Bool if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::UInt64 if kind == &raw mut ffi::PyLong_Type => *out = long::to_u64(object)?,
                Unbox::Complex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::None if object == ffi::Py_None() => {}
                Unbox::ToInt64 if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::ToInt64 => return Unbox::Int64.unbox(object, out),
                Unbox::ToFloat64 => *out = to_f64(object)?.to_bits(),
                Unbox::Float32 => *out = u64::from((to_f64(object)? as f32).to_bits()),
                Unbox::ToComplex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::ToComplex128 => {
                    *out = to_f64(object)?.to_bits();
                    *out.add(1) = 0f64.to_bits();
                }
                Unbox::Skip => {}
                _ => return None,
            }
            Some(self.words())
        }
    }
}

unsafe fn write_complex(object: *mut ffi::PyObject, out: *mut u64) {
    unsafe {
        let value = (*object.cast::<ffi::PyComplexObject>()).cval;
        *out = value.real.to_bits();
        *out.add(1) = value.imag.to_bits();
    }
}

/// The value of a `float`, `int` or `bool`.
unsafe fn to_f64(object: *mut ffi::PyObject) -> Option<f64> {
    unsafe {
        let kind = ffi::Py_TYPE(object);
        if kind == &raw mut ffi::PyFloat_Type {
            return Some((*object.cast::<ffi::PyFloatObject>()).ob_fval);
        }
        if kind != &raw mut ffi::PyLong_Type && kind != &raw mut ffi::PyBool_Type {
            return None;
        }
        let value = ffi::PyLong_AsDouble(object);
        if value == -1.0 && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(value)
    }
}

/// How words become the result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Boxing {
    /// `None`: no word.
    None,
    /// `int` from one word, signed. Narrower integers come extended to a word.
    Int64,
    /// `int` from one word, unsigned.
    UInt64,
    /// `float` from one word.
    Float64,
    /// `float` from the low half of one word.
    Float32,
    /// `bool` from one word, zero or not.
    Bool,
    /// `complex` from two words.
    Complex128,
    /// `tuple` from the words of its elements, one after the other.
    Tuple(Box<[Boxing]>),
}

impl Boxing {
    /// Words that the result takes.
    pub fn words(&self) -> usize {
        match self {
            Boxing::None => 0,
            Boxing::Complex128 => 2,
            Boxing::Tuple(elements) => elements.iter().map(Boxing::words).sum(),
            _ => 1,
        }
    }

    /// A new reference, or null with an exception set.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    #[inline(always)]
    pub(crate) unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        unsafe {
            match self {
                Boxing::Int64 => ffi::PyLong_FromLongLong(*words as i64),
                Boxing::Float64 => ffi::PyFloat_FromDouble(f64::from_bits(*words)),
                _ => self.make_rarer(words),
            }
        }
    }

    unsafe fn make_rarer(&self, words: *const u64) -> *mut ffi::PyObject {
        unsafe {
            match self {
                Boxing::Int64 | Boxing::Float64 => self.make(words),
                Boxing::None => new_reference(ffi::Py_None()),
                Boxing::UInt64 => ffi::PyLong_FromUnsignedLongLong(*words),
                Boxing::Float32 => ffi::PyFloat_FromDouble(f64::from(f32::from_bits(*words as u32))),
                Boxing::Bool => new_reference(if *words & 1 != 0 { ffi::Py_True() } else { ffi::Py_False() }),
                Boxing::Complex128 => {
                    ffi::PyComplex_FromDoubles(f64::from_bits(*words), f64::from_bits(*words.add(1)))
                }
                Boxing::Tuple(elements) => make_tuple(elements, words),
            }
        }
    }
}

unsafe fn new_reference(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    unsafe { ffi::Py_INCREF(object) };
    object
}

unsafe fn make_tuple(elements: &[Boxing], mut words: *const u64) -> *mut ffi::PyObject {
    unsafe {
        let tuple = ffi::PyTuple_New(elements.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return tuple;
        }
        for (index, element) in elements.iter().enumerate() {
            let value = element.make(words);
            if value.is_null() {
                ffi::Py_DECREF(tuple);
                return value;
            }
            ffi::PyTuple_SET_ITEM(tuple, index as ffi::Py_ssize_t, value);
            words = words.add(element.words());
        }
        tuple
    }
}
