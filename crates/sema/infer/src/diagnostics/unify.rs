//! Variables and results with values of several types; values without a type.

use super::{name, span, span_of};
use crate::solver::Solver;
use diag::{Diagnostic, Span, codes};
use ir::{Block, Def, Inst, Op, Symbol, Value};
use types::{Type, TypeData, unify};

/// A name, or the value of an expression with several outcomes, whose types have no common one.
pub(crate) fn cannot_unify(
    solver: &Solver<'_>,
    param: Value,
    known: Type,
    incoming: Type,
) -> Box<Diagnostic> {
    let variable = solver.func.value_name(param);
    let Def::Param(block, index) = solver.func.values[param].def else {
        return cannot_unify_values(solver, variable, [known, incoming], &[]);
    };
    cannot_unify_values(solver, variable, [known, incoming], &handed(solver, block, index.into()))
}

/// The same of values that come together in one place.
fn cannot_unify_values(
    solver: &Solver<'_>,
    variable: Option<&str>,
    [known, incoming]: [Type; 2],
    values: &[Value],
) -> Box<Diagnostic> {
    let subject = match variable {
        Some(variable) => format!("'{variable}'"),
        None => "the value of one expression".to_owned(),
    };
    let message =
        format!("Cannot unify {} and {} for {subject}", name(solver, known), name(solver, incoming));
    let hint = match (variable, grows(solver, known, incoming)) {
        (_, true) => {
            "The length of a tuple is part of its type: make it in one piece, it cannot grow in a loop."
                .to_owned()
        }
        (Some(variable), _) if is_number_beside_array(solver, known, incoming) => {
            format!(
                "Begin with an array, as `np.zeros(...)`, where '{variable}' becomes one; or use a second name."
            )
        }
        (Some(variable), _) => {
            format!("Give '{variable}' one type on every path, or use a second name for the other type.")
        }
        (None, _) => "Make all outcomes of the expression one type, or write it as an `if` statement.".into(),
    };
    with_sources(solver, Diagnostic::new(codes::CANNOT_UNIFY, message), values, variable).hint(hint)
}

/// Whether one type is a number and the other an array, as of a sum that begins with 0.
fn is_number_beside_array(solver: &Solver<'_>, a: Type, b: Type) -> bool {
    let types = solver.cx.types;
    let is_number = |ty: Type| types.unliteral(ty).is_number();
    let is_array = |ty: Type| types.array(ty).is_some();
    is_number(a) && is_array(b) || is_array(a) && is_number(b)
}

/// Whether two types are tuples of different lengths.
fn grows(solver: &Solver<'_>, a: Type, b: Type) -> bool {
    match (solver.cx.types.elements(a), solver.cx.types.elements(b)) {
        (Some(a), Some(b)) => a.len() != b.len(),
        _ => false,
    }
}

/// Labels for every type that comes together in one place and the place that gives it; the last place
/// in the source is the primary one.
fn with_sources(
    solver: &Solver<'_>,
    mut report: Box<Diagnostic>,
    values: &[Value],
    variable: Option<&str>,
) -> Box<Diagnostic> {
    let mut sources = types_of(solver, values);
    let last = sources.iter().rposition(|source| source.span.is_known()).unwrap_or_default();
    if last < sources.len() {
        let primary = sources.remove(last);
        sources.insert(0, primary);
    }
    for Source { span, ty, is_argument } in sources {
        let ty = name(solver, ty);
        report = match (variable, is_argument) {
            (Some(variable), true) => report.note(format!("the argument '{variable}' is {ty}")),
            (Some(variable), false) => report.label(span, format!("'{variable}' is {ty} here")),
            (None, _) => report.label(span, format!("this is {ty}")),
        };
    }
    report
}

/// Where a value comes from.
#[derive(PartialEq)]
struct Source {
    span: Span,
    ty: Type,
    is_argument: bool,
}

/// What edges give to a parameter of a block.
fn handed(solver: &Solver<'_>, block: Block, index: usize) -> Vec<Value> {
    let edges = solver.func.layout.iter().flat_map(|&from| solver.func.edges(from));
    edges.filter(|call| call.block == block).filter_map(|call| call.args.get(index).copied()).collect()
}

