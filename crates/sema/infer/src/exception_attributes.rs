//! Types of the attributes of caught exceptions: of what they are made with, and of what a function assigns.
//!
//! Absent: members of users' classes (`exception_members`), what raises and catches (`solver::exceptions`).

use crate::calls::generators;
use crate::constant_types::{Meaning, meaning};
use crate::diagnostics;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use crate::solver::exceptions::instance;
use abi::ExceptionClass;
use catalog::{ExceptionPart, Key};
use diag::Result;
use ir::{Inst, Op};
use types::{Type, TypeData, TypeTable, USER_EXCEPTION, unify, unify_unchanged};

/// Whether `value` of an exception is what a generator returned: no `raise` says what it is.
pub(crate) fn is_stop_value(types: &TypeTable, of: Type) -> bool {
    let TypeData::Caught(known) = types.get(of) else { return false };
    let says_nothing = |&one: &Type| match types.get(one) {
        TypeData::Exception { class, args, .. } => {
            class & USER_EXCEPTION == 0
                && args
                    .first()
                    .is_none_or(|&first| matches!(types.get(first), TypeData::None | TypeData::Optional(_)))
        }
        _ => false,
    };
    known.iter().all(says_nothing)
}

/// Whether an exception is a StopIteration of which no `raise` says what it is made of.
fn is_plain_stop(types: &TypeTable, known: &[Type]) -> bool {
    match known {
        [one] => match types.get(*one) {
            TypeData::Exception { class, args, .. } => {
                class == ExceptionClass::StopIteration as u32 && args.is_empty()
            }
            _ => false,
        },
        _ => false,
    }
}

/// An attribute of an exception; nothing for what exceptions have not.
pub(crate) fn infer_attribute(solver: &mut Solver<'_>, inst: Inst, of: Type, name: &str) -> Option<Types> {
    let types = solver.cx.types;
    let of = if catalog::may_be_caught(types, of) { types.without_none(of) } else { of };
    let TypeData::Caught(known) = types.get(of) else { return infer_of_class(solver, of, name) };
    let fixed = match name {
        "__class__" => Some(types.intern(TypeData::CaughtClass)),
        "__cause__" | "__context__" => Some(types.optional(types.caught(&[]))),
        "__suppress_context__" => Some(Type::BOOL),
        "__notes__" => Some(types.list(Type::STR)),
        "__traceback__" => Some(types.optional(types.intern(TypeData::CaughtTraceback))),
        "add_note" | "with_traceback" => Some(types.intern(TypeData::Method(of, name.into()))),
        _ => None,
    };
    if let Some(fixed) = fixed {
        return Some(Ok(vec![Some(fixed)]));
    }
    if name == "args" && is_plain_stop(types, &known) {
        return Some(generators::infer_stop_arguments(solver, inst));
    }
    let found = type_when_made(solver, inst, &known, name);
    Some(match (type_assigned(solver, name), found) {
        (Assigned::Nothing, Ok(found)) => Ok(vec![Some(found?)]),
        (Assigned::Nothing, Err(failure)) => Err(failure.into()),
        // What is assigned is not known yet.
        (Assigned::Unknown, found) => Ok(vec![found.ok().flatten()]),
        (Assigned::Differs, _) => Err(diagnostics::exceptions_differ(solver, inst, name, &known).into()),
        // Where both can be, reading one of another type is a TypeError.
        (Assigned::Known(assigned), found) => {
            let made = found.ok().flatten().unwrap_or(assigned);
            Ok(vec![Some(unify(types, made, assigned).unwrap_or(assigned))])
        }
    })
}

/// The type that an attribute has when an exception is made; nothing for what none of them has. Reading it of one that does not have
/// it is an AttributeError of the run time.
fn type_when_made(solver: &mut Solver<'_>, inst: Inst, known: &[Type], name: &str) -> Result<Option<Type>> {
    let types = solver.cx.types;
    let mut joined: Option<Type> = None;
    let message: &[Type] = &[instance(types, ExceptionClass::Exception as u32, &[Type::STR])];
    for &one in if known.is_empty() { message } else { known } {
        let Some(found) = attribute_of(solver, one, name)? else { continue };
        joined = match joined.map_or(Some(found), |joined| unify_unchanged(types, joined, found)) {
            Some(joined) => Some(joined),
            None => return Err(diagnostics::exceptions_differ(solver, inst, name, known)),
        };
    }
    Ok(joined)
}

/// What a function assigns to an attribute of exceptions.
enum Assigned {
    Nothing,
    Unknown,
    Differs,
    Known(Type),
}

fn type_assigned(solver: &Solver<'_>, name: &str) -> Assigned {
    let types = solver.cx.types;
    let found = assigned_here(solver, name);
    let mut known = found.iter().flatten().copied();
    match (found.is_empty(), known.next()) {
        (true, _) => Assigned::Nothing,
        (false, None) => Assigned::Unknown,
        (false, Some(first)) => known
            .try_fold(first, |joined, next| unify(types, joined, next))
            .map_or(Assigned::Differs, Assigned::Known),
    }
}

