//! Generators as iterators: each item resumes their code.
//!
//! Absent: what makes one (`lower`), where things lie in its frame (`catalog::generator`).

use catalog::generator::parts_of;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::Result;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let (item, _) = parts_of(types, ty)?;
    Some(Resolution { result: item, params: vec![ty], emit: next })
}

fn next(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (item, has_item) = emit.resume(&args[0])?;
    emit.exit_iteration_unless(has_item)?;
    Ok(item)
}
