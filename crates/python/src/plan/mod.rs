//! Precomputed plans that turn Python values into words and words into Python values.
//!
//! A compiled function has no wrapper of its own: the dispatcher follows its plan. Layout of the
//! words: [`abi::Thunk`].

mod boxing;
pub(crate) mod conversions;
pub(crate) mod dicts_sets;
mod identity;
pub(crate) mod lists;
pub(crate) mod pins;
mod unbox;

pub use boxing::Boxing;
pub use unbox::{FunctionStep, ScalarClass, ScalarContent, Unbox};
