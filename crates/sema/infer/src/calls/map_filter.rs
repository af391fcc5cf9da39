//! `map` and `filter`: the result of the function is inferred from a call with an item.
//!
//! Both are iterators that call the function for each item on demand. A `map` over tuples that
//! is consumed completely before anything else happens has a length, so it becomes a tuple:
//!
//! ```text
//! tuple(map(f, (a, b)))    becomes    tuple((f(a), f(b)))
//! ```
//!
//! Absent: how the iterators are advanced (`builtins::map_filter`).

pub(crate) mod generator_expressions;

use crate::calls::call_data::{Argument, FoldedCall, WithoutItems};
use crate::containers::container_growth;
use crate::containers::iterated_items::require_items;
use crate::desugar::expansion::Expansion;
use crate::desugar::starred_literals;
use crate::desugar::user_iterables;
use crate::diagnostics;
use crate::overloads::by_catalog::infer_known_call;
use crate::overloads::lookup::{Failure, Outcome, Types};
use crate::solver::Solver;
use crate::solver::effects;
use catalog::{Exhausted, Key, Special};
use diag::{Diagnostic, Result, Span, codes};
use ir::{Attr, Block, Inst, InstData, Op, UnaryOp, Value, ValueType};
use types::{Type, TypeData, TypeTable};

/// Whether an instruction may stand between a call of `map` and its consumer.
fn is_pure(solver: &Solver<'_>, data: &InstData) -> bool {
    match (data.op, data.attrs.first()) {
        (Op::Const | Op::Global | Op::Freevar | Op::FreeCell | Op::Getattr | Op::BuildTuple, _) => true,
        (Op::Python, Some(Attr::Symbol(name))) => solver.func.symbols.get(*name) == "make_function",
        _ => false,
    }
}

/// The type of a call of `map` or `filter`, if it is one.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Option<Types> {
    let TypeData::Function(name) = solver.cx.types.get(operands[0]) else { return None };
    let special =
        solver.cx.catalog.special(&name).filter(|it| matches!(it, Special::Map | Special::Filter))?;
    let data = &solver.func.insts[inst];
    let spread: Vec<Type>;
    let operands = match (data.op, data.attrs.first(), operands) {
        (Op::Call, Some(Attr::Symbols(names)), _) if names.is_empty() => operands,
        (Op::CallEx, _, &[callee, all]) => {
            let items = solver.cx.types.items(all)?;
            spread = std::iter::once(callee).chain(items.iter().copied()).collect();
            let arguments = (0..items.len()).map(Argument::Element).collect();
            solver.folded[inst] = Some(FoldedCall { arguments, types: items.to_vec(), exact: None });
            &spread
        }
        _ => return None,
    };
    match (special, operands) {
        (Special::Map, [_, function, iterables @ ..]) if !iterables.is_empty() => {
            Some(infer_map(solver, block, inst, *function, iterables))
        }
        (Special::Filter, [_, function, iterable]) => {
            Some(infer_filter(solver, block, inst, *function, *iterable))
        }
        _ => None,
    }
}

fn infer_map(solver: &mut Solver<'_>, block: Block, inst: Inst, function: Type, iterables: &[Type]) -> Types {
    solver.mapped[inst] = None;
    let types = solver.cx.types;
    let tuples: Option<Vec<_>> = iterables.iter().map(|&ty| types.items(ty)).collect();
    let is_written = solver.func.insts[inst].op == Op::Call;
    if let Some(tuples) = tuples.filter(|_| is_written && is_consumed_at_once(solver, block, inst)) {
        let iterations = tuples.iter().map(|items| items.len()).min().unwrap_or_default();
        let mut results = Vec::new();
        for iteration in 0..iterations {
            let items: Vec<Type> = tuples.iter().map(|items| items[iteration]).collect();
            match result_of(solver, block, inst, function, &items)? {
                Some(ty) => results.push(ty),
                None => return Ok(vec![None]),
            }
        }
        solver.mapped[inst] = Some(iterations);
        return Ok(vec![Some(types.tuple(&results))]);
    }
    let (mut iterators, mut items) = (Vec::new(), Vec::new());
    for &iterable in iterables {
        let (iterator, item) = item_of(solver, inst, iterable)?;
        iterators.push(iterator);
        items.push(item);
    }
    let made = |item: Type| {
        let iterators = iterators.as_slice().into();
        types.intern(TypeData::Map { function, iterators, item: types.unliteral(item) })
    };
    if let Some(empty) = over_empty(solver, block, inst, iterables, &items) {
        // Where one of several runs code, that may raise before the end of another one is noticed.
        let runs = iterables.len() > 1 && iterables.iter().any(|&iterable| runs_code(solver, iterable));
        if runs && solver.without_items[inst].take().is_some() {
            return Ok(vec![Some(made(Type::UNDEFINED))]);
        }
        return empty;
    }
    let item = result_of(solver, block, inst, function, &items)?;
    Ok(vec![item.map(made)])
}

