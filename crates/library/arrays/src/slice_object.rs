//! Slices as values: `slice(...)`, the attributes `start`, `stop` and `step`, the method `indices`, `hash`.
//!
//! As in Numba, the attributes are always integers: an omitted bound is the one that the step implies.

use crate::basic_index::bound;
use abi::ExceptionClass::ValueError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, LEFT_OUT, Operand, Resolution, Rule, cast, slice_part};
use diag::Result;
use ir::{IntCond, Native, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.slice", resolve_slice).reads();
    catalog.add_generic("method.indices", resolve_indices);
    catalog.add_nested("builtins.hash", resolve_hash).reads();
    let mut attribute = |name: &str, rule: fn(&TypeTable, &[Type]) -> Option<Resolution>| {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(rule));
    };
    attribute("start", |types, args| resolve_attribute(types, args, |emit, args| part(emit, args, 0)));
    attribute("stop", |types, args| resolve_attribute(types, args, |emit, args| part(emit, args, 1)));
    attribute("step", |types, args| resolve_attribute(types, args, |emit, args| part(emit, args, 2)));
}

fn is_slice(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::Slice { .. } | TypeData::LiteralSlice { .. })
}

/// Start, stop and step among the arguments: each one's number.
fn positions(count: usize) -> [Option<usize>; 3] {
    match count {
        1 => [None, Some(0), None],
        2 => [Some(0), Some(1), None],
        _ => [Some(0), Some(1), Some(2)],
    }
}

/// Whether a type is that of a bound or step.
fn is_bound(types: &TypeTable, ty: Type) -> bool {
    match types.get(types.unliteral(ty)) {
        TypeData::None | TypeData::Bool | TypeData::Int { .. } => true,
        TypeData::Optional(inner) => inner.is_int() || inner == Type::BOOL,
        _ => false,
    }
}

fn resolve_slice(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    if args.is_empty() || args.len() > 3 || !args.iter().all(|&arg| is_bound(types, arg)) {
        return None;
    }
    let mut parts = [None; 3];
    let mut known = true;
    for (part, &arg) in parts.iter_mut().zip(&positions(args.len())).filter_map(|(part, index)| {
        let index = (*index)?;
        Some((part, &args[index]))
    }) {
        match types.literal(arg) {
            Some(LiteralValue::Int(value)) => *part = Some(value),
            _ => known &= arg == Type::NONE,
        }
    }
    let [start, stop, step] = parts;
    let members = if args.get(2).is_none_or(|&step| step == Type::NONE) { 2 } else { 3 };
    let data = if known { TypeData::LiteralSlice { start, stop, step } } else { TypeData::Slice { members } };
    let emit: EmitFn = if known { |_, args| Ok(Operand::new(args[0].ty, [])) } else { make };
    Some(Resolution { result: types.intern(data), params: args.to_vec(), emit })
}

fn make(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let members = if args.get(2).is_none_or(|step| step.ty == Type::NONE) { 2 } else { 3 };
    let mut parts = Vec::new();
    for index in positions(args.len()).into_iter().take(members.into()) {
        parts.push(match index {
            Some(index) => slice_part(emit, &args[index])?,
            None => emit.b.iconst(Native::I64, LEFT_OUT),
        });
    }
    Ok(Operand::new(emit.types.intern(TypeData::Slice { members }), parts))
}

/// Start, stop and step as they are written, and whether they go down.
fn written(emit: &mut Emit<'_>, slice: &Operand) -> Result<(Value, Value, Value, Value)> {
    let wide = emit.types.intern(TypeData::Slice { members: 3 });
    let parts = cast(emit, slice, wide)?.parts;
    let one = emit.b.iconst(Native::I64, 1);
    let step = or(emit, parts[2], one);
    let zero = emit.b.iconst(Native::I64, 0);
    let down = emit.b.icmp(IntCond::Slt, step, zero);
    Ok((parts[0], parts[1], step, down))
}

/// The part, or another value where it is left out.
fn or(emit: &mut Emit<'_>, part: Value, other: Value) -> Value {
    let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
    let missing = emit.b.icmp(IntCond::Eq, part, left_out);
    emit.b.select(missing, other, part)
}

