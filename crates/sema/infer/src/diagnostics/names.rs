//! Globals, closure variables, attributes.

use super::{name, span};
use crate::constant_types::Obstacle;
use crate::overloads::overload_resolution::methods_of_class;
use crate::solver::Solver;
use catalog::{Extended, Key};
use diag::{Diagnostic, codes, nearest};
use ir::Inst;
use types::{LiteralValue, SetKind, Type, TypeData, TypeTable};

/// A global or closure variable whose value compiled code cannot use. `what` it is: `global name`.
pub(crate) fn unusable(solver: &Solver<'_>, inst: Inst, what: &str, why: &Obstacle) -> Box<Diagnostic> {
    let symbol = solver.symbol(inst);
    let (code, why, hint) = match why {
        Obstacle::Foreign(kind) => (
            codes::UNSUPPORTED_GLOBAL,
            format!("Cannot determine Numba type of {kind}"),
            foreign(symbol, kind),
        ),
        Obstacle::Missing(why) => (
            codes::UNSUPPORTED_GLOBAL,
            why.clone(),
            "Leave the function that uses it to plain Python until then.".to_owned(),
        ),
        Obstacle::BigInt => (
            codes::CONSTANT_RANGE,
            "its integer does not fit 64 bits".to_owned(),
            "Compiled integers have at most 64 bits: use a float, or do this part in plain Python."
                .to_owned(),
        ),
        Obstacle::Member(ty) => (
            codes::UNSUPPORTED_GLOBAL,
            format!("a tuple that holds {}", name(solver, *ty)),
            "Give each of its elements a name of its own.".to_owned(),
        ),
    };
    Diagnostic::new(code, format!("Untyped {what} '{symbol}': {why}"))
        .label(span(solver, inst), "used here")
        .hint(hint)
}

/// What to do about a Python object of a class that compiled code does not know.
fn foreign(symbol: &str, kind: &str) -> String {
    match kind {
        "<class 'function'>" => {
            format!(
                "'{symbol}' is or holds a plain Python function: decorate it with `@njit`, or the caller with `@njit(auto=True)`."
            )
        }
        "<class 'type'>" => {
            format!(
                "Compiled code cannot make objects of the class '{symbol}'. If it is yours, decorate it with `@jitclass` and annotate its fields, or make it a dataclass; otherwise make the objects outside, and pass the numbers that are needed. Static methods can be called where the caller is decorated with `@njit(auto=True)`."
            )
        }
        "<class 'method'>" | "<class 'functools.partial'>" => {
            format!("Decorate the caller with `@njit(auto=True)`, and '{symbol}' is compiled too.")
        }
        "<class 'dict'>" | "<class 'set'>" => {
            format!(
                "It may change while the program runs, so it is no constant: pass '{symbol}' as an argument."
            )
        }
        _ if symbol == "default_rng" => {
            "Create the Generator outside, and pass it as an argument: `rng = np.random.default_rng()`."
                .to_owned()
        }
        "<class 'frozenset'>" => {
            format!(
                "The items of a frozen set are constants if all have one type, numbers, strings or tuples of them: pass '{symbol}' as an argument."
            )
        }
        "<class 'list'>" => {
            format!(
                "A list of numbers and texts is a constant to compiled code. Make '{symbol}' an array or a tuple, or pass it as an argument."
            )
        }
        "<class 'builtin_function_or_method'>" => {
            format!(
                "Compiled code does not know '{symbol}': call it outside, and pass the result as an argument."
            )
        }
        _ => format!(
            "Pass the numbers that it needs of '{symbol}' as arguments; to call its methods alone, decorate the caller with `@njit(auto=True)`."
        ),
    }
}

/// A name that is neither local, global nor built in.
pub(crate) fn undefined_global(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    let symbol = solver.symbol(inst);
    let func = &solver.func;
    let own = func
        .values
        .iter()
        .filter_map(|(_, value)| value.name.expand())
        .map(|name| func.symbols.get(name).as_str());
    let elsewhere = [solver.host.names_in(&solver.host.module()), solver.host.names_in("builtins")].concat();
    let near = nearest(symbol, own.chain(elsewhere.iter().map(String::as_str)));
    Diagnostic::new(codes::UNDEFINED_NAME, format!("name '{symbol}' is not defined"))
        .label(span(solver, inst), "used here")
        .hint(match near {
            Some(near) => format!("Is '{near}' meant?"),
            None => format!("Globals are read when the function compiles: define '{symbol}' before the first call, or pass it as an argument."),
        })
}

