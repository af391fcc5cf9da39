//! Containers that meet: under one name, as results, in one display, as operands of one operation.
//!
//! Each has the type that its maker gave it, and all of them are to have the type that holds what each holds. So every
//! maker is asked for it (`containers::demand`). Where one cannot, since the container comes from elsewhere, that is an error.
//!
//! ```text
//! %2 = call_method get %d, %k, %l      %d is DictType[int64, list(int64)], %l a list(undefined): %l becomes a list(int64)
//! %3 = build_list %a, %b               %a is a list(int64), %b a list(float64): both hold float64
//! ```
//!
//! A container that comes from a caller is asked of the caller, which then calls the function with the other type.
//!
//! Absent: what is put into containers (`containers`).

use crate::calls::{Argument, FoldedCall};
use crate::container_growth::demand;
use crate::diagnostics;
use crate::overload_resolution::Extended;
use crate::solver::Engine;
use diag::Result;
use ir::{Block, Def, Inst, Op, Value};
use types::{Handle, Type, TypeData, convert, unify};

/// The items of a display become what its container holds. Nothing while that is not so; of a list whose items stay what
/// they are, the type of one that never changes.
pub(crate) fn in_display(engine: &mut Engine<'_>, inst: Inst, args: &[Type], made: Type) -> Result<Type> {
    let types = engine.cx.types;
    let Some(contents) = types.contents(made) else { return Ok(made) };
    for (at, &arg) in args.iter().enumerate() {
        let part = contents[at % contents.len()];
        if !types.may_hold_more(arg) || !types.may_hold_more(part) || fits(engine, arg, part) {
            continue;
        }
        let value = engine.func.insts[inst].args[at];
        if demand(engine, value, part) {
            continue;
        }
        return match engine.func.insts[inst].op {
            Op::BuildList => Ok(types.intern(TypeData::Starred(types.tuple(args)))),
            _ => Err(diagnostics::cannot_grow(engine, inst, value, part)),
        };
    }
    Ok(made)
}

/// Operands of what the catalog knows become what its rule takes. Whether they are that already.
pub(crate) fn in_operation(
    engine: &mut Engine<'_>,
    inst: Inst,
    args: &[Type],
    params: &[Type],
) -> Result<bool> {
    let types = engine.cx.types;
    let mut settled = true;
    for (at, (&arg, &param)) in args.iter().zip(params).enumerate() {
        if arg == param || !types.may_hold_more(arg) || fits(engine, arg, param) {
            continue;
        }
        let Some(value) = operand(engine, inst, at) else { continue };
        if !demand(engine, value, param) {
            return Err(diagnostics::cannot_grow(engine, inst, value, param));
        }
        settled = false;
    }
    Ok(settled)
}

/// The value that is an operand of what an instruction does, the receiver of a method among them.
fn operand(engine: &Engine<'_>, inst: Inst, at: usize) -> Option<Value> {
    let data = &engine.func.insts[inst];
    if !matches!(data.op, Op::Call | Op::CallEx) {
        return data.args.get(at).copied();
    }
    let callee = *data.args.first()?;
    let is_method =
        engine.ty(callee).is_some_and(|ty| matches!(engine.cx.types.get(ty), TypeData::Method(..)));
    let at = match (is_method, engine.func.values[callee].def) {
        (false, _) => at,
        (true, Def::Result(method, _)) if at == 0 => return engine.func.insts[method].args.first().copied(),
        (true, _) => at - 1,
    };
    match &engine.folded[inst] {
        Some(folded) => argument(engine, inst, folded.arguments.get(at)?),
        None => data.args.get(at + 1).copied(),
    }
}

/// The value that an argument of a call is, if it is one.
fn argument(engine: &Engine<'_>, inst: Inst, argument: &Argument) -> Option<Value> {
    match argument {
        Argument::Operand(at) => engine.func.insts[inst].args.get(at + 1).copied(),
        Argument::Value(value) => Some(*value),
        _ => None,
    }
}

/// Elements of a tuple that is indexed with a number become what all of them hold. Whether they will.
pub(crate) fn in_tuple(engine: &mut Engine<'_>, tuple: Value) -> bool {
    let types = engine.cx.types;
    let Some(elements) = engine.ty(tuple).and_then(|of| types.elements(of)) else { return false };
    let joined = elements.iter().try_fold(Type::UNDEFINED, |known, &element| unify(types, known, element));
    let Some(joined) = joined.filter(|&joined| types.holds_container(joined)) else { return false };
    elements.iter().any(|&element| element != joined)
        && demand(engine, tuple, types.tuple(&vec![joined; elements.len()]))
}

