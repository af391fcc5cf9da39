//! Operators and NumPy's elementwise functions on arrays, based on the scalar rules.
//!
//! There is one mechanism for `a + b` and for `a * b + np.sqrt(c)`: a *program* (`program`) of functions of items, whose
//! shape is the broadcast one (`shapes`), which loops compute (`loops`) into new memory or into that of an array
//! (`emission`). `rules` offers each function alone to the catalog; `fusion` joins those of an expression.
//!
//! Nothing here knows what a function does with items: any function of scalars in [`ufunc_table::FUNCTIONS`] takes arrays.

mod broadcast;
mod codegen;
mod fusion;
mod item;
mod joined;
mod loop_nest;
mod postfix;
mod rules;
mod ufunc_table;

pub use fusion::{Pair, fuse_elementwise};
pub(crate) use rules::add;
