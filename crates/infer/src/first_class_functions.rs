//! Functions as values of a type that says their parameters and their result.
//!
//! ```text
//! f = table[i] if i < n else default        FunctionType[float64(float64)]
//! y = f(x)                                  called by its address
//! ```
//!
//! Where a compiled function becomes such a value it must be compiled for those parameters. Types only grow, so
//! what becomes what is known when they have settled: then [`note_values`] asks for the instances.

use crate::ops::Types;
use crate::solver::Engine;
use diag::{Diagnostic, Result, codes};
use ir::{Block, Def, Inst, Op, Value};
use types::{Conversion, Type, TypeData, convert, unify};

/// A call of a function value with arguments by position.
pub(crate) fn infer_call(
    engine: &Engine<'_>,
    inst: Inst,
    callee: Type,
    params: &[Type],
    result: Type,
    args: &[Type],
) -> Types {
    let types = engine.cx.types;
    let wrong = |code, what: String| {
        Diagnostic::new(code, what)
            .label(engine.func.insts[inst].span, format!("the function is {}", types.name(callee)))
            .hint("Call it with the arguments that its signature says, or convert them before the call.")
    };
    if args.len() != params.len() {
        let message = format!("mismatch of arguments number: {} vs {}", args.len(), params.len());
        return Err(wrong(codes::ARITY, message));
    }
    let is_constant = is_constant(engine, inst, callee);
    for (&arg, &param) in args.iter().zip(params) {
        let plain = types.unliteral(arg);
        let narrows = || is_constant && is_narrowed(plain, param);
        if convert(types, plain, param).is_none_or(|how| how > Conversion::Safe) && !narrows() {
            let (arg, param) = (types.name(plain), types.name(param));
            return Err(wrong(codes::NO_MATCH, format!("mismatch of argument types: {arg} vs {param}")));
        }
    }
    Ok(vec![Some(result)])
}

/// Whether a call is one of a function that a global, a closure variable or a module holds: which function it is, the
/// source says, so that arguments become what it takes, as where C calls it.
fn is_constant(engine: &Engine<'_>, inst: Inst, callee: Type) -> bool {
    let Some(&function) = engine.func.insts[inst].args.first() else { return false };
    let Def::Result(read, _) = engine.func.values[function].def else { return false };
    engine.ty(function) == Some(callee)
        && matches!(engine.func.insts[read].op, Op::Global | Op::Freevar | Op::Getattr)
}

/// Whether numbers of a type are passed as numbers of a smaller one of their kind, integers as floats, too.
fn is_narrowed(from: Type, to: Type) -> bool {
    from.is_int() && (to.is_int() || to.is_float())
        || from.is_float() && to.is_float()
        || from.is_complex() && to.is_complex()
}

/// A function value has no names of parameters.
pub(crate) fn check_names(engine: &Engine<'_>, inst: Inst, callee: Type, named: bool) -> Result<()> {
    if !named || !engine.cx.types.is_function_value(callee) {
        return Ok(());
    }
    let message = "a first-class function call cannot use keyword arguments";
    Err(Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
        .label(engine.func.insts[inst].span, "called here")
        .hint("Pass the arguments by position: the type of the function does not tell their names."))
}

/// Asks for the instances of compiled functions that become function values somewhere in the function.
pub(crate) fn note_values(engine: &Engine<'_>) -> Result<()> {
    if !engine.cx.types.has_function_values() {
        return Ok(());
    }
    for block in engine.reached_blocks() {
        for call in engine.func.edges(block).filter(|call| engine.reached[call.block]) {
            for (&arg, &param) in call.args.iter().zip(&engine.func.blocks[call.block].params) {
                note(engine, block, engine.ty(arg), engine.ty(param))?;
            }
        }
        for &inst in &engine.func.blocks[block].insts {
            note_inst(engine, block, inst)?;
        }
    }
    Ok(())
}

fn note_inst(engine: &Engine<'_>, block: Block, inst: Inst) -> Result<()> {
    let data = &engine.func.insts[inst];
    let ty = |at: usize| data.args.get(at).and_then(|&arg: &Value| engine.ty(arg));
    let result = || data.results.first().and_then(|&result| engine.ty(result));
    match data.op {
        Op::Return => note(engine, block, ty(0), engine.result),
        Op::Declared => note(engine, block, ty(0), result()),
        Op::Call | Op::CallEx => note_arguments(engine, block, inst),
        Op::Getiter | Op::Getitem => note_items(engine, block, ty(0)),
        Op::MakeCell | Op::StoreCell => {
            let cell = if data.op == Op::MakeCell { result() } else { ty(0) };
            let content = cell.and_then(|cell| match engine.cx.types.get(cell) {
                TypeData::Cell(number) => engine.shared.content(number),
                _ => None,
            });
            note(engine, block, data.args.last().and_then(|&value| engine.ty(value)), content)
        }
        _ => Ok(()),
    }
}

