//! Generator expressions: a call of one gives an iterator, or at once a list of all values.
//!
//! The function of an expression with one `for` makes a value of one item; that of others a list
//! (`frontend::generator_expressions`), which is the same only where whoever takes it does nothing between two values.
//!
//! Absent: how the iterator is advanced (`builtins::mapping`).

use crate::call_data::{Argument, FoldedCall};
use crate::diagnostics;
use crate::iterated_items::settle_request;
use crate::lookup::Types;
use crate::map_filter;
use crate::solver::Solver;
use diag::Result;
use ir::{Block, ConstData, Inst, Op};
use types::{Handle, Type, TypeData};

/// The type of a call of a generator expression, if it is one.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let types = solver.cx.types;
    let &[closure, iterator] = operands else { return None };
    let TypeData::Closure { function, .. } = types.get(closure) else { return None };
    if solver.func.insts[inst].op != Op::Call || !types.is_generator_expression(function) {
        return None;
    }
    Some(match solver.shared.collects(&*solver.host, function) {
        Err(error) => Err(error.into()),
        Ok(true) => infer_collected(solver, block, inst, function, operands),
        Ok(false) => infer_iterator(solver, block, inst, function, closure, iterator),
    })
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
        if let Some(empty) = map_filter::over_nothing(solver, block, inst, &[iterator], &[item]) {
            return empty;
        }
        (made, item)
    };
    let key = (function, vec![closure, types.unliteral(item)]);
    let iterable = solver.func.insts[inst].args[1];
    if settle_request(solver, &key, &[iterable]) {
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
    let looked_for = looked_for(solver, block, inst)?;
    let (argument, ty) = match looked_for {
        None => (Argument::Type(Type::NONE), Type::NONE),
        Some(truth) => (Argument::Constant(solver.func.consts.intern(ConstData::Bool(truth))), Type::BOOL),
    };
    let wanted = vec![operands[0], operands[1], ty];
    let arguments = vec![Argument::Callee, Argument::Operand(0), argument];
    solver.folded[inst] = Some(FoldedCall { arguments, types: wanted.clone(), exact: None });
    Ok(vec![solver.request(block, function, wanted)?])
}

/// What ends the search of whoever takes the values.
fn looked_for(solver: &Solver<'_>, block: Block, inst: Inst) -> Result<Option<bool>> {
    match map_filter::exhausted(solver, block, inst) {
        Some(how) => Ok(how.until),
        None => Err(diagnostics::late_generator(solver, inst)),
    }
}
