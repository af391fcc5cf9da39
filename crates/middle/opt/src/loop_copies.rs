//! Clones a loop's blocks for one more iteration, before the loop or after each of its iterations.

use crate::clone_blocks::CloneMap;
use entity::HashMap;
use ir::{Block, Function};

/// Copies the blocks of a loop; gives the copy of each. The back edges of the copy lead to the head of the loop, and what leaves the loop leaves the
/// copy for the same blocks with its own values. A value of the copy has the name of the one that it is a copy of.
pub(crate) fn copy_iteration(func: &mut Function, header: Block, blocks: &[Block]) -> HashMap<Block, Block> {
    let copy = CloneMap::copy_all(func, blocks);
    let copied_header = copy.blocks[&header];
    for &block in copy.blocks.values() {
        let Some(last) = func.terminator(block) else { continue };
        let back = func.insts[last].targets.iter_mut().filter(|target| target.block == copied_header);
        back.for_each(|target| target.block = header);
    }
    for (&old, &new) in &copy.values {
        func.values[new].name = func.values[old].name;
        func.values[new].version = func.values[old].version;
    }
    copy.blocks
}
