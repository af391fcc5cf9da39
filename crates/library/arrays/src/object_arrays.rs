//! Arrays of NumPy that hold objects of compiled classes: how they are made, and their shapes.
//!
//! The items lie in a list, which owns them; an item is an object or None. Items, views and loops are those of arrays (`getitem`,
//! `setitem`, `iter`); methods are Python code in the library. Nothing else takes these arrays.

use crate::alloc::allocate_objects;
use crate::creation::{dimensions, lengths};
use crate::loop_nest::{address, for_each};
use catalog::array::{ArrayParts, store_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::{Diagnostic, Result};
use types::{ArrayType, Type, TypeData, TypeTable, convert, unify};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("numpy.empty", resolve_empty);
    catalog.add_generic("numpy.full", resolve_full);
    catalog.add_generic("numpy.empty_like", resolve_empty_like);
    /// What an array's attribute of this name means.
    macro_rules! as_of_arrays {
        ($($name:literal)*) => {
            $(catalog.add(Key::Getattr($name.into()), Rule::Nested(|catalog, types, args| {
                let items = types.items_of_object_array(*args.first()?)?;
                let numbers = types.intern(TypeData::Array(ArrayType { dtype: Type::INT64, ..items }));
                let found = catalog.resolve(types, &Key::Getattr($name.into()), &[numbers])?;
                Some(Resolution { params: args.to_vec(), ..found })
            }));)*
        };
    }
    as_of_arrays! { "shape" "ndim" "size" }
}

/// The item type that an argument `dtype` means: `object`, of which nothing is known, or a type of objects.
fn dtype_of(types: &TypeTable, dtype: Type) -> Option<Type> {
    match types.get(dtype) {
        TypeData::Function(name) => (*name == *"builtins.object").then_some(Type::UNDEFINED),
        TypeData::Class(of) => types.item_of_objects(of),
        _ => None,
    }
}

fn resolve_empty(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [shape, dtype] = *args else { return None };
    let result = types.object_array(dtype_of(types, dtype)?, dimensions(types, shape)?, true);
    let emit: EmitFn = |emit, args| {
        let dtype = dtype_of(emit.types, args[1].ty);
        make(emit, &args[0], dtype).map(|array| close(emit, &array))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The item type of `np.full(shape, value)` or `np.full(shape, value, dtype)`.
fn filled(types: &TypeTable, args: &[Type]) -> Option<Type> {
    let dtype = match *args {
        [_, value] => types.item_of_objects(value).filter(|&dtype| dtype != Type::UNDEFINED)?,
        [_, value, dtype] => unify(types, dtype_of(types, dtype)?, types.item_of_objects(value)?)?,
        _ => return None,
    };
    let converts = dtype == Type::UNDEFINED || convert(types, args[1], dtype).is_some();
    // NumPy would write the items of a sequence.
    (converts && !types.is_sequence_to_numpy(args[1])).then_some(dtype)
}

fn resolve_full(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let result = types.object_array(filled(types, args)?, dimensions(types, args[0])?, true);
    let emit: EmitFn = |emit, args| {
        let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let dtype = filled(emit.types, &given);
        let array = make(emit, &args[0], dtype)?;
        if array.ty.dtype != Type::UNDEFINED {
            let value = cast(emit, &args[1], array.ty.dtype)?;
            for_each(emit, &array.shape, &mut |emit, at| {
                let pointer = address(emit, array.data, &array.strides, at);
                store_item(emit, &array, pointer, &value);
                Ok(())
            })?;
        }
        Ok(close(emit, &array))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_empty_like(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    let items = types.items_of_object_array(array)?;
    let result = types.object_array(items.dtype, items.ndim, true);
    let emit: EmitFn = |emit, args| {
        let like = ArrayParts::open(emit, &args[0])?;
        let made = new(emit, like.ty.dtype, &like.shape)?;
        Ok(close(emit, &made))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn make(emit: &mut Emit<'_>, shape: &Operand, dtype: Option<Type>) -> Result<ArrayParts> {
    let dtype =
        dtype.ok_or_else(|| Diagnostic::internal("emission", "an array of objects without a class"))?;
    let shape = lengths(emit, shape)?;
    new(emit, dtype, &shape)
}

fn new(emit: &mut Emit<'_>, dtype: Type, shape: &[ir::Value]) -> Result<ArrayParts> {
    let whole = emit.types.object_array(dtype, shape.len() as u8, true);
    let Some(items) = emit.types.items_of_object_array(whole) else {
        return Err(Diagnostic::internal("emission", "what holds no objects"));
    };
    allocate_objects(emit, items, shape)
}

/// The operand of these parts.
fn close(emit: &Emit<'_>, array: &ArrayParts) -> Operand {
    Operand { ty: emit.types.object_array(array.ty.dtype, array.ty.ndim, true), ..array.close(emit) }
}
