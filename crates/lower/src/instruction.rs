//! One function per op of the Typed phase.

use crate::{Lowering, closures, raise, unpack};
use abi::ExceptionClass;
use catalog::{Callee, Emit, Key, Operand, Resolution, cast};
use diag::{Diagnostic, Result};
use ir::{
    Attr, BinaryOp, BlockCall, Builder, CompareOp, Const, ConstData, External, Function, Inst, IntCond,
    Native, Op, Value, ValueType,
};
use smallvec::SmallVec;
use types::{LiteralValue, Type, TypeData};

pub(crate) fn lower(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let typed = l.typed;
    let data = &typed.insts[inst];
    match (data.op, data.attrs.first()) {
        // Lowered with the parameters.
        (Op::Arg, _) => Ok(()),
        (Op::MakeCell | Op::EmptyCell, _) => closures::lower_new_cell(l, inst),
        (Op::LoadCell, _) => closures::lower_load_cell(l, inst),
        (Op::StoreCell, _) => closures::lower_store_cell(l, inst),
        (Op::Capture, _) => closures::lower_capture(l, inst),
        // A function is made of it, whose type knows the code.
        (Op::Const, Some(&Attr::Const(id))) if matches!(typed.consts.get(id), ConstData::Code(..)) => {
            lower_empty(l, inst)
        }
        (Op::Const, Some(&Attr::Const(id))) => lower_const(l, inst, id),
        (Op::Python, Some(&Attr::Symbol(name))) if typed.symbols.get(name) == "match_class" => {
            unpack::lower_match_class(l, inst)
        }
        (Op::Python, Some(&Attr::Symbol(name)))
            if matches!(typed.symbols.get(name).as_str(), "make_function" | "function_attribute") =>
        {
            closures::lower_function(l, inst, typed.symbols.get(name))
        }
        (Op::Global | Op::Freevar | Op::FreeCell | Op::Python | Op::Undef | Op::BuildSlice, _) => {
            lower_empty(l, inst)
        }
        (Op::CheckBound, _) => lower_check_bound(l, inst),
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(BinaryOp::Mod))) if l.zero_tested[data.results[0]] => {
            by_catalog(l, inst, Key::RemainderIsZero, &data.args)
        }
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => {
            by_catalog(l, inst, Key::Binary(op), &data.args)
        }
        (Op::Unary, Some(&Attr::Unary(op))) => lower_or_known(l, inst, Key::Unary(op)),
        (Op::Compare, Some(&Attr::Compare(op))) => lower_or_known(l, inst, Key::Compare(op)),
        (Op::IsNone, _) => lower_is_none(l, inst),
        (Op::Getattr, _) => lower_getattr(l, inst),
        (Op::Getitem, _) => lower_getitem(l, inst),
        (Op::Call, _) => lower_call(l, inst),
        (Op::BuildTuple, _) => lower_build_tuple(l, inst),
        (Op::Unpack, _) => unpack::lower_unpack(l, inst),
        (Op::UnpackEx, Some(&Attr::Int(before))) => unpack::lower_unpack_starred(l, inst, before as usize),
        (Op::Getiter, _) => by_catalog(l, inst, Key::Getiter, &data.args),
        (Op::Iternext, _) => lower_iternext(l, inst),
        (Op::Cast | Op::Declared | Op::Promote, _) => lower_cast(l, inst),
        (Op::Return, _) => lower_return(l, inst),
        (Op::Raise, _) => raise::lower_raise(l, inst),
        (Op::Jump, _) => lower_jump(l, inst),
        (Op::Branch, _) => lower_branch(l, inst),
        (Op::Unreachable, _) => {
            l.emit.b.terminate(Op::Unreachable, &[]);
            Ok(())
        }
        (op, _) => Err(Diagnostic::internal("lowering", format!("`{}` has no lowering", op.info().name))),
    }
}

/// The constant value that a literal type promises, as machine values.
fn literal(l: &mut Lowering<'_>, ty: Type) -> Option<Operand> {
    let value = match l.cx.types.literal(ty)? {
        LiteralValue::Int(value) => l.emit.b.iconst(Native::I64, value),
        LiteralValue::Bool(value) => l.emit.b.bool(value),
        LiteralValue::Str(_) => return Some(Operand::new(ty, [])),
    };
    Some(Operand::single(ty, value))
}

fn lower_const(l: &mut Lowering<'_>, inst: Inst, id: Const) -> Result<()> {
    let result = l.typed.insts[inst].results[0];
    let parts = constant_parts(&mut l.emit.b, &l.typed.consts, id)?;
    let ty = l.typed.ty(result);
    let (own, wanted) = (constant_type(l, id), l.cx.types.unliteral(ty));
    // A NumPy scalar is written as Python's number of its value.
    let value = cast(&mut l.emit, &Operand::new(own, parts), wanted)?;
    l.define(result, Operand { ty, parts: value.parts });
    Ok(())
}

