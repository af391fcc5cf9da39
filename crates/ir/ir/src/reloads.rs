//! Whether code may load what it has stored, as far as the addresses tell.

use crate::{Block, Def, Function, Op, Value};
use entity::HashSet;

/// Whether blocks load from what they store to, or may: where both begin at the same address.
pub fn reloads(func: &Function, blocks: &[Block]) -> bool {
    let origin = |mut pointer: Value| loop {
        match func.values[pointer].def {
            Def::Result(inst, _) if func.insts[inst].op == Op::PtrAdd => pointer = func.insts[inst].args[0],
            _ => return pointer,
        }
    };
    let accesses = |wanted: Op| {
        let insts = blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        let insts = insts.filter(move |&&inst| func.insts[inst].op == wanted);
        insts.map(|&inst| origin(func.insts[inst].args[0]))
    };
    let stored: HashSet<Value> = accesses(Op::Store).collect();
    accesses(Op::Load).any(|pointer| stored.contains(&pointer))
}
