//! Strings as machine values: an owner, the address of the characters, and one word with length and width.
//!
//! Characters take 1, 2 or 4 bytes each, the minimum for the widest character, as in CPython; the third part is
//! the length times four plus 0, 1 or 2 for these widths. So strings are equal if their third parts and their bytes are.
//!
//! What a constant string is, only its type knows, until it is asked for as any string ([`crate::cast`]).

use crate::exception_args::Described;
use crate::{Emit, Key, Operand};
use abi::ExceptionClass::{MemoryError, UnicodeEncodeError};
use abi::Runtime;
use diag::Result;
use ir::{Attr, BlockCall, IntCond, Native, Op, Value, bytes_symbol};
use types::{Type, TypeData};

/// The characters of a constant, in the fewest bytes that hold them, and the third part of its value.
pub fn encode(text: &str) -> (Vec<u8>, i64) {
    let widest = text.chars().map(u32::from).max().unwrap_or(0);
    let length = 4 * text.chars().count() as i64;
    match widest {
        ..0x100 => (text.chars().map(|c| u32::from(c) as u8).collect(), length),
        0x100..0x10000 => {
            (text.chars().flat_map(|c| (u32::from(c) as u16).to_le_bytes()).collect(), length + 1)
        }
        _ => (text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(), length + 2),
    }
}

/// A constant string, which nobody owns: it is in the object file beside the code.
pub fn constant(emit: &mut Emit<'_>, text: &str) -> Operand {
    let (bytes, meta) = encode(text);
    let owner = emit.b.iconst(Native::I64, 0);
    let data = constant_bytes(emit, &bytes);
    let meta = emit.b.iconst(Native::I64, meta);
    Operand::new(Type::STR, [owner, data, meta])
}

/// The address of constant bytes.
pub fn constant_bytes(emit: &mut Emit<'_>, bytes: &[u8]) -> Value {
    emit.b.address_of(&bytes_symbol(bytes))
}

/// The function that `!s`, `!r` or `!a` in an f-string calls, as the attribute of the op numbers them.
pub fn conversion(attr: Option<&Attr>) -> &'static str {
    match attr {
        Some(Attr::Int(2)) => "builtins.repr",
        Some(Attr::Int(3)) => "builtins.ascii",
        _ => "builtins.str",
    }
}

/// Fixed-width string as bytes in memory of their own, which the instruction being emitted holds.
pub(crate) fn bytes_of_chars(emit: &mut Emit<'_>, chars: &Operand, to: Type) -> Result<Operand> {
    let length = emit.call(&Key::Function("builtins.len".into()), std::slice::from_ref(chars))?.value();
    let size = emit.b.iconst(Native::I64, 8 * chars.parts.len() as i64);
    let [owner, data] = emit.new_block(size, false, "not enough memory for bytes");
    for (number, &word) in chars.parts.iter().enumerate() {
        emit.b.store(data, 8 * number as i64, word);
    }
    Ok(Operand::new(to, [owner, data, length]))
}

/// A string, or bytes, as a fixed-width string. Characters of one byte are ASCII's where a string gives them.
pub(crate) fn to_chars(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    let TypeData::CharSeq { count, wide } = emit.types.get(to) else { return Ok(value.clone()) };
    let is_encoded = !wide && value.ty == Type::STR;
    let words = emit.machine_types(to).len();
    let address = emit.frame_slot(8 * words.max(1) as u32);
    let zero = emit.b.iconst(Native::I64, 0);
    if words > 0 {
        emit.b.store(address, 8 * (words as i64 - 1), zero);
    }
    let (data, meta) = match emit.types.get(value.ty) {
        TypeData::Str => (value.parts[1], value.parts[2]),
        // Bytes are characters of one byte each.
        _ => {
            let two = emit.b.iconst(Native::I64, 2);
            (value.parts[1], emit.b.like_first(Op::Ishl, &[value.parts[2], two]))
        }
    };
    let how = if is_encoded { rt::strings::TO_ASCII } else { wide.into() };
    let (count, how) = (emit.b.iconst(Native::I64, count.into()), emit.b.iconst(Native::I64, how));
    let wrong = emit.call_runtime(Runtime::TextToFixed, &[data, meta, count, how, address])[0];
    if is_encoded {
        raise_unless_ascii(emit, value, wrong)?;
    }
    let parts: Vec<Value> =
        (0..words).map(|word| emit.b.load(Native::I64, address, 8 * word as i64)).collect();
    Ok(Operand::new(to, parts))
}

/// UnicodeEncodeError, where the runtime says that a string has characters that are not ASCII's.
fn raise_unless_ascii(emit: &mut Emit<'_>, text: &Operand, wrong: Value) -> Result<()> {
    let zero = emit.b.iconst(Native::I64, 0);
    let fails = emit.b.icmp(IntCond::Ne, wrong, zero);
    let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(fails, BlockCall::new(fail, []), BlockCall::new(go_on, []));
    emit.b.switch_to(fail);
    let shift = emit.b.iconst(Native::I64, rt::strings::PLACE_BITS.into());
    let mask = emit.b.iconst(Native::I64, (1 << rt::strings::PLACE_BITS) - 1);
    let start = emit.b.like_first(Op::Iand, &[wrong, mask]);
    let count = emit.b.like_first(Op::Ushr, &[wrong, shift]);
    let end = emit.b.like_first(Op::Iadd, &[start, count]);
    let text_of = |text: &str, emit: &Emit<'_>| Operand::new(emit.types.literal_str(text), []);
    let mut described = Described::default();
    described.add(emit, &text_of("ascii", emit))?;
    described.add(emit, text)?;
    described.add(emit, &Operand::single(Type::INT64, start))?;
    described.add(emit, &Operand::single(Type::INT64, end))?;
    described.add(emit, &text_of("ordinal not in range(128)", emit))?;
    // Whoever makes the exception gives up the string.
    for owner in emit.owners(text) {
        emit.retain(owner);
    }
    emit.give_refs(text);
    emit.raise_payload(UnicodeEncodeError, &described.layout, &described.words);
    emit.b.switch_to(go_on);
    Ok(())
}

/// Fixed-width string as a string, which the instruction being emitted holds.
pub(crate) fn of_chars(emit: &mut Emit<'_>, chars: &Operand) -> Operand {
    let address = emit.frame_slot(8 * chars.parts.len().max(1) as u32);
    for (number, &word) in chars.parts.iter().enumerate() {
        emit.b.store(address, 8 * number as i64, word);
    }
    let count = emit.b.iconst(Native::I64, 2 * chars.parts.len() as i64);
    let made = emit.call_runtime(Runtime::TextOfWide, &[address, count]);
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Ne, made[0], zero);
    emit.raise_if(failed, MemoryError, "not enough memory for a string");
    emit.refs.temporaries.push(made[1]);
    Operand::new(Type::STR, made[1..].iter().copied())
}
