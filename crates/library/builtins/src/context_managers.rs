//! `suppress` and `nullcontext` of `contextlib`: all in their types, but for what `nullcontext` gives.
//!
//! Absent: entering and leaving them (`lower`).

use catalog::{Catalog, Emit, Operand, Resolution, exception_classes};
use diag::Result;
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("contextlib.suppress", resolve_suppress).reads();
    catalog.add_generic("contextlib.nullcontext", resolve_nullcontext);
    catalog.add_generic("method.__exit__", |types, args| {
        let manager = args.first().map(|&manager| types.get(manager))?;
        matches!(manager, TypeData::Manager { .. }).then(|| Resolution {
            result: Type::NONE,
            params: args.to_vec(),
            emit: |emit, _| Ok(emit.undefined(Type::NONE)),
        })
    });
    catalog.state(&[("contextlib.nullcontext", "returns=enter_result@0")]);
}

fn resolve_suppress(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let classes = types.tuple(args);
    exception_classes(types, classes)?;
    let result = types.intern(TypeData::Manager { suppresses: true, of: classes });
    Some(Resolution { result, params: args.to_vec(), emit: of_first })
}

fn resolve_nullcontext(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let of = match *args {
        [] => Type::NONE,
        [of] => types.unliteral(of),
        _ => return None,
    };
    let result = types.intern(TypeData::Manager { suppresses: false, of });
    let params = if args.is_empty() { Vec::new() } else { vec![of] };
    Some(Resolution { result, params, emit: of_first })
}

/// It holds what it is made of.
fn of_first(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = args.first().map(|first| first.parts.clone()).unwrap_or_default();
    Ok(Operand::new(Type::NONE, parts))
}
