//! `fallback=True`: what has no meaning for the types of its operands is done with Python objects.
//!
//! ```text
//! %2 = call %re.sub, %0, %1       %a = promote %0 : pyobject
//!                                 %b = promote %1 : pyobject
//!                                 %2 = call %re.sub, %a, %b : pyobject
//! ```
//!
//! A failure counts when nothing else is left to do, since a type may still grow into one with a meaning. The first one that stays
//! is taken up, and the blocks that see its result are visited again. What has a type keeps it.
//!
//! Absent: what operations on objects are (`catalog::object_op`), containers that become objects (`containers::type_request`).

use crate::containers::container_growth::make_all_objects;
use crate::desugar::expansion::Expansion;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use diag::{Diagnostic, Result, codes};
use ir::{Attr, Block, ConstData, Def, Inst, Op, Value, ValueType};
use std::collections::BTreeMap;
use types::{Type, TypeData, becomes_object};

/// Whether a failure is to wait: the instruction may be done with objects.
pub(crate) fn may_wait(solver: &Solver<'_>, inst: Inst, failure: &Failure) -> bool {
    can_take_up(solver, inst)
        && failure.code() != codes::LIBRARY
        && !solver.shared.memory.borrow().will_restart()
}

/// Whether an instruction that failed may be done with objects, and was not taken up before: where the function allows it, or an operand
/// is a tuple that holds an object.
fn can_take_up(solver: &Solver<'_>, inst: Inst) -> bool {
    let types = solver.cx.types;
    let holds = |arg: Value| solver.ty(arg).is_some_and(|ty| types::holds_object(types, ty));
    !solver.on_objects.contains_key(&inst)
        && (solver.semantics.objects || solver.func.insts[inst].args.iter().any(|&arg| holds(arg)))
}

/// Takes up the first of the failures that stayed. Whether there is one of an instruction that was not taken up before.
pub(crate) fn take_up(solver: &mut Solver<'_>) -> bool {
    if !solver.first_failed().is_some_and(|inst| can_take_up(solver, inst)) {
        return false;
    }
    let Some((inst, failure)) = solver.take_failure() else { return false };
    let told = failure.into_diagnostic(solver, inst);
    solver.on_objects.insert(inst, told);
    solver.revisit_all();
    true
}

/// The types of the results of an instruction that is done with objects; nothing for any other one.
pub(crate) fn infer(solver: &mut Solver<'_>, inst: Inst) -> Option<Types> {
    if !solver.on_objects.contains_key(&inst) {
        return None;
    }
    let data = &solver.func.insts[inst];
    let (op, count) = (data.op, data.results.len());
    if let Some(constant) = constant(solver, inst) {
        return Some(Ok(vec![constant.then_some(Type::PYOBJECT)]));
    }
    let args: Option<Vec<Type>> = solver.func.insts[inst].args.iter().map(|&arg| solver.ty(arg)).collect();
    let Some(args) = args else { return Some(Ok(vec![None; count])) };
    if matches!(op, Op::BuildList | Op::BuildSet | Op::BuildMap) && !solver.displays.is_part(inst) {
        solver.grown.insert(inst, Type::PYOBJECT);
        return Some(Ok(vec![Some(Type::PYOBJECT)]));
    }
    if make_all_objects(solver, inst, &args) || read_objects(solver, inst, &args) {
        return Some(Ok(vec![None; count]));
    }
    let types = solver.cx.types;
    let objects = vec![Type::PYOBJECT; args.len()];
    let op = catalog::object_op(solver.cx.catalog, types, &solver.func, inst, &objects);
    let fits = args.iter().all(|&arg| becomes_object(types, arg));
    Some(match op.filter(|_| fits) {
        Some(op) => Ok(op.results(count).into_iter().map(Some).collect()),
        None => Err(Failure::from(solver.on_objects.get(&inst)?.clone())),
    })
}