/// The type whose parts [`constant_parts`] gives.
fn constant_type(l: &Lowering<'_>, id: Const) -> Type {
    match l.typed.consts.get(id) {
        ConstData::Ellipsis => Type::ELLIPSIS,
        ConstData::Bool(_) => Type::BOOL,
        ConstData::Int(_) => Type::INT64,
        ConstData::BigInt(_) => Type::UINT64,
        ConstData::Float(_) => Type::FLOAT64,
        ConstData::Complex(..) => Type::COMPLEX128,
        ConstData::Str(_) => Type::STR,
        ConstData::Tuple(items) => {
            let elements: Vec<Type> = items.iter().map(|&item| constant_type(l, item)).collect();
            l.cx.types.tuple(&elements)
        }
        _ => Type::NONE,
    }
}

fn constant_parts(
    b: &mut Builder<'_>,
    consts: &entity::Interner<Const, ConstData>,
    id: Const,
) -> Result<SmallVec<[Value; 2]>> {
    let mut parts = SmallVec::new();
    match consts.get(id) {
        ConstData::None | ConstData::Ellipsis | ConstData::Str(_) => {}
        ConstData::Bool(value) => parts.push(b.bool(*value)),
        ConstData::Int(value) => parts.push(b.iconst(Native::I64, *value)),
        ConstData::Float(bits) => parts.push(b.fconst(Native::F64, f64::from_bits(*bits))),
        ConstData::Complex(re, im) => {
            parts.extend([*re, *im].map(|bits| b.fconst(Native::F64, f64::from_bits(bits))));
        }
        ConstData::BigInt(text) => match text.parse::<u64>() {
            Ok(value) => parts.push(b.iconst(Native::I64, value.cast_signed())),
            Err(_) => return Err(Diagnostic::internal("lowering", "a constant beyond 64 bits")),
        },
        ConstData::Tuple(items) => {
            for &item in items {
                parts.extend(constant_parts(b, consts, item)?);
            }
        }
        ConstData::Bytes(_) | ConstData::FrozenSet(_) | ConstData::Code(..) => {
            return Err(Diagnostic::internal("lowering", "a constant without machine values"));
        }
    }
    Ok(parts)
}

/// Something that is all in its type, or has no meaning.
fn lower_empty(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    for &result in &l.typed.insts[inst].results {
        let ty = l.typed.ty(result);
        let operand = match literal(l, ty) {
            Some(known) => known,
            None => l.emit.undefined(ty),
        };
        l.define(result, operand);
    }
    Ok(())
}

fn lower_check_bound(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (value, bound) = (l.operand(data.args[0])?, l.operand(data.args[1])?);
    let Some(&Attr::Symbol(name)) = data.attrs.first() else {
        return Err(Diagnostic::internal("lowering", "check_bound without a name"));
    };
    let one = l.emit.b.bool(true);
    let unbound = l.emit.b.icmp(IntCond::Ne, bound.value(), one);
    let name = l.typed.symbols.get(name);
    let message = format!("cannot access local variable '{name}' where it is not associated with a value");
    l.emit.raise_if(unbound, ExceptionClass::UnboundLocalError, &message);
    l.define(data.results[0], value);
    Ok(())
}

fn resolve(l: &Lowering<'_>, key: &Key, args: &[Type]) -> Result<Resolution> {
    l.cx.catalog.resolve(l.cx.types, key, args).ok_or_else(|| {
        let message = format!("{key:?} has no rule for ({})", l.cx.types.names(args));
        Diagnostic::internal("lowering", message)
    })
}

fn emit(l: &mut Lowering<'_>, resolution: &Resolution, args: &[Operand]) -> Result<Operand> {
    l.emit.apply(resolution, args)
}

fn operands(l: &Lowering<'_>, values: &[Value]) -> Result<Vec<Operand>> {
    values.iter().map(|&value| l.operand(value)).collect()
}

fn by_catalog(l: &mut Lowering<'_>, inst: Inst, key: Key, args: &[Value]) -> Result<()> {
    let args = operands(l, args)?;
    let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let resolution = resolve(l, &key, &types)?;
    let operand = emit(l, &resolution, &args)?;
    l.define(l.typed.insts[inst].results[0], operand);
    Ok(())
}

/// An op whose result inference may know already.
fn lower_or_known(l: &mut Lowering<'_>, inst: Inst, key: Key) -> Result<()> {
    let data = &l.typed.insts[inst];
    match literal(l, l.typed.ty(data.results[0])) {
        Some(known) => {
            l.define(data.results[0], known);
            Ok(())
        }
        None => by_catalog(l, inst, key, &data.args),
    }
}

