//! Data about a call: how it is written, the argument of each parameter, and its form for library implementations.
//!
//! Absent: who finds that out (`calls`, `overload_resolution`, `minmax_key`), what becomes of it (`desugar`).

use ir::{Const, Value};
use types::{Handle, Type};

/// What a parameter gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// Operand number n of the call, the callee not counted.
    Operand(usize),
    /// Element n of the tuple that `f(*tuple)` passes.
    Element(usize),
    /// The function that is called: a closure is its own first argument.
    Callee,
    /// Part n of the closure that is called: a default.
    Captured(usize),
    /// The item with this key of the dict that `f(**dict)` passes.
    Keyword(String),
    /// A value that is no operand of a call.
    Value(Value),
    /// An exception that is no operand of a call, whose class is to be one of those of the parameter.
    Exception(Value),
    /// A constant: the parameter's default.
    Constant(Const),
    /// A default that is all in its type.
    Type(Type),
    /// Further positional arguments as a tuple, further keyword arguments as a dict.
    Rest(Vec<Argument>),
}

/// What each parameter of a call gets, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoldedCall {
    /// One per parameter.
    pub arguments: Vec<Argument>,
    /// Their types.
    pub types: Vec<Type>,
    /// Of an instance that knows values of its parameters: what those are.
    pub exact: Option<Vec<Type>>,
}

/// What an argument is, and its type.
pub(crate) type Given = (Argument, Type);

/// A call as it is written.
pub(crate) struct Written {
    /// What is called.
    pub callee: Type,
    /// The arguments by position and, last, by name.
    pub given: Vec<Given>,
    /// The names of the last ones.
    pub names: Vec<String>,
}

/// What an instruction is where the catalog has no rule for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Extended {
    /// A call of this compiled function.
    Call(Handle),
    /// A call of machine code, which is all in this type.
    Native(Type),
    /// The operation itself, on what this compiled function gives for its operand with this number.
    Operand(Handle, usize),
    /// The value itself.
    Same(Value),
    /// Nothing: it is part of another call.
    Joined,
}

/// A choice by keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The function that chooses.
    pub function: Type,
    /// What it chooses among.
    pub among: Among,
    /// The operand that is the key.
    pub key: Option<usize>,
    /// Types of the keys.
    pub keys: Vec<Type>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Among {
    /// The items of the first operand after the callee.
    Items,
    /// So many operands after the callee.
    Operands(usize),
    /// Nothing: the result is this operand.
    Default(usize),
}

/// Why an iterator gives no item.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WithoutItems {
    /// There is none.
    Empty,
    /// The iterable that it goes through, the last argument, raises when it computes one.
    Raises,
}
