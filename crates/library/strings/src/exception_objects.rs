//! Operations on exceptions that need the Python object: truth, equality, notes, traceback.
//!
//! Absent: identity and classes (`builtins`), attributes (`infer`, `lower`).

use crate::call_python::{Answer, ask};
use abi::ExceptionClass;
use catalog::{Catalog, EmitFn, Key, Operand, Resolution, Rule};
use diag::Diagnostic;
use ir::{CompareOp, UnaryOp};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("method.add_note", resolve_note);
    catalog.add_generic("method.with_traceback", resolve_traceback);
    catalog.add_generic("builtins.hasattr", resolve_hasattr).reads();
    catalog.add_generic("builtins.getattr", resolve_default).reads();
    for key in [Key::Unary(UnaryOp::Bool), Key::Construct(Type::BOOL)] {
        catalog.add(
            key,
            Rule::Generic(|types, args| {
                all_caught(types, args, 1, |emit, args| ask(emit, "bool", args, Answer::Truth))
            }),
        );
    }
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Generic(|types, args| {
            all_caught(types, args, 1, |emit, args| ask(emit, "operator.not_", args, Answer::Truth))
        }),
    );
    catalog.add(
        Key::Compare(CompareOp::Eq),
        Rule::Generic(|types, args| {
            all_caught(types, args, 2, |emit, args| ask(emit, "operator.eq", args, Answer::Truth))
        }),
    );
    catalog.add(
        Key::Compare(CompareOp::Ne),
        Rule::Generic(|types, args| {
            all_caught(types, args, 2, |emit, args| ask(emit, "operator.ne", args, Answer::Truth))
        }),
    );
}

fn is_caught(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::Caught(_))
}

/// A test with this many exceptions.
fn all_caught(types: &TypeTable, args: &[Type], count: usize, emit: EmitFn) -> Option<Resolution> {
    let fits = args.len() == count && args.iter().all(|&ty| is_caught(types, ty));
    fits.then(|| Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn resolve_note(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception, note] = *args else { return None };
    let fits = is_caught(types, exception) && types.unliteral(note) == Type::STR;
    fits.then(|| Resolution {
        result: Type::NONE,
        params: vec![exception, Type::STR],
        emit: |emit, args| {
            ask(emit, ".add_note", args, Answer::Truth)?;
            Ok(Operand::new(Type::NONE, []))
        },
    })
}

/// What an exception has may be assigned anywhere, so Python's object is asked.
fn resolve_hasattr(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception, name] = *args else { return None };
    (is_caught(types, exception) && types.unliteral(name) == Type::STR).then(|| Resolution {
        result: Type::BOOL,
        params: args.to_vec(),
        emit: |emit, args| ask(emit, "hasattr", args, Answer::Truth),
    })
}

/// `getattr(e, name, default)` of an attribute whose type is not known: the default, or a TypeError where it is there.
fn resolve_default(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception, name, default] = *args else { return resolve_known(types, args) };
    (is_caught(types, exception) && types.unliteral(name) == Type::STR).then(|| Resolution {
        result: default,
        params: args.to_vec(),
        emit: |emit, args| {
            let is_there = ask(emit, "hasattr", &args[..2], Answer::Truth)?.value();
            let message =
                "the exception has an attribute whose type was not known when the function was compiled";
            emit.raise_if(is_there, ExceptionClass::TypeError, message);
            Ok(args[2].clone())
        },
    })
}

/// The same of an attribute that some of the exceptions have: inference adds the type that it and the default have in common.
fn resolve_known(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception, name, _, class] = *args else { return None };
    let TypeData::Class(result) = types.get(class) else { return None };
    types.literal(name)?;
    is_caught(types, exception).then(|| Resolution {
        result,
        params: vec![exception, name, result, class],
        emit: |emit, args| {
            let Some(LiteralValue::Str(name)) = emit.types.literal(args[1].ty) else {
                return Err(Diagnostic::internal("emission", "the name of an attribute is no constant"));
            };
            let is_there = ask(emit, "hasattr", &args[..2], Answer::Truth)?.value();
            emit.caught_attribute_or(is_there, &args[0], &name, &args[2])
        },
    })
}

/// The exception itself, with another traceback or none.
fn resolve_traceback(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception, traceback] = *args else { return None };
    let is_one = types.get(types.without_none(traceback)) == TypeData::CaughtTraceback;
    let fits = is_caught(types, exception) && (traceback == Type::NONE || is_one);
    fits.then(|| Resolution {
        result: exception,
        params: vec![exception, traceback],
        emit: |emit, args| {
            ask(emit, ".with_traceback", args, Answer::Truth)?;
            Ok(args[0].clone())
        },
    })
}
