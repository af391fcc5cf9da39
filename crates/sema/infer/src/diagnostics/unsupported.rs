//! Unsupported constructs, by their names in the language.

use super::span;
use crate::solver::Solver;
use diag::{Diagnostic, codes};
use ir::{ConstData, Def, Function, Inst, Op};
use types::{Facet, TypeData};

const ELSEWHERE: &str = "Move this part into plain Python, outside of the compiled function.";
const TUPLE: &str = "Use a tuple, or build it in plain Python and pass what is needed as arguments.";
const INNER: &str = "Define it at module level, and decorate it with `@njit`.";
const SHARED: &str = "Pass the value in as an argument, and return the new one.";
const NEW_VALUE: &str = "Make a new value in place of changing this one.";

/// A construct that is not compiled.
pub(crate) fn unsupported(solver: &Solver<'_>, inst: Inst, construct: &str) -> Box<Diagnostic> {
    with_hint(solver, inst, construct, ELSEWHERE)
}

fn with_hint(solver: &Solver<'_>, inst: Inst, construct: &str, hint: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, format!("{construct} is not supported in compiled code"))
        .label(span(solver, inst), "used here")
        .hint(hint)
}

/// Arguments of which nobody knows how many there are at compile time.
pub(crate) fn unknown_count(solver: &Solver<'_>, inst: Inst, construct: &str) -> Box<Diagnostic> {
    let hint = "How many arguments a call has must be known when the function compiles: unpack a tuple, or pass the iterable itself.";
    with_hint(solver, inst, construct, hint)
}

/// An op that has no types.
pub(crate) fn unsupported_op(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    let op = solver.func.insts[inst].op;
    if op == Op::Python {
        return unsupported_python(solver, inst);
    }
    let first = solver.func.insts[inst].args.first().and_then(|&arg| solver.ty(arg));
    if let (Op::Setitem | Op::Delitem, Some(of)) = (op, first)
        && solver.cx.types.keywords(of).is_some()
    {
        return super::fixed_dict(solver, inst, of);
    }
    let is_point = |of| matches!(solver.cx.types.get(of), TypeData::Facet { facet: Facet::StencilPoint, .. });
    if op == Op::Setitem && first.is_some_and(is_point) {
        return super::setitem::of_stencil_point(solver, inst);
    }
    if let (Op::Setitem | Op::Delitem, Some(of)) = (op, first)
        && let Some(report) = super::setitem::of_immutable(solver, inst, of)
    {
        return report;
    }
    let (construct, hint) = match op {
        Op::BuildMap | Op::MapUpdate if is_starred(&solver.func, inst) => {
            ("`**` in a call", "Write the keyword arguments out.")
        }
        Op::BuildList | Op::ListAppend | Op::ListExtend | Op::ListToTuple => ("a list", TUPLE),
        Op::BuildSet | Op::SetAdd | Op::SetUpdate => ("a set", TUPLE),
        Op::BuildMap | Op::MapAdd | Op::MapUpdate => ("a dict", TUPLE),
        Op::BuildString | Op::Format => {
            ("an f-string of such a value", "Put in numbers, strings, None and tuples of them.")
        }
        Op::BuildSlice => ("a slice", ELSEWHERE),
        Op::Setattr => ("assignment to an attribute", hint_of_attribute(solver, inst, first)),
        Op::Setitem => ("assignment to an item", NEW_VALUE),
        Op::Delitem => ("`del` of an item", NEW_VALUE),
        Op::MakeFunction => ("an inner function", INNER),
        Op::UnpackEx => ("a starred name in an assignment", "Index the tuple, or write all names out."),
        Op::MakeCell | Op::EmptyCell | Op::FreeCell | Op::LoadCell | Op::StoreCell => {
            ("a variable that an inner function shares with the function around it", SHARED)
        }
        _ => {
            let name = op.info().name.replace('_', " ");
            return unsupported(solver, inst, &format!("`{name}`"));
        }
    };
    with_hint(solver, inst, construct, hint)
}

