//! `range` as a sequence: truth, items, slices, membership, comparison, `index`, `count`, `reversed`.

use crate::emit_helpers::*;
use crate::range::{count, iterator, range_index};
use abi::ExceptionClass::{IndexError, ValueError};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{CompareOp, FloatCond, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_item));
    catalog.add(Key::Getitem, Rule::Generic(resolve_slice));
    catalog.add(Key::Compare(CompareOp::In), Rule::Generic(|t, a| resolve_contains(t, a, contains)));
    catalog.add(Key::Compare(CompareOp::Eq), Rule::Generic(|t, a| resolve_equal(t, a, equal)));
    catalog.add(
        Key::Compare(CompareOp::Ne),
        Rule::Generic(|t, a| {
            resolve_equal(t, a, |emit, args| {
                let same = equal(emit, args)?.value();
                let differ = bool_not(emit, same);
                single(Type::BOOL, differ)
            })
        }),
    );
    catalog.add_generic("method.index", |types, args| resolve_method(types, args, index));
    catalog.add_generic("method.count", |types, args| resolve_method(types, args, occurrences));
    catalog.add_generic("builtins.reversed", resolve_reversed);
}

fn index_type(emit: &Emit<'_>, range: Type) -> Result<Type> {
    range_index(emit.types, &[range]).ok_or_else(|| unexpected("an item of what is no range"))
}

/// How many values, as int64.
pub(crate) fn length(emit: &mut Emit<'_>, range: &Operand) -> Result<Value> {
    Ok(crate::range::length(emit, std::slice::from_ref(range))?.value())
}

/// Whether there is a value.
pub(crate) fn is_filled(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let count = length(emit, &args[0])?;
    let zero = emit.b.iconst(Native::I64, 0);
    let filled = emit.b.icmp(IntCond::Ne, count, zero);
    single(Type::BOOL, filled)
}

/// Value number `at`, counted with wrapping.
pub(crate) fn value_at(emit: &mut Emit<'_>, range: &Operand, at: Value) -> Value {
    let native = emit.b.func.native(range.parts[0]);
    let at = if native == Native::I64 { at } else { emit.b.convert(Op::Trunc, at, native) };
    let offset = emit.b.like_first(Op::Imul, &[at, range.parts[2]]);
    emit.b.like_first(Op::Iadd, &[range.parts[0], offset])
}

fn resolve_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [range, at] = *args else { return None };
    let result = range_index(types, &[range])?;
    let at = types.unliteral(at);
    let emit: EmitFn = |emit, args| {
        let length = length(emit, &args[0])?;
        let zero = emit.b.iconst(Native::I64, 0);
        let at = args[1].value();
        let negative = emit.b.icmp(IntCond::Slt, at, zero);
        let moved = emit.b.like_first(Op::Iadd, &[at, length]);
        let at = emit.b.select(negative, moved, at);
        let outside = emit.b.icmp(IntCond::Uge, at, length);
        emit.raise_if(outside, IndexError, "range object index out of range");
        let value = value_at(emit, &args[0], at);
        single(index_type(emit, args[0].ty)?, value)
    };
    let known = at.is_int() || at == Type::BOOL;
    known.then(|| Resolution { result, params: vec![range, Type::INT64], emit })
}

fn resolve_slice(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [range, slice] = *args else { return None };
    range_index(types, &[range])?;
    let TypeData::LiteralSlice { step, .. } = types.get(slice) else { return None };
    (step != Some(0)).then(|| Resolution { result: range, params: args.to_vec(), emit: slice_of })
}

/// A slice of a range is a range: its ends are values of the range at the slice's ends.
fn slice_of(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::LiteralSlice { start, stop, step } = emit.types.get(args[1].ty) else {
        return Err(unexpected("a slice that is not constant"));
    };
    let step = step.unwrap_or(1);
    let length = length(emit, &args[0])?;
    let one = emit.b.iconst(Native::I64, 1);
    let (low, high) = if step > 0 {
        (emit.b.iconst(Native::I64, 0), length)
    } else {
        (emit.b.iconst(Native::I64, -1), emit.b.like_first(Op::Isub, &[length, one]))
    };
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let from = start.map_or(first, |part| clamped(emit, part, length, low, high));
    let to = stop.map_or(last, |part| clamped(emit, part, length, low, high));
    let (from, to) = (value_at(emit, &args[0], from), value_at(emit, &args[0], to));
    let native = emit.b.func.native(args[0].parts[2]);
    let step = if native == Native::I32 { i64::from(step as i32) } else { step };
    let times = emit.b.iconst(native, step);
    let step = emit.b.like_first(Op::Imul, &[args[0].parts[2], times]);
    Ok(Operand::new(args[0].ty, [from, to, step]))
}

