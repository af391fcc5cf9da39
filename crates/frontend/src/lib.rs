//! The front end: common instructions of a stack machine become Untyped IR in SSA form.
//!
//! | file | what |
//! |---|---|
//! | `regions` | basic blocks: where they begin, where they go, who handles their exceptions |
//! | `shape` | what stands on the stack where each block begins |
//! | `unbound` | names that may be unbound where they are read |
//! | `variables` | liveness, which blocks need which parameters |
//! | `rename` | the walk over the dominator tree that gives every use its value |
//! | `idle` | handlers that do nothing |
//! | `translate`, `locals`, `rare` | one instruction's ops |
//! | `words` | names of operators |
//!
//! Every code object of CPython passes, generators and class bodies too: what later phases
//! cannot compile is an ordinary op there (`python "name"`).
//!
//! Absent: types (those that the user declared for names pass through), names' meanings, differences between CPython versions (`bytecode` settled them).

mod constants;
mod idle;
mod locals;
mod rare;
mod regions;
mod rename;
mod shape;
mod translate;
mod unbound;
mod variables;
mod words;

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

/// The same where what is stored to a name with a declared type is converted to it.
pub fn build_declared(
    code: &CodeSnapshot,
    decoded: &Decoded,
    declared: &[(String, Type)],
) -> Result<Function> {
    let regions = control_flow(code, decoded)?;
    let shapes = shape::compute(code, decoded, &regions)?;
    let plan = variables::plan(code, decoded, &regions, &shapes);
    let mut func = rename::build(code, decoded, &regions, &shapes, &plan, declared)?;
    idle::remove(&mut func);
    Ok(func)
}
