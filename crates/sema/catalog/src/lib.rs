//! The catalog: what calls, indexing, operators and attribute access mean for given types.
//!
//! A [`Catalog`] maps a [`Key`] (an operator, a function by its dotted name, ...) to [`Rule`]s. A
//! rule looks at argument types and gives a [`Resolution`]: the signature, and the function that
//! emits the machine operations ([`EmitFn`]). Typing and emission of a feature are therefore
//! in the same file, for example in `builtins`.
//!
//! [`Emit`] is the environment of emission functions: a builder of the Explicit phase, the data model
//! ([`machine_types`]) and ways to raise.
//!
//! Absent: the features themselves (`builtins`), inference, and Python. Queries that only Python can answer go
//! through [`Host`].

pub mod array;
mod attribute;
pub mod c_abi;
mod callable_union;
mod callees;
mod calls;
mod cast;
pub mod charseq;
mod class_pattern;
mod class_union;
pub mod closure_cell;
mod data_model;
pub mod datetime;
mod effects;
pub mod element;
mod emit;
pub mod exception_args;
mod exceptions;
mod function_pointer;
pub mod generator;
mod half_operands;
mod half_precision;
mod host;
pub mod item_layout;
mod no_cast;
pub mod object_layout;
mod object_ops;
mod overload_query;
mod parallel_nest;
mod protection;
mod python_function;
mod refcount;
mod rule;
pub mod string;
mod tagged_union;

pub use abi::LEFT_OUT;
pub use attribute::{assigned_attribute, attribute, field};
pub use callable_union::{
    VALUE_PREFIX, constant_symbols, frozen, is_frozen_form, object_symbol, value_symbol,
};
pub use callees::{Callees, ChunkFunction, ChunkFunctions};
pub use calls::{call_native, external, propagate, references, stack_limit, stack_word};
pub use cast::{cast, slice_part};
pub use class_pattern::{PatternPart, pattern_parts};
pub use data_model::{machine_types, owners, owns_iterator_state, owns_memory};
pub use effects::{Exhausted, FunctionInfo, Made, Parameter, Put, Returned, Shows, Special};
pub use emit::{Emit, ErrorModel, Operand, RefScope, Search, Semantics, constant_text};
pub use exception_args::as_word;
pub use exceptions::{caught_classes, exception_classes, may_be_caught};
pub use host::{
    Callee, CalleeIr, ExceptionPart, GlobalValue, Host, InlineQuery, Parameters, Raised, Scalars,
};
pub use object_ops::{ObjectOp, object_names, object_op, object_operator};
pub use overload_query::{Extended, Extension, ExtensionQuery, NativeCode};
pub use protection::Protection;
pub use rule::{Case, Catalog, EmitFn, Key, Resolution, Resolutions, Resolved, Rule};
