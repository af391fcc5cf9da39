//! `a is b` of arrays, and whether two arrays share memory.
//!
//! An array is represented by its parts, so two arrays are identical if all their parts are the same: a full slice is the array
//! itself, a copy or another shape of the same memory is not.

use crate::setitem::overlap;
use catalog::array::ArrayParts;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, IntCond, Op};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Compare(CompareOp::Is), Rule::Generic(|types, args| identity(types, args, true)));
    catalog.add(Key::Compare(CompareOp::IsNot), Rule::Generic(|types, args| identity(types, args, false)));
    catalog.add_generic("rumba.overlap", resolve_overlap).reads();
}

/// Whether the memory between the first and the last items of two arrays meets: a parallel loop asks that adds up arrays.
fn resolve_overlap(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    (types.array(a)?, types.array(b)?);
    let emit: EmitFn = |emit, args| {
        let (a, b) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
        Ok(Operand::single(Type::BOOL, overlap(emit, &a, &b)?))
    };
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn identity(types: &TypeTable, args: &[Type], same: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let (first, second) = (types.array(a)?, types.array(b)?);
    let params = args.to_vec();
    if first != second {
        let emit: EmitFn = if same { |emit, _| known(emit, false) } else { |emit, _| known(emit, true) };
        return Some(Resolution { result: types.literal_bool(!same), params, emit });
    }
    let emit: EmitFn = if same { is } else { is_not };
    Some(Resolution { result: Type::BOOL, params, emit })
}

fn known(emit: &mut Emit<'_>, truth: bool) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.bool(truth)))
}

fn is(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    let mut same = emit.b.icmp(IntCond::Eq, a.data, b.data);
    let pairs = [(a.owner, b.owner)].into_iter();
    for (x, y) in pairs.chain(a.shape.into_iter().zip(b.shape)).chain(a.strides.into_iter().zip(b.strides)) {
        let equal = emit.b.icmp(IntCond::Eq, x, y);
        same = emit.b.like_first(Op::Iand, &[same, equal]);
    }
    Ok(Operand::single(Type::BOOL, same))
}

fn is_not(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let same = is(emit, args)?.value();
    let one = emit.b.bool(true);
    Ok(Operand::single(Type::BOOL, emit.b.like_first(Op::Ixor, &[same, one])))
}