fn lower_is_none(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let known = literal(l, l.typed.ty(data.results[0]));
    let operand = match known {
        Some(known) => known,
        None => {
            let value = l.operand(data.args[0])?;
            let resolution = resolve(l, &Key::Compare(CompareOp::Is), &[value.ty, Type::NONE])?;
            emit(l, &resolution, &[value, Operand::new(Type::NONE, [])])?
        }
    };
    l.define(data.results[0], operand);
    Ok(())
}

fn lower_getattr(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    let of = l.operand(data.args[0])?;
    match (l.cx.types.get(result), l.cx.types.get(of.ty)) {
        (_, TypeData::Module(_)) => lower_empty(l, inst),
        (TypeData::Method(..), _) => {
            l.define(data.results[0], Operand { ty: result, parts: of.parts });
            Ok(())
        }
        (_, of_data) => {
            let Some(&Attr::Symbol(name)) = data.attrs.first() else {
                return Err(Diagnostic::internal("lowering", "getattr without a name"));
            };
            if let TypeData::NamedTuple { fields, .. } = of_data
                && let Some(at) = fields.iter().position(|field| field == l.typed.symbols.get(name))
            {
                let operand = element(l, &of, at)?;
                l.define(data.results[0], operand);
                return Ok(());
            }
            by_catalog(l, inst, Key::Getattr(l.typed.symbols.get(name).as_str().into()), &data.args)
        }
    }
}

/// The parts of element `index` of a tuple.
pub(crate) fn element(l: &Lowering<'_>, tuple: &Operand, index: usize) -> Result<Operand> {
    let elements = l.cx.types.elements(tuple.ty);
    let elements =
        elements.ok_or_else(|| Diagnostic::internal("lowering", "an element of what is no tuple"))?;
    Ok(by_parts(l, tuple, &elements, index))
}

/// Value number `index` of those whose parts the operand holds one behind the other.
pub(crate) fn by_parts(l: &Lowering<'_>, of: &Operand, types: &[Type], index: usize) -> Operand {
    let before: usize = types[..index].iter().map(|&ty| l.emit.machine_types(ty).len()).sum();
    let count = l.emit.machine_types(types[index]).len();
    Operand::new(types[index], of.parts[before..before + count].iter().copied())
}

fn lower_getitem(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (of, index) = (unpack::items(l, data.args[0])?, l.typed.ty(data.args[1]));
    match (l.cx.types.elements(of.ty), l.cx.types.literal(index)) {
        (Some(elements), Some(LiteralValue::Int(index))) => {
            let at = if index < 0 { index + elements.len() as i64 } else { index };
            let operand = element(l, &of, at as usize)?;
            l.define(data.results[0], operand);
            Ok(())
        }
        _ => by_catalog(l, inst, Key::Getitem, &data.args),
    }
}

fn lower_build_tuple(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let args = operands(l, &data.args)?;
    let parts = args.iter().flat_map(|arg| arg.parts.iter().copied());
    l.define(data.results[0], Operand::new(l.typed.ty(data.results[0]), parts));
    Ok(())
}

fn lower_iternext(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let iterator = l.operand(data.args[0])?;
    let (item, valid) = l.emit.try_next_item(&iterator)?;
    l.define(data.results[0], item);
    l.define(data.results[1], Operand::single(Type::BOOL, valid));
    Ok(())
}

/// The head of a loop, which ends with `iternext` and the branch on its outcome: advancing the
/// iterator branches already. (Nothing else asks for the outcome, so it gets no value.)
pub(crate) fn lower_loop_head(l: &mut Lowering<'_>, next: Inst, branch: Inst) -> Result<()> {
    let (data, targets) = (&l.typed.insts[next], &l.typed.insts[branch].targets);
    let iterator = l.operand(data.args[0])?;
    let ended = l.emit.b.new_block();
    let item = l.emit.next_item(&iterator, ended)?;
    l.define(data.results[0], item);
    let body = target(l, &targets[0])?;
    l.emit.b.jump(body.block, &body.args);
    l.emit.b.switch_to(ended);
    let exit = target(l, &targets[1])?;
    l.emit.b.jump(exit.block, &exit.args);
    Ok(())
}

/// Whether the instruction is an `iternext` and the other a branch on whether there was an item.
pub(crate) fn is_loop_head(typed: &Function, next: Inst, branch: Inst) -> bool {
    let (next, branch) = (&typed.insts[next], &typed.insts[branch]);
    next.op == Op::Iternext && branch.op == Op::Branch && branch.args[0] == next.results[1]
}

