//! Calls: of the catalog's functions, of compiled functions, of one of several.

use crate::Lowering;
use crate::function_values;
use crate::instruction::{by_catalog, element, emit, lower_empty, operands, resolve};
use catalog::{Callee, Emit, Key, Operand, cast};
use diag::{Diagnostic, Result};
use ir::{BlockCall, External, Inst, IntCond, Native, Value, ValueType};
use smallvec::SmallVec;
use types::{Type, TypeData};

/// A call, by what its callee is.
pub(crate) fn lower_call(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let callee = l.typed.ty(data.args[0]);
    let args = &data.args[1..];
    match l.cx.types.get(callee) {
        TypeData::Function(name) => by_catalog(l, inst, Key::Function(name), args),
        TypeData::Class(ty) => by_catalog(l, inst, Key::Construct(ty), args),
        TypeData::Method(of, name) => {
            let receiver = Operand { ty: of, parts: l.operand(data.args[0])?.parts };
            let all: Vec<Operand> = std::iter::once(Ok(receiver))
                .chain(args.iter().map(|&v| l.operand(v)))
                .collect::<Result<_>>()?;
            let types: Vec<Type> = all.iter().map(|arg| arg.ty).collect();
            let resolution = resolve(l, &Key::Function(format!("method.{name}").into()), &types)?;
            let operand = emit(l, &resolution, &all)?;
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
        // The class and message are found again where the instance is raised.
        TypeData::ExceptionClass(_) => lower_empty(l, inst),
        TypeData::Dispatcher(_) | TypeData::Closure { .. } => lower_compiled_call(l, inst, callee),
        TypeData::Choice(members) => lower_choice(l, inst, &members),
        TypeData::FunctionValue { params, result } => function_values::lower_call(l, inst, &params, result),
        _ => Err(Diagnostic::internal("lowering", "a call of what cannot be called")),
    }
}

/// A call of another compiled function, or of the function itself.
fn lower_compiled_call(l: &mut Lowering<'_>, inst: Inst, function: Type) -> Result<()> {
    let data = &l.typed.insts[inst];
    let args = operands(l, &data.args[1..])?;
    let result = call_compiled(l, function, &args, l.cx.inlined.contains(inst))?;
    l.define(data.results[0], result);
    Ok(())
}

/// A call of one of several functions: of each behind a test for it, with the tuple of its arguments.
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
        let value = call_compiled(l, member, &args, false)?;
        let value = cast(&mut l.emit, &value, result)?;
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
    l.define(data.results[0], Operand::new(result, params));
    Ok(())
}

fn call_compiled(l: &mut Lowering<'_>, function: Type, args: &[Operand], inline: bool) -> Result<Operand> {
    let plain: Vec<Type> = args.iter().map(|arg| l.cx.types.unliteral(arg.ty)).collect();
    let exact: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let callee = find_callee(l, function, &exact).or_else(|_| find_callee(l, function, &plain))?;
    let mut values = Vec::new();
    let mut params = Vec::new();
    for (arg, &param) in args.iter().zip(&callee.params) {
        values.extend(cast(&mut l.emit, arg, param)?.parts);
        params.extend(l.emit.machine_types(param));
    }
    if callee.in_cycle {
        let limit = match l.stack_limit {
            Some(limit) => limit,
            None => crate::stack_limit(&mut l.emit),
        };
        values.push(limit);
        params.push(Native::Ptr);
    }
    let external = external(&l.emit, &callee.symbol, params, callee.result, inline);
    let parts = call_native(&mut l.emit, external, &values, callee.can_fail);
    Ok(Operand::new(callee.result, parts))
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
    l.define(data.results[0], Operand::new(result, parts));
    Ok(())
}

/// Compiled code with a result of this type.
pub(crate) fn external(
    emit: &Emit<'_>,
    symbol: &str,
    params: Vec<Native>,
    result: Type,
    inline: bool,
) -> External {
    let results = emit.machine_types(result).to_vec();
    External { name: symbol.to_owned(), params, results, pure: false, inline }
}

/// Calls compiled code and leaves the function with its status if it failed.
pub(crate) fn call_native(
    emit: &mut Emit<'_>,
    mut external: External,
    values: &[Value],
    can_fail: bool,
) -> SmallVec<[Value; 1]> {
    if can_fail {
        external.results.insert(0, Native::I64);
    }
    let mut parts = emit.b.call_external(external, values);
    if can_fail {
        let status = parts.remove(0);
        propagate(emit, status);
    }
    parts
}

/// Leaves the function with the callee's status if it failed.
pub(crate) fn propagate(emit: &mut Emit<'_>, status: Value) {
    let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Ne, status, zero);
    emit.b.branch(failed, BlockCall::new(fail, []), BlockCall::new(go_on, []));
    emit.b.switch_to(fail);
    emit.fail(status);
    emit.b.switch_to(go_on);
}

fn find_callee(l: &Lowering<'_>, function: Type, args: &[Type]) -> Result<Callee> {
    let (TypeData::Dispatcher(handle) | TypeData::Closure { function: handle, .. }) =
        l.cx.types.get(function)
    else {
        return Err(Diagnostic::internal("lowering", "a callee that is no compiled function"));
    };
    let known = (l.cx.callee)(handle, args);
    known.ok_or_else(|| Diagnostic::internal("lowering", "a callee that was never compiled"))
}
