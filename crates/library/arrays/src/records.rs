//! Fields of records and of arrays of records: `r['a']`, `r.a`, `r[0]`, `a['x']`, `a[['x', 'y']]`, and assignment to them.
//!
//! An attribute is the item with its name. A field that is an array is a view, and so are a field and several
//! fields of an array of records.

use crate::setitem::{copy, fill, text_for};
use catalog::array::{ArrayParts, strides_of};
use catalog::element::ItemPointer;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast};
use diag::{Diagnostic, Result};
use ir::{Native, Value};
use smallvec::SmallVec;
use std::sync::Arc;
use types::{ArrayType, Layout, LiteralValue, RecordField, RecordType, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Getitem, Rule::Generic(resolve_fields));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
    catalog.add_generic("builtins.len", resolve_length).reads();
}

/// The record whose fields a value has, itself or of each item, and the field that an index names.
fn field_of(types: &TypeTable, of: Type, index: Type) -> Option<RecordField> {
    let record = record_of(types, of)?;
    match types.literal(index)? {
        LiteralValue::Str(name) => record.field(&name).cloned(),
        LiteralValue::Int(at) if types.record(of).is_some() => {
            // A field that has a title is listed under both names.
            let named: Vec<&RecordField> =
                record.fields.iter().filter(|field| field.title.as_ref() != Some(&field.name)).collect();
            let at = if at < 0 { at + named.len() as i64 } else { at };
            named.get(usize::try_from(at).ok()?).map(|&field| field.clone())
        }
        _ => None,
    }
}

fn record_of(types: &TypeTable, of: Type) -> Option<Arc<RecordType>> {
    types.record(types.array(of).map_or(of, |array| array.dtype))
}

/// The type that a field is seen as: its value, or an array in somebody's memory.
fn type_of_field(types: &TypeTable, of: Type, field: &RecordField) -> Option<Type> {
    let record = record_of(types, of)?;
    let array = types.array(of);
    let mutable = array.map_or(record.mutable, |array| array.mutable);
    let ndim = array.map_or(0, |array| array.ndim).checked_add(u8::try_from(field.shape.len()).ok()?)?;
    if array.is_none() && field.shape.is_empty() {
        return Some(types.seen_in(field.ty, mutable));
    }
    let (layout, aligned) = match array {
        Some(array) => (Layout::Any, array.aligned && record.aligned),
        None => (Layout::C, record.aligned),
    };
    let view = ArrayType { dtype: field.ty, ndim, layout, mutable, aligned };
    Some(types.intern(TypeData::Array(view)))
}

/// The records, one or an array of them, of which only the fields that a list names are seen, in its order.
fn with_fields(types: &TypeTable, of: Type, index: Type) -> Option<Type> {
    let record = record_of(types, of)?;
    let mut fields: Vec<RecordField> = Vec::new();
    let names = types.elements(types.starred(index)?).filter(|names| !names.is_empty())?;
    for &name in names.iter() {
        let Some(LiteralValue::Str(name)) = types.literal(name) else { return None };
        let field = record.field(&name).filter(|_| fields.iter().all(|known| *known.name != *name))?;
        fields.push(field.clone());
    }
    let seen = RecordType { fields: fields.into(), ..(*record).clone() };
    let seen = types.intern(TypeData::Record(Arc::new(seen)));
    Some(match types.array(of) {
        Some(array) => types.intern(TypeData::Array(ArrayType { dtype: seen, ..array })),
        None => seen,
    })
}

fn resolve_fields(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, index] = *args else { return None };
    let result = with_fields(types, of, index)?;
    let emit: catalog::EmitFn = |emit, args| match with_fields(emit.types, args[0].ty, args[1].ty) {
        Some(ty) => Ok(Operand { ty, parts: args[0].parts.clone() }),
        None => Err(Diagnostic::internal("emission", "fields of what has none")),
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, index] = *args else { return None };
    let field = field_of(types, of, index)?;
    let result = type_of_field(types, of, &field)?;
    Some(Resolution { result, params: args.to_vec(), emit: get })
}

