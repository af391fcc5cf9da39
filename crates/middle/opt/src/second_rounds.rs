//! A small loop that would poll each round polls in every other one: its body stands there twice.
//!
//! ```text
//! block2(%i): ...                                  block2(%i): ...
//!     branch %1, block3, block5                        branch %1, block3, block5
//! block3: look for signals                         block3: jump block6(%next)
//!     jump block2(%next)               becomes     block6(%j): ...
//!                                                      branch %4, block7, block5
//!                                                  block7: look for signals
//!                                                      jump block2(%after)
//! ```
//!
//! Where a round is a few instructions, the two of a poll are a twentieth of its time.

use crate::place_polls::{Poll, remove};
use crate::range_analysis::Loops;
use entity::{HashMap, HashSet};
use flow::LoopId;
use ir::{Block, BlockCall, Builder, Effect, Function, Inst, Op, Value};

/// Larger loops spend little of their time on polls.
const MOST_INSTS: usize = 32;

/// A loop whose body is to stand there twice.
pub(crate) struct SecondRound {
    header: Block,
    blocks: Vec<Block>,
}

impl SecondRound {
    /// Nothing for loops that are large or around others, or of which more is known outside than their ends hand on.
    pub(crate) fn plan(loops: &Loops<'_>, this: LoopId) -> Option<SecondRound> {
        let (func, forest) = (loops.func, loops.forest);
        let blocks = forest.body(this).to_vec();
        let is_plain = |&block: &Block| {
            let data = &func.blocks[block];
            forest.innermost(block) == Some(this) && data.handler.is_none() && !data.cold
        };
        let insts = || blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        let is_cheap = |&inst: &Inst| {
            let op = func.insts[inst].op;
            // Next to a division of floats a poll is nothing.
            op != Op::Fdiv && (matches!(op, Op::Poll | Op::Store) || op.info().effect != Effect::Any)
        };
        let fits = forest.get(this).latches.len() == 1
            && blocks.iter().all(is_plain)
            && insts().count() <= MOST_INSTS
            && insts().all(is_cheap);
        if !fits {
            return None;
        }
        let params = blocks.iter().flat_map(|&block| &func.blocks[block].params);
        let made = insts().flat_map(|&inst| &func.insts[inst].results);
        let inside: HashSet<Value> = params.chain(made).copied().collect();
        let elsewhere = func.layout.iter().filter(|&&block| !forest.contains(this, block));
        let mut others =
            elsewhere.flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
        let is_known = others.any(|data| {
            let handed = data.targets.iter().flat_map(|target| &target.args);
            data.args.iter().chain(handed).any(|value| inside.contains(value))
        });
        (!is_known).then(|| SecondRound { header: forest.get(this).header, blocks })
    }

    /// Gives the block of the copy that stands for that of the poll, which is gone: there the loop polls.
    pub(crate) fn form(&self, func: &mut Function, poll: &Poll) -> Block {
        remove(func, poll);
        let mut copies: HashMap<Block, Block> = HashMap::default();
        let mut values: HashMap<Value, Value> = HashMap::default();
        for &block in &self.blocks {
            let copy = func.add_block(func.blocks[block].label);
            copies.insert(block, copy);
            for param in func.blocks[block].params.clone() {
                let made = func.add_param(copy, func.values[param].ty);
                rename(func, &mut values, (param, made));
            }
        }
        // What a block reads comes from those in front of it, which may stand behind it here: all values are made before.
        let mut made = Vec::new();
        for &block in &self.blocks {
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
                // The second round ends where the first one begins.
                if target.block != self.header {
                    target.block = copies.get(&target.block).copied().unwrap_or(target.block);
                }
            }
        }
        self.go_on_in(func, copies[&self.header]);
        copies[&poll.block]
    }

    /// The first round leads to the second.
    fn go_on_in(&self, func: &mut Function, second: Block) {
        for &block in &self.blocks {
            let Some(last) = func.terminator(block) else { continue };
            let back = |target: &&mut BlockCall| target.block == self.header;
            func.insts[last].targets.iter_mut().filter(back).for_each(|target| target.block = second);
        }
    }
}

/// A value of the copy has the name of the one that it is a copy of.
fn rename(func: &mut Function, values: &mut HashMap<Value, Value>, (old, new): (Value, Value)) {
    func.values[new].name = func.values[old].name;
    func.values[new].version = func.values[old].version;
    values.insert(old, new);
}
