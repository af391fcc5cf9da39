//! Joins of container types: in one variable, as results, in one display, as operands of one operation.
//!
//! Each container has the type from its creation, and all of them must get the joined element type. So a type request goes to
//! every creating instruction (`containers::container_growth`). If a container comes from elsewhere, that is an error.
//!
//! ```text
//! %2 = call_method get %d, %k, %l      %d is DictType[int64, list(int64)], %l a list(undefined): %l becomes a list(int64)
//! %3 = build_list %a, %b               %a is a list(int64), %b a list(float64): both hold float64
//! ```
//!
//! For a container that comes from a caller, the request goes to the caller, which then calls the instance for the other type.
//!
//! Absent: insertions into containers (`containers`).

use crate::calls::call_data::Extended;
use crate::calls::call_data::{Argument, FoldedCall};
use crate::containers::type_request::require_type;
use crate::desugar::narrow_optionals::without_none;
use crate::diagnostics;
use crate::solver::Solver;
use diag::Result;
use ir::{Block, Def, Inst, Op, Value};
use types::{Handle, Type, TypeData, convert, fits_item, unify};

/// The items of a display become what its container holds. Nothing while that is not so; of a list whose items stay what
/// they are, the type of one that never changes.
pub(crate) fn in_display(solver: &mut Solver<'_>, inst: Inst, args: &[Type], made: Type) -> Result<Type> {
    let types = solver.cx.types;
    let Some(contents) = types.contents(made) else { return Ok(made) };
    for (at, &arg) in args.iter().enumerate() {
        let part = contents[at % contents.len()];
        if !types.may_hold_more(arg) || !types.may_hold_more(part) || fits(solver, arg, part) {
            continue;
        }
        let value = solver.func.insts[inst].args[at];
        if require_type(solver, value, part) {
            continue;
        }
        return match solver.func.insts[inst].op {
            Op::BuildList => Ok(types.intern(TypeData::FixedList(types.tuple(args)))),
            _ => Err(diagnostics::cannot_grow(solver, inst, value, part)),
        };
    }
    Ok(made)
}

/// Operands of what the catalog knows become what its rule takes. Whether they are that already.
pub(crate) fn in_operation(
    solver: &mut Solver<'_>,
    inst: Inst,
    args: &[Type],
    params: &[Type],
) -> Result<bool> {
    let types = solver.cx.types;
    let mut settled = true;
    for (at, (&arg, &param)) in args.iter().zip(params).enumerate() {
        // What a tuple does, a list that never changes does by its items.
        let by_items = types.starred(arg).is_some() && types.contents(without_none(types, param)).is_none();
        if arg == param || by_items || !types.may_hold_more(arg) || fits(solver, arg, param) {
            continue;
        }
        let Some(value) = operand(solver, inst, at) else { continue };
        if !require_type(solver, value, param) {
            return Err(diagnostics::cannot_grow(solver, inst, value, param));
        }
        settled = false;
    }
    Ok(settled)
}

/// The value that is an operand of what an instruction does, the receiver of a method among them.
fn operand(solver: &Solver<'_>, inst: Inst, at: usize) -> Option<Value> {
    let data = &solver.func.insts[inst];
    if !matches!(data.op, Op::Call | Op::CallEx) {
        return data.args.get(at).copied();
    }
    let callee = *data.args.first()?;
    let is_method =
        solver.ty(callee).is_some_and(|ty| matches!(solver.cx.types.get(ty), TypeData::Method(..)));
    let at = match (is_method, solver.func.values[callee].def) {
        (false, _) => at,
        (true, Def::Result(method, _)) if at == 0 => return solver.func.insts[method].args.first().copied(),
        (true, _) => at - 1,
    };
    match &solver.folded[inst] {
        Some(folded) => argument(solver, inst, folded.arguments.get(at)?),
        None => data.args.get(at + 1).copied(),
    }
}

/// The value that an argument of a call is, if it is one.
fn argument(solver: &Solver<'_>, inst: Inst, argument: &Argument) -> Option<Value> {
    match argument {
        Argument::Operand(at) => solver.func.insts[inst].args.get(at + 1).copied(),
        Argument::Value(value) => Some(*value),
        _ => None,
    }
}

/// Elements of a tuple that is indexed with a number become what all of them hold. Whether they will.
pub(crate) fn in_tuple(solver: &mut Solver<'_>, tuple: Value) -> bool {
    let types = solver.cx.types;
    let Some(elements) = solver.ty(tuple).and_then(|of| types.elements(of)) else { return false };
    let joined = elements.iter().try_fold(Type::UNDEFINED, |known, &element| unify(types, known, element));
    let Some(joined) = joined.filter(|&joined| types.holds_container(joined)) else { return false };
    elements.iter().any(|&element| !fits(solver, element, joined))
        && require_type(solver, tuple, types.tuple(&vec![joined; elements.len()]))
}

