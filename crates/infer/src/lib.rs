//! Type inference: an Untyped function and argument types in, a Typed function out.
//!
//! The types of block parameters only ever grow (they are joined over the edges that can be
//! taken), all other types follow from them; blocks are visited until nothing changes. A branch
//! whose condition is known from its type (a literal, `x is None` of something that cannot be)
//! opens only the edge that is taken, so code for other types is never looked at.
//!
//! | file | what |
//! |---|---|
//! | `engine` | the fixpoint |
//! | `instruction` | the type of each op's results, one function per op |
//! | `values` | types of constants and globals |
//! | `finish` | the Typed function: dead blocks out, promotions on edges, returns cast |
//! | `explain` | diagnostics |
//!
//! Absent: what operators and functions mean (`catalog`), Python (`catalog::Host`).

mod engine;
mod explain;
mod finish;
mod instruction;
mod values;

use catalog::{Catalog, Host};
use diag::Result;
use ir::Function;
use types::{Handle, Type, TypeTable};

/// What inference works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session's types.
    pub types: &'a TypeTable,
    /// What the compiler knows of.
    pub catalog: &'a Catalog,
    /// What only Python can answer.
    pub host: &'a dyn Host,
    /// The function itself as a callee, so that it may call itself.
    pub own: Option<Handle>,
}

/// A function with a type for every value.
#[derive(Debug)]
pub struct Typed {
    /// The function, in the Typed phase.
    pub func: Function,
    /// Type of its result.
    pub result: Type,
    /// Types of its parameters.
    pub params: Vec<Type>,
}

/// Infers the types of all values for arguments of these types. With `result`, the type that the
/// user declared, returned values are converted to it.
pub fn infer(func: &Function, args: &[Type], result: Option<Type>, context: Context<'_>) -> Result<Typed> {
    let mut engine = engine::Engine::new(func, args, result, context);
    engine.run()?;
    finish::finish(engine)
}
