//! Finds shared variables that are not reassigned after a given point.
//!
//! Absent: the types of what they hold (`closures`), what other functions take along (`captures`).

use crate::solver::Solver;
use diag::Result;
use ir::{Attr, Block, ConstData, Def, FunctionAttribute, Inst, Op, Value};
use types::{Handle, Type, TypeData};

/// What a generator keeps of the closure whose code it runs: the values of its variables, if none of them gets another one while the
/// generator lives. Then it may outlive the frame that the variables lie in. Nothing while a value is not known.
pub(crate) fn kept_by_generator(
    solver: &Solver<'_>,
    block: Block,
    inst: Inst,
    closure: Type,
) -> Result<Option<Type>> {
    let types = solver.cx.types;
    let TypeData::Closure { function, captures, defaults, optional } = types.get(closure) else {
        return Ok(Some(closure));
    };
    let mut kept = Vec::new();
    for &capture in captures.iter() {
        let TypeData::Cell(cell) = types.get(capture) else {
            kept.push(capture);
            continue;
        };
        let is_settled = match maker(solver, cell) {
            Some(made) => is_settled(solver, made, block, inst)?,
            None => solver.shared.is_constant(cell),
        };
        let Some(content) = solver.read_cell(block, cell) else { return Ok(None) };
        let content = types.unliteral(content);
        if !is_settled || types.functions(content).is_some() || types.refers_to_frame(content) {
            return Ok(Some(closure));
        }
        kept.push(content);
    }
    let data = TypeData::Closure { function, captures: kept.into(), defaults, optional };
    Ok(Some(types.intern(data)))
}

/// The instruction that makes a cell, if this function does.
pub(crate) fn maker(solver: &Solver<'_>, cell: u32) -> Option<Inst> {
    let insts = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    insts.copied().find(|&inst| {
        matches!(solver.func.insts[inst].op, Op::MakeCell | Op::EmptyCell) && solver.cell(inst) == cell
    })
}

/// Whether nobody stores to a cell after an instruction: the function itself does not, and no function that it makes does.
fn is_settled(solver: &Solver<'_>, made: Inst, block: Block, inst: Inst) -> Result<bool> {
    let func = &solver.func;
    let cell = func.result(made);
    let behind = reached_behind(solver, block);
    for &user_block in &func.layout {
        let insts = &func.blocks[user_block].insts;
        let position = insts.iter().position(|&other| other == inst);
        for (at, &user) in insts.iter().enumerate() {
            let data = &func.insts[user];
            if !data.args.contains(&cell) {
                continue;
            }
            match data.op {
                Op::LoadCell => {}
                Op::StoreCell => {
                    let follows = position.is_some_and(|position| at > position);
                    if follows || behind.contains(&user_block) {
                        return Ok(false);
                    }
                }
                Op::BuildTuple if !changed_through(solver, user, cell)? => {}
                _ => return Ok(false),
            }
        }
        if func.edges(user_block).any(|call| call.args.contains(&cell)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a cell has one value wherever a function is made that gets it: a parameter, or what is stored once before all these.
pub(crate) fn is_constant(solver: &Solver<'_>, made: Inst) -> Result<bool> {
    let func = &solver.func;
    let cell = func.result(made);
    let (mut stores, mut tuples) = (Vec::new(), Vec::new());
    for &block in &func.layout {
        if func.edges(block).any(|call| call.args.contains(&cell)) {
            return Ok(false);
        }
        for (at, &user) in func.blocks[block].insts.iter().enumerate() {
            if !func.insts[user].args.contains(&cell) {
                continue;
            }
            match func.insts[user].op {
                Op::LoadCell => {}
                Op::StoreCell => stores.push((block, at)),
                Op::BuildTuple if !changed_through(solver, user, cell)? => tuples.push((block, at)),
                _ => return Ok(false),
            }
        }
    }
    match (func.insts[made].op, &stores[..]) {
        (Op::MakeCell, []) => Ok(true),
        (Op::EmptyCell, &[(block, at)]) if !reached_behind(solver, block).contains(&block) => {
            let dominators = flow::compute_dominators(&flow::Cfg::compute(func));
            Ok(tuples.iter().all(|&(user, position)| {
                if user == block { position > at } else { dominators.dominates(block, user) }
            }))
        }
        _ => Ok(false),
    }
}

/// The blocks that paths from the end of a block reach.
fn reached_behind(solver: &Solver<'_>, block: Block) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for call in solver.func.edges(block) {
            if !found.contains(&call.block) {
                found.push(call.block);
                open.push(call.block);
            }
        }
    }
    found
}

/// Whether one of the functions that get a cell of this function changes what it holds.
pub(crate) fn is_changed_by_functions(solver: &Solver<'_>, made: Inst) -> Result<bool> {
    let func = &solver.func;
    let cell = func.result(made);
    let insts = || func.layout.iter().flat_map(|&block| &func.blocks[block].insts).copied();
    for tuple in insts().filter(|&inst| func.insts[inst].op == Op::BuildTuple) {
        let Some(index) = func.insts[tuple].args.iter().position(|&part| part == cell) else { continue };
        let captured = func.result(tuple);
        for user in insts().filter(|&inst| func.insts[inst].args.first() == Some(&captured)) {
            if matches!(func.function_attribute(user), Some(FunctionAttribute::Closure))
                && let Some(&made) = func.insts[user].args.last()
                && let Some(function) = function_of(solver, made)?
                && solver.host.changes_captured(function, index)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a function with this tuple of captured variables may store to one of them, as far as one can see.
fn changed_through(solver: &Solver<'_>, tuple: Inst, cell: Value) -> Result<bool> {
    let func = &solver.func;
    let captured = func.result(tuple);
    let Some(index) = func.insts[tuple].args.iter().position(|&part| part == cell) else { return Ok(true) };
    for &block in &func.layout {
        for &user in &func.blocks[block].insts {
            if !func.insts[user].args.contains(&captured) {
                continue;
            }
            let is_closure = matches!(func.function_attribute(user), Some(FunctionAttribute::Closure));
            let function = match func.insts[user].args.last() {
                Some(&made) if is_closure => function_of(solver, made)?,
                _ => None,
            };
            match function {
                Some(function) if !solver.host.changes_captured(function, index)? => {}
                _ => return Ok(true),
            }
        }
    }
    Ok(false)
}

/// The function that is made of a code constant.
fn function_of(solver: &Solver<'_>, mut value: Value) -> Result<Option<Handle>> {
    loop {
        let Def::Result(inst, _) = solver.func.values[value].def else { return Ok(None) };
        let data = &solver.func.insts[inst];
        match (data.op, data.attrs.first()) {
            (Op::Const, Some(&Attr::Const(id))) => {
                let ConstData::Code(index, _) = solver.func.consts.get(id) else { return Ok(None) };
                return Ok(Some(solver.host.inner(*index as usize)?));
            }
            (Op::Python, _) if !data.args.is_empty() => value = data.args[data.args.len() - 1],
            _ => return Ok(None),
        }
    }
}
