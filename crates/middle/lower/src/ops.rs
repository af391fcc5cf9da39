//! One function per op of the Typed phase.

use crate::calls::lower_call;
use crate::constants::{literal, lower_const};
use crate::{
    Lowering, array_comprehensions, closures, containers, exceptions, generators, objects, raise, unpack,
};
use abi::ExceptionClass;
use catalog::{Key, Operand, Resolved, cast};
use diag::{Diagnostic, Result};
use ir::{Attr, BinaryOp, BlockCall, CompareOp, ConstData, Inst, IntCond, Op, Value};
use smallvec::SmallVec;
use types::{LiteralValue, Type, TypeData};

pub(crate) fn lower(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let typed = l.typed;
    let data = &typed.insts[inst];
    if let Some(op) = objects::operation(l, inst) {
        return objects::lower(l, inst, op);
    }
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
        (Op::Python, Some(&Attr::Symbol(name))) if typed.symbols.get(name) == "delete_cell" => {
            closures::lower_delete_cell(l, inst)
        }
        (Op::Python, Some(&Attr::Symbol(name)))
            if matches!(typed.symbols.get(name).as_str(), "make_function" | "function_attribute") =>
        {
            closures::lower_function(l, inst, typed.symbols.get(name))
        }
        (Op::Python, Some(&Attr::Symbol(name)))
            if matches!(
                typed.symbols.get(name).as_str(),
                "exception_matches"
                    | "chain_exception"
                    | "handled_exception"
                    | "narrow_exception"
                    | "exact_exception"
                    | "with_exit_method"
                    | "with_enter"
                    | "with_exit"
            ) =>
        {
            exceptions::lower_handling(l, inst, typed.symbols.get(name))
        }
        (Op::Python, Some(&Attr::Symbol(name))) if typed.symbols.get(name) == "convert" => {
            let function = catalog::string::conversion(data.attrs.last());
            by_catalog(l, inst, Key::Function(function.into()), &data.args)
        }
        (Op::Python, Some(&Attr::Symbol(name))) if typed.symbols.get(name) == "generator_result" => {
            generators::lower_generator_result(l, inst)
        }
        (Op::Yield, _) => generators::lower_yield(l, inst),
        (Op::Poll, _) => {
            l.emit.poll();
            Ok(())
        }
        (Op::Format, _) => by_catalog(l, inst, Key::Function("builtins.format".into()), &data.args),
        (Op::BuildString, _) => by_catalog(l, inst, Key::Function("rumba.concatenate".into()), &data.args),
        (Op::Global | Op::Freevar | Op::FreeCell | Op::Python | Op::Undef, _) => lower_empty(l, inst),
        (Op::CheckBound, _) => lower_check_bound(l, inst),
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(BinaryOp::Mod))) if l.zero_tested[data.results[0]] => {
            by_catalog(l, inst, Key::RemainderIsZero, &data.args)
        }
        (Op::Inplace, Some(&Attr::Binary(op))) if is_array(l, data.args[0]) => {
            on_threads(l, l.cx.semantics.parallel_inplace, |l| {
                by_catalog(l, inst, Key::Inplace(op), &data.args)
            })
        }
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => {
            by_catalog(l, inst, Key::Binary(op), &data.args)
        }
        (Op::Unary, Some(&Attr::Unary(op))) => lower_or_known(l, inst, Key::Unary(op)),
        (Op::Compare, Some(&Attr::Compare(op))) => lower_or_known(l, inst, Key::Compare(op)),
        (Op::IsNone, _) => lower_is_none(l, inst),
        (Op::IsInstance, Some(&Attr::Type(class))) => lower_is_instance(l, inst, class),
        (Op::Getattr, _) => lower_getattr(l, inst),
        (Op::Getitem, _) => lower_getitem(l, inst),
        (Op::Setitem, _) => on_threads(l, l.cx.semantics.parallel_setitem, |l| lower_setitem(l, inst)),
        (Op::Setattr, _) => lower_setattr(l, inst),
        (Op::BuildSlice, _) => lower_build_slice(l, inst),
        (Op::Call, _) => lower_call(l, inst),
        (Op::BuildList, _) if l.cx.types.list_item(typed.ty(data.results[0])).is_some() => {
            containers::lower_display(l, inst)
        }
        (Op::ParallelFor, _) => crate::parallel::lower_parallel_for(l, inst),
        (Op::Arrayexpr, Some(Attr::Symbols(words))) => lower_expression(l, inst, words),
        (Op::BuildDefaultDict, _) => containers::lower_default_dict(l, inst),
        (Op::CopyContents, _) => containers::lower_copy_contents(l, inst),
        (Op::BuildSet | Op::BuildMap, _) if l.cx.types.contents(typed.ty(data.results[0])).is_some() => {
            containers::lower_table(l, inst)
        }
        (Op::SetAdd, _) => containers::lower_add(l, inst, Key::Function("method.add".into())),
        (Op::MapAdd, _) => containers::lower_add(l, inst, Key::Setitem),
        (Op::BuildList, _) if array_comprehensions::is_filled(l, data.results[0]) => {
            array_comprehensions::lower_new(l, inst)
        }
        (Op::ListAppend, _) if array_comprehensions::is_filled(l, data.args[0]) => {
            containers::lower_add(l, inst, Key::Function(array_comprehensions::PUT.into()))
        }
        (Op::Promote, _) if array_comprehensions::is_filled(l, data.args[0]) => {
            by_catalog(l, inst, Key::Function(array_comprehensions::DONE.into()), &data.args)
        }
        (Op::BuildTuple | Op::BuildList, _) => lower_build_tuple(l, inst),
        (Op::ListAppend, _) => containers::lower_add(l, inst, Key::Function("method.append".into())),
        (Op::BuildMap, _) => unpack::lower_build_map(l, inst),
        (Op::MapUpdate, _) => unpack::lower_merge(l, inst),
        (Op::Unpack, _) => unpack::lower_unpack(l, inst),
        (Op::UnpackEx, Some(&Attr::Int(before))) => unpack::lower_unpack_starred(l, inst, before as usize),
        (Op::Getiter, _) => by_catalog(l, inst, Key::Getiter, &data.args),
        (Op::Iternext, _) => lower_iternext(l, inst),
        (Op::Cast | Op::Declared | Op::Promote, _) => lower_cast(l, inst),
        (Op::Return, _) => lower_return(l, inst),
        (Op::Raise, _) => raise::lower_raise(l, inst),
        (Op::Reraise, _) => raise::lower_reraise(l, inst),
        (Op::Jump, _) => lower_jump(l, inst),
        (Op::Branch, _) => lower_branch(l, inst),
        (Op::Unreachable, _) => {
            l.emit.b.terminate(Op::Unreachable, &[]);
            Ok(())
        }
        (op, _) => Err(Diagnostic::internal("lowering", format!("`{}` has no lowering", op.info().name))),
    }
}