/// A constant end of a slice, counted from the front and kept between the bounds.
fn clamped(emit: &mut Emit<'_>, part: i64, length: Value, low: Value, high: Value) -> Value {
    let part_value = emit.b.iconst(Native::I64, part);
    if part >= 0 {
        let beyond = emit.b.icmp(IntCond::Sgt, part_value, high);
        return emit.b.select(beyond, high, part_value);
    }
    let moved = emit.b.like_first(Op::Iadd, &[part_value, length]);
    let below = emit.b.icmp(IntCond::Slt, moved, low);
    emit.b.select(below, low, moved)
}

fn resolve_contains(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [item, range] = *args else { return None };
    let index = range_index(types, &[range])?;
    // Narrow ranges are looked at in 64 bits.
    let wide = types.intern(TypeData::Range(Type::int(64, is_signed(index))));
    let item = match types.unliteral(item) {
        Type::BOOL => Type::INT64,
        ty if ty.is_int() => Type::int(64, is_signed(ty)),
        ty if ty.is_float() => Type::FLOAT64,
        ty if ty.is_complex() => Type::COMPLEX128,
        _ => return None,
    };
    Some(Resolution { result: Type::BOOL, params: vec![item, wide], emit })
}

fn contains(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if args[0].ty.is_complex() {
        let &[real, imag] = &args[0].parts[..] else {
            return Err(unexpected("a complex number of one part"));
        };
        let real = Operand::single(Type::FLOAT64, real);
        let found = contains(emit, &[real, args[1].clone()])?.value();
        let zero = emit.b.fconst(Native::F64, 0.0);
        let is_real = emit.b.fcmp(FloatCond::Eq, imag, zero);
        let found = bool_and(emit, found, is_real);
        return single(Type::BOOL, found);
    }
    if !args[0].ty.is_float() {
        let found = contains_int(emit, &args[0], &args[1])?;
        return single(Type::BOOL, found);
    }
    // A float that is an integer of 64 bits is looked for as that integer.
    let value = args[0].value();
    let signed = is_signed(index_type(emit, args[1].ty)?);
    let (op, ty, back) = if signed {
        (Op::FloatToSint, Type::INT64, Op::SintToFloat)
    } else {
        (Op::FloatToUint, Type::UINT64, Op::UintToFloat)
    };
    let int = emit.b.convert(op, value, Native::I64);
    let again = emit.b.convert(back, int, Native::F64);
    let exact = emit.b.fcmp(FloatCond::Eq, again, value);
    let limit =
        emit.b.fconst(Native::F64, if signed { 9223372036854775808.0 } else { 18446744073709551616.0 });
    let fits = emit.b.fcmp(FloatCond::Lt, value, limit);
    let found = contains_int(emit, &Operand::single(ty, int), &args[1])?;
    let known = bool_and(emit, exact, fits);
    let found = bool_and(emit, known, found);
    single(Type::BOOL, found)
}

fn contains_int(emit: &mut Emit<'_>, item: &Operand, range: &Operand) -> Result<Value> {
    let signed = is_signed(index_type(emit, range.ty)?);
    let x = item.value();
    let [start, stop, step] = [range.parts[0], range.parts[1], range.parts[2]];
    let zero = emit.b.iconst(Native::I64, 0);
    let down = if signed { emit.b.icmp(IntCond::Slt, step, zero) } else { emit.b.bool(false) };
    let (from, to) = (emit.b.select(down, x, start), emit.b.select(down, start, x));
    let (less, below) = if signed { (IntCond::Sle, IntCond::Slt) } else { (IntCond::Ule, IntCond::Ult) };
    let behind_start = emit.b.icmp(less, from, to);
    let (low, high) = (emit.b.select(down, stop, x), emit.b.select(down, x, stop));
    let before_stop = emit.b.icmp(below, low, high);
    let distance = emit.b.like_first(Op::Isub, &[to, from]);
    let negated = emit.b.like_first(Op::Isub, &[zero, step]);
    let size = emit.b.select(down, negated, step);
    let rest = emit.b.like_first(Op::Urem, &[distance, size]);
    let hit = emit.b.icmp(IntCond::Eq, rest, zero);
    let inside = bool_and(emit, behind_start, before_stop);
    let mut found = bool_and(emit, inside, hit);
    if signed != is_signed(item.ty) {
        // Of mixed signs only what is not negative can be equal.
        let natural = emit.b.icmp(IntCond::Sge, x, zero);
        found = bool_and(emit, found, natural);
    }
    Ok(found)
}

