//! Operators and calls without a rule for their arguments.

use super::{called, indices, name, names, setitem, span, span_of, unknown_functions};
use crate::constant_types::Obstacle;
use crate::solver::Solver;
use catalog::Key;
use diag::{Diagnostic, codes};
use ir::{BinaryOp, CompareOp, Def, Inst, Op, UnaryOp, Value};
use types::{Type, TypeData};

/// How many signatures a message lists.
const MAX_CANDIDATES: usize = 4;

/// What a key is as a Python function.
fn function_of(solver: &Solver<'_>, key: &Key) -> String {
    match key {
        Key::Binary(op) => format!("operator.{}", binary(*op)),
        Key::Inplace(op) => format!("operator.i{}", binary(*op).trim_end_matches('_')),
        Key::Unary(op) => unary(*op).to_owned(),
        Key::Compare(op) => format!("operator.{}", compare(*op)),
        Key::Getiter => "iter".into(),
        Key::Iternext => "next".into(),
        Key::RemainderIsZero => "%".into(),
        Key::Getitem => "operator.getitem".into(),
        Key::Setitem => "operator.setitem".into(),
        Key::Getattr(attribute) => format!("attribute {attribute}"),
        Key::Setattr(attribute) => format!("assignment to attribute {attribute}"),
        Key::Function(dotted) => {
            let dotted = shown_name(dotted);
            dotted.strip_prefix("method.").unwrap_or(dotted).to_owned()
        }
        Key::Construct(ty) => name(solver, *ty),
    }
}

pub(crate) fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::MatMul => "matmul",
        BinaryOp::TrueDiv => "truediv",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::Mod => "mod",
        BinaryOp::Pow => "pow",
        BinaryOp::And => "and_",
        BinaryOp::Or => "or_",
        BinaryOp::Xor => "xor",
        BinaryOp::Shl => "lshift",
        BinaryOp::Shr => "rshift",
    }
}

pub(crate) fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Bool => "bool",
        UnaryOp::Not => "operator.not_",
        UnaryOp::Neg => "operator.neg",
        UnaryOp::Pos => "operator.pos",
        UnaryOp::Invert => "operator.invert",
    }
}

pub(crate) fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Lt => "lt",
        CompareOp::Le => "le",
        CompareOp::Eq => "eq",
        CompareOp::Ne => "ne",
        CompareOp::Gt => "gt",
        CompareOp::Ge => "ge",
        CompareOp::Is => "is_",
        CompareOp::IsNot => "is_not",
        CompareOp::In => "contains",
    }
}

/// No rule takes these argument types.
pub(crate) fn no_match(solver: &Solver<'_>, inst: Inst, key: &Key, args: &[Type]) -> Box<Diagnostic> {
    let function = function_of(solver, key);
    let types = names(solver, args);
    let (message, label) = match key {
        Key::Getiter => {
            (format!("{types} is not iterable: No implementation of function iter({types})"), String::new())
        }
        Key::Function(_) if !solver.cx.catalog.knows(key) => {
            let message = format!("No implementation of function {function}: compiled code does not know it");
            return Diagnostic::new(codes::NO_MATCH, message)
                .label(span(solver, inst), "called here")
                .hint(unknown_functions::instead_of(&function));
        }
        Key::Setitem => return setitem::no_setitem(solver, inst, args),
        Key::Setattr(field) if let Some(report) = not_of_field(solver, inst, field, args) => return report,
        Key::Function(name) if &**name == "method.view" => return setitem::no_view(solver, inst, args),
        Key::Binary(op) => {
            (format!("No implementation of function {function}({types})"), infix(solver, args, op))
        }
        Key::Compare(op) => {
            (format!("No implementation of function {function}({types})"), infix(solver, args, op))
        }
        _ => (format!("No implementation of function {function}({types})"), String::new()),
    };
    let report = Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), label);
    let mut report = with_operands(solver, report, inst);
    let of_slice = match key {
        Key::Function(name) if &**name == "method.indices" => indices::of_slice(solver, args),
        _ => None,
    };
    if let Some(reason) = of_slice.or_else(|| indices::reason(solver, key, args)) {
        report = report.note(reason);
    }
    if let Some(reason) = super::no_key_of(solver, args) {
        report = report.note(reason);
    }
    with_way_out(solver, report, key, args)
}