fn is_array(l: &Lowering<'_>, value: Value) -> bool {
    l.cx.types.array(l.typed.ty(value)).is_some()
}

/// Something that is all in its type, or has no meaning.
pub(crate) fn lower_empty(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
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

/// What an instruction means: what inference found, or what the catalog says of one that is made or changed since.
pub(crate) fn call(l: &mut Lowering<'_>, inst: Inst, key: &Key, args: &[Operand]) -> Result<Operand> {
    let resolved = l.cx.resolved[inst].as_deref();
    let is_asked = |resolved: &&Resolved| {
        resolved.key == *key && resolved.args.iter().copied().eq(args.iter().map(|arg| arg.ty))
    };
    match resolved.filter(is_asked) {
        Some(resolved) => l.emit.apply(&resolved.resolution, args),
        None => l.emit.call(key, args),
    }
}

pub(crate) fn operands(l: &Lowering<'_>, values: &[Value]) -> Result<Vec<Operand>> {
    values.iter().map(|&value| l.operand(value)).collect()
}

pub(crate) fn by_catalog(l: &mut Lowering<'_>, inst: Inst, key: Key, args: &[Value]) -> Result<()> {
    let args = operands(l, args)?;
    let operand = call(l, inst, &key, &args)?;
    l.define(l.typed.insts[inst].results[0], operand);
    Ok(())
}

/// An expression of arrays: its program is an operand that is all in its type.
fn lower_expression(l: &mut Lowering<'_>, inst: Inst, words: &[ir::Symbol]) -> Result<()> {
    let data = &l.typed.insts[inst];
    let words: Vec<&str> = words.iter().map(|&word| l.typed.symbols.get(word).as_str()).collect();
    let text = l.cx.types.literal_str(&words.join(" "));
    let text = l.emit.undefined(text);
    let args: Vec<Operand> = std::iter::once(text).chain(operands(l, &data.args)?).collect();
    let semantics = l.cx.semantics;
    let allowed = match words.last() {
        Some(&"=") => semantics.parallel_inplace,
        Some(&"[]=") => semantics.parallel_setitem,
        _ => true,
    };
    let operand = on_threads(l, allowed, |l| l.emit.call(&Key::Function("rumba.arrayexpr".into()), &args))?;
    if let [result] = data.results[..] {
        l.define(result, operand);
        return Ok(());
    }
    for (index, &result) in data.results.iter().enumerate() {
        let one = element(l, &operand, index)?;
        l.define(result, one);
    }
    Ok(())
}

/// Lowers what the options may keep on one thread.
fn on_threads<'a, T>(l: &mut Lowering<'a>, allowed: bool, lower: impl FnOnce(&mut Lowering<'a>) -> T) -> T {
    let before = std::mem::replace(&mut l.emit.on_threads, allowed);
    let lowered = lower(l);
    l.emit.on_threads = before;
    lowered
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
            call(l, inst, &Key::Compare(CompareOp::Is), &[value, Operand::new(Type::NONE, [])])?
        }
    };
    l.define(data.results[0], operand);
    Ok(())
}

