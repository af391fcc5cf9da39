//! `typing.reveal_type`: reports the type of its argument at compile time, and returns the argument at run time.

use catalog::{Catalog, Emit, Operand, Resolution};
use diag::Result;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("typing.reveal_type", resolve).reads();
    catalog.state(&[("typing.reveal_type", "special=reveal_type")]);
}

fn resolve(_: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    Some(Resolution { result: ty, params: vec![ty], emit: argument })
}

fn argument(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    Ok(args[0].clone())
}
