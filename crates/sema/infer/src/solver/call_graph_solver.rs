//! The fixpoint over mutually recursive functions.
//!
//! An *instance* is a function with argument types. The first instance is the requested one; each
//! call of a compiled function adds another one, once. Instances are inferred until no result
//! changes, so neither self recursion nor mutual recursion needs annotations: a call whose result is not known
//! yet waits, while other paths continue.

use crate::Context;
use crate::Request;
use crate::Typed;
use crate::call_trace::blame;
use crate::calls::captures;
use crate::calls::first_class_functions;
use crate::calls::generators;
use crate::calls::getattr_calls;
use crate::calls::map_filter;
use crate::calls::map_filter::generator_expressions;
use crate::calls::raised_classes;
use crate::calls::static_dict;
use crate::calls::super_calls;
use crate::calls::unbound_methods;
use crate::desugar::class_dispatch;
use crate::desugar::dispatch_errors;
use crate::desugar::finalize::{check_all_typed, finish};
use crate::desugar::key_displays;
use crate::desugar::literal_unroll_lists;
use crate::desugar::match_objects;
use crate::desugar::narrow_classes;
use crate::desugar::narrow_optionals;
use crate::desugar::starred_literals;
use crate::desugar::user_iterables;
use crate::object_fallback;
use crate::overloads::literally;
use crate::solver::Solver;
use crate::solver::exceptions;
use crate::solver::group_state::GroupState;
use crate::solver::restart_state::RestartState;
use crate::solver::visit;
use catalog::Host;
use diag::{Diagnostic, Result, codes};
use ir::Function;
use std::cell::RefCell;
use std::rc::Rc;
use types::{Handle, Type};

pub(crate) fn infer(request: Request, cx: Context<'_>) -> Result<Vec<Typed>> {
    let memory = Rc::new(RefCell::new(RestartState::new(request.wanted.clone())));
    loop {
        let outcome = attempt(request.clone(), cx, memory.clone());
        let again =
            |memory: &mut RestartState| memory.take_restart() || memory.guess_again(generators::GUESSES);
        if outcome.is_ok() || !again(&mut memory.borrow_mut()) {
            return outcome.map_err(|failure| memory.borrow_mut().take_failure().unwrap_or(failure));
        }
    }
}

fn attempt(request: Request, cx: Context<'_>, memory: Rc<RefCell<RestartState>>) -> Result<Vec<Typed>> {
    let key = request.handle.map(|handle| (handle, request.args.clone()));
    let shared = GroupState::new(memory, request.rewriting, key, request.result);
    let Request { func, host, args, result, semantics, .. } = request;
    let func = rewrite_untyped(func, &*host, 0, &shared, cx)?;
    let mut engines = vec![Solver::new(0, func, host, args, result, cx, &shared)];
    engines[0].semantics = semantics;
    shared.has_handlers.set(engines[0].has_handlers());
    let outcome = infer_all(&mut engines, &shared, cx);
    engines.iter().for_each(narrow_optionals::note);
    engines.iter().for_each(narrow_classes::note);
    if outcome.is_ok() && shared.memory.borrow().will_restart() {
        return Err(Diagnostic::internal("inference", "a value is less than it was taken for"));
    }
    let revised = engines.iter().fold(false, |revised, solver| starred_literals::revise(solver) || revised);
    if let Err(failure) = outcome {
        let is_of_types = failure.code != codes::LIBRARY && !shared.memory.borrow().will_restart();
        let last = engines.len() - 1;
        let mut retreats = false;
        for solver in &engines {
            retreats |= is_of_types && starred_literals::retreat(solver, solver.number < last);
            retreats |= is_of_types && starred_literals::retreat_captured(solver);
        }
        if retreats {
            shared.memory.borrow_mut().note_failure(failure.clone());
        }
        return Err(failure);
    }
    // Python may call a function that is returned, and gives it its lists as such that may change.
    let captures = |result| starred_literals::captures_fixed_list(cx.types, result);
    if engines[0].result.is_some_and(captures)
        && engines.iter().fold(false, |any, solver| starred_literals::retreat_captured(solver) || any)
    {
        return Err(Diagnostic::internal("inference", "a list leaves with a function that captures it"));
    }
    if revised {
        return Err(Diagnostic::internal("inference", "a list display changes after all"));
    }
    let lives = lives(&engines, &shared, cx);
    let finished =
        engines.into_iter().enumerate().filter(|&(number, _)| lives[number]).map(|(number, solver)| {
            let handle = shared.key(number).map(|(handle, _)| handle);
            let calls = shared.calls_of(solver.number, solver.reached_blocks());
            finish(solver, handle, calls)
        });
    finished.collect()
}

