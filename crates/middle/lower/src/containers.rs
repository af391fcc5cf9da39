//! List, dict and set displays, and the insertions of comprehensions.

use crate::Lowering;
use crate::ops::{call, operands};
use catalog::{Key, Operand};
use diag::Result;
use ir::{Inst, Native, Op};
use types::Type;

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
    let like = l.emit.undefined(ty);
    let count = l.emit.b.iconst(Native::I64, (data.args.len() / width) as i64);
    let count = Operand::single(Type::INT64, count);
    let table = l.emit.call(&Key::Function("rumba.table_new".into()), &[like, count])?;
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
    let like = l.emit.undefined(l.typed.ty(result));
    let none = l.emit.b.iconst(Native::I64, 0);
    let count = Operand::single(Type::INT64, none);
    let table = l.emit.call(&Key::Function("rumba.table_new".into()), &[like, count])?;
    l.define(result, table);
    Ok(())
}

/// `list_append list, item` and the like, which have no result.
pub(crate) fn lower_add(l: &mut Lowering<'_>, inst: Inst, key: Key) -> Result<()> {
    let args = operands(l, &l.typed.insts[inst].args)?;
    call(l, inst, &key, &args)?;
    Ok(())
}
