//! A second copy of a loop's blocks: one more round, in front of the loop or behind each of its rounds.

use entity::HashMap;
use ir::{Block, Builder, Function, Value};

/// Copies the blocks of a loop; gives the copy of each. The ways back of the copy lead to the head of the loop, and what leaves the loop leaves the
/// copy for the same blocks with its own values.
pub(crate) fn copy_round(func: &mut Function, header: Block, blocks: &[Block]) -> HashMap<Block, Block> {
    let mut copies: HashMap<Block, Block> = HashMap::default();
    let mut values: HashMap<Value, Value> = HashMap::default();
    for &block in blocks {
        let copy = func.add_block(func.blocks[block].label);
        func.blocks[copy].cold = func.blocks[block].cold;
        copies.insert(block, copy);
        for param in func.blocks[block].params.clone() {
            let made = func.add_param(copy, func.values[param].ty);
            rename(func, &mut values, (param, made));
        }
    }
    // What a block reads comes from those in front of it, which may stand behind it here: all values are made before.
    let mut made = Vec::new();
    for &block in blocks {
        for inst in func.blocks[block].insts.clone() {
            let data = func.insts[inst].clone();
            let types: Vec<_> = data.results.iter().map(|&result| func.values[result].ty).collect();
            let mut builder = Builder::new(func, copies[&block]);
            builder.span = data.span;
            let copy = builder.inst(data.op, data.attrs.iter().cloned(), &data.args, &types);
            let results = func.insts[copy].results.clone();
            for (&old, &new) in data.results.iter().zip(&results) {
                rename(func, &mut values, (old, new));
            }
            func.insts[copy].targets = data.targets;
            made.push(copy);
        }
    }
    let read = |value: &mut Value| *value = values.get(value).copied().unwrap_or(*value);
    for inst in made {
        let data = &mut func.insts[inst];
        data.args.iter_mut().for_each(read);
        for target in &mut data.targets {
            target.args.iter_mut().for_each(read);
            if target.block != header {
                target.block = copies.get(&target.block).copied().unwrap_or(target.block);
            }
        }
    }
    copies
}

/// A value of the copy has the name of the one that it is a copy of.
fn rename(func: &mut Function, values: &mut HashMap<Value, Value>, (old, new): (Value, Value)) {
    func.values[new].name = func.values[old].name;
    func.values[new].version = func.values[old].version;
    values.insert(old, new);
}
