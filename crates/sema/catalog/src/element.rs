//! Loads and stores of values in memory: items of arrays, fields of records.

use crate::item_layout::Slot;
use crate::{Emit, Operand};
use abi::Runtime;
use ir::{Native, Op, Value};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// How items of arrays of objects lie in memory; nothing for the items of other arrays. Memory of zeros holds None.
pub(crate) fn reference_slot(types: &TypeTable, item: Type) -> Option<Slot> {
    let is_object = match types.get(item) {
        TypeData::Optional(inner) => types.classes(inner).is_some(),
        TypeData::Undefined => true,
        _ => false,
    };
    if is_object { Slot::of(types, item) } else { None }
}

/// The location of a value.
#[derive(Clone, Copy, Debug)]
pub struct ItemPointer {
    /// What keeps the memory alive: see [`crate::owners`].
    pub owner: Value,
    /// Its address.
    pub address: Value,
    /// Whether that is a multiple of what the value's type asks for.
    pub aligned: bool,
    /// Whether it may be written.
    pub mutable: bool,
}

impl ItemPointer {
    /// The address this many bytes after this one.
    pub fn offset(self, emit: &mut Emit<'_>, bytes: i64) -> ItemPointer {
        if bytes == 0 {
            return self;
        }
        let bytes = emit.b.iconst(Native::I64, bytes);
        ItemPointer { address: emit.b.native(Op::PtrAdd, [], &[self.address, bytes], Native::Ptr), ..self }
    }

    /// The value of a type at this location. A record is not copied: it stays here.
    pub fn load(self, emit: &mut Emit<'_>, ty: Type) -> Operand {
        if let Some(slot) = reference_slot(emit.types, ty) {
            return slot.load(emit, ty, self.address);
        }
        match emit.types.get(ty) {
            TypeData::Record(_) => {
                let seen = emit.types.seen_in(ty, self.mutable);
                Operand::new(seen, [self.owner, self.address])
            }
            TypeData::CharSeq { .. } => {
                let words = words_of(emit, ty).into_iter();
                let parts: Vec<Value> =
                    words.map(|(offset, bytes)| self.load_bytes(emit, offset, bytes)).collect();
                Operand::new(ty, parts)
            }
            _ => {
                let natives = emit.machine_types(ty);
                let step = emit.types.item_size(ty).unwrap_or(8) / natives.len().max(1) as i64;
                let offsets = natives.into_iter().enumerate();
                let parts: Vec<Value> = offsets
                    .map(|(number, native)| self.load_native(emit, native, step * number as i64))
                    .collect();
                Operand::new(ty, parts)
            }
        }
    }

    /// Writes a value of a type here.
    pub fn store(self, emit: &mut Emit<'_>, ty: Type, value: &Operand) {
        if let Some(slot) = reference_slot(emit.types, ty) {
            return self.replace(emit, &slot, value);
        }
        let size = emit.types.item_size(ty).unwrap_or(8);
        match emit.types.get(ty) {
            TypeData::Record(_) => self.copy_from(emit, value.parts[1], size),
            TypeData::CharSeq { .. } => {
                for ((offset, bytes), &word) in words_of(emit, ty).into_iter().zip(&value.parts) {
                    self.store_bytes(emit, offset, bytes, word);
                }
            }
            _ => {
                let step = size / value.parts.len().max(1) as i64;
                for (number, &part) in value.parts.iter().enumerate() {
                    self.store_native(emit, step * number as i64, part);
                }
            }
        }
    }

    /// Writes a value whose owners the memory holds, and gives up what was there.
    fn replace(self, emit: &mut Emit<'_>, slot: &Slot, value: &Operand) {
        let before = slot.load(emit, value.ty, self.address);
        slot.store_copy(emit, self.address, value);
        emit.take_refs(&before);
        for owner in emit.owners(&before) {
            emit.release(owner);
        }
    }

    fn load_native(self, emit: &mut Emit<'_>, native: Native, offset: i64) -> Value {
        match self.aligned {
            true => emit.b.load(native, self.address, offset),
            false => emit.b.load_unaligned(native, self.address, offset),
        }
    }

    fn store_native(self, emit: &mut Emit<'_>, offset: i64, value: Value) {
        match self.aligned {
            true => emit.b.store(self.address, offset, value),
            false => emit.b.store_unaligned(self.address, offset, value),
        }
    }

    /// Up to 8 bytes as the low ones of a word.
    fn load_bytes(self, emit: &mut Emit<'_>, offset: i64, bytes: i64) -> Value {
        let mut word = None;
        for (start, size) in pieces(bytes) {
            let native = Native::int(8 * size as u32);
            let piece = emit.b.load_unaligned(native, self.address, offset + start);
            let mut wide = if size == 8 { piece } else { emit.b.convert(Op::Zext, piece, Native::I64) };
            if start > 0 {
                let shifts = emit.b.iconst(Native::I64, 8 * start);
                wide = emit.b.like_first(Op::Ishl, &[wide, shifts]);
            }
            word = Some(match word {
                Some(before) => emit.b.like_first(Op::Ior, &[before, wide]),
                None => wide,
            });
        }
        word.unwrap_or_else(|| emit.b.iconst(Native::I64, 0))
    }

    /// The low bytes of a word.
    fn store_bytes(self, emit: &mut Emit<'_>, offset: i64, bytes: i64, word: Value) {
        for (start, size) in pieces(bytes) {
            let mut piece = word;
            if start > 0 {
                let shifts = emit.b.iconst(Native::I64, 8 * start);
                piece = emit.b.like_first(Op::Ushr, &[word, shifts]);
            }
            if size < 8 {
                piece = emit.b.convert(Op::Trunc, piece, Native::int(8 * size as u32));
            }
            emit.b.store_unaligned(self.address, offset + start, piece);
        }
    }

    /// Copies bytes that lie elsewhere; they may overlap.
    fn copy_from(self, emit: &mut Emit<'_>, from: Value, size: i64) {
        // As many bytes as go through registers.
        const FEW: i64 = 64;
        if size > FEW {
            let size = emit.b.iconst(Native::I64, size);
            emit.call_runtime(Runtime::Move, &[self.address, from, size]);
            return;
        }
        let source = ItemPointer { address: from, aligned: false, ..self };
        let words: SmallVec<[(i64, Value); 8]> = pieces(size)
            .map(|(at, bytes)| (at, source.load_native(emit, Native::int(8 * bytes as u32), at)))
            .collect();
        for (at, word) in words {
            emit.b.store_unaligned(self.address, at, word);
        }
    }
}

/// Bytes in pieces of 8, 4, 2 and 1: where each begins and its size.
fn pieces(bytes: i64) -> impl Iterator<Item = (i64, i64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let size = [8, 4, 2, 1].into_iter().find(|size| at + size <= bytes)?;
        at += size;
        Some((at - size, size))
    })
}

/// The words that fixed-width string is held in: where each begins and its bytes.
fn words_of(emit: &Emit<'_>, ty: Type) -> Vec<(i64, i64)> {
    let size = emit.types.item_size(ty).unwrap_or(0);
    (0..size).step_by(8).map(|at| (at, (size - at).min(8))).collect()
}
