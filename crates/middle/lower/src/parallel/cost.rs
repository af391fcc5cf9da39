//! About how long an iteration of a loop takes, so that short loops are not worth a launch.
//!
//! The figures are rough: what is one instruction of the machine stands for a quarter of a nanosecond, for it may be done for
//! several iterations at once; an inner loop is taken to run eight times.

use ir::{Block, Function, Inst, Op};
use types::{TypeData, TypeTable};

/// Quarters of a nanosecond.
const CHEAP: i64 = 1;
const FUNCTION: i64 = 16;
const CALL: i64 = 40;
const ARRAYS: i64 = 200;
/// How often an inner loop runs, and how deep loops are looked into.
const TIMES: i64 = 8;
const DEEPEST: u32 = 4;

/// Nanoseconds of an iteration, at least 1. `depth` says how many loops inside this one a block is in.
pub(super) fn estimate(
    func: &Function,
    types: &TypeTable,
    blocks: &[Block],
    depth: &dyn Fn(Block) -> u32,
) -> i64 {
    let block_cost = |block: Block| {
        let once: i64 = func.blocks[block].insts.iter().map(|&inst| cost(func, types, inst)).sum();
        once * TIMES.pow(depth(block).min(DEEPEST))
    };
    let all: i64 = blocks.iter().map(|&block| block_cost(block)).sum();
    (all / 4).max(1)
}

fn cost(func: &Function, types: &TypeTable, inst: Inst) -> i64 {
    let data = &func.insts[inst];
    let is_array = |&value: &ir::Value| types.array(func.ty(value)).is_some_and(|array| array.ndim > 0);
    match data.op {
        Op::Arg
        | Op::Const
        | Op::Global
        | Op::Freevar
        | Op::Undef
        | Op::Promote
        | Op::Jump
        | Op::BuildTuple => 0,
        Op::Call => match types.get(func.ty(data.args[0])) {
            _ if data.args.iter().chain(&data.results).any(is_array) => ARRAYS,
            TypeData::Function(_) | TypeData::Class(_) => FUNCTION,
            _ => CALL,
        },
        Op::Getitem | Op::Setitem if !data.results.iter().chain(&data.args[1..]).any(is_array) => CHEAP,
        _ if data.results.iter().chain(&data.args).any(is_array) => ARRAYS,
        _ => CHEAP,
    }
}
