//! `a.flat`, `np.ndenumerate(a)` and `np.ndindex(shape)`: elements and indices over all dimensions.
//!
//! Each is its own iterator, as in NumPy. Its state is the number of elements so far and, if this does not
//! determine them, the indices of the next one.

use crate::astype::convert_item;
use crate::creation::dimensions;
use crate::loop_nest::{address, for_each};
use crate::setitem::{apart, items_of, write, written};
use abi::ExceptionClass::{IndexError, ValueError};
use catalog::array::{ArrayParts, item_size, load_item, store_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::{Diagnostic, Result};
use ir::{BlockCall, IntCond, Native, Op, Value};
use types::{ArrayType, Facet, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getattr("flat".into()), Rule::Generic(|types, args| of_array(types, args, Facet::Flat)));
    catalog.add_generic("numpy.ndenumerate", |types, args| of_array(types, args, Facet::Ndenumerate)).reads();
    catalog.add_generic("numpy.ndindex", resolve_indices).reads();
    catalog.add(Key::Getiter, Rule::Generic(resolve_iterator));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
    catalog.add(Key::Setattr("flat".into()), Rule::Generic(resolve_set_all));
    catalog.add(Key::Getattr("base".into()), Rule::Generic(base));
    catalog.add_generic("builtins.len", flat_size).reads();
    catalog.add(Key::Getattr("size".into()), Rule::Generic(flat_size));
}

/// What a value of this type walks over.
fn walked(types: &TypeTable, ty: Type) -> Option<(Facet, Type)> {
    match types.get(ty) {
        TypeData::Facet { facet, of } if facet.is_iterator() => Some((facet, of)),
        _ => None,
    }
}

fn flat(types: &TypeTable, ty: Type) -> Option<ArrayType> {
    match types.get(ty) {
        TypeData::Facet { facet: Facet::Flat, of } => types.array(of),
        _ => None,
    }
}

