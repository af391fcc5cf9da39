//! `hash` of strings: Python's own function on the bytes of their characters.

use crate::layout::{Parts, is_text, resolution};
use abi::Runtime;
use catalog::{Catalog, Emit, Operand};
use diag::Result;
use types::Type;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog
        .add_generic("builtins.hash", |types, args| {
            let [ty] = *args else { return None };
            if is_text(types, ty) { resolution(Type::INT64, &[Type::STR], hash) } else { None }
        })
        .reads();
}

/// Python knows the hash of a string that it has, if it was ever asked for it.
pub(crate) fn hash(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let text = Parts::of(&args[0]);
    let hash = emit.call_runtime(Runtime::HashText, &text.all())[0];
    Ok(Operand::single(Type::INT64, hash))
}
