//! Unpacking, class patterns, and dicts with known keys. If the length is known, this generates no code: the parts of
//! the values are distributed.

use crate::Lowering;
use crate::ops::{by_parts, element, lower_empty};
use abi::ExceptionClass;
use catalog::{Key, Operand, PatternPart, cast, constant_text, pattern_parts};
use diag::{Diagnostic, Result};
use ir::{Attr, BlockCall, Inst, IntCond, Native, Op, Value, ValueType};
use types::{LiteralValue, Type, TypeData};

/// The operand; a starred target's list as the tuple of its items.
pub(crate) fn items(l: &Lowering<'_>, value: Value) -> Result<Operand> {
    let of = l.operand(value)?;
    Ok(match l.cx.types.starred(of.ty) {
        Some(tuple) => Operand { ty: tuple, parts: of.parts },
        None => of,
    })
}

/// The same of what may be None; TypeError if it is.
fn present_items(l: &mut Lowering<'_>, value: Value) -> Result<Operand> {
    let TypeData::Optional(inner) = l.cx.types.get(l.typed.ty(value)) else { return items(l, value) };
    let content = present(l, value)?;
    Ok(Operand { ty: l.cx.types.starred(inner).unwrap_or(inner), parts: content.parts })
}

/// A value, which may be None; TypeError if it is.
fn present(l: &mut Lowering<'_>, value: Value) -> Result<Operand> {
    let of = l.operand(value)?;
    cast(&mut l.emit, &of, l.cx.types.present(of.ty))
}

pub(crate) fn lower_unpack(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    if l.cx.types.keywords(l.typed.ty(data.args[0])).is_some() {
        // The keys, which their types know.
        return lower_empty(l, inst);
    }
    let of = l.cx.types.present(l.typed.ty(data.args[0]));
    let is_text = l.cx.types.unliteral(of) == Type::STR;
    if is_text || l.cx.types.array(of).is_some() || l.cx.types.list_item(of).is_some() {
        return lower_unpack_sequence(l, inst);
    }
    let of = present_items(l, data.args[0])?;
    if l.cx.types.items(of.ty).is_none() {
        return lower_unpack_iterable(l, inst, &of);
    }
    for (index, &result) in data.results.iter().enumerate() {
        let operand = element(l, &of, index)?;
        l.define(result, operand);
    }
    Ok(())
}

/// `a, b = iterable`: items are taken one by one. ValueError if they are not as many as there are names.
fn lower_unpack_iterable(l: &mut Lowering<'_>, inst: Inst, of: &Operand) -> Result<()> {
    let results = &l.typed.insts[inst].results;
    let count = results.len();
    let iterator = l.emit.call(&Key::Getiter, std::slice::from_ref(of))?;
    for (taken, &result) in results.iter().enumerate() {
        let item = take_one(l, &iterator, &count.to_string(), taken)?;
        l.define(result, item);
    }
    let ended = l.emit.b.new_block();
    let made_before = l.emit.refs.temporaries.len();
    l.emit.next_item(&iterator, ended)?;
    let message = format!("too many values to unpack (expected {count})");
    l.emit.raise(ExceptionClass::ValueError, Some(&message));
    l.emit.refs.temporaries.truncate(made_before);
    l.emit.b.switch_to(ended);
    Ok(())
}

/// `a, b = sequence`. ValueError if it is not as long as there are names.
fn lower_unpack_sequence(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let of = present(l, data.args[0])?;
    let length = l.emit.call(&Key::Function("builtins.len".into()), std::slice::from_ref(&of))?.value();
    let count = data.results.len();
    let wanted = l.emit.b.iconst(Native::I64, count as i64);
    let more = l.emit.b.icmp(IntCond::Sgt, length, wanted);
    let message = format!("too many values to unpack (expected {count})");
    l.emit.raise_if(more, ExceptionClass::ValueError, &message);
    let fewer = l.emit.b.icmp(IntCond::Slt, length, wanted);
    let head = constant_text(&format!("not enough values to unpack (expected {count}, got "));
    let layout = format!("[{head}i{}]", constant_text(")"));
    l.emit.raise_payload_if(fewer, ExceptionClass::ValueError, &layout, &[length]);
    for (index, &result) in data.results.iter().enumerate() {
        let number = l.emit.b.iconst(Native::I64, index as i64);
        // Unsigned: it is never counted from the end.
        let number = Operand::single(Type::UINT64, number);
        let item = l.emit.call(&Key::Getitem, &[of.clone(), number])?;
        l.define(result, item);
    }
    Ok(())
}