/// What to do instead of an assignment to an attribute.
fn hint_of_attribute(solver: &Solver<'_>, inst: Inst, of: Option<types::Type>) -> &'static str {
    let array = of.and_then(|of| solver.cx.types.array(of));
    match (array, solver.symbol(inst)) {
        // Whoever else holds the array would have to see it.
        (Some(_), "shape") => {
            "An array keeps its shape: write `a = a.reshape(shape)`, which shares its items."
        }
        (Some(_), "dtype") => "An array keeps its dtype: write `a = a.view(dtype)`, which shares its items.",
        (Some(_), "strides") => {
            "An array keeps its strides: `np.lib.stride_tricks.as_strided` gives another view."
        }
        (Some(array), _) if !array.mutable => "The array is readonly: write to a copy.",
        (Some(_), "real" | "imag" | "flat") => "Convert the value to the type of the items.",
        _ => NEW_VALUE,
    }
}

/// Whether a dict is made for the `**` of a call.
fn is_starred(func: &Function, inst: Inst) -> bool {
    let dict = func.insts[inst].results.first().or(func.insts[inst].args.first());
    let all = func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter());
    let mut calls = all.map(|&inst| &func.insts[inst]).filter(|data| data.op == Op::CallEx);
    calls.any(|call| call.args.len() > 2 && call.args.last() == dict)
}

fn unsupported_python(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    let symbol = solver.symbol(inst);
    let (construct, hint) = match symbol {
        "store_global" | "delete_global" => ("assignment to a global variable", SHARED),
        "delete_cell" => (
            "the end of a variable of a function around this one (`del`, or `except ... as name`)",
            "Use a name of its own here, without `nonlocal`.",
        ),
        "build_class" => ("a class definition", "Define the class at module level."),
        "import" | "import_from" | "import_star" => {
            ("this `import` statement", "Import the module at the top of the file.")
        }
        "make_function" | "function_attribute" => (inner_function(solver, inst), INNER),
        "with_exit_method" | "with_enter" | "with_exit" => ("a `with` statement", ELSEWHERE),
        "async_with_enter" | "awaitable" | "async_iterator" | "async_next" | "end_async_for" => {
            ("asynchronous code", ELSEWHERE)
        }
        "yield" | "yield_from_iterator" | "send" | "return_generator" => ("`yield`", ELSEWHERE),
        "exception_group_match" | "prepare_reraise_star" => {
            ("`except*`", "Catch with `except`: compiled code has no exception groups.")
        }
        "exception_matches" => (
            "this `except`",
            "Name a class of exceptions that is known when the function compiles, or a tuple of them.",
        ),
        "match_class" => (
            "this class pattern",
            "Match `int()`, `float()`, `bool()` and their like, or a named tuple by its fields; otherwise use `if`.",
        ),
        "match_mapping" | "match_keys" => ("a mapping pattern", "Match literals and tuples, or use `if`."),
        "match_sequence" | "len" => ("a sequence pattern", "Match literals, or use `if`."),
        "super_attribute" => ("`super`", ELSEWHERE),
        "convert" => ("an f-string", "Put texts together in plain Python."),
        "surrogate_string" => ("a string with lone surrogates", ELSEWHERE),
        other => return unsupported(solver, inst, &format!("`{}`", other.replace('_', " "))),
    };
    with_hint(solver, inst, construct, hint)
}

/// What a code object among the constants is made into.
fn inner_function(solver: &Solver<'_>, inst: Inst) -> &'static str {
    let code = solver.func.insts[inst].args.iter().find_map(|&arg| {
        let Def::Result(inst, _) = solver.func.values[arg].def else { return None };
        solver.func.insts[inst].attrs.iter().find_map(|attr| match attr {
            ir::Attr::Const(id) => Some(solver.func.consts.get(*id)),
            _ => None,
        })
    });
    match code {
        Some(code) => inner_code(code).0,
        None => "an inner function",
    }
}

fn inner_code(code: &ConstData) -> (&'static str, &'static str) {
    match code {
        ConstData::Code(_, name) => match name.as_str() {
            "<lambda>" => ("a lambda", INNER),
            "<listcomp>" => ("a list comprehension", TUPLE),
            "<setcomp>" => ("a set comprehension", TUPLE),
            "<dictcomp>" => ("a dict comprehension", TUPLE),
            "<genexpr>" => ("a generator expression", "Write the loop out."),
            _ => ("an inner function", INNER),
        },
        ConstData::FrozenSet(_) => ("a set constant", "Use a tuple."),
        _ => ("this constant", ELSEWHERE),
    }
}

/// A constant that no type can hold.
pub(crate) fn unsupported_constant(solver: &Solver<'_>, inst: Inst, constant: &ConstData) -> Box<Diagnostic> {
    if let ConstData::BigInt(text) = constant {
        let text = if text.len() > 40 { format!("{}...", &text[..40]) } else { text.clone() };
        return Diagnostic::new(codes::CONSTANT_RANGE, format!("the integer {text} does not fit 64 bits"))
            .label(span(solver, inst), "this constant")
            .hint("Compiled integers have at most 64 bits: use a float, or do this part in plain Python.");
    }
    let (construct, hint) = inner_code(constant);
    with_hint(solver, inst, construct, hint)
}
