//! The front end: common instructions of a stack machine become Untyped IR in SSA form.
//!
//! | file | what |
//! |---|---|
//! | `basic_blocks` | basic blocks: where they begin, where they go, who handles their exceptions |
//! | `stack_shape` | what stands on the stack where each block begins |
//! | `definite_assignment` | names that may be unbound where they are read |
//! | `ssa_placement` | liveness, which blocks need which parameters |
//! | `ssa_rename` | the walk over the dominator tree that gives every use its value |
//! | `inline_comprehensions` | those that CPython before 3.12 makes functions of |
//! | `trivial_handlers` | handlers that do nothing |
//! | `handlers` | which exception is handled where |
//! | `redundant` | parameters of blocks that hold one value only |
//! | `generator_expressions` | generator expressions as functions that return |
//! | `yields` | functions with `yield` |
//! | `translate`, `locals`, `unsupported_ops` | one instruction's ops |
//! | `op_names` | names of operators |
//!
//! Every code object of CPython passes, generators and class bodies too: what later phases
//! cannot compile is an ordinary op there (`python "name"`).
//!
//! Absent: types (those that the user declared for names pass through), names' meanings, differences between CPython versions (`bytecode` settled them).

mod basic_blocks;
mod constants;
mod definite_assignment;
mod dict_literals;
pub mod generator_expressions;
mod handlers;
mod inline_comprehensions;
mod locals;
mod op_names;
mod redundant;
mod ssa_placement;
mod ssa_rename;
mod stack_shape;
mod translate;
mod trivial_handlers;
mod unsupported_blocks;
mod unsupported_ops;
mod yields;

pub use basic_blocks::{Region, Regions};
pub use constants::intern_constant;

use bytecode::{CodeSnapshot, Decoded, flags};
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

/// The function in Untyped SSA form.
pub fn build(code: &CodeSnapshot, decoded: &Decoded) -> Result<Function> {
    build_declared(code, decoded, &[])
}

/// The function as its compilation begins with it: as [`build_declared`] makes it, comprehensions in their places; what gives
/// the values of a generator expression becomes a function that returns.
pub fn build_whole(code: &CodeSnapshot, decoded: &Decoded, declared: &[(String, Type)]) -> Result<Function> {
    let mut func = build_raw(code, decoded, declared)?;
    if generator_expressions::is_expression(code) {
        generator_expressions::remove_conversion(&mut func);
        remove_idle(&mut func);
        generator_expressions::form(&mut func)?;
    } else if code.has_flag(flags::GENERATOR) {
        yields::form(&mut func);
        remove_idle(&mut func);
    } else {
        remove_idle(&mut func);
    }
    inline_comprehensions::inline(&mut func, code)?;
    handlers::settle(&mut func);
    unsupported_blocks::raise_where_reached(&mut func);
    Ok(func)
}

/// The same where what is stored to a name with a declared type is converted to it.
pub fn build_declared(
    code: &CodeSnapshot,
    decoded: &Decoded,
    declared: &[(String, Type)],
) -> Result<Function> {
    let mut func = build_raw(code, decoded, declared)?;
    remove_idle(&mut func);
    Ok(func)
}

/// Takes away what does nothing.
fn remove_idle(func: &mut Function) {
    trivial_handlers::remove(func);
    redundant::remove(func);
}

fn build_raw(code: &CodeSnapshot, decoded: &Decoded, declared: &[(String, Type)]) -> Result<Function> {
    let regions = control_flow(code, decoded)?;
    let shapes = stack_shape::compute(code, decoded, &regions)?;
    let plan = ssa_placement::plan(code, decoded, &regions, &shapes);
    let mut func = ssa_rename::build(code, decoded, &regions, &shapes, &plan, declared)?;
    dict_literals::join(&mut func);
    Ok(func)
}
