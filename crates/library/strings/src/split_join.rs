//! Splitting and joining strings: `split`, `rsplit`, `splitlines`, `join`.

use crate::layout::{Parts, check_memory, is_text, make};
use abi::ExceptionClass::ValueError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use rt::list::ListHead;
use std::mem::offset_of;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("method.split", |types, args| resolve_split(types, args, |e, a| split(e, a, 0)));
    catalog.add_generic("method.rsplit", |types, args| resolve_split(types, args, |e, a| split(e, a, 1)));
    catalog.add_generic("method.splitlines", resolve_lines);
    catalog.add_generic("method.join", resolve_join);
    for name in ["method.split", "method.rsplit"] {
        catalog.name_parameters(name, &["sep", "maxsplit"]);
    }
    catalog.name_parameters("method.splitlines", &["keepends"]);
}

fn is_integer(types: &TypeTable, ty: Type) -> bool {
    let plain = types.unliteral(ty);
    plain.is_int() || plain == Type::BOOL
}

fn resolve_split(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let (&text, rest) = args.split_first()?;
    let separator = rest.first().copied().unwrap_or(Type::NONE);
    let fits = is_text(types, text)
        && (separator == Type::NONE || is_text(types, separator))
        && rest.len() <= 2
        && rest.get(1).is_none_or(|&most| is_integer(types, most));
    let all = [Type::STR, if separator == Type::NONE { Type::NONE } else { Type::STR }, Type::INT64];
    let params = all[..args.len().min(3)].to_vec();
    fits.then(|| Resolution { result: types.list(Type::STR), params, emit })
}

/// A string whose memory others may hold for longer than this call; the count is for them.
fn handed_over(emit: &mut Emit<'_>, text: &Operand) -> [Value; 3] {
    Parts::of(&emit.hand_over(text)).all()
}

fn split(emit: &mut Emit<'_>, args: &[Operand], from_end: i64) -> Result<Operand> {
    let separator = args.get(1).filter(|separator| separator.ty == Type::STR).map(Parts::of);
    let (separator_data, separator_meta) = match separator {
        Some(separator) => (separator.data, separator.meta),
        None => (emit.b.iconst(Native::Ptr, 0), emit.b.iconst(Native::I64, 0)),
    };
    let most = match args.get(2) {
        Some(most) => most.value(),
        None => emit.b.iconst(Native::I64, -1),
    };
    let from_end = emit.b.iconst(Native::I64, from_end);
    let [owner, data, meta] = handed_over(emit, &args[0]);
    let words = [owner, data, meta, separator_data, separator_meta, most, from_end];
    let made = emit.call_runtime(Runtime::TextSplit, &words);
    if separator.is_some() {
        let empty = emit.b.iconst(Native::I64, 2);
        let failed = emit.b.icmp(IntCond::Eq, made[0], empty);
        emit.raise_if(failed, ValueError, "empty separator");
    }
    Ok(list_of(emit, made[1], made[0]))
}

fn list_of(emit: &mut Emit<'_>, owner: Value, code: Value) -> Operand {
    check_memory(emit, code);
    emit.refs.temporaries.push(owner);
    Operand::single(emit.types.list(Type::STR), owner)
}

fn resolve_lines(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&text, rest) = args.split_first()?;
    let fits = is_text(types, text) && rest.len() <= 1 && rest.iter().all(|&keep| is_integer(types, keep));
    let emit: EmitFn = |emit, args| {
        let keep = match args.get(1) {
            Some(keep) => keep.value(),
            None => emit.b.iconst(Native::I64, 0),
        };
        let [owner, data, meta] = handed_over(emit, &args[0]);
        let made = emit.call_runtime(Runtime::TextLines, &[owner, data, meta, keep]);
        Ok(list_of(emit, made[1], made[0]))
    };
    let params = [Type::STR, Type::INT64][..args.len().min(2)].to_vec();
    fits.then(|| Resolution { result: types.list(Type::STR), params, emit })
}

/// Of a list, a tuple, or the characters of a string.
fn resolve_join(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [separator, items] = *args else { return None };
    if !is_text(types, separator) {
        return None;
    }
    let (items, emit): (Type, EmitFn) = if is_text(types, items) {
        (Type::STR, join_chars)
    } else if types.list_item(items) == Some(Type::STR) {
        (items, join_list)
    } else {
        let elements = types.items(items).filter(|all| all.iter().all(|&item| is_text(types, item)))?;
        // A list that never changes is held as the tuple of its items.
        let tuple = types.tuple(&vec![Type::STR; elements.len()]);
        (tuple, join_tuple)
    };
    Some(Resolution { result: Type::STR, params: vec![Type::STR, items], emit })
}

fn join_chars(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (separator, text) = (Parts::of(&args[0]), Parts::of(&args[1]));
    Ok(make(emit, Runtime::TextSpread, &[separator.data, separator.meta, text.data, text.meta]))
}

fn join_list(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let separator = Parts::of(&args[0]);
    let list = args[1].parts.first().copied();
    let list = list.ok_or_else(|| Diagnostic::internal("emission", "a list without a block"))?;
    let block = emit.b.convert(Op::Bitcast, list, Native::Ptr);
    let field = |offset: usize| rt::ITEMS + offset as i64;
    let count = emit.b.load(Native::I64, block, field(offset_of!(ListHead, len)));
    let items = emit.b.load(Native::Ptr, block, field(offset_of!(ListHead, items)));
    Ok(make(emit, Runtime::TextJoin, &[separator.data, separator.meta, items, count]))
}

fn join_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let separator = Parts::of(&args[0]);
    let items = emit.frame_slot(8 * args[1].parts.len().max(1) as u32);
    for (number, &part) in args[1].parts.iter().enumerate() {
        emit.b.store(items, 8 * number as i64, part);
    }
    let count = emit.b.iconst(Native::I64, args[1].parts.len() as i64 / 3);
    Ok(make(emit, Runtime::TextJoin, &[separator.data, separator.meta, items, count]))
}
