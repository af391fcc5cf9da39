//! `a[index]`: elements, views, and copies if the index contains an array with one element.

use crate::alloc::allocate;
use crate::basic_index::{BasicIndex, check_buffer, items};
use crate::creation::{kept, new_array};
use crate::setitem::copy_items;
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_basic));
}

fn resolve_basic(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, index] = *args else { return None };
    let (whole, array) = (array, types.buffer(array)?);
    let basic = BasicIndex::of(types, array, index)?;
    let (result, emit): (Type, EmitFn) = if basic.is_item {
        (types.item_type(&array), basic_item)
    } else if items(types, index).iter().any(|&item| types.array(item).is_some()) {
        types.items_of_object_array(whole).is_none().then_some(())?;
        (new_array(types, array.dtype, basic.view.ndim, kept(basic.view.layout)), copied)
    } else {
        (types.view_of(whole, basic.view)?, basic_item)
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The copy of a view: what an index with an array of one place selects.
fn copied(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let view = basic_item(emit, args)?;
    let view = ArrayParts::open(emit, &view)?;
    let made = allocate(emit, view.ty.dtype, &view.shape, kept(view.ty.layout), false)?;
    copy_items(emit, &made, &view)?;
    Ok(made.close(emit))
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
    let check = check && !(basic.is_item && check_buffer(emit, array.ty, &parts, index, false)?);
    let found = basic.apply(emit, &parts, index, check)?;
    Ok(if basic.is_item { load_item(emit, &parts, found.data) } else { found.close(emit) })
}
