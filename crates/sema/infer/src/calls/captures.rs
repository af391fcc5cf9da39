//! Captures of closures: variables of enclosing functions, or their values if the closure escapes.

use crate::calls::cell_variables::maker;
use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::Block;
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
        _ => Some(captured),
    }
}

/// The type of a closure that leaves the function: values instead of the cells that the function made. The others belong to functions
/// that are still running. Those that may get other values stay.
pub(crate) fn freeze(solver: &Solver<'_>, block: Block, ty: Type) -> Result<Option<Type>> {
    freeze_within(solver, block, ty, &mut Vec::new())
}

fn freeze_within(solver: &Solver<'_>, block: Block, ty: Type, open: &mut Vec<u32>) -> Result<Option<Type>> {
    let types = solver.cx.types;
    Ok(match types.get(ty) {
        TypeData::Closure { function, captures, defaults, optional } => {
            for (index, &capture) in captures.iter().enumerate() {
                if matches!(types.get(capture), TypeData::Cell(cell) if maker(solver, cell).is_some())
                    && solver.host.changes_captured(function, index)?
                {
                    return Err(Diagnostic::new(
                        codes::UNSUPPORTED_CONSTRUCT,
                        "an inner function that changes a variable of the function around it cannot be returned",
                    )
                    .hint("Return the value that it computes, or pass the variable in and out."));
                }
            }
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
            open.push(cell);
            let frozen = match solver.read_cell(block, cell) {
                Some(content) => freeze_within(solver, block, types.unliteral(content), open)?,
                None => None,
            };
            open.pop();
            frozen
        }
        _ => Some(ty),
    })
}

/// The callee of a closure's instance, if the first argument is that closure.
pub(crate) fn closure_of(types: &types::TypeTable, function: Handle, args: &[Type]) -> Option<Type> {
    let &first = args.first()?;
    match types.get(first) {
        TypeData::Closure { function: own, .. } if own == function => Some(first),
        _ => None,
    }
}