/// The types of what this function assigns to an attribute of exceptions, where they are known.
fn assigned_here(solver: &Solver<'_>, name: &str) -> Vec<Option<Type>> {
    let types = solver.cx.types;
    let mut found = Vec::new();
    for &block in solver.func.layout.iter().filter(|&&block| solver.is_reached(block)) {
        for &inst in &solver.func.blocks[block].insts {
            let data = &solver.func.insts[inst];
            if data.op != Op::Setattr || solver.symbol(inst) != name {
                continue;
            }
            let of = solver.ty(data.args[0]).map(|of| types.get(types.without_none(of)));
            if matches!(of, Some(TypeData::Caught(_))) {
                found.push(solver.ty(data.args[1]).map(|ty| types.unliteral(ty)));
            }
        }
    }
    found
}

/// Whether instances of a class have an attribute of their own, which is assigned when they are made or in this function.
pub(crate) fn is_assigned(solver: &mut Solver<'_>, of: Type, name: &str) -> Result<bool> {
    let types = solver.cx.types;
    let TypeData::Caught(known) = types.get(types.without_none(of)) else { return Ok(false) };
    if !assigned_here(solver, name).is_empty() {
        return Ok(true);
    }
    for &one in known.iter() {
        if attribute_of(solver, one, name)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether instances have an attribute whatever class they are of, from when they are made.
pub(crate) fn is_in_all(solver: &mut Solver<'_>, of: Type, name: &str) -> Result<bool> {
    let types = solver.cx.types;
    let TypeData::Caught(known) = types.get(types.without_none(of)) else { return Ok(false) };
    for &one in known.iter() {
        if attribute_of(solver, one, name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(!known.is_empty())
}

/// An attribute of an exception gets a value.
pub(crate) fn infer_setattr(solver: &Solver<'_>, of: Type) -> Option<Types> {
    let types = solver.cx.types;
    matches!(types.get(types.without_none(of)), TypeData::Caught(_)).then(|| Ok(vec![]))
}

/// The name of the class of an exception.
fn infer_of_class(solver: &Solver<'_>, of: Type, name: &str) -> Option<Types> {
    let is_class = solver.cx.types.get(of) == TypeData::CaughtClass;
    (is_class && matches!(name, "__name__" | "__qualname__" | "__module__"))
        .then(|| Ok(vec![Some(Type::STR)]))
}

/// The type of an attribute of one of the instances that an exception may be.
fn attribute_of(solver: &mut Solver<'_>, one: Type, name: &str) -> Result<Option<Type>> {
    let types = solver.cx.types;
    let TypeData::Exception { class, args, names } = types.get(one) else { return Ok(None) };
    if class & USER_EXCEPTION != 0 {
        let part = solver.host.exception_attribute(class, name, args.len(), &names)?;
        return Ok(part.and_then(|part| part_type(solver, &part, &args)));
    }
    let by_class = ExceptionClass::from_index(class);
    let is_a = |wanted: ExceptionClass| by_class.is_some_and(|class| class.is_a(wanted));
    let by_position = args.len() - names.len();
    let given = |at: usize| args[..by_position].get(at).copied().unwrap_or(Type::NONE);
    let named = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.map_or(Type::NONE, |at| args[by_position + at])
    };
    Ok(match (name, by_position) {
        ("args", _) => Some(types.tuple(&args[..by_position])),
        ("name" | "obj", _) if is_a(ExceptionClass::AttributeError) => Some(named(name)),
        ("name", _) if is_a(ExceptionClass::NameError) => Some(named(name)),
        ("name" | "path", _) if is_a(ExceptionClass::ImportError) => Some(named(name)),
        ("msg", _) if is_a(ExceptionClass::ImportError) => Some(given(0)),
        ("start" | "end", _) if is_a(ExceptionClass::UnicodeError) => Some(Type::INT64),
        ("reason" | "encoding", _) if is_a(ExceptionClass::UnicodeError) => Some(Type::STR),
        ("object", _) if is_a(ExceptionClass::UnicodeDecodeError) => Some(types.bytes()),
        ("object", _) if is_a(ExceptionClass::UnicodeEncodeError) => Some(Type::STR),
        ("value", _) if is_a(ExceptionClass::StopIteration) => Some(given(0)),
        ("code", 0 | 1) if is_a(ExceptionClass::SystemExit) => Some(given(0)),
        ("errno", 2..) if is_a(ExceptionClass::OSError) => Some(given(0)),
        ("strerror", 2..) if is_a(ExceptionClass::OSError) => Some(given(1)),
        ("filename", 3..) if is_a(ExceptionClass::OSError) => Some(given(2)),
        ("errno" | "strerror" | "filename", _) if is_a(ExceptionClass::OSError) => Some(Type::NONE),
        _ => None,
    })
}

fn part_type(solver: &mut Solver<'_>, part: &ExceptionPart, args: &[Type]) -> Option<Type> {
    let types = solver.cx.types;
    match part {
        ExceptionPart::Given(at) => args.get(*at).copied(),
        ExceptionPart::Like(value) => match meaning(types, &mut solver.func.consts, value) {
            Meaning::Constant(_, ty) => Some(types.unliteral(ty)),
            _ => None,
        },
        ExceptionPart::Tuple(parts) => {
            let parts: Option<Vec<Type>> = parts.iter().map(|part| part_type(solver, part, args)).collect();
            parts.map(|parts| types.tuple(&parts))
        }
        ExceptionPart::Called(function, parts) => {
            let parts: Option<Vec<Type>> = parts.iter().map(|part| part_type(solver, part, args)).collect();
            let key = Key::Function(function.clone());
            Some(solver.cx.catalog.resolve(types, &key, &parts?)?.result)
        }
    }
}
