//! Polls stand in blocks of their own between the last block of a round and the loop's head, with parameters for all that goes
//! around the loop. Where one way leads there, the values keep the names that they have: other passes look for what counts a loop
//! in what is handed to its head.
//!
//! ```text
//! block3: ... jump block4(%1)                      block3: ... jump block4
//! block4(%i): %2 = poll ...          becomes       block4: %2 = poll ...
//! block5: jump block2(%i)                          block5: jump block2(%1)
//! ```

use crate::spill_region::substitute;
use entity::HashMap;
use flow::Cfg;
use ir::{Function, Op, Value};

/// Takes the parameters of such blocks away.
pub fn forward_through_polls(func: &mut Function) {
    let polls = |&block: &ir::Block| {
        let first = func.blocks[block].insts.first();
        !func.blocks[block].params.is_empty() && first.is_some_and(|&inst| func.insts[inst].op == Op::Poll)
    };
    let blocks: Vec<ir::Block> = func.layout.iter().copied().filter(polls).collect();
    if blocks.is_empty() {
        return;
    }
    let cfg = Cfg::compute(func);
    let mut replaced: HashMap<Value, Value> = HashMap::default();
    for block in blocks {
        let [from] = cfg.predecessors(block)[..] else { continue };
        let Some(last) = func.terminator(from) else { continue };
        let mut ways = func.insts[last].targets.iter_mut().filter(|target| target.block == block);
        let (Some(way), None) = (ways.next(), ways.next()) else { continue };
        let args = std::mem::take(&mut way.args);
        replaced.extend(std::mem::take(&mut func.blocks[block].params).into_iter().zip(args));
    }
    substitute(func, &replaced);
}
