//! Diagnostics of inference: the value, every type with its location, and a suggested fix.
//!
//! | file | what |
//! |---|---|
//! | `unify` | variables and results with values of several types; values without a type |
//! | `calls` | operators and calls without a matching rule |
//! | `arguments` | arguments that match no parameter, implementation or signature |
//! | `unknown_functions` | unsupported functions |
//! | `setitem` | invalid item assignments |
//! | `names` | globals, closure variables, attributes, constants |
//! | `containers` | values that lists, dicts and sets cannot contain |
//! | `failures` | deferred failures, which become diagnostics last |
//! | `unsupported` | unsupported constructs, by their names in the language |
//!
//! Here: what they share. Absent: the function that a diagnostic is about (`call_trace`), rendering (`python`).

mod arguments;
mod calls;
mod containers;
mod failures;
mod indices;
mod names;
mod setitem;
mod unify;
mod unknown_functions;
mod unsupported;

pub(crate) use arguments::{no_signature, rejected, wants_literal, wrong_arguments};
pub(crate) use calls::{
    binary, cannot_spread, compare, default_differs, exceptions_differ, members_differ, no_exception, no_key,
    no_keywords, no_match, not_callable, not_unpackable, repeated_keyword, results_differ, shown_name,
    tuple_index, unary, unpack_count, unpack_too_few,
};
pub(crate) use containers::{
    cannot_grow, cannot_hold, cannot_lie, cannot_pass, fixed_dict, holds_itself, mixed_items, no_key_of,
    unhashable,
};
pub(crate) use names::{
    cannot_import, is_field, no_field, no_module_attribute, undefined_freevar, undefined_global,
    unknown_attribute, unusable,
};
pub(crate) use unify::{
    cannot_declare, cannot_return, cannot_send, cannot_unify, cannot_unify_returns, cannot_unify_yields,
    never_settles, untyped,
};
pub(crate) use unsupported::{unknown_count, unsupported, unsupported_constant, unsupported_op};

use crate::solver::Solver;
use diag::Span;
use ir::{Def, Inst, Op, Value};
use types::{Type, TypeData};

/// Where a value is made; unknown for parameters of the function and of blocks.
fn span_of(solver: &Solver<'_>, value: Value) -> Span {
    match solver.func.values[value].def {
        Def::Result(inst, _) => span(solver, inst),
        Def::Param(..) => Span::UNKNOWN,
    }
}

/// Where an instruction stands; for one that the compiler put there, where its result is first used.
fn span(solver: &Solver<'_>, inst: Inst) -> Span {
    let func = &solver.func;
    let own = func.insts[inst].span;
    if own.is_known() || func.insts[inst].op == Op::Arg {
        return own;
    }
    let all = func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter());
    let uses = all.filter(|&&user| {
        func.insts[inst].results.iter().any(|result| func.insts[user].args.contains(result))
    });
    let used = uses.map(|&user| func.insts[user].span).find(|span| span.is_known());
    used.unwrap_or_else(|| span_of_block(solver, inst))
}

/// The first known place of the block that an instruction is in.
fn span_of_block(solver: &Solver<'_>, inst: Inst) -> Span {
    let func = &solver.func;
    let home = func.layout.iter().find(|&&block| func.blocks[block].insts.contains(&inst));
    let insts = home.map(|&block| func.blocks[block].insts.as_slice()).unwrap_or_default();
    insts.iter().map(|&inst| func.insts[inst].span).find(|span| span.is_known()).unwrap_or_default()
}

/// The printed name of a type, of the plain type for a literal one.
fn name(solver: &Solver<'_>, ty: Type) -> String {
    let types = solver.cx.types;
    let class = |class| solver.host.exception_name(class);
    let exception = match types.get(ty) {
        TypeData::ExceptionClass(number) => class(number).map(|name| format!("class {name}")),
        TypeData::Caught(known) if !known.is_empty() => {
            let mut names: Vec<String> =
                catalog::caught_classes(types, ty).into_iter().filter_map(class).collect();
            names.dedup();
            Some(format!("exception({})", names.join(", ")))
        }
        _ => None,
    };
    exception.unwrap_or_else(|| types.name(types.unliteral(ty)))
}

fn names(solver: &Solver<'_>, types: &[Type]) -> String {
    types.iter().map(|&ty| name(solver, ty)).collect::<Vec<_>>().join(", ")
}

/// What a value is called in the source: a variable, a global, a module's attribute.
fn called(solver: &Solver<'_>, value: Value) -> Option<String> {
    let func = &solver.func;
    if let Some(name) = func.value_name(value) {
        return Some(name.to_owned());
    }
    let Def::Result(inst, _) = func.values[value].def else { return None };
    let data = &func.insts[inst];
    match data.op {
        Op::Global | Op::Freevar => Some(solver.symbol(inst).to_owned()),
        Op::CheckBound | Op::NotNone | Op::Narrow => called(solver, data.args[0]),
        Op::Getattr => Some(format!("{}.{}", called(solver, data.args[0])?, solver.symbol(inst))),
        _ => None,
    }
}
