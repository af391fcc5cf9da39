//! The Numba-shaped form of a function: statements over named variables.
//!
//! | file | what |
//! |---|---|
//! | `names` | a variable for every SSA value |
//! | `out_of_ssa` | block parameters become copies in predecessors |
//! | `statements` | one instruction's statements |
//! | `insert_dels` | where the last use of each variable is |
//! | `model` | blocks and statements before they are text |
//! | `into_ssa` | the way back: statements over variables become a function in SSA form |
//!
//! A function in SSA form is shown as blocks under labels that are bytecode offsets. A variable is
//! called `acc`, and `acc.1` where it is assigned again; what has no name is called `$12.1` after
//! the block and the place where it is made. Behind each statement stand its variables.
//!
//! Absent: any part in compilation where no rewrites of the user take part, and these rewrites (`rumba.rewriting`).

mod insert_dels;
mod into_ssa;
mod model;
mod names;
mod out_of_ssa;
mod statements;

pub use into_ssa::{BlockId, IrBlock, Kind, NumbaIr, SsaMap, Stmt, VarData, VarId, rebuild, rebuild_traced};

use ir::Function;

/// A name that stands for a value outside of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside<'a> {
    /// A global or built-in name.
    Global(&'a str),
    /// A closure variable, by index.
    Freevar(usize),
}

/// Tells how Python shows the value of a name outside of the function: `<class 'range'>`.
pub type Describe<'a> = dyn Fn(Outside<'_>) -> Option<String> + 'a;

/// The text of a function of the Untyped phase.
pub fn numba_text(func: &Function, describe: &Describe<'_>) -> String {
    let mut view = model::View::new(func);
    statements::translate(&mut view, describe);
    out_of_ssa::place(&mut view);
    insert_dels::insert(&mut view);
    view.to_string()
}
