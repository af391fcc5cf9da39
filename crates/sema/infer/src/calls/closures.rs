//! Inner functions and the variables that they share.
//!
//! A variable that an inner function uses is a *cell*. Its type is the join of everything that any function
//! of the group stores to it; readers are visited again when it grows. A closure's type names its code
//! and its cells, so a call of it is a direct call of one instance, inlined like any other. A closure that
//! escapes the function contains values instead of cells: it is *frozen*.

use crate::calls::call_data::{Argument, Written};
use crate::calls::captures::content;
use crate::calls::cell_variables;
use crate::calls::infer_with_defaults;
use crate::diagnostics;
use crate::overloads::literally;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::{Attr, Block, Const, ConstData, Def, FunctionAttribute, Inst, Op, Value};
use types::{Type, TypeData, unify};

/// A function out of its code.
pub(crate) fn infer_make_function(solver: &Solver<'_>, inst: Inst) -> Types {
    let Some(code) = code_constant(solver, solver.func.insts[inst].args[0]) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let ConstData::Code(index, _) = solver.func.consts.get(code) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let function = solver.host.inner(*index as usize)?;
    let data = TypeData::Closure { function, captures: [].into(), defaults: [].into(), optional: [].into() };
    Ok(vec![Some(solver.cx.types.intern(data))])
}

fn code_constant(solver: &Solver<'_>, value: Value) -> Option<Const> {
    let Def::Result(inst, _) = solver.func.values[value].def else { return None };
    match (solver.func.insts[inst].op, solver.func.insts[inst].attrs.first()) {
        (Op::Const, Some(&Attr::Const(id))) => Some(id),
        _ => None,
    }
}

/// A function with its cells or its defaults: operands are those and the function.
pub(crate) fn infer_function_attribute(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let TypeData::Closure { function, captures, defaults, optional } = types.get(args[1]) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let more = |given: Vec<(u32, Type)>| TypeData::Closure {
        function,
        captures: captures.clone(),
        defaults: defaults.iter().copied().chain(given.iter().map(|&(_, ty)| types.unliteral(ty))).collect(),
        optional: optional.iter().copied().chain(given.iter().map(|&(index, _)| index)).collect(),
    };
    let data = match (solver.func.function_attribute(inst), types.elements(args[0])) {
        (Some(FunctionAttribute::Closure), Some(captures)) => {
            TypeData::Closure { function, captures, defaults, optional }
        }
        (Some(FunctionAttribute::Defaults), Some(items)) => {
            let parameters = solver.shared.parameters(&*solver.host, function)?;
            let first = parameters.positional.saturating_sub(items.len()) as u32;
            more((first..).zip(items.iter().copied()).collect())
        }
        (Some(FunctionAttribute::KeywordDefaults), _) => {
            let Some((names, types)) = types.keywords(args[0]) else {
                return Err(Failure::unsupported_op(solver, inst));
            };
            let parameters = solver.shared.parameters(&*solver.host, function)?;
            let number = |name: &String| parameters.names.iter().position(|known| known == name);
            let numbers = names.iter().map(|name| number(name).unwrap_or(usize::MAX) as u32);
            more(numbers.zip(types.iter().copied()).collect())
        }
        _ => TypeData::Closure { function, captures, defaults, optional },
    };
    Ok(vec![Some(types.intern(data))])
}

/// A cell, with what it holds from the start if it does.
pub(crate) fn infer_new_cell(solver: &Solver<'_>, inst: Inst, content: Option<Type>) -> Types {
    let cell = solver.cell(inst);
    if solver.shared.asks_constant(cell) {
        solver.shared.note_constant(cell, cell_variables::is_constant(solver, inst)?);
    }
    if let Some(&value) = solver.func.insts[inst].args.first()
        && let Some(parameter) = literally::parameter(solver, value)
    {
        solver.shared.note_origin(cell, solver.number, parameter);
    }
    let late = solver.shared.memory.borrow().heap_cell(solver.shared.key(solver.number), inst);
    if let Some(known) = late
        && solver.shared.content(cell).is_none()
    {
        solver.shared.put_on_heap(cell, known)?;
    }
    if let Some(content) = content.filter(|&content| content != Type::UNDEFINED) {
        grow(solver, inst, cell, content)?;
    }
    Ok(vec![Some(solver.cx.types.intern(TypeData::Cell(cell)))])
}

/// Nothing while nobody has stored to the cell.
pub(crate) fn infer_load_cell(solver: &Solver<'_>, block: Block, cell: Type) -> Types {
    Ok(vec![content(solver, block, cell)])
}

