//! Arrays as machine values.

use crate::element::{ItemPointer, reference_slot};
use crate::{Emit, Operand};
use diag::{Diagnostic, Result};
use ir::{Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type, TypeData};

/// The parts of an array, strides included where they follow from the shape.
#[derive(Clone, Debug)]
pub struct ArrayParts {
    /// Its type.
    pub ty: ArrayType,
    /// What keeps its memory alive: see [`crate::owners`].
    pub owner: Value,
    /// Address of the first item.
    pub data: Value,
    /// Length of each dimension.
    pub shape: SmallVec<[Value; 4]>,
    /// Bytes from an item to the next, of each dimension.
    pub strides: SmallVec<[Value; 4]>,
}

impl ArrayParts {
    /// The parts of an operand.
    pub fn open(emit: &mut Emit<'_>, operand: &Operand) -> Result<ArrayParts> {
        let Some(ty) = emit.types.buffer(operand.ty) else {
            let name = emit.types.name(operand.ty);
            return Err(Diagnostic::internal("emission", format!("{name} is no array")));
        };
        let ndim = usize::from(ty.ndim);
        let shape: SmallVec<[Value; 4]> = operand.parts[2..2 + ndim].iter().copied().collect();
        let strides = if ty.has_strides() {
            operand.parts[2 + ndim..].iter().copied().collect()
        } else {
            strides_of(emit, &ty, &shape)?
        };
        Ok(ArrayParts { ty, owner: operand.parts[0], data: operand.parts[1], shape, strides })
    }

    /// The operand of these parts.
    pub fn close(&self, emit: &Emit<'_>) -> Operand {
        let ty = emit.types.intern(TypeData::Array(self.ty));
        let strides: &[Value] = if self.ty.has_strides() { &self.strides } else { &[] };
        let parts = [self.owner, self.data].into_iter().chain(self.shape.iter().chain(strides).copied());
        Operand::new(ty, parts)
    }

    /// Number of items.
    pub fn size(&self, emit: &mut Emit<'_>) -> Value {
        let one = emit.b.iconst(Native::I64, 1);
        let lengths = self.shape.iter().copied();
        lengths.reduce(|a, b| emit.b.like_first(Op::Imul, &[a, b])).unwrap_or(one)
    }
}

/// Bytes of an item.
pub fn item_size(emit: &Emit<'_>, dtype: Type) -> Result<i64> {
    let of_objects = || reference_slot(emit.types, dtype).map(|slot| slot.size);
    emit.types.item_size(dtype).or_else(of_objects).ok_or_else(|| {
        Diagnostic::internal(
            "emission",
            format!("an array of {} has no items in memory", emit.types.name(dtype)),
        )
    })
}

/// The strides that follow from a shape.
pub fn strides_of(emit: &mut Emit<'_>, ty: &ArrayType, shape: &[Value]) -> Result<SmallVec<[Value; 4]>> {
    let mut stride = emit.b.iconst(Native::I64, item_size(emit, ty.dtype)?);
    let mut strides: SmallVec<[Value; 4]> = SmallVec::new();
    let columns = ty.layout == Layout::F;
    for number in 0..shape.len() {
        strides.push(stride);
        if number + 1 < shape.len() {
            let length = shape[if columns { number } else { shape.len() - 1 - number }];
            stride = emit.b.like_first(Op::Imul, &[stride, length]);
        }
    }
    if !columns {
        strides.reverse();
    }
    Ok(strides)
}

/// The address of an item of an array.
pub fn item_pointer(array: &ArrayParts, address: Value) -> ItemPointer {
    ItemPointer { owner: array.owner, address, aligned: array.ty.aligned, mutable: array.ty.mutable }
}

/// An item of an array as a value.
pub fn load_item(emit: &mut Emit<'_>, array: &ArrayParts, address: Value) -> Operand {
    item_pointer(array, address).load(emit, array.ty.dtype)
}

/// Writes a value of the item type to an item of an array.
pub fn store_item(emit: &mut Emit<'_>, array: &ArrayParts, address: Value, value: &Operand) {
    item_pointer(array, address).store(emit, array.ty.dtype, value);
}

/// The array as one of a type that says less of it.
pub(crate) fn cast_array(emit: &mut Emit<'_>, value: &Operand, to: ArrayType) -> Result<Operand> {
    let parts = ArrayParts::open(emit, value)?;
    Ok(ArrayParts { ty: to, ..parts }.close(emit))
}
