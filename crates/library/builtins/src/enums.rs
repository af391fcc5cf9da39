//! Members of Python's enumerations: identity, equality, `value`.
//!
//! A member is represented by its value, and no two members of a class have the same value. The catalog itself resolves
//! operations of an `IntEnum` as an integer ([`catalog::Catalog::resolve`]); `name` is in the library.

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::CompareOp;
use types::{EnumKind, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    for (op, same, compares) in [
        (CompareOp::Is, true, false),
        (CompareOp::IsNot, false, false),
        (CompareOp::Eq, true, true),
        (CompareOp::Ne, false, true),
    ] {
        let rule = match (same, compares) {
            (true, false) => Rule::Nested(|catalog, types, args| resolve(catalog, types, args, true, false)),
            (false, false) => {
                Rule::Nested(|catalog, types, args| resolve(catalog, types, args, false, false))
            }
            (true, true) => Rule::Nested(|catalog, types, args| resolve(catalog, types, args, true, true)),
            (false, true) => Rule::Nested(|catalog, types, args| resolve(catalog, types, args, false, true)),
        };
        catalog.add(Key::Compare(op), rule);
    }
    for name in ["value", "_value_"] {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(resolve_value));
    }
}

/// Whether two values are the same member, or not; `compares` is `==`, which what they are besides may have a say in.
fn resolve(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    same: bool,
    compares: bool,
) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let known = |known: bool| {
        let emit: EmitFn = if known { const_true } else { const_false };
        Some(Resolution { result: types.literal_bool(known), params: args.to_vec(), emit })
    };
    match (types.get(a), types.get(b)) {
        (TypeData::Enum { class: x, value, .. }, TypeData::Enum { class: y, .. }) if x == y && a == b => {
            let op = if same { CompareOp::Eq } else { CompareOp::Ne };
            catalog.resolve(types, &Key::Compare(op), &[value, value])?;
            let emit: EmitFn = if same { values_equal } else { values_differ };
            Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
        }
        // Values of different types belong to different members.
        (TypeData::Enum { class: x, .. }, TypeData::Enum { class: y, .. }) if x == y => known(!same),
        (TypeData::Enum { kind: x, .. }, TypeData::Enum { kind: y, .. }) => {
            (!compares || x == EnumKind::Plain || y == EnumKind::Plain).then(|| known(!same))?
        }
        (TypeData::Enum { kind, .. }, other) | (other, TypeData::Enum { kind, .. }) => {
            let is_other = !matches!(other, TypeData::None | TypeData::Optional(_) | TypeData::Undefined);
            let decides = is_other && is_plain(types, &other) && (!compares || kind == EnumKind::Plain);
            decides.then(|| known(!same))?
        }
        _ => None,
    }
}

/// Whether values of a type are never members of an enumeration, and compare as Python's own.
fn is_plain(types: &TypeTable, data: &TypeData) -> bool {
    match data {
        TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Str
        | TypeData::Literal(_) => true,
        TypeData::Tuple(elements) => elements.iter().all(|&element| is_plain(types, &types.get(element))),
        _ => false,
    }
}

/// The values of two members.
fn values(emit: &Emit<'_>, args: &[Operand]) -> Vec<Operand> {
    let value = |member: &Operand| match emit.types.get(member.ty) {
        TypeData::Enum { value, .. } => Operand { ty: value, parts: member.parts.clone() },
        _ => member.clone(),
    };
    args.iter().map(value).collect()
}

fn values_equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let args = values(emit, args);
    emit.call(&Key::Compare(CompareOp::Eq), &args)
}

fn values_differ(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let args = values(emit, args);
    emit.call(&Key::Compare(CompareOp::Ne), &args)
}

fn resolve_value(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of] = *args else { return None };
    let TypeData::Enum { value, .. } = types.get(of) else { return None };
    let emit: EmitFn = |emit, args| Ok(values(emit, args).remove(0));
    Some(Resolution { result: value, params: vec![of], emit })
}
