//! `numpy.take` and the method: elements, or slices along an axis, by index.
//!
//! The array is treated as three-dimensional: the dimensions before the axis, the axis, those after it.

use crate::alloc::allocate;
use crate::basic_index::position as index;
use crate::from_tuple;
use crate::loop_nest::{address, for_each};
use crate::setitem::copy_items;
use abi::ExceptionClass::{AxisError, IndexError};
use catalog::array::{ArrayParts, load_item, store_item, strides_of};
use catalog::{Catalog, Emit, Operand, Resolution, cast, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use smallvec::{SmallVec, smallvec};
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

type Values = SmallVec<[Value; 4]>;

pub(crate) fn add(catalog: &mut Catalog) {
    for name in ["numpy.take", "method.take"] {
        catalog.add_generic(name, resolve).reads();
    }
    catalog.state(&[("numpy.ndarray.take", "reads")]);
    catalog.name_parameters("numpy.take", &["a", "indices", "axis"]);
}

/// Dimensions of what stands for the positions; none if it is no integers.
fn dimensions(types: &TypeTable, indices: Type) -> Option<u8> {
    if types.unliteral(indices).is_int() {
        return Some(0);
    }
    if let Some(array) = types.array(indices) {
        return array.dtype.is_int().then_some(array.ndim);
    }
    let (shape, items) = from_tuple::shape_of(types, indices)?;
    let whole = items.iter().all(|&item| types.unliteral(item).is_int());
    whole.then(|| u8::try_from(shape.len()).ok()).flatten()
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[array, indices], axis) = args.split_first_chunk()?;
    let array = types.array(array)?;
    let new = dimensions(types, indices)?;
    let ndim = match axis {
        [] | [Type::NONE] => new,
        [axis] if types.unliteral(*axis).is_int() && array.ndim > 0 => new.checked_add(array.ndim - 1)?,
        _ => return None,
    };
    let made = ArrayType { ndim, layout: Layout::C, mutable: true, aligned: true, ..array };
    let result = if ndim == 0 { types.item_type(&made) } else { types.intern(TypeData::Array(made)) };
    Some(Resolution { result, params: args.to_vec(), emit: take })
}

/// Lengths before the axis, of it and after it, and whether a dimension precedes it.
struct Axis {
    before: Value,
    length: Value,
    behind: Value,
    /// The axis counted from the front; none if the array is taken as one of one dimension.
    number: Option<Value>,
}

fn split(emit: &mut Emit<'_>, array: &ArrayParts, axis: Option<&Operand>) -> Result<Axis> {
    let one = emit.b.iconst(Native::I64, 1);
    let Some(axis) = axis.filter(|axis| axis.ty != Type::NONE) else {
        return Ok(Axis { before: one, length: array.size(emit), behind: one, number: None });
    };
    let given = cast(emit, axis, Type::INT64)?.value();
    let (zero, ndim) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, array.shape.len() as i64));
    let negative = emit.b.icmp(IntCond::Slt, given, zero);
    let from_end = emit.b.like_first(Op::Iadd, &[given, ndim]);
    let number = emit.b.select(negative, from_end, given);
    let outside = emit.b.icmp(IntCond::Uge, number, ndim);
    let tail = format!(" is out of bounds for array of dimension {}", array.shape.len());
    let layout = format!("[{}i{}]", constant_text("axis "), constant_text(&tail));
    emit.raise_payload_if(outside, AxisError, &layout, &[given]);
    let mut found = Axis { before: one, length: one, behind: one, number: Some(number) };
    for (at, &length) in array.shape.iter().enumerate() {
        let at = emit.b.iconst(Native::I64, at as i64);
        for (cond, product) in [
            (IntCond::Slt, &mut found.before),
            (IntCond::Eq, &mut found.length),
            (IntCond::Sgt, &mut found.behind),
        ] {
            let counts = emit.b.icmp(cond, at, number);
            let factor = emit.b.select(counts, length, one);
            *product = emit.b.like_first(Op::Imul, &[*product, factor]);
        }
    }
    Ok(found)
}

/// The shape of the result: that of the positions stands where the axis stood.
fn shape_of(emit: &mut Emit<'_>, array: &ArrayParts, positions: &[Value], axis: &Axis) -> Values {
    let Some(number) = axis.number else { return positions.into() };
    let mut shape = Values::new();
    for at in 0..positions.len() + array.shape.len() - 1 {
        let position = emit.b.iconst(Native::I64, at as i64);
        // The dimension here if the axis comes after it, or before it.
        let behind = at.checked_sub(positions.len()).map(|at| at + 1);
        let mut length = match array.shape.get(at) {
            Some(&length) => length,
            None => array.shape[behind.unwrap_or(0)],
        };
        if let Some(&other) = behind.and_then(|at| array.shape.get(at)) {
            let last = emit.b.iconst(Native::I64, at as i64 - positions.len() as i64);
            let passed = emit.b.icmp(IntCond::Sle, number, last);
            length = emit.b.select(passed, other, length);
        }
        for (offset, &index) in positions.iter().enumerate() {
            let offset = emit.b.iconst(Native::I64, offset as i64);
            let here = emit.b.like_first(Op::Iadd, &[number, offset]);
            let inside = emit.b.icmp(IntCond::Eq, here, position);
            length = emit.b.select(inside, index, length);
        }
        shape.push(length);
    }
    shape
}

