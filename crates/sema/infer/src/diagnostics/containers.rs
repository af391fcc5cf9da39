//! Item types that lists, dicts and sets cannot hold.

use super::{name, span, span_of};
use crate::solver::Solver;
use diag::{Diagnostic, codes};
use ir::{Inst, Op, Value};
use types::{SetKind, Type, TypeData};

/// A display whose items have no common type.
pub(crate) fn mixed_items(solver: &Solver<'_>, inst: Inst, known: Type, other: Type) -> Box<Diagnostic> {
    let (known, other) = (name(solver, known), name(solver, other));
    let message = format!("a container cannot hold both {known} and {other}");
    Diagnostic::new(codes::CANNOT_UNIFY, message)
        .label(span(solver, inst), "made here")
        .hint("Use a tuple for values of different types, or convert them to one type.")
}

/// Something of a type that a container's has no common one with.
pub(crate) fn cannot_hold(solver: &Solver<'_>, inst: Inst, container: Type, item: Type) -> Box<Diagnostic> {
    let message = format!("{} cannot hold {}", kind(solver, container), name(solver, item));
    let report = Diagnostic::new(codes::CANNOT_UNIFY, message).label(span(solver, inst), "put in here");
    let report = match put_in_elsewhere(solver, inst) {
        Some(other) => report.label(span(solver, other), "this is put in, too"),
        None => report,
    };
    report.hint("What a container holds has one type: convert the value, or use a second container.")
}

/// A container in words: "a list of int64".
fn kind(solver: &Solver<'_>, container: Type) -> String {
    match solver.cx.types.get(container) {
        TypeData::Deque { item } => format!("a deque of {}", name(solver, item)),
        TypeData::List { item, .. } => format!("a list of {}", name(solver, item)),
        TypeData::Set { item, kind: SetKind::Frozen } => format!("a frozenset of {}", name(solver, item)),
        TypeData::Set { item, .. } => format!("a set of {}", name(solver, item)),
        TypeData::Dict { key, value, .. } => {
            format!("a dict from {} to {}", name(solver, key), name(solver, value))
        }
        _ => format!("a {}", name(solver, container)),
    }
}

/// Another assignment to an item of the container that `inst` assigns to an item of.
fn put_in_elsewhere(solver: &Solver<'_>, inst: Inst) -> Option<Inst> {
    let func = &solver.func;
    let target = |inst: Inst| (func.insts[inst].op == Op::Setitem).then(|| func.insts[inst].args[0]);
    let container = target(inst)?;
    let mut all = func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().copied());
    all.find(|&other| other != inst && target(other) == Some(container) && span(solver, other).is_known())
}

/// Something that lives in the frame of a function, or only at compile time.
pub(crate) fn cannot_lie(solver: &Solver<'_>, inst: Inst, item: Type) -> Box<Diagnostic> {
    let message = format!("a container cannot hold {}", name(solver, item));
    Diagnostic::new(codes::CANNOT_UNIFY, message)
        .label(span(solver, inst), "put in here")
        .hint("Containers hold numbers, strings, arrays, tuples, functions and other containers: put in what it is made of.")
}

/// A container that is put into itself, over and over as far as types go.
pub(crate) fn holds_itself(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    Diagnostic::new(codes::NO_FIXPOINT, "a container would hold containers of its own type")
        .label(span(solver, inst), "put in here")
        .hint("What a container holds has a type that ends: put the parts into a list, and their numbers into each other.")
}

/// A container that comes from elsewhere, so that it holds what it holds.
pub(crate) fn cannot_grow(solver: &Solver<'_>, inst: Inst, value: Value, wanted: Type) -> Box<Diagnostic> {
    let known = solver.ty(value).unwrap_or(Type::UNDEFINED);
    let mut report = cannot_pass(solver, inst, known, wanted);
    let (at, shown) = (span_of(solver, value), name(solver, known));
    if at.is_known() && at != span(solver, inst) {
        report = report.label(at, format!("this is {shown}"));
    }
    report
}

/// An argument of a function that asks for another one.
pub(crate) fn cannot_pass(solver: &Solver<'_>, inst: Inst, known: Type, wanted: Type) -> Box<Diagnostic> {
    let parts = (solver.cx.types.contents(known), solver.cx.types.contents(wanted));
    let (known, wanted) = (name(solver, known), name(solver, wanted));
    let message = format!("a {known} cannot become a {wanted}");
    let mut report = Diagnostic::new(codes::CANNOT_UNIFY, message).label(span(solver, inst), "needed here");
    if let (Some(have), Some(asked)) = parts {
        for (&have, &asked) in have.iter().zip(&asked).filter(|(have, asked)| have != asked) {
            report = report.note(no_cast(solver, asked, have));
        }
    }
    report
        .note("it comes from a caller or another function, where its type is settled")
        .hint("Convert the value to the type of the container's items before it is put in.")
}

/// That values of a type do not become those of another one.
fn no_cast(solver: &Solver<'_>, from: Type, to: Type) -> String {
    format!("cannot safely cast {} to {}", name(solver, solver.cx.types.unliteral(from)), name(solver, to))
}

/// Why a dict, among these arguments, does not take the one after it (or before it) as a key.
pub(crate) fn no_key_of(solver: &Solver<'_>, args: &[Type]) -> Option<String> {
    let types = solver.cx.types;
    let (&first, &second) = (args.first()?, args.get(1)?);
    let (key, given) = match (types.get(first), types.get(second)) {
        (TypeData::Dict { key, .. }, _) => (key, second),
        (_, TypeData::Dict { key, .. }) => (key, first),
        _ => return None,
    };
    let wrong = key != Type::UNDEFINED && !types::fits_item(types, given, key);
    wrong.then(|| no_cast(solver, given, key))
}

/// A change of a dict whose values have types of their own.
pub(crate) fn fixed_dict(solver: &Solver<'_>, inst: Inst, of: Type) -> Box<Diagnostic> {
    let message = format!("Cannot mutate a literal dictionary: {} never changes", name(solver, of));
    Diagnostic::new(codes::NO_MATCH, message)
        .label(span(solver, inst), "changed here")
        .note("its values are of several types, so that which one a key has is known when the function compiles")
        .hint("Give all values one type, or make a new dict in place of changing this one.")
}

/// A key of a dict, or an item of a set, that could change while it is in.
pub(crate) fn unhashable(solver: &Solver<'_>, inst: Inst, why: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::NO_MATCH, why)
        .label(span(solver, inst), "used as a key here")
        .hint(
            "Keys are numbers, strings, objects that are hashable, and tuples of them: make a tuple of what the key consists of.",
        )
}
