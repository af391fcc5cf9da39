//! `a[index]`: items, views.

use crate::slices::BasicIndex;
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_basic));
}

fn resolve_basic(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, index] = *args else { return None };
    let (whole, array) = (array, types.buffer(array)?);
    let basic = BasicIndex::of(types, array, index)?;
    let result = if basic.is_item { types.item_type(&array) } else { types.view_of(whole, basic.view)? };
    Some(Resolution { result, params: args.to_vec(), emit: basic_item })
}

fn basic_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let check = emit.boundscheck;
    select(emit, &args[0], &args[1], check)
}

/// The item or view at an index of integers and slices.
pub(crate) fn select(emit: &mut Emit<'_>, array: &Operand, index: &Operand, check: bool) -> Result<Operand> {
    let parts = ArrayParts::open(emit, array)?;
    let basic = BasicIndex::of(emit.types, parts.ty, index.ty)
        .ok_or_else(|| Diagnostic::internal("emission", "an index of another kind"))?;
    let found = basic.apply(emit, &parts, index, check)?;
    Ok(if basic.is_item { load_item(emit, &parts, found.data) } else { found.close(emit) })
}
