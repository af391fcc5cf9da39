//! `a[index]` with arrays in the index: copies elements, rows and so on, from the selection or to it.

use crate::alloc::allocate;
use crate::boolean_mask::compact;
use crate::fancy_index::AdvancedIndex;
use crate::from_tuple;
use crate::loop_nest::address;
use crate::setitem::{Misfit, apart, broadcast, copy_part, fill_part};
use abi::ExceptionClass::ValueError;
use catalog::array::ArrayParts;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, constant_text};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native};
use smallvec::smallvec;
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, index] = *args else { return None };
    let array = types.array(array)?;
    let ndim = u8::try_from(AdvancedIndex::of(types, array, index)?.ndim()).ok()?;
    let made = ArrayType { ndim, layout: Layout::C, mutable: true, aligned: true, ..array };
    Some(Resolution { result: types.intern(TypeData::Array(made)), params: args.to_vec(), emit: get })
}

fn advanced(emit: &Emit<'_>, array: &ArrayParts, index: &Operand) -> Result<AdvancedIndex> {
    AdvancedIndex::of(emit.types, array.ty, index.ty)
        .ok_or_else(|| Diagnostic::internal("emission", "an index without arrays"))
}

fn get(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let check = emit.boundscheck;
    Ok(gather(emit, &args[0], &args[1], check)?.close(emit))
}

/// A new array of what an index with arrays selects.
pub(crate) fn gather(
    emit: &mut Emit<'_>,
    array: &Operand,
    index: &Operand,
    check: bool,
) -> Result<ArrayParts> {
    let array = ArrayParts::open(emit, array)?;
    let selection = advanced(emit, &array, index)?.open(emit, &array, index, check)?;
    let late = check && selection.looks_at_all();
    if check && !late {
        selection.check_indices(emit)?;
    }
    let shape = selection.full_shape(emit)?;
    let made = allocate(emit, array.ty.dtype, &shape, Layout::C, false)?;
    if let Some((mask, row)) =
        selection.masked_row().filter(|_| emit.machine_types(array.ty.dtype).len() == 1)
    {
        compact(emit, mask, row, &made, shape[0])?;
        return Ok(made);
    }
    selection.for_each(emit, late, &mut |emit, from, at| {
        let to = selection.counterpart(emit, &made, at);
        copy_part(emit, &to, &from)
    })?;
    Ok(made)
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [target, index, value] = *args else { return None };
    let array = types.array(target).filter(|array| array.mutable)?;
    let advanced = AdvancedIndex::of(types, array, index)?;
    // A record is read in place, whether or not it is writable.
    let wanted = types.seen_in(array.dtype, false);
    let converts = |from: Type| types::convert(types, types.unliteral(from), wanted).is_some();
    let (value, emit): (Type, EmitFn) = match types.array(value) {
        // Of a whole array's mask one item for each place that is true.
        Some(source) if advanced.is_whole_mask() && source.ndim > 1 || !converts(source.dtype) => {
            return None;
        }
        Some(source) if advanced.is_whole_mask() && source.ndim == 1 => (value, set_masked),
        Some(_) => (value, set),
        None if let Some((shape, items)) = from_tuple::shape_of(types, value) => {
            let fits =
                items.iter().all(|&item| converts(item)) && !advanced.is_whole_mask() | (shape.len() == 1);
            (fits.then_some(value)?, if advanced.is_whole_mask() { set_masked } else { set })
        }
        None => (converts(value).then_some(wanted)?, set),
    };
    Some(Resolution { result: Type::NONE, params: vec![target, index, value], emit })
}

fn set_masked(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = ArrayParts::open(emit, &args[0])?;
    let mut selection = advanced(emit, &array, &args[1])?.open(emit, &array, &args[1], false)?;
    let Some(values) = values(emit, &args[2], array.ty.dtype)? else {
        return Err(Diagnostic::internal("emission", "a mask's values that are no array"));
    };
    let wanted = selection.full_shape(emit)?[0];
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
    let mut kept = Vec::new();
    selection.keep_apart(emit, &array, &mut kept)?;
    let (values, owner) = apart(emit, &array, values)?;
    kept.push(owner);
    let zero = emit.b.iconst(Native::I64, 0);
    let stride = emit.b.select(single, zero, values.strides[0]);
    selection.for_each(emit, false, &mut |emit, to, at| {
        let data = address(emit, values.data, &[stride], at);
        let ty = ArrayType { ndim: 0, ..values.ty };
        let from = ArrayParts { ty, data, shape: smallvec![], strides: smallvec![], ..values.clone() };
        copy_part(emit, &to, &from)
    })?;
    kept.into_iter().for_each(|owner| emit.release_results(owner));
    Ok(Operand::new(Type::NONE, []))
}

/// The array that is written, of a tuple a new one; none of a number.
fn values(emit: &mut Emit<'_>, value: &Operand, dtype: Type) -> Result<Option<ArrayParts>> {
    match emit.types.array(value.ty) {
        Some(_) => ArrayParts::open(emit, value).map(Some),
        None => from_tuple::as_array(emit, value, dtype),
    }
}

/// All places are looked at before anything is written.
fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, check) = (ArrayParts::open(emit, &args[0])?, emit.boundscheck);
    let mut selection = advanced(emit, &array, &args[1])?.open(emit, &array, &args[1], check)?;
    if check {
        selection.check_indices(emit)?;
    }
    let mut kept = Vec::new();
    let source = match values(emit, &args[2], array.ty.dtype)? {
        Some(values) => {
            let shape = selection.full_shape(emit)?;
            let values = broadcast(emit, values, &shape, Misfit::Selection)?;
            let (values, owner) = apart(emit, &array, values)?;
            kept.push(owner);
            Some(values)
        }
        None => None,
    };
    selection.keep_apart(emit, &array, &mut kept)?;
    match &source {
        Some(values) => selection.for_each(emit, false, &mut |emit, to, at| {
            let from = selection.counterpart(emit, values, at);
            copy_part(emit, &to, &from)
        })?,
        None => selection.for_any(emit, &mut |emit, to| fill_part(emit, &to, &args[2]))?,
    }
    kept.into_iter().for_each(|owner| emit.release_results(owner));
    Ok(Operand::new(Type::NONE, []))
}