/// A called function asks for other arguments: they become that here, so that another instance is called. Whether they
/// will; a function of a library that would be called in vain is told so.
pub(crate) fn in_call(
    engine: &mut Engine<'_>,
    inst: Inst,
    callee: &(Handle, Vec<Type>),
    folded: &FoldedCall,
    asked: &[(usize, Type)],
) -> Result<()> {
    let own =
        folded.arguments.len() - folded.arguments.iter().filter(|given| **given != Argument::Callee).count();
    for &(at, wanted) in asked {
        let given = folded.arguments.get(at + own).cloned();
        if given.is_some_and(|given| demand_argument(engine, inst, &given, wanted)) {
            continue;
        }
        if let Some(Extended::Call(_)) = engine.extended[inst] {
            engine.shared.refuse(callee);
            return Ok(());
        }
        let known = folded.types.get(at + own).copied().unwrap_or(Type::UNDEFINED);
        return Err(diagnostics::cannot_pass(engine, inst, known, wanted));
    }
    Ok(())
}

fn demand_argument(engine: &mut Engine<'_>, inst: Inst, given: &Argument, wanted: Type) -> bool {
    let types = engine.cx.types;
    if let Argument::Rest(given) = given {
        let Some(parts) = types.elements(wanted).filter(|parts| parts.len() == given.len()) else {
            return false;
        };
        return given
            .iter()
            .zip(parts.iter())
            .all(|(given, &part)| demand_argument(engine, inst, given, part));
    }
    if let Argument::Element(at) = *given {
        let tuple = engine.func.insts[inst].args[1];
        let Some(parts) = engine.ty(tuple).and_then(|of| types.elements(of)) else { return false };
        let mut parts = parts.to_vec();
        parts[at] = wanted;
        return demand(engine, tuple, types.tuple(&parts));
    }
    argument(engine, inst, given).is_some_and(|value| demand(engine, value, wanted))
}

/// When nothing else is left to do: containers that meet under one name become what this name holds, and so do those
/// that are returned. Where something grows, blocks are to be visited again.
pub(crate) fn settle(engine: &mut Engine<'_>) -> Result<()> {
    let types = engine.cx.types;
    for block in engine.reached_blocks() {
        let edges: Vec<_> = engine.func.edges(block).cloned().collect();
        for call in edges {
            for (index, &arg) in call.args.iter().enumerate() {
                let param = engine.func.blocks[call.block].params[index];
                let (Some(from), Some(to)) = (engine.ty(arg), engine.ty(param)) else { continue };
                if from == to || !types.holds_container(to) || !types.may_hold_more(from) {
                    continue;
                }
                if !fits(engine, from, to) && !demand(engine, arg, to) {
                    return Err(diagnostics::cannot_unify(engine, param, to, from));
                }
            }
        }
        settle_cells(engine, block)?;
        let Some(last) = engine.func.terminator(block) else { continue };
        if engine.func.insts[last].op == Op::Return {
            settle_return(engine, last)?;
        }
    }
    Ok(())
}

/// Whether a value becomes one of another type without changing what it holds: it may be put into an Optional.
fn fits(engine: &Engine<'_>, from: Type, to: Type) -> bool {
    convert(engine.cx.types, from, to).is_some()
}

/// What is stored in a cell becomes what functions that share the cell put into it.
fn settle_cells(engine: &mut Engine<'_>, block: Block) -> Result<()> {
    for index in 0..engine.func.blocks[block].insts.len() {
        let inst = engine.func.blocks[block].insts[index];
        let data = &engine.func.insts[inst];
        let (cell, value) = match data.op {
            Op::MakeCell => (data.results[0], data.args[0]),
            Op::StoreCell => (data.args[0], data.args[1]),
            _ => continue,
        };
        let Some(TypeData::Cell(number)) = engine.ty(cell).map(|ty| engine.cx.types.get(ty)) else {
            continue;
        };
        let (Some(wanted), Some(known)) = (engine.shared.wanted_in_cell(number), engine.ty(value)) else {
            continue;
        };
        if !fits(engine, known, wanted) && !demand(engine, value, wanted) {
            return Err(diagnostics::cannot_grow(engine, inst, value, wanted));
        }
    }
    Ok(())
}

fn settle_return(engine: &mut Engine<'_>, inst: Inst) -> Result<()> {
    let types = engine.cx.types;
    let mut value = engine.func.insts[inst].args[0];
    if let Def::Result(cast, _) = engine.func.values[value].def
        && engine.func.insts[cast].op == Op::Cast
    {
        value = engine.func.insts[cast].args[0];
    }
    let asked = engine.shared.wanted_result(engine.number);
    let result = match (engine.result, asked) {
        (Some(result), Some(asked)) => unify(types, result, asked).unwrap_or(result),
        (Some(result), None) => result,
        (None, _) => return Ok(()),
    };
    let Some(from) = engine.ty(value) else { return Ok(()) };
    if from == result || !types.holds_container(result) || fits(engine, from, result) {
        return Ok(());
    }
    if !demand(engine, value, result) {
        return Err(diagnostics::cannot_unify_returns(engine, result, from));
    }
    Ok(())
}
