//! The intrinsic for views in the library (`python/rumba/library`): the same memory with another shape. Nothing is
//! checked here.

use crate::astype::layout_of;
use crate::creation::{dimensions, dtype_of, lengths};
use catalog::array::{ArrayParts, strides_of};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.array_view", resolve_view);
    catalog.add_generic("rumba.array_at", resolve_at);
    catalog.add_generic("rumba.array_readonly", resolve_readonly);
    catalog.add_generic("rumba.array_bytes", |types, args| {
        buffer_of_vector(types, args, types.bytes(), |emit, args| {
            on_memory_of(emit, args, emit.types.bytes())
        })
    });
    catalog.add_generic("rumba.array_bytearray", |types, args| {
        let emit: EmitFn = |emit, args| on_memory_of(emit, args, emit.types.bytearray());
        buffer_of_vector(types, args, types.bytearray(), emit)
    });
    catalog.add_generic("rumba.array_address", |types, args| {
        let [array] = *args else { return None };
        types.array(array)?;
        let emit: EmitFn = |emit, args| {
            let parts = ArrayParts::open(emit, &args[0])?;
            Ok(Operand::single(Type::INT64, address_of(emit, &parts)))
        };
        Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
    });
}

/// The address of the first item.
pub(crate) fn address_of(emit: &mut Emit<'_>, array: &ArrayParts) -> Value {
    emit.b.convert(Op::Bitcast, array.data, Native::I64)
}

/// The type of `array_view(a, dtype, offset, shape, strides, layout)`.
fn view_type(types: &TypeTable, args: &[Type]) -> Option<ArrayType> {
    let [array, dtype, offset, shape, strides, layout] = *args else { return None };
    let (array, dtype) = (types.array(array)?, dtype_of(types, dtype)?);
    types.unliteral(offset).is_int().then_some(())?;
    let ndim = dimensions(types, shape).filter(|&ndim| dimensions(types, strides) == Some(ndim))?;
    let layout = layout_of(types, layout)?;
    Some(ArrayType { dtype, ndim, ..array }.with_layout(layout))
}

fn resolve_view(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.intern(TypeData::Array(view_type(types, args)?));
    let mut params = args.to_vec();
    params[2] = Type::INT64;
    let emit: EmitFn = |emit, args| {
        let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let ty = view_type(emit.types, &given)
            .ok_or_else(|| Diagnostic::internal("emission", "a view of what is no array"))?;
        let array = ArrayParts::open(emit, &args[0])?;
        let data = emit.b.native(Op::PtrAdd, [], &[array.data, args[2].value()], Native::Ptr);
        let shape: SmallVec<[Value; 4]> = lengths(emit, &args[3])?.into_iter().collect();
        let strides: SmallVec<[Value; 4]> = lengths(emit, &args[4])?.into_iter().collect();
        Ok(ArrayParts { ty, owner: array.owner, data, shape, strides }.close(emit))
    };
    Some(Resolution { result, params, emit })
}

/// The type of `array_at(address, dtype, shape, layout)`.
fn type_at(types: &TypeTable, args: &[Type]) -> Option<ArrayType> {
    let [address, dtype, shape, layout] = *args else { return None };
    let is_address = types.unliteral(address).is_int() || matches!(types.get(address), TypeData::Pointer(_));
    let (dtype, ndim) = (dtype_of(types, dtype).filter(|_| is_address)?, dimensions(types, shape)?);
    let layout = layout_of(types, layout)?;
    Some(ArrayType { dtype, ndim, layout, mutable: true, aligned: true }.with_layout(layout))
}

/// Memory that somebody else keeps alive.
fn resolve_at(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.intern(TypeData::Array(type_at(types, args)?));
    let mut params = args.to_vec();
    if types.unliteral(args[0]).is_int() {
        params[0] = Type::INT64;
    }
    let emit: EmitFn = |emit, args| {
        let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let ty = type_at(emit.types, &given)
            .ok_or_else(|| Diagnostic::internal("emission", "an array where there is no memory"))?;
        let mut data = args[0].value();
        if emit.b.func.native(data) != Native::Ptr {
            data = emit.b.convert(Op::Bitcast, data, Native::Ptr);
        }
        let shape: SmallVec<[Value; 4]> = lengths(emit, &args[2])?.into_iter().collect();
        let strides = strides_of(emit, &ty, &shape)?;
        let owner = emit.b.iconst(Native::I64, 0);
        Ok(ArrayParts { ty, owner, data, shape, strides }.close(emit))
    };
    Some(Resolution { result, params, emit })
}

/// What makes a buffer of a contiguous vector of bytes.
fn buffer_of_vector(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [array] = *args else { return None };
    let items = types.array(array)?;
    let fits = items.dtype == Type::UINT8 && items.ndim == 1 && items.layout == Layout::C;
    fits.then(|| Resolution { result, params: args.to_vec(), emit })
}

/// A buffer on the memory of a vector of bytes.
fn on_memory_of(emit: &mut Emit<'_>, args: &[Operand], result: Type) -> Result<Operand> {
    let parts = ArrayParts::open(emit, &args[0])?;
    Ok(Operand::new(result, [parts.owner, parts.data, parts.shape[0]]))
}

/// The same array, not to be written.
fn resolve_readonly(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    let seen = ArrayType { mutable: false, ..types.array(array)? };
    let result = types.intern(TypeData::Array(seen));
    let emit: EmitFn = |emit, args| {
        let mut parts = args[0].parts.clone();
        // To Python it is another array than one that was borrowed: the second bit of the owner says so.
        let one = emit.b.iconst(Native::I64, 1);
        let borrowed = emit.b.like_first(Op::Iand, &[parts[0], one]);
        let other = emit.b.like_first(Op::Iadd, &[borrowed, borrowed]);
        parts[0] = emit.b.like_first(Op::Ior, &[parts[0], other]);
        Ok(Operand::new(args[0].ty, parts))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}
