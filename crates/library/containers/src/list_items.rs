//! Items of lists: `l[i]`, `l[i] = x`, `l.append(x)`, `l.pop()`.

use crate::list::{ListParts, item_of};
use abi::ExceptionClass::{IndexError, MemoryError};
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeTable, fits_item};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
    catalog.add_generic("method.append", resolve_append);
    catalog.add_generic("method.pop", resolve_pop);
    catalog.add_generic("method.clear", resolve_clear);
    catalog.state(&[
        ("builtins.list.append", "appends=self@0:object@1"),
        ("builtins.list.pop", "mutates=self@0 returns=item:self@0"),
        ("builtins.list.clear", "mutates=self@0"),
    ]);
}

/// Whether a value of this type can be an index.
fn is_index(types: &TypeTable, index: Type) -> bool {
    let plain = types.unliteral(index);
    plain.is_int() || plain == Type::BOOL
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, index] = *args else { return None };
    let result = item_of(types, list).filter(|_| is_index(types, index))?;
    Some(Resolution { result, params: vec![list, Type::INT64], emit: get })
}

fn get(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    let items = list.items(emit);
    let at = normalize_index(emit, &list, args[1].value(), list.out_of_range());
    Ok(list.load(emit, items, at))
}

/// An index counted from the begin; IndexError if there is no such item.
fn normalize_index(emit: &mut Emit<'_>, list: &ListParts, index: Value, message: &str) -> Value {
    let length = list.length(emit);
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, index, zero);
    let from_end = emit.b.like_first(Op::Iadd, &[index, length]);
    let at = emit.b.select(negative, from_end, index);
    let outside = emit.b.icmp(IntCond::Uge, at, length);
    emit.raise_if(outside, IndexError, message);
    at
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, index, value] = *args else { return None };
    let item = item_of(types, list).filter(|_| is_index(types, index))?;
    fits_item(types, value, item).then_some(())?;
    Some(Resolution { result: Type::NONE, params: vec![list, Type::INT64, item], emit: set })
}

fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    list.check_mutable(emit);
    let items = list.items(emit);
    let at = normalize_index(emit, &list, args[1].value(), list.assignment_out_of_range());
    let before = list.load(emit, items, at);
    list.store(emit, items, at, &args[2]);
    list.mark_changed(emit);
    emit.take_refs(&before);
    for owner in emit.owners(&before) {
        emit.release(owner);
    }
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_append(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, value] = *args else { return None };
    let item = item_of(types, list).filter(|_| !types.is_deque(list))?;
    fits_item(types, value, item).then_some(())?;
    Some(Resolution { result: Type::NONE, params: vec![list, item], emit: append })
}

pub(crate) fn append(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    list.check_mutable(emit);
    let length = list.length(emit);
    let capacity = list.capacity(emit);
    let full = emit.b.icmp(IntCond::Sge, length, capacity);
    emit.if_unlikely(full, |emit| {
        let one = emit.b.iconst(Native::I64, 1);
        let grown = emit.call_runtime(Runtime::ListGrow, &[list.head, one])[0];
        let zero = emit.b.iconst(Native::I64, 0);
        let failed = emit.b.icmp(IntCond::Eq, grown, zero);
        emit.raise_if(failed, MemoryError, "cannot allocate list");
        Ok(())
    })?;
    let items = list.items(emit);
    list.store(emit, items, length, &args[1]);
    let one = emit.b.iconst(Native::I64, 1);
    let longer = emit.b.like_first(Op::Iadd, &[length, one]);
    list.set_length(emit, longer);
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_pop(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (list, params) = match *args {
        [list] => (list, vec![list]),
        [list, index] if is_index(types, index) => (list, vec![list, Type::INT64]),
        _ => return None,
    };
    let result = item_of(types, list).filter(|_| !types.is_deque(list))?;
    let emit: EmitFn = if params.len() == 1 { pop_last } else { pop_at };
    Some(Resolution { result, params, emit })
}

fn pop_last(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    list.check_mutable(emit);
    let length = list.length(emit);
    check_filled(emit, length);
    let minus = emit.b.iconst(Native::I64, -1);
    let last = emit.b.like_first(Op::Iadd, &[length, minus]);
    let items = list.items(emit);
    let value = list.load(emit, items, last);
    emit.take_refs(&value);
    emit.refs.temporaries.extend(emit.owners(&value));
    list.set_length(emit, last);
    list.mark_changed(emit);
    Ok(value)
}

fn check_filled(emit: &mut Emit<'_>, length: Value) {
    let zero = emit.b.iconst(Native::I64, 0);
    let empty = emit.b.icmp(IntCond::Eq, length, zero);
    emit.raise_if(empty, IndexError, "pop from empty list");
}

fn pop_at(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    list.check_mutable(emit);
    let length = list.length(emit);
    check_filled(emit, length);
    let message = if list.typed { "list index out of range" } else { "pop index out of range" };
    let at = normalize_index(emit, &list, args[1].value(), message);
    let items = list.items(emit);
    let value = list.load(emit, items, at);
    emit.take_refs(&value);
    emit.refs.temporaries.extend(emit.owners(&value));
    let one = emit.b.iconst(Native::I64, 1);
    emit.call_runtime(Runtime::ListClose, &[list.head, at, one]);
    Ok(value)
}

fn resolve_clear(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list] = *args else { return None };
    item_of(types, list)?;
    let emit: EmitFn = |emit, args| {
        let list = ListParts::open(emit, &args[0])?;
        list.check_mutable(emit);
        emit.call_runtime(Runtime::ListClear, &[list.head]);
        Ok(Operand::new(Type::NONE, []))
    };
    Some(Resolution { result: Type::NONE, params: args.to_vec(), emit })
}