/// A called function asks for other arguments: they become that here, so that another instance is called. Whether they
/// will; a function of a library that would be called in vain is reported as such.
pub(crate) fn in_call(
    solver: &mut Solver<'_>,
    inst: Inst,
    callee: &(Handle, Vec<Type>),
    folded: &FoldedCall,
    asked: &[(usize, Type)],
) -> Result<()> {
    let own =
        folded.arguments.len() - folded.arguments.iter().filter(|given| **given != Argument::Callee).count();
    for &(at, wanted) in asked {
        let given = folded.arguments.get(at + own).cloned();
        if given.is_some_and(|given| demand_argument(solver, inst, &given, wanted)) {
            continue;
        }
        if let Some(Extended::Call(_)) = solver.extended[inst] {
            solver.shared.refuse(callee);
            return Ok(());
        }
        let known = folded.types.get(at + own).copied().unwrap_or(Type::UNDEFINED);
        if holds_converted(solver, known, wanted) {
            solver.shared.refuse(callee);
            return Ok(());
        }
        return Err(diagnostics::cannot_pass(solver, inst, known, wanted));
    }
    Ok(())
}

/// Whether a container of a type can hold what it is asked to hold, each part as the type it has for that.
fn holds_converted(solver: &Solver<'_>, known: Type, wanted: Type) -> bool {
    let types = solver.cx.types;
    let (Some(have), Some(asked)) = (types.contents(known), types.contents(wanted)) else { return false };
    have.len() == asked.len() && have.iter().zip(&asked).all(|(&have, &asked)| fits_item(types, asked, have))
}

fn demand_argument(solver: &mut Solver<'_>, inst: Inst, given: &Argument, wanted: Type) -> bool {
    let types = solver.cx.types;
    if let Argument::Rest(given) = given {
        let Some(parts) = types.elements(wanted).filter(|parts| parts.len() == given.len()) else {
            return false;
        };
        return given
            .iter()
            .zip(parts.iter())
            .all(|(given, &part)| demand_argument(solver, inst, given, part));
    }
    if let Argument::Element(at) = *given {
        let tuple = solver.func.insts[inst].args[1];
        let Some(parts) = solver.ty(tuple).and_then(|of| types.elements(of)) else { return false };
        let mut parts = parts.to_vec();
        parts[at] = wanted;
        return require_type(solver, tuple, types.tuple(&parts));
    }
    argument(solver, inst, given).is_some_and(|value| require_type(solver, value, wanted))
}

/// When nothing else is left to do: containers that meet under one name become what this name holds, and so do those
/// that are returned. Where something grows, blocks are to be visited again.
pub(crate) fn propagate_to_joins(solver: &mut Solver<'_>) -> Result<()> {
    let types = solver.cx.types;
    for block in solver.reached_blocks() {
        for call in solver.taken_edges(block) {
            for (index, &arg) in call.args.iter().enumerate() {
                let param = solver.func.blocks[call.block].params[index];
                let (Some(from), Some(to)) = (solver.ty(arg), solver.ty(param)) else { continue };
                let takes_container = to == Type::PYOBJECT || types.holds_container(to);
                if from == to || !takes_container || !types.may_hold_more(from) {
                    continue;
                }
                if !fits(solver, from, to) && !require_type(solver, arg, to) {
                    return Err(diagnostics::cannot_unify(solver, param, to, from));
                }
            }
        }
        widen_cells(solver, block)?;
        let Some(last) = solver.func.terminator(block) else { continue };
        if solver.func.insts[last].op == Op::Return {
            widen_return(solver, last)?;
        }
    }
    Ok(())
}

/// Whether a value becomes one of another type without changing what it holds: it may be put into an Optional.
fn fits(solver: &Solver<'_>, from: Type, to: Type) -> bool {
    convert(solver.cx.types, from, to).is_some()
}

/// What is stored in a cell becomes what functions that share the cell put into it.
fn widen_cells(solver: &mut Solver<'_>, block: Block) -> Result<()> {
    for index in 0..solver.func.blocks[block].insts.len() {
        let inst = solver.func.blocks[block].insts[index];
        let data = &solver.func.insts[inst];
        let (cell, value) = match data.op {
            Op::MakeCell => (data.results[0], data.args[0]),
            Op::StoreCell => (data.args[0], data.args[1]),
            _ => continue,
        };
        let Some(TypeData::Cell(number)) = solver.ty(cell).map(|ty| solver.cx.types.get(ty)) else {
            continue;
        };
        let (Some(wanted), Some(known)) = (solver.shared.wanted_in_cell(number), solver.ty(value)) else {
            continue;
        };
        if fits(solver, known, wanted) || require_type(solver, value, wanted) {
            continue;
        }
        if !holds_converted(solver, known, wanted) {
            return Err(diagnostics::cannot_grow(solver, inst, value, wanted));
        }
        solver.shared.refuse_cell(number);
    }
    Ok(())
}

fn widen_return(solver: &mut Solver<'_>, inst: Inst) -> Result<()> {
    let types = solver.cx.types;
    let mut value = solver.func.insts[inst].args[0];
    if let Def::Result(cast, _) = solver.func.values[value].def
        && solver.func.insts[cast].op == Op::Cast
    {
        value = solver.func.insts[cast].args[0];
    }
    let asked = solver.shared.wanted_result(solver.number);
    let result = match (solver.result, asked) {
        (Some(result), Some(asked)) => unify(types, result, asked).unwrap_or(result),
        (Some(result), None) => result,
        (None, _) => return Ok(()),
    };
    let Some(from) = solver.ty(value) else { return Ok(()) };
    let takes_container = result == Type::PYOBJECT || types.holds_container(result);
    if from == result || !takes_container || fits(solver, from, result) {
        return Ok(());
    }
    if !require_type(solver, value, result) {
        return Err(diagnostics::cannot_unify_returns(solver, result, from));
    }
    Ok(())
}
