//! `range`: construction, iteration, length, attributes. (As a sequence: `range_sequence`.)
//!
//! A range is its start, stop and step. Its iterator keeps the next value, the step and the number of remaining
//! values, computed once at the start, so that no step can overflow past the stop.

use crate::emit_helpers::*;
use abi::ExceptionClass::ValueError;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.range", resolve_range).reads();
    // A `for` over it is parallel where the function is compiled so, and like one over `range` elsewhere.
    catalog.add_generic("rumba.prange", resolve_range).reads();
    catalog.add(Key::Getiter, Rule::Generic(resolve_getiter));
    catalog.add(Key::Iternext, Rule::Generic(resolve_iternext));
    catalog
        .add_generic("builtins.len", |types, args| {
            let index = range_index(types, args)?;
            let range = types.intern(TypeData::Range(index));
            Some(Resolution { result: Type::INT64, params: vec![range], emit: length })
        })
        .reads();
    for (part, name) in ["start", "stop", "step"].into_iter().enumerate() {
        let resolve: fn(&TypeTable, &[Type]) -> Option<Resolution> = match part {
            0 => |types, args| attribute(types, args, |_, args| single_part(args, 0)),
            1 => |types, args| attribute(types, args, |_, args| single_part(args, 1)),
            _ => |types, args| attribute(types, args, |_, args| single_part(args, 2)),
        };
        catalog.add(Key::Getattr(name.into()), Rule::Generic(resolve));
    }
}

/// The integer type of the only argument if that is a range.
pub(crate) fn range_index(types: &TypeTable, args: &[Type]) -> Option<Type> {
    let [ty] = *args else { return None };
    match types.get(ty) {
        TypeData::Range(index) => Some(index),
        _ => None,
    }
}

fn attribute(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let index = range_index(types, args)?;
    Some(Resolution { result: index, params: args.to_vec(), emit })
}

fn single_part(args: &[Operand], part: usize) -> Result<Operand> {
    // The parts of a range are of its integer type; the caller knows it from the resolution.
    Ok(Operand::new(Type::INT64, [args[0].parts[part]]))
}

fn resolve_range(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    if args.is_empty() || args.len() > 3 {
        return None;
    }
    let plain: Vec<Type> = args.iter().map(|&ty| types.unliteral(ty)).collect();
    if !plain.iter().all(|ty| ty.is_int() || *ty == Type::BOOL) {
        return None;
    }
    // Unsigned only if a value may need it: narrower unsigned integers fit signed ones, which go
    // together with Python's integers, and so do literals that are not negative.
    let natural = |i: usize| matches!(types.literal(args[i]), Some(LiteralValue::Int(0..)));
    let wide = plain.contains(&Type::UINT64);
    let index = if plain.iter().all(|ty| ty.as_int().is_some_and(|(bits, signed)| signed && bits <= 32)) {
        Type::INT32
    } else if wide
        && (0..args.len()).all(|i| natural(i) || plain[i].as_int().is_some_and(|(_, signed)| !signed))
    {
        Type::UINT64
    } else {
        Type::INT64
    };
    let result = types.intern(TypeData::Range(index));
    Some(Resolution { result, params: vec![index; args.len()], emit: make_range })
}

fn make_range(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let native = emit.b.func.native(args[0].value());
    let zero = emit.b.iconst(native, 0);
    let one = emit.b.iconst(native, 1);
    let parts = match args {
        [stop] => [zero, stop.value(), one],
        [start, stop] => [start.value(), stop.value(), one],
        _ => {
            let step = args[2].value();
            let is_zero = emit.b.icmp(IntCond::Eq, step, zero);
            emit.raise_if(is_zero, ValueError, "range() arg 3 must not be zero");
            [args[0].value(), args[1].value(), step]
        }
    };
    let ty = emit.types.intern(TypeData::Range(args[0].ty));
    Ok(Operand::new(ty, parts))
}

