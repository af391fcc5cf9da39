//! Dead code elimination: removes unused pure instructions and joins blocks with a single predecessor.

use entity::SideTable;
use flow::Cfg;
use ir::{Block, Def, Effect, Function, Op, Value};

/// Removes unused computations and merges each block with its only predecessor, if it is that block's only successor.
pub fn eliminate_dead_code(func: &mut Function) {
    remove_unused(func);
    join_blocks(func);
}

fn remove_unused(func: &mut Function) {
    let mut needed: SideTable<Value, bool> = SideTable::new();
    let mut open: Vec<Value> = Vec::new();
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    for data in insts.map(|&inst| &func.insts[inst]) {
        if !is_removable(data.op) {
            open.extend(&data.args);
        }
        open.extend(data.targets.iter().flat_map(|target| &target.args));
    }
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut needed[value], true)
            && let Def::Result(inst, _) = func.values[value].def
            && is_removable(func.insts[inst].op)
        {
            open.extend(&func.insts[inst].args);
        }
    }
    let Function { insts, blocks, layout, .. } = func;
    for &block in layout.iter() {
        blocks[block].insts.retain(|&inst| {
            let data = &insts[inst];
            !is_removable(data.op) || data.results.iter().any(|&result| needed[result])
        });
    }
}

/// Whether an instruction without users may go.
fn is_removable(op: Op) -> bool {
    matches!(op.info().effect, Effect::Pure | Effect::Read) && op != Op::Arg
}

/// A block that only one other leads to, and only to which that one leads, becomes its end.
fn join_blocks(func: &mut Function) {
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    let mut joined: SideTable<Block, bool> = SideTable::new();
    for &block in cfg.reverse_postorder() {
        if joined[block] || block == func.entry {
            continue;
        }
        while let Some(next) = only_successor(func, &cfg, block) {
            func.blocks[block].insts.pop();
            let insts = std::mem::take(&mut func.blocks[next].insts);
            func.blocks[block].insts.extend(insts);
            joined[next] = true;
        }
    }
    func.layout.retain(|&block| !joined[block]);
}

/// The block that a block leads to, if it has no parameters and no other block leads there.
fn only_successor(func: &Function, cfg: &Cfg<Block>, block: Block) -> Option<Block> {
    let last = func.terminator(block).filter(|&inst| func.insts[inst].op == Op::Jump)?;
    let next = func.insts[last].targets[0].block;
    let alone = cfg.predecessors(next).len() == 1 && func.blocks[next].params.is_empty() && next != block;
    let alike = func.blocks[next].cold == func.blocks[block].cold && func.blocks[next].handler.is_none();
    (alone && alike).then_some(next)
}
