//! Memory for new arrays.

use abi::ExceptionClass::{MemoryError, ValueError};
use abi::Runtime;
use catalog::Emit;
use catalog::array::{ArrayParts, item_size, strides_of};
use catalog::item_layout::Slot;
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type};

/// A new array with one holder, which is the instruction being emitted. Items have any value, or zero.
pub(crate) fn allocate(
    emit: &mut Emit<'_>,
    dtype: Type,
    shape: &[Value],
    layout: Layout,
    zeroed: bool,
) -> Result<ArrayParts> {
    let size = size_in_bytes(emit, item_size(emit, dtype)?, shape);
    let [owner, data] = emit.new_block(size, zeroed, "Allocation failed (probably too large).");
    let ty = ArrayType { dtype, ndim: shape.len() as u8, layout, mutable: true, aligned: true }
        .with_layout(layout);
    let shape: SmallVec<[Value; 4]> = shape.iter().copied().collect();
    let strides = strides_of(emit, &ty, &shape)?;
    Ok(ArrayParts { ty, owner, data, shape, strides })
}

/// A new array of objects: each item is None.
pub(crate) fn allocate_objects(emit: &mut Emit<'_>, ty: ArrayType, shape: &[Value]) -> Result<ArrayParts> {
    let Some(slot) = Slot::of(emit.types, ty.dtype) else {
        let name = emit.types.name(ty.dtype);
        return Err(Diagnostic::internal("emission", format!("an array of {name}")));
    };
    size_in_bytes(emit, slot.size.max(1), shape);
    let one = emit.b.iconst(Native::I64, 1);
    let count = shape.iter().fold(one, |count, &length| emit.b.like_first(Op::Imul, &[count, length]));
    let size = emit.b.iconst(Native::I64, slot.size.max(8));
    let owners = emit.b.iconst(Native::I64, slot.owners.cast_signed());
    let owner = emit.call_runtime(Runtime::ListOfZeros, &[size, owners, count])[0];
    let nothing = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, owner, nothing);
    emit.raise_if(failed, MemoryError, "Allocation failed (probably too large).");
    emit.refs.temporaries.push(owner);
    let block = emit.b.convert(Op::Bitcast, owner, Native::Ptr);
    let items = rt::ITEMS + std::mem::offset_of!(rt::list::ListHead, items) as i64;
    let data = emit.b.load(Native::Ptr, block, items);
    let shape: SmallVec<[Value; 4]> = shape.iter().copied().collect();
    let strides = strides_of(emit, &ty, &shape)?;
    Ok(ArrayParts { ty, owner, data, shape, strides })
}

/// Bytes of all items; ValueError for negative lengths and sizes beyond the address space.
fn size_in_bytes(emit: &mut Emit<'_>, item: i64, shape: &[Value]) -> Value {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let mut size = emit.b.iconst(Native::I64, item);
    let mut wrapped: Option<Value> = None;
    let (mut empty, several) = (emit.b.bool(false), shape.len() > 1);
    for &length in shape {
        let negative = emit.b.icmp(IntCond::Slt, length, zero);
        emit.raise_if(negative, ValueError, "negative dimensions are not allowed");
        // As NumPy has it, a dimension of no places makes the others no smaller.
        let none = emit.b.icmp(IntCond::Eq, length, zero);
        let length = if several { emit.b.select(none, one, length) } else { length };
        empty = emit.b.like_first(Op::Ior, &[empty, none]);
        let i64s = [ir::ValueType::Native(Native::I64), ir::ValueType::Native(Native::I1)];
        let product = emit.b.inst(Op::SmulOverflow, [], &[size, length], &i64s);
        let results = emit.b.func.insts[product].results.clone();
        size = results[0];
        wrapped = Some(match wrapped {
            Some(before) => emit.b.like_first(Op::Ior, &[before, results[1]]),
            None => results[1],
        });
    }
    if let Some(wrapped) = wrapped {
        let too_big =
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.";
        emit.raise_if(wrapped, ValueError, too_big);
    }
    if several { emit.b.select(empty, zero, size) } else { size }
}
