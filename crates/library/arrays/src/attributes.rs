//! Attributes of arrays: shape, strides, size and so on.

use crate::alloc::allocate;
use crate::creation::kept;
use crate::setitem::{write, written};
use catalog::array::{ArrayParts, item_size};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{Native, Op};
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    let mut attribute = |name: &str, rule: fn(&TypeTable, &[Type]) -> Option<Resolution>| {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(rule));
    };
    attribute("shape", |types, args| integers(types, args, |emit, args| lengths(emit, args, false)));
    attribute("strides", |types, args| integers(types, args, |emit, args| lengths(emit, args, true)));
    attribute("ndim", dimensions);
    attribute("itemsize", bytes_of_item);
    attribute("size", |types, args| word(types, args, size));
    attribute("nbytes", |types, args| word(types, args, bytes));
    attribute("T", transpose);
    attribute("mT", transpose_matrices);
    attribute("dtype", dtype);
    attribute("real", real);
    attribute("imag", imag);
    for (name, rule) in [("real", set_real as fn(&TypeTable, &[Type]) -> _), ("imag", set_imag)] {
        catalog.add(Key::Setattr(name.into()), Rule::Generic(rule));
    }
    catalog.add_generic("numpy.real", real).reads();
    catalog.add_generic("numpy.imag", imag).reads();
    catalog
        .add_generic("numpy.shape", |types, args| {
            integers(types, args, |emit, args| lengths(emit, args, false))
        })
        .reads();
    catalog.add_generic("numpy.size", |types, args| word(types, args, size)).reads();
    catalog.add_generic("numpy.ndim", dimensions).reads();
}

fn array_of(types: &TypeTable, args: &[Type]) -> Option<ArrayType> {
    let [array] = *args else { return None };
    types.array(array)
}

