//! Detects races: every iteration writes a different value to the same element of a shared array.
//!
//! Told is what can be seen for certain: the array is from outside the loop, the index follows from what is the same in each
//! iteration, the value does not, and no condition stands before the write. What functions and arrays give may be another thing each time.

use super::find_loops::Scope;
use diag::Span;
use entity::HashSet;
use flow::{DominatorTree, LoopForest, LoopId};
use ir::{Block, Inst, Op, Value};
use types::TypeData;

/// Where a parallel loop's iterations write over what others write.
pub(super) fn find(
    scope: &Scope<'_>,
    tree: &DominatorTree<Block>,
    loops: &LoopForest<Block>,
    id: LoopId,
) -> Vec<Span> {
    let blocks = loops.body(id);
    let own = scope.defined(blocks);
    let varying = varying(scope, blocks);
    let writes = |inst: Inst| {
        let data = &scope.func.insts[inst];
        data.op == Op::Setitem
            && scope.types.array(scope.func.ty(data.args[0])).is_some()
            && !own.contains(&data.args[0])
            && !varying.contains(&data.args[1])
            && varying.contains(&data.args[2])
    };
    let always = blocks.iter().filter(|&&block| runs_always(tree, loops, id, block));
    let insts = always.flat_map(|&block| &scope.func.blocks[block].insts);
    insts.filter(|&&inst| writes(inst)).map(|&inst| scope.func.insts[inst].span).collect()
}

/// Whether every iteration comes to a block, if its inner loops run at all.
fn runs_always(tree: &DominatorTree<Block>, loops: &LoopForest<Block>, id: LoopId, mut block: Block) -> bool {
    let mut around = loops.innermost(block);
    while let Some(inner) = around {
        let data = loops.get(inner);
        if !data.latches.iter().all(|&latch| tree.dominates(block, latch)) {
            return false;
        }
        if inner == id {
            return true;
        }
        (block, around) = (data.header, data.parent);
    }
    false
}

/// Values that may be others in each iteration.
fn varying(scope: &Scope<'_>, blocks: &[Block]) -> HashSet<Value> {
    let func = scope.func;
    let mut found: HashSet<Value> = func.blocks[scope.header].params.iter().copied().collect();
    found.extend(func.insts[func.blocks[scope.header].insts[0]].results.iter().copied());
    loop {
        let before = found.len();
        for &inst in blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let data = &func.insts[inst];
            if !gives_the_same(scope, inst) || data.args.iter().any(|arg| found.contains(arg)) {
                found.extend(data.results.iter().copied());
            }
            for to in data.targets.iter().filter(|to| scope.inside.contains(&to.block)) {
                let params = &func.blocks[to.block].params;
                let taken = to.args.iter().zip(params).filter(|(arg, _)| found.contains(*arg));
                let taken: Vec<Value> = taken.map(|(_, &param)| param).collect();
                found.extend(taken);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether an instruction gives the same for the same operands. (The items that an inner loop goes through are the same.)
fn gives_the_same(scope: &Scope<'_>, inst: Inst) -> bool {
    let data = &scope.func.insts[inst];
    match data.op {
        Op::Const
        | Op::Global
        | Op::Freevar
        | Op::Undef
        | Op::Binary
        | Op::Unary
        | Op::Compare
        | Op::Promote
        | Op::Cast
        | Op::BuildTuple
        | Op::BuildSlice
        | Op::Getattr
        | Op::Getiter
        | Op::Iternext
        | Op::Unpack
        | Op::IsNone
        | Op::IsInstance => true,
        // An item of a tuple, as of a shape.
        Op::Getitem => scope.types.elements(scope.func.ty(data.args[0])).is_some(),
        Op::Call => matches!(scope.types.get(scope.func.ty(data.results[0])), TypeData::Range(_)),
        _ => false,
    }
}
