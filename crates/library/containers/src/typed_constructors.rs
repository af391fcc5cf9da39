//! `typed.Dict.empty(key_type, value_type)`, `typed.List.empty_list(item_type)` and `typed.Set.empty(item_type)`.

use crate::hash_table::{Shape, new_table};
use crate::list::{item_of, new_list};
use abi::ExceptionClass::RuntimeError;
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::Result;
use ir::{IntCond, Native};
use types::{SetKind, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.typed.Dict.empty", resolve_dict);
    catalog.name_parameters("rumba.typed.Dict.empty", &["key_type", "value_type", "n_keys"]);
    catalog.add_generic("rumba.typed.List.empty_list", resolve_list);
    catalog.name_parameters("rumba.typed.List.empty_list", &["item_type", "allocated"]);
    catalog.add_generic("rumba.typed.Set.empty", resolve_set);
    catalog.name_parameters("rumba.typed.Set.empty", &["item_type", "n_keys"]);
}

/// The type that an argument stands for: a container is a sample of its own.
fn meant(types: &TypeTable, arg: Type) -> Option<Type> {
    match types.get(arg) {
        TypeData::Class(ty) => Some(ty),
        TypeData::Dict { .. }
        | TypeData::List { typed: true, .. }
        | TypeData::Set { kind: SetKind::Typed, .. }
        | TypeData::Instance { .. }
        | TypeData::Union(_)
            if !types.is_open(arg) =>
        {
            Some(arg)
        }
        _ => None,
    }
}

fn resolve_dict(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[key, value], room) = args.split_first_chunk()?;
    let fits = room.is_empty() || matches!(room, &[room] if types.unliteral(room).is_int());
    let result = types.dict(meant(types, key)?, meant(types, value)?);
    Shape::of(types, result).filter(|_| fits)?;
    let params = args[..2].iter().copied().chain(room.iter().map(|_| Type::INT64)).collect();
    Some(Resolution { result, params, emit: make_dict })
}

fn make_dict(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let part = |at: usize| meant(emit.types, args[at].ty).unwrap_or(Type::UNDEFINED);
    let ty = emit.types.dict(part(0), part(1));
    let room = room(emit, args.get(2), "expecting *n_keys* to be >= 0");
    new_table(emit, ty, room)
}

/// How many items there is to be room for at first. RuntimeError if it is negative.
fn room(emit: &mut Emit<'_>, given: Option<&Operand>, message: &str) -> ir::Value {
    match given {
        Some(given) => {
            let zero = emit.b.iconst(Native::I64, 0);
            let negative = emit.b.icmp(IntCond::Slt, given.value(), zero);
            emit.raise_if(negative, RuntimeError, message);
            given.value()
        }
        None => emit.b.iconst(Native::I64, 0),
    }
}

fn resolve_list(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&item, room) = args.split_first()?;
    let fits = room.is_empty() || matches!(room, &[room] if types.unliteral(room).is_int());
    let result = types.intern(TypeData::List { item: meant(types, item)?, typed: true });
    item_of(types, result).filter(|_| fits)?;
    let params = std::iter::once(item).chain(room.iter().map(|_| Type::INT64)).collect();
    Some(Resolution { result, params, emit: make_list })
}

fn make_list(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = meant(emit.types, args[0].ty).unwrap_or(Type::UNDEFINED);
    let ty = emit.types.intern(TypeData::List { item, typed: true });
    let room = room(emit, args.get(1), "expecting *allocated* to be >= 0");
    new_list(emit, ty, room)
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&item, room) = args.split_first()?;
    let fits = room.is_empty() || matches!(room, &[room] if types.unliteral(room).is_int());
    let result = types.intern(TypeData::Set { item: meant(types, item)?, kind: SetKind::Typed });
    Shape::of(types, result).filter(|_| fits)?;
    let params = std::iter::once(item).chain(room.iter().map(|_| Type::INT64)).collect();
    Some(Resolution { result, params, emit: make_set })
}

fn make_set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = meant(emit.types, args[0].ty).unwrap_or(Type::UNDEFINED);
    let ty = emit.types.intern(TypeData::Set { item, kind: SetKind::Typed });
    let room = room(emit, args.get(1), "expecting *n_keys* to be >= 0");
    new_table(emit, ty, room)
}
