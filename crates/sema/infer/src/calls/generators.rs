//! Functions with `yield`: a call returns a generator, whose type is inferred from what the code yields and returns.

use crate::calls::captures;
use crate::diagnostics;
use crate::overloads::lookup::{Outcome, Types};
use crate::solver::Solver;
use diag::Result;
use ir::{Block, Inst, Op};
use types::{Type, TypeData, TypeTable, unify};

/// `yield`: what it gives is what is sent. Where the value is from another generator, that one gets it.
pub(crate) fn infer_yield(solver: &mut Solver<'_>, block: Block, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let plain = types.unliteral(args[0]);
    let results = solver.func.insts[inst].results.len();
    let Some(ty) = captures::freeze(solver, block, plain)? else { return Ok(vec![None; results]) };
    let joined = solver.yielded.map_or(Some(ty), |known| solver.join(known, ty));
    solver.yielded = Some(joined.ok_or_else(|| diagnostics::cannot_unify_yields(solver))?);
    if asks(solver) {
        solver.shared.ask_sent(solver.number);
        // The type of the generator says what is sent, also if this place does not ask.
        solver.read_sent(block);
    }
    let sent = match args.get(1) {
        None if !solver.is_used(solver.func.insts[inst].results[0]) => Some(Type::NONE),
        None => solver.read_sent(block),
        Some(&from) => sent_on(solver, block, inst, from)?,
    };
    note(solver);
    let sent = sent.map(|sent| catalog::generator::sent_value(types, sent));
    Ok([sent, Some(Type::INT64)].into_iter().take(results).collect())
}

/// Whether the code does something with what is sent to it.
fn asks(solver: &Solver<'_>) -> bool {
    let mut insts = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    insts.any(|&inst| {
        let data = &solver.func.insts[inst];
        data.op == Op::Yield && data.args.len() == 1 && solver.is_used(data.results[0])
    })
}

/// What is sent to a generator that goes through another one is sent to that one.
fn sent_on(solver: &mut Solver<'_>, block: Block, inst: Inst, from: Type) -> Result<Option<Type>> {
    let types = solver.cx.types;
    let asked = catalog::generator::sent_to(types, from);
    if asked == Type::NONE {
        return Ok(Some(Type::NONE));
    }
    solver.shared.ask_sent(solver.number);
    if asked != Type::UNDEFINED {
        solver
            .shared
            .grow_sent_of(solver.number, asked, types)
            .ok_or_else(|| diagnostics::cannot_send(solver, inst, from, asked))?;
    }
    let sent = solver.read_sent(block);
    if let Some(sent) = sent {
        let known = solver.shared.grow_sent(from, sent, types);
        known.ok_or_else(|| diagnostics::cannot_send(solver, inst, from, sent))?;
    }
    Ok(sent)
}

/// A call of `send`: what the generator waits for is of a type that this has in common with all else that is sent.
pub(crate) fn note_sent(solver: &Solver<'_>, inst: Inst, generator: Type, value: Type) -> Result<()> {
    let types = solver.cx.types;
    if catalog::generator::sent_to(types, generator) == Type::NONE {
        return Ok(());
    }
    let plain = match types.get(types.unliteral(value)) {
        TypeData::Optional(inner) => inner,
        TypeData::None => return Ok(()),
        _ => types.unliteral(value),
    };
    let known = solver.shared.grow_sent(generator, plain, types);
    known.ok_or_else(|| diagnostics::cannot_send(solver, inst, generator, value))
}

/// How many guesses there are of what Python sends: values like those that are yielded, integers, nothing.
pub(crate) const GUESSES: usize = 3;

