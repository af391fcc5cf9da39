//! Dicts and sets as a whole: length, truth, identity, and iteration: `for k in d`, `d.keys()`, `d.values()`,
//! `d.items()`.
//!
//! A view is represented by its dict. An iterator keeps the number of the next entry and the initial length of
//! the table in the frame.

use crate::dict_set_ops::takes_key;
use crate::hash_table::{Shape, Table, new_table};
use crate::truth_identity::compare_with_zero;
use abi::ExceptionClass::RuntimeError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use ir::{BlockCall, CompareOp, IntCond, Native, Op, UnaryOp, Value, ValueType};
use types::{Facet, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog
        .add_generic("builtins.len", |types, args| {
            let (_, of) = seen(types, *args.first()?)?;
            of_one(types, args, of, Type::INT64, length)
        })
        .reads();
    catalog.add(Key::Unary(UnaryOp::Bool), Rule::Generic(|types, args| truth(types, args, is_filled)));
    catalog.add(Key::Construct(Type::BOOL), Rule::Generic(|types, args| truth(types, args, is_filled)));
    catalog.add(Key::Unary(UnaryOp::Not), Rule::Generic(|types, args| truth(types, args, is_empty)));
    catalog.add_generic("method.keys", |types, args| view(types, args, Facet::Keys));
    catalog.add_generic("method.values", |types, args| view(types, args, Facet::Values));
    catalog.add_generic("method.items", |types, args| view(types, args, Facet::Items));
    catalog.add(Key::Getiter, Rule::Generic(resolve_iterator));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
    catalog.add(Key::Compare(CompareOp::In), Rule::Generic(resolve_in_keys));
    catalog.add_generic("method.clear", |types, args| {
        let table = *args.first().filter(|&&table| !types.is_frozenset(table))?;
        of_one(types, args, table, Type::NONE, clear)
    });
    catalog.add_generic("method.copy", |types, args| {
        let [table] = *args else { return None };
        of_one(types, args, table, table, if types.is_frozenset(table) { itself } else { copy })
    });
    catalog.state(&[
        ("builtins.dict.keys", "returns=items:self@0"),
        ("builtins.dict.values", "returns=items:self@0"),
        ("builtins.dict.items", "returns=items:self@0"),
        ("builtins.dict.clear", "mutates=self@0"),
        ("builtins.set.clear", "mutates=self@0"),
        ("builtins.dict.copy", "returns=items:self@0"),
        ("builtins.set.copy", "returns=items:self@0"),
    ]);
    raw(catalog);
}

/// What the library's functions over tables are made of: `rumba.intrinsics` says what each does.
fn raw(catalog: &mut Catalog) {
    catalog.add_generic("rumba.table_new", |types, args| {
        let [table, _] = *args else { return None };
        with_number(types, args, types.unfrozen(table), |emit, args| {
            let made = emit.types.unfrozen(args[0].ty);
            new_table(emit, made, args[1].value())
        })
    });
    catalog.add_generic("rumba.frozen_set", |types, args| {
        let set = *args.first()?;
        let TypeData::Set { item, .. } = types.get(set) else { return None };
        of_one(types, args, set, types.frozenset(item), |_, args| Ok(args[0].clone()))
    });
    catalog.add_generic("rumba.table_next", |types, args| with_number(types, args, Type::INT64, next_entry));
    catalog.add_generic("rumba.table_end", |types, args| {
        of_one(types, args, *args.first()?, Type::INT64, |emit, args| {
            let table = Table::open(emit, &args[0])?;
            Ok(Operand::single(Type::INT64, table.used(emit)))
        })
    });
    catalog.add_generic("rumba.table_key", |types, args| {
        let key = Shape::of(types, *args.first()?)?.key;
        with_number(types, args, key, |emit, args| {
            let table = Table::open(emit, &args[0])?;
            let entry = table.entry(emit, args[1].value());
            Ok(table.key(emit, entry))
        })
    });
    catalog.add_generic("rumba.table_value", |types, args| {
        let value = Shape::of(types, *args.first()?)?.value?;
        with_number(types, args, value, |emit, args| {
            let table = Table::open(emit, &args[0])?;
            let entry = table.entry(emit, args[1].value());
            Ok(table.value(emit, entry))
        })
    });
    catalog.add_generic("rumba.table_remove", |types, args| with_number(types, args, Type::NONE, remove));
}

