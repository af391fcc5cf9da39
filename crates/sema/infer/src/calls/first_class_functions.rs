//! First-class functions: values whose type states parameters and result.
//!
//! ```text
//! f = table[i] if i < n else default        FunctionType[float64(float64)]
//! y = f(x)                                  called by its address
//! ```
//!
//! A compiled function that becomes such a value must be compiled for those parameters. Since types only grow,
//! these conversions are known when the fixpoint is reached: then [`note_values`] requests the instances.

use crate::overloads::lookup::Types;
use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::{Block, Def, Inst, Op, Value};
use types::{Conversion, Type, TypeData, convert, unify};

/// A call of a function value with arguments by position.
pub(crate) fn infer_call(
    solver: &Solver<'_>,
    inst: Inst,
    callee: Type,
    params: &[Type],
    result: Type,
    args: &[Type],
) -> Types {
    let types = solver.cx.types;
    let wrong = |code, what: String| {
        Diagnostic::new(code, what)
            .label(solver.func.insts[inst].span, format!("the function is {}", types.name(callee)))
            .hint("Call it with the arguments that its signature says, or convert them before the call.")
    };
    if args.len() != params.len() {
        let message = format!("mismatch of arguments number: {} vs {}", args.len(), params.len());
        return Err(wrong(codes::ARITY, message).into());
    }
    let is_constant = is_constant(solver, inst, callee);
    for (&arg, &param) in args.iter().zip(params) {
        let plain = types.unliteral(arg);
        let narrows = || is_constant && is_narrowed(plain, param);
        if convert(types, plain, param).is_none_or(|how| how > Conversion::Safe) && !narrows() {
            let (arg, param) = (types.name(plain), types.name(param));
            return Err(
                wrong(codes::NO_MATCH, format!("mismatch of argument types: {arg} vs {param}")).into()
            );
        }
    }
    Ok(vec![Some(result)])
}

/// Whether a call is one of a function that a global, a closure variable or a module holds: which function it is, the
/// source says, so that arguments become what it takes, as where C calls it.
fn is_constant(solver: &Solver<'_>, inst: Inst, callee: Type) -> bool {
    let Some(&function) = solver.func.insts[inst].args.first() else { return false };
    let Def::Result(read, _) = solver.func.values[function].def else { return false };
    solver.ty(function) == Some(callee)
        && matches!(solver.func.insts[read].op, Op::Global | Op::Freevar | Op::Getattr)
}

/// Whether numbers of a type are passed as numbers of a smaller one of their kind, integers as floats, too.
fn is_narrowed(from: Type, to: Type) -> bool {
    from.is_int() && (to.is_int() || to.is_float())
        || from.is_float() && to.is_float()
        || from.is_complex() && to.is_complex()
}

/// A function value has no names of parameters.
pub(crate) fn check_names(solver: &Solver<'_>, inst: Inst, callee: Type, named: bool) -> Result<()> {
    if !named || !solver.cx.types.is_function_value(callee) {
        return Ok(());
    }
    let message = "a first-class function call cannot use keyword arguments";
    Err(Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
        .label(solver.func.insts[inst].span, "called here")
        .hint("Pass the arguments by position: the type of the function does not tell their names."))
}

/// Asks for the instances of compiled functions that become function values somewhere in the function.
pub(crate) fn note_values(solver: &Solver<'_>) -> Result<()> {
    if !solver.cx.types.has_function_values() {
        return Ok(());
    }
    for block in solver.reached_blocks() {
        for call in solver.func.edges(block).filter(|call| solver.reached[call.block]) {
            for (&arg, &param) in call.args.iter().zip(&solver.func.blocks[call.block].params) {
                note(solver, block, solver.ty(arg), solver.ty(param))?;
            }
        }
        for &inst in &solver.func.blocks[block].insts {
            note_inst(solver, block, inst)?;
        }
    }
    Ok(())
}