/// What is written out before types are known.
fn rewrite_untyped(
    mut func: Function,
    host: &dyn Host,
    number: usize,
    shared: &GroupState,
    cx: Context<'_>,
) -> Result<Function> {
    let mut change = |pass, body: &mut dyn FnMut(&mut Function)| {
        cx.passes.change(pass, &mut func, &mut |func| {
            body(func);
            Ok(())
        })
    };
    change("literal_unroll", &mut |func| literally::unroll_loops(shared, number, func))?;
    change("unbound_methods", &mut |func| unbound_methods::bind(shared, number, func))?;
    change("getattr_calls", &mut |func| getattr_calls::rewrite(shared, number, func))?;
    change("raised_classes", &mut |func| raised_classes::call(shared, number, func))?;
    change("user_iterables", &mut |func| user_iterables::expand(shared, number, func))?;
    change("key_displays", &mut |func| key_displays::expand(shared, number, func))?;
    change("match_objects", &mut |func| match_objects::expand(shared, number, func))?;
    change("super_calls", &mut |func| super_calls::expand(func, host))?;
    change("static_dicts", &mut static_dict::form_merges)?;
    change("constant_literals", &mut starred_literals::expand_constant_literals)?;
    change("tuples_from_lists", &mut |func| literal_unroll_lists::tuples_from_lists(func, host, cx.catalog))?;
    change("sink_lists", &mut starred_literals::sink_passed_lists)?;
    change("class_dispatch", &mut |func| class_dispatch::expand(shared, number, func))?;
    change("dispatch_errors", &mut |func| dispatch_errors::insert(shared, number, func))?;
    change("narrow_classes", &mut |func| narrow_classes::insert(shared, number, func))?;
    change("narrow_optionals", &mut |func| narrow_optionals::insert(shared, number, func))?;
    Ok(func)
}

/// Infers instances until nothing changes.
fn infer_all<'a>(engines: &mut Vec<Solver<'a>>, shared: &'a GroupState, cx: Context<'a>) -> Result<()> {
    loop {
        while let Some(number) = next_or_settle(engines, shared)? {
            run(engines, shared, number, cx)?;
        }
        let known = shared.count();
        for number in 0..engines.len() {
            let noted = first_class_functions::note_values(&engines[number]);
            noted.map_err(|error| blame(engines, shared, number, error))?;
            open_new(engines, shared, number, cx)?;
        }
        if shared.count() == known && !takes_up_objects(engines, shared, cx) {
            break;
        }
    }
    // Callees follow their callers: the failure nearest to its cause is reported.
    let lives = lives(engines, shared, cx);
    for number in (0..engines.len()).rev().filter(|&number| lives[number]) {
        if let Some(failure) = told_failure(&mut engines[number]) {
            return Err(failed(engines, shared, number, failure));
        }
    }
    for (number, solver) in engines.iter().enumerate().filter(|&(number, _)| lives[number]) {
        check_all_typed(solver).map_err(|error| failed(engines, shared, number, error))?;
        map_filter::check_result(solver).map_err(|error| failed(engines, shared, number, error))?;
    }
    let late = engines.iter().filter(|solver| lives[solver.number]).flat_map(generator_expressions::late);
    if shared.memory.borrow_mut().note_generators(&late.collect::<Vec<_>>()) {
        return Err(Diagnostic::internal("inference", "a generator expression is a generator after all"));
    }
    first_class_functions::check_values(&engines[0]).map_err(|error| blame(engines, shared, 0, error))?;
    Ok(())
}

