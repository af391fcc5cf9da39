//! Hash lookup reuse: how long the result of a lookup stays valid.

use crate::Lowering;
use catalog::{Search, owners};
use entity::SideTable;
use flow::Cfg;
use ir::{Block, Inst, Op};

/// Searches that still stand where a block begins.
pub(crate) type Searches = SideTable<Block, Option<Search>>;

/// Before an instruction: whatever may change a table still sees the search before it.
pub(crate) fn before(l: &mut Lowering<'_>, inst: Inst) {
    l.emit.earlier_search = None;
    if l.emit.searched.is_some() && !changes_nothing(l, inst) {
        l.emit.earlier_search = l.emit.searched.take();
    }
}

/// Whether an instruction computes a number of numbers, or continues to another block.
fn changes_nothing(l: &Lowering<'_>, inst: Inst) -> bool {
    let data = &l.typed.insts[inst];
    let plain = matches!(
        data.op,
        Op::Const
            | Op::Global
            | Op::Unary
            | Op::Binary
            | Op::Inplace
            | Op::Compare
            | Op::Cast
            | Op::Jump
            | Op::Branch
    );
    plain && data.args.iter().all(|&arg| owners(l.cx.types, l.typed.ty(arg)).is_empty())
}

/// After a block: what stands at its end stands where nothing else leads to.
pub(crate) fn carry_over(l: &mut Lowering<'_>, cfg: &Cfg<Block>, block: Block, searches: &mut Searches) {
    let Some(search) = l.emit.searched.take() else { return };
    let Some(&last) = l.typed.blocks[block].insts.last() else { return };
    // (Handlers are entered from within.)
    for target in &l.typed.insts[last].targets {
        if cfg.predecessors(target.block).len() == 1 {
            searches[target.block] = Some(search.clone());
        }
    }
}
