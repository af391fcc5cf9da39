//! Precomputed plans for boxing and unboxing.
//!
//! A compiled function has no wrapper of its own: the dispatcher follows its plan. Layout of the
//! words: [`abi::Thunk`].

pub mod borrowed_lists;
mod boxing;
mod context;
pub mod conversions;
pub mod dicts_sets;
pub mod hold;
pub mod identities;
mod identity;
pub mod keepalive;
pub mod layout;
pub mod lists;
mod make_boxing;
mod make_unboxing;
mod mirrors;
mod object_arrays;
pub mod scalars;
mod table_class;
mod unbox;
mod unbox_error;
pub mod value_types;

pub use boxing::Boxing;
pub use context::BoxingCx;
pub use make_boxing::boxing;
pub use make_unboxing::{holds_integers_for, unboxing};
pub use mirrors::MirrorStep;
pub use scalars::ScalarClass;
pub use unbox::{FunctionStep, RecordStep, Unbox};