fn lower_is_instance(l: &mut Lowering<'_>, inst: Inst, class: Type) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ty = l.typed.ty(data.results[0]);
    let operand = match literal(l, ty) {
        Some(known) => known,
        None => {
            let value = l.operand(data.args[0])?;
            Operand::single(ty, l.emit.is_instance(&value, class))
        }
    };
    l.define(data.results[0], operand);
    Ok(())
}

fn lower_getattr(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    let mut of = l.operand(data.args[0])?;
    if catalog::may_be_caught(l.cx.types, of.ty) {
        of = catalog::cast(&mut l.emit, &of, l.cx.types.without_none(of.ty))?;
    }
    match (l.cx.types.get(result), l.cx.types.get(of.ty)) {
        (_, TypeData::Module(_) | TypeData::Object { .. })
        | (TypeData::Function(_), TypeData::Function(_)) => lower_empty(l, inst),
        (TypeData::Dispatcher(_), TypeData::ExceptionClass(_) | TypeData::Function(_)) => {
            lower_empty(l, inst)
        }
        (TypeData::Dispatcher(_), TypeData::Caught(_)) => {
            exceptions::exact(l, &of);
            lower_empty(l, inst)
        }
        // What a class has for all of its instances.
        (TypeData::Dispatcher(_), TypeData::Instance { .. } | TypeData::Class(_)) => lower_empty(l, inst),
        (TypeData::Method(_, name), TypeData::Optional(_)) => {
            let here = l.emit.b.bool(true);
            let absent = l.emit.b.icmp(IntCond::Ne, of.parts[0], here);
            let message = format!("'NoneType' object has no attribute '{name}'");
            l.emit.raise_if(absent, ExceptionClass::AttributeError, &message);
            l.define(data.results[0], Operand { ty: result, parts: of.parts });
            Ok(())
        }
        (TypeData::Method(..), _) => {
            l.define(data.results[0], Operand { ty: result, parts: of.parts });
            Ok(())
        }
        (_, TypeData::Caught(_) | TypeData::CaughtClass) => exceptions::lower_attribute(l, inst, &of),
        (_, of_data) => {
            let Some(&Attr::Symbol(name)) = data.attrs.first() else {
                return Err(Diagnostic::internal("lowering", "getattr without a name"));
            };
            if let TypeData::NamedTuple { fields, .. } = &of_data
                && let Some(at) = fields.iter().position(|field| field == l.typed.symbols.get(name))
            {
                let operand = element(l, &of, at)?;
                l.define(data.results[0], operand);
                return Ok(());
            }
            let name = l.typed.symbols.get(name).as_str();
            let operand = match literal(l, result) {
                Some(known) => known,
                None => lower_attribute(l, inst, of, name)?,
            };
            l.define(data.results[0], operand);
            Ok(())
        }
    }
}