/// A table and a number.
fn with_number(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [table, number] = *args else { return None };
    Shape::of(types, table)?;
    let fits = types.unliteral(number).is_int();
    fits.then(|| Resolution { result, params: vec![table, Type::INT64], emit })
}

fn next_entry(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    let next = emit.call_runtime(Runtime::TableNext, &[table.head, args[1].value()])[0];
    Ok(Operand::single(Type::INT64, next))
}

fn remove(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    emit.call_runtime(Runtime::TableRemove, &[table.head, args[1].value()]);
    Ok(Operand::new(Type::NONE, []))
}

/// A dict or set as what goes through it sees it: its keys, or as a view says.
fn seen(types: &TypeTable, ty: Type) -> Option<(Facet, Type)> {
    match types.get(ty) {
        TypeData::Facet { facet: facet @ (Facet::Keys | Facet::Values | Facet::Items), of } => {
            Some((facet, of))
        }
        TypeData::Dict { .. } | TypeData::Set { .. } => Some((Facet::Keys, ty)),
        _ => None,
    }
}

fn of_one(types: &TypeTable, args: &[Type], table: Type, result: Type, emit: EmitFn) -> Option<Resolution> {
    Shape::of(types, table)?;
    (args.len() == 1).then(|| Resolution { result, params: args.to_vec(), emit })
}

fn truth(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let (_, of) = seen(types, *args.first()?)?;
    of_one(types, args, of, Type::BOOL, emit)
}

/// The table that a dict, a set or a view is held as.
fn table_of(emit: &mut Emit<'_>, operand: &Operand) -> Result<Table> {
    let Some((_, of)) = seen(emit.types, operand.ty) else {
        let name = emit.types.name(operand.ty);
        return Err(Diagnostic::internal("emission", format!("{name} is no dict or set")));
    };
    Table::open(emit, &Operand::single(of, operand.value()))
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = table_of(emit, &args[0])?;
    Ok(Operand::single(Type::INT64, table.length(emit)))
}

fn is_filled(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = length(emit, args)?.value();
    Ok(compare_with_zero(emit, length, IntCond::Ne))
}

fn is_empty(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let length = length(emit, args)?.value();
    Ok(compare_with_zero(emit, length, IntCond::Eq))
}

fn clear(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    emit.call_runtime(Runtime::TableClear, &[table.head]);
    Ok(Operand::new(Type::NONE, []))
}

/// The copy of what never changes.
fn itself(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    Ok(args[0].clone())
}

fn copy(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let none = emit.b.iconst(Native::I64, 0);
    let made = new_table(emit, args[0].ty, none)?;
    let (to, from) = (Table::open(emit, &made)?, Table::open(emit, &args[0])?);
    let copied = emit.call_runtime(Runtime::TableCopy, &[to.head, from.head])[0];
    let failed = emit.b.icmp(IntCond::Eq, copied, none);
    emit.raise_if(failed, abi::ExceptionClass::MemoryError, "cannot allocate dict or set");
    Ok(made)
}

fn view(types: &TypeTable, args: &[Type], facet: Facet) -> Option<Resolution> {
    let [dict] = *args else { return None };
    Shape::of(types, dict)?.value?;
    let result = types.intern(TypeData::Facet { facet, of: dict });
    Some(Resolution { result, params: args.to_vec(), emit: |_, args| Ok(args[0].clone()) })
}

