//! Array builders for comprehensions of unknown length: nested ones, and those over lists.
//!
//! A growable builder (`TypeData::ArrayBuilder`) is a state in the frame, and the owner of a block of elements, similar to a
//! list's, which becomes the array's owner. A nested builder has no owner and appends to the same elements; the latest
//! elements are always at the end. If the length is known in advance, a one-dimensional array is filled directly
//! ([`crate::array_builder_1d`]).

use crate::array_builder_1d::filled;
use crate::setitem::copy_part;
use abi::ExceptionClass::{MemoryError, ValueError};
use abi::Runtime;
use catalog::array::{ArrayParts, item_size, store_item, strides_of};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use rt::list::ListHead;
use smallvec::SmallVec;
use std::mem::offset_of;
use types::{ArrayType, Layout, Type, TypeData, TypeTable};

/// The words of a state: the number of rows, the number still expected, the address of the head of the block, and then
/// the shape of a row, -1 where it is not known.
const COUNT: i64 = 0;
const EXPECTED: i64 = 8;
const HEAD: i64 = 16;
const SHAPE: i64 = 24;

const NO_MEMORY: &str = "Unable to allocate the array of a comprehension.";
const RAGGED: &str =
    "setting an array element with a sequence. The requested array has an inhomogeneous shape";

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.builder_new", resolve_new);
    catalog.add_generic("rumba.builder_new", resolve_new_inside);
    catalog.add_generic("rumba.builder_put", resolve_put);
    catalog.add_generic("rumba.builder_done", resolve_done);
}

/// The array that a growable builder becomes.
fn grown(types: &TypeTable, builder: Type) -> Option<(Type, ArrayType)> {
    let TypeData::ArrayBuilder { array, growable: true } = types.get(builder) else { return None };
    Some((array, types.array(array)?))
}

/// A growable builder taken apart.
struct Builder {
    ty: ArrayType,
    state: Value,
    owner: Value,
    head: Value,
}

impl Builder {
    fn open(emit: &mut Emit<'_>, builder: &Operand) -> Result<Builder> {
        let Some((_, ty)) = grown(emit.types, builder.ty) else {
            return Err(Diagnostic::internal("emission", "a builder that is none"));
        };
        let (state, owner) = (builder.parts[0], builder.parts[1]);
        let head = emit.b.load(Native::Ptr, state, HEAD);
        Ok(Builder { ty, state, owner, head })
    }

    fn field(&self, emit: &mut Emit<'_>, offset: usize) -> Value {
        emit.b.load(Native::I64, self.head, offset as i64)
    }

    /// Lengths of a row; 0 for those that nothing has shown.
    fn row(&self, emit: &mut Emit<'_>) -> SmallVec<[Value; 4]> {
        let zero = emit.b.iconst(Native::I64, 0);
        let known = (1..i64::from(self.ty.ndim)).map(|at| {
            let length = emit.b.load(Native::I64, self.state, SHAPE + 8 * (at - 1));
            let unknown = emit.b.icmp(IntCond::Slt, length, zero);
            emit.b.select(unknown, zero, length)
        });
        known.collect()
    }

    /// Counts a row of this shape. ValueError if those before have another one.
    fn add_row(&self, emit: &mut Emit<'_>, shape: &[Value]) {
        let zero = emit.b.iconst(Native::I64, 0);
        for (at, &length) in shape.iter().enumerate() {
            let offset = SHAPE + 8 * at as i64;
            let before = emit.b.load(Native::I64, self.state, offset);
            let known = emit.b.icmp(IntCond::Sge, before, zero);
            let other = emit.b.icmp(IntCond::Ne, before, length);
            let differs = emit.b.like_first(Op::Iand, &[known, other]);
            emit.raise_if(differs, ValueError, RAGGED);
            emit.b.store(self.state, offset, length);
        }
        let one = emit.b.iconst(Native::I64, 1);
        for (offset, op) in [(COUNT, Op::Iadd), (EXPECTED, Op::Isub)] {
            let number = emit.b.load(Native::I64, self.state, offset);
            let number = emit.b.like_first(op, &[number, one]);
            emit.b.store(self.state, offset, number);
        }
    }

