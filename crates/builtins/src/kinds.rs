//! `type(x)` and `callable(x)`: known from the type of the value.

use crate::emit_util::*;
use catalog::{Catalog, Resolution};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.type", resolve_type);
    catalog.add_generic("builtins.callable", resolve_callable);
}

fn resolve_type(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let plain = types.unliteral(ty);
    let class = match types.get(plain) {
        TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Complex { .. } => {
            TypeData::Class(plain)
        }
        TypeData::Tuple(_) => TypeData::Function("builtins.tuple".into()),
        TypeData::Range(_) => TypeData::Function("builtins.range".into()),
        TypeData::Str => TypeData::Function("builtins.str".into()),
        _ => return None,
    };
    let emit: catalog::EmitFn = |emit, _| Ok(emit.undefined(Type::NONE));
    Some(Resolution { result: types.intern(class), params: vec![ty], emit })
}

fn resolve_callable(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let known = match types.get(types.unliteral(ty)) {
        TypeData::Function(_)
        | TypeData::Class(_)
        | TypeData::ExceptionClass(_)
        | TypeData::Method(..)
        | TypeData::Dispatcher(_) => true,
        TypeData::Undefined => return None,
        _ => false,
    };
    let emit = if known { yes } else { no };
    Some(Resolution { result: types.literal_bool(known), params: vec![ty], emit })
}