fn integers(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let array = array_of(types, args)?;
    let result = types.tuple(&vec![Type::INT64; array.ndim.into()]);
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn lengths(emit: &mut Emit<'_>, args: &[Operand], strides: bool) -> Result<Operand> {
    let parts = ArrayParts::open(emit, &args[0])?;
    let found = if strides { parts.strides } else { parts.shape };
    let ty = emit.types.tuple(&vec![Type::INT64; found.len()]);
    Ok(Operand::new(ty, found))
}

fn dimensions(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.literal_int(array_of(types, args)?.ndim.into());
    let emit: EmitFn = |emit, args| {
        let ndim = ArrayParts::open(emit, &args[0])?.ty.ndim;
        Ok(Operand::single(Type::INT64, emit.b.iconst(Native::I64, ndim.into())))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn bytes_of_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.literal_int(types.item_size(array_of(types, args)?.dtype)?);
    let emit: EmitFn = |emit, args| {
        let dtype = ArrayParts::open(emit, &args[0])?.ty.dtype;
        let size = item_size(emit, dtype)?;
        Ok(Operand::single(Type::INT64, emit.b.iconst(Native::I64, size)))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn word(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    array_of(types, args)?;
    Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

fn size(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = ArrayParts::open(emit, &args[0])?;
    Ok(Operand::single(Type::INT64, parts.size(emit)))
}

fn bytes(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let parts = ArrayParts::open(emit, &args[0])?;
    let (size, item) = (parts.size(emit), item_size(emit, parts.ty.dtype)?);
    let item = emit.b.iconst(Native::I64, item);
    Ok(Operand::single(Type::INT64, emit.b.like_first(Op::Imul, &[size, item])))
}

fn transpose(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let turned = turned(array_of(types, args)?);
    let result = types.intern(TypeData::Array(turned));
    let emit: EmitFn = |emit, args| {
        let mut parts = ArrayParts::open(emit, &args[0])?;
        parts.ty = self::turned(parts.ty);
        parts.shape.reverse();
        parts.strides.reverse();
        Ok(parts.close(emit))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// `a.mT`: the last two dimensions in the other order, of two or more.
fn transpose_matrices(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let array = array_of(types, args).filter(|array| array.ndim >= 2)?;
    if array.ndim == 2 {
        return transpose(types, args);
    }
    let result = types.intern(TypeData::Array(array.with_layout(Layout::Any)));
    let emit: EmitFn = |emit, args| {
        let given = ArrayParts::open(emit, &args[0])?;
        let ndim = given.shape.len();
        let mut parts = ArrayParts { ty: given.ty.with_layout(Layout::Any), ..given };
        parts.shape.swap(ndim - 2, ndim - 1);
        parts.strides.swap(ndim - 2, ndim - 1);
        Ok(parts.close(emit))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The type with its dimensions in the other order.
fn turned(array: ArrayType) -> ArrayType {
    array.with_layout(match array.layout {
        Layout::C => Layout::F,
        Layout::F => Layout::C,
        Layout::Any => Layout::Any,
    })
}

fn dtype(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.intern(TypeData::Class(array_of(types, args)?.dtype));
    let emit: EmitFn = |_, args| Ok(Operand::new(args[0].ty, []));
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// `a.real`: a view on half of each complex number; what is not complex is all real.
fn real(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    part(types, args, |emit, args| complex_part(emit, args, 0)).or_else(|| {
        array_of(types, args).filter(|array| !array.dtype.is_complex())?;
        Some(Resolution { result: args[0], params: args.to_vec(), emit: |_, args| Ok(args[0].clone()) })
    })
}

/// `a.imag`: a view on half of each complex number; of what is not complex zeros, which cannot be written.
fn imag(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    part(types, args, |emit, args| complex_part(emit, args, 1)).or_else(|| {
        let array = array_of(types, args).filter(|array| !array.dtype.is_complex())?;
        let zeros = ArrayType { mutable: false, aligned: true, ..array.with_layout(kept(array.layout)) };
        let emit: EmitFn = |emit, args| {
            let array = ArrayParts::open(emit, &args[0])?;
            let made = allocate(emit, array.ty.dtype, &array.shape, kept(array.ty.layout), true)?;
            Ok(ArrayParts { ty: ArrayType { mutable: false, ..made.ty }, ..made }.close(emit))
        };
        Some(Resolution { result: types.intern(TypeData::Array(zeros)), params: args.to_vec(), emit })
    })
}

/// `a.real = value`.
fn set_real(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    set(types, args, real, |emit, args| write_part(emit, args, 0))
}

/// `a.imag = value`, of complex items alone.
fn set_imag(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let array = types.array(*args.first()?)?;
    if !array.dtype.is_complex() {
        return None;
    }
    set(types, args, imag, |emit, args| write_part(emit, args, 1))
}

fn set(
    types: &TypeTable,
    args: &[Type],
    part: fn(&TypeTable, &[Type]) -> Option<Resolution>,
    emit: EmitFn,
) -> Option<Resolution> {
    let [array, value] = *args else { return None };
    let view = types.array(part(types, &[array])?.result).filter(|view| view.mutable)?;
    let value = written(types, view.dtype, value, false)?;
    Some(Resolution { result: Type::NONE, params: vec![array, value], emit })
}

fn write_part(emit: &mut Emit<'_>, args: &[Operand], number: i64) -> Result<Operand> {
    let mut view = ArrayParts::open(emit, &args[0])?;
    if view.ty.dtype.is_complex() {
        let part = complex_part(emit, args, number)?;
        let (ty, dtype) = (view.ty, view.ty.dtype.complex_part());
        let ty = emit.types.intern(TypeData::Array(ArrayType { dtype, layout: Layout::Any, ..ty }));
        view = ArrayParts::open(emit, &Operand::new(ty, part.parts))?;
    }
    write(emit, &view, &args[1])?;
    Ok(Operand::new(Type::NONE, []))
}

/// `a.real` and `a.imag` of complex items: views on half of each.
fn part(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let array = array_of(types, args).filter(|array| array.dtype.is_complex())?;
    let view = ArrayType { dtype: array.dtype.complex_part(), layout: Layout::Any, ..array };
    Some(Resolution { result: types.intern(TypeData::Array(view)), params: args.to_vec(), emit })
}

fn complex_part(emit: &mut Emit<'_>, args: &[Operand], number: i64) -> Result<Operand> {
    let mut parts = ArrayParts::open(emit, &args[0])?;
    let dtype = parts.ty.dtype.complex_part();
    let offset = emit.b.iconst(Native::I64, number * item_size(emit, dtype)?);
    parts.data = emit.b.native(Op::PtrAdd, [], &[parts.data, offset], Native::Ptr);
    parts.ty = ArrayType { dtype, layout: Layout::Any, ..parts.ty };
    Ok(parts.close(emit))
}
