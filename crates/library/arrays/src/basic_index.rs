//! Basic indexing: the selection by integers, slices, `...` and None.

use abi::ExceptionClass::{IndexError, ValueError};
use catalog::array::{ArrayParts, load_item};
use catalog::{Emit, LEFT_OUT, Operand, cast, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, BufferKind, Layout, Type, TypeData, TypeTable};

/// What one item of an index does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// One place of a dimension, by the operand of this number.
    Index(usize),
    /// Some of a dimension, by the slice of this number; whether indices are contiguous.
    Some(usize, bool),
    /// All of a dimension.
    All,
    /// A new dimension of length 1.
    New,
}

/// An index of integers, slices, `...` and None.
#[derive(Clone, Debug)]
pub(crate) struct BasicIndex {
    parts: SmallVec<[Part; 4]>,
    /// The view that is selected, or with the number of dimensions 0 and no `...` the item.
    pub view: ArrayType,
    /// Whether it is an item.
    pub is_item: bool,
}

/// What kind of thing an operand of an index is.
pub(crate) fn part_of(types: &TypeTable, ty: Type, number: usize) -> Option<Part> {
    Some(match types.get(types.unliteral(ty)) {
        TypeData::Int { .. } => Part::Index(number),
        TypeData::LiteralSlice { start: None, stop: None, step: None } => Part::All,
        TypeData::LiteralSlice { step, .. } => Part::Some(number, step.is_none_or(|step| step == 1)),
        TypeData::Slice { members } => Part::Some(number, members == 2),
        TypeData::None => Part::New,
        // An array of one position is that position.
        TypeData::Array(array) if array.ndim == 0 && array.dtype.is_int() => Part::Index(number),
        _ => return None,
    })
}

/// The types of an index's items: the elements of a tuple, or the index itself.
pub(crate) fn items(types: &TypeTable, index: Type) -> SmallVec<[Type; 4]> {
    types
        .elements(index)
        .map_or_else(|| [index].into_iter().collect(), |items| items.iter().copied().collect())
}

impl BasicIndex {
    /// The meaning of an index of this type, if it is of this kind and the array has as many dimensions.
    pub fn of(types: &TypeTable, array: ArrayType, index: Type) -> Option<BasicIndex> {
        let items = items(types, index);
        let mut parts: SmallVec<[Part; 4]> = SmallVec::new();
        let mut rest = None;
        for (number, &item) in items.iter().enumerate() {
            if item == Type::ELLIPSIS {
                if rest.replace(parts.len()).is_some() {
                    return None;
                }
            } else {
                parts.push(part_of(types, item, number)?);
            }
        }
        let used = parts.iter().filter(|&&part| part != Part::New).count();
        let missing = usize::from(array.ndim).checked_sub(used)?;
        let is_item =
            rest.is_none() && missing == 0 && parts.iter().all(|part| matches!(part, Part::Index(_)));
        let at = rest.unwrap_or(parts.len());
        parts.insert_many(at, std::iter::repeat_n(Part::All, missing));
        let ndim = parts.iter().filter(|part| !matches!(part, Part::Index(_))).count();
        let layout = layout_of(array.layout, &parts);
        let view = ArrayType { ndim: u8::try_from(ndim).ok()?, layout, ..array }.with_layout(layout);
        Some(BasicIndex { parts, view, is_item })
    }

    /// The parts of what is selected. Indices are compared with the shape if `check` is set.
    pub fn apply(
        &self,
        emit: &mut Emit<'_>,
        array: &ArrayParts,
        index: &Operand,
        check: bool,
    ) -> Result<ArrayParts> {
        let operands = operands(emit, index)?;
        let (mut shape, mut strides) = (SmallVec::new(), SmallVec::new());
        let (mut data, mut axis) = (array.data, 0);
        for &part in &self.parts {
            if part == Part::New {
                shape.push(emit.b.iconst(Native::I64, 1));
                strides.push(emit.b.iconst(Native::I64, 0));
                continue;
            }
            let (length, stride) = (array.shape[axis], array.strides[axis]);
            match part {
                Part::Index(number) => {
                    let at = position(emit, &operands[number], length, axis, check)?;
                    data = moved(emit, data, at, stride);
                }
                Part::Some(number, _) => {
                    let range = SliceRange::of(emit, &operands[number], length)?;
                    data = moved(emit, data, range.start, stride);
                    shape.push(range.length);
                    strides.push(match range.step {
                        Some(step) => emit.b.like_first(Op::Imul, &[stride, step]),
                        None => stride,
                    });
                }
                Part::All | Part::New => {
                    shape.push(length);
                    strides.push(stride);
                }
            }
            axis += 1;
        }
        Ok(ArrayParts { ty: self.view, owner: array.owner, data, shape, strides })
    }
}

