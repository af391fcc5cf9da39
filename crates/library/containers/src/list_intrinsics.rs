//! List intrinsics for the library: unchecked access, gaps, and ownership transfer of items. Documented in
//! `rumba.intrinsics`.

use crate::list::{ListParts, item_of, new_list};
use abi::ExceptionClass::MemoryError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{Type, TypeTable, fits_item};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.list_new", |types, args| {
        let [list, _] = *args else { return None };
        with_places(types, args, list, new)
    });
    catalog.add_generic("rumba.list_item", |types, args| {
        with_places(types, args, item_of(types, *args.first()?)?, read)
    });
    catalog.add_generic("rumba.list_room", |types, args| {
        let emit: EmitFn = |emit, args| {
            let list = ListParts::open(emit, &args[0])?;
            Ok(Operand::single(Type::INT64, list.capacity(emit)))
        };
        with_places(types, args, Type::INT64, emit).filter(|_| args.len() == 1)
    });
    catalog.add_generic("rumba.list_take", |types, args| {
        with_places(types, args, item_of(types, *args.first()?)?, take)
    });
    catalog.add_generic("rumba.list_change", |types, args| with_places(types, args, Type::NONE, change));
    catalog.add_generic("rumba.list_freeze", |types, args| with_places(types, args, Type::NONE, freeze));
    catalog.add_generic("rumba.list_frozen", |types, args| with_places(types, args, Type::BOOL, frozen));
    catalog.add_generic("rumba.list_gap", |types, args| with_places(types, args, Type::NONE, gap));
    catalog.add_generic("rumba.list_close", |types, args| with_places(types, args, Type::NONE, close));
    catalog.add_generic("rumba.list_sort", |types, args| {
        sort_kind(types.list_item(*args.first()?)?)?;
        with_places(types, args, Type::NONE, sort)
    });
    catalog.add_generic("rumba.list_arrange", |types, args| {
        let [keys, order] = *args else { return None };
        sort_kind(types.list_item(keys)?)?;
        let fits = types.list_item(order) == Some(Type::INT64);
        fits.then(|| Resolution { result: Type::NONE, params: args.to_vec(), emit: arrange })
    });
    catalog.add(Key::Getattr("maxlen".into()), Rule::Generic(resolve_maxlen));
    catalog.add_generic("rumba.deque_bound", |types, args| {
        let emit: EmitFn = |emit, args| {
            let list = ListParts::open(emit, &args[0])?;
            Ok(Operand::single(Type::INT64, list.bound(emit)))
        };
        with_places(types, args, Type::INT64, emit).filter(|_| args.len() == 1)
    });
    catalog.add_generic("rumba.set_deque_bound", |types, args| {
        let emit: EmitFn = |emit, args| {
            ListParts::open(emit, &args[0])?.set_bound(emit, args[1].value());
            Ok(Operand::new(Type::NONE, []))
        };
        with_places(types, args, Type::NONE, emit).filter(|_| args.len() == 2)
    });
    catalog.add_generic("rumba.list_write", resolve_write);
    catalog.add_generic("rumba.list_push", resolve_push);
    catalog.state(&[
        ("rumba.list_new", "returns=items:like@0"),
        ("rumba.list_item", "returns=item:list@0"),
        ("rumba.list_take", "mutates=list@0 returns=item:list@0"),
    ]);
}

/// A list and then integers.
fn with_places(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let (&list, indices) = args.split_first()?;
    item_of(types, list)?;
    let fit = indices.iter().all(|&index| types.unliteral(index).is_int());
    let params = std::iter::once(list).chain(indices.iter().map(|_| Type::INT64)).collect();
    fit.then_some(Resolution { result, params, emit })
}

fn new(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    new_list(emit, args[0].ty, args[1].value())
}

fn read(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    let items = list.items(emit);
    Ok(list.load(emit, items, args[1].value()))
}

fn take(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    let items = list.items(emit);
    let value = list.load(emit, items, args[1].value());
    emit.take_refs(&value);
    emit.refs.temporaries.extend(emit.owners(&value));
    // The slot holds nothing any more: an exception before it is written again gives nothing up twice.
    let nothing = emit.undefined(list.item);
    let address = list.address(emit, items, args[1].value());
    for (&part, &(_, offset)) in nothing.parts.iter().zip(&list.slot.parts) {
        emit.b.store(address, offset, part);
    }
    Ok(value)
}

