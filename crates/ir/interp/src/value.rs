//! A machine value with its type.

use ir::Native;
use std::fmt;

/// A value of a native type. Two words are equal if type and bits are: -0.0 is not 0.0, and a NaN
/// equals itself.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the variants are those of Native")]
pub enum Word {
    I1(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Ptr(u64),
}

impl Word {
    /// The word of this type with these bits; bits above the width are ignored.
    pub fn from_bits(ty: Native, bits: u64) -> Word {
        match ty {
            Native::I1 => Word::I1(bits & 1 == 1),
            Native::I8 => Word::I8(bits as i8),
            Native::I16 => Word::I16(bits as i16),
            Native::I32 => Word::I32(bits as i32),
            Native::I64 => Word::I64(bits as i64),
            Native::F32 => Word::F32(f32::from_bits(bits as u32)),
            Native::F64 => Word::F64(f64::from_bits(bits)),
            Native::Ptr => Word::Ptr(bits),
        }
    }

    /// The type.
    pub fn ty(self) -> Native {
        match self {
            Word::I1(_) => Native::I1,
            Word::I8(_) => Native::I8,
            Word::I16(_) => Native::I16,
            Word::I32(_) => Native::I32,
            Word::I64(_) => Native::I64,
            Word::F32(_) => Native::F32,
            Word::F64(_) => Native::F64,
            Word::Ptr(_) => Native::Ptr,
        }
    }

    /// The bits, zeros above the width.
    pub fn bits(self) -> u64 {
        match self {
            Word::I1(value) => u64::from(value),
            Word::I8(value) => u64::from(value as u8),
            Word::I16(value) => u64::from(value as u16),
            Word::I32(value) => u64::from(value as u32),
            Word::I64(value) => value as u64,
            Word::F32(value) => u64::from(value.to_bits()),
            Word::F64(value) => value.to_bits(),
            Word::Ptr(address) => address,
        }
    }

    /// The bits of an integer or pointer as a signed number; a true `i1` is -1.
    pub fn signed(self) -> i128 {
        let unused = 64 - self.ty().bits();
        i128::from(((self.bits() << unused) as i64) >> unused)
    }

    /// The bits as an unsigned number.
    pub fn unsigned(self) -> u128 {
        u128::from(self.bits())
    }

    /// Whether this is a float that is not a number.
    pub fn is_nan(self) -> bool {
        match self {
            Word::F32(value) => value.is_nan(),
            Word::F64(value) => value.is_nan(),
            _ => false,
        }
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Word) -> bool {
        self.ty() == other.ty() && self.bits() == other.bits()
    }
}

impl Eq for Word {}

/// `true`, `-3`, `2.5`, `inf`, `nan`, `0x10` for a pointer. The type is not said, nor are a NaN's bits.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::I1(value) => write!(f, "{value}"),
            Word::F32(value) if value.is_nan() => write!(f, "nan"),
            Word::F64(value) if value.is_nan() => write!(f, "nan"),
            Word::F32(value) => write!(f, "{value:?}"),
            Word::F64(value) => write!(f, "{value:?}"),
            Word::Ptr(address) => write!(f, "{address:#x}"),
            integer => write!(f, "{}", integer.signed()),
        }
    }
}
