//! `a[index] = value`: assigns an element, or broadcasts a number or an array to a view.

use crate::alloc::allocate;
use crate::astype::convert_item;
use crate::basic_index::{BasicIndex, check_buffer};
use crate::buffers;
use crate::from_tuple;
use crate::loop_nest::{address, for_each, for_each_in_parallel};
use abi::ExceptionClass::{self, ValueError};
use catalog::array::{ArrayParts, load_item, store_item};
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, constant_text};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, BufferKind, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Setitem, Rule::Generic(resolve_basic));
}

fn resolve_basic(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [target, index, value] = *args else { return None };
    let is_array = types.array(target).is_some();
    let array = types.buffer(target).filter(|array| array.mutable)?;
    let basic = BasicIndex::of(types, array, index)?;
    if !basic.is_item && !is_array {
        return None;
    }
    let value = if is_array {
        written(types, array.dtype, value, basic.is_item)?
    } else {
        buffers::written(types, array.dtype, value)?
    };
    Some(Resolution { result: Type::NONE, params: vec![target, index, value], emit: assign })
}

/// What a value is converted to that is written to items of a type, to one or to all of an array.
pub(crate) fn written(types: &TypeTable, dtype: Type, value: Type, is_item: bool) -> Option<Type> {
    // A record is read in place, whether or not it is writable.
    let wanted = types.seen_in(dtype, false);
    let converts = |from: Type| types::convert(types, from, wanted).is_some();
    match types.array(value) {
        Some(source) => (!(is_item && source.ndim > 0) && converts(source.dtype)).then_some(value),
        None if let Some((_, items)) = from_tuple::shape_of(types, value) => {
            (!is_item && items.iter().all(|&item| converts(item))).then_some(value)
        }
        // Floats become integers as they do where one array is copied to another.
        None if wanted.is_int() && types.unliteral(value).is_float() => Some(types.unliteral(value)),
        None if converts(value) => Some(wanted),
        None => text_for(types, value, wanted),
    }
}

/// What a string, or bytes, is written as where a fixed-width string is: what is too long is cut off, as in NumPy. Text of bytes
/// takes ASCII alone, which is found out at run time.
pub(crate) fn text_for(types: &TypeTable, value: Type, wanted: Type) -> Option<Type> {
    let value = types.unliteral(value);
    let fits = match (types.get(value), types.get(wanted)) {
        (TypeData::Str, TypeData::CharSeq { .. }) => true,
        (TypeData::Buffer(BufferKind::Bytes, items), TypeData::CharSeq { wide, .. }) => {
            !wide && items.ndim == 1 && items.layout == Layout::C
        }
        _ => false,
    };
    fits.then_some(value)
}

fn assign(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = ArrayParts::open(emit, &args[0])?;
    let basic = BasicIndex::of(emit.types, array.ty, args[1].ty)
        .ok_or_else(|| Diagnostic::internal("emission", "an index of another kind"))?;
    let check =
        emit.boundscheck && !(basic.is_item && check_buffer(emit, args[0].ty, &array, &args[1], true)?);
    let target = basic.apply(emit, &array, &args[1], check)?;
    if !basic.is_item || emit.types.array(args[2].ty).is_some() {
        write(emit, &target, &args[2])?;
    } else if array.ty.dtype != Type::UNDEFINED {
        buffers::check_written(emit, args[0].ty, &args[2])?;
        let value = convert_item(emit, &args[2], array.ty.dtype)?;
        store_item(emit, &array, target.data, &value);
    }
    Ok(Operand::new(Type::NONE, []))
}

/// Writes an array, a tuple or a number to all items.
pub(crate) fn write(emit: &mut Emit<'_>, target: &ArrayParts, value: &Operand) -> Result<()> {
    match items_of(emit, value, target.ty.dtype)? {
        Some(source) => copy(emit, target, source),
        None => {
            let value = convert_item(emit, value, target.ty.dtype)?;
            fill(emit, target, &value)
        }
    }
}