/// A value is assigned to a field of an object that is of another type; nothing if the object has no such field.
fn not_of_field(solver: &Solver<'_>, inst: Inst, field: &str, args: &[Type]) -> Option<Box<Diagnostic>> {
    let types = solver.cx.types;
    let &[of, value] = args else { return None };
    let of = types.without_none(of);
    let (declared, given) = (types.name(types.class(of)?.field(field)?), types.name(types.unliteral(value)));
    // The name of the type also says which class of this name it is, and of which types the fields are.
    let full = types.name(of);
    let class = full.split(['#', '<']).next().and_then(|path| path.rsplit('.').next()).unwrap_or(&full);
    let message = format!("field '{field}' of {class} is {declared}, not {given}");
    let report = Diagnostic::new(codes::FIELD_TYPE, message).label(span(solver, inst), "assigned here");
    let hint =
        format!("Convert the value to {declared} before it is stored, or declare the field as {given}.");
    Some(with_operands(solver, report, inst).hint(hint))
}

fn infix(solver: &Solver<'_>, args: &[Type], op: &dyn std::fmt::Display) -> String {
    match args {
        [a, b] => format!("{} {op} {}", name(solver, *a), name(solver, *b)),
        _ => String::new(),
    }
}

/// Labels that tell which operand has which type.
pub(super) fn with_operands(solver: &Solver<'_>, mut report: Box<Diagnostic>, inst: Inst) -> Box<Diagnostic> {
    let data = &solver.func.insts[inst];
    if data.args.len() < 2 || data.op == Op::CallEx {
        return report;
    }
    for &arg in &data.args {
        let span = span_of(solver, arg);
        let Some(ty) = solver.ty(arg).filter(|_| span.is_known() && span != data.span) else { continue };
        let is_value = !matches!(
            solver.cx.types.get(ty),
            TypeData::Function(_)
                | TypeData::Class(_)
                | TypeData::Method(..)
                | TypeData::Module(_)
                | TypeData::Dispatcher(_)
                | TypeData::Choice(_)
                | TypeData::Closure { .. }
        );
        if is_value {
            let ty = name(solver, ty);
            let text = match solver.func.value_name(arg) {
                Some(variable) => format!("'{variable}' is {ty}"),
                None => ty,
            };
            report = report.label(span, text);
        }
    }
    report
}

/// What the function is known for, and what to do.
fn with_way_out(
    solver: &Solver<'_>,
    mut report: Box<Diagnostic>,
    key: &Key,
    args: &[Type],
) -> Box<Diagnostic> {
    let types = solver.cx.types;
    let candidates = solver.cx.catalog.candidates(key);
    let fitting: Vec<String> = candidates
        .iter()
        .filter(|(_, params)| params.len() == args.len())
        .map(|(result, params)| format!("({}) -> {}", types.names(params), types.name(*result)))
        .collect();
    if let (Some((_, params)), true) = (candidates.first(), fitting.is_empty()) {
        let s = if params.len() == 1 { "" } else { "s" };
        return report.hint(format!("It takes {} argument{s}, not {}.", params.len(), args.len()));
    }
    let is_text = |ty: &Type| types.unliteral(*ty) == Type::STR;
    if matches!(key, Key::Binary(BinaryOp::Add) | Key::Inplace(BinaryOp::Add)) && args.iter().any(is_text) {
        return report.hint("A string takes strings beside it: write `str(x)`, or put the value into an f-string, `f\"... {x}\"`.");
    }
    if !fitting.is_empty() {
        let (shown, hidden) = fitting.split_at(fitting.len().min(MAX_CANDIDATES));
        let more = if hidden.is_empty() { String::new() } else { format!(", and {} more", hidden.len()) };
        report = report.note(format!("it is known for {}{more}", shown.join(", ")));
    }
    let hint = match key {
        Key::Getitem => indices::hint_for(solver, args),
        _ => None,
    };
    report.hint(hint.unwrap_or_else(|| hint_for(solver, key, args)))
}

