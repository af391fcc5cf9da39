//! `text[i]`, `text[a:b:c]`, `ord` and `chr`.

use crate::layout::{Parts, char_at, check_memory, is_text, of_char, resolution, try_make};
use abi::ExceptionClass::{IndexError, TypeError, ValueError};
use abi::Runtime;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_item));
    catalog
        .add_generic("builtins.ord", |types, args| {
            let [ty] = *args else { return None };
            if is_text(types, ty) { resolution(Type::INT64, &[Type::STR], ord) } else { None }
        })
        .reads();
    catalog
        .add_generic("builtins.chr", |types, args| {
            let [ty] = *args else { return None };
            let ty = types.unliteral(ty);
            if ty.is_int() || ty == Type::BOOL { resolution(Type::STR, &[Type::INT64], chr) } else { None }
        })
        .reads();
}

fn resolve_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [text, index] = *args else { return None };
    if !is_text(types, text) {
        return None;
    }
    let plain = types.unliteral(index);
    if plain.is_int() || plain == Type::BOOL {
        return resolution(Type::STR, &[Type::STR, Type::INT64], character);
    }
    match types.get(index) {
        TypeData::Slice { .. } | TypeData::LiteralSlice { .. } => {
            let slice = types.intern(TypeData::Slice { members: 3 });
            resolution(Type::STR, &[Type::STR, slice], slice_of)
        }
        _ => None,
    }
}

/// A place counted from the front. IndexError if it is outside.
pub(crate) fn normalize_index(emit: &mut Emit<'_>, at: Value, length: Value, message: &str) -> Value {
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, at, zero);
    let from_end = emit.b.like_first(Op::Iadd, &[at, length]);
    let at = emit.b.select(negative, from_end, at);
    let outside = emit.b.icmp(IntCond::Uge, at, length);
    emit.raise_if(outside, IndexError, message);
    at
}

fn character(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let text = Parts::of(&args[0]);
    let length = text.length(emit);
    let at = normalize_index(emit, args[1].value(), length, "string index out of range");
    let number = char_at(emit, text, at)?;
    of_char(emit, number)
}

fn slice_of(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let slice = cast(emit, &args[1], args[1].ty)?;
    let all: Vec<Value> = Parts::of(&args[0]).all().into_iter().chain(slice.parts).collect();
    let (code, made) = try_make(emit, Runtime::TextSlice, &all);
    check_memory(emit, code);
    if emit.b.known_int(all[5]).is_none_or(|step| step == 0) {
        let zero_step = emit.b.iconst(Native::I64, 2);
        let failed = emit.b.icmp(IntCond::Eq, code, zero_step);
        emit.raise_if(failed, ValueError, "slice step cannot be zero");
    }
    Ok(made)
}

fn ord(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let text = Parts::of(&args[0]);
    let length = text.length(emit);
    let one = emit.b.iconst(Native::I64, 1);
    let wrong = emit.b.icmp(IntCond::Ne, length, one);
    let before = constant_text("ord() expected a character, but string of length ");
    let layout = format!("[{before}i{}]", constant_text(" found"));
    emit.raise_payload_if(wrong, TypeError, &layout, &[length]);
    let zero = emit.b.iconst(Native::I64, 0);
    let number = char_at(emit, text, zero)?;
    Ok(Operand::single(Type::INT64, number))
}

fn chr(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let number = args[0].value();
    let limit = emit.b.iconst(Native::I64, 0x11_0000);
    let outside = emit.b.icmp(IntCond::Uge, number, limit);
    emit.raise_if(outside, ValueError, "chr() arg not in range(0x110000)");
    of_char(emit, number)
}