/// The order of what an index selects, where it is known.
fn layout_of(layout: Layout, parts: &[Part]) -> Layout {
    let mut dimensions = parts.iter().filter(|&&part| part != Part::New);
    let whole = |part: &Part| *part == Part::All;
    let contiguous = |part: &Part| matches!(part, Part::All | Part::Some(_, true));
    let kept = match layout {
        Layout::Any => false,
        // Indices first, then a stretch of one dimension, then whole ones.
        Layout::C => {
            let mut rest = dimensions.skip_while(|part| matches!(part, Part::Index(_)));
            rest.next().is_none_or(contiguous) && rest.all(whole)
        }
        Layout::F => dimensions.all(whole) && !parts.contains(&Part::New),
    };
    if kept { layout } else { Layout::Any }
}

/// The operands of an index: the elements of a tuple, or the index itself; of an array of one position its item.
pub(crate) fn operands(emit: &mut Emit<'_>, index: &Operand) -> Result<Vec<Operand>> {
    let mut at = 0;
    let each: Vec<Operand> = items(emit.types, index.ty)
        .into_iter()
        .map(|element| {
            let count = emit.machine_types(element).len();
            at += count;
            Operand::new(element, index.parts[at - count..at].iter().copied())
        })
        .collect();
    each.into_iter().map(|operand| single_item(emit, operand)).collect()
}

/// The item of an array of one position; any other operand as it is.
fn single_item(emit: &mut Emit<'_>, operand: Operand) -> Result<Operand> {
    match emit.types.array(operand.ty) {
        Some(array) if array.ndim == 0 && array.dtype.is_int() => {
            let parts = ArrayParts::open(emit, &operand)?;
            Ok(load_item(emit, &parts, parts.data))
        }
        _ => Ok(operand),
    }
}

pub(crate) fn moved(emit: &mut Emit<'_>, data: Value, indices: Value, stride: Value) -> Value {
    let bytes = emit.b.like_first(Op::Imul, &[indices, stride]);
    emit.b.native(Op::PtrAdd, [], &[data, bytes], Native::Ptr)
}

/// IndexError in the words of a buffer's class if the only index is no place of it. Whether that is checked here.
pub(crate) fn check_buffer(
    emit: &mut Emit<'_>,
    of: Type,
    array: &ArrayParts,
    index: &Operand,
    written: bool,
) -> Result<bool> {
    let (TypeData::Buffer(kind, _), [length]) = (emit.types.get(of), &array.shape[..]) else {
        return Ok(false);
    };
    let message = match (kind, written) {
        (BufferKind::Bytes, _) => "index out of range",
        (BufferKind::ByteArray, _) => "bytearray index out of range",
        (BufferKind::MemoryView, _) => "index out of bounds on dimension 1",
        (BufferKind::PyArray, false) => "array index out of range",
        (BufferKind::PyArray, true) => "array assignment index out of range",
        // As of any array of NumPy.
        (BufferKind::ObjectArray, _) => return Ok(false),
    };
    let at = operands(emit, index)?;
    let found = position(emit, &at[0], *length, 0, false)?;
    let outside = emit.b.icmp(IntCond::Uge, found, *length);
    emit.raise_if(outside, IndexError, message);
    Ok(true)
}

/// A position counted from the front. IndexError if it is outside.
pub(crate) fn position(
    emit: &mut Emit<'_>,
    at: &Operand,
    length: Value,
    axis: usize,
    check: bool,
) -> Result<Value> {
    let unsigned = emit.types.unliteral(at.ty).as_int().is_some_and(|(_, signed)| !signed);
    let wanted = cast(emit, at, if unsigned { Type::UINT64 } else { Type::INT64 })?.value();
    let zero = emit.b.iconst(Native::I64, 0);
    let mut found = wanted;
    if !unsigned {
        let negative = emit.b.icmp(IntCond::Slt, wanted, zero);
        let from_end = emit.b.like_first(Op::Iadd, &[wanted, length]);
        found = emit.b.select(negative, from_end, wanted);
    }
    if check {
        let outside = emit.b.icmp(IntCond::Uge, found, length);
        let axis = constant_text(&format!(" is out of bounds for axis {axis} with size "));
        let letter = if unsigned { 'u' } else { 'i' };
        let layout = format!("[{}{letter}{axis}i]", constant_text("index "));
        emit.raise_payload_if(outside, IndexError, &layout, &[wanted, length]);
    }
    Ok(found)
}

