//! Operations on dicts with known keys: `**kwargs` and dict literals with constant string keys. Everything but the
//! values is known at compile time.
//!
//! Absent: creating them and passing them on (`infer::calls::static_dict`); loops over them, which are unrolled.

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, Native};
use types::{LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_item));
    catalog
        .add(Key::Compare(CompareOp::In), Rule::Generic(|types, args| resolve_contains(types, args, true)));
    catalog
        .add_generic("builtins.len", |types, args| {
            let [of] = *args else { return None };
            let count = types.keywords(of)?.0.len();
            Some(Resolution { result: types.literal_int(count as i64), params: args.to_vec(), emit: length })
        })
        .reads();
    catalog.state(&[
        ("builtins.len", "takes_known_keys"),
        // What it does is inference's.
        ("rumba.literally", "special=literally"),
        ("rumba.literal_unroll", "special=literal_unroll takes_known_keys returns=x@0"),
    ]);
    catalog.add(
        Key::Construct(Type::BOOL),
        Rule::Generic(|types, args| {
            let [of] = *args else { return None };
            let truth = !types.keywords(of)?.0.is_empty();
            let emit: EmitFn = if truth { const_true } else { const_false };
            Some(Resolution { result: types.literal_bool(truth), params: args.to_vec(), emit })
        }),
    );
    catalog.add_generic("method.get", resolve_get);
    catalog.add_generic("method.keys", |types, args| {
        let [of] = *args else { return None };
        let keys: Vec<Type> = types.keywords(of)?.0.iter().map(|name| types.literal_str(name)).collect();
        Some(Resolution { result: types.tuple(&keys), params: args.to_vec(), emit: nothing })
    });
    catalog.add_generic("method.values", |types, args| {
        let [of] = *args else { return None };
        Some(Resolution {
            result: types.tuple(&types.keywords(of)?.1),
            params: args.to_vec(),
            emit: identity,
        })
    });
    catalog.add_generic("method.items", |types, args| {
        let [of] = *args else { return None };
        let (names, parts) = types.keywords(of)?;
        let pair = |(name, &ty): (&String, &Type)| types.tuple(&[types.literal_str(name), ty]);
        let pairs: Vec<Type> = names.iter().zip(parts.iter()).map(pair).collect();
        // A key has no machine value, so the pairs lie as the values do.
        Some(Resolution { result: types.tuple(&pairs), params: args.to_vec(), emit: identity })
    });
}

/// Where a dict has a key: the dict has known keys, and the key is known.
fn index(types: &TypeTable, dict: Type, key: Type) -> Option<Option<usize>> {
    let (names, _) = types.keywords(dict)?;
    let LiteralValue::Str(key) = types.literal(key)? else { return None };
    Some(names.iter().position(|name| **name == *key))
}

fn resolve_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [dict, key] = *args else { return None };
    let result = types.keywords(dict)?.1[index(types, dict, key)??];
    Some(Resolution { result, params: args.to_vec(), emit: item })
}

/// `d.get(key)` and `d.get(key, default)`.
fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[dict, key], rest) = args.split_first_chunk()?;
    let (result, emit): (Type, EmitFn) = match (index(types, dict, key)?, rest) {
        (Some(at), [] | [_]) => (types.keywords(dict)?.1[at], item),
        (None, []) => (Type::NONE, nothing),
        (None, &[default]) => (default, |_, args| Ok(args[2].clone())),
        _ => return None,
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let at = index(emit.types, args[0].ty, args[1].ty).flatten();
    let (Some(at), Some((_, types))) = (at, emit.types.keywords(args[0].ty)) else {
        return Err(unexpected("an item of what is no dict with known keys"));
    };
    let size = |ty: &Type| emit.machine_types(*ty).len();
    let before: usize = types[..at].iter().map(size).sum();
    let parts = args[0].parts[before..before + size(&types[at])].iter().copied();
    Ok(Operand::new(types[at], parts))
}

fn resolve_contains(types: &TypeTable, args: &[Type], wanted: bool) -> Option<Resolution> {
    let [key, dict] = *args else { return None };
    let found = index(types, dict, key)?.is_some();
    let emit: EmitFn = if found == wanted { const_true } else { const_false };
    Some(Resolution { result: types.literal_bool(found == wanted), params: args.to_vec(), emit })
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let count = emit.types.keywords(args[0].ty).map_or(0, |(names, _)| names.len());
    let value = emit.b.iconst(Native::I64, count as i64);
    single(Type::INT64, value)
}

/// A value without machine values.
fn nothing(_: &mut Emit<'_>, _: &[Operand]) -> Result<Operand> {
    Ok(Operand::new(Type::NONE, []))
}
