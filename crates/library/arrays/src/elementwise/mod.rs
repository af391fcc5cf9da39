//! Operators and NumPy's elementwise functions on arrays, based on the scalar rules.
//!
//! There is one mechanism for `a + b` and for `a * b + np.sqrt(c)`: a *program* (`postfix`) of scalar functions, with a
//! broadcast shape (`broadcast`), computed by a loop nest (`loop_nest`) into new memory or into an existing array
//! (`codegen`). `rules` adds single functions to the catalog; `fusion` joins those of an expression.
//!
//! Nothing here depends on what a function does with elements: any scalar function in [`ufunc_table::FUNCTIONS`] accepts arrays.

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