fn infer_filter(solver: &mut Solver<'_>, block: Block, inst: Inst, function: Type, iterable: Type) -> Types {
    let types = solver.cx.types;
    let (iterator, item) = item_of(solver, inst, iterable)?;
    if let Some(empty) = over_empty(solver, block, inst, &[iterable], &[item]) {
        return empty;
    }
    let answer = match function {
        Type::NONE => Some(item),
        _ => result_of(solver, block, inst, function, &[item])?,
    };
    let Some(answer) = answer else { return Ok(vec![None]) };
    if solver.cx.catalog.resolve(types, &Key::Unary(UnaryOp::Bool), &[answer]).is_none() {
        let what = format!("`filter` by a value of type {}, which has no truth value,", types.name(answer));
        return Err(diagnostics::unsupported(solver, inst, &what).into());
    }
    Ok(vec![Some(types.intern(TypeData::Filter { function, iterator }))])
}

/// An iterator where nobody knows what an iterable gives: one that goes through nothing, since a container that holds nobody knows
/// what is empty; or the iterable's own, since an item that has no type is computed by code that raises. Nothing of a type as
/// long as more may become known.
pub(crate) fn over_empty(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    iterables: &[Type],
    items: &[Type],
) -> Option<Types> {
    let types = solver.cx.types;
    solver.without_items[inst] = None;
    if !items.iter().any(|&item| container_growth::is_unknown(types, item)) {
        return None;
    }
    if container_growth::waits(solver, block, iterables) {
        return Some(Ok(vec![None]));
    }
    if let &[iterable] = iterables
        && runs_code(solver, iterable)
        && let Some(iterator) = solver.cx.catalog.resolve(types, &Key::Getiter, &[iterable])
    {
        solver.without_items[inst] = Some(WithoutItems::Raises);
        return Some(Ok(vec![Some(iterator.result)]));
    }
    solver.without_items[inst] = Some(WithoutItems::Empty);
    Some(Ok(vec![Some(types.intern(TypeData::Iterator(types.tuple(&[]))))]))
}

fn runs_code(solver: &Solver<'_>, iterable: Type) -> bool {
    let iterator = solver.cx.catalog.resolve(solver.cx.types, &Key::Getiter, &[iterable]);
    iterator.is_some_and(|iterator| computes(solver.cx.types, iterator.result))
}

/// Whether an iterator runs code of the user for its items.
fn computes(types: &TypeTable, iterator: Type) -> bool {
    match types.get(iterator) {
        TypeData::GeneratorExpr { .. } | TypeData::Map { .. } | TypeData::GeneratorObject { .. } => true,
        TypeData::Filter { function, iterator } => function != Type::NONE || computes(types, iterator),
        TypeData::Enumerate(iterator) | TypeData::Iterator(iterator) => computes(types, iterator),
        TypeData::Zip(iterators) => iterators.iter().any(|&iterator| computes(types, iterator)),
        _ => false,
    }
}

/// Operands of a call before what it goes through: `map` or `filter`, and the function.
const FIRST_ITERABLE: usize = 2;

/// The iterator of an iterable, and its items.
pub(crate) fn item_of(solver: &Solver<'_>, inst: Inst, iterable: Type) -> Outcome<(Type, Type)> {
    user_iterables::iterator_and_item(solver, inst, (iterable, FIRST_ITERABLE), || {
        let what = format!("`map` or `filter` over {}", solver.cx.types.name(iterable));
        diagnostics::unsupported(solver, inst, &what)
    })
}

/// The type that a function gives for items of these types; nothing while it is not known.
pub(crate) fn result_of(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Type,
    items: &[Type],
) -> Outcome<Option<Type>> {
    let types = solver.cx.types;
    let data = types.get(function);
    let (TypeData::Dispatcher(handle) | TypeData::Closure { function: handle, .. }) = data else {
        if matches!(data, TypeData::Choice(_)) {
            return Err(Failure::Unsupported("`map` or `filter` by one of several functions"));
        }
        return Ok(infer_known_call(solver, inst, function, items)?[0]);
    };
    let parameters = solver.shared.parameters(&*solver.host, handle)?;
    if parameters.names.len() != items.len() || parameters.named() != items.len() {
        let what = format!(
            "`map` or `filter` by a function that has not just {} parameter{}",
            items.len(),
            if items.len() == 1 { "" } else { "s" }
        );
        return Err(diagnostics::unsupported(solver, inst, &what).into());
    }
    let closure = matches!(data, TypeData::Closure { .. }).then_some(function);
    let args = closure.into_iter().chain(items.iter().map(|&item| types.unliteral(item)));
    let key = (handle, args.collect());
    let iterables = solver.func.insts[inst].args.get(2..).unwrap_or_default().to_vec();
    if require_items(solver, &key, &iterables) {
        return Ok(None);
    }
    Ok(solver.request(block, key.0, key.1)?)
}

/// Whether the only use of a result is that a function takes all items, for which their tuple is better.
fn is_consumed_at_once(solver: &Solver<'_>, block: Block, inst: Inst) -> bool {
    exhausted(solver, block, inst).is_some_and(|how| how.takes_tuple)
}