fn resolve_attribute(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [slice] = *args else { return None };
    is_slice(types, slice).then(|| Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

fn part(emit: &mut Emit<'_>, args: &[Operand], number: usize) -> Result<Operand> {
    if let TypeData::LiteralSlice { start, stop, step } = emit.types.get(args[0].ty)
        && let Some(known) = [start, stop, step][number]
    {
        let value = emit.b.iconst(Native::I64, known);
        return Ok(Operand::single(Type::INT64, value));
    }
    let (start, stop, step, down) = written(emit, &args[0])?;
    let (least, zero) = (emit.b.iconst(Native::I64, i64::MIN), emit.b.iconst(Native::I64, 0));
    let most = emit.b.iconst(Native::I64, i64::MAX);
    let value = match number {
        0 => {
            let first = emit.b.select(down, most, zero);
            or(emit, start, first)
        }
        1 => {
            let last = emit.b.select(down, least, most);
            or(emit, stop, last)
        }
        _ => step,
    };
    Ok(Operand::single(Type::INT64, value))
}

fn resolve_indices(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [slice, length] = *args else { return None };
    let fits = is_slice(types, slice) && (types.unliteral(length).is_int() || length == Type::BOOL);
    let result = types.tuple(&[Type::INT64; 3]);
    fits.then(|| Resolution { result, params: vec![slice, Type::INT64], emit: indices })
}

/// The bounds for a sequence of a length, as Python's `slice.indices` gives them.
fn indices(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = args[1].value();
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let negative = emit.b.icmp(IntCond::Slt, length, zero);
    emit.raise_if(negative, ValueError, "length should not be negative");
    let (start, stop, step, down) = written(emit, &args[0])?;
    let standing = emit.b.icmp(IntCond::Eq, step, zero);
    emit.raise_if(standing, ValueError, "slice step cannot be zero");
    let minus_one = emit.b.iconst(Native::I64, -1);
    let last = emit.b.like_first(ir::Op::Isub, &[length, one]);
    let (low, high) = (emit.b.select(down, minus_one, zero), emit.b.select(down, last, length));
    let (first, end) = (emit.b.select(down, high, low), emit.b.select(down, low, high));
    let start = bound(emit, start, length, low, high, first);
    let stop = bound(emit, stop, length, low, high, end);
    let result = emit.types.tuple(&[Type::INT64; 3]);
    Ok(Operand::new(result, [start, stop, step]))
}

/// The minor version of the first Python 3 whose slices have hashes.
const HASHABLE_SINCE: u8 = 12;

/// `hash(None)` in these versions.
const HASH_OF_NONE: i64 = 0xfca8_6420;

/// The hash where the combination gives -1, which stands for an error.
const INSTEAD_OF_ERROR: i64 = 1546275796;

fn resolve_hash(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [slice] = *args else { return None };
    let has_hash = catalog.python_minor >= HASHABLE_SINCE && is_slice(types, slice);
    has_hash.then(|| Resolution { result: Type::INT64, params: args.to_vec(), emit: hash })
}

/// The hashes of the parts, combined as those of a tuple's items are, without their number.
fn hash(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wide = emit.types.intern(TypeData::Slice { members: 3 });
    let mut all = emit.b.iconst(Native::I64, rt::HASH_START.cast_signed());
    for part in cast(emit, &args[0], wide)?.parts {
        let number = emit.call_runtime(Runtime::HashI64, &[part])[0];
        let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
        let missing = emit.b.icmp(IntCond::Eq, part, left_out);
        let none = emit.b.iconst(Native::I64, HASH_OF_NONE);
        let item = emit.b.select(missing, none, number);
        all = emit.call_runtime(Runtime::HashCombine, &[all, item])[0];
    }
    let error = emit.b.iconst(Native::I64, -1);
    let is_error = emit.b.icmp(IntCond::Eq, all, error);
    let other = emit.b.iconst(Native::I64, INSTEAD_OF_ERROR);
    let hash = emit.b.select(is_error, other, all);
    Ok(Operand::single(Type::INT64, hash))
}
