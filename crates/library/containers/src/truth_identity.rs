//! Truth of lists, dicts and sets, and identity of these and of generators.

use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, generator};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Value};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(
        Key::Compare(CompareOp::Is),
        Rule::Generic(|types, args| identity(types, args, |emit, args| same_block(emit, args, IntCond::Eq))),
    );
    catalog.add(
        Key::Compare(CompareOp::IsNot),
        Rule::Generic(|types, args| identity(types, args, |emit, args| same_block(emit, args, IntCond::Ne))),
    );
}

fn identity(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let is_block = types.contents(a).is_some() || generator::parts_of(types, a).is_some();
    (a == b && is_block).then(|| Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn same_block(emit: &mut Emit<'_>, args: &[Operand], condition: IntCond) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.icmp(condition, args[0].value(), args[1].value())))
}

/// Whether a length is 0, or is not.
pub(crate) fn compare_with_zero(emit: &mut Emit<'_>, length: Value, condition: IntCond) -> Operand {
    let zero = emit.b.iconst(Native::I64, 0);
    Operand::single(Type::BOOL, emit.b.icmp(condition, length, zero))
}