/// What a function value, or a compiled function with fixed signatures, is called with.
fn note_arguments(engine: &Engine<'_>, block: Block, inst: Inst) -> Result<()> {
    let data = &engine.func.insts[inst];
    if let Some((folded, exact)) =
        engine.folded[inst].as_ref().and_then(|call| Some((call, call.exact.as_ref()?)))
    {
        for (&given, &wanted) in folded.types.iter().zip(exact) {
            note(engine, block, Some(given), Some(wanted))?;
        }
    }
    let Some(TypeData::FunctionValue { params, .. }) =
        data.args.first().and_then(|&callee| engine.ty(callee)).map(|callee| engine.cx.types.get(callee))
    else {
        return Ok(());
    };
    let given: Vec<Option<Type>> = match &engine.folded[inst] {
        Some(folded) => folded.types.iter().copied().map(Some).collect(),
        None => data.args[1..].iter().map(|&arg| engine.ty(arg)).collect(),
    };
    given.into_iter().zip(params.iter()).try_for_each(|(arg, &param)| note(engine, block, arg, Some(param)))
}

/// The items of a tuple that a loop goes over, or that is indexed with what only the run time knows.
fn note_items(engine: &Engine<'_>, block: Block, tuple: Option<Type>) -> Result<()> {
    let types = engine.cx.types;
    let Some(items) = tuple.and_then(|tuple| types.items(tuple)) else { return Ok(()) };
    let Some(&first) = items.first() else { return Ok(()) };
    let joined = items.iter().try_fold(first, |known, &item| unify(types, known, item));
    let joined = joined.filter(|&joined| types.is_function_value(joined));
    items.iter().try_for_each(|&item| note(engine, block, Some(item), joined))
}

/// A value of type `from` becomes one of type `to`.
fn note(engine: &Engine<'_>, block: Block, from: Option<Type>, to: Option<Type>) -> Result<()> {
    let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
    if from == to {
        return Ok(());
    }
    let types = engine.cx.types;
    match (types.get(from), types.get(to)) {
        (TypeData::Dispatcher(function), TypeData::FunctionValue { params, .. }) => {
            let known = engine.shared.parameters(&*engine.host, function)?;
            if known.signatures.as_ref().is_some_and(|all| all.iter().all(|own| own.params != *params)) {
                let (from, to) = (types.name(from), types.name(to));
                let message = format!("{from} has no compiled function for {to}, and compiles no more");
                return Err(Diagnostic::new(codes::NO_MATCH, message)
                    .hint("Add the signature to its decorator, or use a function without signatures."));
            }
            engine.shared.want_value(function, to);
            engine.request(block, function, params.to_vec())?;
        }
        (TypeData::Choice(members), TypeData::FunctionValue { .. }) => {
            for &member in members.iter() {
                note(engine, block, Some(member), Some(to))?;
            }
        }
        (_, TypeData::Optional(inner)) => note(engine, block, Some(from), Some(inner))?,
        _ => {
            if let (Some(have), Some(wanted)) = (types.elements(from), types.elements(to)) {
                for (&a, &b) in have.iter().zip(wanted.iter()) {
                    note(engine, block, Some(a), Some(b))?;
                }
            }
        }
    }
    Ok(())
}

/// What a compiled function gives must become what the values it becomes give.
pub(crate) fn check_values(engine: &Engine<'_>) -> Result<()> {
    let types = engine.cx.types;
    for (function, ty) in engine.shared.values() {
        let TypeData::FunctionValue { params, result } = types.get(ty) else { continue };
        let Some(found) = engine.shared.result_of(function, &params) else { continue };
        if convert(types, found, result).is_none() {
            let dispatcher = types.name(types.intern(TypeData::Dispatcher(function)));
            let (found, wanted) = (types.name(found), types.name(result));
            return Err(Diagnostic::new(
                codes::NO_MATCH,
                format!(
                    "mismatch of return type: {dispatcher} gives {found}, {} gives {wanted}",
                    types.name(ty)
                ),
            )
            .hint("Let the function return what the signature says."));
        }
    }
    Ok(())
}