fn lower_cast(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let value = l.operand(data.args[0])?;
    let operand = cast(&mut l.emit, &value, l.typed.ty(data.results[0]))?;
    l.define(data.results[0], operand);
    Ok(())
}

fn lower_return(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let value = l.operand(l.typed.insts[inst].args[0])?;
    let value = cast(&mut l.emit, &value, l.result)?;
    l.emit.b.terminate(Op::Return, &value.parts);
    Ok(())
}

fn target(l: &Lowering<'_>, call: &BlockCall) -> Result<BlockCall> {
    let mut args: SmallVec<[Value; 4]> = SmallVec::new();
    for &arg in &call.args {
        args.extend(l.operand(arg)?.parts);
    }
    Ok(BlockCall { block: l.block(call.block)?, args })
}

fn lower_jump(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let call = target(l, &l.typed.insts[inst].targets[0])?;
    l.emit.b.jump(call.block, &call.args);
    Ok(())
}

fn lower_branch(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let value = l.operand(data.args[0])?;
    let condition = if value.ty == Type::BOOL {
        value.value()
    } else {
        let resolution = resolve(l, &Key::Unary(ir::UnaryOp::Bool), &[value.ty])?;
        emit(l, &resolution, &[value])?.value()
    };
    let (then, other) = (target(l, &data.targets[0])?, target(l, &data.targets[1])?);
    l.emit.b.branch(condition, then, other);
    Ok(())
}

fn lower_call(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
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
        TypeData::Native { symbol, params, result } => lower_native_call(l, inst, &symbol, &params, result),
        // The class and message are found again where the instance is raised.
        TypeData::ExceptionClass(_) => lower_empty(l, inst),
        TypeData::Dispatcher(_) | TypeData::Closure { .. } => lower_compiled_call(l, inst, callee),
        TypeData::Choice(members) => lower_choice(l, inst, &members),
        _ => Err(Diagnostic::internal("lowering", "a call of what cannot be called")),
    }
}

/// A call of another compiled function, or of the function itself.
fn lower_compiled_call(l: &mut Lowering<'_>, inst: Inst, function: Type) -> Result<()> {
    let data = &l.typed.insts[inst];
    let args = operands(l, &data.args[1..])?;
    let result = call_compiled(l, function, &args)?;
    l.define(data.results[0], result);
    Ok(())
}

/// A call of one of several functions: of each behind a test for it.
fn lower_choice(l: &mut Lowering<'_>, inst: Inst, members: &[Type]) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (chosen, args) = (l.operand(data.args[0])?, operands(l, &data.args[1..])?);
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
        let parts = Operand { ty: chosen.ty, parts: chosen.parts[1..].iter().copied().collect() };
        let function = by_parts(l, &parts, members, number);
        let mut all = args.clone();
        if matches!(l.cx.types.get(member), TypeData::Closure { .. }) {
            all.insert(0, function);
        }
        let value = call_compiled(l, member, &all)?;
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

fn call_compiled(l: &mut Lowering<'_>, function: Type, args: &[Operand]) -> Result<Operand> {
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
    let parts = call_native(&mut l.emit, &callee.symbol, params, &values, callee.result, callee.can_fail);
    Ok(Operand::new(callee.result, parts))
}

/// A call of machine code that a library wrote, which cannot fail.
fn lower_native_call(
    l: &mut Lowering<'_>,
    inst: Inst,
    symbol: &str,
    wanted: &[Type],
    result: Type,
) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (mut values, mut params) = (Vec::new(), Vec::new());
    for (arg, &param) in operands(l, &data.args[1..])?.iter().zip(wanted) {
        values.extend(cast(&mut l.emit, arg, param)?.parts);
        params.extend(l.emit.machine_types(param));
    }
    let parts = call_native(&mut l.emit, symbol, params, &values, result, false);
    l.define(data.results[0], Operand::new(result, parts));
    Ok(())
}

/// Calls compiled code and leaves the function with its status if it failed.
pub(crate) fn call_native(
    emit: &mut Emit<'_>,
    symbol: &str,
    params: Vec<Native>,
    values: &[Value],
    result: Type,
    can_fail: bool,
) -> SmallVec<[Value; 1]> {
    let mut results: Vec<Native> = emit.machine_types(result).to_vec();
    if can_fail {
        results.insert(0, Native::I64);
    }
    let external = External { name: symbol.to_owned(), params, results, pure: false };
    let mut parts = emit.b.call_external(external, values);
    if can_fail {
        let status = parts.remove(0);
        propagate(emit, status);
    }
    parts
}

/// Leaves the function with the callee's status if it failed.
fn propagate(emit: &mut Emit<'_>, status: Value) {
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
