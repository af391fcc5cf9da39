//! Strip mining: counted loops run in strips and poll before each.
//!
//! ```text
//! block1: jump block2(%zero)                       block1: jump block6(%zero)
//! block2(%i):                                      block6(%j):  look for signals
//!     %1 = icmp slt, %i, %n                            %limit = %j + 65536, at most %n
//!     branch %1, block3, block5        becomes         jump block2(%j)
//! block3: ...                                      block2(%i):
//!     %2 = poll                                        %1 = icmp slt, %i, %limit
//!     branch %2, block7, block4                        branch %1, block3, block8
//! block4: jump block2(%next)                       block8:
//!                                                      %3 = icmp slt, %i, %n
//!                                                      branch %3, block6(%i), block5
//!                                                  block3: ... jump block4
//!                                                  block4: jump block2(%next)
//! ```

use crate::counted_loops::{Counted, nearer};
use crate::place_polls::{Poll, look, remove};
use crate::range_analysis::{Conditions, Loops, Nest};
use entity::{HashMap, HashSet};
use flow::LoopId;
use ir::{Block, BlockCall, Builder, Effect, Function, Op, Value};

/// A loop that is to run in strips.
pub(crate) struct Strips {
    pub counted: Counted,
    /// Iterations of a strip.
    length: i64,
    header: Block,
    /// The block after the poll, which does nothing but go to the head.
    latch: Block,
    /// The blocks that only run where a handler raised.
    failing: Vec<Block>,
}

impl Strips {
    /// The poll comes out of the loop: what it leads to where a handler raised must know the values that the next iteration begins with,
    /// and no others of the loop.
    pub(crate) fn plan(
        loops: &Loops<'_>,
        this: LoopId,
        poll: &Poll,
        (counted, length): (Counted, i64),
    ) -> Option<Strips> {
        let func = loops.func;
        let header = loops.forest.get(this).header;
        let [latch] = loops.forest.get(this).latches[..] else { return None };
        let goes_back =
            |block: Block| matches!(func.blocks[block].insts[..], [only] if func.insts[only].op == Op::Jump);
        if poll.go_on.block != latch || !poll.go_on.args.is_empty() || !goes_back(latch) {
            return None;
        }
        let fits = match counted.ahead {
            // What stands in the head runs once more for each strip.
            true => func.blocks[header].insts.iter().all(|&inst| {
                matches!(func.insts[inst].op.info().effect, Effect::Pure | Effect::Read | Effect::Terminator)
            }),
            false => {
                func.blocks[poll.block].insts.len() == 2
                    && func.blocks[poll.block].params.is_empty()
                    && loops.cfg.predecessors(poll.block) == [counted.test]
            }
        };
        if !fits {
            return None;
        }
        let back = func.edges(latch).next()?.args.clone();
        let inside = |value: Value| {
            let nest = Nest { loops, outer: this, conditions: Conditions::default() };
            !nest.is_invariant(value)
        };
        let mut failing = Vec::new();
        let known = |value: &Value| !inside(*value) || back.contains(value);
        if loops.cfg.predecessors(poll.fail.block) != [poll.block] || !poll.fail.args.iter().all(known) {
            return None;
        }
        for block in reached(loops, poll.fail.block) {
            let alone = loops.tree.dominates(poll.fail.block, block);
            if alone {
                failing.push(block);
            } else if !loops.tree.dominates(header, block) {
                // What is used there was known before the loop.
                continue;
            }
            let handler = func.blocks[block].handler.is_some();
            let insts = func.blocks[block].insts.iter().map(|&inst| &func.insts[inst]);
            let mut used = insts.flat_map(|data| data.uses());
            let fits = used.all(|value| !inside(value) || alone && back.contains(&value));
            if handler || loops.forest.contains(this, block) || !fits {
                return None;
            }
        }
        Some(Strips { counted, length, header, latch, failing })
    }

    pub(crate) fn form(self, func: &mut Function, poll: &Poll, flag: Value) {
        let Counted { test, out, .. } = self.counted;
        let back = func.edges(self.latch).next().map(|call| call.args.clone()).unwrap_or_default();
        let first = self.enter_by_strip(func);
        let params: Vec<Value> = func.blocks[first].params.clone();
        // Where a handler raised, the next iteration has not begun.
        let next: HashMap<Value, Value> = back.iter().copied().zip(params.iter().copied()).collect();
        let mut fail = poll.fail.clone();
        fail.args.iter_mut().for_each(|arg| *arg = next.get(arg).copied().unwrap_or(*arg));
        self.rename(func, &next);
        remove(func, poll);
        let begin = func.add_block(func.blocks[self.header].label);
        look(func, first, flag, (fail, BlockCall::new(begin, [])));
        let limit =
            self.counted.limit(&mut Builder::new(func, begin), params[self.counted.param], self.length);
        Builder::new(func, begin).jump(self.header, &params);
        // After a strip: the next one, or the end.
        let behind = func.add_block(func.blocks[self.header].label);
        let Some(branch) = func.blocks[test].insts.pop() else { return };
        let end = func.insts[branch].targets[out].clone();
        let again: Vec<Value> = match self.counted.ahead {
            true => func.blocks[self.header].params.clone(),
            false => back.to_vec(),
        };
        let mut builder = Builder::new(func, behind);
        builder.span = builder.func.insts[branch].span;
        let more = builder.icmp(self.counted.cond, self.counted.compared, self.counted.bound);
        builder.branch(more, BlockCall::new(first, again), end);
        builder.switch_to(test);
        let inside = match self.counted.ahead {
            true => builder.func.insts[branch].targets[1 - out].clone(),
            false => BlockCall::new(self.latch, []),
        };
        let limit = match self.counted.changes {
            true => nearer(&mut builder, &self.counted, limit, self.counted.bound),
            false => limit,
        };
        let more = builder.icmp(self.counted.cond, self.counted.compared, limit);
        builder.branch(more, inside, BlockCall::new(behind, []));
    }

    /// All ways into the loop lead to a new block, with parameters as the head has them.
    fn enter_by_strip(&self, func: &mut Function) -> Block {
        let first = func.add_block(func.blocks[self.header].label);
        for block in func.layout.clone() {
            let Some(last) = func.terminator(block).filter(|_| block != self.latch) else { continue };
            for target in func.insts[last].targets.iter_mut().filter(|target| target.block == self.header) {
                target.block = first;
            }
        }
        for param in func.blocks[self.header].params.clone() {
            let data = func.values[param].clone();
            let copy = func.add_param(first, data.ty);
            func.values[copy].name = data.name;
            func.values[copy].version = data.version;
        }
        first
    }

    /// Blocks that run where a handler raised know the values of the next iteration by other names.
    fn rename(&self, func: &mut Function, names: &HashMap<Value, Value>) {
        let rename = |value: &mut Value| *value = names.get(value).copied().unwrap_or(*value);
        for &block in &self.failing {
            func.change_uses(block, rename);
        }
    }
}

/// The blocks that are reached from one.
fn reached(loops: &Loops<'_>, from: Block) -> Vec<Block> {
    let mut found = vec![from];
    let mut seen: HashSet<Block> = HashSet::from_iter([from]);
    let mut at = 0;
    while at < found.len() {
        let next = loops.cfg.successors(found[at]).iter().copied();
        found.extend(next.filter(|&block| seen.insert(block)).collect::<Vec<_>>());
        at += 1;
    }
    found
}
