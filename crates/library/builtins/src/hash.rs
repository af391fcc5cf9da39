//! `hash` of numbers and of tuples of them, as in Python.

use crate::emit_helpers::*;
use abi::Runtime;
use catalog::{Catalog, Emit, Key, Operand, Resolution};
use diag::Result;
use ir::{Native, Value};
use types::{Type, TypeData, TypeTable};

/// The fifth prime of xxHash: what the hash of a tuple starts from.
const START: u64 = 2870177450012600261;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.hash", resolve_number).reads();
    catalog.add_nested("builtins.hash", resolve_tuple).reads();
    catalog
        .add_generic("builtins.hash", |_, args| {
            (*args == [Type::NONE]).then(|| Resolution {
                result: Type::INT64,
                params: args.to_vec(),
                emit: |emit, _| {
                    let hash = hash_of_none(emit);
                    single(Type::INT64, hash)
                },
            })
        })
        .reads();
    catalog.add_nested("builtins.hash", resolve_optional).reads();
}

/// Of some versions of Python it differs from process to process.
fn hash_of_none(emit: &mut Emit<'_>) -> Value {
    emit.call_runtime(Runtime::HashNone, &[])[0]
}

fn resolve_optional(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Optional(inner) = types.get(ty) else { return None };
    catalog.resolve(types, &Key::Function("builtins.hash".into()), &[inner])?;
    Some(Resolution { result: Type::INT64, params: vec![ty], emit: hash_optional })
}

fn hash_optional(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Optional(inner) = emit.types.get(args[0].ty) else {
        return Err(unexpected("the hash of what is always there"));
    };
    let content = Operand::new(inner, args[0].parts[1..].iter().copied());
    let hash = emit.if_else(
        args[0].parts[0],
        |emit| {
            let hash = emit.call(&Key::Function("builtins.hash".into()), &[content])?.value();
            Ok([hash].into_iter().collect())
        },
        |emit| Ok([hash_of_none(emit)].into_iter().collect()),
    )?;
    single(Type::INT64, hash[0])
}

fn resolve_number(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let param = match types.unliteral(ty) {
        Type::BOOL => Type::INT64,
        ty if ty.is_int() => Type::int(64, is_signed(ty)),
        ty if ty.is_float() => Type::FLOAT64,
        ty if ty.is_complex() => Type::COMPLEX128,
        _ => return None,
    };
    Some(Resolution { result: Type::INT64, params: vec![param], emit: hash_number })
}

fn hash_number(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let function = match args[0].ty {
        Type::INT64 => Runtime::HashI64,
        Type::UINT64 => Runtime::HashU64,
        Type::FLOAT64 => Runtime::HashF64,
        _ => Runtime::HashC128,
    };
    let hash = emit.call_runtime(function, &args[0].parts)[0];
    single(Type::INT64, hash)
}

fn resolve_tuple(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    for &element in types.elements(ty)?.iter() {
        catalog.resolve(types, &Key::Function("builtins.hash".into()), &[element])?;
    }
    Some(Resolution { result: Type::INT64, params: vec![ty], emit: hash_tuple })
}

fn hash_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let all = elements(emit, &args[0]);
    let count = emit.b.iconst(Native::I64, all.len() as i64);
    let mut hash = emit.b.iconst(Native::I64, START.cast_signed());
    for element in all {
        let item = emit.call(&Key::Function("builtins.hash".into()), &[element])?.value();
        hash = emit.call_runtime(Runtime::HashCombine, &[hash, item])[0];
    }
    let value = emit.call_runtime(Runtime::HashFinish, &[hash, count])[0];
    single(Type::INT64, value)
}