    /// Where `more` items can be written after the others. At the first row there is made room for all that are expected.
    fn room(&self, emit: &mut Emit<'_>, more: Value) -> Result<Value> {
        let length = self.field(emit, offset_of!(ListHead, len));
        let capacity = self.field(emit, offset_of!(ListHead, capacity));
        let free = emit.b.like_first(Op::Isub, &[capacity, length]);
        let full = emit.b.icmp(IntCond::Slt, free, more);
        emit.if_unlikely(full, |emit| {
            let rows = emit.b.load(Native::I64, self.state, EXPECTED);
            let all = emit.b.like_first(Op::Imul, &[more, rows]);
            let fewer = emit.b.icmp(IntCond::Slt, all, more);
            let wanted = emit.b.select(fewer, more, all);
            let grown = emit.call_runtime(Runtime::ListGrow, &[self.head, wanted])[0];
            let zero = emit.b.iconst(Native::I64, 0);
            let failed = emit.b.icmp(IntCond::Eq, grown, zero);
            emit.raise_if(failed, MemoryError, NO_MEMORY);
            Ok(())
        })?;
        let items = emit.b.load(Native::Ptr, self.head, offset_of!(ListHead, items) as i64);
        let size = emit.b.iconst(Native::I64, item_size(emit, self.ty.dtype)?);
        let offset = emit.b.like_first(Op::Imul, &[length, size]);
        Ok(emit.b.native(Op::PtrAdd, [], &[items, offset], Native::Ptr))
    }

    /// Sets the number of items written.
    fn written(&self, emit: &mut Emit<'_>, more: Value) {
        let length = self.field(emit, offset_of!(ListHead, len));
        let length = emit.b.like_first(Op::Iadd, &[length, more]);
        emit.b.store(self.head, offset_of!(ListHead, len) as i64, length);
    }
}

/// Like a growable builder of this type, with an expected number of rows; possibly as a part of another one.
fn resolve_new(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[like, count], parent) = args.split_first_chunk()?;
    grown(types, like)?;
    types.unliteral(count).is_int().then_some(())?;
    let params = [like, Type::INT64].into_iter().chain(parent.iter().copied()).collect();
    let emit: EmitFn = |emit, args| match args {
        [like, count] => new(emit, like, count.value()),
        [like, count, parent] => inside(emit, like, count.value(), parent),
        _ => Err(Diagnostic::internal("emission", "a builder in several others")),
    };
    (parent.is_empty() || matches!(*parent, [outer] if grown(types, outer).is_some())).then_some(Resolution {
        result: like,
        params,
        emit,
    })
}

fn new(emit: &mut Emit<'_>, like: &Operand, count: Value) -> Result<Operand> {
    let ty = like.ty;
    let Some((_, array)) = grown(emit.types, ty) else {
        return Err(Diagnostic::internal("emission", "a builder that is none"));
    };
    let none = emit.b.iconst(Native::I64, 0);
    let capacity = if array.ndim == 1 { count } else { none };
    let size = emit.b.iconst(Native::I64, item_size(emit, array.dtype)?);
    let owner = emit.call_runtime(Runtime::ListNew, &[size, none, capacity])[0];
    let failed = emit.b.icmp(IntCond::Eq, owner, none);
    emit.raise_if(failed, MemoryError, NO_MEMORY);
    emit.refs.temporaries.push(owner);
    let block = emit.b.convert(Op::Bitcast, owner, Native::Ptr);
    let items = emit.b.iconst(Native::I64, rt::ITEMS);
    let head = emit.b.native(Op::PtrAdd, [], &[block, items], Native::Ptr);
    Ok(begun(emit, ty, array.ndim, owner, head, count))
}

/// A part of another builder, which holds the items.
fn inside(emit: &mut Emit<'_>, like: &Operand, count: Value, parent: &Operand) -> Result<Operand> {
    let outer = Builder::open(emit, parent)?;
    let rows = emit.b.load(Native::I64, outer.state, EXPECTED);
    let expected = emit.b.like_first(Op::Imul, &[count, rows]);
    let nobody = emit.b.iconst(Native::I64, 0);
    Ok(begun(emit, like.ty, outer.ty.ndim - 1, nobody, outer.head, expected))
}

fn begun(emit: &mut Emit<'_>, ty: Type, ndim: u8, owner: Value, head: Value, expected: Value) -> Operand {
    let state = emit.frame_slot(SHAPE as u32 + 8 * u32::from(ndim - 1));
    let (zero, unknown) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, -1));
    emit.b.store(state, COUNT, zero);
    emit.b.store(state, EXPECTED, expected);
    emit.b.store(state, HEAD, head);
    for at in 1..i64::from(ndim) {
        emit.b.store(state, SHAPE + 8 * (at - 1), unknown);
    }
    Operand::new(ty, [state, owner])
}

