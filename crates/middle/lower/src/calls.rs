//! Calls: of catalog functions, of compiled functions, of one of several functions.

use crate::ops::{by_catalog, call, element, operands};
use crate::{Lowering, generators};
use catalog::{Key, Operand, Special, call_native, cast, external};
use diag::{Diagnostic, Result};
use ir::{BlockCall, Inst, IntCond, Native, Value, ValueType};
use types::{Type, TypeData};

/// A call, by what its callee is.
pub(crate) fn lower_call(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let callee = l.typed.ty(data.args[0]);
    let args = &data.args[1..];
    if matches!(l.cx.types.get(l.typed.ty(data.results[0])), TypeData::GeneratorExpr { .. }) {
        return lower_generator(l, inst);
    }
    match l.cx.types.get(callee) {
        TypeData::Function(name)
            if matches!(l.cx.catalog.special(&name), Some(Special::Map | Special::Filter)) =>
        {
            lower_map(l, inst)
        }
        TypeData::Function(name) => by_catalog(l, inst, Key::Function(name), args),
        TypeData::Class(ty) => by_catalog(l, inst, Key::Construct(ty), args),
        TypeData::Method(of, name) => {
            let receiver = Operand { ty: of, parts: l.operand(data.args[0])?.parts };
            let method = format!("method.{name}");
            let is_generator = matches!(l.cx.types.get(of), TypeData::GeneratorObject { .. });
            if is_generator && l.cx.catalog.special(&method) == Some(Special::Throw) {
                return generators::lower_throw(l, inst, &receiver);
            }
            let all: Vec<Operand> = std::iter::once(Ok(receiver))
                .chain(args.iter().map(|&v| l.operand(v)))
                .collect::<Result<_>>()?;
            let operand = call(l, inst, &Key::Function(method.into()), &all)?;
            l.define(data.results[0], operand);
            Ok(())
        }
        TypeData::NamedTupleClass { .. } => {
            let parts: Vec<Value> = operands(l, args)?.into_iter().flat_map(|arg| arg.parts).collect();
            l.define(data.results[0], Operand::new(l.typed.ty(data.results[0]), parts));
            Ok(())
        }
        TypeData::Native { symbol, params, result, can_fail } => {
            lower_native_call(l, inst, &symbol, &params, (result, can_fail))
        }
        TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_) => crate::raise::lower_made(l, inst),
        TypeData::Dispatcher(_) | TypeData::Closure { .. } => lower_compiled_call(l, inst, callee),
        TypeData::Choice(members) => lower_choice(l, inst, &members),
        TypeData::FunctionValue { .. } => {
            let (callee, args) = (l.operand(data.args[0])?, operands(l, args)?);
            let result = l.emit.call_function_value(&callee, &args)?;
            l.define(data.results[0], result);
            Ok(())
        }
        TypeData::PythonFunction { .. } => {
            let (callee, args) = (l.operand(data.args[0])?, operands(l, args)?);
            let result = l.emit.call_python_function(&callee, &args)?;
            l.define(data.results[0], result);
            Ok(())
        }
        _ => Err(Diagnostic::internal("lowering", "a call of what cannot be called")),
    }
}

/// `map` and `filter`: the function and the iterators, which are advanced later.
fn lower_map(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let mut parts = l.operand(data.args[1])?.parts;
    for iterable in operands(l, &data.args[2..])? {
        parts.extend(l.emit.call(&Key::Getiter, &[iterable])?.parts);
    }
    l.define(data.results[0], Operand::new(l.typed.ty(data.results[0]), parts));
    Ok(())
}

/// A generator expression: its function and the iterator, which is advanced later.
fn lower_generator(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let mut parts = l.operand(data.args[0])?.parts;
    let iterator = l.operand(data.args[1])?;
    parts.extend(l.emit.call(&Key::Getiter, &[iterator])?.parts);
    l.define(data.results[0], Operand::new(l.typed.ty(data.results[0]), parts));
    Ok(())
}

/// A call of another compiled function, or of the function itself.
fn lower_compiled_call(l: &mut Lowering<'_>, inst: Inst, function: Type) -> Result<()> {
    let data = &l.typed.insts[inst];
    let args = operands(l, &data.args[1..])?;
    let result = l.emit.call_compiled(function, &args, l.cx.inlined.contains(inst))?;
    l.define(data.results[0], result);
    Ok(())
}

/// A call of one of several functions: of each after a test for it, with the tuple of its arguments.
fn lower_choice(l: &mut Lowering<'_>, inst: Inst, members: &[Type]) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (chosen, tuples) = (l.operand(data.args[0])?, operands(l, &data.args[1..])?);
    let result = l.typed.ty(data.results[0]);
    let join = l.emit.b.new_block();
    for (number, &member) in members.iter().enumerate() {
        let last = number + 1 == members.len();
        let next = if last { None } else { Some(l.emit.b.new_block()) };
        if let Some(next) = next {
            let here = l.emit.b.new_block();
            let wanted = l.emit.b.iconst(Native::I64, number as i64);
            let found = l.emit.b.icmp(IntCond::Eq, chosen.parts[0], wanted);
            l.emit.b.branch(found, BlockCall::new(here, []), BlockCall::new(next, []));
            l.emit.b.switch_to(here);
        }
        let count = l.cx.types.elements(tuples[number].ty).map_or(0, |elements| elements.len());
        let args = (0..count).map(|at| element(l, &tuples[number], at)).collect::<Result<Vec<_>>>()?;
        let value = l.emit.call_compiled(member, &args, false)?;
        let value = cast(&mut l.emit, &value, result)?;
        // After the join it is the join's parameter that is counted.
        let made = l.emit.owners(&value);
        l.emit.refs.temporaries.retain(|owner| !made.contains(owner));
        l.emit.b.jump(join, &value.parts);
        if let Some(next) = next {
            l.emit.b.switch_to(next);
        }
    }
    let params: Vec<Value> = l
        .emit
        .machine_types(result)
        .into_iter()
        .map(|native| l.emit.b.func.add_param(join, ValueType::Native(native)))
        .collect();
    l.emit.b.switch_to(join);
    let joined = Operand::new(result, params);
    let made = l.emit.owners(&joined);
    l.emit.refs.temporaries.extend(made);
    l.define(data.results[0], joined);
    Ok(())
}

/// A call of machine code that a library wrote, with its result and whether it can fail.
fn lower_native_call(
    l: &mut Lowering<'_>,
    inst: Inst,
    symbol: &str,
    wanted: &[Type],
    (result, can_fail): (Type, bool),
) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (mut values, mut params) = (Vec::new(), Vec::new());
    for (arg, &param) in operands(l, &data.args[1..])?.iter().zip(wanted) {
        values.extend(cast(&mut l.emit, arg, param)?.parts);
        params.extend(l.emit.machine_types(param));
    }
    let external = external(&l.emit, symbol, params, result, false);
    let parts = call_native(&mut l.emit, external, &values, can_fail);
    let result = Operand::new(result, parts);
    // Machine code counts what it returns.
    let made = l.emit.owners(&result);
    l.emit.refs.temporaries.extend(made);
    l.define(data.results[0], result);
    Ok(())
}
