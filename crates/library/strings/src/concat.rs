//! Concatenation: `a + b`, `a * n`, and the pieces of an f-string.

use crate::layout::{Parts, is_text, make, resolution};
use abi::Runtime;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{BinaryOp, Native};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Binary(BinaryOp::Add), Rule::Generic(resolve_add));
    catalog.add(Key::Binary(BinaryOp::Mul), Rule::Generic(resolve_repeat));
    catalog.add_generic("rumba.concatenate", resolve_concatenate);
}

fn resolve_add(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let texts = is_text(types, a) && is_text(types, b);
    if texts { resolution(Type::STR, &[Type::STR; 2], concatenate_two) } else { None }
}

fn concatenate_two(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    Ok(concatenate_parts(emit, Parts::of(&args[0]), Parts::of(&args[1])))
}

/// One string and another.
pub(crate) fn concatenate_parts(emit: &mut Emit<'_>, a: Parts, b: Parts) -> Operand {
    make(emit, Runtime::TextAdd, &[a.all(), b.all()].concat())
}

fn resolve_repeat(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let count = |ty: Type| types.unliteral(ty).is_int() || types.unliteral(ty) == Type::BOOL;
    if is_text(types, a) && count(b) {
        resolution(Type::STR, &[Type::STR, Type::INT64], |emit, args| repeat(emit, &args[0], &args[1]))
    } else if count(a) && is_text(types, b) {
        resolution(Type::STR, &[Type::INT64, Type::STR], |emit, args| repeat(emit, &args[1], &args[0]))
    } else {
        None
    }
}

fn repeat(emit: &mut Emit<'_>, text: &Operand, count: &Operand) -> Result<Operand> {
    let [owner, data, meta] = Parts::of(text).all();
    Ok(make(emit, Runtime::TextRepeat, &[owner, data, meta, count.value()]))
}

/// Any number of strings.
fn resolve_concatenate(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let texts = args.iter().all(|&ty| is_text(types, ty));
    if texts { resolution(Type::STR, &vec![Type::STR; args.len()], concatenate) } else { None }
}

fn concatenate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let slot = emit.frame_slot(24 * args.len().max(1) as u32);
    for (number, part) in args.iter().flat_map(|arg| &arg.parts).enumerate() {
        emit.b.store(slot, 8 * number as i64, *part);
    }
    let count = emit.b.iconst(Native::I64, args.len() as i64);
    Ok(make(emit, Runtime::TextConcatenate, &[slot, count]))
}
