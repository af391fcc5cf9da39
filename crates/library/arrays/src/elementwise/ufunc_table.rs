//! The table of ufuncs, and the operators that correspond to them.

use catalog::Key;
use ir::{BinaryOp, CompareOp, UnaryOp};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use types::{ElementKernel, Handle, Type, TypeTable};

/// A function of items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ItemFunction {
    pub name: FunctionName,
    /// How many operands it takes.
    pub arity: usize,
}

/// What a function of items is called in programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FunctionName {
    /// A function of the catalog, by its dotted name.
    Known(&'static str),
    /// A user's function that was compiled: `kernel.` and the number of the function of arrays that calls it for each element.
    Kernel(Handle),
}

/// How the names of users' functions begin.
const KERNEL: &str = "kernel.";

impl Display for FunctionName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FunctionName::Known(name) => f.write_str(name),
            FunctionName::Kernel(function) => write!(f, "{KERNEL}{}", function.0),
        }
    }
}

macro_rules! functions {
    ($($arity:literal: $($name:ident)*;)*) => {
        /// All of them.
        pub(crate) const FUNCTIONS: &[ItemFunction] =
            &[$($(ItemFunction {
                name: FunctionName::Known(concat!("numpy.", stringify!($name))),
                arity: $arity,
            }),*),*];

        /// Calls a macro with the name and the arity of each.
        macro_rules! for_each_function {
            ($with:ident) => { $($($with!(concat!("numpy.", stringify!($name)), $arity);)*)* };
        }
        pub(crate) use for_each_function;
    };
}

functions! {
    1: absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil conjugate cos cosh deg2rad degrees exp exp2
       expm1 fabs floor invert isfinite isinf isnan isnat log log10 log1p log2 logical_not negative positive rad2deg
       radians reciprocal rint sign signbit sin sinh spacing sqrt square tan tanh trunc angle;
    2: add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal float_power floor_divide fmax fmin fmod gcd
       greater greater_equal heaviside hypot lcm ldexp left_shift less less_equal logaddexp logaddexp2 logical_and
       logical_or logical_xor maximum minimum multiply nextafter not_equal power remainder right_shift subtract;
    3: where;
}

/// Other functions that mean one of them.
const ALIASES: &[(&str, &str)] = &[("builtins.abs", "numpy.absolute")];

/// Those that raise where an item cannot be computed: a negative power of an integer.
const RAISE_FOR_INTEGERS: &[&str] = &["numpy.power"];

/// Those that take a few instructions of the machine for an item.
const QUICK: &str = "absolute add bitwise_and bitwise_or bitwise_xor ceil conjugate copysign deg2rad degrees equal fabs floor fmax fmin \
    greater greater_equal invert isfinite isinf isnan left_shift less less_equal logical_and logical_not logical_or logical_xor \
    maximum minimum multiply negative not_equal positive rad2deg radians right_shift rint sign signbit square subtract trunc where";

impl ItemFunction {
    /// Whether an item may be computed again rather than kept.
    pub fn is_quick(self) -> bool {
        let FunctionName::Known(name) = self.name else { return false };
        name.strip_prefix("numpy.").is_some_and(|name| QUICK.split_whitespace().any(|quick| quick == name))
    }

    /// Whether it may raise where the result has items of this type.
    pub fn may_raise(self, result: Type) -> bool {
        match self.name {
            FunctionName::Known(name) => result.is_int() && RAISE_FOR_INTEGERS.contains(&name),
            FunctionName::Kernel(_) => true,
        }
    }
}

/// The function with this name.
pub(crate) fn function(name: &str) -> Option<ItemFunction> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    FUNCTIONS
        .iter()
        .copied()
        .find(|function| matches!(function.name, FunctionName::Known(known) if known == name))
}

/// The function that a compiled function calls for each element, if it does nothing else.
pub(crate) fn kernel_of(types: &TypeTable, function: Handle) -> Option<ItemFunction> {
    let kernel = types.element_kernel(function)?;
    Some(ItemFunction { name: FunctionName::Kernel(function), arity: kernel.params.len() })
}

/// The user's function that a word of a program names.
pub(crate) fn kernel(types: &TypeTable, word: &str) -> Option<Arc<ElementKernel>> {
    types.element_kernel(Handle(word.strip_prefix(KERNEL)?.parse().ok()?))
}

macro_rules! operators {
    ($($kind:ident $op:ident::$variant:ident $arity:literal $name:ident;)*) => {
        /// Operators with the functions that they are for arrays.
        const OPERATORS: &[(Key, &str)] =
            &[$((Key::$kind($op::$variant), concat!("numpy.", stringify!($name)))),*];

        /// Calls a macro with the key, the function and its arity for each.
        macro_rules! for_each_operator {
            ($with:ident) => {
                $($with!(Key::$kind($op::$variant), concat!("numpy.", stringify!($name)), $arity);)*
            };
        }
        pub(crate) use for_each_operator;
    };
}

operators! {
    Binary BinaryOp::Add 2 add;
    Binary BinaryOp::Sub 2 subtract;
    Binary BinaryOp::Mul 2 multiply;
    Binary BinaryOp::TrueDiv 2 divide;
    Binary BinaryOp::FloorDiv 2 floor_divide;
    Binary BinaryOp::Mod 2 remainder;
    Binary BinaryOp::Pow 2 power;
    Binary BinaryOp::And 2 bitwise_and;
    Binary BinaryOp::Or 2 bitwise_or;
    Binary BinaryOp::Xor 2 bitwise_xor;
    Binary BinaryOp::Shl 2 left_shift;
    Binary BinaryOp::Shr 2 right_shift;
    Unary UnaryOp::Neg 1 negative;
    Unary UnaryOp::Pos 1 positive;
    Unary UnaryOp::Invert 1 invert;
    Compare CompareOp::Lt 2 less;
    Compare CompareOp::Le 2 less_equal;
    Compare CompareOp::Eq 2 equal;
    Compare CompareOp::Ne 2 not_equal;
    Compare CompareOp::Gt 2 greater;
    Compare CompareOp::Ge 2 greater_equal;
    Inplace BinaryOp::Add 2 add;
    Inplace BinaryOp::Sub 2 subtract;
    Inplace BinaryOp::Mul 2 multiply;
    Inplace BinaryOp::TrueDiv 2 divide;
    Inplace BinaryOp::FloorDiv 2 floor_divide;
    Inplace BinaryOp::Mod 2 remainder;
    Inplace BinaryOp::Pow 2 power;
    Inplace BinaryOp::And 2 bitwise_and;
    Inplace BinaryOp::Or 2 bitwise_or;
    Inplace BinaryOp::Xor 2 bitwise_xor;
    Inplace BinaryOp::Shl 2 left_shift;
    Inplace BinaryOp::Shr 2 right_shift;
}

/// The function that an operator is.
pub(crate) fn of_operator(key: &Key) -> Option<ItemFunction> {
    OPERATORS.iter().find(|(operator, _)| operator == key).and_then(|(_, name)| function(name))
}

/// The operator that means a function.
pub(crate) fn operator_of(name: &str) -> Option<&'static Key> {
    OPERATORS.iter().find(|(_, function)| *function == name).map(|(key, _)| key)
}
