//! Fixed-width strings as they are stored in memory: bytes or four-byte characters, padded with nulls.

use crate::no_cast::no_cast;
use crate::{Emit, Operand};
use diag::Result;
use ir::{Native, Op, Value};
use types::{LiteralValue, Type, TypeData};

/// Bytes and kind of fixed-width string.
pub(crate) fn bytes_of(emit: &Emit<'_>, ty: Type) -> Option<(usize, bool)> {
    match emit.types.get(ty) {
        TypeData::CharSeq { count, wide } => Some((count as usize * if wide { 4 } else { 1 }, wide)),
        _ => None,
    }
}

/// The words of bytes.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        i64::from_le_bytes(word)
    })
}

/// Text of another width: filled up with nulls, or cut off as NumPy does.
pub(crate) fn cast_chars(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    let Some((size, wide)) = bytes_of(emit, to) else {
        return Err(no_cast(emit, value.ty, to));
    };
    let mut parts: Vec<Value> = match (emit.types.literal(value.ty), bytes_of(emit, value.ty)) {
        (Some(LiteralValue::Str(text)), _) => {
            let bytes: Vec<u8> = match wide {
                true => text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
                false => text.bytes().collect(),
            };
            let bytes = &bytes[..bytes.len().min(size)];
            words(bytes).map(|word| emit.b.iconst(Native::I64, word)).collect()
        }
        (_, Some((_, same))) if same == wide => value.parts.to_vec(),
        _ => return Err(no_cast(emit, value.ty, to)),
    };
    let count = size.div_ceil(8);
    let is_cut = bytes_of(emit, value.ty).is_some_and(|(given, _)| given > size);
    parts.truncate(count);
    if is_cut
        && size % 8 != 0
        && let Some(last) = parts.last_mut()
    {
        let kept = emit.b.iconst(Native::I64, (1 << (8 * (size % 8))) - 1);
        *last = emit.b.like_first(Op::Iand, &[*last, kept]);
    }
    while parts.len() < count {
        parts.push(emit.b.iconst(Native::I64, 0));
    }
    Ok(Operand::new(to, parts))
}
