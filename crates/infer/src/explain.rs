//! Diagnostics of inference: which value, every type it got and where, and a way out.

use crate::engine::Engine;
use catalog::Key;
use diag::{Diagnostic, Span, codes};
use ir::{Block, Def, Inst, Op, Value};
use types::Type;

/// The name of the variable that a value belongs to, for people.
fn variable(engine: &Engine<'_>, value: Value) -> String {
    match engine.func.value_name(value) {
        Some(name) => format!("'{name}'"),
        None => "a value".to_owned(),
    }
}

/// Where a value is made.
pub(crate) fn span_of(engine: &Engine<'_>, value: Value) -> Span {
    match engine.func.values[value].def {
        Def::Result(inst, _) => engine.func.insts[inst].span,
        Def::Param(block, _) => {
            let insts = &engine.func.blocks[block].insts;
            insts.iter().map(|&inst| engine.func.insts[inst].span).find(|s| s.is_known()).unwrap_or_default()
        }
    }
}

/// A name that would hold values of types that have no common type.
pub(crate) fn cannot_unify(
    engine: &Engine<'_>,
    param: Value,
    known: Type,
    incoming: Type,
) -> Box<Diagnostic> {
    let name = |ty| engine.cx.types.name(engine.cx.types.unliteral(ty));
    let variable = variable(engine, param);
    let mut report = Diagnostic::new(
        codes::CANNOT_UNIFY,
        format!("Cannot unify {} and {} for {variable}", name(known), name(incoming)),
    );
    let Def::Param(block, index) = engine.func.values[param].def else { return report };
    for (span, ty) in incoming_types(engine, block, usize::from(index)) {
        report = report.label(span, format!("{variable} is {} here", name(ty)));
    }
    report.hint(format!("Give {variable} one type on every path, or use a second name for the other type."))
}

/// Types and places of the values that edges give to a parameter, followed through other parameters.
fn incoming_types(engine: &Engine<'_>, block: Block, index: usize) -> Vec<(Span, Type)> {
    let mut found: Vec<(Span, Type)> = Vec::new();
    let mut seen = vec![(block, index)];
    let mut next = 0;
    while let Some(&(block, index)) = seen.get(next) {
        next += 1;
        for &from in &engine.func.layout {
            let edges: Vec<_> = engine.func.edges(from).filter(|call| call.block == block).collect();
            for value in edges.iter().filter_map(|call| call.args.get(index)) {
                match (engine.func.values[*value].def, engine.ty(*value)) {
                    (Def::Param(home, at), _) if !seen.contains(&(home, at.into())) => {
                        seen.push((home, at.into()));
                    }
                    (Def::Result(..), Some(ty)) => found.push((span_of(engine, *value), ty)),
                    _ => {}
                }
            }
        }
    }
    found.sort_by_key(|&(span, _)| span);
    found.dedup();
    found
}

/// Return statements whose types have no common type.
pub(crate) fn cannot_unify_returns(engine: &Engine<'_>, known: Type, ty: Type) -> Box<Diagnostic> {
    let name = |ty| engine.cx.types.name(ty);
    let message =
        format!("Cannot unify {} and {} for the results of `{}`", name(known), name(ty), engine.func.name);
    let mut report = Diagnostic::new(codes::CANNOT_UNIFY, message);
    for (_, inst) in engine.func.layout.iter().filter_map(|&b| Some((b, engine.func.terminator(b)?))) {
        let data = &engine.func.insts[inst];
        if let (Op::Return, Some(ty)) = (data.op, data.args.first().and_then(|&value| engine.ty(value))) {
            report = report.label(data.span, format!("returns {}", name(engine.cx.types.unliteral(ty))));
        }
    }
    report.hint("Return values of one type from every path.")
}

/// A returned value that does not convert to the declared type.
pub(crate) fn cannot_return(engine: &Engine<'_>, inst: Inst, ty: Type, declared: Type) -> Box<Diagnostic> {
    let (from, to) = (engine.cx.types.name(ty), engine.cx.types.name(declared));
    Diagnostic::new(codes::CANNOT_UNIFY, format!("No conversion from {from} to {to} for the declared result"))
        .label(engine.func.insts[inst].span, format!("returns {from}"))
        .hint("Change the signature, or convert the value before it is returned.")
}

/// What a key is called in a message.
fn describe(key: &Key) -> String {
    match key {
        Key::Binary(op) => format!("operator {op}"),
        Key::Unary(op) => format!("operator {op}"),
        Key::Compare(op) => format!("comparison {op}"),
        Key::Getiter => "iteration".into(),
        Key::Iternext => "next".into(),
        Key::Getitem => "indexing".into(),
        Key::Getattr(name) => format!("attribute {name}"),
        Key::Function(name) => format!("function {name}"),
        Key::Construct(_) => "construction of a number".into(),
    }
}

/// No rule takes these argument types.
pub(crate) fn no_match(engine: &Engine<'_>, inst: Inst, key: &Key, args: &[Type]) -> Box<Diagnostic> {
    let types = engine.cx.types;
    let what = describe(key);
    let message = format!("No implementation of {what} for ({})", types.names(args));
    let mut report = Diagnostic::new(codes::NO_MATCH, message);
    report = report.label(engine.func.insts[inst].span, format!("{what} with ({})", types.names(args)));
    let candidates = engine.cx.catalog.candidates(key);
    if !candidates.is_empty() {
        let rows: Vec<String> = candidates
            .iter()
            .map(|(result, params)| format!("({}) -> {}", types.names(params), types.name(*result)))
            .collect();
        report = report.note(format!("known for: {}", rows.join(", ")));
    }
    report.hint("Convert the operands to types it is known for.")
}

/// A construct that is not compiled.
pub(crate) fn unsupported(engine: &Engine<'_>, inst: Inst, construct: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, format!("{construct} is not supported in compiled code"))
        .label(engine.func.insts[inst].span, "used here")
        .hint("Move this part into plain Python, outside of the compiled function.")
}