pub(crate) fn infer_store_cell(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    match solver.cx.types.get(args[0]) {
        TypeData::Cell(cell) => grow(solver, inst, cell, args[1])?,
        TypeData::HeapCell(content) => fits_heap_cell(solver, inst, content, args[1])?,
        _ => {
            let what = "a new value for a variable of a function that has returned, as for a global,";
            return Err(diagnostics::unsupported(solver, inst, what).into());
        }
    }
    Ok(vec![])
}

/// The function that made a cell on the heap has returned: what the cell holds is settled.
fn fits_heap_cell(solver: &Solver<'_>, inst: Inst, content: Type, ty: Type) -> Result<()> {
    let types = solver.cx.types;
    if unify(types, content, ty) == Some(content) {
        return Ok(());
    }
    let name = solver.symbol(inst);
    let (known, plain) = (types.name(content), types.name(types.unliteral(ty)));
    Err(Diagnostic::new(codes::CANNOT_UNIFY, format!("Cannot unify {known} and {plain} for '{name}'"))
        .label(solver.func.insts[inst].span, "stored here")
        .note(format!("'{name}' is a variable of a function that has returned, which left {known} in it"))
        .hint(format!("Give '{name}' its first value as {plain}.")))
}

/// The end of a variable that functions share: only the one whose frame contains it may end it.
pub(crate) fn infer_delete_cell(solver: &Solver<'_>, inst: Inst) -> Types {
    let func = &solver.func;
    let Def::Result(made, _) = func.values[func.insts[inst].args[0]].def else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    match func.insts[made].op {
        Op::MakeCell | Op::EmptyCell => Ok(vec![]),
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// A cell holds one more type.
fn grow(solver: &Solver<'_>, inst: Inst, cell: u32, ty: Type) -> Result<()> {
    let types = solver.cx.types;
    let mut wanted = None;
    solver.shared.grow_cell(cell, |known| {
        let Some(known) = known else { return Ok(ty) };
        let joined = solver.join(known, ty);
        wanted = joined.filter(|&joined| types.may_hold_more(joined) && (joined != known || joined != ty));
        joined.ok_or_else(|| {
            let name = solver.symbol(inst);
            let (known, plain) = (types.unliteral(known), types.unliteral(ty));
            Diagnostic::new(
                codes::CANNOT_UNIFY,
                format!("Cannot unify {} and {} for '{name}'", types.name(known), types.name(plain)),
            )
            .label(solver.func.insts[inst].span, "stored here")
            .note(format!("'{name}' is shared by functions: it has one type wherever it is stored"))
            .hint(format!("Give '{name}' values of one type, or use a second name for the other type."))
        })
    })?;
    // Containers that meet in the variable become what all of them hold.
    if let Some(wanted) = wanted {
        solver.shared.want_cell(solver.number, cell, wanted, types);
    }
    Ok(())
}

/// The value of a captured variable that the closure only reads.
pub(crate) fn infer_captured_value(solver: &Solver<'_>, block: Block, captured: Type) -> Types {
    Ok(vec![content(solver, block, captured)])
}

/// A call of one of several functions: each gets the arguments in its own way.
pub(crate) fn infer_choice(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    members: &[Type],
    call: Written,
) -> Types {
    let types = solver.cx.types;
    let mut result: Option<Type> = None;
    let mut folded = Vec::new();
    for &member in members {
        let call = Written { callee: member, given: call.given.clone(), names: call.names.clone() };
        let outcome = match types.get(member) {
            TypeData::Dispatcher(function) => {
                infer_with_defaults(solver, block, inst, function, call, None, &|_| None)?
            }
            _ => infer_call(solver, block, inst, call)?,
        };
        folded.extend(solver.folded[inst].take());
        let [Some(found)] = outcome[..] else { continue };
        let found = types.unliteral(found);
        result = Some(match result {
            None => found,
            Some(known) => match solver.join(known, found) {
                Some(joined) => joined,
                None => return Err(diagnostics::results_differ(solver, inst, known, found).into()),
            },
        });
    }
    solver.chosen[inst] = folded;
    Ok(vec![result])
}

/// A call of a closure, which is its own first argument.
pub(crate) fn infer_call(solver: &mut Solver<'_>, block: Block, inst: Inst, call: Written) -> Types {
    let closure = call.callee;
    let TypeData::Closure { function, captures, defaults, optional } = solver.cx.types.get(closure) else {
        return Err(diagnostics::not_callable(solver, inst, closure).into());
    };
    let optional = |index: usize| {
        let number = optional.iter().position(|&other| other as usize == index)?;
        Some((Argument::Captured(captures.len() + number), *defaults.get(number)?))
    };
    infer_with_defaults(solver, block, inst, function, call, Some(closure), &optional)
}
