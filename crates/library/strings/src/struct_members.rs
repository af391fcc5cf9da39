//! Members of strings that extensions of Numba read: `_data`, `_length`, `_kind`, `_hash`.

use crate::layout::{Parts, is_text, resolution};
use catalog::{Catalog, EmitFn, Key, Operand, Rule};
use ir::{Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(
        Key::Getattr("_data".into()),
        Rule::Generic(|types, args| {
            let address = types.intern(TypeData::Pointer(None));
            of_text(types, args, address, |emit, args| {
                let address = emit.types.intern(TypeData::Pointer(None));
                Ok(Operand::single(address, Parts::of(&args[0]).data))
            })
        }),
    );
    catalog.add(
        Key::Getattr("_length".into()),
        Rule::Generic(|types, args| {
            of_text(types, args, Type::INT64, |emit, args| {
                Ok(Operand::single(Type::INT64, Parts::of(&args[0]).length(emit)))
            })
        }),
    );
    catalog.add(
        Key::Getattr("_kind".into()),
        Rule::Generic(|types, args| {
            of_text(types, args, Type::INT32, |emit, args| {
                let code = Parts::of(&args[0]).code(emit);
                let one = emit.b.iconst(Native::I64, 1);
                let bytes = emit.b.like_first(Op::Ishl, &[one, code]);
                Ok(Operand::single(Type::INT32, emit.b.convert(Op::Trunc, bytes, Native::I32)))
            })
        }),
    );
    catalog.add(
        Key::Getattr("_hash".into()),
        Rule::Generic(|types, args| of_text(types, args, Type::INT64, crate::hash::hash)),
    );
}

fn of_text(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<catalog::Resolution> {
    let [ty] = *args else { return None };
    if is_text(types, ty) { resolution(result, &[Type::STR], emit) } else { None }
}