/// Has an instruction that failed be done with Python objects, in a function that allows that. Whether there is one. Callees
/// follow their callers: the failure nearest to its cause comes first.
fn takes_up_objects(engines: &mut [Solver<'_>], shared: &GroupState, cx: Context<'_>) -> bool {
    if !engines.iter().any(Solver::has_failed) {
        return false;
    }
    let lives = lives(engines, shared, cx);
    engines.iter_mut().rev().any(|solver| lives[solver.number] && object_fallback::take_up(solver))
}

/// The first of the failures that stayed.
fn told_failure(solver: &mut Solver<'_>) -> Option<Box<Diagnostic>> {
    let (inst, failure) = solver.take_failure()?;
    let mut raises = dispatch_errors::note(solver, inst, &failure);
    while raises && let Some((next, other)) = solver.take_failure() {
        raises = dispatch_errors::note(solver, next, &other);
    }
    Some(failure.into_diagnostic(solver, inst))
}

/// Which instances are called in the end.
fn lives(engines: &[Solver<'_>], shared: &GroupState, cx: Context<'_>) -> Vec<bool> {
    shared.lives(engines.len(), |number| engines[number].reached_blocks(), cx.types)
}

/// The instance to run next: the one made last, so that callees come before their callers.
fn next_pending(engines: &[Solver<'_>]) -> Option<usize> {
    engines.iter().rposition(Solver::is_pending)
}

fn run<'a>(
    engines: &mut Vec<Solver<'a>>,
    shared: &'a GroupState,
    number: usize,
    cx: Context<'a>,
) -> Result<()> {
    if let Err(error) = visit::run(&mut engines[number]) {
        if lives(engines, shared, cx)[number] {
            return Err(failed(engines, shared, number, error));
        }
        // Nobody calls it with these types any more.
        let entry = engines[number].func.entry;
        let first = engines[number].func.blocks[entry].insts[0];
        engines[number].note_failure(entry, first, error.into());
    }
    if shared.memory.borrow().will_restart() {
        return Err(Diagnostic::new(codes::UNTYPED, "lists that were taken for such as never change do"));
    }
    open_new(engines, shared, number, cx)?;
    announce(engines, shared, number)?;
    revisit_stale(engines, shared);
    let (again, asked) = shared.take_asked();
    for solver in again {
        engines[solver].revisit_all();
    }
    for solver in asked {
        let entry = engines[solver].func.entry;
        engines[solver].revisit(entry);
    }
    Ok(())
}

/// A failure of an instance. Generator expressions that it goes through item by item may be to blame: as generators they can be
/// kept.
fn failed(
    engines: &[Solver<'_>],
    shared: &GroupState,
    number: usize,
    error: Box<Diagnostic>,
) -> Box<Diagnostic> {
    let error = blame(engines, shared, number, error);
    // Another implementation may be tried first.
    let will_restart = shared.memory.borrow().will_restart();
    if !will_restart && error.code != codes::LIBRARY {
        let stepped = generator_expressions::stepped(&engines[number]);
        let memory = &mut *shared.memory.borrow_mut();
        if memory.note_generators(&stepped) {
            memory.note_failure(error.clone());
        }
    }
    error
}

/// Blocks that read what has grown are visited again.
fn revisit_stale(engines: &mut [Solver<'_>], shared: &GroupState) {
    for (reader, block) in shared.take_stale() {
        engines[reader].revisit(block);
    }
}

/// The result that a function gives which compiles no more.
fn fixed_result(
    host: &dyn Host,
    shared: &GroupState,
    cx: Context<'_>,
    function: Handle,
    args: &[Type],
) -> Option<Type> {
    let parameters = shared.parameters(host, function).ok()?;
    let signature = parameters.signatures.iter().flatten().find(|signature| signature.params == args)?;
    // A function that is returned is known by what it takes along, which inference finds again.
    let plain = |ty: Type| cx.types.functions(ty).is_none();
    let of_values =
        cx.types.components(signature.result).iter().flat_map(|all| all.iter()).all(|&ty| plain(ty));
    (of_values && plain(signature.result)).then_some(signature.result)
}

/// Opens the functions that an instance was the first to ask for.
fn open_new<'a>(
    engines: &mut Vec<Solver<'a>>,
    shared: &'a GroupState,
    number: usize,
    cx: Context<'a>,
) -> Result<()> {
    for new in engines.len()..shared.count() {
        if let Some((function, args)) = shared.key(new) {
            let opened = shared.open(&*engines[number].host, function, &args);
            let opened = opened.map_err(|error| blame(engines, shared, new, error))?;
            let mut args = args;
            let closure = captures::closure_of(cx.types, function, &args);
            if closure.is_some() {
                args.remove(0);
            }
            let declared = fixed_result(&*engines[number].host, shared, cx, function, &args);
            let func = rewrite_untyped(opened.func, &*opened.host, new, shared, cx)?;
            let mut solver = Solver::new(new, func, opened.host, args, declared, cx, shared);
            solver.closure = closure;
            solver.semantics = engines[number].semantics.of_callee(opened.semantics);
            // An inner function is a part of the function around it.
            solver.semantics.objects |= closure.is_some() && engines[number].semantics.objects;
            let has_handlers = solver.has_handlers();
            engines.push(solver);
            if has_handlers && !shared.has_handlers.replace(true) {
                (0..engines.len()).for_each(|known| note_raised(engines, shared, known));
            }
        }
    }
    Ok(())
}

/// Callers look again where the result of an instance has changed.
fn announce(engines: &mut [Solver<'_>], shared: &GroupState, number: usize) -> Result<()> {
    if engines[number].returns() {
        shared.note_never_returns(number, false);
    }
    for (caller, block) in shared.set_result(number, engines[number].result)? {
        engines[caller].revisit(block);
    }
    if shared.has_handlers.get() {
        note_raised(engines, shared, number);
    }
    Ok(())
}

/// Callers with handlers look again where an instance raises more.
fn note_raised(engines: &mut [Solver<'_>], shared: &GroupState, number: usize) {
    for (caller, block) in shared.set_raised(number, exceptions::raised_by(&engines[number])) {
        engines[caller].revisit(block);
    }
}

/// The instance to run next. When nothing is pending, a function that never returns gets a result
/// all the same, which lets its callers continue.
fn next_or_settle(engines: &mut [Solver<'_>], shared: &GroupState) -> Result<Option<usize>> {
    loop {
        if let Some(number) = next_pending(engines) {
            return Ok(Some(number));
        }
        let is_silent =
            |solver: &Solver<'_>| solver.result.is_none() && !solver.returns() && !solver.has_failed();
        if engines.iter().any(generators::fix_sent_type) {
            revisit_stale(engines, shared);
            continue;
        }
        if engines.iter_mut().rev().any(Solver::force_open_containers) {
            continue;
        }
        if engines.iter_mut().rev().any(Solver::give_up_open) {
            continue;
        }
        let silent = engines.iter().position(is_silent);
        let Some(silent) = silent else { return Ok(None) };
        engines[silent].result = Some(Type::NONE);
        shared.note_never_returns(silent, true);
        announce(engines, shared, silent)?;
    }
}
