//! Clones blocks and their instructions within a function: for unrolling, strips, and second iterations.
//!
//! ```text
//! block2(%i): %n = iadd %i, 1                      block6(%j): %m = iadd %j, 1
//!     jump block2(%n)                  and then        jump block6(%m)
//! ```
//!
//! Absent: bodies of other functions (`inline`), where edges lead that a pass changes.

use entity::HashMap;
use ir::{Block, BlockCall, Builder, Function, Inst, InstData, Value};

/// What stands for blocks and values in a copy.
#[derive(Default)]
pub(crate) struct CloneMap {
    pub blocks: HashMap<Block, Block>,
    pub values: HashMap<Value, Value>,
}

impl CloneMap {
    /// What stands for a value: itself if it comes from outside.
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// An edge whose values are those of the copy, to the same block.
    pub fn args(&self, call: &BlockCall) -> BlockCall {
        BlockCall { block: call.block, args: call.args.iter().map(|&arg| self.value(arg)).collect() }
    }

    /// Copies blocks with how they end: edges between them lead to copies, others to where they led.
    pub fn copy_all(func: &mut Function, blocks: &[Block]) -> CloneMap {
        let mut copy = CloneMap::default();
        for &block in blocks {
            copy.add_block(func, block);
            copy.add_params(func, block);
        }
        // What a block reads may be defined in one that stands after it: all values are made before.
        let mut made = Vec::new();
        for &block in blocks {
            for inst in func.blocks[block].insts.clone() {
                let data = func.insts[inst].clone();
                let copied = copy.push(func, copy.blocks[&block], data);
                func.insts[copied].targets = func.insts[inst].targets.clone();
                made.push(copied);
            }
        }
        for inst in made {
            let data = &mut func.insts[inst];
            data.args.iter_mut().for_each(|arg| *arg = copy.value(*arg));
            for target in &mut data.targets {
                *target = copy.args(target);
                target.block = copy.blocks.get(&target.block).copied().unwrap_or(target.block);
            }
        }
        copy
    }

    /// A block for another one, as cold as that, without parameters.
    pub fn add_block(&mut self, func: &mut Function, block: Block) -> Block {
        let copy = func.add_block(func.blocks[block].label);
        func.blocks[copy].cold = func.blocks[block].cold;
        self.blocks.insert(block, copy);
        copy
    }

    /// The parameters of a block for its copy.
    pub fn add_params(&mut self, func: &mut Function, block: Block) {
        let copy = self.blocks[&block];
        for param in func.blocks[block].params.clone() {
            let made = func.add_param(copy, func.values[param].ty);
            self.values.insert(param, made);
        }
    }

    /// An instruction at the end of a block, which reads what stands for its operands.
    pub fn inst(&mut self, func: &mut Function, to: Block, inst: Inst) -> Inst {
        let mut data = func.insts[inst].clone();
        data.args.iter_mut().for_each(|arg| *arg = self.value(*arg));
        self.push(func, to, data)
    }

    /// The same of an instruction that was changed: its operands are as the copy reads them, its results those that the
    /// copy's stand for.
    pub fn push(&mut self, func: &mut Function, to: Block, data: InstData) -> Inst {
        let types: Vec<_> = data.results.iter().map(|&result| func.values[result].ty).collect();
        let mut builder = Builder::new(func, to);
        builder.span = data.span;
        let made = builder.inst(data.op, data.attrs.iter().cloned(), &data.args, &types);
        let results = func.insts[made].results.clone();
        self.values.extend(data.results.iter().copied().zip(results));
        made
    }
}