/// Where values come from, followed through parameters of blocks.
fn types_of(solver: &Solver<'_>, values: &[Value]) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let mut all = values.to_vec();
    let mut next = 0;
    while let Some(&value) = all.get(next) {
        next += 1;
        match (solver.func.values[value].def, solver.ty(value)) {
            (Def::Param(block, index), _) => {
                for value in handed(solver, block, index.into()) {
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
            }
            (Def::Result(inst, _), Some(ty)) if ty != Type::UNDEFINED => {
                let ty = solver.cx.types.unliteral(ty);
                let is_argument = solver.func.insts[inst].op == Op::Arg;
                found.push(Source { span: span_of(solver, value), ty, is_argument });
            }
            _ => {}
        }
    }
    found.sort_by_key(|source| source.span);
    found.dedup();
    found
}

/// The values that one return statement gives whose types have no common type: CPython puts copies of it after the branches
/// that lead to it. Nothing if there is none.
fn copied_return(solver: &Solver<'_>) -> Option<(Vec<Value>, [Type; 2])> {
    let returned = |block: Block| {
        let data = &solver.func.insts[solver.func.terminator(block)?];
        let Def::Result(cast, _) = solver.func.values[*data.args.first()?].def else { return None };
        let value = *solver.func.insts[cast].args.first()?;
        let ty = solver.cx.types.unliteral(solver.ty(value)?);
        (data.op == Op::Return && data.span.is_known()).then_some((data.span, value, ty))
    };
    let all: Vec<(Span, Value, Type)> =
        solver.func.layout.iter().filter_map(|&block| returned(block)).collect();
    all.iter().find_map(|&(span, _, ty)| {
        let copies = all.iter().filter(|copy| copy.0 == span);
        let mut others = copies.clone().map(|copy| copy.2);
        let other = others.find(|&other| unify(solver.cx.types, ty, other).is_none())?;
        Some((copies.map(|copy| copy.1).collect(), [ty, other]))
    })
}

/// The variable that holds all of these values.
fn variable_of(solver: &Solver<'_>, values: &[Value]) -> Option<Symbol> {
    let func = &solver.func;
    let aliases = func.aliases.iter().filter(|(_, value)| values.contains(value)).map(|&(name, _)| name);
    let names = values.iter().filter_map(|&value| func.values[value].name.expand());
    let holds = |name: Symbol, value: Value| {
        func.values[value].name.expand() == Some(name) || func.aliases.contains(&(name, value))
    };
    names.chain(aliases).find(|&name| values.iter().all(|&value| holds(name, value)))
}

/// Return statements whose types have no common type.
pub(crate) fn cannot_unify_returns(solver: &Solver<'_>, known: Type, ty: Type) -> Box<Diagnostic> {
    if let Some((values, both)) = copied_return(solver)
        && let Some(variable) = variable_of(solver, &values)
    {
        return cannot_unify_values(solver, Some(solver.func.symbols.get(variable)), both, &values);
    }
    let hint = match is_number_beside_array(solver, known, ty) {
        true => {
            "Return an array from every path, or None where there is none: a result may be an array or None."
        }
        false => "Return values of one type from every path; one that may be missing can be None.",
    };
    let (known, ty) = (name(solver, known), name(solver, ty));
    let message = format!("Cannot unify {known} and {ty} for the results of `{}`", solver.func.name);
    let mut returns: Vec<(Span, String)> = Vec::new();
    for (_, inst) in solver.func.layout.iter().filter_map(|&b| Some((b, solver.func.terminator(b)?))) {
        let data = &solver.func.insts[inst];
        if let (Op::Return, Some(ty)) = (data.op, data.args.first().and_then(|&value| solver.ty(value))) {
            returns.push((data.span, name(solver, ty)));
        }
    }
    returns.sort();
    // The first return of the type that came last is where the eye should go.
    let primary = returns.iter().position(|(_, returned)| *returned == ty).unwrap_or_default();
    if primary < returns.len() {
        let first = returns.remove(primary);
        returns.insert(0, first);
    }
    let report = Diagnostic::new(codes::CANNOT_UNIFY, message);
    let report =
        returns.into_iter().fold(report, |report, (span, ty)| report.label(span, format!("returns {ty}")));
    report.hint(hint)
}

/// `yield`s whose types have no common type.
pub(crate) fn cannot_unify_yields(solver: &Solver<'_>) -> Box<Diagnostic> {
    let mut yields: Vec<(Span, String)> = Vec::new();
    for &inst in solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts) {
        let data = &solver.func.insts[inst];
        if let (Op::Yield, Some(ty)) = (data.op, data.args.first().and_then(|&value| solver.ty(value))) {
            yields.push((data.span, name(solver, solver.cx.types.unliteral(ty))));
        }
    }
    yields.sort();
    let mut names: Vec<&str> = yields.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let message = format!("Can't unify yield type from the following types: {}", names.join(", "));
    let report = Diagnostic::new(codes::CANNOT_UNIFY, message);
    let report = yields.iter().fold(report, |report, (span, ty)| report.label(*span, format!("yields {ty}")));
    report.hint("Yield values of one type, or in all cases numbers.")
}

