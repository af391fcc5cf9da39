//! Machine types of values in the Explicit phase and of arguments and results.

/// A machine type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "width and kind are the name")]
pub enum Native {
    I1,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    Ptr,
}

impl Native {
    /// Every native type.
    pub const ALL: &[Native] = &[
        Native::I1,
        Native::I8,
        Native::I16,
        Native::I32,
        Native::I64,
        Native::F32,
        Native::F64,
        Native::Ptr,
    ];

    /// The printed form.
    pub fn text(self) -> &'static str {
        ["i1", "i8", "i16", "i32", "i64", "f32", "f64", "ptr"][self as usize]
    }

    /// Width in bits (of a boolean: 1).
    pub fn bits(self) -> u32 {
        [1, 8, 16, 32, 64, 32, 64, 64][self as usize]
    }

    /// Size in memory in bytes.
    pub fn size(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether this is an integer, booleans included.
    pub fn is_int(self) -> bool {
        self <= Native::I64
    }

    /// Whether this is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Native::F32 | Native::F64)
    }

    /// The integer type of this width.
    pub fn int(bits: u32) -> Native {
        match bits {
            1 => Native::I1,
            8 => Native::I8,
            16 => Native::I16,
            32 => Native::I32,
            _ => Native::I64,
        }
    }
}
