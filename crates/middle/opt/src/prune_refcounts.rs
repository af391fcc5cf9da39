//! Eliminates refcount pairs: an incref that the next decref of the same owner undoes.
//!
//! ```text
//! incref %owner
//! decref %owner
//! ```
//!
//! Lowering takes an owner where a value gets a second name, as on its way out of the function, and gives it back where
//! the first name is used for the last time.

use ir::{Block, Effect, Function, Inst, Op, Value};

/// Removes the ops that only say who holds a reference: what moves code does not keep them up.
pub fn drop_transfers(func: &mut Function) {
    let Function { insts, blocks, layout, .. } = func;
    for &block in layout.iter() {
        blocks[block].insts.retain(|&inst| !insts[inst].op.is_transfer());
    }
}

/// Removes pairs that stand in a block with nothing between that might free anything.
pub fn eliminate_refcount_pairs(func: &mut Function) {
    for block in func.layout.clone() {
        while let Some((retain, release)) = pair(func, block) {
            func.blocks[block].insts.retain(|&inst| inst != retain && inst != release);
        }
    }
}

fn pair(func: &Function, block: Block) -> Option<(Inst, Inst)> {
    let mut open: Vec<(Value, Inst)> = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        match data.op {
            Op::Incref => open.push((data.args[0], inst)),
            Op::Decref => {
                if let Some(&(_, retain)) = open.iter().rev().find(|(owner, _)| *owner == data.args[0]) {
                    return Some((retain, inst));
                }
                // Another name of the same memory may be what it gives back.
                open.clear();
            }
            _ if data.op.info().effect == Effect::Any && !is_store(data.op) => open.clear(),
            _ => {}
        }
    }
    None
}

/// Writing to memory frees nothing.
fn is_store(op: Op) -> bool {
    matches!(op, Op::Store | Op::StoreUnaligned)
}