/// What the positions are: a number, or an array.
enum Indices {
    One(Operand),
    Many(ArrayParts),
}

fn open_indices(emit: &mut Emit<'_>, indices: &Operand) -> Result<Indices> {
    if emit.types.array(indices.ty).is_some() {
        return Ok(Indices::Many(ArrayParts::open(emit, indices)?));
    }
    Ok(match from_tuple::as_array(emit, indices, Type::INT64)? {
        Some(array) => Indices::Many(array),
        None => Indices::One(indices.clone()),
    })
}

/// The array with its rows one after the other: a copy, where they are not.
fn contiguous(emit: &mut Emit<'_>, array: ArrayParts) -> Result<ArrayParts> {
    if array.ty.layout == Layout::C {
        return Ok(array);
    }
    let made = allocate(emit, array.ty.dtype, &array.shape, Layout::C, false)?;
    copy_items(emit, &made, &array)?;
    Ok(made)
}

/// An array of three or more dimensions in C order at an address.
fn in_rows(emit: &mut Emit<'_>, array: &ArrayParts, shape: Values) -> Result<ArrayParts> {
    let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::C, ..array.ty };
    let strides = strides_of(emit, &ty, &shape)?;
    Ok(ArrayParts { ty, owner: array.owner, data: array.data, shape, strides })
}

fn take(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = ArrayParts::open(emit, &args[0])?;
    let axis = split(emit, &array, args.get(2))?;
    let array = contiguous(emit, array)?;
    let positions = open_indices(emit, &args[1])?;
    let shape: Values = match &positions {
        Indices::One(_) => SmallVec::new(),
        Indices::Many(positions) => positions.shape.clone(),
    };
    refuse_empty(emit, &shape, axis.length);
    let full = shape_of(emit, &array, &shape, &axis);
    let made = allocate(emit, array.ty.dtype, &full, Layout::C, false)?;
    let source = in_rows(emit, &array, smallvec![axis.before, axis.length, axis.behind])?;
    let target: Values =
        std::iter::once(axis.before).chain(shape.iter().copied()).chain([axis.behind]).collect();
    let target = in_rows(emit, &made, target)?;
    let outer = &target.shape[..target.shape.len() - 1];
    let check = emit.boundscheck;
    for_each(emit, outer, &mut |emit, at| {
        let wanted = match &positions {
            Indices::One(index) => index.clone(),
            Indices::Many(positions) => {
                let where_it_is = address(emit, positions.data, &positions.strides, &at[1..]);
                load_item(emit, positions, where_it_is)
            }
        };
        let found = index(emit, &wanted, axis.length, 0, false)?;
        if check {
            refuse_outside(emit, &wanted, found, &axis);
        }
        let from = address(emit, source.data, &source.strides, &[at[0], found]);
        let to = address(emit, target.data, &target.strides, at);
        let step = source.strides[2];
        for_each(emit, &[axis.behind], &mut |emit, at| {
            let item = address(emit, from, &[step], at);
            let item = load_item(emit, &source, item);
            let index = address(emit, to, &[step], at);
            store_item(emit, &target, index, &item);
            Ok(())
        })
    })?;
    Ok(if made.ty.ndim == 0 { load_item(emit, &made, made.data) } else { made.close(emit) })
}

/// IndexError if an index, which is `found` when counted from the start, is out of bounds for the axis.
fn refuse_outside(emit: &mut Emit<'_>, wanted: &Operand, found: Value, axis: &Axis) {
    let outside = emit.b.icmp(IntCond::Uge, found, axis.length);
    let zero = emit.b.iconst(Native::I64, 0);
    let (axis, length) = (axis.number.unwrap_or(zero), axis.length);
    let letter =
        if emit.types.unliteral(wanted.ty).as_int().is_some_and(|(_, signed)| !signed) { 'u' } else { 'i' };
    let middle = constant_text(" is out of bounds for axis ");
    let layout = format!("[{}{letter}{middle}i{}i]", constant_text("index "), constant_text(" with size "));
    let wide = if letter == 'u' { Type::UINT64 } else { Type::INT64 };
    let written = cast(emit, wanted, wide).map_or(found, |wanted| wanted.value());
    emit.raise_payload_if(outside, IndexError, &layout, &[written, axis, length]);
}

/// IndexError where there are positions, but the axis has none.
fn refuse_empty(emit: &mut Emit<'_>, positions: &[Value], length: Value) {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let count = positions.iter().fold(one, |count, &length| emit.b.like_first(Op::Imul, &[count, length]));
    let empty = emit.b.icmp(IntCond::Eq, length, zero);
    let some = emit.b.icmp(IntCond::Ne, count, zero);
    let wrong = emit.b.like_first(Op::Iand, &[empty, some]);
    emit.raise_if(wrong, IndexError, "cannot do a non-empty take from an empty axes.");
}
