//! Arrays that comprehensions fill (`infer::vectors`).

use crate::Lowering;
use catalog::Key;
use diag::Result;
use ir::{Inst, Value};
use types::TypeData;

/// Whether a value is an array that is being filled.
pub(crate) fn is_filled(l: &Lowering<'_>, value: Value) -> bool {
    match l.cx.types.get(l.typed.ty(value)) {
        TypeData::Iterator(of) => l.cx.types.array(of).is_some(),
        _ => false,
    }
}

/// As many places as the source has items.
pub(crate) fn lower_new(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let like = l.emit.undefined(l.typed.ty(data.results[0]));
    let source = l.operand(data.args[0])?;
    let count = l.emit.call(&Key::Function("builtins.len".into()), &[source])?;
    let filled = l.emit.call(&Key::Function("rumba.vector_new".into()), &[like, count])?;
    l.define(data.results[0], filled);
    Ok(())
}