/// Operands that are known to their types alone, and are read from a namespace, are read as objects. Whether some are from now on.
fn read_objects(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> bool {
    let values = solver.func.insts[inst].args.clone();
    let mut found = false;
    for (&value, &arg) in values.iter().zip(args) {
        let Def::Result(from, 0) = solver.func.values[value].def else { continue };
        let reads = matches!(solver.func.insts[from].op, Op::Global | Op::Freevar | Op::Getattr);
        // A function that has a name and no object asks the frame of its caller.
        let is_function = matches!(solver.cx.types.get(arg), TypeData::Function(_));
        if reads
            && !is_function
            && !becomes_object(solver.cx.types, arg)
            && !solver.on_objects.contains_key(&from)
        {
            let told = solver.on_objects[&inst].clone();
            solver.on_objects.insert(from, told);
            found = true;
        }
    }
    if found {
        solver.revisit_all();
    }
    found
}

/// Of an instruction that gives a value of a namespace: whether that is an object there.
fn constant(solver: &mut Solver<'_>, inst: Inst) -> Option<bool> {
    let data = &solver.func.insts[inst];
    let number = match (data.op, data.attrs.first()) {
        (Op::Global, _) => solver.host.global_object(solver.symbol(inst)),
        (Op::Freevar, Some(&Attr::Int(index))) if solver.closure.is_none() => {
            solver.host.freevar_object(index as usize)
        }
        (Op::Getattr, _) => match solver.cx.types.get(solver.ty(data.args[0])?) {
            TypeData::Module(module) => solver.host.attribute_object(&module, solver.symbol(inst)),
            _ => return None,
        },
        _ => return None,
    };
    let id = number.map(|number| solver.func.consts.intern(ConstData::Function(number, Type::PYOBJECT)));
    solver.constants[inst] = id;
    Some(id.is_some())
}

/// The type of what values of two types become that meet under one name; why they have none otherwise is noted.
pub(crate) fn join(
    solver: &mut Solver<'_>,
    (known, incoming): (Type, Type),
    failure: impl FnOnce(&Solver<'_>) -> Box<Diagnostic>,
) -> Result<Type> {
    let types = solver.cx.types;
    let joins = |ty: Type| types::unify(types, ty, Type::PYOBJECT).is_some();
    if let Some(union) = solver.unite(known, incoming) {
        return Ok(union);
    }
    let failure = failure(solver);
    if !solver.semantics.objects || !joins(known) || !joins(incoming) {
        return Err(failure);
    }
    if !solver.joined_as_objects.contains(&failure) {
        solver.joined_as_objects.push(failure);
    }
    Ok(Type::PYOBJECT)
}

/// Why a function does something with objects: one reason for each line, in the order of the lines.
pub(crate) fn reasons(solver: &Solver<'_>, reached: &[Block]) -> Vec<Diagnostic> {
    if !solver.semantics.objects {
        return Vec::new();
    }
    let insts = || reached.iter().flat_map(|&block| &solver.func.blocks[block].insts).copied();
    let failed = insts().filter_map(|inst| solver.on_objects.get(&inst)).map(|told| (**told).clone());
    let joined = solver.joined_as_objects.iter().map(|told| (**told).clone());
    let others = insts().filter_map(|inst| operation(solver, inst)).map(|told| *told);
    let mut found = BTreeMap::new();
    for told in failed.chain(joined).chain(others) {
        found.entry(told.labels.first().map(|label| label.span.line)).or_insert(told);
    }
    found.into_values().collect()
}

/// Of an instruction with an operand that is an object: that this is why.
fn operation(solver: &Solver<'_>, inst: Inst) -> Option<Box<Diagnostic>> {
    let data = &solver.func.insts[inst];
    let args: Option<Vec<Type>> = data.args.iter().map(|&arg| solver.ty(arg)).collect();
    catalog::object_op(solver.cx.catalog, solver.cx.types, &solver.func, inst, &args?)?;
    let object = data.args.iter().find(|&&arg| solver.ty(arg) == Some(Type::PYOBJECT))?;
    let name = solver.func.values[*object].name.expand();
    let message = match name {
        Some(name) => format!("`{}` is a Python object", solver.func.symbols.get(name)),
        None => "an operand is a Python object".to_owned(),
    };
    Some(Diagnostic::new(codes::ON_OBJECTS, message).label(data.span, "done as CPython does it"))
}

/// Makes the operands of such an instruction objects.
pub(crate) fn expand(pass: &mut Expansion<'_, '_>, inst: Inst) {
    let args: Vec<Value> = pass.func.insts[inst].args.to_vec();
    let mut objects = Vec::with_capacity(args.len());
    for arg in args {
        let is_object = pass.ty(arg) == Type::PYOBJECT;
        let typed = ValueType::Typed(Type::PYOBJECT);
        objects.push(if is_object { arg } else { pass.builder(inst).value(Op::Promote, [], &[arg], typed) });
    }
    pass.func.insts[inst].args = objects.into_iter().collect();
}