fn get(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    match open(emit, &args[0], &args[1])? {
        Field::Value(pointer, ty) => Ok(pointer.load(emit, ty)),
        Field::View(view) => Ok(view.close(emit)),
    }
}

/// A field in place.
enum Field {
    /// A value of this type.
    Value(ItemPointer, Type),
    /// An array.
    View(ArrayParts),
}

fn open(emit: &mut Emit<'_>, of: &Operand, index: &Operand) -> Result<Field> {
    let unknown = || Diagnostic::internal("emission", "a field of what has none");
    let field = field_of(emit.types, of.ty, index.ty).ok_or_else(unknown)?;
    let seen = type_of_field(emit.types, of.ty, &field).ok_or_else(unknown)?;
    let (array, owner, data) = match emit.types.array(of.ty) {
        Some(_) => {
            let array = ArrayParts::open(emit, of)?;
            (Some(array.clone()), array.owner, array.data)
        }
        None => (None, of.parts[0], of.parts[1]),
    };
    // The alignment of a record is not guaranteed, but unaligned accesses are as fast.
    let pointer =
        ItemPointer { owner, address: data, aligned: false, mutable: true }.offset(emit, field.offset);
    let Some(ty) = emit.types.array(seen) else { return Ok(Field::Value(pointer, seen)) };
    let inner: SmallVec<[Value; 4]> =
        field.shape.iter().map(|&length| emit.b.iconst(Native::I64, length)).collect();
    let rows = ArrayType { layout: Layout::C, ndim: inner.len() as u8, ..ty };
    let inner_strides = strides_of(emit, &rows, &inner)?;
    let (outer, outer_strides) = array.map(|array| (array.shape, array.strides)).unwrap_or_default();
    Ok(Field::View(ArrayParts {
        ty,
        owner,
        data: pointer.address,
        shape: outer.into_iter().chain(inner).collect(),
        strides: outer_strides.into_iter().chain(inner_strides).collect(),
    }))
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of, index, value] = *args else { return None };
    let field = field_of(types, of, index)?;
    let seen = type_of_field(types, of, &field)?;
    let mutable = match types.array(of) {
        Some(array) => array.mutable,
        None => record_of(types, of)?.mutable,
    };
    let wanted = types.seen_in(field.ty, false);
    let converts = |from: Type| types::convert(types, from, wanted).is_some();
    let value = match (types.array(seen), types.array(value)) {
        (Some(view), Some(source)) => {
            (source.ndim <= view.ndim && converts(source.dtype)).then_some(value)?
        }
        (_, None) if converts(value) => wanted,
        (_, None) => text_for(types, value, wanted)?,
        (None, Some(_)) => return None,
    };
    mutable.then_some(Resolution { result: Type::NONE, params: vec![of, index, value], emit: set })
}

fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = &args[2];
    match open(emit, &args[0], &args[1])? {
        Field::Value(pointer, ty) => {
            let value = cast(emit, value, ty)?;
            pointer.store(emit, ty, &value);
        }
        Field::View(view) if emit.types.array(value.ty).is_some() => {
            let source = ArrayParts::open(emit, value)?;
            copy(emit, &view, source)?;
        }
        Field::View(view) => {
            let value = cast(emit, value, view.ty.dtype)?;
            fill(emit, &view, &value)?;
        }
    }
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_length(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [record] = *args else { return None };
    let record = types.record(record)?;
    let named = record.fields.iter().filter(|field| field.title.as_ref() != Some(&field.name)).count();
    let emit: catalog::EmitFn = |emit, args| {
        let length = resolve_length(emit.types, &[args[0].ty])
            .and_then(|resolution| emit.types.literal(resolution.result));
        let Some(LiteralValue::Int(length)) = length else {
            return Err(Diagnostic::internal("emission", "the length of what has none"));
        };
        Ok(Operand::single(Type::INT64, emit.b.iconst(Native::I64, length)))
    };
    Some(Resolution { result: types.literal_int(named as i64), params: args.to_vec(), emit })
}
