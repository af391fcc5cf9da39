//! Unrolls small loops that poll in each iteration by two, so that they poll in every other one.
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
//! If an iteration has only a few instructions, the two of a poll take a twentieth of its time.

use crate::loop_copies::copy_iteration;
use crate::place_polls::{Poll, remove};
use crate::range_analysis::Loops;
use entity::HashSet;
use flow::LoopId;
use ir::{Block, BlockCall, Effect, Function, Inst, Op, Value};

/// Larger loops spend little of their time on polls.
const MAX_INSTS: usize = 32;

/// A loop whose body is to stand there twice.
pub(crate) struct SecondIteration {
    header: Block,
    blocks: Vec<Block>,
}

impl SecondIteration {
    /// Nothing for loops that are large or around others, or of which more is known outside than their ends pass on.
    pub(crate) fn plan(loops: &Loops<'_>, this: LoopId) -> Option<SecondIteration> {
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
            && insts().count() <= MAX_INSTS
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
        let is_known = others.any(|data| data.uses().any(|value| inside.contains(&value)));
        (!is_known).then(|| SecondIteration { header: forest.get(this).header, blocks })
    }

    /// Gives the block of the copy that stands for that of the poll, which is gone: there the loop polls.
    pub(crate) fn form(&self, func: &mut Function, poll: &Poll) -> Block {
        remove(func, poll);
        let copies = copy_iteration(func, self.header, &self.blocks);
        self.go_on_in(func, copies[&self.header]);
        copies[&poll.block]
    }

    /// The first iteration leads to the second.
    fn go_on_in(&self, func: &mut Function, second: Block) {
        for &block in &self.blocks {
            let Some(last) = func.terminator(block) else { continue };
            let back = |target: &&mut BlockCall| target.block == self.header;
            func.insts[last].targets.iter_mut().filter(back).for_each(|target| target.block = second);
        }
    }
}
