//! `sum`, `any` and `all` of tuples and iterables.

use crate::compensated_sum::{self, Sum};
use crate::emit_helpers::*;
use crate::range::range_index;
use crate::range_sequence::length;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, cast};
use diag::Result;
use ir::{BinaryOp, BlockCall, IntCond, Native, Op, UnaryOp, Value, ValueType};
use types::{Type, TypeTable};

const ADD: Key = Key::Binary(BinaryOp::Add);
const TRUTH: Key = Key::Unary(UnaryOp::Bool);

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_nested("builtins.sum", resolve_sum_of_tuple);
    catalog.add_nested("builtins.sum", resolve_sum_of_range);
    catalog.add_nested("builtins.sum", resolve_sum);
    catalog.add_nested("builtins.any", |c, t, a| resolve_truths(c, t, a, [any_of_tuple, any_of_items]));
    catalog.add_nested("builtins.all", |c, t, a| resolve_truths(c, t, a, [all_of_tuple, all_of_items]));
    catalog.state(&[
        ("builtins.sum", "returns=item:iterable@0,start@1 exhausts=iterable@0"),
        ("builtins.any", "exhausts=iterable@0:True"),
        ("builtins.all", "exhausts=iterable@0:False"),
    ]);
}

/// What is summed up, and the type of what the sum starts from.
fn sum_arguments(types: &TypeTable, args: &[Type]) -> Option<(Type, Type)> {
    match *args {
        [of] => Some((of, Type::INT64)),
        [of, start] => Some((of, types.unliteral(start))),
        _ => None,
    }
}

fn start(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let start = args.get(1).cloned();
    let zero = emit.b.iconst(Native::I64, 0);
    Ok(start.unwrap_or_else(|| Operand::single(Type::INT64, zero)))
}

fn sum_params(args: &[Type], start: Type) -> Vec<Type> {
    [args[0]].into_iter().chain(args.get(1).map(|_| start)).collect()
}

fn resolve_sum_of_tuple(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (tuple, start) = sum_arguments(types, args)?;
    let elements = types.elements(tuple)?;
    let result = elements
        .iter()
        .try_fold(start, |sum, &element| Some(catalog.resolve(types, &ADD, &[sum, element])?.result))?;
    Some(Resolution { result, params: sum_params(args, start), emit: sum_of_tuple })
}

fn sum_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let start = start(emit, args)?;
    let mut sum = Sum::new(emit, start);
    for element in elements(emit, &args[0]) {
        sum.add(emit, &element)?;
    }
    Ok(sum.finish(emit))
}

/// A range summed into an integer, which wraps however the terms are ordered.
fn resolve_sum_of_range(_: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (range, start) = sum_arguments(types, args)?;
    let index = range_index(types, &[range])?;
    let signed = is_signed(index);
    let same = start == Type::BOOL || start.as_int().is_some_and(|(_, sign)| sign) == signed;
    // Without a start the sum begins with an integer of Python.
    let same = same || args.len() == 1 && index != Type::UINT64;
    let result = Type::int(64, signed);
    same.then(|| Resolution { result, params: sum_params(args, result), emit: sum_of_range })
}

/// count * first + step * (count * (count - 1) / 2), of which the even factor is halved.
fn sum_of_range(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let range = &args[0];
    let index =
        range_index(emit.types, &[range.ty]).ok_or_else(|| unexpected("a sum of what is no range"))?;
    let wide = Type::int(64, is_signed(index));
    let count = length(emit, range)?;
    let first = cast(emit, &Operand::single(index, range.parts[0]), wide)?.value();
    let step = cast(emit, &Operand::single(index, range.parts[2]), wide)?.value();
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let before = emit.b.like_first(Op::Isub, &[count, one]);
    let low = emit.b.like_first(Op::Iand, &[count, one]);
    let even = emit.b.icmp(IntCond::Eq, low, zero);
    let (halved, other) = (emit.b.select(even, count, before), emit.b.select(even, before, count));
    let half = emit.b.like_first(Op::Ushr, &[halved, one]);
    let pairs = emit.b.like_first(Op::Imul, &[half, other]);
    let steps = emit.b.like_first(Op::Imul, &[pairs, step]);
    let firsts = emit.b.like_first(Op::Imul, &[first, count]);
    let sum = emit.b.like_first(Op::Iadd, &[firsts, steps]);
    let start = start(emit, args)?.value();
    let sum = emit.b.like_first(Op::Iadd, &[sum, start]);
    single(wide, sum)
}

/// The type of the items of what is iterated over, if it is.
fn item_type(catalog: &Catalog, types: &TypeTable, of: Type) -> Option<Type> {
    let iterator = catalog.resolve(types, &Key::Getiter, &[of])?.result;
    Some(catalog.resolve(types, &Key::Iternext, &[iterator])?.result)
}

/// The type of a sum of items, which the type of a sum and an item is again.
fn sum_type(catalog: &Catalog, types: &TypeTable, of: Type, start: Type) -> Option<Type> {
    let item = item_type(catalog, types, of)?;
    let sum = catalog.resolve(types, &ADD, &[start, item])?.result;
    (catalog.resolve(types, &ADD, &[sum, item])?.result == sum).then_some(sum)
}

