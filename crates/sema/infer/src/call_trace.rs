//! The function that a diagnostic is about, and the calls that led to it.

use crate::calls::call_data::Extended;
use crate::overloads::overload_candidates;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use diag::{Diagnostic, Origin, Span};
use ir::Block;
use types::{Handle, Type, TypeData};

/// How many calls of a long chain are told, the outermost not counted.
const NEAREST_CALLS: usize = 3;
/// How long the types of arguments may be in a message, in characters.
const LONGEST_ARGUMENTS: usize = 80;

/// A diagnostic about an instance, with the calls that led from the first instance to it.
pub(crate) fn blame(
    engines: &[Solver<'_>],
    shared: &GroupState,
    number: usize,
    error: Box<Diagnostic>,
) -> Box<Diagnostic> {
    let useless = overload_candidates::consider_another(engines, shared, number, &error);
    let mut error = match engines.get(number) {
        Some(solver) => error.in_function(|| origin(solver)),
        // The function could not even be opened; who tried has said which one it is.
        None => error,
    };
    for why in useless {
        error = error.note(why);
    }
    let mut seen = vec![number];
    let mut chain = Vec::new();
    while let Some(&callee) = seen.last()
        && callee != 0
        && let Some(((caller, block), key)) = shared.first_call(callee)
        && !seen.contains(&caller)
    {
        seen.push(caller);
        chain.push((caller, block, key));
    }
    let (nearest, farther) = chain.split_at(chain.len().min(NEAREST_CALLS));
    let outermost = farther.last();
    for (caller, block, key) in nearest.iter().chain(outermost) {
        error = error.called_from(origin(&engines[*caller]), call_span(&engines[*caller], *block, key));
    }
    match farther.len() {
        0 | 1 => error,
        hidden => error.note(format!("{} more calls lead here", hidden - 1)),
    }
}

fn origin(solver: &Solver<'_>) -> Origin {
    Origin {
        file: solver.func.file.clone(),
        function: solver.func.name.clone(),
        line: solver.func.first_line,
        arguments: Some(shortened(solver.cx.types.names(&solver.args))),
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST_ARGUMENTS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Where a block calls this instance.
fn call_span(solver: &Solver<'_>, block: Block, (function, args): &(Handle, Vec<Type>)) -> Span {
    let types = solver.cx.types;
    let calls = solver.func.blocks[block].insts.iter().filter(|&&inst| {
        let Some(folded) = &solver.folded[inst] else { return false };
        let callee = solver.func.insts[inst].args.first().and_then(|&callee| solver.ty(callee));
        (callee.map(|ty| types.get(ty)) == Some(TypeData::Dispatcher(*function))
            || solver.extended[inst] == Some(Extended::Call(*function)))
            && folded.types.iter().map(|&ty| types.unliteral(ty)).eq(args.iter().copied())
    });
    calls.map(|&inst| solver.func.insts[inst].span).next().unwrap_or_default()
}
