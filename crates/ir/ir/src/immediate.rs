//! Immediate operands of instructions.

use crate::{Const, ExternalFn, Native, Site, Symbol};
use types::Type;

/// An immediate operand. Which kinds an op has is declared in the op table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// A number: an index, a count, flags, an integer constant.
    Int(i64),
    /// The bits of a double.
    Float(u64),
    /// A name.
    Symbol(Symbol),
    /// Several names: keywords of a call.
    Symbols(Vec<Symbol>),
    /// A Python constant.
    Const(Const),
    /// A type of the Typed phase.
    Type(Type),
    /// A type of the Explicit phase.
    Native(Native),
    /// A binary operator.
    Binary(BinaryOp),
    /// A unary operator.
    Unary(UnaryOp),
    /// A comparison.
    Compare(CompareOp),
    /// A comparison of machine integers.
    IntCond(IntCond),
    /// A comparison of machine floats.
    FloatCond(FloatCond),
    /// A place that may raise.
    Site(Site),
    /// A function outside this one.
    External(ExternalFn),
}

/// The kinds of [`Attr`], for the op table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the variants are those of Attr")]
pub enum AttrKind {
    Int,
    Float,
    Symbol,
    Symbols,
    Const,
    Type,
    Native,
    Binary,
    Unary,
    Compare,
    IntCond,
    FloatCond,
    Site,
    External,
}

impl Attr {
    /// The kind of this operand.
    pub fn kind(&self) -> AttrKind {
        match self {
            Attr::Int(_) => AttrKind::Int,
            Attr::Float(_) => AttrKind::Float,
            Attr::Symbol(_) => AttrKind::Symbol,
            Attr::Symbols(_) => AttrKind::Symbols,
            Attr::Const(_) => AttrKind::Const,
            Attr::Type(_) => AttrKind::Type,
            Attr::Native(_) => AttrKind::Native,
            Attr::Binary(_) => AttrKind::Binary,
            Attr::Unary(_) => AttrKind::Unary,
            Attr::Compare(_) => AttrKind::Compare,
            Attr::IntCond(_) => AttrKind::IntCond,
            Attr::FloatCond(_) => AttrKind::FloatCond,
            Attr::Site(_) => AttrKind::Site,
            Attr::External(_) => AttrKind::External,
        }
    }
}

/// Declares an enum whose variants have a printed form and read back from it.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// Every variant.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The printed form.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// Reads the printed form.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

words!(
    /// Python's binary operators.
    BinaryOp {
        /// `a + b`
        Add = "+",
        /// `a - b`
        Sub = "-",
        /// `a * b`
        Mul = "*",
        /// `a / b`
        TrueDiv = "/",
        /// `a // b`
        FloorDiv = "//",
        /// `a % b`
        Mod = "%",
        /// `a ** b`
        Pow = "**",
        /// `a << b`
        Shl = "<<",
        /// `a >> b`
        Shr = ">>",
        /// `a & b`
        And = "&",
        /// `a | b`
        Or = "|",
        /// `a ^ b`
        Xor = "^",
        /// `a @ b`
        MatMul = "@",
    }
);

words!(
    /// Python's unary operators.
    UnaryOp {
        /// `-a`
        Neg = "neg",
        /// `+a`
        Pos = "pos",
        /// `~a`
        Invert = "invert",
        /// `not a`
        Not = "not",
        /// `bool(a)`, as a condition asks it.
        Bool = "bool",
    }
);

words!(
    /// Python's comparisons.
    CompareOp {
        /// `a < b`
        Lt = "<",
        /// `a <= b`
        Le = "<=",
        /// `a == b`
        Eq = "==",
        /// `a != b`
        Ne = "!=",
        /// `a > b`
        Gt = ">",
        /// `a >= b`
        Ge = ">=",
        /// `a is b`
        Is = "is",
        /// `a is not b`
        IsNot = "is_not",
        /// `a in b`
        In = "in",
    }
);

words!(
    /// Comparisons of machine integers.
    IntCond {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Signed less.
        Slt = "slt",
        /// Signed less or equal.
        Sle = "sle",
        /// Signed greater.
        Sgt = "sgt",
        /// Signed greater or equal.
        Sge = "sge",
        /// Unsigned less.
        Ult = "ult",
        /// Unsigned less or equal.
        Ule = "ule",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Unsigned greater or equal.
        Uge = "uge",
    }
);

impl IntCond {
    /// The comparison that is true where this one is false.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
        }
    }
}

words!(
    /// Comparisons of machine floats. All but `ne` and `uno` are false where an operand is NaN.
    FloatCond {
        /// Equal.
        Eq = "oeq",
        /// Not equal, or an operand is NaN.
        Ne = "une",
        /// Less.
        Lt = "olt",
        /// Less or equal.
        Le = "ole",
        /// Greater.
        Gt = "ogt",
        /// Greater or equal.
        Ge = "oge",
        /// An operand is NaN.
        Uno = "uno",
        /// No operand is NaN.
        Ord = "ord",
    }
);

/// What a function is given after it was made, as CPython numbers it: the number of
/// `python "function_attribute"`, whose operands are that and the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionAttribute {
    /// Values of the last parameters that are given by position: a tuple.
    Defaults = 1,
    /// Values of keyword-only parameters: a dict.
    KeywordDefaults = 2,
    /// Annotations.
    Annotations = 4,
    /// What it shares with the functions around it: a tuple of cells.
    Closure = 8,
}

impl FunctionAttribute {
    /// Every one, in the order of their numbers.
    pub const ALL: [FunctionAttribute; 4] = [
        FunctionAttribute::Defaults,
        FunctionAttribute::KeywordDefaults,
        FunctionAttribute::Annotations,
        FunctionAttribute::Closure,
    ];

    /// Its name in [`crate::Op::Python`].
    pub const OP: &'static str = "function_attribute";

    /// CPython's number.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// The attribute of this number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }
}