/// `k in d.keys()`.
fn resolve_in_keys(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [key, of] = *args else { return None };
    let TypeData::Facet { facet: Facet::Keys, of: dict } = types.get(of) else { return None };
    let shape = Shape::of(types, dict)?;
    takes_key(types, &shape, key).then_some(())?;
    let emit: EmitFn = |emit, args| {
        let Some((_, dict)) = seen(emit.types, args[1].ty) else { return Ok(args[0].clone()) };
        let dict = Operand::single(dict, args[1].value());
        emit.call(&Key::Compare(CompareOp::In), &[args[0].clone(), dict])
    };
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn resolve_iterator(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of] = *args else { return None };
    let (_, table) = seen(types, of)?;
    Shape::of(types, table)?;
    let result = types.intern(TypeData::Iterator(of));
    let emit: EmitFn = |emit, args| {
        let [state, owner] = emit.iterator_state(16);
        let zero = emit.b.iconst(Native::I64, 0);
        emit.b.store(state, 0, zero);
        let length = length(emit, args)?.value();
        emit.b.store(state, 8, length);
        let ty = emit.types.intern(TypeData::Iterator(args[0].ty));
        Ok(Operand::new(ty, [state, owner, args[0].value()]))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [iterator] = *args else { return None };
    let TypeData::Iterator(of) = types.get(iterator) else { return None };
    let (facet, table) = seen(types, of)?;
    let shape = Shape::of(types, table)?;
    let result = match (facet, shape.value) {
        (Facet::Values, value) => value?,
        (Facet::Items, value) if shape.is_empty() => value.map(|_| Type::UNDEFINED)?,
        (Facet::Items, value) => types.tuple(&[shape.key, value?]),
        _ => shape.key,
    };
    Some(Resolution { result, params: args.to_vec(), emit: next_item })
}

/// Entries that were removed are passed over; RuntimeError if the table has another length than in the beginning.
fn next_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Iterator(of) = emit.types.get(args[0].ty) else {
        return Err(Diagnostic::internal("emission", "next of what is no iterator"));
    };
    let Some((facet, table_type)) = seen(emit.types, of) else {
        return Err(Diagnostic::internal("emission", "next of what is no dict or set"));
    };
    let state = args[0].parts[0];
    let table = Table::open(emit, &Operand::single(table_type, args[0].parts[2]))?;
    let at = emit.b.load(Native::I64, state, 0);
    let expected = emit.b.load(Native::I64, state, 8);
    let length = table.length(emit);
    let changed = emit.b.icmp(IntCond::Ne, length, expected);
    let message = match table.shape.value {
        Some(_) => "dictionary changed size during iteration",
        None => "Set changed size during iteration",
    };
    emit.raise_if(changed, RuntimeError, message);
    let used = table.used(emit);
    let at = skip_removed(emit, &table, at, used);
    let valid = emit.b.icmp(IntCond::Ult, at, used);
    emit.exit_iteration_unless(valid)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(state, 0, following);
    let entry = table.entry(emit, at);
    Ok(match facet {
        Facet::Values => table.value(emit, entry),
        Facet::Items if table.shape.is_empty() => Operand::new(Type::UNDEFINED, []),
        Facet::Items => {
            let (key, value) = (table.key(emit, entry), table.value(emit, entry));
            Operand::new(Type::NONE, key.parts.into_iter().chain(value.parts))
        }
        _ => table.key(emit, entry),
    })
}

/// The first entry from one on that is not removed. Where the length says that none is, nothing is looked for.
fn skip_removed(emit: &mut Emit<'_>, table: &Table, at: Value, used: Value) -> Value {
    let length = table.length(emit);
    let some_removed = emit.b.icmp(IntCond::Ne, length, used);
    let (search, join) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(some_removed, BlockCall::new(search, []), BlockCall::new(join, [at]));
    let result = emit.b.func.add_param(join, ValueType::Native(Native::I64));
    emit.b.switch_to(search);
    let found = emit.call_runtime(Runtime::TableNext, &[table.head, at])[0];
    emit.b.jump(join, &[found]);
    emit.b.switch_to(join);
    result
}
