//! NumPy scalars that are numbers: their classes, and the position of their value in the object.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use types::Type;

/// What a NumPy scalar of a class holds after its object header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarClass {
    /// Address of the class.
    pub class: usize,
    /// Layout of the value.
    pub content: ScalarContent,
}

/// The value of a NumPy scalar in memory, named as its dtype.
#[expect(missing_docs, reason = "each is the dtype of its name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarContent {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

impl ScalarContent {
    pub(super) fn words(self) -> usize {
        if matches!(self, ScalarContent::Complex64 | ScalarContent::Complex128) { 2 } else { 1 }
    }

    /// Copies the value, which NumPy keeps right after the object header, into words.
    pub(super) unsafe fn read(self, object: *mut ffi::PyObject, out: *mut u64) {
        // SAFETY: the caller passes a scalar with this content, which comes right after its head.
        unsafe {
            let value = object.add(1);
            *out = match self {
                ScalarContent::Bool => u64::from(*value.cast::<u8>() != 0),
                ScalarContent::Int8 => i64::from(*value.cast::<i8>()) as u64,
                ScalarContent::Int16 => i64::from(*value.cast::<i16>()) as u64,
                ScalarContent::Int32 => i64::from(*value.cast::<i32>()) as u64,
                ScalarContent::UInt8 => u64::from(*value.cast::<u8>()),
                ScalarContent::UInt16 | ScalarContent::Float16 => u64::from(*value.cast::<u16>()),
                ScalarContent::UInt32 | ScalarContent::Float32 => u64::from(*value.cast::<u32>()),
                ScalarContent::Int64 | ScalarContent::UInt64 | ScalarContent::Float64 => *value.cast::<u64>(),
                ScalarContent::Complex64 => {
                    *out.add(1) = u64::from(*value.cast::<u32>().add(1));
                    u64::from(*value.cast::<u32>())
                }
                ScalarContent::Complex128 => {
                    *out.add(1) = *value.cast::<u64>().add(1);
                    *value.cast::<u64>()
                }
            };
        }
    }
}

impl ScalarContent {
    /// Bits of each of its words.
    pub(super) fn bits(self) -> u32 {
        match self {
            ScalarContent::Bool | ScalarContent::Int8 | ScalarContent::UInt8 => 8,
            ScalarContent::Int16 | ScalarContent::UInt16 | ScalarContent::Float16 => 16,
            ScalarContent::Int32
            | ScalarContent::UInt32
            | ScalarContent::Float32
            | ScalarContent::Complex64 => 32,
            _ => 64,
        }
    }
}

/// NumPy's scalar classes by name, with the type and layout of each.
const SCALARS: &[(&str, Type, ScalarContent)] = &[
    ("bool", Type::BOOL, ScalarContent::Bool),
    ("bool_", Type::BOOL, ScalarContent::Bool),
    ("int8", Type::INT8, ScalarContent::Int8),
    ("int16", Type::INT16, ScalarContent::Int16),
    ("int32", Type::INT32, ScalarContent::Int32),
    ("int64", Type::INT64, ScalarContent::Int64),
    ("longlong", Type::INT64, ScalarContent::Int64),
    ("uint8", Type::UINT8, ScalarContent::UInt8),
    ("uint16", Type::UINT16, ScalarContent::UInt16),
    ("uint32", Type::UINT32, ScalarContent::UInt32),
    ("uint64", Type::UINT64, ScalarContent::UInt64),
    ("ulonglong", Type::UINT64, ScalarContent::UInt64),
    ("float16", Type::FLOAT16, ScalarContent::Float16),
    ("float32", Type::FLOAT32, ScalarContent::Float32),
    ("float64", Type::FLOAT64, ScalarContent::Float64),
    ("complex64", Type::COMPLEX64, ScalarContent::Complex64),
    ("complex128", Type::COMPLEX128, ScalarContent::Complex128),
];

/// The row of a NumPy scalar's class.
pub fn scalar_row(class: &Bound<'_, PyType>) -> Option<(Type, ScalarContent)> {
    if class.module().ok()?.to_str().ok()? != "numpy" {
        return None;
    }
    let name = class.name().ok()?;
    let name = name.to_str().ok()?;
    SCALARS.iter().find(|(known, ..)| *known == name).map(|&(_, ty, content)| (ty, content))
}

/// The type of the NumPy scalars of a class.
pub fn scalar_type(class: &Bound<'_, PyType>) -> Option<Type> {
    scalar_row(class).map(|(ty, _)| ty)
}

/// The layout of a number's content in an object, if it is a NumPy scalar.
///
/// # Safety
/// The thread is attached to Python and the object alive.
pub(crate) unsafe fn scalar_content(object: *mut ffi::PyObject) -> Option<ScalarContent> {
    // SAFETY: the caller's promise.
    let value = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), object) };
    scalar_row(&value.get_type()).map(|(_, content)| content)
}
