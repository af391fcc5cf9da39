//! `a[index] = value`: an item, or the items of a view from a number or an array that is broadcast.

use crate::loops::{address, for_each};
use crate::memory::allocate;
use crate::slices::BasicIndex;
use abi::ExceptionClass::ValueError;
use catalog::array::{ArrayParts, load_item, store_item};
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Setitem, Rule::Generic(resolve_basic));
}

fn resolve_basic(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [target, index, value] = *args else { return None };
    let array = types.array(target).filter(|array| array.mutable)?;
    let basic = BasicIndex::of(types, array, index)?;
    // A record is read where it lies, whether or not it may be written there.
    let wanted = types.seen_in(array.dtype, false);
    let converts = |from: Type| types::convert(types, types.unliteral(from), wanted).is_some();
    let value = match types.array(value) {
        Some(source) => {
            let fits = source.ndim <= basic.view.ndim && (!basic.is_item || source.ndim == 0);
            (fits && converts(source.dtype)).then_some(value)?
        }
        None => converts(value).then_some(wanted)?,
    };
    Some(Resolution { result: Type::NONE, params: vec![target, index, value], emit: assign })
}

fn assign(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = ArrayParts::open(emit, &args[0])?;
    let basic = BasicIndex::of(emit.types, array.ty, args[1].ty)
        .ok_or_else(|| Diagnostic::internal("emission", "an index of another kind"))?;
    let check = emit.boundscheck;
    let target = basic.apply(emit, &array, &args[1], check)?;
    let source = match emit.types.array(args[2].ty) {
        Some(_) => Some(ArrayParts::open(emit, &args[2])?),
        None => None,
    };
    match source {
        Some(source) => copy(emit, &target, source)?,
        None if basic.is_item => store_item(emit, &array, target.data, &args[2]),
        None => fill(emit, &target, &args[2])?,
    }
    Ok(Operand::new(Type::NONE, []))
}

/// Writes a value to every item.
pub(crate) fn fill(emit: &mut Emit<'_>, target: &ArrayParts, value: &Operand) -> Result<()> {
    let (data, strides) = (target.data, target.strides.clone());
    for_each(emit, &target.shape, &mut |emit, indices| {
        let place = address(emit, data, &strides, indices);
        store_item(emit, target, place, value);
        Ok(())
    })
}

/// Writes the items of an array, broadcast to the target's shape. Where they share memory, as it was before.
pub(crate) fn copy(emit: &mut Emit<'_>, target: &ArrayParts, source: ArrayParts) -> Result<()> {
    let source = broadcast(emit, source, target)?;
    let (source, kept) = apart(emit, target, source)?;
    copy_items(emit, target, &source)?;
    emit.release(kept);
    Ok(())
}

/// The source, or where it shares memory with the target a copy; and what is to be released behind its use.
pub(crate) fn apart(
    emit: &mut Emit<'_>,
    target: &ArrayParts,
    source: ArrayParts,
) -> Result<(ArrayParts, Value)> {
    let shared = overlap(emit, target, &source)?;
    let parts = emit.if_else(
        shared,
        |emit| {
            let made = allocate(emit, source.ty.dtype, &source.shape, Layout::C, false)?;
            // Whoever asked releases it, where both ways have met.
            emit.held.fresh.retain(|&owner| owner != made.owner);
            copy_items(emit, &made, &source)?;
            Ok([made.owner, made.data].into_iter().chain(made.strides).collect())
        },
        |emit| {
            let nothing = emit.b.iconst(Native::I64, 0);
            Ok([nothing, source.data].into_iter().chain(source.strides.iter().copied()).collect())
        },
    )?;
    let strides: SmallVec<[Value; 4]> = parts[2..].iter().copied().collect();
    let ty = ArrayType { layout: Layout::Any, ..source.ty };
    Ok((ArrayParts { ty, owner: parts[0], data: parts[1], strides, ..source }, parts[0]))
}

/// Writes the items of an array of the same shape, in order.
pub(crate) fn copy_items(emit: &mut Emit<'_>, target: &ArrayParts, source: &ArrayParts) -> Result<()> {
    for_each(emit, &target.shape, &mut |emit, indices| {
        let place = address(emit, source.data, &source.strides, indices);
        let value = load_item(emit, source, place);
        let value = cast(emit, &value, target.ty.dtype)?;
        let place = address(emit, target.data, &target.strides, indices);
        store_item(emit, target, place, &value);
        Ok(())
    })
}

/// The source seen with the target's shape. ValueError if it does not fit.
pub(crate) fn broadcast(emit: &mut Emit<'_>, source: ArrayParts, target: &ArrayParts) -> Result<ArrayParts> {
    let new = target.shape.len() - source.shape.len();
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let mut strides: SmallVec<[Value; 4]> = std::iter::repeat_n(zero, new).collect();
    let mut misfit = None;
    for (axis, &length) in source.shape.iter().enumerate() {
        let wanted = target.shape[new + axis];
        let single = emit.b.icmp(IntCond::Eq, length, one);
        let differs = emit.b.icmp(IntCond::Ne, length, wanted);
        strides.push(emit.b.select(single, zero, source.strides[axis]));
        let no = emit.b.bool(false);
        let wrong = emit.b.select(single, no, differs);
        misfit = Some(match misfit {
            Some(before) => emit.b.like_first(Op::Ior, &[before, wrong]),
            None => wrong,
        });
    }
    if let Some(misfit) = misfit {
        let (layout, words) = misfit_message(&source.shape, &target.shape);
        emit.raise_payload_if(misfit, ValueError, &layout, &words);
    }
    Ok(ArrayParts { strides, shape: target.shape.clone(), ..source })
}

/// `could not broadcast input array from shape (2,) into shape (3,)`, and its numbers.
fn misfit_message(from: &[Value], to: &[Value]) -> (String, Vec<Value>) {
    let shape = |shape: &[Value]| {
        let lengths = vec!["i"; shape.len()].join(&constant_text(","));
        let end = constant_text(if shape.len() == 1 { ",)" } else { ")" });
        format!("{}{lengths}{end}", constant_text("("))
    };
    let head = constant_text("could not broadcast input array from shape ");
    let layout = format!("[{head}{}{}{}]", shape(from), constant_text(" into shape "), shape(to));
    (layout, from.iter().chain(to).copied().collect())
}

/// Whether the memory between the first and last items of two arrays meets.
fn overlap(emit: &mut Emit<'_>, a: &ArrayParts, b: &ArrayParts) -> Result<Value> {
    let (low_a, high_a) = extent(emit, a)?;
    let (low_b, high_b) = extent(emit, b)?;
    let first = emit.b.icmp(IntCond::Ult, low_a, high_b);
    let second = emit.b.icmp(IntCond::Ult, low_b, high_a);
    Ok(emit.b.like_first(Op::Iand, &[first, second]))
}

/// The addresses of an array's first byte and behind its last one.
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