fn hint_for(solver: &Solver<'_>, key: &Key, args: &[Type]) -> &'static str {
    let types = solver.cx.types;
    let is_number = |ty: &Type| types.unliteral(*ty).is_int();
    let is_text = |ty: &Type| types.unliteral(*ty) == Type::STR;
    match key {
        Key::Getiter if args.iter().any(is_number) => "To count up to a number, loop over `range(n)`.",
        Key::Getiter => "Loop over a range, an array, a list, a dict, a set, a string or a tuple.",
        _ if args.contains(&Type::NONE) => {
            "A value is None here: does what gives it return something? Where it may be None, test `is None` first."
        }
        _ if args.iter().any(|&ty| matches!(types.get(ty), TypeData::Optional(_))) => {
            "A value may be None here: test for it with `is None` first."
        }
        Key::Compare(_) if args.iter().any(is_text) => {
            "Strings are compared with strings: write `str(x)` for the number, or `int(s)` for the string."
        }
        Key::Function(_) => "Convert the arguments to types that it is known for, or call it outside.",
        _ => "Convert the operands to types that it is known for.",
    }
}

/// The functions that a call may be of give what does not unify.
pub(crate) fn results_differ(solver: &Solver<'_>, inst: Inst, known: Type, found: Type) -> Box<Diagnostic> {
    let message = format!(
        "Cannot unify {} and {} for the result of the call",
        name(solver, known),
        name(solver, found)
    );
    Diagnostic::new(codes::CANNOT_UNIFY, message)
        .label(solver.func.insts[inst].span, "one of several functions is called here")
        .hint("Make all of the functions return one type.")
}

/// A call of what is no function.
pub(crate) fn not_callable(solver: &Solver<'_>, inst: Inst, callee: Type) -> Box<Diagnostic> {
    if let Some((class, what)) = named_class(solver, inst, callee) {
        return names::unusable(solver, class, what, &Obstacle::Foreign("<class 'type'>".to_owned()));
    }
    let ty = name(solver, callee);
    let label = solver.func.insts[inst].args.first().and_then(|&value| called(solver, value));
    let label = label.map_or("called here".to_owned(), |callee| format!("`{callee}` is {ty}"));
    Diagnostic::new(codes::NO_MATCH, format!("{ty} is not callable"))
        .label(span(solver, inst), label)
        .hint("Only functions that compiled code knows and functions decorated with `@njit` can be called.")
}

/// The instruction that names a plain class which is called, and what kind of name it is.
fn named_class(solver: &Solver<'_>, call: Inst, callee: Type) -> Option<(Inst, &'static str)> {
    let TypeData::Object { name, .. } = solver.cx.types.get(callee) else { return None };
    let Def::Result(inst, _) = solver.func.values[*solver.func.insts[call].args.first()?].def else {
        return None;
    };
    let what = match solver.func.insts[inst].op {
        Op::Global => "global name",
        Op::Freevar => "closure variable",
        Op::Getattr => "attribute",
        _ => return None,
    };
    name.starts_with("class ").then_some((inst, what))
}

/// `raise` of what is no exception.
pub(crate) fn no_exception(solver: &Solver<'_>, inst: Inst, ty: Type) -> Box<Diagnostic> {
    let ty = name(solver, ty);
    Diagnostic::new(codes::NO_MATCH, format!("exceptions must derive from BaseException, {ty} does not"))
        .label(span(solver, inst), format!("raises {ty}"))
        .hint("Raise an exception class or a call of one, as `raise ValueError(\"why\")`.")
}

/// The exceptions that may have arrived have attributes of different types.
pub(crate) fn exceptions_differ(
    solver: &Solver<'_>,
    inst: Inst,
    attribute: &str,
    known: &[Type],
) -> Box<Diagnostic> {
    let shown: Vec<String> = known
        .iter()
        .filter_map(|&known| match solver.cx.types.get(known) {
            TypeData::Exception { args, .. } => Some(format!("({})", solver.cx.types.names(&args))),
            _ => None,
        })
        .collect();
    Diagnostic::new(
        codes::NO_MATCH,
        format!("the attribute `{attribute}` has no one type: the exceptions that may be caught here hold different things"),
    )
    .label(span(solver, inst), "read here")
    .note(format!("they are raised with {}", shown.join(" or ")))
    .hint("Write a clause for each class, or raise them with arguments of the same types.")
}

/// `getattr(e, name, default)` whose default is of another type than the attribute.
pub(crate) fn default_differs(
    solver: &Solver<'_>,
    inst: Inst,
    name: &str,
    of: Type,
    default: Type,
) -> Box<Diagnostic> {
    let (of, default) = (solver.cx.types.name(of), solver.cx.types.name(default));
    Diagnostic::new(codes::NO_MATCH, format!("the attribute `{name}` and its default have different types"))
        .label(span(solver, inst), "called here")
        .note(format!("the attribute is {of}, the default {default}"))
        .hint("Give a default of the type of the attribute, or None.")
}

/// A member of an exception whose possible classes have different ones.
pub(crate) fn members_differ(solver: &Solver<'_>, inst: Inst, name: &str) -> Box<Diagnostic> {
    Diagnostic::new(
        codes::NO_MATCH,
        format!("the exceptions that may be caught here have different members `{name}`"),
    )
    .label(span(solver, inst), "read here")
    .note("what a method gives has to be known before the class is")
    .hint("Write an `except` clause for each class.")
}

/// A tuple indexed beyond its end.
pub(crate) fn tuple_index(solver: &Solver<'_>, inst: Inst, tuple: Type, index: i64) -> Box<Diagnostic> {
    let length = solver.cx.types.items(tuple).map_or(0, |items| items.len());
    let what = if solver.cx.types.starred(tuple).is_some() { "list" } else { "tuple" };
    let hint = match length {
        0 => format!("The {what} is empty."),
        _ => format!("The {what} has {length} elements: indices go from -{length} to {}.", length - 1),
    };
    let message = format!("{what} index out of range: {index} of {}", name(solver, tuple));
    Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), "indexed here").hint(hint)
}

