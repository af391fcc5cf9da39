//! Operators, conversions and helpers that an [`Op`](crate::Op) names: closed enumerations without payload. Absent:
//! what they compute.

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+a`
    Positive,
    /// `-a`
    Negative,
    /// `not a`
    Not,
    /// `~a`
    Invert,
}

/// Operators with two operands, in the order of CPython's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it, and `symbol` shows it")]
pub enum BinaryOp {
    Add,
    And,
    FloorDivide,
    LeftShift,
    MatrixMultiply,
    Multiply,
    Remainder,
    Or,
    Power,
    RightShift,
    Subtract,
    TrueDivide,
    Xor,
}

/// Comparisons, in the order of CPython's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it, and `symbol` shows it")]
pub enum CompareOp {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

/// What a replacement field does to its value first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}

/// What is attached to a new function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionAttribute {
    /// A tuple: `__defaults__`.
    Defaults,
    /// A dict: `__kwdefaults__`.
    KeywordDefaults,
    /// A tuple of names and values in turn, or a dict: `__annotations__`.
    Annotations,
    /// A tuple of cells: `__closure__`.
    Closure,
}

/// Rare helpers with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic1 {
    /// Shows a value at the interactive prompt; gives None.
    Print,
    /// `from module import *`; gives None.
    ImportStar,
    /// StopIteration that leaves a generator -> RuntimeError.
    StopIterationError,
    /// Wraps a value that an asynchronous generator yields.
    AsyncGenWrap,
    /// A type variable from its name.
    TypeVar,
    /// A parameter specification from its name.
    ParamSpec,
    /// A type variable tuple from its name.
    TypeVarTuple,
    /// `Generic[...]` of a tuple of parameters.
    SubscriptGeneric,
    /// A type alias from a tuple (name, parameters, function).
    TypeAlias,
}

/// Rare helpers with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic2 {
    /// The exception that an `except*` statement raises again, or None.
    PrepReraiseStar,
    /// A type variable from its name and a function that gives its bound.
    TypeVarWithBound,
    /// A type variable from its name and a function that gives its constraints.
    TypeVarWithConstraints,
    /// `[function, parameters] -> [function]`
    SetFunctionTypeParams,
    /// `[parameter, function that gives its default] -> [parameter]`
    SetTypeParamDefault,
}

impl BinaryOp {
    /// All, in the order of CPython's numbering.
    pub const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::And,
        BinaryOp::FloorDivide,
        BinaryOp::LeftShift,
        BinaryOp::MatrixMultiply,
        BinaryOp::Multiply,
        BinaryOp::Remainder,
        BinaryOp::Or,
        BinaryOp::Power,
        BinaryOp::RightShift,
        BinaryOp::Subtract,
        BinaryOp::TrueDivide,
        BinaryOp::Xor,
    ];

    /// As written in Python.
    pub fn symbol(self) -> &'static str {
        ["+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^"][self as usize]
    }
}

impl CompareOp {
    /// All, in the order of CPython's numbering.
    pub const ALL: [CompareOp; 6] = [
        CompareOp::Less,
        CompareOp::LessEqual,
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::Greater,
        CompareOp::GreaterEqual,
    ];

    /// As written in Python.
    pub fn symbol(self) -> &'static str {
        ["<", "<=", "==", "!=", ">", ">="][self as usize]
    }
}

impl UnaryOp {
    /// As written in Python.
    pub fn symbol(self) -> &'static str {
        ["+", "-", "not", "~"][self as usize]
    }
}
