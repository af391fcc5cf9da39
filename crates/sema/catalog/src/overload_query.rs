//! Queries for implementations in Python libraries, if no rule of the catalog accepts the arguments.

use std::sync::Arc;
use types::{Handle, Type};

/// What is implemented.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Extended {
    /// A function, by its dotted name.
    Function(Arc<str>),
    /// A method of values of a type; the value is its first argument.
    Method(Type, Arc<str>),
    /// An attribute of values of a type; the value is its only argument.
    Attribute(Type, Arc<str>),
}

/// A call that may be of something that a library implements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ExtensionQuery {
    /// What is called.
    pub what: Extended,
    /// Types of the arguments, those by name last.
    pub args: Vec<Type>,
    /// Names of the last arguments.
    pub names: Vec<String>,
    /// How many implementations that fit are known to be of no use: the next one is wanted.
    pub skip: usize,
    /// Whether an implementation for the values that types know is preferred to one for plain types.
    pub prefer_literal: bool,
}

/// Machine code that a library wrote, or that was compiled of its Python before.
#[derive(Clone, PartialEq, Debug)]
pub struct NativeCode {
    /// Its symbol.
    pub symbol: Arc<str>,
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// Type of its result.
    pub result: Type,
    /// The function, as text of LLVM's IR; nothing for an instance of Rumba's own library, which the session
    /// knows by the symbol.
    pub text: Option<Arc<str>>,
    /// Whether it returns a status.
    pub can_fail: bool,
    /// Which argument of the call each parameter gets.
    pub order: Vec<usize>,
}

/// What a library says of a call.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Extension {
    /// The compiled function that implements it, and whether it wants literal types.
    pub function: Option<(Handle, bool)>,
    /// Or the machine code that does.
    pub native: Option<NativeCode>,
    /// Arguments of which the library wants to know the value, and does not.
    pub unknown: Vec<usize>,
    /// Who was asked and why nothing came of it, one paragraph each.
    pub rejected: Vec<String>,
}
