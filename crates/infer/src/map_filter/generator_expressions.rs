//! Generator expressions: a call of one gives an iterator, or at once a list of all values.
//!
//! The function of an expression with one `for` makes a value of one item; that of others a list
//! (`frontend::generator_expressions`), which is the same only where whoever takes it does nothing between two values.
//!
//! Absent: how the iterator is advanced (`builtins::mapping`).

use crate::calls::{Argument, FoldedCall};
use crate::diagnostics;
use crate::map_filter;
use crate::ops::Types;
use crate::solver::Engine;
use diag::Result;
use ir::{Block, ConstData, Inst, Op};
use types::{Handle, Type, TypeData};

/// The type of a call of a generator expression, if it is one.
pub(crate) fn infer(engine: &mut Engine<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let types = engine.cx.types;
    let &[closure, iterator] = operands else { return None };
    let TypeData::Closure { function, .. } = types.get(closure) else { return None };
    if engine.func.insts[inst].op != Op::Call || !types.is_generator_expression(function) {
        return None;
    }
    Some(match engine.shared.collects(&*engine.host, function) {
        Err(error) => Err(error),
        Ok(true) => infer_collected(engine, block, inst, function, operands),
        Ok(false) => infer_iterator(engine, block, inst, function, closure, iterator),
    })
}

fn infer_iterator(
    engine: &mut Engine<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    closure: Type,
    iterator: Type,
) -> Types {
    let types = engine.cx.types;
    let (iterator, item) = map_filter::item_of(engine, inst, iterator)?;
    let Some(given) = engine.request(block, function, vec![closure, types.unliteral(item)])? else {
        return Ok(vec![None]);
    };
    let given = match types.get(given) {
        TypeData::Optional(tuple) => tuple,
        _ => given,
    };
    // One whose condition is known to be false gives nothing.
    let item = types.elements(given).and_then(|elements| elements.first().copied()).unwrap_or(Type::NONE);
    let made = TypeData::Generated { function: closure, iterator, item: types.unliteral(item) };
    Ok(vec![Some(types.intern(made))])
}

fn infer_collected(
    engine: &mut Engine<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    operands: &[Type],
) -> Types {
    let looked_for = looked_for(engine, block, inst)?;
    let (argument, ty) = match looked_for {
        None => (Argument::Type(Type::NONE), Type::NONE),
        Some(truth) => (Argument::Constant(engine.func.consts.intern(ConstData::Bool(truth))), Type::BOOL),
    };
    let wanted = vec![operands[0], operands[1], ty];
    let arguments = vec![Argument::Callee, Argument::Operand(0), argument];
    engine.folded[inst] = Some(FoldedCall { arguments, types: wanted.clone(), exact: None });
    Ok(vec![engine.request(block, function, wanted)?])
}

/// What ends the search of whoever takes the values.
fn looked_for(engine: &Engine<'_>, block: Block, inst: Inst) -> Result<Option<bool>> {
    match map_filter::exhausted(engine, block, inst) {
        Some(how) => Ok(how.until),
        None => Err(diagnostics::late_generator(engine, inst)),
    }
}
