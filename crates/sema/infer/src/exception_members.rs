//! Members of user-defined exceptions: methods, properties and class attributes, compiled like those of classes.
//!
//! ```text
//! %m = getattr twice, %e
//! %r = call %m, %x               becomes   %r = call MyError.twice(exact_exception %e, %x)
//! %r = getattr half, %e          becomes   %r = call MyError.half(exact_exception %e)
//! ```
//!
//! Inference knows the classes that an exception may be of, unless Python raises it: so that they are these is tested at run time.
//!
//! Absent: attributes of the instance, which Python's object has (`exception_attributes`).

use crate::calls;
use crate::calls::call_data::{Argument, FoldedCall, Given, Written};
use crate::calls::getattr_calls;
use crate::classes::{call, object_of_method};
use crate::diagnostics;
use crate::exception_attributes;
use crate::ops::infer_value;
use crate::overloads::by_catalog::infer_known_call;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use diag::Result;
use ir::{Block, Inst, Op, Value};
use std::sync::Arc;
use types::{Class, Handle, Member, Type, TypeData, USER_EXCEPTION, unify};

/// The types of the results of an instruction that means what the class of an exception says; nothing for any other.
pub(crate) fn infer(solver: &mut Solver<'_>, block: Block, inst: Inst) -> Option<Types> {
    let data = &solver.func.insts[inst];
    if !matches!(data.op, Op::Getattr | Op::Setattr | Op::Call | Op::CallEx) {
        return None;
    }
    let of = solver.ty(*data.args.first()?)?;
    let found = match data.op {
        Op::Getattr => infer_getattr(solver, block, inst, of),
        Op::Setattr => infer_setattr(solver, block, inst, of),
        _ => infer_call(solver, block, inst, of),
    };
    found.unwrap_or_else(|error| Some(Err(error.into())))
}

/// What Python says of a user-defined class of exceptions.
fn class_of(solver: &Solver<'_>, number: u32) -> Result<Option<Arc<Class>>> {
    if number & USER_EXCEPTION == 0 { Ok(None) } else { solver.host.exception_class(number) }
}

/// What all classes that an exception may be of have under a name.
fn member(solver: &Solver<'_>, inst: Inst, of: Type, name: &str) -> Result<Option<Member>> {
    let types = solver.cx.types;
    let TypeData::Caught(known) = types.get(types.without_none(of)) else { return Ok(None) };
    let mut found = None;
    for &one in known.iter() {
        let TypeData::Exception { class, .. } = types.get(one) else { return Ok(None) };
        let Some(class) = class_of(solver, class)? else { return Ok(None) };
        let Some(&member) = class.members.get(name) else { return Ok(None) };
        if found.is_some_and(|found| found != member) {
            return Err(diagnostics::members_differ(solver, inst, name));
        }
        found = Some(member);
    }
    Ok(found)
}

fn infer_getattr(solver: &mut Solver<'_>, block: Block, inst: Inst, of: Type) -> Result<Option<Types>> {
    let types = solver.cx.types;
    let name: Arc<str> = solver.symbol(inst).into();
    let function = |handle: Handle| Ok(Some(Ok(vec![Some(types.intern(TypeData::Dispatcher(handle)))])));
    let method = || {
        let bound = TypeData::Method(types.without_none(of), name.clone());
        Ok(Some(Ok(vec![Some(types.intern(bound))])))
    };
    if let TypeData::ExceptionClass(number) = types.get(of) {
        let Some(class) = class_of(solver, number)? else { return Ok(None) };
        return match class.members.get(&name) {
            Some(&(Member::Method(handle) | Member::Static(handle))) => function(handle),
            Some(Member::OfClass(_)) => method(),
            Some(Member::Property(..)) => Ok(None),
            None => constant(solver, inst, &class, &name),
        };
    }
    match member(solver, inst, of, &name)? {
        Some(Member::Property(Some(getter), _)) => {
            let given = vec![of_known_class(solver, inst)];
            Ok(call(solver, block, inst, getter, given, Vec::new()))
        }
        Some(Member::Property(None, _)) => Ok(Some(Err(Failure::no_attribute(solver, inst, of)))),
        // What `__init__` assigns hides what the class has.
        Some(_) if exception_attributes::is_assigned(solver, of, &name)? => Ok(None),
        Some(Member::Static(handle)) => function(handle),
        Some(_) => method(),
        None => Ok(None),
    }
}

/// What a class in Python has under a name.
fn constant(solver: &mut Solver<'_>, inst: Inst, class: &Class, name: &str) -> Result<Option<Types>> {
    let Some(object) = class.object else { return Ok(None) };
    let found = solver.host.object_attribute(object, name);
    let found = found.map_err(|error| error.label(solver.func.insts[inst].span, "used here"))?;
    Ok(found.map(|value| infer_value(solver, inst, &value, "attribute")))
}

/// The exception that an instruction is about, as an argument.
fn of_known_class(solver: &Solver<'_>, inst: Inst) -> Given {
    let value = solver.func.insts[inst].args[0];
    let ty = solver.ty(value).unwrap_or(Type::UNDEFINED);
    (Argument::Exception(value), solver.cx.types.without_none(ty))
}

