//! `a[indices]` and `a[mask]`, one array as the index: items, or rows and so on, are copied to or from their places.

use crate::assign::{apart, broadcast, copy_items, fill};
use crate::index::select;
use crate::loops::{address, for_each};
use crate::memory::allocate;
use crate::slices::place;
use abi::ExceptionClass::{IndexError, ValueError};
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
}

/// What kind of index an array is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Places of the first dimension.
    Places,
    /// Truth values for the places of the first dimensions.
    Mask,
}

/// The kind of index, and the dimensions of an array that it selects from.
fn kind(types: &TypeTable, array: ArrayType, index: Type) -> Option<(Kind, ArrayType)> {
    let index = types.array(index)?;
    let kind = if index.dtype == Type::BOOL { Kind::Mask } else { Kind::Places };
    let fits = match kind {
        Kind::Mask => index.ndim > 0 && index.ndim <= array.ndim,
        Kind::Places => index.dtype.is_int() && array.ndim > 0,
    };
    fits.then_some((kind, index))
}

/// Dimensions of what is selected: those of the index, then those that it leaves whole.
fn dimensions(array: ArrayType, kind: Kind, index: ArrayType) -> Option<u8> {
    match kind {
        Kind::Mask => Some(1 + array.ndim - index.ndim),
        Kind::Places => index.ndim.checked_add(array.ndim - 1),
    }
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, index] = *args else { return None };
    let array = types.array(array)?;
    let (kind, index) = kind(types, array, index)?;
    if kind == Kind::Places && index.ndim == 0 {
        // An array of one place is that place.
        let basic = crate::slices::BasicIndex::of(types, array, index.dtype)?;
        let result =
            if basic.is_item { types.item_type(&array) } else { types.intern(TypeData::Array(basic.view)) };
        let emit: EmitFn = |emit, args| {
            let place = ArrayParts::open(emit, &args[1])?;
            let place = load_item(emit, &place, place.data);
            let check = emit.boundscheck;
            select(emit, &args[0], &place, check)
        };
        return Some(Resolution { result, params: args.to_vec(), emit });
    }
    let ndim = dimensions(array, kind, index)?;
    let made = ArrayType { ndim, layout: Layout::C, mutable: true, ..array };
    let emit: EmitFn = if kind == Kind::Mask { get_masked } else { get_places };
    Some(Resolution { result: types.intern(TypeData::Array(made)), params: args.to_vec(), emit })
}

/// The part of an array at a place of its first dimensions.
fn part(emit: &mut Emit<'_>, array: &ArrayParts, at: &[Value]) -> ArrayParts {
    let count = at.len();
    let data = address(emit, array.data, &array.strides[..count], at);
    let (shape, strides) = (SmallVec::from(&array.shape[count..]), SmallVec::from(&array.strides[count..]));
    let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::Any, ..array.ty };
    ArrayParts { ty, owner: array.owner, data, shape, strides }
}

/// The place that an array of places holds for these indices.
fn place_at(
    emit: &mut Emit<'_>,
    places: &ArrayParts,
    at: &[Value],
    length: Value,
    check: bool,
) -> Result<Value> {
    let where_it_is = address(emit, places.data, &places.strides, at);
    let wanted = load_item(emit, places, where_it_is);
    place(emit, &wanted, length, 0, check)
}

fn get_places(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, places) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    let shape: SmallVec<[Value; 4]> = places.shape.iter().chain(&array.shape[1..]).copied().collect();
    let made = allocate(emit, array.ty.dtype, &shape, Layout::C, false)?;
    let check = emit.boundscheck;
    for_each(emit, &places.shape.clone(), &mut |emit, at| {
        let from = place_at(emit, &places, at, array.shape[0], check)?;
        let (from, to) = (part(emit, &array, &[from]), part(emit, &made, at));
        copy_items(emit, &to, &from)
    })?;
    Ok(made.close(emit))
}

/// IndexError where the mask has another shape than the dimensions that it is for.
fn check_mask(emit: &mut Emit<'_>, array: &ArrayParts, mask: &ArrayParts) {
    for (axis, (&wanted, &length)) in array.shape.iter().zip(&mask.shape).enumerate() {
        let differs = emit.b.icmp(IntCond::Ne, wanted, length);
        let head = format!("boolean index did not match indexed array along axis {axis}; size of axis is ");
        let layout = format!(
            "[{}i{}i]",
            constant_text(&head),
            constant_text(" but size of corresponding boolean axis is ")
        );
        emit.raise_payload_if(differs, IndexError, &layout, &[wanted, length]);
    }
}

/// A counter in the frame, at 0.
fn counter(emit: &mut Emit<'_>) -> Value {
    let slot = emit.frame_slot(8);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(slot, 0, zero);
    slot
}

