//! Generator expressions: a call returns an iterator, a list of all values, or a generator.
//!
//! The function of an expression with one `for` makes a value of one item; that of others a list
//! (`frontend::generator_expressions`), which is the same only where whoever takes it does nothing between two values. Both are
//! cheap and live in the frame of the function that makes them. Where that is not enough, since the expression is returned, kept
//! in a container or a variable beside another one, everything is inferred again with the expression as a generator.
//!
//! Absent: how the iterator is advanced (`builtins::map_filter`).

use crate::calls::call_data::{Argument, FoldedCall, Written};
use crate::calls::closures;
use crate::calls::map_filter;
use crate::containers::iterated_items::require_items;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use ir::{Block, ConstData, Def, Inst, Op};
use types::{Handle, Type, TypeData, TypeTable};

/// The type of a call of a generator expression, if it is one.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let types = solver.cx.types;
    let &[closure, iterator] = operands else { return None };
    let TypeData::Closure { function, .. } = types.get(closure) else { return None };
    if solver.func.insts[inst].op != Op::Call || !types.is_generator_expression(function) {
        return None;
    }
    let form = match solver.shared.form(&*solver.host, function) {
        Ok(form) => form,
        Err(error) => return Some(Err(error.into())),
    };
    Some(match form.parameters {
        _ if form.is_generator => infer_generator(solver, block, inst, closure, function),
        1 => infer_iterator(solver, block, inst, function, closure, iterator),
        _ => infer_collected(solver, block, inst, function, operands),
    })
}

/// A generator like any other, of the iterable.
fn infer_generator(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    closure: Type,
    function: Handle,
) -> Types {
    solver.shared.memory.borrow_mut().note_generators(&[function]);
    let iterator = solver.func.insts[inst].args[1];
    let iterable = match solver.func.values[iterator].def {
        Def::Result(made, _) if solver.func.insts[made].op == Op::Getiter => solver.func.insts[made].args[0],
        _ => iterator,
    };
    let Some(ty) = solver.ty(iterable) else { return Ok(vec![None]) };
    let given = vec![(Argument::Value(iterable), solver.cx.types.unliteral(ty))];
    closures::infer_call(solver, block, inst, Written { callee: closure, given, names: Vec::new() })
}

fn infer_iterator(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    closure: Type,
    iterator: Type,
) -> Types {
    let types = solver.cx.types;
    let (iterator, item) = {
        let (made, item) = map_filter::item_of(solver, inst, iterator)?;
        if let Some(empty) = map_filter::over_empty(solver, block, inst, &[iterator], &[item]) {
            return empty;
        }
        (made, item)
    };
    let key = (function, vec![closure, types.unliteral(item)]);
    let iterable = solver.func.insts[inst].args[1];
    if require_items(solver, &key, &[iterable]) {
        return Ok(vec![None]);
    }
    let Some(given) = solver.request(block, key.0, key.1)? else {
        return Ok(vec![None]);
    };
    let given = match types.get(given) {
        TypeData::Optional(tuple) => tuple,
        _ => given,
    };
    // One whose condition is known to be false gives nothing.
    let item =
        types.elements(given).and_then(|elements| elements.first().copied()).unwrap_or(Type::UNDEFINED);
    let made = TypeData::GeneratorExpr { function: closure, iterator, item: types.unliteral(item) };
    Ok(vec![Some(types.intern(made))])
}

fn infer_collected(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    operands: &[Type],
) -> Types {
    let Some(how) = map_filter::exhausted(solver, block, inst) else {
        return infer_generator(solver, block, inst, operands[0], function);
    };
    let (argument, ty) = match how.until {
        None => (Argument::Type(Type::NONE), Type::NONE),
        Some(truth) => (Argument::Constant(solver.func.consts.intern(ConstData::Bool(truth))), Type::BOOL),
    };
    let wanted = vec![operands[0], operands[1], ty];
    let arguments = vec![Argument::Callee, Argument::Operand(0), argument];
    solver.folded[inst] = Some(FoldedCall { arguments, types: wanted.clone(), exact: None });
    Ok(vec![solver.request(block, function, wanted)?])
}

/// The generator expressions that an instance has as iterators of which each item is made by a call.
pub(crate) fn stepped(solver: &Solver<'_>) -> Vec<Handle> {
    let mut found = Vec::new();
    for &block in &solver.func.layout {
        let results =
            solver.func.blocks[block].insts.iter().flat_map(|&inst| &solver.func.insts[inst].results);
        for &value in results.chain(&solver.func.blocks[block].params) {
            if let Some(ty) = solver.ty(value) {
                find_steps(solver.cx.types, ty, &mut found);
            }
        }
    }
    found
}

/// Those that stay live: the state of such an iterator has one slot in the frame for all that the code creates, so that none may
/// be kept while it makes the next, and none leaves the function.
pub(crate) fn late(solver: &Solver<'_>) -> Vec<Handle> {
    let types = solver.cx.types;
    let mut found = Vec::new();
    for &block in &solver.func.layout {
        for &param in &solver.func.blocks[block].params {
            if let Some(ty) = solver.ty(param) {
                find_steps(types, ty, &mut found);
            }
        }
    }
    if solver.number == 0 && solver.result.is_some_and(|result| types.refers_to_frame(result)) {
        return stepped(solver);
    }
    if let Some(item) = solver.yielded {
        find_steps(types, item, &mut found);
    }
    found
}

fn find_steps(types: &TypeTable, ty: Type, found: &mut Vec<Handle>) {
    match types.get(ty) {
        TypeData::GeneratorExpr { function, iterator, .. } => {
            if let TypeData::Closure { function, .. } = types.get(function) {
                found.push(function);
            }
            find_steps(types, iterator, found);
        }
        TypeData::Optional(inner) | TypeData::Method(inner, _) | TypeData::FixedList(inner) => {
            find_steps(types, inner, found);
        }
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).for_each(|&part| find_steps(types, part, found));
        }
        _ => types.components(ty).unwrap_or_default().iter().for_each(|&part| find_steps(types, part, found)),
    }
}