fn infer_setattr(solver: &mut Solver<'_>, block: Block, inst: Inst, of: Type) -> Result<Option<Types>> {
    let name = solver.symbol(inst).to_owned();
    let Some(Member::Property(_, setter)) = member(solver, inst, of, &name)? else { return Ok(None) };
    let Some(setter) = setter else { return Ok(Some(Err(Failure::no_attribute(solver, inst, of)))) };
    let value = solver.func.insts[inst].args[1];
    let Some(ty) = solver.ty(value) else { return Ok(Some(Ok(vec![]))) };
    let given = vec![of_known_class(solver, inst), (Argument::Value(value), ty)];
    Ok(call(solver, block, inst, setter, given, Vec::new()))
}

/// A call of a method.
fn infer_call(solver: &mut Solver<'_>, block: Block, inst: Inst, callee: Type) -> Result<Option<Types>> {
    let types = solver.cx.types;
    if let TypeData::Function(_) = types.get(callee) {
        return infer_getattr_call(solver, inst);
    }
    let TypeData::Method(of, name) = types.get(callee) else { return Ok(None) };
    let found = match types.get(of) {
        TypeData::ExceptionClass(number) => {
            class_of(solver, number)?.and_then(|class| class.members.get(&name).copied())
        }
        _ => member(solver, inst, of, &name)?,
    };
    let (function, first) = match found {
        Some(Member::Method(function)) => {
            let Some(value) = object_of_method(solver, solver.func.insts[inst].args[0]) else {
                return Ok(None);
            };
            (function, (Argument::Exception(value), types.without_none(of)))
        }
        Some(Member::OfClass(function)) => {
            let Some(class) = only_class(solver, of) else { return Ok(None) };
            (function, (Argument::Type(class), class))
        }
        _ => return Ok(None),
    };
    let operands: Option<Vec<Type>> =
        solver.func.insts[inst].args.iter().map(|&arg| solver.ty(arg)).collect();
    let Some(operands) = operands else { return Ok(Some(Ok(vec![None]))) };
    let Written { given, names, .. } = calls::read(solver, inst, &operands)?;
    let given = std::iter::once(first).chain(given).collect();
    Ok(call(solver, block, inst, function, given, names))
}

/// `getattr(e, name, default)` is the attribute where exceptions of all classes that `e` may be of have it. Otherwise Python's object is
/// asked whether it is there.
fn infer_getattr_call(solver: &mut Solver<'_>, inst: Inst) -> Result<Option<Types>> {
    let Some((of, name)) = getattr_calls::attribute_read(solver, inst) else { return Ok(None) };
    if !matches!(solver.cx.types.get(of), TypeData::Caught(_)) {
        return Ok(None);
    }
    let is_there =
        exception_attributes::is_in_all(solver, of, &name)? || member(solver, inst, of, &name)?.is_some();
    let is_assigned = is_there || exception_attributes::is_assigned(solver, of, &name)?;
    Ok(match solver.func.insts[inst].args.get(3) {
        Some(&default) if is_assigned && !is_there => infer_or_default(solver, inst, of, &name, default),
        _ => is_assigned.then(|| Err(getattr_calls::restart(solver, inst, name))),
    })
}

/// An attribute that an exception may have, or a default.
fn infer_or_default(
    solver: &mut Solver<'_>,
    inst: Inst,
    of: Type,
    name: &str,
    default: Value,
) -> Option<Types> {
    let types = solver.cx.types;
    let known = match exception_attributes::infer_attribute(solver, inst, of, name)? {
        Ok(known) => known.first().copied().flatten(),
        Err(failure) => return Some(Err(failure)),
    };
    let Some(known) = known else { return Some(Ok(vec![None])) };
    let default = types.unliteral(solver.ty(default)?);
    let Some(result) = unify(types, known, default) else {
        return Some(Err(diagnostics::default_differs(solver, inst, name, known, default).into()));
    };
    let operands = &solver.func.insts[inst].args;
    let mut given: Vec<Type> = operands.iter().map(|&operand| solver.ty(operand)).collect::<Option<_>>()?;
    let class = types.intern(TypeData::Class(result));
    let arguments = operands[1..].iter().map(|&operand| Argument::Value(operand));
    let arguments = arguments.chain([Argument::Type(class)]).collect();
    given.push(class);
    solver.folded[inst] = Some(FoldedCall { arguments, types: given[1..].to_vec(), exact: None });
    Some(infer_known_call(solver, inst, given[0], &given[1..]))
}

/// The class that an exception is of, if it is one, or that a value is.
fn only_class(solver: &Solver<'_>, of: Type) -> Option<Type> {
    let types = solver.cx.types;
    if let TypeData::ExceptionClass(_) = types.get(of) {
        return Some(of);
    }
    let classes = catalog::caught_classes(types, types.without_none(of));
    let &first = classes.first()?;
    classes.iter().all(|&class| class == first).then(|| types.intern(TypeData::ExceptionClass(first)))
}