/// A value that is sent to a generator which others of another type are sent to.
pub(crate) fn cannot_send(solver: &Solver<'_>, inst: Inst, generator: Type, value: Type) -> Box<Diagnostic> {
    let (generator, value) = (name(solver, generator), name(solver, solver.cx.types.unliteral(value)));
    Diagnostic::new(codes::CANNOT_UNIFY, format!("cannot send {value} to {generator}"))
        .label(span(solver, inst), format!("sends {value}"))
        .hint("Send values of one type, or in all cases numbers.")
}

/// A returned value that does not convert to the declared type.
pub(crate) fn cannot_return(solver: &Solver<'_>, inst: Inst, ty: Type, declared: Type) -> Box<Diagnostic> {
    let (from, to) = (name(solver, ty), name(solver, declared));
    Diagnostic::new(codes::CANNOT_UNIFY, format!("No conversion from {from} to {to} for the declared result"))
        .label(span(solver, inst), format!("returns {from}"))
        .hint("Change the signature, or convert the value before it is returned.")
}

/// A value that does not convert to the type that was declared for its name.
pub(crate) fn cannot_declare(solver: &Solver<'_>, inst: Inst, ty: Type, declared: Type) -> Box<Diagnostic> {
    let (from, to, symbol) = (name(solver, ty), name(solver, declared), solver.symbol(inst));
    Diagnostic::new(codes::CANNOT_UNIFY, format!("No conversion from {from} to {to} for '{symbol}'"))
        .label(span(solver, inst), format!("this is {from}"))
        .note(format!("`locals` of the decorator declares '{symbol}' as {to}"))
        .hint(format!("Declare another type for '{symbol}', or convert the value before it is stored."))
}

/// A value whose type has grown more often than any chain of types is long.
pub(crate) fn never_settles(solver: &Solver<'_>, param: Value, ty: Type) -> Box<Diagnostic> {
    let variable = solver.func.value_name(param);
    let subject = variable.map_or("a value".to_owned(), |variable| format!("'{variable}'"));
    let message = format!("the type of {subject} does not settle: it has grown to {}", name(solver, ty));
    let values = match solver.func.values[param].def {
        Def::Param(block, index) => handed(solver, block, index.into()),
        Def::Result(..) => Vec::new(),
    };
    with_sources(solver, Diagnostic::new(codes::NO_FIXPOINT, message), &values, variable)
        .hint("Convert the growing value to one type inside the loop, or give the function a signature.")
}

/// A value that no path gives a type.
pub(crate) fn untyped(solver: &Solver<'_>, inst: Inst, value: Value) -> Box<Diagnostic> {
    let data = &solver.func.insts[inst];
    let callee = data.args.first().and_then(|&callee| solver.ty(callee));
    let is_call = callee.is_some_and(|ty| matches!(solver.cx.types.get(ty), TypeData::Dispatcher(_)));
    if is_call {
        let message = format!("cannot type infer runaway recursion of `{}`", solver.func.name);
        return Diagnostic::new(codes::UNTYPED, message)
            .label(span(solver, inst), "no path ends without this call, so its result has no type")
            .hint("Return a value on some path before the function calls itself.");
    }
    let subject = solver.func.value_name(value).map_or("this value".into(), |name| format!("'{name}'"));
    let message = format!("the type of {subject} cannot be determined");
    Diagnostic::new(codes::UNTYPED, message)
        .label(span(solver, inst), "made here")
        .hint("It comes from a call whose result is not known: a recursive function needs a path that returns without calling itself.")
}
