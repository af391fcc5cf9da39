//! Estimates the cost of an iteration, so that short loops are not launched.
//!
//! Only of a body without loops is that known, and without calls of compiled functions and operations on whole arrays. The figures are rough: what
//! is one instruction of the machine stands for a quarter of a nanosecond, for it may be done for several iterations at once.

use ir::{Block, Function, Inst, Op};
use types::{TypeData, TypeTable};

/// Quarters of a nanosecond.
const CHEAP: i64 = 1;
const FUNCTION: i64 = 16;

/// Nanoseconds of an iteration, at least 1; 0 if nobody knows. `is_repeated` says whether a block is in a loop inside this one.
pub(super) fn estimate(
    func: &Function,
    types: &TypeTable,
    blocks: &[Block],
    is_repeated: &dyn Fn(Block) -> bool,
) -> i64 {
    if blocks.iter().any(|&block| is_repeated(block)) {
        return 0;
    }
    let insts = blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    let all: Option<i64> = insts.map(|&inst| cost(func, types, inst)).sum();
    all.map_or(0, |quarters| (quarters / 4).max(1))
}

fn cost(func: &Function, types: &TypeTable, inst: Inst) -> Option<i64> {
    let data = &func.insts[inst];
    let is_array = |&value: &ir::Value| types.array(func.ty(value)).is_some_and(|array| array.ndim > 0);
    let gives_array = data.results.iter().any(is_array);
    match data.op {
        Op::Arg
        | Op::Const
        | Op::Global
        | Op::Freevar
        | Op::Undef
        | Op::Promote
        | Op::Jump
        | Op::BuildTuple => Some(0),
        Op::Call if !gives_array && !data.args.iter().any(is_array) => {
            let is_known =
                matches!(types.get(func.ty(data.args[0])), TypeData::Function(_) | TypeData::Class(_));
            is_known.then_some(FUNCTION)
        }
        Op::Getitem | Op::Setitem if !gives_array && !data.args[1..].iter().any(is_array) => Some(CHEAP),
        Op::Getattr => Some(CHEAP),
        _ if gives_array || data.args.iter().any(is_array) => None,
        _ => Some(CHEAP),
    }
}