/// The array that a value is, or that a tuple becomes; None of a number.
pub(crate) fn items_of(emit: &mut Emit<'_>, value: &Operand, dtype: Type) -> Result<Option<ArrayParts>> {
    match emit.types.array(value.ty) {
        Some(_) => ArrayParts::open(emit, value).map(Some),
        None => from_tuple::as_array(emit, value, dtype),
    }
}

/// Quarters of a nanosecond that a fill takes for an item, and a copy.
const FILL: i64 = 1;
const COPY: i64 = 2;

/// Writes a value to every item.
pub(crate) fn fill(emit: &mut Emit<'_>, target: &ArrayParts, value: &Operand) -> Result<()> {
    for_each_in_parallel(emit, &target.shape, FILL, &mut |emit, at| fill_one(emit, target, value, at))
}

/// The same inside a loop, whose iterations threads may share.
pub(crate) fn fill_part(emit: &mut Emit<'_>, target: &ArrayParts, value: &Operand) -> Result<()> {
    for_each(emit, &target.shape, &mut |emit, at| fill_one(emit, target, value, at))
}

fn fill_one(emit: &mut Emit<'_>, target: &ArrayParts, value: &Operand, at: &[Value]) -> Result<()> {
    let pointer = address(emit, target.data, &target.strides, at);
    store_item(emit, target, pointer, value);
    Ok(())
}

/// Writes the items of an array, broadcast to the target's shape. Where they share memory, as it was before.
pub(crate) fn copy(emit: &mut Emit<'_>, target: &ArrayParts, source: ArrayParts) -> Result<()> {
    let source = broadcast(emit, source, &target.shape, Misfit::View)?;
    // After `a[...] += b` the items stand where they belong.
    let differ = differ(emit, target, &source);
    emit.when(differ, |emit| {
        let (source, kept) = apart(emit, target, source)?;
        copy_items(emit, target, &source)?;
        emit.release_results(kept);
        Ok(())
    })
}

/// The source, or where it shares memory with the target a copy; and what is to be released after its use.
pub(crate) fn apart(
    emit: &mut Emit<'_>,
    target: &ArrayParts,
    source: ArrayParts,
) -> Result<(ArrayParts, Value)> {
    let shared = overlap(emit, target, &source)?;
    copied_if(emit, shared, source)
}

/// A copy of the source where the condition holds, and what is to be released after its use.
fn copied_if(emit: &mut Emit<'_>, condition: Value, source: ArrayParts) -> Result<(ArrayParts, Value)> {
    let parts = emit.if_else_unlikely(
        condition,
        |emit| {
            let made = allocate(emit, source.ty.dtype, &source.shape, Layout::C, false)?;
            copy_part(emit, &made, &source)?;
            // Whoever asked releases it, where both ways have met.
            emit.refs.temporaries.retain(|&owner| owner != made.owner);
            Ok([made.owner, made.data].into_iter().chain(made.strides).collect())
        },
        |emit| {
            let nothing = emit.b.iconst(Native::I64, 0);
            Ok([nothing, source.data].into_iter().chain(source.strides.iter().copied()).collect())
        },
    )?;
    emit.refs.temporaries.push(parts[0]);
    let strides: SmallVec<[Value; 4]> = parts[2..].iter().copied().collect();
    let ty = ArrayType { layout: Layout::Any, ..source.ty };
    Ok((ArrayParts { ty, owner: parts[0], data: parts[1], strides, ..source }, parts[0]))
}

/// Writes the items of an array of the same shape, in order.
pub(crate) fn copy_items(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts) -> Result<()> {
    for_each_in_parallel(emit, &target.shape, COPY, &mut |emit, at| copy_one(emit, target, source, at))
}

