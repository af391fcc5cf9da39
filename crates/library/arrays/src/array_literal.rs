//! `np.array` of numbers and of tuples and lists of them, nested to any depth: the elements are stored one by one.
//!
//! Absent: arrays of arrays (the library, in Python).

use crate::alloc::allocate;
use crate::astype::{convert_item, converts};
use crate::creation::{dtype_of, new_array};
use catalog::array::store_item;
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{Native, Op, Value};
use types::{Layout, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    for function in ["numpy.array", "numpy.asarray"] {
        catalog.add_generic(function, resolve).reads();
    }
    catalog.name_parameters("numpy.array", &["object", "dtype"]);
    catalog.state(&[("numpy.array", "special=array")]);
    catalog.name_parameters("numpy.asarray", &["a", "dtype"]);
}

/// Lengths and items of what tuples and lists hold; nothing where their lengths differ.
fn contents(types: &TypeTable, ty: Type, leaves: &mut Vec<Type>) -> Option<Vec<usize>> {
    let plain = types.unliteral(ty);
    if plain == Type::BOOL || plain.is_number() {
        leaves.push(plain);
        return Some(Vec::new());
    }
    if types.list_item(ty) == Some(Type::UNDEFINED) {
        // Nothing is put into this list anywhere.
        return Some(vec![0]);
    }
    let items = types.items(ty)?;
    let mut inner: Option<Vec<usize>> = None;
    for &item in items.iter() {
        let shape = contents(types, item, leaves)?;
        if inner.as_ref().is_some_and(|inner| *inner != shape) {
            return None;
        }
        inner = Some(shape);
    }
    Some(std::iter::once(items.len()).chain(inner.unwrap_or_default()).collect())
}

fn common(types: &TypeTable, leaves: &[Type]) -> Option<Type> {
    let mut leaves = leaves.iter().copied();
    let Some(first) = leaves.next() else { return Some(Type::FLOAT64) };
    leaves.try_fold(first, |a, b| types::unify(types, a, b))
}

/// The items' type and those of the parts, and the lengths.
fn read(types: &TypeTable, args: &[Type]) -> Option<(Type, Vec<Type>, Vec<usize>)> {
    let (of, dtype) = match *args {
        [of] => (of, None),
        [of, dtype] => (of, Some(dtype)),
        _ => return None,
    };
    let mut leaves = Vec::new();
    let shape = contents(types, of, &mut leaves)?;
    let dtype = match dtype {
        Some(dtype) if dtype != Type::NONE => dtype_of(types, dtype)?,
        _ => common(types, &leaves)?,
    };
    leaves.iter().all(|&leaf| converts(types, leaf, dtype)).then_some((dtype, leaves, shape))
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (dtype, _, shape) = read(types, args)?;
    let result = new_array(types, dtype, u8::try_from(shape.len()).ok()?, Layout::C);
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn emit(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let (dtype, leaves, shape) = read(emit.types, &given)
        .ok_or_else(|| Diagnostic::internal("emission", "what an array is made of is not known"))?;
    let lengths: Vec<Value> = shape.iter().map(|&length| emit.b.iconst(Native::I64, length as i64)).collect();
    let array = allocate(emit, dtype, &lengths, Layout::C, false)?;
    let size = catalog::array::item_size(emit, dtype)?;
    let mut rest = &args[0].parts[..];
    for (number, &leaf) in leaves.iter().enumerate() {
        let (own, behind) = rest.split_at(emit.machine_types(leaf).len());
        rest = behind;
        let item = convert_item(emit, &Operand::new(leaf, own.iter().copied()), dtype)?;
        let offset = emit.b.iconst(Native::I64, size * number as i64);
        let address = emit.b.native(Op::PtrAdd, [], &[array.data, offset], Native::Ptr);
        store_item(emit, &array, address, &item);
    }
    Ok(array.close(emit))
}
