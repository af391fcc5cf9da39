//! Which function a diagnostic is about, and the calls that led to it.

use crate::engine::Engine;
use crate::group::Shared;
use diag::{Diagnostic, Origin, Span};
use ir::Block;
use types::{Handle, Type, TypeData};

/// A diagnostic about an instance, with the calls that led from the first instance to it.
pub(crate) fn blame(
    engines: &[Engine<'_>],
    shared: &Shared,
    number: usize,
    error: Box<Diagnostic>,
) -> Box<Diagnostic> {
    let mut error = match engines.get(number) {
        Some(engine) => error.in_function(|| origin(engine)),
        // The function could not even be opened; who tried has said which one it is.
        None => error,
    };
    let mut seen = vec![number];
    while let Some(&callee) = seen.last()
        && callee != 0
        && let Some(((caller, block), key)) = shared.first_call(callee)
        && !seen.contains(&caller)
    {
        seen.push(caller);
        error = error.called_from(origin(&engines[caller]), call_span(&engines[caller], block, &key));
    }
    error
}

fn origin(engine: &Engine<'_>) -> Origin {
    Origin {
        file: engine.func.file.clone(),
        function: engine.func.name.clone(),
        line: engine.func.first_line,
        arguments: Some(engine.cx.types.names(&engine.args)),
    }
}

/// Where a block calls this instance.
fn call_span(engine: &Engine<'_>, block: Block, (function, args): &(Handle, Vec<Type>)) -> Span {
    let types = engine.cx.types;
    let calls = engine.func.blocks[block].insts.iter().filter(|&&inst| {
        let Some(folded) = &engine.folded[inst] else { return false };
        let callee = engine.func.insts[inst].args.first().and_then(|&callee| engine.ty(callee));
        callee.map(|ty| types.get(ty)) == Some(TypeData::Dispatcher(*function))
            && folded.types.iter().map(|&ty| types.unliteral(ty)).eq(args.iter().copied())
    });
    calls.map(|&inst| engine.func.insts[inst].span).next().unwrap_or_default()
}
