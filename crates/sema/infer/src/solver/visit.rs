//! Visits a block: types of its instructions, reachable edges, deferred failures.

use crate::calls::captures;
use crate::calls::generators;
use crate::containers::type_request::require_type;
use crate::desugar::dispatch_errors;
use crate::diagnostics;
use crate::object_fallback;
use crate::overloads::numpy_promotion;
use crate::overloads::overload_resolution;
use crate::solver::Solver;
use crate::solver::exceptions;
use crate::solver::joins;
use diag::{Result, codes};
use ir::{Block, BlockCall, Def, Inst, Op, Value};
use types::{LiteralValue, Type, unify};

/// How often the type of one value may grow before inference gives up: more than any chain of
/// types that `unify` makes is long.
const MAX_GROWTHS: u32 = 60;

/// Visits blocks until nothing changes, or until an instance is called that nobody has called
/// before: it is inferred first, so that what follows the call sees its result, not a part of the
/// paths that meet there.
///
/// What has no meaning for the types of now may have one when they have grown: `x + 1` where x is
/// None so far and an Optional once a callee's result is known. Such a failure waits while the paths
/// after it continue, and goes away when its block is visited again with success.
pub(crate) fn run(solver: &mut Solver<'_>) -> Result<()> {
    loop {
        while let Some(index) = solver.pending.pop_first() {
            solver.failures.remove(&index);
            let known = solver.shared.count();
            visit(solver, solver.order[index])?;
            if solver.shared.count() > known {
                return Ok(());
            }
        }
        if solver.cx.types.has_containers() {
            joins::propagate_to_joins(solver)?;
        }
        if solver.has_ends {
            solver.leave_what_no_path_reaches();
        }
        if solver.pending.is_empty() {
            return Ok(());
        }
    }
}

fn visit(solver: &mut Solver<'_>, block: Block) -> Result<()> {
    solver.shared.forget_calls((solver.number, block));
    let Some(handler) = solver.func.blocks[block].handler.clone() else { return visit_insts(solver, block) };
    exceptions::enter_handler(solver, &handler);
    take_edge(solver, &handler)?;
    let outcome = visit_insts(solver, block);
    exceptions::note_raised(solver, block, &handler);
    outcome
}

fn visit_insts(solver: &mut Solver<'_>, block: Block) -> Result<()> {
    for index in 0..solver.func.blocks[block].insts.len() {
        let inst = solver.func.blocks[block].insts[index];
        if solver.has_ends {
            solver.ends[inst] = None;
        }
        let data = &solver.func.insts[inst];
        match data.op {
            Op::Jump => {
                let target = data.targets[0].clone();
                take_edge(solver, &target)?;
            }
            Op::Branch => branch(solver, inst)?,
            Op::Return => returned(solver, block, inst)?,
            _ => match overload_resolution::infer_extended(solver, block, inst) {
                Ok(types) => {
                    for (result, ty) in types.into_iter().enumerate() {
                        solver.set(solver.func.insts[inst].results[result], ty);
                    }
                    numpy_promotion::note(solver, inst);
                }
                Err(failure) if failure.code() == codes::NO_MATCH || is_about_none(solver, inst) => {
                    solver.note_failure(block, inst, failure);
                }
                Err(failure) if object_fallback::may_wait(solver, inst, &failure) => {
                    solver.note_failure(block, inst, failure);
                }
                Err(failure) => {
                    dispatch_errors::note(solver, inst, &failure);
                    return Err(failure.into_diagnostic(solver, inst));
                }
            },
        }
        if solver.ends_block(inst) || solver.waits_for_sent(inst) {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether an operand is None so far, which may be an Optional once other paths are known.
fn is_about_none(solver: &Solver<'_>, inst: Inst) -> bool {
    solver.func.insts[inst].args.iter().any(|&arg| solver.types[arg] == Some(Type::NONE))
}

/// Some path takes an edge: its block's parameters get what it gives.
fn take_edge(solver: &mut Solver<'_>, call: &BlockCall) -> Result<()> {
    solver.reach(call.block);
    for (index, &arg) in call.args.iter().enumerate() {
        let param = solver.func.blocks[call.block].params[index];
        let Some(incoming) = solver.types[arg] else { continue };
        numpy_promotion::note_passed(solver, arg, param);
        let joined = match solver.types[param] {
            None => incoming,
            Some(known) if known == incoming => continue,
            Some(known) => match unify(solver.cx.types, known, incoming) {
                Some(joined) => joined,
                None => object_fallback::join(solver, (known, incoming), |solver| {
                    diagnostics::cannot_unify(solver, param, known, incoming)
                })?,
            },
        };
        if solver.types[param] != Some(joined) {
            solver.growths[param] += 1;
            if solver.growths[param] > MAX_GROWTHS {
                return Err(diagnostics::never_settles(solver, param, joined));
            }
        }
        solver.set(param, Some(joined));
    }
    Ok(())
}

fn branch(solver: &mut Solver<'_>, inst: Inst) -> Result<()> {
    let data = solver.func.insts[inst].clone();
    let known = solver.types[data.args[0]].and_then(|ty| solver.cx.types.literal(ty));
    match known {
        Some(LiteralValue::Bool(true)) => take_edge(solver, &data.targets[0]),
        Some(LiteralValue::Bool(false)) => take_edge(solver, &data.targets[1]),
        // An object of which nothing is known yet takes no path: what no class leads to is not reached before.
        None if tests_unknown_object(solver, data.args[0]) => Ok(()),
        _ => {
            take_edge(solver, &data.targets[0])?;
            take_edge(solver, &data.targets[1])
        }
    }
}

fn tests_unknown_object(solver: &Solver<'_>, condition: Value) -> bool {
    let Def::Result(test, _) = solver.func.values[condition].def else { return false };
    solver.types[condition].is_none() && solver.func.insts[test].op == Op::IsInstance
}

fn returned(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Result<()> {
    let value = solver.func.insts[inst].args[0];
    let Some(ty) = solver.types[value].map(|ty| solver.cx.types.unliteral(ty)) else { return Ok(()) };
    let Some(ty) = captures::freeze(solver, block, ty)? else { return Ok(()) };
    if solver.func.is_generator {
        return generators::note_return(solver, ty);
    }
    if let Some(declared) = solver.declared {
        return match types::convert(solver.cx.types, ty, declared) {
            Some(_) => Ok(()),
            None if declared == Type::PYOBJECT && require_type(solver, value, declared) => Ok(()),
            None => Err(diagnostics::cannot_return(solver, inst, ty, declared)),
        };
    }
    let joined = match solver.result {
        None => ty,
        Some(known) => match unify(solver.cx.types, known, ty) {
            Some(joined) => joined,
            None => object_fallback::join(solver, (known, ty), |solver| {
                diagnostics::cannot_unify_returns(solver, known, ty)
            })?,
        },
    };
    solver.result = Some(joined);
    Ok(())
}