/// `a, *b, c = t`: the items before the starred name, the list of those between, the items after.
pub(crate) fn lower_unpack_starred(l: &mut Lowering<'_>, inst: Inst, before: usize) -> Result<()> {
    let data = &l.typed.insts[inst];
    if l.cx.types.list_item(l.cx.types.present(l.typed.ty(data.args[0]))).is_some() {
        return lower_unpack_list(l, inst, before);
    }
    let of = present_items(l, data.args[0])?;
    if l.cx.types.items(of.ty).is_none() {
        return lower_take_all(l, inst, &of, before);
    }
    let count = l.cx.types.elements(of.ty).map_or(0, |elements| elements.len());
    let behind = data.results.len() - 1 - before;
    for (index, &result) in data.results.iter().enumerate() {
        let operand = if index == before {
            let mut parts = Vec::new();
            for at in before..count - behind {
                parts.extend(element(l, &of, at)?.parts);
            }
            Operand::new(l.typed.ty(result), parts)
        } else {
            let at = if index < before { index } else { count + index - data.results.len() };
            element(l, &of, at)?
        };
        l.define(result, operand);
    }
    Ok(())
}

/// The same of a list. ValueError if it is too short for the names without a star.
fn lower_unpack_list(l: &mut Lowering<'_>, inst: Inst, before: usize) -> Result<()> {
    let data = &l.typed.insts[inst];
    let of = present(l, data.args[0])?;
    let length = l.emit.call(&Key::Function("builtins.len".into()), std::slice::from_ref(&of))?.value();
    let names = data.results.len() - 1;
    let wanted = l.emit.b.iconst(Native::I64, names as i64);
    let fewer = l.emit.b.icmp(IntCond::Slt, length, wanted);
    let head = constant_text(&format!("not enough values to unpack (expected at least {names}, got "));
    let layout = format!("[{head}i{}]", constant_text(")"));
    l.emit.raise_payload_if(fewer, ExceptionClass::ValueError, &layout, &[length]);
    if names > 0 && l.cx.types.list_item(of.ty) == Some(Type::UNDEFINED) {
        define_nothing(l, inst);
        return Ok(());
    }
    let between = l.emit.b.like_first(Op::Isub, &[length, wanted]);
    for (index, &result) in data.results.iter().enumerate() {
        let value = if index == before {
            list_between(l, &of, l.typed.ty(result), before, between)?
        } else {
            let number = l.emit.b.iconst(Native::I64, (index - usize::from(index > before)) as i64);
            let shift = if index > before { between } else { l.emit.b.iconst(Native::I64, 0) };
            let number = l.emit.b.like_first(Op::Iadd, &[number, shift]);
            // Unsigned: it is never counted from the end.
            l.emit.call(&Key::Getitem, &[of.clone(), Operand::single(Type::UINT64, number)])?
        };
        l.define(result, value);
    }
    Ok(())
}

/// What is unpacked holds nothing, for certain: the code behind does not run.
fn define_nothing(l: &mut Lowering<'_>, inst: Inst) {
    for &result in &l.typed.insts[inst].results {
        l.define(result, Operand::new(Type::UNDEFINED, []));
    }
}

/// The same of what has any number of items: they are taken one by one, and those that belong to the names after the star come out
/// of the list again. ValueError if there are too few.
fn lower_take_all(l: &mut Lowering<'_>, inst: Inst, of: &Operand, before: usize) -> Result<()> {
    let results = l.typed.insts[inst].results.clone();
    let (names, behind) = (results.len() - 1, results.len() - 1 - before);
    let wanted = format!("at least {names}");
    let head = constant_text(&format!("not enough values to unpack (expected {wanted}, got "));
    let iterator = l.emit.call(&Key::Getiter, std::slice::from_ref(of))?;
    if l.typed.ty(results[before]) == Type::UNDEFINED {
        take_one(l, &iterator, &wanted, 0)?;
        define_nothing(l, inst);
        return Ok(());
    }
    for (taken, &result) in results[..before].iter().enumerate() {
        let item = take_one(l, &iterator, &wanted, taken)?;
        l.define(result, item);
    }
    let list = list_of_rest(l, &iterator, l.typed.ty(results[before]))?;
    if behind > 0 {
        let length = l.emit.call(&Key::Function("builtins.len".into()), std::slice::from_ref(&list))?.value();
        let least = l.emit.b.iconst(Native::I64, behind as i64);
        let fewer = l.emit.b.icmp(IntCond::Slt, length, least);
        let before = l.emit.b.iconst(Native::I64, before as i64);
        let all = l.emit.b.like_first(Op::Iadd, &[length, before]);
        let layout = format!("[{head}i{}]", constant_text(")"));
        l.emit.raise_payload_if(fewer, ExceptionClass::ValueError, &layout, &[all]);
    }
    for &result in results[before + 1..].iter().rev() {
        let item = l.emit.call(&Key::Function("method.pop".into()), std::slice::from_ref(&list))?;
        let item = cast(&mut l.emit, &item, l.typed.ty(result))?;
        l.define(result, item);
    }
    l.define(results[before], list);
    Ok(())
}

