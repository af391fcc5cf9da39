//! Displays of lists, and what comprehensions put into them.

use crate::Lowering;
use crate::instruction::operands;
use catalog::{Key, Operand};
use diag::Result;
use ir::{Inst, Native};
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

/// `list_append list, item`, which has no result.
pub(crate) fn lower_append(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let args = operands(l, &l.typed.insts[inst].args)?;
    l.emit.call(&Key::Function("method.append".into()), &args)?;
    Ok(())
}
