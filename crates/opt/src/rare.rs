//! Loops that are marked as cold, as their makers know that they hardly ever run, become functions of their own, and so
//! does other code of many instructions: that of the shapes which a long expression steps through where not all are equal.
//!
//! ```text
//! branch %usual, block1, block3        becomes   branch %usual, block1, block4
//! block3 cold: ... a loop ...                    block4 cold: call of "f.checked0", or of its late code
//! ```

use crate::outline::{Nest, Outlined};
use crate::{checks, region, sweep::sweep};
use entity::HashSet;
use flow::Cfg;
use ir::{Block, BlockCall, Function};

/// So many instructions take longer to compile than calling a function that is not compiled yet.
const MUCH: usize = 100;

/// Takes the loops whose heads are cold out, and much code whose head is. Gives the functions that are called instead, with their symbols.
pub(crate) fn outline_cold(func: &mut Function, symbol: &str, when: Outlined) -> Vec<(String, Function)> {
    let mut outlined = Vec::new();
    while let Some((entry, header, blocks)) = next(func) {
        let Some(last) = func.terminator(entry) else { break };
        let target = func.insts[last].targets.iter().find(|target| target.block == header);
        let Some(args) = target.map(|target| target.args.clone()) else { break };
        let name = format!("{symbol}.rare{}", outlined.len());
        let (mut slow, call) = {
            let cfg = Cfg::compute(func);
            let tree = flow::compute_dominators(&cfg);
            let failing = checks::failing_blocks(func);
            let failing = |block: Block| failing[block];
            let nest =
                Nest { func, tree: &tree, cfg: &cfg, header, blocks: &blocks, when, failing: &failing };
            nest.outline(&name, &args)
        };
        let slots = region::spill(func, &blocks);
        let there = func.add_block(func.blocks[header].label);
        call.emit(func, there, &slots, func.insts[last].span);
        for target in &mut func.insts[last].targets {
            if target.block == header {
                *target = BlockCall::new(there, []);
            }
        }
        let reached: HashSet<Block> = Cfg::compute(func).reverse_postorder().iter().copied().collect();
        func.layout.retain(|block| reached.contains(block));
        sweep(&mut slow);
        outlined.push((name, slow));
    }
    outlined
}

/// A nest of loops whose head is cold, or much code that is, where it is entered from, and its blocks.
fn next(func: &Function) -> Option<(Block, Block, Vec<Block>)> {
    if !func.layout.iter().any(|&block| func.blocks[block].cold) {
        return None;
    }
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    let forest = flow::compute_loops(&cfg, &tree);
    let nest = forest.ids().find_map(|id| {
        let header = forest.get(id).header;
        let blocks = forest.body(id).to_vec();
        let mut entries = cfg.reachable_predecessors(header).filter(|&before| !forest.contains(id, before));
        let entry = entries.next().filter(|_| func.blocks[header].cold && entries.next().is_none())?;
        Some((entry, header, blocks))
    });
    nest.or_else(|| {
        let failing = checks::failing_blocks(func);
        let cold = cfg.reverse_postorder().iter().filter(|&&head| func.blocks[head].cold && !failing[head]);
        cold.copied().find_map(|head| {
            let [entry] = cfg.predecessors(head)[..] else { return None };
            let blocks: Vec<Block> =
                tree.subtree(head).iter().copied().filter(|&block| !failing[block]).collect();
            let comes_back = |block| !cfg.successors(block).is_empty();
            (is_much(func, &blocks) && blocks.iter().all(|&block| comes_back(block)))
                .then_some((entry, head, blocks))
        })
    })
}

fn is_much(func: &Function, blocks: &[Block]) -> bool {
    blocks.iter().map(|&block| func.blocks[block].insts.len()).sum::<usize>() >= MUCH
}
