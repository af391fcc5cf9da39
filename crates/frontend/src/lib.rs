//! The front end: common instructions of a stack machine become Untyped IR in SSA form.
//!
//! | file | what |
//! |---|---|
//! | `regions` | basic blocks: where they begin, where they go, who handles their exceptions |
//! | `shape` | what stands on the stack where each block begins |
//! | `unbound` | names that may be unbound where they are read |
//! | `variables` | liveness, which blocks need which parameters |
//! | `rename` | the walk over the dominator tree that gives every use its value |
//! | `comprehensions` | those that CPython before 3.12 makes functions of |
//! | `idle` | handlers that do nothing |
//! | `redundant` | parameters of blocks that hold one value only |
//! | `generators` | generator expressions as functions that return |
//! | `translate`, `locals`, `rare` | one instruction's ops |
//! | `words` | names of operators |
//!
//! Every code object of CPython passes, generators and class bodies too: what later phases
//! cannot compile is an ordinary op there (`python "name"`).
//!
//! Absent: types (those that the user declared for names pass through), names' meanings, differences between CPython versions (`bytecode` settled them).

mod comprehensions;
mod constants;
mod displays;
pub mod generators;
mod idle;
mod later;
mod locals;
mod rare;
mod redundant;
mod regions;
mod rename;
mod shape;
mod translate;
mod unbound;
mod variables;
mod words;

pub use constants::intern_constant;
pub use regions::{Region, Regions};

use bytecode::{CodeSnapshot, Decoded};
use diag::Result;
use ir::Function;
use types::Type;

/// The control-flow graph of decoded instructions, before SSA: one node per basic block.
pub fn control_flow(code: &CodeSnapshot, decoded: &Decoded) -> Result<Regions> {
    let coarse = Regions::compute(decoded)?;
    let shapes = shape::compute(code, decoded, &coarse)?;
    if decoded.exceptions.is_empty() {
        return Ok(coarse);
    }
    Ok(variables::split_for_handlers(code, decoded, coarse, &shapes))
}

/// The function in Untyped SSA form.
pub fn build(code: &CodeSnapshot, decoded: &Decoded) -> Result<Function> {
    build_declared(code, decoded, &[])
}

/// The function as its compilation begins with it: as [`build_declared`] makes it, comprehensions in their places; what gives
/// the values of a generator expression becomes a function that returns.
pub fn build_whole(code: &CodeSnapshot, decoded: &Decoded, declared: &[(String, Type)]) -> Result<Function> {
    let mut func = build_raw(code, decoded, declared)?;
    if generators::is_expression(code) {
        generators::remove_conversion(&mut func);
        remove_idle(&mut func);
        generators::form(&mut func)?;
    } else {
        remove_idle(&mut func);
    }
    comprehensions::inline(&mut func, code)?;
    later::raise_where_reached(&mut func);
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
    idle::remove(func);
    redundant::remove(func);
}

fn build_raw(code: &CodeSnapshot, decoded: &Decoded, declared: &[(String, Type)]) -> Result<Function> {
    let regions = control_flow(code, decoded)?;
    let shapes = shape::compute(code, decoded, &regions)?;
    let plan = variables::plan(code, decoded, &regions, &shapes);
    let mut func = rename::build(code, decoded, &regions, &shapes, &plan, declared)?;
    displays::join(&mut func);
    Ok(func)
}
