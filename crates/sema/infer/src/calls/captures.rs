//! Captures of closures: variables of enclosing functions, or their values if the closure escapes and nobody changes them.

use crate::calls::cell_variables::{is_changed_by_functions, maker};
use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::{Block, Inst};
use types::{Handle, Type, TypeData, unify};

/// In a closure: variable number `index` of the functions around it.
pub(crate) fn captured(solver: &Solver<'_>, index: usize) -> Option<Type> {
    match solver.cx.types.get(solver.closure?) {
        TypeData::Closure { captures, .. } => captures.get(index).copied(),
        _ => None,
    }
}

/// What a captured variable holds: a cell's content, or the value itself.
pub(crate) fn content(solver: &Solver<'_>, block: Block, captured: Type) -> Option<Type> {
    match solver.cx.types.get(captured) {
        TypeData::Cell(cell) => solver.read_cell(block, cell),
        TypeData::HeapCell(content) => Some(content),
        _ => Some(captured),
    }
}

/// The type of a closure that leaves the function: values instead of the cells that the function made, or cells on the heap where an
/// inner function changes the variable. The others belong to functions that are still running. Those that may get other values stay.
pub(crate) fn freeze(solver: &Solver<'_>, block: Block, ty: Type) -> Result<Option<Type>> {
    freeze_within(solver, block, ty, &mut Vec::new())
}

fn freeze_within(solver: &Solver<'_>, block: Block, ty: Type, open: &mut Vec<u32>) -> Result<Option<Type>> {
    let types = solver.cx.types;
    Ok(match types.get(ty) {
        TypeData::Closure { function, captures, defaults, optional } => {
            let mut each = |parts: &[Type]| -> Result<Option<Vec<Type>>> {
                parts.iter().map(|&part| freeze_within(solver, block, part, open)).collect()
            };
            each(&captures)?.zip(each(&defaults)?).map(|(captures, defaults)| {
                let (captures, defaults) = (captures.into(), defaults.into());
                types.intern(TypeData::Closure { function, captures, defaults, optional })
            })
        }
        TypeData::Choice(members) => {
            let frozen: Result<Option<Vec<Type>>> =
                members.iter().map(|&member| freeze_within(solver, block, member, open)).collect();
            frozen?.map(|members| {
                let first = members[0];
                members.iter().fold(first, |known, &member| unify(types, known, member).unwrap_or(known))
            })
        }
        TypeData::Tuple(elements) => elements
            .iter()
            .map(|&element| freeze_within(solver, block, element, open))
            .collect::<Result<Option<Vec<Type>>>>()?
            .map(|elements| types.tuple(&elements)),
        TypeData::NamedTuple { name, fields, types: elements, class } => elements
            .iter()
            .map(|&element| freeze_within(solver, block, element, open))
            .collect::<Result<Option<Vec<Type>>>>()?
            .map(|all| types.intern(TypeData::NamedTuple { name, fields, types: all.into(), class })),
        TypeData::Optional(inner) => {
            freeze_within(solver, block, inner, open)?.map(|inner| types.optional(inner))
        }
        TypeData::Cell(cell) if maker(solver, cell).is_none() && !solver.shared.is_constant(cell) => Some(ty),
        TypeData::Cell(cell) if open.contains(&cell) => {
            return Err(Diagnostic::new(
                codes::UNSUPPORTED_CONSTRUCT,
                "an inner function that calls itself cannot be returned",
            )
            .hint("Make it a function of the module."));
        }
        TypeData::Cell(cell) => {
            let Some(content) = solver.read_cell(block, cell).map(|content| types.unliteral(content)) else {
                return Ok(None);
            };
            if let Some(made) = maker(solver, cell)
                && is_changed_by_functions(solver, made)?
            {
                return put_on_heap(solver, made, cell, content).map(Some);
            }
            open.push(cell);
            let frozen = freeze_within(solver, block, content, open)?;
            open.pop();
            frozen
        }
        _ => Some(ty),
    })
}

/// A variable that functions change which outlive this one moves out of its frame.
fn put_on_heap(solver: &Solver<'_>, made: Inst, cell: u32, content: Type) -> Result<Type> {
    let types = solver.cx.types;
    if types.refers_to_frame(content) || !catalog::closure_cell::fits_heap(types, content) {
        let name = solver.symbol(made);
        return Err(Diagnostic::new(
            codes::UNSUPPORTED_CONSTRUCT,
            format!("an inner function that changes '{name}' of the function around it cannot be returned"),
        )
        .note(format!("'{name}' is {}, which lives as long as the call", types.name(content)))
        .hint("Return the value that it computes, or pass the variable in and out."));
    }
    solver.shared.put_on_heap(cell, content)?;
    Ok(types.intern(TypeData::HeapCell(content)))
}

/// The callee of a closure's instance, if the first argument is that closure.
pub(crate) fn closure_of(types: &types::TypeTable, function: Handle, args: &[Type]) -> Option<Type> {
    let &first = args.first()?;
    match types.get(first) {
        TypeData::Closure { function: own, .. } if own == function => Some(first),
        _ => None,
    }
}
