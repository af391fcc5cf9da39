//! `suppress` and `nullcontext` of `contextlib`, which are part of the type except for the value of `nullcontext`; and
//! `parallel_chunksize`, which keeps the previous chunk size.
//!
//! Absent: entering and leaving them (`lower`).

use abi::{ExceptionClass, Runtime};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, exception_classes};
use diag::Result;
use ir::{IntCond, Native};
use types::{ManagerKind, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("contextlib.suppress", resolve_suppress).reads();
    catalog.add_generic("contextlib.nullcontext", resolve_nullcontext);
    catalog.add_generic("method.__exit__", |types, args| {
        let manager = args.first().map(|&manager| types.get(manager))?;
        matches!(manager, TypeData::Manager { .. }).then(|| Resolution {
            result: Type::NONE,
            params: args.to_vec(),
            emit: leave,
        })
    });
    catalog.add_generic("rumba.parallel_chunksize", resolve_chunk_size);
    catalog.state(&[("contextlib.nullcontext", "returns=enter_result@0")]);
}

fn resolve_suppress(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let classes = types.tuple(args);
    exception_classes(types, classes)?;
    let result = types.intern(TypeData::Manager { kind: ManagerKind::Suppress, of: classes });
    Some(Resolution { result, params: args.to_vec(), emit: of_first })
}

fn resolve_nullcontext(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let of = match *args {
        [] => Type::NONE,
        [of] => types.unliteral(of),
        _ => return None,
    };
    let result = types.intern(TypeData::Manager { kind: ManagerKind::Null, of });
    let params = if args.is_empty() { Vec::new() } else { vec![of] };
    Some(Resolution { result, params, emit: of_first })
}

fn resolve_chunk_size(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [size] = *args else { return None };
    let result = types.intern(TypeData::Manager { kind: ManagerKind::ChunkSize, of: Type::INT64 });
    let emit: EmitFn = |emit, args| {
        let zero = emit.b.iconst(Native::I64, 0);
        let is_wrong = emit.b.icmp(IntCond::Slt, args[0].value(), zero);
        let message = "chunksize must be greater than or equal to zero";
        emit.raise_if(is_wrong, ExceptionClass::ValueError, message);
        let before = emit.call_runtime(Runtime::SetChunkSize, &[args[0].value()]);
        Ok(Operand::new(Type::NONE, before))
    };
    types.unliteral(size).is_int().then(|| Resolution { result, params: vec![Type::INT64], emit })
}

fn leave(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if matches!(emit.types.get(args[0].ty), TypeData::Manager { kind: ManagerKind::ChunkSize, .. }) {
        emit.call_runtime(Runtime::SetChunkSize, &[args[0].value()]);
    }
    Ok(emit.undefined(Type::NONE))
}

/// It holds what it is made of.
fn of_first(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = args.first().map(|first| first.parts.clone()).unwrap_or_default();
    Ok(Operand::new(Type::NONE, parts))
}
