//! Out of SSA form: block parameters become copies in predecessors.
//!
//! `jump block5(%acc.2)` becomes `acc.1 = acc.2` and `jump 36`. Copies stand before the jump or
//! branch, those of an exception edge where the protected block begins. Where such a copy would
//! change what is still read (two names that swap, a value read behind the loop), it goes through
//! a variable `$phi36.1`, which the block copies when it begins. A branch whose two edges bring
//! different values to one block gets a block of its own between.

use crate::model::{IrBlock, Place, Statement, Var, View};
use entity::SideTable;
use ir::{Block, BlockCall, Function, Value};

/// The values that are live where blocks begin.
type Live = flow::Liveness<Block, Value>;

/// Inserts the copies, and the edges of the graph.
pub(crate) fn place(view: &mut View<'_>) {
    let func = view.func;
    let live = compute_live(func);
    let shadows = find_shadows(view, &live);
    for &block in &func.layout {
        connect(view, block, &shadows);
    }
    for &block in &func.layout {
        let place = view.place(block);
        let mut heads = Vec::new();
        for &param in &func.blocks[block].params {
            if let Some(shadow) = shadows[param] {
                let target = view.var(param);
                heads.push(Statement::new(Some(target)).var(shadow));
            }
        }
        view.parts[place].statements.splice(0..0, heads);
    }
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
            let edges = inst.targets.iter().flat_map(|target| &target.args);
            inst.args.iter().chain(edges).for_each(|&arg| facts.add_use(block, arg));
            inst.results.iter().for_each(|&result| facts.add_definition(block, result));
        }
    }
    flow::compute_liveness(&cfg, &facts)
}

/// The parameters that need a variable of their own on the way.
fn find_shadows(view: &mut View<'_>, live: &Live) -> SideTable<Value, Option<Var>> {
    let func = view.func;
    let mut shadows: SideTable<Value, Option<Var>> = SideTable::new();
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
                    let place = view.place(call.block);
                    let name = format!("$phi{}.{}", view.parts[place].label, index + 1);
                    shadows[param] = Some(view.new_var(name, 0));
                }
            }
        }
    }
    shadows
}

/// Copies of the edges that leave a block, and the terminator's labels.
fn connect(view: &mut View<'_>, block: Block, shadows: &SideTable<Value, Option<Var>>) {
    let func = view.func;
    let place = view.place(block);
    if let Some(handler) = &func.blocks[block].handler {
        let to = view.place(handler.block);
        let mut heads = copies(view, handler, shadows);
        heads.push(Statement::new(None).text(format!("on exception jump {}", view.parts[to].label)));
        view.parts[place].statements.splice(0..0, heads);
        view.parts[place].handler = Some(to);
    }
    let Some(last) = func.terminator(block) else { return };
    let targets = &func.insts[last].targets;
    if block == func.entry && view.merged.is_some() {
        return;
    }
    if targets.is_empty() {
        return;
    }
    let Some(mut end) = view.parts[place].statements.pop() else { return };
    let mut labels = Vec::new();
    let mut before = Vec::new();
    for (number, call) in targets.iter().enumerate() {
        let statements = copies(view, call, shadows);
        let first = &targets[0];
        let to = if number > 0 && first.block == call.block && first.args != call.args {
            between(view, call.block, statements)
        } else {
            before.extend(if number > 0 && first == call { Vec::new() } else { statements });
            view.place(call.block)
        };
        view.parts[place].successors.push(to);
        labels.push(view.parts[to].label.to_string());
    }
    end = end.text(labels.join(", "));
    view.parts[place].statements.extend(before);
    view.parts[place].statements.push(end);
}

fn copies(view: &mut View<'_>, call: &BlockCall, shadows: &SideTable<Value, Option<Var>>) -> Vec<Statement> {
    let params = &view.func.blocks[call.block].params;
    let mut statements = Vec::new();
    for (&param, &arg) in params.iter().zip(&call.args) {
        let (target, source) = (shadows[param].unwrap_or(view.var(param)), view.var(arg));
        if target != source {
            statements.push(Statement::new(Some(target)).var(source));
        }
    }
    statements
}

/// A block on an edge.
fn between(view: &mut View<'_>, to: Block, mut statements: Vec<Statement>) -> Place {
    let to = view.place(to);
    let label = view.parts[to].label;
    statements.push(Statement::new(None).text(format!("jump {label}")));
    let label = view.take_label(label);
    view.parts.push(IrBlock { label, statements, successors: vec![to], handler: None })
}
