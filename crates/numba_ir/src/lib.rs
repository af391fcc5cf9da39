//! The Numba-shaped form of a function: statements over named variables.
//!
//! | file | what |
//! |---|---|
//! | `model` | statements over named variables, in blocks |
//! | `view` | a function as such statements, for dumps and for rewrites |
//! | `names` | a variable for every SSA value |
//! | `out_of_ssa` | block parameters become copies in predecessors |
//! | `text`, `statements` | the view as text |
//! | `insert_dels` | inserts `del` after last uses |
//! | `into_ssa` | the reverse: statements over variables become a function in SSA form |
//!
//! A function in SSA form is shown as blocks under labels that are bytecode offsets. A variable is
//! called `acc`, and `acc.1` where it is assigned again; what has no name is called `$12.1` after
//! the block and the place where it is made. After each statement stand its variables.
//!
//! Absent: users' rewrites (`rumba.rewriting`). Compilations without rewrites do not use this crate.

mod insert_dels;
mod into_ssa;
mod model;
mod names;
mod out_of_ssa;
mod statements;
mod text;
mod view;

pub use into_ssa::{SsaMap, rebuild, rebuild_traced};
pub use model::{BlockId, IrBlock, Kind, NumbaIr, Stmt, VarData, VarId};
pub use view::{View, ViewBlock, ViewVar, view};

use ir::Function;

/// A name that stands for a value outside the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside<'a> {
    /// A global or built-in name.
    Global(&'a str),
    /// A closure variable, by index.
    Freevar(usize),
}

/// Tells how Python shows the value of a name outside the function: `<class 'range'>`.
pub type Describe<'a> = dyn Fn(Outside<'_>) -> Option<String> + 'a;

/// The text of a function of the Untyped phase.
pub fn numba_text(func: &Function, describe: &Describe<'_>) -> String {
    let mut text = statements::translate(func, &view(func), describe);
    insert_dels::insert(&mut text);
    text.to_string()
}
