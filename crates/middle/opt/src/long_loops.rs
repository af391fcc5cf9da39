//! Loops that do not poll, beside a function for the case that they are long, which does.
//!
//! ```text
//! block1: jump block2(%zero)                        block1: jump block5
//! block2(%i): ...                                   block5:
//!                                      becomes          %short = icmp ult, %n, 2097152
//!                                                       branch %short, block2(%zero), block6
//!                                                   block6 cold: call of "f.long0", or of its late code
//! ```

use crate::counted_loops::Counted;
use crate::loop_versioning::outline;
use crate::outline::CompileWhen;
use crate::place_polls::{LEAST_ROUNDS, Poll, remove};
use crate::range_analysis::Loops;
use crate::{dce::eliminate_dead_code, mem2reg::mem2reg, spill_region};
use flow::LoopId;
use ir::{Block, BlockCall, Builder, Function};

/// What a loop costs at most that does not poll; there are so many instructions of the function for those that do.
const LONG: u64 = 1 << 24;
const MOST_COPIED: usize = 400;

/// A loop inside of another one that is to be a function of its own for the case that it is long: else it does not poll.
pub(crate) struct Guard {
    counted: Counted,
    entry: Block,
    header: Block,
    blocks: Vec<Block>,
    /// From so many rounds on it is long.
    rounds: i64,
}

impl Guard {
    pub(crate) fn plan(loops: &Loops<'_>, this: LoopId, counted: &Counted, cost: u64) -> Option<Guard> {
        let nest = loops.forest.get(this);
        let [entry] = nest.entries[..] else { return None };
        let blocks = loops.forest.body(this).to_vec();
        let size: usize = blocks.iter().map(|&block| loops.func.blocks[block].insts.len()).sum();
        let rounds = 1 << (LONG / cost.max(1)).max(1).ilog2();
        let fits = !counted.changes && size <= MOST_COPIED && rounds >= LEAST_ROUNDS;
        fits.then(|| Guard { counted: counted.clone(), entry, header: nest.header, blocks, rounds })
    }

    /// Gives the function.
    pub(crate) fn form(self, func: &mut Function, poll: &Poll, name: (&str, CompileWhen)) -> Function {
        let Guard { counted, entry, header, blocks, rounds } = self;
        let last = func.terminator(entry);
        let handed = last.and_then(|last| func.insts[last].targets.iter().find(|to| to.block == header));
        let args = handed.map(|to| to.args.clone()).unwrap_or_default();
        let span = last.map(|last| func.insts[last].span).unwrap_or_default();
        let (mut slow, call) = outline(func, header, &blocks, name, &args);
        let slots = spill_region::spill(func, &blocks);
        let label = func.blocks[header].label;
        let (guard, otherwise) = (func.add_block(label), func.add_block(label));
        call.emit(func, otherwise, &slots, span);
        if let Some(last) = last {
            for target in func.insts[last].targets.iter_mut().filter(|target| target.block == header) {
                *target = BlockCall::new(guard, []);
            }
        }
        let mut builder = Builder::new(func, guard);
        builder.span = span;
        let start = args[counted.param];
        let short = counted.ends_within(&mut builder, start, rounds);
        builder.branch(short, BlockCall { block: header, args }, BlockCall::new(otherwise, []));
        remove(func, poll);
        mem2reg(func);
        eliminate_dead_code(&mut slow);
        slow
    }
}
