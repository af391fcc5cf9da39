//! The front end: common instructions of a stack machine become Untyped IR in SSA form.
//!
//! | file | what |
//! |---|---|
//! | `basic_blocks` | basic blocks: boundaries, edges, exception handlers |
//! | `stack_shape` | the stack at the start of each block |
//! | `definite_assignment` | variables that may be unbound where they are read |
//! | `ssa_placement` | liveness, placement of block parameters |
//! | `ssa_rename` | the walk over the dominator tree that gives every use its value |
//! | `inline_comprehensions` | inlining of comprehensions, which are functions in CPython before 3.12 |
//! | `trivial_handlers` | removal of handlers that only reraise |
//! | `handlers` | which exception is being handled |
//! | `redundant` | removal of block parameters with a single value |
//! | `generator_expressions` | generator expressions as functions that return |
//! | `yields` | functions with `yield` |
//! | `context_managers`, `python_blocks` | `with` blocks that Python runs |
//! | `translate`, `locals`, `unsupported_ops` | one instruction's ops |
//! | `op_names` | names of operators |
//!
//! Every code object of CPython is accepted, including generators and class bodies: anything that later phases
//! cannot compile is an ordinary op (`python "name"`).
//!
//! Absent: types (except those that users declare for variables), the meaning of names, differences between CPython versions (`bytecode` removes them).

mod basic_blocks;
mod constants;
mod context_managers;
mod definite_assignment;
mod dict_literals;
pub mod generator_expressions;
mod handlers;
mod inline_comprehensions;
mod locals;
mod op_names;
mod python_blocks;
mod redundant;
mod ssa_placement;
mod ssa_rename;
mod stack_shape;
mod translate;
mod trivial_handlers;
mod unsupported_ops;
mod yields;

pub use basic_blocks::{Region, Regions};
pub use constants::intern_constant;
pub use context_managers::{Expression, WithStatement, with_statements};
pub use dict_literals::join_dict_literals;
pub use handlers::finalize_handlers;
pub use inline_comprehensions::inline_comprehensions;
pub use python_blocks::{Bodies, Body, replace_python_blocks};
pub use redundant::remove_redundant_params;
pub use trivial_handlers::remove_trivial_handlers;
pub use yields::form_generator;

use bytecode::{CodeSnapshot, Decoded};
use diag::Result;
use ir::Function;
use types::Type;

/// The control-flow graph of decoded instructions, before SSA: one node per basic block.
pub fn control_flow(code: &CodeSnapshot, decoded: &Decoded) -> Result<Regions> {
    let coarse = Regions::compute(decoded)?;
    let shapes = stack_shape::compute(code, decoded, &coarse)?;
    if decoded.exceptions.is_empty() {
        return Ok(coarse);
    }
    Ok(ssa_placement::split_for_handlers(code, decoded, coarse, &shapes))
}

/// The function in Untyped SSA form, without what does nothing.
pub fn build(code: &CodeSnapshot, decoded: &Decoded) -> Result<Function> {
    let mut func = build_ssa(code, decoded, &[])?;
    join_dict_literals(&mut func);
    remove_trivial_handlers(&mut func);
    remove_redundant_params(&mut func);
    Ok(func)
}

/// The function in Untyped SSA form, instruction by instruction. What is stored to a name with a declared type is
/// converted to it.
pub fn build_ssa(code: &CodeSnapshot, decoded: &Decoded, declared: &[(String, Type)]) -> Result<Function> {
    let regions = control_flow(code, decoded)?;
    let shapes = stack_shape::compute(code, decoded, &regions)?;
    let plan = ssa_placement::plan(code, decoded, &regions, &shapes);
    ssa_rename::build(code, decoded, &regions, &shapes, &plan, declared)
}
