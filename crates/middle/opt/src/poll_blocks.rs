//! Polls stand in blocks of their own between the last block of a round and the loop's head, with parameters for all that goes
//! around the loop. Where one way leads there, the values keep the names that they have: other passes look for what counts a loop
//! in what is handed to its head.
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