fn change(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    ListParts::open(emit, &args[0])?.check_mutable(emit);
    Ok(Operand::new(Type::NONE, []))
}

fn freeze(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    ListParts::open(emit, &args[0])?.freeze(emit);
    Ok(Operand::new(Type::NONE, []))
}

fn frozen(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let frozen = ListParts::open(emit, &args[0])?.is_frozen(emit);
    Ok(Operand::single(Type::BOOL, frozen))
}

fn gap(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    let words = [list.head, args[1].value(), args[2].value()];
    let made = emit.call_runtime(Runtime::ListGap, &words)[0];
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, made, zero);
    emit.raise_if(failed, MemoryError, "cannot allocate list");
    Ok(Operand::new(Type::NONE, []))
}

fn close(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    emit.call_runtime(Runtime::ListClose, &[list.head, args[1].value(), args[2].value()]);
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_write(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, index, value] = *args else { return None };
    let item = item_of(types, list).filter(|_| types.unliteral(index).is_int())?;
    fits_item(types, value, item).then_some(())?;
    let emit: EmitFn = |emit, args| {
        let list = ListParts::open(emit, &args[0])?;
        let items = list.items(emit);
        list.store(emit, items, args[1].value(), &args[2]);
        list.mark_changed(emit);
        Ok(Operand::new(Type::NONE, []))
    };
    Some(Resolution { result: Type::NONE, params: vec![list, Type::INT64, item], emit })
}

/// Numbers that the runtime sorts.
fn sort_kind(item: Type) -> Option<i64> {
    match item {
        Type::BOOL => Some(1001),
        Type::FLOAT16 => Some(2016),
        Type::FLOAT32 => Some(2032),
        Type::FLOAT64 => Some(2064),
        _ => item.as_int().map(|(bits, signed)| i64::from(bits) + if signed { 0 } else { 1000 }),
    }
}

/// The kind of a list's items, and how this Python finds runs.
fn kind_of(emit: &mut Emit<'_>, list: &ListParts) -> Value {
    let runs = if emit.catalog.python_minor < 13 { 0 } else { rt::list::EQUAL_RUNS.cast_signed() };
    emit.b.iconst(Native::I64, sort_kind(list.item).unwrap_or_default() + runs)
}

fn sort(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let list = ListParts::open(emit, &args[0])?;
    let kind = kind_of(emit, &list);
    let done = emit.call_runtime(Runtime::ListSort, &[list.head, kind])[0];
    finish(emit, done)
}

fn arrange(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (keys, order) = (ListParts::open(emit, &args[0])?, ListParts::open(emit, &args[1])?);
    let kind = kind_of(emit, &keys);
    let done = emit.call_runtime(Runtime::ListArrange, &[keys.head, order.head, kind])[0];
    finish(emit, done)
}

/// The `maxlen` of a deque, None if it has none.
fn resolve_maxlen(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [deque] = *args else { return None };
    let emit: EmitFn = |emit, args| {
        let bound = ListParts::open(emit, &args[0])?.bound(emit);
        let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
        let is_there = emit.b.icmp(IntCond::Sgt, bound, zero);
        let maxlen = emit.b.like_first(Op::Isub, &[bound, one]);
        Ok(Operand::new(emit.types.optional(Type::INT64), [is_there, maxlen]))
    };
    let result = types.optional(Type::INT64);
    types.is_deque(deque).then(|| Resolution { result, params: args.to_vec(), emit })
}

/// Raises where the runtime had no memory.
fn finish(emit: &mut Emit<'_>, done: Value) -> Result<Operand> {
    let zero = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, done, zero);
    emit.raise_if(failed, MemoryError, "cannot allocate list");
    Ok(Operand::new(Type::NONE, []))
}

/// Appends where there is room for certain.
fn resolve_push(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [list, value] = *args else { return None };
    let item = item_of(types, list)?;
    fits_item(types, value, item).then_some(())?;
    let emit: EmitFn = |emit, args| {
        let list = ListParts::open(emit, &args[0])?;
        let length = list.length(emit);
        let items = list.items(emit);
        list.store(emit, items, length, &args[1]);
        let one = emit.b.iconst(Native::I64, 1);
        let longer = emit.b.like_first(Op::Iadd, &[length, one]);
        list.set_length(emit, longer);
        Ok(Operand::new(Type::NONE, []))
    };
    Some(Resolution { result: Type::NONE, params: vec![list, item], emit })
}