/// A builder of a fixed number of items in the memory of a growable one.
fn resolve_new_inside(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [like, count, parent] = *args else { return None };
    filled(types, like)?;
    grown(types, parent).filter(|(_, array)| array.ndim == 2)?;
    types.unliteral(count).is_int().then_some(())?;
    let emit: EmitFn = |emit, args| {
        let outer = Builder::open(emit, &args[2])?;
        let count = args[1].value();
        let data = outer.room(emit, count)?;
        let address = emit.frame_slot(8);
        let nothing = emit.b.iconst(Native::I64, 0);
        emit.b.store(address, 0, nothing);
        Ok(Operand::new(args[0].ty, [address, nothing, data, count]))
    };
    Some(Resolution { result: like, params: vec![like, Type::INT64, parent], emit })
}

/// An item, or a row: a part that was filled, or an array.
fn resolve_put(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [builder, row] = *args else { return None };
    let (_, array) = grown(types, builder)?;
    let part = filled(types, row).or_else(|| grown(types, row)).map(|(_, part)| part);
    let (param, emit): (Type, EmitFn) = match part.or_else(|| types.array(row)) {
        None if array.ndim == 1 => {
            types::fits_item(types, row, array.dtype).then_some(())?;
            (array.dtype, put_item)
        }
        Some(part) if part.ndim + 1 == array.ndim && part.dtype == array.dtype => (row, put_row),
        _ => return None,
    };
    Some(Resolution { result: Type::NONE, params: vec![builder, param], emit })
}

fn put_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let builder = Builder::open(emit, &args[0])?;
    let one = emit.b.iconst(Native::I64, 1);
    let data = builder.room(emit, one)?;
    let target = row_at(emit, &builder, data, &[])?;
    store_item(emit, &target, data, &args[1]);
    builder.written(emit, one);
    builder.add_row(emit, &[]);
    Ok(Operand::new(Type::NONE, []))
}

fn put_row(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let builder = Builder::open(emit, &args[0])?;
    let row = &args[1];
    if filled(emit.types, row.ty).is_some() {
        let length = row.parts[3];
        builder.written(emit, length);
        builder.add_row(emit, &[length]);
    } else if grown(emit.types, row.ty).is_some() {
        let part = Builder::open(emit, row)?;
        let count = emit.b.load(Native::I64, part.state, COUNT);
        let shape: SmallVec<[Value; 4]> = std::iter::once(count).chain(part.row(emit)).collect();
        builder.add_row(emit, &shape);
    } else {
        let source = ArrayParts::open(emit, row)?;
        let size = source.size(emit);
        let data = builder.room(emit, size)?;
        let target = row_at(emit, &builder, data, &source.shape)?;
        copy_part(emit, &target, &source)?;
        builder.written(emit, size);
        builder.add_row(emit, &source.shape);
    }
    Ok(Operand::new(Type::NONE, []))
}

/// The place of a row, as an array that nobody holds.
fn row_at(emit: &mut Emit<'_>, builder: &Builder, data: Value, shape: &[Value]) -> Result<ArrayParts> {
    let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::C, mutable: true, ..builder.ty };
    let strides = strides_of(emit, &ty, shape)?;
    let owner = emit.b.iconst(Native::I64, 0);
    Ok(ArrayParts { ty, owner, data, shape: shape.iter().copied().collect(), strides })
}

fn resolve_done(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [builder] = *args else { return None };
    let (array, _) = grown(types, builder)?;
    let emit: EmitFn = |emit, args| {
        let builder = Builder::open(emit, &args[0])?;
        let count = emit.b.load(Native::I64, builder.state, COUNT);
        let shape: SmallVec<[Value; 4]> = std::iter::once(count).chain(builder.row(emit)).collect();
        let items = builder.field(emit, offset_of!(ListHead, items));
        // Even where there is no item, the first one has an address.
        let head = emit.b.convert(Op::Bitcast, builder.head, Native::I64);
        let zero = emit.b.iconst(Native::I64, 0);
        let missing = emit.b.icmp(IntCond::Eq, items, zero);
        let data = emit.b.select(missing, head, items);
        let data = emit.b.convert(Op::Bitcast, data, Native::Ptr);
        let array = row_at(emit, &builder, data, &shape)?;
        Ok(ArrayParts { owner: builder.owner, ..array }.close(emit))
    };
    Some(Resolution { result: array, params: args.to_vec(), emit })
}