/// The same inside a loop, whose iterations threads may share, or where it rarely happens.
pub(crate) fn copy_part(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts) -> Result<()> {
    for_each(emit, &target.shape, &mut |emit, at| copy_one(emit, target, source, at))
}

fn copy_one(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts, at: &[Value]) -> Result<()> {
    let pointer = address(emit, source.data, &source.strides, at);
    let value = load_item(emit, source, pointer);
    let value = convert_item(emit, &value, target.ty.dtype)?;
    let pointer = address(emit, target.data, &target.strides, at);
    store_item(emit, target, pointer, &value);
    Ok(())
}

/// What a value is written to: its message says so where the shapes do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misfit {
    /// A view.
    View,
    /// What an index with arrays selects.
    Selection,
}

/// The source seen with another shape. Leading dimensions of length 1 may be too many. ValueError if it does not fit.
pub(crate) fn broadcast(
    emit: &mut Emit<'_>,
    source: ArrayParts,
    shape: &[Value],
    misfit: Misfit,
) -> Result<ArrayParts> {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let new = shape.len().saturating_sub(source.shape.len());
    let surplus = source.shape.len().saturating_sub(shape.len());
    let mut strides: SmallVec<[Value; 4]> = std::iter::repeat_n(zero, new).collect();
    let (dropped, kept) = source.shape.split_at(surplus);
    let wrong: Vec<Value> = dropped.iter().map(|&length| emit.b.icmp(IntCond::Ne, length, one)).collect();
    raise_misfit_if_any(emit, wrong, &source.shape, shape, misfit);
    let mut wrong = Vec::new();
    for (axis, &length) in kept.iter().enumerate() {
        let wanted = shape[new + axis];
        let single = emit.b.icmp(IntCond::Eq, length, one);
        let differs = emit.b.icmp(IntCond::Ne, length, wanted);
        strides.push(emit.b.select(single, zero, source.strides[surplus + axis]));
        let no = emit.b.bool(false);
        wrong.push(emit.b.select(single, no, differs));
    }
    // NumPy forgets leading dimensions of length 1 before it looks at the others of what goes into a view.
    let told = if misfit == Misfit::View { kept } else { &source.shape };
    raise_misfit_if_any(emit, wrong, told, shape, misfit);
    let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::Any, ..source.ty };
    Ok(ArrayParts { ty, strides, shape: shape.into(), ..source })
}

/// Raises that one shape does not fit another where one of the conditions holds.
fn raise_misfit_if_any(emit: &mut Emit<'_>, wrong: Vec<Value>, from: &[Value], to: &[Value], misfit: Misfit) {
    if let Some(wrong) = wrong.into_iter().reduce(|a, b| emit.b.like_first(Op::Ior, &[a, b])) {
        let (layout, words) = misfit_message(from, to, misfit);
        raise_shapes_if(emit, wrong, ValueError, &layout, &words);
    }
}

/// Checks that a value of one shape can be written to another, as [`broadcast`] does.
pub(crate) fn check_fits(emit: &mut Emit<'_>, from: &[Value], to: &[Value]) {
    let one = emit.b.iconst(Native::I64, 1);
    let new = to.len().saturating_sub(from.len());
    let mut misfit: Option<Value> = None;
    for (&length, &wanted) in from.iter().zip(&to[new..]).filter(|(length, wanted)| length != wanted) {
        let several = emit.b.icmp(IntCond::Ne, length, one);
        let differs = emit.b.icmp(IntCond::Ne, length, wanted);
        let wrong = emit.b.like_first(Op::Iand, &[several, differs]);
        misfit = Some(match misfit {
            Some(before) => emit.b.like_first(Op::Ior, &[before, wrong]),
            None => wrong,
        });
    }
    if let Some(misfit) = misfit {
        let (layout, words) = misfit_message(from, to, Misfit::View);
        raise_shapes_if(emit, misfit, ValueError, &layout, &words);
    }
}

