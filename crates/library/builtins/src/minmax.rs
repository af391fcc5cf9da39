//! `min` and `max`: of several values, of a tuple, of a range.
//!
//! As in Python the first of equal values is kept, and a comparison with NaN is false.

use crate::emit_helpers::*;
use crate::range::range_index;
use crate::range_sequence::{length, value_at};
use abi::ExceptionClass::ValueError;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution};
use diag::Result;
use ir::{CompareOp, FloatCond, IntCond, Native, Op, UnaryOp};
use types::{Type, TypeTable};

const TRUTH: Key = Key::Unary(UnaryOp::Bool);

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_nested("builtins.min", |catalog, types, args| {
        resolve(catalog, types, args, CompareOp::Lt, [minimum, minimum_of_tuple, minimum_of_range])
    });
    catalog
        .add_nested("builtins.min.by_key", |catalog, types, args| {
            resolve_by_key(catalog, types, args, CompareOp::Lt, |emit, args| {
                best_by_key(emit, args, CompareOp::Lt)
            })
        })
        .reads();
    catalog
        .add_nested("builtins.max.by_key", |catalog, types, args| {
            resolve_by_key(catalog, types, args, CompareOp::Gt, |emit, args| {
                best_by_key(emit, args, CompareOp::Gt)
            })
        })
        .reads();
    catalog.add_nested("builtins.max", |catalog, types, args| {
        resolve(catalog, types, args, CompareOp::Gt, [maximum, maximum_of_tuple, maximum_of_range])
    });
    let facts = "returns=any:*values@0,default@- calls=key@- exhausts=values@0:tuple chooses";
    catalog.state(&[("builtins.min", facts), ("builtins.max", facts)]);
}

/// Of n values and n keys the value with the best key.
fn resolve_by_key(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    better: CompareOp,
    emit: EmitFn,
) -> Option<Resolution> {
    let (values, keys) = args.split_at(args.len() / 2);
    let result = values
        .iter()
        .try_fold(types.unliteral(*values.first()?), |joined, &ty| types::unify(types, joined, ty))?;
    let key = join(catalog, types, keys, better)?;
    let params = values.iter().map(|_| result).chain(keys.iter().map(|_| key)).collect();
    Some(Resolution { result, params, emit })
}

fn best_by_key(emit: &mut Emit<'_>, args: &[Operand], better: CompareOp) -> Result<Operand> {
    let (values, keys) = args.split_at(args.len() / 2);
    let (mut kept, mut kept_key) = (values[0].clone(), keys[0].clone());
    for (value, key) in values.iter().zip(keys).skip(1) {
        let comparison = emit.call(&Key::Compare(better), &[key.clone(), kept_key.clone()])?;
        let found = emit.call(&TRUTH, &[comparison])?.value();
        kept = choose(emit, found, value, &kept);
        kept_key = choose(emit, found, key, &kept_key);
    }
    Ok(kept)
}

/// `emits`: of several values, of the elements of a tuple, of a range.
fn resolve(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    better: CompareOp,
    emits: [EmitFn; 3],
) -> Option<Resolution> {
    let [many, tuple, range] = emits;
    if let Some(index) = range_index(types, args) {
        return Some(Resolution { result: index, params: args.to_vec(), emit: range });
    }
    if let [only] = *args {
        let elements = types.elements(only)?;
        let joined = join(catalog, types, &elements, better)?;
        return Some(Resolution { result: joined, params: vec![only], emit: tuple });
    }
    let joined = join(catalog, types, args, better)?;
    Some(Resolution { result: joined, params: args.to_vec(), emit: many })
}

/// The type that holds each of the values, if values of it can be compared.
fn join(catalog: &Catalog, types: &TypeTable, all: &[Type], better: CompareOp) -> Option<Type> {
    let (&first, rest) = all.split_first()?;
    let first = types.unliteral(first);
    let joined = rest.iter().try_fold(first, |joined, &ty| types::unify(types, joined, ty))?;
    let comparison = catalog.resolve(types, &Key::Compare(better), &[joined, joined])?;
    catalog.resolve(types, &TRUTH, &[comparison.result])?;
    Some(joined)
}

fn minimum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    best(emit, args, CompareOp::Lt, (IntCond::Slt, IntCond::Ult, FloatCond::Lt))
}

fn maximum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    best(emit, args, CompareOp::Gt, (IntCond::Sgt, IntCond::Ugt, FloatCond::Gt))
}

fn minimum_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let all = elements(emit, &args[0]);
    minimum(emit, &all)
}

fn maximum_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let all = elements(emit, &args[0]);
    maximum(emit, &all)
}

/// Values converted to the type that holds each.
fn converted(emit: &mut Emit<'_>, all: &[Operand]) -> Result<Vec<Operand>> {
    let first = emit.types.unliteral(all[0].ty);
    let joined = all.iter().try_fold(first, |joined, item| types::unify(emit.types, joined, item.ty));
    let joined = joined.ok_or_else(|| unexpected("elements that have no common type"))?;
    all.iter().map(|item| emit.cast_exactly(item, joined)).collect()
}

/// Goes through the values and takes each that is better than what was kept so far.
fn best(
    emit: &mut Emit<'_>,
    args: &[Operand],
    better: CompareOp,
    (signed, unsigned, float): (IntCond, IntCond, FloatCond),
) -> Result<Operand> {
    let args = converted(emit, args)?;
    let ty = args[0].ty;
    let mut kept = args[0].clone();
    for next in &args[1..] {
        let found = match ty.as_int() {
            Some((_, true)) => emit.b.icmp(signed, next.value(), kept.value()),
            Some(_) => emit.b.icmp(unsigned, next.value(), kept.value()),
            None if matches!(ty, Type::FLOAT32 | Type::FLOAT64) => {
                emit.b.fcmp(float, next.value(), kept.value())
            }
            None => {
                let comparison = emit.call(&Key::Compare(better), &[next.clone(), kept.clone()])?;
                emit.call(&TRUTH, &[comparison])?.value()
            }
        };
        kept = choose(emit, found, next, &kept);
    }
    Ok(kept)
}

fn minimum_of_range(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    end_of_range(emit, &args[0], true)
}

fn maximum_of_range(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    end_of_range(emit, &args[0], false)
}

/// The first or the last value, by the direction of the range.
fn end_of_range(emit: &mut Emit<'_>, range: &Operand, least: bool) -> Result<Operand> {
    let name = if least { "min" } else { "max" };
    let empty = match emit.catalog.python_minor {
        ..12 => format!("{name}() arg is an empty sequence"),
        _ => format!("{name}() iterable argument is empty"),
    };
    let index =
        range_index(emit.types, &[range.ty]).ok_or_else(|| unexpected("an end of what is no range"))?;
    let length = length(emit, range)?;
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let none = emit.b.icmp(IntCond::Eq, length, zero);
    emit.raise_if(none, ValueError, &empty);
    let behind = emit.b.like_first(Op::Isub, &[length, one]);
    let last = value_at(emit, range, behind);
    let native = emit.b.func.native(last);
    let zero = emit.b.iconst(native, 0);
    let condition = if is_signed(index) { IntCond::Slt } else { IntCond::Ult };
    let down = emit.b.icmp(condition, range.parts[2], zero);
    let first = range.parts[0];
    let value = if least { emit.b.select(down, last, first) } else { emit.b.select(down, first, last) };
    single(index, value)
}