fn resolve_sum(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (of, start) = sum_arguments(types, args)?;
    let result = sum_type(catalog, types, of, start)?;
    // A number is no first sum of arrays.
    types::convert(types, start, result)?;
    Some(Resolution { result, params: sum_params(args, start), emit: sum_of_items })
}

fn sum_of_items(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let start = start(emit, args)?;
    let ty = sum_type(emit.catalog, emit.types, args[0].ty, start.ty)
        .ok_or_else(|| unexpected("a sum without a type"))?;
    let item = item_type(emit.catalog, emit.types, args[0].ty).unwrap_or(Type::UNDEFINED);
    if compensated_sum::is_compensated(emit, start.ty, item, args[0].ty) {
        let start = compensated_sum::carried(emit, &start)?;
        let sum =
            fold(emit, &args[0], start, |emit, sum, item| Ok(compensated_sum::carry(emit, &sum, &item)))?;
        return compensated_sum::carried_sum(emit, &sum);
    }
    let start = cast(emit, &start, ty)?;
    fold(emit, &args[0], start, |emit, sum, item| emit.call(&ADD, &[sum, item]))
}

/// A loop over the items that carries a value along.
pub(crate) fn fold(
    emit: &mut Emit<'_>,
    iterable: &Operand,
    start: Operand,
    body: impl FnOnce(&mut Emit<'_>, Operand, Operand) -> Result<Operand>,
) -> Result<Operand> {
    let iterator = emit.call(&Key::Getiter, std::slice::from_ref(iterable))?;
    let (head, done) = (emit.b.new_block(), emit.b.new_block());
    emit.b.jump(head, &start.parts);
    let natives: Vec<Native> = start.parts.iter().map(|&part| emit.b.func.native(part)).collect();
    let params: Vec<Value> =
        natives.iter().map(|&native| emit.b.func.add_param(head, ValueType::Native(native))).collect();
    let carried = Operand::new(start.ty, params);
    emit.b.switch_to(head);
    let made_before = emit.refs.temporaries.len();
    let item = emit.next_item(&iterator, done)?;
    let next = body(emit, carried.clone(), item)?;
    let kept = emit.owners(&next);
    emit.release_temporaries(made_before, &kept);
    if kept.is_empty() {
        emit.poll();
    }
    emit.b.jump(head, &next.parts);
    emit.b.switch_to(done);
    Ok(carried)
}

/// `emits`: of a tuple, of what can be iterated over.
fn resolve_truths(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    emits: [EmitFn; 2],
) -> Option<Resolution> {
    let [of] = *args else { return None };
    let emit = match types.elements(of) {
        Some(elements) => {
            for &element in elements.iter() {
                catalog.resolve(types, &TRUTH, &[element])?;
            }
            emits[0]
        }
        None => {
            let iterator = catalog.resolve(types, &Key::Getiter, &[of])?.result;
            let item = catalog.resolve(types, &Key::Iternext, &[iterator])?.result;
            catalog.resolve(types, &TRUTH, &[item])?;
            emits[1]
        }
    };
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn truths(emit: &mut Emit<'_>, tuple: &Operand) -> Result<Vec<Value>> {
    elements(emit, tuple).into_iter().map(|element| Ok(emit.call(&TRUTH, &[element])?.value())).collect()
}

fn any_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let const_false = emit.b.bool(false);
    let value = truths(emit, &args[0])?.into_iter().fold(const_false, |any, truth| bool_or(emit, any, truth));
    single(Type::BOOL, value)
}

fn all_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let const_true = emit.b.bool(true);
    let value = truths(emit, &args[0])?.into_iter().fold(const_true, |all, truth| bool_and(emit, all, truth));
    single(Type::BOOL, value)
}

fn any_of_items(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    until(emit, &args[0], true)
}

fn all_of_items(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    until(emit, &args[0], false)
}

/// `stop` if an item with this truth value comes, after which no other is asked for.
fn until(emit: &mut Emit<'_>, of: &Operand, stop: bool) -> Result<Operand> {
    let iterator = emit.call(&Key::Getiter, std::slice::from_ref(of))?;
    let [head, again, found, ended, join] = std::array::from_fn(|_| emit.b.new_block());
    emit.b.jump(head, &[]);
    emit.b.switch_to(head);
    let made_before = emit.refs.temporaries.len();
    let item = emit.next_item(&iterator, ended)?;
    let truth = emit.call(&TRUTH, &[item])?.value();
    emit.release_temporaries(made_before, &[]);
    let (const_true, const_false) = if stop { (found, again) } else { (again, found) };
    emit.b.branch(truth, BlockCall::new(const_true, []), BlockCall::new(const_false, []));
    emit.b.switch_to(again);
    emit.poll();
    emit.b.jump(head, &[]);
    for (block, result) in [(found, stop), (ended, !stop)] {
        emit.b.switch_to(block);
        let result = emit.b.bool(result);
        emit.b.jump(join, &[result]);
    }
    let result = emit.b.func.add_param(join, ValueType::Native(Native::I1));
    emit.b.switch_to(join);
    single(Type::BOOL, result)
}
