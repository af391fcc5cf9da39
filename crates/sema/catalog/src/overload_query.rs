//! Queries for implementations in Python libraries, if no rule of the catalog accepts the arguments.

use std::sync::Arc;
use types::{Handle, Type, TypeTable};

/// What a library may implement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Extended {
    /// A function, by its dotted name.
    Function(Arc<str>),
    /// A method of values of a type; the value is its first argument.
    Method(Type, Arc<str>),
    /// An attribute of values of a type; the value is its only argument.
    Attribute(Type, Arc<str>),
}

impl Extended {
    /// As dumps name it: `math.hypot`, `array(float64, 1d, C).sort()`, `array(float64, 1d, C).real`.
    pub fn path(&self, types: &TypeTable) -> String {
        match self {
            Extended::Function(name) => name.to_string(),
            Extended::Method(ty, name) => format!("{}.{name}()", types.name(*ty)),
            Extended::Attribute(ty, name) => format!("{}.{name}", types.name(*ty)),
        }
    }
}

/// A call that a library may implement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ExtensionQuery {
    /// What is called.
    pub what: Extended,
    /// Types of the arguments, those by name last.
    pub args: Vec<Type>,
    /// Names of the last arguments.
    pub names: Vec<String>,
    /// The number of matching implementations to skip, because they turned out to be unusable.
    pub skip: usize,
    /// Whether an implementation for literal types is preferred.
    pub prefer_literal: bool,
    /// By the number of an argument that is made by a display of constants: their types, in a dict each key before its value.
    pub initial_values: Vec<(usize, Arc<[Type]>)>,
}

/// Machine code that an extension wrote, or a precompiled library instance.
#[derive(Clone, PartialEq, Debug)]
pub struct NativeCode {
    /// Its symbol.
    pub symbol: Arc<str>,
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// Type of its result.
    pub result: Type,
    /// The function as LLVM IR text; none for an instance of Rumba's own library, which the session finds by symbol.
    pub text: Option<Arc<str>>,
    /// Whether it returns a status.
    pub can_fail: bool,
    /// Which argument of the call each parameter gets.
    pub order: Vec<usize>,
}

/// A library's answer to a query.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Extension {
    /// The compiled function that implements it, and whether it wants literal types.
    pub function: Option<(Handle, bool)>,
    /// Or the machine code that implements it.
    pub native: Option<NativeCode>,
    /// Arguments whose value the library requests and which are not literals.
    pub unknown: Vec<usize>,
    /// Rejected candidates with the reasons, one paragraph each.
    pub rejected: Vec<String>,
}
