//! Inserts polls for signals at the back edges of loops.
//!
//! ```text
//! block2(%i): ...                              block2(%i): ...
//! block3: ... jump block2(%1)      becomes     block3: ... jump block4(%1)
//!                                              block4(%i): poll
//!                                                          jump block2(%i)
//! ```
//!
//! The poll has its own block, so that lowering inserts refcounts for it: if the poll raises, the loop-carried values
//! are released. It has the exception handler of the loop header. Absent: how often a loop polls (`opt::place_polls`).

use flow::Cfg;
use ir::{Block, BlockCall, Builder, Function, Op, Value};
use smallvec::SmallVec;

/// Puts a poll on the paths back to the heads of loops.
pub fn insert_polls(func: &mut Function) {
    let cfg = Cfg::compute(func);
    if !cfg.has_cycle() {
        return;
    }
    let leads_back =
        |from: Block, to: Block| cfg.is_reachable(from) && cfg.order_of(to) <= cfg.order_of(from);
    for head in cfg.reverse_postorder().to_vec() {
        let latches: Vec<Block> =
            cfg.reachable_predecessors(head).filter(|&from| leads_back(from, head)).collect();
        if !latches.is_empty() {
            let between = block_of_poll(func, head, &latches);
            for latch in latches {
                let Some(last) = func.terminator(latch) else { continue };
                for target in func.insts[last].targets.iter_mut().filter(|target| target.block == head) {
                    target.block = between;
                }
            }
        }
    }
}

/// A block that polls and continues at the head of a loop.
fn block_of_poll(func: &mut Function, head: Block, latches: &[Block]) -> Block {
    let between = func.add_block(func.blocks[head].label);
    let params = func.blocks[head].params.clone();
    let handed: SmallVec<[Value; 4]> = params
        .iter()
        .map(|&param| {
            let data = func.values[param].clone();
            let copy = func.add_param(between, data.ty);
            func.values[copy].name = data.name;
            func.values[copy].version = data.version;
            copy
        })
        .collect();
    let own = |value: Value| params.iter().position(|&param| param == value).map_or(value, |at| handed[at]);
    let handler = func.blocks[head].handler.clone();
    func.blocks[between].handler =
        handler.map(|call| BlockCall::new(call.block, call.args.iter().map(|&arg| own(arg))));
    // Where several paths join at the end of an iteration, the jump back has no place in the source: then the loop's head has one.
    let ends = latches.iter().chain([&head]).filter_map(|&block| func.terminator(block));
    let span = ends.map(|inst| func.insts[inst].span).find(|span| span.is_known()).unwrap_or_default();
    let mut builder = Builder::new(func, between);
    builder.span = span;
    builder.inst(Op::Poll, [], &[], &[]);
    builder.jump(head, &handed);
    between
}
