//! Types of raised and caught exceptions.
//!
//! A handler is reachable if its protected block is, with the values of variables at the start of that block. The exception that it
//! binds has one type for all classes, because the class is known only at run time.

use crate::calls::call_data::{FoldedCall, Written};
use crate::calls::generators;
use crate::constant_types::{Meaning, meaning};
use crate::diagnostics;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use abi::ExceptionClass;
use catalog::{ExceptionPart, Key};
use diag::Result;
use ir::{Attr, Block, BlockCall, Inst, Op};
use std::sync::Arc;
use types::{ManagerKind, Type, TypeData, TypeTable, USER_EXCEPTION, unify, unify_unchanged};

/// An exception in a protected block leads to its handler.
pub(crate) fn enter_handler(solver: &mut Solver<'_>, handler: &BlockCall) {
    note_caught(solver, handler, &[]);
}

/// What an exception may be that a handler gets: what the block raises by itself, and what the functions that it calls raise.
pub(crate) fn note_raised(solver: &mut Solver<'_>, block: Block, handler: &BlockCall) {
    let raised = raised_in(solver, block);
    note_caught(solver, handler, &raised);
}

fn note_caught(solver: &mut Solver<'_>, handler: &BlockCall, raised: &[Type]) {
    let types = solver.cx.types;
    let Some(&exception) = solver.func.blocks[handler.block].params.last() else { return };
    let found = types.caught(raised);
    let joined = solver.ty(exception).map_or(Some(found), |known| unify(types, known, found));
    solver.set(exception, joined);
}

