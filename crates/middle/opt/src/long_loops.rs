//! Replaces loops that are usually short by a version that does not poll, and outlines the version for many iterations
//! (or for negative numbers in loops over bits), which does.
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
use crate::place_polls::{MIN_ITERATIONS, Poll, remove};
use crate::range_analysis::Loops;
use crate::{dce::eliminate_dead_code, mem2reg::mem2reg, spill_region};
use flow::LoopId;
use ir::{Block, BlockCall, Builder, Function, IntCond};

/// What a loop costs at most that does not poll; there are so many instructions of the function for those that do.
const LONG: u64 = 1 << 24;
const MAX_COPIED: usize = 400;

/// A loop inside another one that is to be a function of its own for the case that it is long: else it does not poll.
pub(crate) struct Guard {
    short: Short,
    entry: Block,
    header: Block,
    blocks: Vec<Block>,
}

/// When a loop is short.
enum Short {
    /// It has fewer iterations.
    Iterations(Counted, i64),
    /// This parameter of its head is not negative when it begins.
    NotNegative(usize),
}

impl Guard {
    /// Of a loop that counts.
    pub(crate) fn plan(loops: &Loops<'_>, this: LoopId, counted: &Counted, cost: u64) -> Option<Guard> {
        let iterations = 1 << (LONG / cost.max(1)).max(1).ilog2();
        let fits = !counted.changes && iterations >= MIN_ITERATIONS;
        Self::of(loops, this, Short::Iterations(counted.clone(), iterations)).filter(|_| fits)
    }

    /// Of a loop that goes through the bits of a number.
    pub(crate) fn of_bits(loops: &Loops<'_>, this: LoopId, number: usize) -> Option<Guard> {
        Self::of(loops, this, Short::NotNegative(number))
    }

    fn of(loops: &Loops<'_>, this: LoopId, short: Short) -> Option<Guard> {
        let nest = loops.forest.get(this);
        let [entry] = nest.entries[..] else { return None };
        let blocks = loops.forest.body(this).to_vec();
        let size: usize = blocks.iter().map(|&block| loops.func.blocks[block].insts.len()).sum();
        (size <= MAX_COPIED).then_some(Guard { short, entry, header: nest.header, blocks })
    }

    /// Gives the function.
    pub(crate) fn form(self, func: &mut Function, poll: &Poll, name: (&str, CompileWhen)) -> Function {
        let Guard { short, entry, header, blocks } = self;
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
        let short = match short {
            Short::Iterations(counted, iterations) => {
                counted.ends_within(&mut builder, args[counted.param], iterations)
            }
            Short::NotNegative(param) => {
                let zero = builder.iconst(builder.func.native(args[param]), 0);
                builder.icmp(IntCond::Sge, args[param], zero)
            }
        };
        builder.branch(short, BlockCall { block: header, args }, BlockCall::new(otherwise, []));
        remove(func, poll);
        mem2reg(func);
        eliminate_dead_code(&mut slow);
        slow
    }
}
