//! Scratch arrays: memory for as many values as a tuple has, for Rumba's own library, which sorts and collects in them.
//! (In plain Python they are lists, see `rumba.intrinsics`.)
//!
//! A scratch array is an address in the frame of the function that created it, so it must not escape that function. Indices
//! are not checked.

use crate::emit_helpers::*;
use crate::tuples::{element_type, load_element, store_elements, uniform_elements};
use catalog::{Catalog, Emit, Operand, Resolution, cast};
use diag::Result;
use ir::{Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.scratch", resolve_scratch);
    catalog.add_generic("rumba.scratch_like", resolve_scratch_like);
    catalog.add_generic("rumba.scratch_get", resolve_get);
    catalog.add_generic("rumba.scratch_set", resolve_set);
    catalog.add_generic("rumba.scratch_items", resolve_items);
}

/// The tuple that a room is for, and the type of its values.
fn content(types: &TypeTable, room: Type) -> Option<(Type, Type)> {
    match types.get(room) {
        TypeData::Scratch(tuple) => Some((tuple, element_type(types, tuple)?)),
        _ => None,
    }
}

fn resolve_scratch(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [items] = *args else { return None };
    let items = types.unliteral(items);
    let tuple = types.tuple(&types.items(items)?);
    // The memory's values are not counted.
    element_type(types, tuple).filter(|&element| catalog::owners(types, element).is_empty())?;
    let emit: catalog::EmitFn = |emit, args| {
        let elements =
            emit.types.items(args[0].ty).ok_or_else(|| unexpected("a room for what is no tuple"))?;
        let tuple = Operand { ty: emit.types.tuple(&elements), ..args[0].clone() };
        let all = uniform_elements(emit, &tuple)?;
        let (slot, _) = store_elements(emit, &all);
        single(emit.types.intern(TypeData::Scratch(tuple.ty)), slot)
    };
    Some(Resolution { result: types.intern(TypeData::Scratch(tuple)), params: vec![items], emit })
}

fn resolve_scratch_like(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [tuple, value] = *args else { return None };
    let (count, value) = (types.items(tuple)?.len(), types.unliteral(value));
    if !catalog::owners(types, value).is_empty() {
        return None;
    }
    let room = types.intern(TypeData::Scratch(types.tuple(&vec![value; count])));
    let emit: catalog::EmitFn = |emit, args| {
        let count = emit.types.items(args[0].ty).map_or(0, |items| items.len());
        let tuple = emit.types.tuple(&vec![args[1].ty; count]);
        let bytes = 8 * count * args[1].parts.len();
        let slot = emit.frame_slot(bytes.max(1) as u32);
        single(emit.types.intern(TypeData::Scratch(tuple)), slot)
    };
    Some(Resolution { result: room, params: vec![tuple, value], emit })
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [room, _] = *args else { return None };
    let (_, value) = content(types, room)?;
    Some(Resolution { result: value, params: vec![room, Type::INT64], emit: get })
}

fn get(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (_, ty) = content(emit.types, args[0].ty).ok_or_else(|| unexpected("a room of nothing"))?;
    let stride = 8 * emit.machine_types(ty).len() as u32;
    Ok(load_element(emit, args[0].value(), args[1].value(), stride, 0, ty))
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [room, _, _] = *args else { return None };
    let (_, value) = content(types, room)?;
    Some(Resolution { result: Type::NONE, params: vec![room, Type::INT64, value], emit: set })
}

fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (_, ty) = content(emit.types, args[0].ty).ok_or_else(|| unexpected("a room of nothing"))?;
    let value = cast(emit, &args[2], ty)?;
    let stride = emit.b.iconst(Native::I64, 8 * value.parts.len() as i64);
    let bytes = emit.b.like_first(Op::Imul, &[args[1].value(), stride]);
    let address = emit.b.native(Op::PtrAdd, [], &[args[0].value(), bytes], Native::Ptr);
    for (part, &word) in value.parts.iter().enumerate() {
        emit.b.store(address, 8 * part as i64, word);
    }
    Ok(Operand::new(Type::NONE, []))
}

/// All values of a room, as a list that does not change any more.
fn resolve_items(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [room] = *args else { return None };
    let (tuple, _) = content(types, room)?;
    let result = types.intern(TypeData::FixedList(tuple));
    Some(Resolution { result, params: vec![room], emit: items })
}

fn items(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (tuple, ty) = content(emit.types, args[0].ty).ok_or_else(|| unexpected("a room of nothing"))?;
    let stride = 8 * emit.machine_types(ty).len() as u32;
    let count = emit.types.elements(tuple).map_or(0, |elements| elements.len());
    let mut parts = Vec::new();
    for at in 0..count {
        let at = emit.b.iconst(Native::I64, at as i64);
        parts.extend(load_element(emit, args[0].value(), at, stride, 0, ty).parts);
    }
    Ok(Operand::new(emit.types.intern(TypeData::FixedList(tuple)), parts))
}