/// A key that a dict with known keys does not have.
pub(crate) fn no_key(solver: &Solver<'_>, inst: Inst, names: &[String], key: &str) -> Box<Diagnostic> {
    let keys: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let keys = if keys.is_empty() { "no keys".to_owned() } else { format!("the keys {}", keys.join(", ")) };
    Diagnostic::new(codes::NO_MATCH, format!("KeyError: '{key}'"))
        .label(span(solver, inst), format!("this has {keys}"))
        .note(format!("Key '{key}' is not in dict."))
        .hint(format!("Ask first: `if '{key}' in ...:`; the branch that is not taken is not compiled."))
}

/// `**` of what is no dict with known keys.
pub(crate) fn no_keywords(solver: &Solver<'_>, inst: Inst, ty: Type) -> Box<Diagnostic> {
    let message =
        format!("`**` of {}, whose keys are not known when the function compiles", name(solver, ty));
    Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
        .label(span(solver, inst), "passed on here")
        .hint("Pass on a `**kwargs` parameter or a dict that is written out with constant strings as keys.")
}

/// A keyword argument that is given twice.
pub(crate) fn repeated_keyword(solver: &Solver<'_>, inst: Inst, keyword: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::ARITY, format!("got multiple values for keyword argument '{keyword}'"))
        .label(span(solver, inst), "called here")
        .hint("Give each keyword once.")
}

/// A tuple unpacked into too many or too few names.
pub(crate) fn unpack_count(solver: &Solver<'_>, inst: Inst, wanted: usize, length: usize) -> Box<Diagnostic> {
    let message = if length > wanted {
        format!("too many values to unpack (expected {wanted})")
    } else {
        format!("not enough values to unpack (expected {wanted}, got {length})")
    };
    Diagnostic::new(codes::NO_MATCH, message)
        .label(span(solver, inst), format!("{length} values for {wanted} names"))
        .hint("Write as many names as the tuple has elements.")
}

/// A tuple with fewer items than there are names beside a starred one.
pub(crate) fn unpack_too_few(
    solver: &Solver<'_>,
    inst: Inst,
    names: usize,
    length: usize,
) -> Box<Diagnostic> {
    let message = format!("not enough values to unpack (expected at least {names}, got {length})");
    Diagnostic::new(codes::NO_MATCH, message)
        .label(span(solver, inst), format!("{length} values for {names} names and a starred one"))
        .hint("The starred name may get none of the values, each other name gets one.")
}

/// `*` of what has no known number of items, in a tuple or a call.
pub(crate) fn cannot_spread(solver: &Solver<'_>, inst: Inst, value: Value, ty: Type) -> Box<Diagnostic> {
    let ty = name(solver, ty);
    let known = Some(span_of(solver, value)).filter(|span| span.is_known());
    Diagnostic::new(codes::NO_MATCH, format!("No implementation of function tuple({ty}) for `*`"))
        .label(known.unwrap_or_else(|| span(solver, inst)), format!("this is {ty}"))
        .hint("Make a list of it first, `[*...]`: only tuples have a number of items that is known when the function compiles.")
}

/// Unpacking of what has no known number of items.
pub(crate) fn not_unpackable(solver: &Solver<'_>, inst: Inst, of: Type) -> Box<Diagnostic> {
    let ty = name(solver, of);
    Diagnostic::new(codes::NO_MATCH, format!("cannot unpack {ty}, which is no tuple"))
        .label(span(solver, inst), "unpacked here")
        .hint("Only tuples have a number of items that is known when the function compiles.")
}

/// What people call a function with this dotted name: a plain function has a number in it.
pub(crate) fn shown_name(dotted: &str) -> &str {
    let plain = dotted.strip_prefix("python.").and_then(|rest| rest.split_once('.')).map(|(_, name)| name);
    let class = dotted.strip_prefix("builtins.").or_else(|| dotted.strip_prefix("class."));
    plain.or(class).unwrap_or(dotted)
}