/// What leaves a function, or would but for its handlers.
pub(crate) fn raised_by(solver: &Solver<'_>) -> Vec<Type> {
    let mut found = solver.shared.raised_from(|&(caller, _)| caller == solver.number);
    for &block in solver.func.layout.iter().filter(|&&block| solver.is_reached(block)) {
        add_raised(solver, block, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

/// The instances that a block is known to raise. Messages of the runtime are not among them.
fn raised_in(solver: &Solver<'_>, block: Block) -> Vec<Type> {
    let mut found = solver.shared.raised_from(|&place| place == (solver.number, block));
    add_raised(solver, block, &mut found);
    found
}

/// What a block raises by itself.
fn add_raised(solver: &Solver<'_>, block: Block, found: &mut Vec<Type>) {
    let types = solver.cx.types;
    for &inst in &solver.func.blocks[block].insts {
        let data = &solver.func.insts[inst];
        let ty = |at: usize| data.args.get(at).and_then(|&value| solver.ty(value));
        match data.op {
            Op::Raise => found.extend(ty(0).map_or(Vec::new(), |raised| instances(types, raised))),
            Op::Reraise => {
                let last = data.args.last().and_then(|&value| solver.ty(value));
                found.extend(last.map_or(Vec::new(), |raised| instances(types, raised)));
            }
            Op::Getitem => {
                if let Some(TypeData::Dict { key, .. }) = ty(0).map(|of| types.get(of)) {
                    // A dict that stays empty has no keys of its own.
                    let asked = ty(1).map_or(key, |asked| types.unliteral(asked));
                    let key = if key == Type::UNDEFINED { asked } else { key };
                    found.push(instance(types, ExceptionClass::KeyError as u32, &[key]));
                }
            }
            _ => {}
        }
    }
}

/// What a value that is raised may be.
fn instances(types: &TypeTable, raised: Type) -> Vec<Type> {
    match types.get(raised) {
        TypeData::ExceptionClass(class) => vec![instance(types, class, &[])],
        TypeData::ExceptionClassChoice(classes) => {
            classes.iter().map(|&class| instance(types, class, &[])).collect()
        }
        TypeData::Exception { .. } => vec![raised],
        TypeData::Caught(known) => known.to_vec(),
        TypeData::Optional(inner) => instances(types, inner),
        _ => Vec::new(),
    }
}

fn instance(types: &TypeTable, class: u32, args: &[Type]) -> Type {
    types.intern(TypeData::Exception { class, args: args.into(), names: Arc::default() })
}

/// A call of one or several exception classes: an exception that is raised at once, or one as a value.
pub(crate) fn infer_made(solver: &mut Solver<'_>, inst: Inst, call: Written) -> Types {
    let types = solver.cx.types;
    let (arguments, given): (Vec<_>, Vec<Type>) = call.given.into_iter().unzip();
    if solver.func.insts[inst].op == Op::CallEx || !call.names.is_empty() {
        solver.folded[inst] = Some(FoldedCall { arguments, types: given.clone(), exact: None });
    }
    let args: Arc<[Type]> = given.iter().map(|&ty| types.unliteral(ty)).collect();
    let names: Arc<[String]> = call.names.into();
    let made = |class| types.intern(TypeData::Exception { class, args: args.clone(), names: names.clone() });
    let ty = match types.get(call.callee) {
        TypeData::ExceptionClass(class)
            if is_raised_at_once(solver, inst) && !solver.host.exception_runs_code(class) =>
        {
            made(class)
        }
        TypeData::ExceptionClass(class) => types.caught(&[made(class)]),
        TypeData::ExceptionClassChoice(classes) => {
            let all: Vec<Type> = classes.iter().map(|&class| made(class)).collect();
            types.caught(&all)
        }
        _ => return Err(diagnostics::not_callable(solver, inst, call.callee).into()),
    };
    Ok(vec![Some(ty)])
}

/// Whether what an instruction makes is raised by the end of its block, and nobody else sees it.
fn is_raised_at_once(solver: &Solver<'_>, inst: Inst) -> bool {
    let func = &solver.func;
    let made = func.insts[inst].results[0];
    let Some(block) = solver.only_user(made) else { return false };
    let data = &func.blocks[block];
    let Some((&last, before)) = data.insts.split_last() else { return false };
    before.contains(&inst)
        && func.insts[last].op == Op::Raise
        && func.insts[last].args.contains(&made)
        && before.iter().all(|&other| !func.insts[other].args.contains(&made))
        && data.handler.iter().all(|handler| !handler.args.contains(&made))
}

/// An exception after a test for its class.
fn infer_narrowed(solver: &Solver<'_>, inst: Inst, exception: Type, wanted: Type) -> Types {
    let types = solver.cx.types;
    let (TypeData::Caught(known), Some(classes)) =
        (types.get(exception), catalog::exception_classes(types, wanted))
    else {
        return Ok(vec![Some(exception)]);
    };
    let derives = |class: u32, wanted: u32| solver.host.exception_derives(class, wanted);
    if solver.func.insts[inst].attrs.last() == Some(&Attr::Int(1)) {
        return Ok(vec![Some(of_other_class(solver, exception, &known, &classes))]);
    }
    let system = ExceptionClass::OSError as u32;
    let mut left: Vec<Type> = known
        .iter()
        .copied()
        .filter(|&known| match types.get(known) {
            // Its number says of which class an exception of the system is.
            TypeData::Exception { class, args, .. } if class == system && args.len() > 1 => {
                classes.iter().any(|&wanted| derives(class, wanted) || derives(wanted, class))
            }
            TypeData::Exception { class, .. } => classes.iter().any(|&wanted| derives(class, wanted)),
            _ => false,
        })
        .collect();
    if let ([], [class]) = (&left[..], &classes[..]) {
        // Nobody raises it but the runtime.
        left.push(instance(types, *class, runtime_arguments(*class)));
    }
    Ok(vec![Some(types.caught(&left))])
}

/// An exception that is of none of some classes; as before where nothing is known of what is left.
fn of_other_class(solver: &Solver<'_>, exception: Type, known: &[Type], classes: &[u32]) -> Type {
    let types = solver.cx.types;
    let is_other = |&&one: &&Type| match types.get(one) {
        TypeData::Exception { class, .. } => {
            !classes.iter().any(|&wanted| solver.host.exception_derives(class, wanted))
        }
        _ => true,
    };
    let left: Vec<Type> = known.iter().filter(is_other).copied().collect();
    if left.is_empty() { exception } else { types.caught(&left) }
}

/// What the runtime makes exceptions of: mostly a message.
fn runtime_arguments(class: u32) -> &'static [Type] {
    match ExceptionClass::from_index(class) {
        Some(
            ExceptionClass::StopIteration | ExceptionClass::MemoryError | ExceptionClass::KeyboardInterrupt,
        ) => &[],
        _ => &[Type::STR],
    }
}

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

/// The type that an attribute has when an exception is made; nothing for what it does not have.
fn type_when_made(solver: &mut Solver<'_>, inst: Inst, known: &[Type], name: &str) -> Result<Option<Type>> {
    let types = solver.cx.types;
    let mut joined: Option<Type> = None;
    let message: &[Type] = &[instance(types, ExceptionClass::Exception as u32, &[Type::STR])];
    for &one in if known.is_empty() { message } else { known } {
        let Some(found) = attribute_of(solver, one, name)? else { return Ok(None) };
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

/// What CPython has instructions of its own for in handlers.
pub(crate) fn infer_handling(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    match solver.symbol(inst) {
        "push_exception" | "lasti" => Ok(vec![Some(Type::NONE)]),
        "with_exit_method" => infer_exit_method(solver, inst, args[0]),
        "with_enter" => infer_enter(solver, inst, args[0]),
        "with_exit" => infer_exit(solver, inst, args[0]),
        "handled_exception" => Ok(vec![Some(solver.cx.types.caught(&[]))]),
        "narrow_exception" => infer_narrowed(solver, inst, args[0], args[1]),
        "exception_matches" => infer_matches(solver, inst, args[1]),
        _ => Ok(vec![]),
    }
}

/// What leaves a context manager.
fn infer_exit_method(solver: &Solver<'_>, inst: Inst, manager: Type) -> Types {
    let types = solver.cx.types;
    let methods = ["__enter__", "__exit__"];
    let is_manager = match types.get(manager) {
        TypeData::Manager { .. } => true,
        _ => types
            .class(manager)
            .is_some_and(|class| methods.iter().all(|&name| class.members.contains_key(name))),
    };
    if !is_manager {
        return Err(Failure::unsupported_op(solver, inst));
    }
    Ok(vec![Some(types.intern(TypeData::Method(manager, "__exit__".into())))])
}

/// What entering a context manager gives. (Objects: `classes`.)
fn infer_enter(solver: &Solver<'_>, inst: Inst, manager: Type) -> Types {
    match solver.cx.types.get(manager) {
        TypeData::Manager { kind: ManagerKind::Null, of } => Ok(vec![Some(of)]),
        TypeData::Manager { .. } => Ok(vec![Some(Type::NONE)]),
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// Whether a context manager takes an exception.
fn infer_exit(solver: &Solver<'_>, inst: Inst, exit: Type) -> Types {
    let types = solver.cx.types;
    let manager = match types.get(exit) {
        TypeData::Method(manager, _) => types.get(manager),
        other => other,
    };
    match manager {
        TypeData::Manager { kind: ManagerKind::Suppress, of } => infer_matches(solver, inst, of),
        TypeData::Manager { .. } => Ok(vec![Some(types.literal_bool(false))]),
        _ => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// Whether an exception is of a class, or of one of several; every exception is a BaseException.
fn infer_matches(solver: &Solver<'_>, inst: Inst, wanted: Type) -> Types {
    let types = solver.cx.types;
    let Some(classes) = catalog::exception_classes(types, wanted) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let ty = match &classes[..] {
        [] => types.literal_bool(false),
        all if all.contains(&(ExceptionClass::BaseException as u32)) => types.literal_bool(true),
        _ => Type::BOOL,
    };
    Ok(vec![Some(ty)])
}

/// `raise` of a class or an instance, and of what was caught, with a cause.
pub(crate) fn infer_raise(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    match args {
        [ty, ..] if !is_exception(types, *ty) => Err(diagnostics::no_exception(solver, inst, *ty).into()),
        [_, cause] if !is_exception(types, *cause) && *cause != Type::NONE => {
            Err(diagnostics::unsupported(solver, inst, &format!("`raise ... from` {}", types.name(*cause)))
                .into())
        }
        _ => Ok(vec![]),
    }
}

fn is_exception(types: &TypeTable, ty: Type) -> bool {
    matches!(
        types.get(ty),
        TypeData::ExceptionClass(_)
            | TypeData::ExceptionClassChoice(_)
            | TypeData::Exception { .. }
            | TypeData::Caught(_)
    ) || catalog::may_be_caught(types, ty)
}