/// The indices of a dimension that a slice selects.
pub(crate) struct SliceRange {
    /// The first.
    pub start: Value,
    /// How many.
    pub length: Value,
    /// From one to the next; none if it is 1.
    pub step: Option<Value>,
}

impl SliceRange {
    /// The indices that a slice selects of a dimension of a length, as Python's `slice.indices` does.
    pub fn of(emit: &mut Emit<'_>, slice: &Operand, length: Value) -> Result<SliceRange> {
        let wide = emit.types.intern(TypeData::Slice { members: 3 });
        let parts = cast(emit, slice, wide)?.parts;
        let zero = emit.b.iconst(Native::I64, 0);
        let one = emit.b.iconst(Native::I64, 1);
        if emit.b.known_int(parts[2]).is_some_and(|step| step == LEFT_OUT || step == 1) {
            let start = bound(emit, parts[0], length, zero, length, zero);
            let stop = bound(emit, parts[1], length, zero, length, length);
            let empty = emit.b.icmp(IntCond::Slt, stop, start);
            let span = emit.b.like_first(Op::Isub, &[stop, start]);
            let length = emit.b.select(empty, zero, span);
            return Ok(SliceRange { start, length, step: None });
        }
        let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
        let no_step = emit.b.icmp(IntCond::Eq, parts[2], left_out);
        let step = emit.b.select(no_step, one, parts[2]);
        let standing = emit.b.icmp(IntCond::Eq, step, zero);
        emit.raise_if(standing, ValueError, "slice step cannot be zero");
        let down = emit.b.icmp(IntCond::Slt, step, zero);
        let minus_one = emit.b.iconst(Native::I64, -1);
        let last = emit.b.like_first(Op::Isub, &[length, one]);
        let (low, high) = (emit.b.select(down, minus_one, zero), emit.b.select(down, last, length));
        let (first, end) = (emit.b.select(down, high, low), emit.b.select(down, low, high));
        let start = bound(emit, parts[0], length, low, high, first);
        let stop = bound(emit, parts[1], length, low, high, end);
        let (from, to) = (emit.b.select(down, stop, start), emit.b.select(down, start, stop));
        let span = emit.b.like_first(Op::Isub, &[to, from]);
        let negated = emit.b.like_first(Op::Isub, &[zero, step]);
        let stride = emit.b.select(down, negated, step);
        // Unsigned, as the step may be the least integer.
        let before = emit.b.like_first(Op::Isub, &[span, one]);
        let jumps = emit.b.like_first(Op::Udiv, &[before, stride]);
        let count = emit.b.like_first(Op::Iadd, &[jumps, one]);
        let empty = emit.b.icmp(IntCond::Sle, span, zero);
        let length = emit.b.select(empty, zero, count);
        // Of nothing the first place may lie before the array: it is not moved to.
        let start = emit.b.select(empty, zero, start);
        Ok(SliceRange { start, length, step: Some(step) })
    }
}

/// A bound counted from the front and kept between `low` and `high`; `default` if it is left out.
pub(crate) fn bound(
    emit: &mut Emit<'_>,
    bound: Value,
    length: Value,
    low: Value,
    high: Value,
    default: Value,
) -> Value {
    if emit.b.known_int(bound) == Some(LEFT_OUT) {
        return default;
    }
    let zero = emit.b.iconst(Native::I64, 0);
    let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
    let missing = emit.b.icmp(IntCond::Eq, bound, left_out);
    let negative = emit.b.icmp(IntCond::Slt, bound, zero);
    let from_end = emit.b.like_first(Op::Iadd, &[bound, length]);
    let position = emit.b.select(negative, from_end, bound);
    let below = emit.b.icmp(IntCond::Slt, position, low);
    let position = emit.b.select(below, low, position);
    let above = emit.b.icmp(IntCond::Sgt, position, high);
    let position = emit.b.select(above, high, position);
    emit.b.select(missing, default, position)
}
