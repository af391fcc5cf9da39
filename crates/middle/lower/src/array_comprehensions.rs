//! Arrays that comprehensions fill directly (`infer::desugar::array_comprehensions`).

use crate::Lowering;
use catalog::{Key, Operand};
use diag::Result;
use ir::{Inst, Native, Value};
use types::{Type, TypeData};

/// What appends to an array that is being filled.
pub(crate) const PUT: &str = "rumba.builder_put";
/// What makes the array of it.
pub(crate) const DONE: &str = "rumba.builder_done";

/// Whether a value is an array that is being filled.
pub(crate) fn is_filled(l: &Lowering<'_>, value: Value) -> bool {
    matches!(l.cx.types.get(l.typed.ty(value)), TypeData::ArrayBuilder { .. })
}

/// As many places as the source has items, if there is one; perhaps in the memory of another one.
pub(crate) fn lower_new(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = data.results[0];
    let parent = data.args.last().copied().filter(|&last| is_filled(l, last));
    let source = data.args.first().copied().filter(|&first| Some(first) != parent);
    let mut args = vec![l.emit.undefined(l.typed.ty(result))];
    args.push(match source {
        Some(source) => {
            let source = l.operand(source)?;
            l.emit.call(&Key::Function("builtins.len".into()), &[source])?
        }
        None => Operand::single(Type::INT64, l.emit.b.iconst(Native::I64, 1)),
    });
    if let Some(parent) = parent {
        args.push(l.operand(parent)?);
    }
    let filled = l.emit.call(&Key::Function("rumba.builder_new".into()), &args)?;
    l.define(result, filled);
    Ok(())
}
