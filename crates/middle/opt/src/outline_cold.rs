//! Outlines cold code with loops, or of some size: the general loop of an expression, its path through new memory, its
//! shape checks if not all shapes are equal.
//!
//! ```text
//! branch %usual, block1, block3        becomes   branch %usual, block1, block4
//! block3 cold: ... a loop ...                    block4 cold: call of "f.checked0", or of its late code
//! ```

use crate::outline::{CompileWhen, Nest};
use crate::{bounds_checks, dce::eliminate_dead_code, spill_region};
use entity::HashSet;
use flow::Cfg;
use ir::{Block, BlockCall, Function};

/// So many instructions take longer to compile than calling a function that is not compiled yet.
const LARGE: usize = 40;

/// Takes cold code out of a function that can fail, as the calls can that stand there then. Gives the functions that
/// are called instead, with their symbols.
pub fn outline_cold(func: &mut Function, symbol: &str, when: CompileWhen) -> Vec<(String, Function)> {
    let mut outlined = Vec::new();
    if !func.can_fail {
        return outlined;
    }
    // What calls code that was taken out is cold, too.
    let mut calls: HashSet<Block> = HashSet::default();
    while let Some((entry, header, blocks)) = next(func, &calls) {
        let Some(last) = func.terminator(entry) else { break };
        let target = func.insts[last].targets.iter().find(|target| target.block == header);
        let Some(args) = target.map(|target| target.args.clone()) else { break };
        let name = format!("{symbol}.rare{}", outlined.len());
        let (mut slow, call) = {
            let cfg = Cfg::compute(func);
            let tree = flow::compute_dominators(&cfg);
            let failing = bounds_checks::failing_blocks(func);
            let failing = |block: Block| failing[block];
            let nest =
                Nest { func, tree: &tree, cfg: &cfg, header, blocks: &blocks, when, failing: &failing };
            nest.outline(&name, &args)
        };
        let slots = spill_region::spill(func, &blocks);
        let first = func.layout.len();
        let there = func.add_block(func.blocks[header].label);
        call.emit(func, there, &slots, func.insts[last].span);
        calls.extend(&func.layout[first..]);
        for target in &mut func.insts[last].targets {
            if target.block == header {
                *target = BlockCall::new(there, []);
            }
        }
        let reached: HashSet<Block> = Cfg::compute(func).reverse_postorder().iter().copied().collect();
        func.layout.retain(|block| reached.contains(block));
        eliminate_dead_code(&mut slow);
        outlined.push((name, slow));
    }
    outlined
}

/// Code to take out: the block that it is entered from, its head and its blocks.
type Rare = (Block, Block, Vec<Block>);

/// What follows a cold block and nowhere else, if it has loops or is much, or else a nest of loops whose head is cold.
fn next(func: &Function, calls: &HashSet<Block>) -> Option<Rare> {
    if !func.layout.iter().any(|&block| func.blocks[block].cold) {
        return None;
    }
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    let forest = flow::compute_loops(&cfg, &tree);
    let failing = bounds_checks::failing_blocks(func);
    // In an innermost loop a cold block may well run every few iterations.
    let runs_often = |block: Block| {
        let around = forest.innermost(block);
        around.is_some_and(|around| !forest.ids().any(|id| forest.get(id).parent == Some(around)))
    };
    let is_head = |&block: &Block| {
        func.blocks[block].cold && !failing[block] && !calls.contains(&block) && !runs_often(block)
    };
    let part = cfg.reverse_postorder().iter().copied().filter(is_head).find_map(|head| {
        let [entry] = cfg.predecessors(head)[..] else { return None };
        let blocks: Vec<Block> =
            tree.subtree(head).iter().copied().filter(|&block| !failing[block]).collect();
        let has_loop = forest.ids().any(|id| blocks.contains(&forest.get(id).header));
        let goes_on = blocks.iter().all(|&block| !cfg.successors(block).is_empty());
        (goes_on && (has_loop || exceeds_size(func, &blocks))).then_some((entry, head, blocks))
    });
    part.or_else(|| {
        forest.ids().find_map(|id| {
            let header = forest.get(id).header;
            let blocks = forest.body(id).to_vec();
            let mut entries =
                cfg.reachable_predecessors(header).filter(|&before| !forest.contains(id, before));
            let entry = entries.next().filter(|_| func.blocks[header].cold && entries.next().is_none())?;
            Some((entry, header, blocks))
        })
    })
}

fn exceeds_size(func: &Function, blocks: &[Block]) -> bool {
    blocks.iter().map(|&block| func.blocks[block].insts.len()).sum::<usize>() >= LARGE
}