/// A closure variable without a value.
pub(crate) fn undefined_freevar(solver: &Solver<'_>, inst: Inst) -> Box<Diagnostic> {
    let symbol = solver.symbol(inst);
    let message =
        format!("name '{symbol}' is not defined: the enclosing function has not given it a value yet");
    Diagnostic::new(codes::UNDEFINED_NAME, message).label(span(solver, inst), "used here").hint(format!(
        "Closure variables are read when the function compiles: assign '{symbol}' before the first call."
    ))
}

/// `from module import name` of a name that the module does not have.
pub(crate) fn cannot_import(solver: &Solver<'_>, inst: Inst, module: &str, name: &str) -> Box<Diagnostic> {
    let names = solver.host.names_in(module);
    let message = format!("cannot import name '{name}' from '{module}'");
    Diagnostic::new(codes::NO_ATTRIBUTE, message).label(span(solver, inst), "imported here").hint(
        match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("Is '{near}' meant?"),
            None => format!("Look it up in `dir({module})`."),
        },
    )
}

/// A module without this attribute.
pub(crate) fn no_module_attribute(solver: &Solver<'_>, inst: Inst, module: &str) -> Box<Diagnostic> {
    let symbol = solver.symbol(inst);
    let message = format!("Unknown attribute '{symbol}' of module '{module}'");
    let names = solver.host.names_in(module);
    Diagnostic::new(codes::NO_ATTRIBUTE, message).label(span(solver, inst), "used here").hint(
        match nearest(symbol, names.iter().map(String::as_str)) {
            Some(near) => format!("Is '{near}' meant?"),
            None => format!("Look it up in `dir({module})`."),
        },
    )
}

/// A value without this attribute.
pub(crate) fn unknown_attribute(solver: &Solver<'_>, inst: Inst, of: Type) -> Box<Diagnostic> {
    let ty = name(solver, of);
    let symbol = solver.symbol(inst);
    if solver.cx.types.keywords(of).is_some() && MUTATORS.contains(&symbol) {
        return super::fixed_dict(solver, inst, of);
    }
    let class = class_of(solver, of);
    let names = class.map_or(Vec::new(), |class| solver.host.names_in(class));
    let report = Diagnostic::new(codes::NO_ATTRIBUTE, format!("Unknown attribute '{symbol}' of type {ty}"))
        .label(span(solver, inst), format!("an attribute of {ty}"));
    let shown = class.map(|class| class.strip_prefix("builtins.").unwrap_or(class));
    match (shown, nearest(symbol, names.iter().map(String::as_str))) {
        (Some(class), _) if names.iter().any(|name| name == symbol) => {
            report.note(format!("Python has `{class}.{symbol}`")).hint(instead_of_attribute(class, symbol))
        }
        (Some(class), Some(near)) => {
            let compiled = is_compiled(solver, of, near);
            let instead =
                if compiled { String::new() } else { format!(" {}", instead_of_attribute(class, near)) };
            report
                .note(format!("Python has no `{class}.{symbol}` either"))
                .hint(format!("Is '{near}' meant?{instead}"))
        }
        (Some(class), None) if !names.is_empty() => report
            .note(format!("Python has no `{class}.{symbol}` either"))
            .hint("Look at what is passed in: is it of the type that was meant?"),
        _ => report.hint("Read the attribute outside, and pass what it holds as an argument."),
    }
}

/// Whether compiled code has an attribute or a method of this name for a type.
fn is_compiled(solver: &Solver<'_>, of: Type, attribute: &str) -> bool {
    let (catalog, types) = (solver.cx.catalog, solver.cx.types);
    catalog.resolve(types, &Key::Getattr(attribute.into()), &[of]).is_some()
        || catalog.knows(&Key::Function(format!("method.{attribute}").into()))
        || solver.host.is_extended(&Extended::Method(of, attribute.into()))
        || methods_of_class(solver, of, attribute).any(|method| solver.host.is_extended(&method))
}