/// How many values a range has, as an unsigned number of the index's width.
pub(crate) fn count(emit: &mut Emit<'_>, range: &Operand, signed: bool) -> Value {
    let [start, stop, step] = [range.parts[0], range.parts[1], range.parts[2]];
    let native = emit.b.func.native(start);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let less = if signed { IntCond::Slt } else { IntCond::Ult };
    if emit.b.known_int(step) == Some(1) {
        // The step of nearly every range.
        let any = emit.b.icmp(less, start, stop);
        let span = emit.b.like_first(Op::Isub, &[stop, start]);
        return emit.b.select(any, span, zero);
    }
    let down = if signed { emit.b.icmp(IntCond::Slt, step, zero) } else { emit.b.bool(false) };
    let (low, high) = (emit.b.select(down, stop, start), emit.b.select(down, start, stop));
    let negated = emit.b.like_first(Op::Isub, &[zero, step]);
    let stride = emit.b.select(down, negated, step);
    let any = emit.b.icmp(less, low, high);
    // (high - low - 1) / stride + 1 on unsigned numbers does not overflow where there is any value.
    let span = emit.b.like_first(Op::Isub, &[high, low]);
    let before = emit.b.like_first(Op::Isub, &[span, one]);
    let steps = emit.b.like_first(Op::Udiv, &[before, stride]);
    let all = emit.b.like_first(Op::Iadd, &[steps, one]);
    emit.b.select(any, all, zero)
}

pub(crate) fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Range(index) = emit.types.get(args[0].ty) else {
        return Err(diag::Diagnostic::internal("emission", "len of something that is no range"));
    };
    let count = count(emit, &args[0], is_signed(index));
    let native = emit.b.func.native(count);
    let wide = if native == Native::I64 { count } else { emit.b.convert(Op::Zext, count, Native::I64) };
    single(Type::INT64, wide)
}

fn resolve_getiter(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    range_index(types, args)?;
    let result = types.intern(TypeData::Iterator(args[0]));
    Some(Resolution { result, params: args.to_vec(), emit: start_iteration })
}

/// Offsets of the iterator's state in its slot.
const NEXT: i64 = 0;
const LEFT: i64 = 8;
const STEP: i64 = 16;

fn start_iteration(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Range(index) = emit.types.get(args[0].ty) else {
        return Err(diag::Diagnostic::internal("emission", "iteration over something that is no range"));
    };
    let count = count(emit, &args[0], is_signed(index));
    iterator(emit, args[0].ty, args[0].parts[0], count, args[0].parts[2])
}

/// An iterator over a range that gives `left` values from `next` on.
pub(crate) fn iterator(
    emit: &mut Emit<'_>,
    range: Type,
    next: Value,
    left: Value,
    step: Value,
) -> Result<Operand> {
    let [slot, owner] = emit.iterator_state(24);
    emit.b.store(slot, NEXT, next);
    emit.b.store(slot, LEFT, left);
    emit.b.store(slot, STEP, step);
    let ty = emit.types.intern(TypeData::Iterator(range));
    Ok(Operand::new(ty, [slot, owner]))
}

fn resolve_iternext(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Iterator(range) = types.get(ty) else { return None };
    let TypeData::Range(index) = types.get(range) else { return None };
    Some(Resolution { result: index, params: vec![ty], emit: next })
}

/// The next value. After the end the state stays as it is.
fn next(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Iterator(range) = emit.types.get(args[0].ty) else {
        return Err(diag::Diagnostic::internal("emission", "next of something that is no iterator"));
    };
    let TypeData::Range(index) = emit.types.get(range) else {
        return Err(diag::Diagnostic::internal("emission", "next of something that is no range"));
    };
    let native = emit.machine_types(index)[0];
    let slot = args[0].value();
    let left = emit.b.load(native, slot, LEFT);
    let (zero, one) = (emit.b.iconst(native, 0), emit.b.iconst(native, 1));
    let valid = emit.b.icmp(IntCond::Ne, left, zero);
    emit.exit_iteration_unless(valid)?;
    let value = emit.b.load(native, slot, NEXT);
    let step = emit.b.load(native, slot, STEP);
    let remaining = emit.b.like_first(Op::Isub, &[left, one]);
    let following = emit.b.like_first(Op::Iadd, &[value, step]);
    emit.b.store(slot, NEXT, following);
    emit.b.store(slot, LEFT, remaining);
    single(index, value)
}
