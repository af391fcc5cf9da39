//! Precomputed plans that turn Python values into words and words into Python values.
//!
//! A compiled function has no wrapper of its own: the dispatcher follows its plan. Layout of the
//! words: [`abi::Thunk`].

mod boxing;
mod context;
pub(crate) mod conversions;
pub(crate) mod dicts_sets;
pub(crate) mod hold;
mod identity;
pub(crate) mod lent_lists;
pub(crate) mod lists;
pub(crate) mod pins;
pub(crate) mod scalars;
mod unbox;

pub use boxing::Boxing;
pub use context::BoxingCx;
pub use scalars::ScalarClass;
pub use unbox::{FunctionStep, RecordStep, Unbox};