/// The next item of an iterator. ValueError if there is none, which says how many are `wanted`.
fn take_one(l: &mut Lowering<'_>, iterator: &Operand, wanted: &str, taken: usize) -> Result<Operand> {
    let ended = l.emit.b.new_block();
    let made_before = l.emit.refs.temporaries.len();
    let item = l.emit.next_item(iterator, ended)?;
    let go_on = l.emit.b.block;
    let made = l.emit.refs.temporaries.split_off(made_before);
    l.emit.b.switch_to(ended);
    let message = format!("not enough values to unpack (expected {wanted}, got {taken})");
    l.emit.raise(ExceptionClass::ValueError, Some(&message));
    l.emit.b.switch_to(go_on);
    l.emit.refs.temporaries.extend(made);
    Ok(item)
}

/// A new list of what an iterator still gives.
fn list_of_rest(l: &mut Lowering<'_>, iterator: &Operand, ty: Type) -> Result<Operand> {
    let zero = l.emit.b.iconst(Native::I64, 0);
    let list = new_list(l, ty, zero)?;
    for_each_item(l, iterator, |l, item| {
        let item = match l.cx.types.list_item(ty) {
            Some(wanted) => cast(&mut l.emit, &item, wanted)?,
            None => item,
        };
        l.emit.call(&Key::Function("method.append".into()), &[list.clone(), item])?;
        Ok(())
    })?;
    Ok(list)
}

/// A loop over what an iterator still gives.
pub(crate) fn for_each_item<'l>(
    l: &mut Lowering<'l>,
    iterator: &Operand,
    body: impl FnOnce(&mut Lowering<'l>, Operand) -> Result<()>,
) -> Result<()> {
    let (head, done) = (l.emit.b.new_block(), l.emit.b.new_block());
    l.emit.b.jump(head, &[]);
    l.emit.b.switch_to(head);
    let made_before = l.emit.refs.temporaries.len();
    let item = l.emit.next_item(iterator, done)?;
    body(l, item)?;
    for owner in l.emit.refs.temporaries.split_off(made_before) {
        l.emit.release(owner);
    }
    l.emit.poll();
    l.emit.b.jump(head, &[]);
    l.emit.b.switch_to(done);
    Ok(())
}

/// A list without items, with room for so many.
pub(crate) fn new_list(l: &mut Lowering<'_>, ty: Type, room: Value) -> Result<Operand> {
    let like = l.emit.undefined(ty);
    l.emit.call(&Key::Function("rumba.list_new".into()), &[like, Operand::single(Type::INT64, room)])
}

