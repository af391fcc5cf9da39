//! Clones the blocks between a block that is entered with several constants and the branch that they decide, once per
//! constant, so that each clone continues where its constant leads.
//!
//! ```text
//! block1: jump block3(%one)                        block1: jump block3
//! block2: jump block3(%two)                        block2: jump block7
//! block3(%state): ... branch %c, block4, block5    block3: ... branch %c, block4, block5
//! block4: ... jump block5                 becomes  block4: ... jump block5
//! block5:                                          block5: the way of %one
//!     %d = icmp eq, %state, %one                   block7: ... branch %e, block8, block9
//!     branch %d, ...                               block8: ... jump block9
//!                                                  block9: the way of %two
//! ```
//!
//! So a loop over a generator that stops at two places has its body twice. [`crate::jump_threading`] leads around blocks where there
//! is one way to the branch.

use crate::clone_blocks::CloneMap;
use crate::jump_threading::constant;
use crate::spill_region::spill;
use entity::{HashMap, HashSet};
use flow::Cfg;
use ir::{Block, Def, Function, Inst, Op};

/// How many instructions are copied for a constant.
const MAX_COPIED: usize = 64;

/// For how many constants.
const MAX_COPIES: usize = 4;

/// Copies blocks at the first place where that leads further; whether there is one.
pub(crate) fn copy_by_constant(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let Some((edges, region)) = find(func, &cfg) else { return false };
    // What the blocks define is had from several places then.
    spill(func, &region);
    for (last, number) in edges {
        let copies = CloneMap::copy_all(func, &region).blocks;
        let target = &mut func.insts[last].targets[number].block;
        *target = copies[target];
    }
    true
}

/// The edges that are to lead to copies, and the blocks from where they lead to up to the branch.
fn find(func: &Function, cfg: &Cfg<Block>) -> Option<(Vec<(Inst, usize)>, Vec<Block>)> {
    let mut entered: HashMap<Block, Vec<(Inst, usize)>> = HashMap::default();
    for &block in func.layout.iter().filter(|&&block| cfg.is_reachable(block)) {
        let Some(last) = func.terminator(block) else { continue };
        for (number, target) in func.insts[last].targets.iter().enumerate() {
            entered.entry(target.block).or_default().push((last, number));
        }
    }
    for &test in func.layout.iter().filter(|&&block| cfg.is_reachable(block)) {
        let Some((block, at)) = decided_by(func, test).filter(|&(block, _)| block != test) else { continue };
        let Some(edges) = entered.get(&block) else { continue };
        let given =
            edges.iter().map(|&(last, number)| constant(func, func.insts[last].targets[number].args[at]));
        let Some(given) = given.collect::<Option<Vec<i64>>>() else { continue };
        let differ = given.iter().any(|number| *number != given[0]);
        if differ
            && edges.len() <= MAX_COPIES
            && let Some(region) = between(func, cfg, block, test)
        {
            return Some((edges[1..].to_vec(), region));
        }
    }
    None
}

/// The parameter that a block compares with a constant to continue by: its block and place.
fn decided_by(func: &Function, test: Block) -> Option<(Block, usize)> {
    let last = &func.insts[func.terminator(test)?];
    if last.op != Op::Branch {
        return None;
    }
    let Def::Result(compared, _) = func.values[last.args[0]].def else { return None };
    let compared = &func.insts[compared];
    let (Op::Icmp, &[value, number]) = (compared.op, &compared.args[..]) else { return None };
    constant(func, number)?;
    match func.values[value].def {
        Def::Param(block, at) => Some((block, usize::from(at))),
        Def::Result(..) => None,
    }
}

/// The blocks on ways from one block to another, if all of them begin at the first one and they may be copied.
fn between(func: &Function, cfg: &Cfg<Block>, first: Block, last: Block) -> Option<Vec<Block>> {
    let mut found: HashSet<Block> = [first, last].into_iter().collect();
    let mut open = vec![last];
    while let Some(block) = open.pop() {
        for &from in cfg.predecessors(block).iter().filter(|&&from| cfg.is_reachable(from)) {
            if from == func.entry || found.len() > MAX_COPIED {
                return None;
            }
            // What leads to the first block is no part.
            if found.insert(from) {
                open.push(from);
            }
        }
    }
    let blocks: Vec<Block> = func.layout.iter().copied().filter(|block| found.contains(block)).collect();
    let count: usize = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
    let plain = blocks.iter().all(|&block| func.blocks[block].handler.is_none());
    let mut handlers = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
    let handles = handlers.any(|handler| found.contains(&handler.block));
    (plain && !handles && count <= MAX_COPIED).then_some(blocks)
}
