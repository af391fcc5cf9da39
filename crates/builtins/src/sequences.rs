//! Tuples: length, membership, concatenation, comparison. (Building, unpacking and indexing with
//! a constant are the lowering's own: they need no run-time code.)

use crate::emit_util::single;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::BinaryOp;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.len", resolve_len);
    catalog.add(Key::Binary(BinaryOp::Add), Rule::Generic(resolve_concatenation));
}

fn resolve_len(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    types.elements(ty)?;
    Some(Resolution { result: Type::INT64, params: vec![ty], emit: length })
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let count = emit.types.elements(args[0].ty).map_or(0, |elements| elements.len());
    let value = emit.b.iconst(ir::Native::I64, count as i64);
    single(Type::INT64, value)
}

fn resolve_concatenation(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let elements: Vec<Type> = types.elements(a)?.iter().chain(types.elements(b)?.iter()).copied().collect();
    Some(Resolution { result: types.tuple(&elements), params: vec![a, b], emit: concatenate })
}

fn concatenate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (Some(a), Some(b)) = (emit.types.elements(args[0].ty), emit.types.elements(args[1].ty)) else {
        return Err(diag::Diagnostic::internal("emission", "concatenation of something that is no tuple"));
    };
    let elements: Vec<Type> = a.iter().chain(b.iter()).copied().collect();
    let ty = emit.types.tuple(&elements);
    Ok(Operand::new(ty, args[0].parts.iter().chain(&args[1].parts).copied()))
}
