//! Types of raised and caught exceptions.
//!
//! A handler is reachable if its protected block is, with the values of variables at the start of that block. The exception that it
//! binds has one type for all classes, because the class is known only at run time.
//!
//! Absent: attributes of exceptions (`exception_attributes`) and members of their classes (`exception_members`).

use crate::calls::call_data::{FoldedCall, Written};
use crate::calls::raised_classes;
use crate::diagnostics;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use abi::ExceptionClass;
use ir::{Attr, Block, BlockCall, Inst, Op};
use std::sync::Arc;
use types::{ManagerKind, Type, TypeData, TypeTable, unify};

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
    let mut found = solver.shared.raised_from(|&caller| caller == (solver.number, block));
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
                if let Some(TypeData::Dict { key, .. }) =
                    ty(0).filter(|&of| types.missing(of).is_none()).map(|of| types.get(of))
                {
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

/// The type of an instance that is made of arguments of these types.
pub(crate) fn instance(types: &TypeTable, class: u32, args: &[Type]) -> Type {
    types.intern(TypeData::Exception { class, args: args.into(), names: Arc::default() })
}

/// A call of one or several exception classes: an exception that is raised at once, or one as a value.
pub(crate) fn infer_exception_call(solver: &mut Solver<'_>, inst: Inst, call: Written) -> Types {
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

fn is_isinstance(types: &TypeTable, function: Type) -> bool {
    matches!(types.get(function), TypeData::Function(name) if *name == *"builtins.isinstance")
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

/// What CPython has instructions of its own for in handlers.
pub(crate) fn infer_handling(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    match solver.symbol(inst) {
        "push_exception" | "lasti" => Ok(vec![Some(Type::NONE)]),
        "with_exit_method" => infer_exit_method(solver, inst, args[0]),
        "with_enter" => infer_enter(solver, inst, args[0]),
        "with_exit" => infer_exit(solver, inst, args[0]),
        "handled_exception" => Ok(vec![Some(solver.cx.types.caught(&[]))]),
        "narrow_exception" => match args.get(2) {
            // Another function of that name.
            Some(&function) if !is_isinstance(solver.cx.types, function) => Ok(vec![Some(args[0])]),
            _ => infer_narrowed(solver, inst, args[0], args[1]),
        },
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
        [ty, ..] => match types.get(*ty) {
            TypeData::ExceptionClass(class) if solver.host.exception_runs_code(class) => {
                Err(raised_classes::restart(solver, inst))
            }
            _ => Ok(vec![]),
        },
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
