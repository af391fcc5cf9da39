//! Variables of the source as a debugger shows them: names, types, and how these lie in memory.

/// A variable with a place in the frame, which `declare_variable` names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DebugVariable {
    /// Its name.
    pub name: String,
    /// Which parameter it is, from 0, if it is one.
    pub parameter: Option<u32>,
    /// The line where it first gets a value; 0 if that is not known.
    pub line: u32,
    /// The type of what lies there.
    pub ty: DebugType,
}

/// A type with its layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DebugType {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u32,
    /// What it is made of.
    pub form: DebugForm,
}

/// What a type is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DebugForm {
    /// A byte, 0 or 1.
    Bool,
    /// An integer in two's complement.
    Signed,
    /// An integer without a sign.
    Unsigned,
    /// A character of text.
    Char,
    /// An IEEE 754 number.
    Float,
    /// Two of these.
    Complex,
    /// An address; of what, if that is known.
    Pointer(Option<Box<DebugType>>),
    /// Several of one type.
    Array(Box<DebugType>, u32),
    /// Members by name.
    Struct(Vec<DebugMember>),
}

/// A member of a struct.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DebugMember {
    /// Its name.
    pub name: String,
    /// Bytes from the begin of the struct.
    pub offset: u32,
    /// Its type.
    pub ty: DebugType,
}
