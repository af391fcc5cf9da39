//! `map` and `filter` as iterators: the function is called when the next item is asked for.
//!
//! The parts of either are those of the function, then those of the iterators. Their types are made by
//! inference (`infer::maps`), which knows what the function gives.

use crate::emit_util::*;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{BlockCall, UnaryOp};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Iternext, Rule::Generic(resolve_next_of_map));
    catalog.add(Key::Iternext, Rule::Nested(resolve_next_of_filter));
}

fn resolve_next_of_map(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Map { item, .. } = types.get(ty) else { return None };
    Some(Resolution { result: item, params: vec![ty], emit: next_of_map })
}

/// Iterators are asked in order, and those behind the first that has ended are not asked.
fn next_of_map(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Map { function, iterators, item } = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no map"));
    };
    let (function, mut rest) = split(emit, function, &args[0]);
    let mut items = Vec::new();
    for &ty in iterators.iter() {
        let (iterator, others) = split(emit, ty, &rest);
        items.push(emit.call(&Key::Iternext, &[iterator])?);
        rest = others;
    }
    let result = emit.call_value(&function, &items)?;
    cast(emit, &result, item)
}

fn resolve_next_of_filter(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Filter { iterator, .. } = types.get(ty) else { return None };
    let result = catalog.resolve(types, &Key::Iternext, &[iterator])?.result;
    Some(Resolution { result, params: vec![ty], emit: next_of_filter })
}

/// A loop of its own, which is left with the first item that fits.
fn next_of_filter(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Filter { function, iterator } = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no filter"));
    };
    let (function, rest) = split(emit, function, &args[0]);
    let iterator = Operand { ty: iterator, ..rest };
    let (again, found) = (emit.b.new_block(), emit.b.new_block());
    emit.b.jump(again, &[]);
    emit.b.switch_to(again);
    let item = emit.call(&Key::Iternext, &[iterator])?;
    let answer = match function.ty {
        Type::NONE => item.clone(),
        _ => emit.call_value(&function, std::slice::from_ref(&item))?,
    };
    let fits = emit.call(&Key::Unary(UnaryOp::Bool), &[answer])?.value();
    emit.b.branch(fits, BlockCall::new(found, []), BlockCall::new(again, []));
    emit.b.switch_to(found);
    Ok(item)
}

/// The first parts as a value of a type, and the others.
fn split(emit: &Emit<'_>, ty: Type, from: &Operand) -> (Operand, Operand) {
    let (first, rest) = from.parts.split_at(emit.machine_types(ty).len());
    (Operand::new(ty, first.iter().copied()), Operand::new(from.ty, rest.iter().copied()))
}
