//! Arguments that match no parameter, no library implementation and no signature.

use super::{called, name, span};
use crate::solver::Solver;
use catalog::{GlobalValue, Parameters};
use diag::{Diagnostic, codes, nearest};
use ir::Inst;
use types::{Handle, Signature, Type, TypeData};

/// Arguments that do not fit the parameters of a compiled function.
pub(crate) fn wrong_arguments(
    solver: &Solver<'_>,
    inst: Inst,
    parameters: &Parameters,
    what: &str,
) -> Box<Diagnostic> {
    let callee = solver.func.insts[inst].args.first().and_then(|&value| called(solver, value));
    let callee = callee.unwrap_or_else(|| "the function".into());
    let shown: Vec<String> = (0..parameters.names.len()).map(|index| parameter(parameters, index)).collect();
    Diagnostic::new(codes::ARITY, format!("{callee}(): {what}"))
        .label(span(solver, inst), "called here")
        .note(format!("its parameters are ({})", shown.join(", ")))
        .hint(what_is_meant(parameters, what))
}

/// A parameter as it is written, with its default where that is plain.
fn parameter(parameters: &Parameters, index: usize) -> String {
    let name = &parameters.names[index];
    let behind = index + 1 == parameters.names.len() && parameters.varkeywords;
    if behind {
        return format!("**{name}");
    }
    if index >= parameters.named() {
        return format!("*{name}");
    }
    match parameters.defaults.get(index).and_then(Option::as_ref) {
        None => name.clone(),
        Some(GlobalValue::None) => format!("{name}=None"),
        Some(GlobalValue::Bool(value)) => format!("{name}={}", if *value { "True" } else { "False" }),
        Some(GlobalValue::Int(value)) => format!("{name}={value}"),
        Some(GlobalValue::Float(value)) => format!("{name}={value:?}"),
        Some(GlobalValue::Str(value)) => format!("{name}='{value}'"),
        Some(_) => format!("{name}=..."),
    }
}

/// What to do about arguments that do not fit.
fn what_is_meant(parameters: &Parameters, what: &str) -> String {
    let keyword =
        what.strip_prefix("got an unexpected keyword argument '").and_then(|rest| rest.strip_suffix('\''));
    let named = || parameters.names[..parameters.named()].iter().map(String::as_str);
    match keyword.map(|keyword| nearest(keyword, named())) {
        Some(Some(near)) => format!("Is '{near}' meant?"),
        Some(None) => "Leave it out, or add the parameter to the function.".to_owned(),
        None if what.starts_with("too many") => "Leave out what is too many.".to_owned(),
        None if what.starts_with("the default of") => "Pass the argument in this call.".to_owned(),
        None => "Give each parameter without a default one argument.".to_owned(),
    }
}

/// No implementation of a library takes these arguments, and neither do the catalog's rules.
pub(crate) fn rejected(
    solver: &Solver<'_>,
    inst: Inst,
    failure: Box<Diagnostic>,
    called: &str,
    rejected: Vec<String>,
) -> Box<Diagnostic> {
    let message = format!("No implementation of function {called}");
    let mut report = Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), "called here");
    report.notes = failure.notes;
    // Rumba's own library says what it is called with, others which function of theirs was asked.
    let is_own = rejected.iter().all(|why| why.starts_with("in compiled code it is called with"));
    let is_keyword = rejected.iter().any(|why| why.contains("unexpected keyword argument"));
    for (at, why) in rejected.iter().enumerate() {
        // The same implementation may be asked twice, with constants as constants last.
        let head = |text: &str| text.lines().next().map(str::to_owned);
        if !rejected[at + 1..].iter().any(|later| is_own && head(later) == head(why)) {
            report = report.note(why.as_str());
        }
    }
    let takes_float = report.notes.iter().any(|note| note.ends_with("integers, not float64"));
    report.hint(match (is_own, is_keyword) {
        (true, false) if takes_float => "`/` gives a float: write `//`, or convert the value with `int()`.",
        (true, true) => "Leave the argument out, and do its work before or after the call.",
        (true, false) => "Convert the arguments, or call it outside of the compiled function.",
        _ => "Pass arguments of types that one of these implementations takes, or add one with `@overload`.",
    })
}

/// A value must be known at compile time, and is not.
pub(crate) fn wants_literal(solver: &Solver<'_>, inst: Inst, ty: Type) -> Box<Diagnostic> {
    let ty = name(solver, ty);
    let message = format!("Cannot request literal type. Invalid use of non-Literal type in literally({ty})");
    Diagnostic::new(codes::NO_LITERAL, message)
        .label(span(solver, inst), "this value must be known when the function compiles")
        .hint("Pass a constant or a parameter that is an integer, a truth value or a string.")
}

/// A function that compiles no more, called with types that none of its signatures takes.
pub(crate) fn no_signature(
    solver: &Solver<'_>,
    inst: Inst,
    function: Handle,
    signatures: &[Signature],
    given: &[Type],
) -> Box<Diagnostic> {
    let types = solver.cx.types;
    let called = types.name(types.intern(TypeData::Dispatcher(function)));
    let message = format!("Invalid use of {called} with parameters ({})", types.names(given));
    let mut report = Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), "called here");
    for signature in signatures {
        let (params, result) = (types.names(&signature.params), types.name(signature.result));
        report = report.note(format!("it has a signature ({params}) -> {result}"));
    }
    report.hint("Pass arguments that convert to one of its signatures, or add a signature to its decorator.")
}