/// The class of Python whose attributes values of a type have.
fn class_of(solver: &Solver<'_>, of: Type) -> Option<&'static str> {
    let types = solver.cx.types;
    Some(match types.get(types.unliteral(of)) {
        TypeData::Array(_) => "numpy.ndarray",
        TypeData::Int { .. } => "builtins.int",
        TypeData::Float { .. } => "builtins.float",
        TypeData::Complex { .. } => "builtins.complex",
        TypeData::Str => "builtins.str",
        TypeData::List { .. } => "builtins.list",
        TypeData::Deque { .. } => "collections.deque",
        TypeData::Set { kind: SetKind::Frozen, .. } => "builtins.frozenset",
        TypeData::Set { .. } => "builtins.set",
        TypeData::Dict { .. } => "builtins.dict",
        TypeData::Tuple(_) => "builtins.tuple",
        _ => return None,
    })
}

/// What to do about an attribute that Python has and compiled code has not.
fn instead_of_attribute(class: &str, symbol: &str) -> String {
    let instead = match (class, symbol) {
        ("numpy.ndarray", "tolist") => "write `list(a)` for an array of one dimension, or call it outside.",
        ("numpy.ndarray", "tofile" | "dump" | "dumps") => "return the array, and write it outside.",
        _ => "use it outside, and pass what it gives as an argument.",
    };
    format!("Compiled code does not have '{symbol}': {instead}")
}

/// Methods that change a dict.
const MUTATORS: &[&str] = &["update", "pop", "popitem", "clear", "setdefault"];

/// Whether an item is asked for by a name, of a record or of an array of records.
pub(crate) fn is_field(types: &TypeTable, args: &[Type]) -> bool {
    let record = types.record(types.array(args[0]).map_or(args[0], |array| array.dtype));
    record.is_some()
        && match types.literal(args[1]) {
            Some(LiteralValue::Str(_)) => true,
            Some(LiteralValue::Int(_)) => types.record(args[0]).is_some(),
            _ => false,
        }
}

/// A field that a record does not have, that is not written, or that the value does not convert to.
pub(crate) fn no_field(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Box<Diagnostic> {
    let types = solver.cx.types;
    let record = types.record(types.array(args[0]).map_or(args[0], |array| array.dtype));
    if let (Some(_), Some(LiteralValue::Int(at))) = (&record, types.literal(args[1])) {
        let ty = name(solver, args[0]);
        return Diagnostic::new(codes::NO_MATCH, format!("Requested index {at} is out of range"))
            .label(span(solver, inst), format!("a field of {ty}"))
            .hint("Fields are numbered from 0; name them to be sure.");
    }
    let (Some(record), Some(LiteralValue::Str(field))) = (record, types.literal(args[1])) else {
        return unknown_attribute(solver, inst, args[0]);
    };
    let ty = name(solver, args[0]);
    let names: Vec<String> = record.fields.iter().map(|field| format!("'{}'", field.name)).collect();
    let (message, hint) = match (record.field(&field), args.get(2)) {
        (None, _) => {
            let comma = if names.len() == 1 { "," } else { "" };
            let names = format!("({}{comma})", names.join(", "));
            (
                format!("Field '{field}' was not found in record with fields {names}"),
                "Fields are named by constant strings: as they stand in the dtype.",
            )
        }
        (Some(known), Some(&value)) => {
            let (value, wanted) = (name(solver, value), name(solver, known.ty));
            (
                format!("Cannot assign {value} to field '{field}' of {ty}, which holds {wanted}"),
                "Convert the value; records of a readonly array, and constant ones, are not written.",
            )
        }
        (Some(_), None) => return unknown_attribute(solver, inst, args[0]),
    };
    Diagnostic::new(codes::NO_MATCH, message).label(span(solver, inst), format!("a field of {ty}")).hint(hint)
}
