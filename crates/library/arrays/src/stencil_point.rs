//! A stencil point, the array as the kernel sees it: indices are relative to one element and never count from the end.
//!
//! A point is the array and the indices of that element. An offset outside the array is an IndexError; the check is
//! removed if range analysis of the surrounding loops proves it, as for any index.
//!
//! Absent: the loops over the points (`rumba.stencils`), and how far constant offsets reach (`stencil_offsets`).

use crate::basic_index::{self, BasicIndex, Part};
use crate::creation::dimensions;
use abi::ExceptionClass::IndexError;
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use types::{ArrayType, Facet, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.stencil_point", resolve_point).reads();
    catalog.add(Key::Getitem, Rule::Generic(resolve_item));
    catalog.add(Key::Getattr("shape".into()), Rule::Generic(resolve_shape));
    catalog.add(Key::Getattr("ndim".into()), Rule::Generic(resolve_ndim));
    catalog.add_generic("builtins.len", resolve_length).reads();
}

/// The array that a value of this type is a point of, with its type.
pub(crate) fn array_of(types: &TypeTable, ty: Type) -> Option<(Type, ArrayType)> {
    let TypeData::Facet { facet: Facet::StencilPoint, of } = types.get(ty) else { return None };
    let array = *types.elements(of)?.first()?;
    Some((array, types.array(array)?))
}

/// `stencil_point(array, indices)`.
fn resolve_point(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, indices] = *args else { return None };
    let plain = types.array(array)?;
    (dimensions(types, indices)? == plain.ndim && plain.ndim > 0).then_some(())?;
    let indices = types.tuple(&vec![Type::INT64; plain.ndim.into()]);
    let of = types.tuple(&[array, indices]);
    let result = types.intern(TypeData::Facet { facet: Facet::StencilPoint, of });
    let emit: EmitFn =
        |_, args| Ok(Operand::new(Type::NONE, args[0].parts.iter().chain(&args[1].parts).copied()));
    Some(Resolution { result, params: vec![array, indices], emit })
}

/// A point, opened.
struct Point {
    array: ArrayParts,
    indices: Vec<Value>,
}

impl Point {
    fn open(emit: &mut Emit<'_>, point: &Operand) -> Result<Point> {
        let Some((ty, array)) = array_of(emit.types, point.ty) else {
            return Err(Diagnostic::internal("emission", "a point of no array"));
        };
        let (parts, indices) = point.parts.split_at(point.parts.len() - usize::from(array.ndim));
        let array = ArrayParts::open(emit, &Operand::new(ty, parts.iter().copied()))?;
        Ok(Point { array, indices: indices.to_vec() })
    }

    /// The index in the array that an offset leads to. IndexError if there is none.
    fn position(&self, emit: &mut Emit<'_>, axis: usize, offset: &Operand) -> Result<Operand> {
        let offset = cast(emit, offset, Type::INT64)?.value();
        let at = moved(emit, self.indices[axis], offset);
        let length = self.array.shape[axis];
        if emit.boundscheck {
            let outside = emit.b.icmp(IntCond::Uge, at, length);
            let text = constant_text(&format!(" is out of bounds for axis {axis} with size "));
            let layout = format!("[{}i{text}i]", constant_text("index "));
            emit.raise_payload_if(outside, IndexError, &layout, &[at, length]);
        }
        // Unsigned, as it does not count from the end.
        Ok(Operand::single(Type::UINT64, at))
    }

    /// The slice of the array that a slice of offsets is. The part outside the array is left out.
    fn stretch(&self, emit: &mut Emit<'_>, axis: usize, offsets: &Operand) -> Result<Operand> {
        let ty = emit.types.intern(TypeData::Slice { members: 2 });
        let bounds = cast(emit, offsets, ty)?.parts;
        let (zero, length) = (emit.b.iconst(Native::I64, 0), self.array.shape[axis]);
        let mut bound = |bound: Value| {
            let at = moved(emit, self.indices[axis], bound);
            let below = emit.b.icmp(IntCond::Slt, at, zero);
            let at = emit.b.select(below, zero, at);
            let above = emit.b.icmp(IntCond::Sgt, at, length);
            emit.b.select(above, length, at)
        };
        let bounds = [bound(bounds[0]), bound(bounds[1])];
        Ok(Operand::new(ty, bounds))
    }
}

fn moved(emit: &mut Emit<'_>, index: Value, offset: Value) -> Value {
    match emit.b.known_int(offset) {
        Some(0) => index,
        _ => emit.b.like_first(Op::Iadd, &[index, offset]),
    }
}

/// How an index of offsets selects: by an integer for each dimension, or by slices that have both ends.
fn basic(types: &TypeTable, array: ArrayType, index: Type) -> Option<BasicIndex> {
    let items = basic_index::items(types, index);
    let bounded = |&item: &Type| match types.get(types.unliteral(item)) {
        TypeData::Int { .. } => true,
        TypeData::LiteralSlice { start: Some(_), stop: Some(_), step } => step.is_none_or(|step| step == 1),
        TypeData::Slice { members } => members == 2,
        _ => false,
    };
    (items.len() == usize::from(array.ndim) && items.iter().all(bounded)).then_some(())?;
    BasicIndex::of(types, array, index)
}

fn resolve_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [point, index] = *args else { return None };
    let (whole, array) = array_of(types, point)?;
    let basic = basic(types, array, index)?;
    let result = if basic.is_item { types.item_type(&array) } else { types.view_of(whole, basic.view)? };
    Some(Resolution { result, params: args.to_vec(), emit: item })
}

fn item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let point = Point::open(emit, &args[0])?;
    let offsets = basic_index::operands(emit, &args[1])?;
    let mut selected = Vec::new();
    for (axis, offset) in offsets.iter().enumerate() {
        selected.push(match basic_index::part_of(emit.types, offset.ty, axis) {
            Some(Part::Index(_)) => point.position(emit, axis, offset)?,
            _ => point.stretch(emit, axis, offset)?,
        });
    }
    let types: Vec<Type> = selected.iter().map(|part| part.ty).collect();
    let index = emit.types.tuple(&types);
    let basic = BasicIndex::of(emit.types, point.array.ty, index)
        .ok_or_else(|| Diagnostic::internal("emission", "offsets of another kind"))?;
    let index = Operand::new(index, selected.iter().flat_map(|part| part.parts.iter().copied()));
    let found = basic.apply(emit, &point.array, &index, false)?;
    Ok(if basic.is_item { load_item(emit, &point.array, found.data) } else { found.close(emit) })
}

fn resolve_shape(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [point] = *args else { return None };
    let (_, array) = array_of(types, point)?;
    let result = types.tuple(&vec![Type::INT64; array.ndim.into()]);
    let emit: EmitFn = |emit, args| {
        let shape = Point::open(emit, &args[0])?.array.shape;
        Ok(Operand::new(Type::NONE, shape))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_ndim(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [point] = *args else { return None };
    let (_, array) = array_of(types, point)?;
    let emit: EmitFn = |emit, args| {
        let ndim = Point::open(emit, &args[0])?.indices.len();
        Ok(Operand::single(Type::INT64, emit.b.iconst(Native::I64, ndim as i64)))
    };
    Some(Resolution { result: types.literal_int(array.ndim.into()), params: args.to_vec(), emit })
}

fn resolve_length(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [point] = *args else { return None };
    array_of(types, point)?;
    let emit: EmitFn = |emit, args| {
        let point = Point::open(emit, &args[0])?;
        Ok(Operand::single(Type::INT64, point.array.shape[0]))
    };
    Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}