/// How the only user of a result takes it whole, if it does, with nothing in between that could be noticed.
pub(crate) fn exhausted(solver: &Solver<'_>, block: Block, inst: Inst) -> Option<Exhausted> {
    let value = solver.func.insts[inst].results[0];
    if !solver.is_used_in_one_block(value, block) {
        return None;
    }
    let insts = solver.func.blocks[block].insts.iter().copied();
    if insts.clone().filter(|&inst| solver.func.insts[inst].args.contains(&value)).count() != 1 {
        return None;
    }
    let mut behind = insts.skip_while(|&other| other != inst).skip(1);
    let user = behind.find(|&other| !is_pure(solver, &solver.func.insts[other]))?;
    let callee = solver.func.insts[user].args.first().and_then(|&callee| solver.ty(callee))?;
    let how = effects::of_callee(solver, callee).exhausts.clone()?;
    let takes = |argument: &effects::Argument<'_>| argument.value == value && argument.is_for(&how.parameter);
    effects::arguments(solver, user)?.iter().any(takes).then_some(how)
}

/// The state of an iterator is in the frame of the function that created it, so it cannot be returned.
pub(crate) fn check_result(solver: &Solver<'_>) -> Result<()> {
    let types = solver.cx.types;
    // Whoever calls a function with `yield` has its arguments at hand.
    let gives = solver.number > 0 && !solver.func.is_generator;
    let mut open: Vec<Type> = solver.result.into_iter().filter(|_| gives).collect();
    while let Some(ty) = open.pop() {
        match types.get(ty) {
            TypeData::Tuple(inner) | TypeData::NamedTuple { types: inner, .. } => open.extend(inner.iter()),
            TypeData::Optional(inner) => open.push(inner),
            TypeData::Closure { captures, defaults, .. } => {
                open.extend(captures.iter().chain(defaults.iter()));
            }
            TypeData::Facet { facet, .. } if !facet.is_iterator() => {}
            TypeData::GeneratorObject { bound: true, .. } if takes_its_iterators(solver) => {}
            TypeData::Iterator(_)
            | TypeData::Facet { .. }
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
            | TypeData::GeneratorObject { bound: true, .. }
            | TypeData::Scratch(_) => {
                let name = types.name(ty);
                return Err(Diagnostic::new(
                    codes::UNSUPPORTED_CONSTRUCT,
                    format!("returning an iterator ({name}) from a compiled function is not supported"),
                )
                .label(Span::line(solver.func.first_line), "this function returns it")
                .hint("Return what the iterator goes through, and make the iterator where it is used."));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the iterators of a function are its caller's: in the frame of a generator, which counts its holders, they go back to where they are from.
fn takes_its_iterators(solver: &Solver<'_>) -> bool {
    let types = solver.cx.types;
    let is_own = |ty: Type| match types.get(ty) {
        TypeData::GeneratorObject { .. } | TypeData::Tuple(_) => false,
        _ => types.refers_to_frame(ty),
    };
    let mut insts = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    insts.all(|&inst| {
        let data = &solver.func.insts[inst];
        data.op == Op::Arg || !data.results.iter().any(|&result| solver.ty(result).is_some_and(is_own))
    })
}

/// An iterator over an empty tuple, or over the last argument.
pub(crate) fn expand_without_items(pass: &mut Expansion<'_, '_>, inst: Inst, why: WithoutItems) {
    let iterable = match why {
        WithoutItems::Empty => {
            let empty = pass.solver.cx.types.tuple(&[]);
            pass.builder(inst).value(Op::BuildTuple, [], &[], ValueType::Typed(empty))
        }
        WithoutItems::Raises => pass.func.insts[inst].args[pass.func.insts[inst].args.len() - 1],
    };
    let data = &mut pass.func.insts[inst];
    data.op = Op::Getiter;
    data.attrs.clear();
    data.args = [iterable].into_iter().collect();
}

/// A call for each iteration, and the tuple of what they give.
pub(crate) fn expand(pass: &mut Expansion<'_, '_>, inst: Inst, iterations: usize) {
    let solver = pass.solver;
    let operands: Vec<Value> = pass.func.insts[inst].args.to_vec();
    let result = pass.func.insts[inst].results[0];
    let types = solver.ty(result).and_then(|ty| solver.cx.types.elements(ty)).unwrap_or_default();
    let is_closure =
        solver.ty(operands[1]).is_some_and(|ty| matches!(solver.cx.types.get(ty), TypeData::Closure { .. }));
    let mut builder = pass.builder(inst);
    let columns: Vec<Vec<Value>> =
        operands[2..].iter().map(|&tuple| starred_literals::unpacked(&mut builder, solver, tuple)).collect();
    let mut results = Vec::new();
    for (iteration, &ty) in (0..iterations).zip(types.iter()) {
        let mut args = vec![operands[1]];
        args.extend(is_closure.then_some(operands[1]));
        args.extend(columns.iter().map(|column| column[iteration]));
        let names = [Attr::Symbols(Vec::new())];
        results.push(builder.value(Op::Call, names, &args, ValueType::Typed(ty)));
    }
    let data = &mut pass.func.insts[inst];
    data.op = Op::BuildTuple;
    data.attrs.clear();
    data.args = results.into_iter().collect();
}