fn resolve_method(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [range, item] = *args else { return None };
    let mut resolution = resolve_contains(types, &[item, range], emit)?;
    // A float is rounded down to its integer only where it is found, so the same conversion serves.
    resolution.params.reverse();
    resolution.result = Type::INT64;
    Some(resolution)
}

fn occurrences(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let found = contains(emit, &[args[1].clone(), args[0].clone()])?;
    cast(emit, &found, Type::INT64)
}

fn index(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let found = contains(emit, &[args[1].clone(), args[0].clone()])?.value();
    let missing = bool_not(emit, found);
    let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(missing, ir::BlockCall::new(fail, []), ir::BlockCall::new(go_on, []));
    emit.b.switch_to(fail);
    if args[1].ty.is_float() {
        emit.raise(ValueError, Some("sequence.index(x): x not in sequence"));
    } else {
        let letter = if is_signed(args[1].ty) { "i" } else { "u" };
        emit.raise_payload(ValueError, &format!("[{letter}s16: is not in range]"), &[args[1].value()]);
    }
    emit.b.switch_to(go_on);
    let signed = is_signed(index_type(emit, args[0].ty)?);
    let x = match args[1].ty {
        Type::FLOAT64 if signed => emit.b.convert(Op::FloatToSint, args[1].value(), Native::I64),
        Type::FLOAT64 => emit.b.convert(Op::FloatToUint, args[1].value(), Native::I64),
        _ => args[1].value(),
    };
    let (start, step) = (args[0].parts[0], args[0].parts[2]);
    let zero = emit.b.iconst(Native::I64, 0);
    let down = if signed { emit.b.icmp(IntCond::Slt, step, zero) } else { emit.b.bool(false) };
    let (from, to) = (emit.b.select(down, x, start), emit.b.select(down, start, x));
    let distance = emit.b.like_first(Op::Isub, &[to, from]);
    let negated = emit.b.like_first(Op::Isub, &[zero, step]);
    let size = emit.b.select(down, negated, step);
    let at = emit.b.like_first(Op::Udiv, &[distance, size]);
    single(Type::INT64, at)
}

fn resolve_equal(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let joined = types::unify(types, a, b)?;
    range_index(types, &[joined])?;
    Some(Resolution { result: Type::BOOL, params: vec![joined, joined], emit })
}

/// Ranges are equal as sequences: what they never reach does not matter.
fn equal(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (length(emit, &args[0])?, length(emit, &args[1])?);
    let lengths = emit.b.icmp(IntCond::Eq, a, b);
    let starts = emit.b.icmp(IntCond::Eq, args[0].parts[0], args[1].parts[0]);
    let steps = emit.b.icmp(IntCond::Eq, args[0].parts[2], args[1].parts[2]);
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let empty = emit.b.icmp(IntCond::Eq, a, zero);
    let alone = emit.b.icmp(IntCond::Eq, a, one);
    let steps = bool_or(emit, steps, alone);
    let values = bool_and(emit, starts, steps);
    let values = bool_or(emit, values, empty);
    let same = bool_and(emit, lengths, values);
    single(Type::BOOL, same)
}

fn resolve_reversed(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    range_index(types, args)?;
    let result = types.intern(TypeData::Iterator(args[0]));
    Some(Resolution { result, params: args.to_vec(), emit: reversed })
}

fn reversed(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let signed = is_signed(index_type(emit, args[0].ty)?);
    let left = count(emit, &args[0], signed);
    let native = emit.b.func.native(left);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let behind = emit.b.like_first(Op::Isub, &[left, one]);
    let offset = emit.b.like_first(Op::Imul, &[behind, args[0].parts[2]]);
    let last = emit.b.like_first(Op::Iadd, &[args[0].parts[0], offset]);
    let step = emit.b.like_first(Op::Isub, &[zero, args[0].parts[2]]);
    iterator(emit, args[0].ty, last, left, step)
}
