//! Functions with `yield`: a call of one gives a generator, whose type follows from what the code yields and returns.

use crate::closures;
use crate::diagnostics;
use crate::lookup::Types;
use crate::solver::Solver;
use diag::Result;
use ir::Block;
use types::{Type, TypeData, TypeTable, unify};

/// `yield`.
pub(crate) fn infer_yield(solver: &mut Solver<'_>, block: Block, ty: Type) -> Types {
    let plain = solver.cx.types.unliteral(ty);
    let Some(ty) = closures::freeze(solver, block, plain)? else { return Ok(vec![None]) };
    let types = solver.cx.types;
    let joined = solver.yielded.map_or(Some(ty), |known| unify(types, known, ty));
    solver.yielded = Some(joined.ok_or_else(|| diagnostics::cannot_unify_yields(solver))?);
    note(solver);
    Ok(vec![Some(Type::NONE)])
}

/// `return` in a generator.
pub(crate) fn note_return(solver: &mut Solver<'_>, ty: Type) -> Result<()> {
    let joined = match solver.returned {
        Some(known) => unify(solver.cx.types, known, ty)
            .ok_or_else(|| diagnostics::cannot_unify_returns(solver, known, ty))?,
        None => ty,
    };
    solver.returned = Some(joined);
    note(solver);
    Ok(())
}

fn note(solver: &mut Solver<'_>) {
    let types = solver.cx.types;
    let item = solver.yielded.unwrap_or(Type::UNDEFINED);
    let result = solver.returned.unwrap_or(Type::NONE);
    let mut given = solver.args.iter().chain(&solver.closure);
    let bound = given.any(|&ty| types.refers_to_frame(ty));
    solver.result = Some(types.intern(TypeData::GeneratorObject { item, result, bound }));
}

/// What a `yield from` gives that went through such an iterator.
pub(crate) fn result_of(types: &TypeTable, iterator: Type) -> Type {
    match types.get(iterator) {
        TypeData::GeneratorObject { result, .. } => result,
        _ => Type::NONE,
    }
}
