//! Out of SSA form: block parameters become copies in predecessors.
//!
//! `jump block5(%acc.2)` becomes `acc.1 = acc.2` and `jump 36`. Copies stand before the jump or
//! branch, those of an exception edge where the protected block begins. Where such a copy would
//! change what is still read (two names that swap, a value read after the loop), it goes through
//! a variable `$phi36.1`, which the block copies when it begins. A branch whose two edges bring
//! different values to one block gets a block of its own between.

use crate::model::{BlockId, Stmt, VarId};
use crate::view::Builder;
use diag::Span;
use entity::SideTable;
use ir::{Block, BlockCall, Function, Op, Value};
use smallvec::SmallVec;

/// The values that are live where blocks begin.
type Live = flow::Liveness<Block, Value>;

/// The variables that stand for parameters on the way into these.
type Shadows = SideTable<Value, Option<VarId>>;

/// Inserts the copies.
pub(crate) fn insert_copies(builder: &mut Builder<'_>) {
    let func = builder.func;
    let live = compute_live(func);
    let shadows = find_shadows(builder, &live);
    for &block in &func.layout {
        connect(builder, block, &shadows);
    }
    let merged = builder.merged;
    for &block in func.layout.iter().filter(|&&block| Some(block) != merged) {
        let id = builder.block_id(block);
        let mut params = &func.blocks[block].params[..];
        if builder.handlers.contains(block) {
            params = params.split_last().map_or(params, |(_, others)| others);
        }
        for &param in params {
            let target = builder.var(param);
            let join = shadows[param].unwrap_or(target);
            builder.view.blocks[id].joins.push(join);
            if let Some(shadow) = shadows[param] {
                builder.view.blocks[id].heads.push(copy(target, shadow, Span::UNKNOWN));
            }
        }
    }
}

fn copy(target: VarId, source: VarId, span: Span) -> Stmt {
    let (args, results) = (vec![source], vec![target]);
    Stmt { op: None, attrs: SmallVec::new(), args, results, targets: Vec::new(), span }
}

fn compute_live(func: &Function) -> Live {
    let cfg = flow::Cfg::compute(func);
    let mut facts = flow::BlockFacts::new(&cfg, func.values.len());
    for &block in &func.layout {
        let data = &func.blocks[block];
        data.params.iter().for_each(|&param| facts.add_definition(block, param));
        if let Some(handler) = &data.handler {
            handler.args.iter().for_each(|&arg| facts.add_use(block, arg));
            facts.add_handler(block, handler.block);
        }
        for &inst in &data.insts {
            let inst = &func.insts[inst];
            inst.uses().for_each(|value| facts.add_use(block, value));
            inst.results.iter().for_each(|&result| facts.add_definition(block, result));
        }
    }
    flow::compute_liveness(&cfg, &facts)
}

/// The parameters that need a variable of their own on the way.
fn find_shadows(builder: &mut Builder<'_>, live: &Live) -> Shadows {
    let func = builder.func;
    let mut shadows = Shadows::new();
    for &block in &func.layout {
        let is_normal = func.terminator(block).map(|inst| func.insts[inst].targets.as_slice());
        let normal = is_normal.unwrap_or_default();
        let condition = func.terminator(block).and_then(|inst| func.insts[inst].args.first().copied());
        for (number, call) in func.edges(block).enumerate() {
            let is_handler = func.blocks[block].handler.is_some() && number == 0;
            for (index, &param) in func.blocks[call.block].params.iter().enumerate() {
                let read_elsewhere = if is_handler {
                    live.is_live_in(block, param) || func.blocks[block].params.contains(&param)
                } else {
                    let others = normal.iter().filter(|other| other.block != call.block);
                    let mut reads = others.flat_map(|other| other.args.iter());
                    condition == Some(param)
                        || reads.any(|&arg| arg == param)
                        || normal
                            .iter()
                            .any(|other| other.block != call.block && live.is_live_in(other.block, param))
                };
                let later = call.args.iter().enumerate().any(|(other, &arg)| other != index && arg == param);
                if (read_elsewhere || later) && shadows[param].is_none() && index < call.args.len() {
                    let id = builder.block_id(call.block);
                    let name = format!("$phi{}.{}", builder.view.blocks[id].label, index + 1);
                    let of = builder.var(param);
                    let source = builder.view.vars[of].source.clone();
                    shadows[param] = Some(builder.new_var(name, source));
                }
            }
        }
    }
    shadows
}

/// Copies of the edges that leave a block.
fn connect(builder: &mut Builder<'_>, block: Block, shadows: &Shadows) {
    let func = builder.func;
    let id = builder.block_id(block);
    if let Some(handler) = &func.blocks[block].handler {
        let to = builder.block_id(handler.block);
        let made = copies(builder, handler, shadows, Span::UNKNOWN);
        builder.view.blocks[id].handler = Some((made, to));
    }
    let Some(last) = func.terminator(block) else { return };
    if block == func.entry && builder.merged.is_some() {
        return;
    }
    let (targets, span) = (&func.insts[last].targets, func.insts[last].span);
    let Some(mut end) = builder.view.blocks[id].steps.pop() else { return };
    let mut before = Vec::new();
    for (number, call) in targets.iter().enumerate() {
        let first = &targets[0];
        if number > 0 && first.block == call.block {
            if first.args != call.args {
                end.targets[number] = between(builder, call, shadows, span);
            }
            continue;
        }
        before.extend(copies(builder, call, shadows, span));
    }
    let steps = &mut builder.view.blocks[id].steps;
    steps.extend(before);
    steps.push(end);
}

fn copies(builder: &mut Builder<'_>, call: &BlockCall, shadows: &Shadows, span: Span) -> Vec<Stmt> {
    let params = &builder.func.blocks[call.block].params;
    let mut made = Vec::new();
    for (&param, &arg) in params.iter().zip(&call.args) {
        let (target, source) = (shadows[param].unwrap_or(builder.var(param)), builder.var(arg));
        if target != source {
            made.push(copy(target, source, span));
        }
    }
    made
}

/// A block on an edge.
fn between(builder: &mut Builder<'_>, call: &BlockCall, shadows: &Shadows, span: Span) -> BlockId {
    let to = builder.block_id(call.block);
    let label = builder.view.blocks[to].label;
    let mut steps = copies(builder, call, shadows, span);
    steps.push(Stmt {
        op: Some(Op::Jump),
        attrs: SmallVec::new(),
        args: Vec::new(),
        results: Vec::new(),
        targets: vec![to],
        span,
    });
    builder.add_edge_block(label, steps)
}