/// Emits `body` for every place where the mask is true; it is given the place and the number of it.
fn for_each_true(
    emit: &mut Emit<'_>,
    mask: &ArrayParts,
    body: &mut dyn FnMut(&mut Emit<'_>, &[Value], Value) -> Result<()>,
) -> Result<()> {
    let slot = counter(emit);
    for_each(emit, &mask.shape.clone(), &mut |emit, at| {
        let where_it_is = address(emit, mask.data, &mask.strides, at);
        let truth = emit.b.load(Native::I1, where_it_is, 0);
        emit.when(truth, |emit| {
            let number = emit.b.load(Native::I64, slot, 0);
            body(emit, at, number)?;
            let one = emit.b.iconst(Native::I64, 1);
            let next = emit.b.like_first(Op::Iadd, &[number, one]);
            emit.b.store(slot, 0, next);
            Ok(())
        })
    })
}

/// How many places of the mask are true.
fn count(emit: &mut Emit<'_>, mask: &ArrayParts) -> Result<Value> {
    let slot = counter(emit);
    for_each(emit, &mask.shape.clone(), &mut |emit, at| {
        let where_it_is = address(emit, mask.data, &mask.strides, at);
        let truth = emit.b.load(Native::I1, where_it_is, 0);
        let one = emit.b.convert(Op::Zext, truth, Native::I64);
        let before = emit.b.load(Native::I64, slot, 0);
        let after = emit.b.like_first(Op::Iadd, &[before, one]);
        emit.b.store(slot, 0, after);
        Ok(())
    })?;
    Ok(emit.b.load(Native::I64, slot, 0))
}

fn get_masked(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, mask) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    check_mask(emit, &array, &mask);
    let rest = &array.shape[mask.shape.len()..];
    let count = count(emit, &mask)?;
    let shape: SmallVec<[Value; 4]> = std::iter::once(count).chain(rest.iter().copied()).collect();
    let made = allocate(emit, array.ty.dtype, &shape, Layout::C, false)?;
    for_each_true(emit, &mask, &mut |emit, at, number| {
        let (from, to) = (part(emit, &array, at), part(emit, &made, &[number]));
        copy_items(emit, &to, &from)
    })?;
    Ok(made.close(emit))
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [target, index, value] = *args else { return None };
    let array = types.array(target).filter(|array| array.mutable)?;
    let (kind, places) = kind(types, array, index)?;
    let converts = |from: Type| types::convert(types, types.unliteral(from), array.dtype).is_some();
    let value = match types.array(value) {
        Some(source) => {
            let fits = match kind {
                // One item for each place.
                Kind::Mask => places.ndim == array.ndim && source.ndim == 1,
                Kind::Places => source.ndim <= dimensions(array, kind, places)?,
            };
            (fits && converts(source.dtype)).then_some(value)?
        }
        None => converts(value).then_some(array.dtype)?,
    };
    let emit: EmitFn = match (kind, types.array(value).is_some()) {
        (Kind::Mask, false) => fill_masked,
        (Kind::Mask, true) => set_masked,
        (Kind::Places, _) => set_places,
    };
    Some(Resolution { result: Type::NONE, params: vec![target, index, value], emit })
}

fn fill_masked(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, mask) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    check_mask(emit, &array, &mask);
    let (mask, kept) = apart(emit, &array, mask)?;
    for_each_true(emit, &mask, &mut |emit, at, _| {
        let to = part(emit, &array, at);
        fill(emit, &to, &args[2])
    })?;
    emit.release(kept);
    Ok(Operand::new(Type::NONE, []))
}

fn set_masked(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, mask) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    let values = ArrayParts::open(emit, &args[2])?;
    check_mask(emit, &array, &mask);
    let wanted = count(emit, &mask)?;
    let (given, one) = (values.shape[0], emit.b.iconst(Native::I64, 1));
    let single = emit.b.icmp(IntCond::Eq, given, one);
    let differs = emit.b.icmp(IntCond::Ne, given, wanted);
    let no = emit.b.bool(false);
    let wrong = emit.b.select(single, no, differs);
    let layout = format!(
        "[{}i{}i{}]",
        constant_text("NumPy boolean array indexing assignment cannot assign "),
        constant_text(" input values to the "),
        constant_text(" output values where the mask is true")
    );
    emit.raise_payload_if(wrong, ValueError, &layout, &[given, wanted]);
    let (mask, kept_mask) = apart(emit, &array, mask)?;
    let (values, kept_values) = apart(emit, &array, values)?;
    let zero = emit.b.iconst(Native::I64, 0);
    let stride = emit.b.select(single, zero, values.strides[0]);
    for_each_true(emit, &mask, &mut |emit, at, number| {
        let from = address(emit, values.data, &[stride], &[number]);
        let value = load_item(emit, &values, from);
        let value = catalog::cast(emit, &value, array.ty.dtype)?;
        let to = part(emit, &array, at);
        fill(emit, &to, &value)
    })?;
    emit.release(kept_mask);
    emit.release(kept_values);
    Ok(Operand::new(Type::NONE, []))
}

/// All places are looked at before anything is written.
fn set_places(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, places) = (ArrayParts::open(emit, &args[0])?, ArrayParts::open(emit, &args[1])?);
    let length = array.shape[0];
    if emit.boundscheck {
        for_each(emit, &places.shape.clone(), &mut |emit, at| {
            place_at(emit, &places, at, length, true).map(|_| ())
        })?;
    }
    let shape: SmallVec<[Value; 4]> = places.shape.iter().chain(&array.shape[1..]).copied().collect();
    let source = match emit.types.array(args[2].ty) {
        Some(_) => {
            let values = ArrayParts::open(emit, &args[2])?;
            // Seen with the shape of what is written.
            let written = ArrayParts { shape: shape.clone(), strides: shape.clone(), ..array.clone() };
            let values = broadcast(emit, values, &written)?;
            Some(apart(emit, &array, values)?)
        }
        None => None,
    };
    let (places, kept) = apart(emit, &array, places)?;
    for_each(emit, &places.shape.clone(), &mut |emit, at| {
        let to = place_at(emit, &places, at, length, false)?;
        let to = part(emit, &array, &[to]);
        match &source {
            Some((values, _)) => {
                let from = part(emit, values, at);
                copy_items(emit, &to, &from)
            }
            None => fill(emit, &to, &args[2]),
        }
    })?;
    emit.release(kept);
    if let Some((_, kept)) = source {
        emit.release(kept);
    }
    Ok(Operand::new(Type::NONE, []))
}
