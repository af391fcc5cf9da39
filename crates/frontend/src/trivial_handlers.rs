//! Removes exception handlers that only reraise. A comprehension inlined by CPython has one that restores variables;
//! values need no restoring, so nothing is left of it.

use ir::{Block, Function, Op};

/// Takes such handlers away.
pub fn remove_trivial_handlers(func: &mut Function) {
    loop {
        let idle: Vec<Block> = func.layout.iter().copied().filter(|&block| is_idle(func, block)).collect();
        let protects = |func: &Function, block: Block| {
            func.blocks[block].handler.as_ref().is_some_and(|call| idle.contains(&call.block))
        };
        let protected: Vec<Block> =
            func.layout.iter().copied().filter(|&block| protects(func, block)).collect();
        if protected.is_empty() {
            return;
        }
        for block in protected {
            func.blocks[block].handler = None;
        }
        let is_entered = |func: &Function, block: Block| {
            func.layout.iter().any(|&from| {
                let handler = func.blocks[from].handler.as_ref();
                func.edges(from).chain(handler).any(|call| call.block == block)
            })
        };
        let gone: Vec<Block> = idle.into_iter().filter(|&block| !is_entered(func, block)).collect();
        func.layout.retain(|block| !gone.contains(block));
    }
}

/// Whether a block, which nobody handles exceptions of, raises the exception that it is given.
fn is_idle(func: &Function, block: Block) -> bool {
    let data = &func.blocks[block];
    match (&data.handler, &data.insts[..]) {
        (None, &[only]) => {
            let inst = &func.insts[only];
            inst.op == Op::Reraise && inst.args.last() == data.params.last()
        }
        _ => false,
    }
}