/// An attribute by its rule, or a field as the item with its name.
fn lower_attribute(l: &mut Lowering<'_>, inst: Inst, of: Operand, name: &str) -> Result<Operand> {
    let (catalog, types) = (l.cx.catalog, l.cx.types);
    let found;
    let resolved = match l.cx.resolved[inst].as_deref() {
        Some(resolved) if resolved.args[0] == of.ty => resolved,
        _ => {
            let asked = catalog::attribute(catalog, types, of.ty, name);
            let asked = asked.or_else(|| catalog::field(catalog, types, of.ty, name));
            let unknown =
                || Diagnostic::internal("lowering", format!("{} has no `{name}`", types.name(of.ty)));
            found = asked.ok_or_else(unknown)?;
            &found
        }
    };
    let mut args = vec![of];
    args.extend(resolved.args[1..].iter().map(|&index| Operand::new(index, [])));
    l.emit.apply(&resolved.resolution, &args)
}

/// The parts of element `index` of a tuple.
pub(crate) fn element(l: &Lowering<'_>, tuple: &Operand, index: usize) -> Result<Operand> {
    let elements = l.cx.types.elements(tuple.ty);
    let elements =
        elements.ok_or_else(|| Diagnostic::internal("lowering", "an element of what is no tuple"))?;
    Ok(by_parts(l, tuple, &elements, index))
}

/// Value number `index` of those whose parts the operand holds one after the other.
pub(crate) fn by_parts(l: &Lowering<'_>, of: &Operand, types: &[Type], index: usize) -> Operand {
    let before: usize = types[..index].iter().map(|&ty| l.emit.machine_types(ty).len()).sum();
    let count = l.emit.machine_types(types[index]).len();
    Operand::new(types[index], of.parts[before..before + count].iter().copied())
}

