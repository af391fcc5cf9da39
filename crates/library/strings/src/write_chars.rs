//! New strings whose characters are written one by one, for code that decodes text (`numba.cpython.unicode`).

use crate::layout::{Parts, resolution};
use abi::ExceptionClass::{IndexError, MemoryError, ValueError};
use catalog::{Catalog, Emit, Operand};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::Type;

/// Longer strings are refused before their size is computed.
const MAX_LENGTH: i64 = 1 << 48;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.string_new", |_, args| {
        let [_, _] = *args else { return None };
        resolution(Type::STR, &[Type::INT64; 2], string_new)
    });
    catalog.add_generic("rumba.string_write", |types, args| {
        let [text, _, _] = *args else { return None };
        let params = [Type::STR, Type::INT64, Type::INT64];
        if types.unliteral(text) == Type::STR { resolution(Type::NONE, &params, string_write) } else { None }
    });
}

/// A string of zeros, by the bytes per character (1, 2 or 4) and the length.
fn string_new(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (width, length) = (args[0].value(), args[1].value());
    let most = emit.b.iconst(Native::I64, MAX_LENGTH);
    let outside = emit.b.icmp(IntCond::Uge, length, most);
    emit.raise_if(outside, MemoryError, "not enough memory for a string");
    let [zero, one, two, four] = [0, 1, 2, 4].map(|number| emit.b.iconst(Native::I64, number));
    let is_middle = emit.b.icmp(IntCond::Eq, width, two);
    let is_wide = emit.b.icmp(IntCond::Eq, width, four);
    let narrower = emit.b.select(is_middle, one, zero);
    let code = emit.b.select(is_wide, two, narrower);
    let size = emit.b.like_first(Op::Ishl, &[length, code]);
    let [owner, data] = emit.new_block(size, true, "not enough memory for a string");
    let shifted = emit.b.like_first(Op::Ishl, &[length, two]);
    let meta = emit.b.like_first(Op::Ior, &[shifted, code]);
    Ok(Operand::new(Type::STR, [owner, data, meta]))
}

/// Writes a character of a string that `string_new` made.
fn string_write(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (text, at, number) = (Parts::of(&args[0]), args[1].value(), args[2].value());
    // Constants have no owner, and what is borrowed from Python is marked by an odd one.
    let zero = emit.b.iconst(Native::I64, 0);
    let one = emit.b.iconst(Native::I64, 1);
    let constant = emit.b.icmp(IntCond::Eq, text.owner, zero);
    let mark = emit.b.like_first(Op::Iand, &[text.owner, one]);
    let borrowed = emit.b.icmp(IntCond::Ne, mark, zero);
    let fixed = emit.b.like_first(Op::Ior, &[constant, borrowed]);
    emit.raise_if(fixed, ValueError, "only a string made by `_empty_string` can be written");
    let length = text.length(emit);
    let outside = emit.b.icmp(IntCond::Uge, at, length);
    emit.raise_if(outside, IndexError, "string index out of range");
    let code = text.code(emit);
    let offset = emit.b.like_first(Op::Ishl, &[at, code]);
    let address = emit.b.native(Op::PtrAdd, [], &[text.data, offset], Native::Ptr);
    let is_narrow = emit.b.icmp(IntCond::Eq, code, zero);
    emit.if_else(
        is_narrow,
        |emit| store(emit, address, number, Native::I8),
        |emit| {
            let is_middle = emit.b.icmp(IntCond::Eq, code, one);
            let narrower = |emit: &mut Emit<'_>| store(emit, address, number, Native::I16);
            emit.if_else(is_middle, narrower, |emit| store(emit, address, number, Native::I32))
        },
    )?;
    Ok(Operand::new(Type::NONE, []))
}

fn store(
    emit: &mut Emit<'_>,
    address: Value,
    number: Value,
    native: Native,
) -> Result<smallvec::SmallVec<[Value; 2]>> {
    let narrow = emit.b.convert(Op::Trunc, number, native);
    emit.b.store(address, 0, narrow);
    Ok(Default::default())
}
