//! Operations on Python objects.
//!
//! Absent: which these are, and what they emit (`catalog::object_op`).

use crate::Lowering;
use catalog::{ObjectOp, Operand};
use diag::Result;
use ir::{Inst, Value};
use types::Type;

/// What an instruction does with objects, if one of its operands is one.
pub(crate) fn operation(l: &Lowering<'_>, inst: Inst) -> Option<ObjectOp> {
    let data = &l.typed.insts[inst];
    let is_object = |&value: &Value| l.typed.ty(value) == Type::PYOBJECT;
    if !data.args.iter().chain(&data.results).any(is_object) {
        return None;
    }
    let args: Vec<Type> = data.args.iter().map(|&arg| l.typed.ty(arg)).collect();
    catalog::object_op(l.cx.catalog, l.cx.types, l.typed, inst, &args)
}

/// Lowers such an instruction.
pub(crate) fn lower(l: &mut Lowering<'_>, inst: Inst, op: ObjectOp) -> Result<()> {
    let data = &l.typed.insts[inst];
    let args = data.args.iter().map(|&arg| l.operand(arg)).collect::<Result<Vec<Operand>>>()?;
    if op == ObjectOp::Next {
        let (item, valid) = l.emit.try_next_item(&args[0])?;
        l.define(data.results[0], item);
        l.define(data.results[1], Operand::single(Type::BOOL, valid));
        return Ok(());
    }
    let names = catalog::object_names(l.typed, inst);
    let made = l.emit.object_operation(op, &names, &args, data.results.len())?;
    for (&result, operand) in data.results.iter().zip(made) {
        l.define(result, operand);
    }
    Ok(())
}