fn note_inst(solver: &Solver<'_>, block: Block, inst: Inst) -> Result<()> {
    let data = &solver.func.insts[inst];
    let ty = |at: usize| data.args.get(at).and_then(|&arg: &Value| solver.ty(arg));
    let result = || data.results.first().and_then(|&result| solver.ty(result));
    match data.op {
        Op::Return => note(solver, block, ty(0), solver.result),
        Op::Declared => note(solver, block, ty(0), result()),
        Op::Call | Op::CallEx => note_arguments(solver, block, inst),
        Op::Getiter | Op::Getitem => note_items(solver, block, ty(0)),
        Op::MakeCell | Op::StoreCell => {
            let cell = if data.op == Op::MakeCell { result() } else { ty(0) };
            let content = cell.and_then(|cell| match solver.cx.types.get(cell) {
                TypeData::Cell(number) => solver.shared.content(number),
                TypeData::HeapCell(content) => Some(content),
                _ => None,
            });
            note(solver, block, data.args.last().and_then(|&value| solver.ty(value)), content)
        }
        _ => Ok(()),
    }
}

/// What a function value, or a compiled function with fixed signatures, is called with.
fn note_arguments(solver: &Solver<'_>, block: Block, inst: Inst) -> Result<()> {
    let data = &solver.func.insts[inst];
    if let Some((folded, exact)) =
        solver.folded[inst].as_ref().and_then(|call| Some((call, call.exact.as_ref()?)))
    {
        for (&given, &wanted) in folded.types.iter().zip(exact) {
            note(solver, block, Some(given), Some(wanted))?;
        }
    }
    let Some(TypeData::FunctionValue { params, .. }) =
        data.args.first().and_then(|&callee| solver.ty(callee)).map(|callee| solver.cx.types.get(callee))
    else {
        return Ok(());
    };
    let given: Vec<Option<Type>> = match &solver.folded[inst] {
        Some(folded) => folded.types.iter().copied().map(Some).collect(),
        None => data.args[1..].iter().map(|&arg| solver.ty(arg)).collect(),
    };
    given.into_iter().zip(params.iter()).try_for_each(|(arg, &param)| note(solver, block, arg, Some(param)))
}

/// The items of a tuple that a loop goes over, or that is indexed with what only the run time knows.
fn note_items(solver: &Solver<'_>, block: Block, tuple: Option<Type>) -> Result<()> {
    let types = solver.cx.types;
    let Some(items) = tuple.and_then(|tuple| types.items(tuple)) else { return Ok(()) };
    let Some(&first) = items.first() else { return Ok(()) };
    let joined = items.iter().try_fold(first, |known, &item| unify(types, known, item));
    let joined = joined.filter(|&joined| types.is_function_value(joined));
    items.iter().try_for_each(|&item| note(solver, block, Some(item), joined))
}

/// A value of type `from` becomes one of type `to`.
fn note(solver: &Solver<'_>, block: Block, from: Option<Type>, to: Option<Type>) -> Result<()> {
    let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
    if from == to {
        return Ok(());
    }
    let types = solver.cx.types;
    match (types.get(from), types.get(to)) {
        (TypeData::Dispatcher(function), TypeData::FunctionValue { params, .. }) => {
            let known = solver.shared.parameters(&*solver.host, function)?;
            if known.signatures.as_ref().is_some_and(|all| all.iter().all(|own| own.params != *params)) {
                let (from, to) = (types.name(from), types.name(to));
                let message = format!("{from} has no compiled function for {to}, and compiles no more");
                return Err(Diagnostic::new(codes::NO_MATCH, message)
                    .hint("Add the signature to its decorator, or use a function without signatures."));
            }
            solver.shared.want_value(function, to);
            solver.request(block, function, params.to_vec())?;
        }
        (TypeData::Choice(members), TypeData::FunctionValue { .. }) => {
            for &member in members.iter() {
                note(solver, block, Some(member), Some(to))?;
            }
        }
        (_, TypeData::Optional(inner)) => note(solver, block, Some(from), Some(inner))?,
        _ => {
            if let (Some(have), Some(wanted)) = (types.elements(from), types.elements(to)) {
                for (&a, &b) in have.iter().zip(wanted.iter()) {
                    note(solver, block, Some(a), Some(b))?;
                }
            }
        }
    }
    Ok(())
}

/// What a compiled function gives must become what the values it becomes give.
pub(crate) fn check_values(solver: &Solver<'_>) -> Result<()> {
    let types = solver.cx.types;
    for (function, ty) in solver.shared.values() {
        let TypeData::FunctionValue { params, result } = types.get(ty) else { continue };
        let Some(found) = solver.shared.result_of(function, &params) else { continue };
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
