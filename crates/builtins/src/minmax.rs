//! `min` and `max` of two or more numbers.
//!
//! As in Python the first of equal values is kept, and a comparison with NaN is false.

use crate::emit_util::single;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::Result;
use ir::{FloatCond, IntCond};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.min", |types, args| resolve(types, args, minimum));
    catalog.add_generic("builtins.max", |types, args| resolve(types, args, maximum));
}

fn resolve(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [first, rest @ ..] = args else { return None };
    if rest.is_empty() {
        return None;
    }
    let joined =
        rest.iter().try_fold(types.unliteral(*first), |joined, &ty| types::unify(types, joined, ty))?;
    let real = joined.is_int() || joined.is_float() || joined == Type::BOOL;
    real.then(|| Resolution { result: joined, params: vec![joined; args.len()], emit })
}

fn minimum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    choose(emit, args, IntCond::Slt, IntCond::Ult, FloatCond::Lt)
}

fn maximum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    choose(emit, args, IntCond::Sgt, IntCond::Ugt, FloatCond::Gt)
}

/// Goes through the arguments and takes each that is better than what was kept so far.
fn choose(
    emit: &mut Emit<'_>,
    args: &[Operand],
    signed: IntCond,
    unsigned: IntCond,
    float: FloatCond,
) -> Result<Operand> {
    let ty = args[0].ty;
    let mut kept = args[0].value();
    for next in args[1..].iter().map(Operand::value) {
        let better = match ty.as_int() {
            Some((_, true)) => emit.b.icmp(signed, next, kept),
            None if ty.is_float() => emit.b.fcmp(float, next, kept),
            _ => emit.b.icmp(unsigned, next, kept),
        };
        kept = emit.b.select(better, next, kept);
    }
    single(ty, kept)
}