fn lower_getitem(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (of, index) = (unpack::items(l, data.args[0])?, l.typed.ty(data.args[1]));
    // A class, of which its type says all.
    if let TypeData::Object { .. } = l.cx.types.get(of.ty) {
        return lower_empty(l, inst);
    }
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

fn lower_setitem(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let args = operands(l, &l.typed.insts[inst].args)?;
    call(l, inst, &Key::Setitem, &args)?;
    Ok(())
}

/// An attribute; a field of a record as the item with its name.
fn lower_setattr(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let Some(&Attr::Symbol(name)) = data.attrs.first() else {
        return Err(Diagnostic::internal("lowering", "setattr without a name"));
    };
    let name = l.typed.symbols.get(name).as_str();
    let (mut of, value) = (l.operand(data.args[0])?, l.operand(data.args[1])?);
    if catalog::may_be_caught(l.cx.types, of.ty) {
        of = catalog::cast(&mut l.emit, &of, l.cx.types.without_none(of.ty))?;
    }
    if let TypeData::Caught(_) = l.cx.types.get(of.ty) {
        return raise::set_attribute(l, inst, &of, name, &value);
    }
    if l.cx.types.is_instance(l.cx.types.without_none(of.ty)) {
        let name = Operand::new(l.cx.types.literal_str(name), []);
        call(l, inst, &Key::Function("rumba.set_field".into()), &[of, name, value])?;
        return Ok(());
    }
    let is_record = l.cx.types.record(l.cx.types.array(of.ty).map_or(of.ty, |array| array.dtype)).is_some();
    if is_record {
        let index = Operand::new(l.cx.types.literal_str(name), []);
        call(l, inst, &Key::Setitem, &[of, index, value])?;
    } else {
        call(l, inst, &Key::Setattr(name.into()), &[of, value])?;
    }
    Ok(())
}

/// Start, stop and step as words; what is left out is the least integer, which counts like the one above it.
fn lower_build_slice(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ty = l.typed.ty(data.results[0]);
    let TypeData::Slice { members } = l.cx.types.get(ty) else { return lower_empty(l, inst) };
    let mut parts = Vec::new();
    for part in operands(l, &data.args[..usize::from(members)])? {
        parts.push(catalog::slice_part(&mut l.emit, &part)?);
    }
    l.define(data.results[0], Operand::new(ty, parts));
    Ok(())
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
    let (item, valid) = match generators::delegated(l, inst)? {
        Some(next) => l.emit.try_advance(|emit| next.emit(emit))?,
        None => {
            let iterator = l.operand(data.args[0])?;
            l.emit.try_next_item(&iterator)?
        }
    };
    l.define(data.results[0], item);
    l.define(data.results[1], Operand::single(Type::BOOL, valid));
    Ok(())
}

/// The head of a loop, which ends with `iternext` and the branch on its outcome: advancing the
/// iterator branches already. (Nothing else asks for the outcome, so it gets no value.)
pub(crate) fn lower_loop_head(l: &mut Lowering<'_>, next: Inst, branch: Inst) -> Result<()> {
    let (data, targets) = (&l.typed.insts[next], &l.typed.insts[branch].targets);
    let ended = l.emit.b.new_block();
    let item = match generators::delegated(l, next)? {
        Some(next) => l.emit.advance(ended, |emit| next.emit(emit))?,
        None => {
            let iterator = l.operand(data.args[0])?;
            l.emit.next_item(&iterator, ended)?
        }
    };
    l.define(data.results[0], item);
    l.insert_after(next)?;
    l.show_results(next)?;
    l.edge(branch, &targets[0], &[])?;
    let body = target(l, &targets[0])?;
    l.emit.b.jump(body.block, &body.args);
    l.emit.b.switch_to(ended);
    l.release_dying(next, &data.results);
    l.edge(branch, &targets[1], &data.results)?;
    let exit = target(l, &targets[1])?;
    l.emit.b.jump(exit.block, &exit.args);
    Ok(())
}

fn lower_cast(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let value = l.operand(data.args[0])?;
    let operand = l.emit.cast_exactly(&value, l.typed.ty(data.results[0]))?;
    l.define(data.results[0], operand);
    Ok(())
}

fn lower_return(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let value = l.operand(l.typed.insts[inst].args[0])?;
    let result = cast(&mut l.emit, &value, l.result)?;
    l.leave(inst, l.typed.insts[inst].args[0], &result);
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
    l.edge(inst, &l.typed.insts[inst].targets[0], &[])?;
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
        l.emit.call(&Key::Unary(ir::UnaryOp::Bool), &[value])?.value()
    };
    let (mut calls, mut between) = (Vec::new(), Vec::new());
    for to in &data.targets {
        if l.edge_counts(inst, to)? {
            let block = l.emit.b.new_block();
            between.push((block, to));
            calls.push(BlockCall::new(block, []));
        } else {
            calls.push(target(l, to)?);
        }
    }
    let other = calls.pop().expect("a branch has two targets");
    let then = calls.pop().expect("a branch has two targets");
    l.emit.b.branch(condition, then, other);
    for (block, to) in between {
        l.emit.b.switch_to(block);
        l.edge(inst, to, &[])?;
        let call = target(l, to)?;
        l.emit.b.jump(call.block, &call.args);
    }
    Ok(())
}
