//! Polls are in blocks of their own between the last block of an iteration and the loop header, with parameters for all
//! loop-carried values. If such a block has one predecessor, the values are used directly: other passes look for
//! induction variables in what is passed to the header.
//!
//! ```text
//! block3: ... jump block4(%1)                      block3: ... jump block4
//! block4(%i): %2 = poll ...          becomes       block4: %2 = poll ...
//! block5: jump block2(%i)                          block5: jump block2(%1)
//! ```

use crate::jump_threading::forward_params;
use ir::{Block, Function, Op};

/// Takes the parameters of such blocks away.
pub fn forward_through_polls(func: &mut Function) {
    let polls = |func: &Function, block: Block| {
        func.blocks[block].insts.first().is_some_and(|&inst| func.insts[inst].op == Op::Poll)
    };
    if func.layout.iter().any(|&block| !func.blocks[block].params.is_empty() && polls(func, block)) {
        forward_params(func, &|func, block, _| polls(func, block));
    }
}