fn of_array(types: &TypeTable, args: &[Type], facet: Facet) -> Option<Resolution> {
    let [array] = *args else { return None };
    types.array(array)?;
    let result = types.intern(TypeData::Facet { facet, of: array });
    let emit: EmitFn = |emit, args| {
        let ndim = ArrayParts::open(emit, &args[0])?.shape.len();
        Ok(begin(emit, ndim, args[0].parts.iter().copied()))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// A walk that has not begun.
pub(crate) fn begin(emit: &mut Emit<'_>, ndim: usize, parts: impl Iterator<Item = Value>) -> Operand {
    let [slot, owner] = emit.iterator_state(8 * (1 + ndim) as u32);
    let zero = emit.b.iconst(Native::I64, 0);
    for word in 0..=ndim {
        emit.b.store(slot, 8 * word as i64, zero);
    }
    Operand::new(Type::NONE, [slot, owner].into_iter().chain(parts))
}

/// `np.ndindex(2, 3)` and `np.ndindex((2, 3))`.
fn resolve_indices(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let ndim = match *args {
        [shape] => dimensions(types, shape)?,
        _ => dimensions(types, types.tuple(args))?,
    };
    let shape = types.tuple(&vec![Type::INT64; ndim.into()]);
    let result = types.intern(TypeData::Facet { facet: Facet::Indices, of: shape });
    let emit: EmitFn = |emit, args| {
        let mut shape = Vec::new();
        for arg in args {
            shape.extend(crate::creation::lengths(emit, arg)?);
        }
        let zero = emit.b.iconst(Native::I64, 0);
        for &length in &shape {
            let negative = emit.b.icmp(IntCond::Slt, length, zero);
            emit.raise_if(negative, ValueError, "negative dimensions are not allowed");
        }
        Ok(begin(emit, shape.len(), shape.into_iter()))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_iterator(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk] = *args else { return None };
    walked(types, walk)?;
    Some(Resolution { result: walk, params: args.to_vec(), emit: |_, args| Ok(args[0].clone()) })
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk] = *args else { return None };
    let (facet, of) = walked(types, walk)?;
    let indices = |ndim: u8| types.tuple(&vec![Type::INT64; ndim.into()]);
    let (result, emit): (Type, EmitFn) = match facet {
        Facet::Flat => (types.item_type(&types.array(of)?), next_item),
        Facet::Ndenumerate => {
            let array = types.array(of)?;
            (types.tuple(&[indices(array.ndim), types.item_type(&array)]), next_pair)
        }
        Facet::Indices => (of, next_indices),
        _ => return None,
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The array of a walk.
fn array_of(emit: &mut Emit<'_>, walk: &Operand) -> Result<ArrayParts> {
    let Some((_, of)) = walked(emit.types, walk.ty) else {
        return Err(Diagnostic::internal("emission", "a walk over nothing"));
    };
    ArrayParts::open(emit, &Operand::new(of, walk.parts[2..].iter().copied()))
}

/// Bytes from an item to the next one in the order of rows, where that is always the same.
fn even_step(emit: &mut Emit<'_>, array: &ArrayParts) -> Result<Option<Value>> {
    Ok(match array.ty.layout {
        _ if array.ty.ndim == 1 => Some(array.strides[0]),
        Layout::C => Some(emit.b.iconst(Native::I64, item_size(emit, array.ty.dtype)?)),
        Layout::F | Layout::Any => None,
    })
}

/// The number of the next item, which is counted; the walk ends where there are no more.
pub(crate) fn advance(emit: &mut Emit<'_>, slot: Value, size: Value) -> Result<Value> {
    let at = emit.b.load(Native::I64, slot, 0);
    let valid = emit.b.icmp(IntCond::Slt, at, size);
    emit.exit_iteration_unless(valid)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(slot, 0, following);
    Ok(at)
}

/// The indices of the next item; those of the one after it are written to the frame.
pub(crate) fn advance_indices(emit: &mut Emit<'_>, slot: Value, shape: &[Value]) -> Result<Vec<Value>> {
    let indices: Vec<Value> =
        (0..shape.len()).map(|axis| emit.b.load(Native::I64, slot, word(axis))).collect();
    carry(emit, slot, shape, &indices)?;
    Ok(indices)
}

/// The frame offset of the next index of a dimension.
fn word(axis: usize) -> i64 {
    8 * (1 + axis as i64)
}

/// Counts the last index, and where it is at its end the one before.
fn carry(emit: &mut Emit<'_>, slot: Value, shape: &[Value], indices: &[Value]) -> Result<()> {
    let (Some((&length, shape)), Some((&index, indices))) = (shape.split_last(), indices.split_last()) else {
        return Ok(());
    };
    let one = emit.b.iconst(Native::I64, 1);
    let moved = emit.b.like_first(Op::Iadd, &[index, one]);
    emit.b.store(slot, word(shape.len()), moved);
    let over = emit.b.icmp(IntCond::Eq, moved, length);
    // A branch that is predicted: selections would make every step wait for the one before.
    let (rare, go_on) = (emit.b.new_block(), emit.b.new_block());
    emit.b.func.blocks[rare].cold = true;
    emit.b.branch(over, BlockCall::new(rare, []), BlockCall::new(go_on, []));
    emit.b.switch_to(rare);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(slot, word(shape.len()), zero);
    carry(emit, slot, shape, indices)?;
    emit.b.jump(go_on, &[]);
    emit.b.switch_to(go_on);
    Ok(())
}

fn next_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (slot, array) = (args[0].parts[0], array_of(emit, &args[0])?);
    let size = array.size(emit);
    let at = advance(emit, slot, size)?;
    let pointer = match even_step(emit, &array)? {
        Some(step) => address(emit, array.data, &[step], &[at]),
        None => {
            let indices = advance_indices(emit, slot, &array.shape)?;
            address(emit, array.data, &array.strides, &indices)
        }
    };
    Ok(load_item(emit, &array, pointer))
}

fn next_pair(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (slot, array) = (args[0].parts[0], array_of(emit, &args[0])?);
    let size = array.size(emit);
    let at = advance(emit, slot, size)?;
    // With one dimension the number is the index.
    let indices = if array.ty.ndim == 1 { vec![at] } else { advance_indices(emit, slot, &array.shape)? };
    let pointer = address(emit, array.data, &array.strides, &indices);
    let item = load_item(emit, &array, pointer);
    Ok(Operand::new(Type::NONE, indices.into_iter().chain(item.parts)))
}

fn next_indices(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let slot = args[0].parts[0];
    let shape: Vec<Value> = args[0].parts[2..].to_vec();
    let one = emit.b.iconst(Native::I64, 1);
    let lengths = shape.iter().copied();
    let size = lengths.reduce(|a, b| emit.b.like_first(Op::Imul, &[a, b])).unwrap_or(one);
    let at = advance(emit, slot, size)?;
    let indices = if shape.len() == 1 { vec![at] } else { advance_indices(emit, slot, &shape)? };
    Ok(Operand::new(Type::NONE, indices))
}

fn flat_size(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk] = *args else { return None };
    flat(types, walk)?;
    let emit: EmitFn = |emit, args| {
        let array = array_of(emit, &args[0])?;
        Ok(Operand::single(Type::INT64, array.size(emit)))
    };
    Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

/// `a.flat.base`: the array itself.
fn base(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk] = *args else { return None };
    flat(types, walk)?;
    let (_, result) = walked(types, walk)?;
    let emit: EmitFn = |_, args| Ok(Operand::new(args[0].ty, args[0].parts[2..].iter().copied()));
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// `a.flat = value`: the items of the value in the order of rows, from the first one again where there are no more.
fn resolve_set_all(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, value] = *args else { return None };
    let target = types.array(array).filter(|array| array.mutable)?;
    let value = written(types, target.dtype, value, false)?;
    Some(Resolution { result: Type::NONE, params: vec![array, value], emit: set_all })
}

fn set_all(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let target = ArrayParts::open(emit, &args[0])?;
    match items_of(emit, &args[1], target.ty.dtype)? {
        None => write(emit, &target, &args[1])?,
        Some(source) => {
            let (zero, size) = (emit.b.iconst(Native::I64, 0), source.size(emit));
            let any = emit.b.icmp(IntCond::Ne, size, zero);
            emit.when(any, |emit| {
                let (source, kept) = apart(emit, &target, source)?;
                write_in_turn(emit, &target, &source, size)?;
                emit.release_results(kept);
                Ok(())
            })?;
        }
    }
    Ok(Operand::new(Type::NONE, []))
}

fn write_in_turn(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts, size: Value) -> Result<()> {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let slot = emit.frame_slot(8);
    emit.b.store(slot, 0, zero);
    for_each(emit, &target.shape, &mut |emit, indices| {
        let at = emit.b.load(Native::I64, slot, 0);
        let from = address_of_item(emit, source, at)?;
        let item = load_item(emit, source, from);
        let item = convert_item(emit, &item, target.ty.dtype)?;
        let to = address(emit, target.data, &target.strides, indices);
        store_item(emit, target, to, &item);
        let next = emit.b.like_first(Op::Iadd, &[at, one]);
        let over = emit.b.icmp(IntCond::Eq, next, size);
        let next = emit.b.select(over, zero, next);
        emit.b.store(slot, 0, next);
        Ok(())
    })
}

/// The address of item number `index` in the order of rows. IndexError if there is none.
fn pointer(emit: &mut Emit<'_>, array: &ArrayParts, index: &Operand) -> Result<Value> {
    let unsigned = emit.types.unliteral(index.ty).as_int().is_some_and(|(_, signed)| !signed);
    let wanted = cast(emit, index, if unsigned { Type::UINT64 } else { Type::INT64 })?.value();
    let (size, zero) = (array.size(emit), emit.b.iconst(Native::I64, 0));
    let mut at = wanted;
    if !unsigned {
        let negative = emit.b.icmp(IntCond::Slt, wanted, zero);
        let from_end = emit.b.like_first(Op::Iadd, &[wanted, size]);
        at = emit.b.select(negative, from_end, wanted);
    }
    if emit.boundscheck {
        let outside = emit.b.icmp(IntCond::Uge, at, size);
        let letter = if unsigned { 'u' } else { 'i' };
        let texts = ["index ", " is out of bounds for size "].map(constant_text);
        let layout = format!("[{}{letter}{}i]", texts[0], texts[1]);
        emit.raise_payload_if(outside, IndexError, &layout, &[wanted, size]);
    }
    address_of_item(emit, array, at)
}

/// The address of the item of this number, which there is.
fn address_of_item(emit: &mut Emit<'_>, array: &ArrayParts, mut at: Value) -> Result<Value> {
    if let Some(step) = even_step(emit, array)? {
        return Ok(address(emit, array.data, &[step], &[at]));
    }
    let mut indices = Vec::new();
    for &length in array.shape.iter().skip(1).rev() {
        indices.push(emit.b.like_first(Op::Urem, &[at, length]));
        at = emit.b.like_first(Op::Udiv, &[at, length]);
    }
    if !array.shape.is_empty() {
        indices.push(at);
    }
    indices.reverse();
    Ok(address(emit, array.data, &array.strides, &indices))
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk, index] = *args else { return None };
    let array = flat(types, walk).filter(|_| types.unliteral(index).is_int())?;
    let result = types.item_type(&array);
    let emit: EmitFn = |emit, args| {
        let array = array_of(emit, &args[0])?;
        let pointer = pointer(emit, &array, &args[1])?;
        Ok(load_item(emit, &array, pointer))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk, index, value] = *args else { return None };
    let array = flat(types, walk).filter(|array| array.mutable && types.unliteral(index).is_int())?;
    types::convert(types, types.unliteral(value), array.dtype)?;
    let emit: EmitFn = |emit, args| {
        let array = array_of(emit, &args[0])?;
        let pointer = pointer(emit, &array, &args[1])?;
        store_item(emit, &array, pointer, &args[2]);
        Ok(Operand::new(Type::NONE, []))
    };
    Some(Resolution { result: Type::NONE, params: vec![walk, index, array.dtype], emit })
}
