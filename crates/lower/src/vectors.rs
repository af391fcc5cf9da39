//! Arrays that comprehensions fill (`infer::vectors`).

use crate::Lowering;
use catalog::{Key, Operand};
use diag::Result;
use ir::{Inst, Native, Value};
use types::{Type, TypeData};

/// Whether a value is an array that is being filled, or a pile.
pub(crate) fn is_filled(l: &Lowering<'_>, value: Value) -> bool {
    is_vector(l, l.typed.ty(value)) || is_pile(l, value)
}

fn is_vector(l: &Lowering<'_>, ty: Type) -> bool {
    matches!(l.cx.types.get(ty), TypeData::Iterator(of) if l.cx.types.array(of).is_some())
}

fn is_pile(l: &Lowering<'_>, value: Value) -> bool {
    matches!(l.cx.types.get(l.typed.ty(value)), TypeData::Iterator(of) if is_vector(l, of))
}

/// As many places as the source has items, if there is one; perhaps in the memory of a pile.
pub(crate) fn lower_new(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = data.results[0];
    let parent = data.args.last().copied().filter(|&last| is_pile(l, last));
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
    let function = match (is_pile(l, result), parent) {
        (true, _) => "rumba.pile_new",
        (false, Some(_)) => "rumba.vector_inside",
        (false, None) => "rumba.vector_new",
    };
    let filled = l.emit.call(&Key::Function(function.into()), &args)?;
    l.define(result, filled);
    Ok(())
}

/// What appends to it.
pub(crate) fn put(l: &Lowering<'_>, value: Value) -> Key {
    Key::Function(if is_pile(l, value) { "rumba.pile_put" } else { "rumba.vector_put" }.into())
}

/// What makes the array of it.
pub(crate) fn done(l: &Lowering<'_>, value: Value) -> Key {
    Key::Function(if is_pile(l, value) { "rumba.pile_done" } else { "rumba.vector_done" }.into())
}