/// A new list of a given number of items, starting at an index. Its items may be of another type.
pub(crate) fn list_between(
    l: &mut Lowering<'_>,
    of: &Operand,
    ty: Type,
    first: usize,
    count: Value,
) -> Result<Operand> {
    let raw = |name: &str| Key::Function(format!("rumba.{name}").into());
    let list = new_list(l, ty, count)?;
    let (head, body, done) = (l.emit.b.new_block(), l.emit.b.new_block(), l.emit.b.new_block());
    let zero = l.emit.b.iconst(Native::I64, 0);
    l.emit.b.jump(head, &[zero]);
    let at = l.emit.b.func.add_param(head, ValueType::Native(Native::I64));
    l.emit.b.switch_to(head);
    let more = l.emit.b.icmp(IntCond::Slt, at, count);
    l.emit.b.branch(more, BlockCall::new(body, []), BlockCall::new(done, []));
    l.emit.b.switch_to(body);
    let shift = l.emit.b.iconst(Native::I64, first as i64);
    let number = l.emit.b.like_first(Op::Iadd, &[at, shift]);
    let made_before = l.emit.refs.temporaries.len();
    let item = l.emit.call(&raw("list_item"), &[of.clone(), Operand::single(Type::INT64, number)])?;
    let item = match l.cx.types.list_item(ty) {
        Some(wanted) => cast(&mut l.emit, &item, wanted)?,
        None => item,
    };
    l.emit.call(&raw("list_push"), &[list.clone(), item])?;
    for owner in l.emit.refs.temporaries.split_off(made_before) {
        l.emit.release(owner);
    }
    let one = l.emit.b.iconst(Native::I64, 1);
    let next = l.emit.b.like_first(Op::Iadd, &[at, one]);
    l.emit.poll();
    l.emit.b.jump(head, &[next]);
    l.emit.b.switch_to(done);
    Ok(list)
}

/// `case C(a, b, name=c)`: None, or what the sub-patterns are matched with. Where the subject may be None
/// only the run time knows.
pub(crate) fn lower_match_class(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    if result == Type::NONE {
        l.define(data.results[0], Operand::new(result, []));
        return Ok(());
    }
    let subject = l.operand(data.args[0])?;
    let (present, content) = match l.cx.types.get(subject.ty) {
        TypeData::Optional(inner) => {
            (Some(subject.parts[0]), Operand::new(inner, subject.parts[1..].iter().copied()))
        }
        TypeData::Caught(_) => {
            let classes =
                catalog::exception_classes(l.cx.types, l.typed.ty(data.args[1])).unwrap_or_default();
            (Some(l.emit.is_caught(&subject, &classes)), subject)
        }
        _ => (None, subject),
    };
    let positional = match data.attrs.last() {
        Some(&Attr::Int(count)) => count as usize,
        _ => 0,
    };
    let (class, names) = (l.typed.ty(data.args[1]), l.typed.ty(data.args[2]));
    let parts = pattern_parts(l.cx.types, content.ty, class, positional, names);
    let parts = parts.ok_or_else(|| Diagnostic::internal("lowering", "a class pattern without parts"))?;
    let mut values: Vec<Value> = present.into_iter().collect();
    for part in parts {
        match part {
            PatternPart::Whole => values.extend(content.parts.iter().copied()),
            PatternPart::Field(at) => values.extend(element(l, &content, at)?.parts),
        }
    }
    l.define(data.results[0], Operand::new(result, values));
    Ok(())
}

/// A dict display whose keys are known: the values, of a key that stands twice the last one.
pub(crate) fn lower_build_map(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    let (names, _) = keywords(l, result)?;
    let mut parts = Vec::new();
    for name in names.iter() {
        let is_key = |key: Value| match l.cx.types.literal(l.typed.ty(key)) {
            Some(LiteralValue::Str(known)) => *known == **name,
            _ => false,
        };
        let pair = data.args.chunks_exact(2).rfind(|pair| is_key(pair[0]));
        let pair = pair.ok_or_else(|| Diagnostic::internal("lowering", "a dict without one of its keys"))?;
        parts.extend(l.operand(pair[1])?.parts);
    }
    l.define(data.results[0], Operand::new(result, parts));
    Ok(())
}

/// A dict with the items of another one, which win.
pub(crate) fn lower_merge(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let result = l.typed.ty(data.results[0]);
    let sources = [l.operand(data.args[1])?, l.operand(data.args[0])?];
    let mut parts = Vec::new();
    for name in keywords(l, result)?.0.iter() {
        let mut found = sources.iter().filter_map(|source| {
            let (names, types) = l.cx.types.keywords(source.ty)?;
            let at = names.iter().position(|known| known == name)?;
            Some(by_parts(l, source, &types, at))
        });
        let value = found.next();
        parts.extend(value.ok_or_else(|| Diagnostic::internal("lowering", "a dict without a value"))?.parts);
    }
    l.define(data.results[0], Operand::new(result, parts));
    Ok(())
}

fn keywords(l: &Lowering<'_>, ty: Type) -> Result<(types::FieldNames, std::sync::Arc<[Type]>)> {
    let found = l.cx.types.keywords(ty);
    found.ok_or_else(|| Diagnostic::internal("lowering", "a dict whose keys are not known"))
}
