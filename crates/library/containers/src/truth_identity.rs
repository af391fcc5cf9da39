//! Truth of lists, dicts and sets, and identity of these and of generators.

use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, generator};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Value};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.id", resolve_id).reads();
    catalog.add(
        Key::Compare(CompareOp::Is),
        Rule::Generic(|types, args| {
            identity(
                types,
                args,
                |emit, args| same_block(emit, args, IntCond::Eq),
                |emit, _| constant(emit, false),
            )
        }),
    );
    catalog.add(
        Key::Compare(CompareOp::IsNot),
        Rule::Generic(|types, args| {
            identity(
                types,
                args,
                |emit, args| same_block(emit, args, IntCond::Ne),
                |emit, _| constant(emit, true),
            )
        }),
    );
}

/// What tells a container or a generator from all others that exist. Numbers and texts have no identity in compiled code.
fn resolve_id(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let emit: EmitFn = |_, args| Ok(Operand::single(Type::INT64, args[0].value()));
    is_block(types, ty).then(|| Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

fn is_block(types: &TypeTable, ty: Type) -> bool {
    types.contents(ty).is_some() || generator::parts_of(types, ty).is_some()
}

/// Containers of different types are different objects.
fn identity(types: &TypeTable, args: &[Type], of_one_type: EmitFn, of_two: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let emit = if a == b { of_one_type } else { of_two };
    (is_block(types, a) && is_block(types, b)).then(|| Resolution {
        result: Type::BOOL,
        params: args.to_vec(),
        emit,
    })
}

fn constant(emit: &mut Emit<'_>, value: bool) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.bool(value)))
}

fn same_block(emit: &mut Emit<'_>, args: &[Operand], condition: IntCond) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.icmp(condition, args[0].value(), args[1].value())))
}

/// Whether a length is 0, or is not.
pub(crate) fn compare_with_zero(emit: &mut Emit<'_>, length: Value, condition: IntCond) -> Operand {
    let zero = emit.b.iconst(Native::I64, 0);
    Operand::single(Type::BOOL, emit.b.icmp(condition, length, zero))
}