/// Raises with shapes in the message, without them where they are too long for the payload.
pub(crate) fn raise_shapes_if(
    emit: &mut Emit<'_>,
    wrong: Value,
    class: ExceptionClass,
    layout: &str,
    words: &[Value],
) {
    if words.len() > rt::PAYLOAD_WORDS {
        emit.raise_if(wrong, class, "shape mismatch");
    } else {
        emit.raise_payload_if(wrong, class, layout, words);
    }
}

/// A shape in a message, as `(2,3)`; its lengths are words of the payload.
pub(crate) fn shape_text(shape: &[Value]) -> String {
    let lengths = vec!["i"; shape.len()].join(&constant_text(","));
    let end = constant_text(if shape.len() == 1 { ",)" } else { ")" });
    format!("{}{lengths}{end}", constant_text("("))
}

/// The message where a value of one shape does not fit another, and its numbers.
fn misfit_message(from: &[Value], to: &[Value], misfit: Misfit) -> (String, Vec<Value>) {
    let (head, middle) = match misfit {
        Misfit::View => ("could not broadcast input array from shape ", " into shape "),
        Misfit::Selection => {
            ("shape mismatch: value array of shape ", " could not be broadcast to indexing result of shape ")
        }
    };
    let (head, middle) = (constant_text(head), constant_text(middle));
    let layout = format!("[{head}{}{middle}{}]", shape_text(from), shape_text(to));
    (layout, from.iter().chain(to).copied().collect())
}

/// Whether the items of two arrays are not the very same, each at the same indices: what is read is then
/// written right after.
pub(crate) fn differ(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts) -> Value {
    if target.shape.len() != source.shape.len() || target.ty.dtype != source.ty.dtype {
        return emit.b.bool(true);
    }
    let mut differs = emit.b.icmp(IntCond::Ne, target.data, source.data);
    let (a, b) = (target.shape.iter().chain(&target.strides), source.shape.iter().chain(&source.strides));
    for (&a, &b) in a.zip(b).filter(|(a, b)| a != b) {
        let one = emit.b.icmp(IntCond::Ne, a, b);
        differs = emit.b.like_first(Op::Ior, &[differs, one]);
    }
    differs
}

/// Whether the memory between the first and last items of two arrays meets.
pub(crate) fn overlap(emit: &mut Emit<'_>, a: &ArrayParts, b: &ArrayParts) -> Result<Value> {
    let (low_a, high_a) = extent(emit, a)?;
    let (low_b, high_b) = extent(emit, b)?;
    let first = emit.b.icmp(IntCond::Ult, low_a, high_b);
    let second = emit.b.icmp(IntCond::Ult, low_b, high_a);
    Ok(emit.b.like_first(Op::Iand, &[first, second]))
}

/// The addresses of an array's first byte and after its last one.
fn extent(emit: &mut Emit<'_>, array: &ArrayParts) -> Result<(Value, Value)> {
    let zero = emit.b.iconst(Native::I64, 0);
    let one = emit.b.iconst(Native::I64, 1);
    let item = catalog::array::item_size(emit, array.ty.dtype)?;
    let (mut low, mut high) = (zero, emit.b.iconst(Native::I64, item));
    for (&length, &stride) in array.shape.iter().zip(&array.strides) {
        let last = emit.b.like_first(Op::Isub, &[length, one]);
        let span = emit.b.like_first(Op::Imul, &[last, stride]);
        let back = emit.b.icmp(IntCond::Slt, span, zero);
        let (down, up) = (emit.b.select(back, span, zero), emit.b.select(back, zero, span));
        low = emit.b.like_first(Op::Iadd, &[low, down]);
        high = emit.b.like_first(Op::Iadd, &[high, up]);
    }
    let at = |emit: &mut Emit<'_>, offset| emit.b.native(Op::PtrAdd, [], &[array.data, offset], Native::Ptr);
    Ok((at(emit, low), at(emit, high)))
}
