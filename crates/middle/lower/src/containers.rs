//! List, dict and set displays, and the insertions of comprehensions.

use crate::Lowering;
use crate::ops::{call, element, operands};
use crate::unpack;
use catalog::{Key, Operand};
use diag::{Diagnostic, Result, codes};
use ir::{Inst, Native, Op, Value};
use types::{Type, TypeData};

/// A list with the items that are written.
pub(crate) fn lower_display(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ty = l.typed.ty(data.results[0]);
    let like = l.emit.undefined(ty);
    let count = l.emit.b.iconst(Native::I64, data.args.len() as i64);
    let count = Operand::single(Type::INT64, count);
    let list = l.emit.call(&Key::Function("rumba.list_new".into()), &[like, count])?;
    for item in operands(l, &data.args)? {
        l.emit.call(&Key::Function("rumba.list_push".into()), &[list.clone(), item])?;
    }
    l.define(data.results[0], list);
    Ok(())
}

/// A dict with the keys and values, or a set with the items, that are written.
pub(crate) fn lower_table(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ty = l.typed.ty(data.results[0]);
    let (width, put) = match data.op {
        Op::BuildMap => (2, Key::Setitem),
        _ => (1, Key::Function("method.add".into())),
    };
    let count = l.emit.b.iconst(Native::I64, (data.args.len() / width) as i64);
    let table = new_table(l, ty, count)?;
    for item in operands(l, &data.args)?.chunks_exact(width) {
        let args: Vec<Operand> = std::iter::once(&table).chain(item).cloned().collect();
        l.emit.call(&put, &args)?;
    }
    l.define(data.results[0], table);
    Ok(())
}

/// A dict without items, whose type holds the factory.
pub(crate) fn lower_default_dict(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let result = l.typed.insts[inst].results[0];
    let none = l.emit.b.iconst(Native::I64, 0);
    let table = new_table(l, l.typed.ty(result), none)?;
    l.define(result, table);
    Ok(())
}

/// A dict or a set without items that has room for so many.
fn new_table(l: &mut Lowering<'_>, ty: Type, count: Value) -> Result<Operand> {
    let like = l.emit.undefined(ty);
    let made = l
        .emit
        .call(&Key::Function("rumba.table_new".into()), &[like, Operand::single(Type::INT64, count)])?;
    Ok(Operand::new(ty, made.parts))
}

/// A container with the items of another, each converted.
pub(crate) fn lower_copy_contents(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (result, of) = (data.results[0], l.operand(data.args[0])?);
    let (types, ty) = (l.cx.types, l.typed.ty(result));
    // Nobody knows what it holds: it never held anything.
    let is_empty = types.contents(of.ty).is_some_and(|contents| contents.contains(&Type::UNDEFINED));
    let count = match is_empty {
        true => l.emit.b.iconst(Native::I64, 0),
        false => l.emit.call(&Key::Function("builtins.len".into()), std::slice::from_ref(&of))?.value(),
    };
    if types.items_of_object_array(ty).is_some() {
        let (from, to) = (types.name(of.ty), types.name(ty));
        return Err(Diagnostic::new(codes::UNTYPED, &format!("{from} cannot become {to}")));
    }
    let made = match types.list_item(ty) {
        Some(_) if is_empty => unpack::new_list(l, ty, count)?,
        Some(_) => unpack::list_between(l, &of, ty, 0, count)?,
        None if is_empty => new_table(l, ty, count)?,
        None => copy_table(l, &of, ty, count)?,
    };
    if types.is_deque(ty) {
        let raw = |name: &str| Key::Function(format!("rumba.{name}").into());
        let bound = l.emit.call(&raw("deque_bound"), &[of])?;
        l.emit.call(&raw("set_deque_bound"), &[made.clone(), bound])?;
    }
    l.define(result, made);
    Ok(())
}

fn copy_table(l: &mut Lowering<'_>, of: &Operand, ty: Type, count: Value) -> Result<Operand> {
    let made = new_table(l, l.cx.types.unfrozen(ty), count)?;
    let types = l.cx.types;
    if types.contents(ty).is_some_and(|contents| types.is_key_by_methods(contents[0])) {
        let (from, to) = (types.name(of.ty), types.name(ty));
        let message = format!("{from} cannot become {to}: methods say which of its keys are equal");
        return Err(Diagnostic::new(codes::UNTYPED, &message));
    }
    let is_dict = matches!(l.cx.types.get(ty), TypeData::Dict { .. });
    let view = match is_dict {
        true => l.emit.call(&Key::Function("method.items".into()), std::slice::from_ref(of))?,
        false => of.clone(),
    };
    let iterator = l.emit.call(&Key::Getiter, &[view])?;
    unpack::for_each_item(l, &iterator, |l, item| {
        if is_dict {
            let (key, value) = (element(l, &item, 0)?, element(l, &item, 1)?);
            l.emit.call(&Key::Setitem, &[made.clone(), key, value])?;
        } else {
            l.emit.call(&Key::Function("method.add".into()), &[made.clone(), item])?;
        }
        Ok(())
    })?;
    Ok(Operand::new(ty, made.parts))
}

/// `list_append list, item` and the like, which have no result.
pub(crate) fn lower_add(l: &mut Lowering<'_>, inst: Inst, key: Key) -> Result<()> {
    let args = operands(l, &l.typed.insts[inst].args)?;
    call(l, inst, &key, &args)?;
    Ok(())
}
