//! `map`, `filter` and generator expressions as iterators: the function is called for each item on demand.
//!
//! The parts of each are those of the function, then those of the iterators. Inference creates their types
//! (`infer::calls::map_filter`), because it knows the result of the function.

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{Block, BlockCall, UnaryOp, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Iternext, Rule::Generic(resolve_next_of_map));
    catalog.add(Key::Iternext, Rule::Nested(resolve_next_of_filter));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next_of_generated));
    catalog.state(&[
        ("builtins.map", "special=map calls=function@0 returns=items:*iterables@1"),
        ("builtins.filter", "special=filter calls=function@0 returns=items:iterable@1"),
    ]);
}

fn resolve_next_of_map(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Map { item, .. } = types.get(ty) else { return None };
    Some(Resolution { result: item, params: vec![ty], emit: next_of_map })
}

/// Iterators are asked in order, and those after the first that has ended are not asked.
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
    // Where an iterator never gives an item, this is not reached.
    if item == Type::UNDEFINED {
        return Ok(emit.undefined(item));
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
    let again = emit.b.new_block();
    emit.b.jump(again, &[]);
    emit.b.switch_to(again);
    let made_before = emit.refs.temporaries.len();
    let item = emit.call(&Key::Iternext, &[iterator])?;
    let answer = match function.ty {
        Type::NONE => item.clone(),
        _ => emit.call_value(&function, std::slice::from_ref(&item))?,
    };
    let fits = emit.call(&Key::Unary(UnaryOp::Bool), &[answer])?.value();
    let passed_over = emit.refs.temporaries[made_before..].to_vec();
    go_on_if(emit, fits, again, &passed_over, None);
    Ok(item)
}

/// Goes on with what was found, or releases what was made of an item that is passed over and takes the next one; `none` is
/// a value that holds nothing then.
fn go_on_if(emit: &mut Emit<'_>, found: Value, again: Block, made: &[Value], none: Option<&Operand>) {
    let (behind, skip) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(found, BlockCall::new(behind, []), BlockCall::new(skip, []));
    emit.b.switch_to(skip);
    none.into_iter().for_each(|none| emit.holds_nothing(none));
    made.iter().for_each(|&owner| emit.release(owner));
    // What was given for the item holds nothing on this way.
    let nothing: Vec<Value> = none.into_iter().flat_map(|none| emit.owners(none)).collect();
    let fresh = emit.refs.temporaries.clone();
    emit.refs.temporaries.retain(|owner| !made.contains(owner) && !nothing.contains(owner));
    emit.poll();
    emit.refs.temporaries = fresh;
    emit.b.jump(again, &[]);
    emit.b.switch_to(behind);
}

fn resolve_next_of_generated(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::GeneratorExpr { item, .. } = types.get(ty) else { return None };
    Some(Resolution { result: item, params: vec![ty], emit: next_of_generated })
}

/// The function gives a tuple of the value, or None for an item that is passed over.
fn next_of_generated(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::GeneratorExpr { function, iterator, item: wanted } = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no generator"));
    };
    let (function, rest) = split(emit, function, &args[0]);
    let iterator = Operand { ty: iterator, ..rest };
    let again = emit.b.new_block();
    emit.b.jump(again, &[]);
    emit.b.switch_to(again);
    let made_before = emit.refs.temporaries.len();
    let item = emit.call(&Key::Iternext, &[iterator])?;
    let passed_over = emit.refs.temporaries[made_before..].to_vec();
    let given = emit.call_value(&function, &[item])?;
    if given.ty == Type::NONE {
        // Every item is passed over.
        let found = emit.b.bool(false);
        go_on_if(emit, found, again, &passed_over, None);
        return Ok(emit.undefined(wanted));
    }
    let (ty, parts) = match emit.types.get(given.ty) {
        TypeData::Optional(tuple) => {
            go_on_if(emit, given.parts[0], again, &passed_over, Some(&given));
            (tuple, &given.parts[1..])
        }
        _ => (given.ty, &given.parts[..]),
    };
    let value = emit.types.elements(ty).and_then(|elements| elements.first().copied());
    let value = value.ok_or_else(|| unexpected("a generator of what is no tuple"))?;
    cast(emit, &Operand::new(value, parts.iter().copied()), wanted)
}

/// The first parts as a value of a type, and the others.
fn split(emit: &Emit<'_>, ty: Type, from: &Operand) -> (Operand, Operand) {
    let (first, rest) = from.parts.split_at(emit.machine_types(ty).len());
    (Operand::new(ty, first.iter().copied()), Operand::new(from.ty, rest.iter().copied()))
}