/// Where nobody in the compilation sends anything to a generator, Python may, if it gets it.
pub(crate) fn fix_sent_type(solver: &Solver<'_>) -> bool {
    if !solver.shared.is_sent_open(solver.number) {
        return false;
    }
    let types = solver.cx.types;
    let leaves = solver.number == 0
        || solver.shared.root_result().is_some_and(|given| may_hold_generator(types, given));
    let item = match types.get(solver.yielded.unwrap_or(Type::NONE)) {
        TypeData::Optional(inner) => inner,
        TypeData::None | TypeData::Undefined => Type::INT64,
        _ => solver.yielded.unwrap_or(Type::INT64),
    };
    let guess = if leaves { solver.shared.memory.borrow_mut().guess() } else { GUESSES - 1 };
    let sent = [item, Type::INT64].get(guess).copied().unwrap_or(Type::UNDEFINED);
    solver.shared.grow_sent_of(solver.number, sent, types).is_some()
}

/// Whether a value of this type may hold a generator.
fn may_hold_generator(types: &TypeTable, ty: Type) -> bool {
    let any = |parts: &[Type]| parts.iter().any(|&part| may_hold_generator(types, part));
    match types.get(ty) {
        TypeData::GeneratorObject { .. } => true,
        TypeData::Optional(inner) | TypeData::FixedList(inner) => may_hold_generator(types, inner),
        _ => {
            types.components(ty).is_some_and(|parts| any(&parts))
                || types.contents(ty).is_some_and(|parts| any(&parts))
        }
    }
}

/// `return` in a generator.
pub(crate) fn note_return(solver: &mut Solver<'_>, ty: Type) -> Result<()> {
    let joined = match solver.returned {
        Some(known) => {
            solver.join(known, ty).ok_or_else(|| diagnostics::cannot_unify_returns(solver, known, ty))?
        }
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
    let sent = solver.shared.sent_to(solver.number);
    let mut given = solver.args.iter().chain(&solver.closure);
    let bound = given.any(|&ty| types.refers_to_frame(ty));
    solver.result = Some(types.intern(TypeData::GeneratorObject { item, result, sent, bound }));
}

/// What a `yield from` gives that went through such an iterator.
pub(crate) fn result_of(types: &TypeTable, iterator: Type) -> Type {
    match types.get(iterator) {
        TypeData::GeneratorObject { result, .. } => result,
        _ => Type::NONE,
    }
}

/// `e.value` of an exception: None, or what the generators return that the function goes through or asks.
pub(crate) fn infer_stop_value(solver: &mut Solver<'_>, inst: Inst) -> Types {
    let known = returned_by_generators(solver, inst, "value")?;
    Ok(vec![Some(if known == Type::UNDEFINED { Type::NONE } else { solver.cx.types.optional(known) })])
}

/// `e.args` of it: what is returned says so, once.
pub(crate) fn infer_stop_arguments(solver: &mut Solver<'_>, inst: Inst) -> Types {
    let known = returned_by_generators(solver, inst, "args")?;
    let parts = [known];
    Ok(vec![Some(solver.cx.types.tuple(if known == Type::UNDEFINED { &[] } else { &parts }))])
}

/// What the generators return that the function goes through or asks, None apart.
fn returned_by_generators(solver: &mut Solver<'_>, inst: Inst, attribute: &str) -> Outcome<Type> {
    solver.asks_stop_value = true;
    let types = solver.cx.types;
    let results = |ty: Type| match types.get(ty) {
        TypeData::Method(of, _) => catalog::generator::parts_of(types, of),
        _ => catalog::generator::parts_of(types, ty),
    };
    let insts = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    let operands = insts.flat_map(|&inst| &solver.func.insts[inst].args);
    let mut known = Type::UNDEFINED;
    for (_, result) in operands.filter_map(|&value| solver.ty(value)).filter_map(results) {
        let plain = if let TypeData::Optional(inner) = types.get(result) { inner } else { result };
        let joined = if plain == Type::NONE { Some(known) } else { unify(types, known, plain) };
        let is_told = catalog::exception_args::can_be_told(types, plain);
        match joined
            .filter(|&joined| is_told && (joined == plain || plain == Type::NONE || known == Type::UNDEFINED))
        {
            Some(joined) => known = joined,
            None => {
                let what = format!(
                    "`{attribute}` of an exception that a generator with a result of type {} ends with",
                    types.name(result)
                );
                return Err(diagnostics::unsupported(solver, inst, &what).into());
            }
        }
    }
    Ok(known)
}
