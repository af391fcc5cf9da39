//! Items of dicts and sets: `d[k]`, `d[k] = v`, `k in d`, `d.get(k)`, `d.setdefault(k, v)`, `s.add(k)`.
//!
//! A dict without any insertions contains no key, which is known at compile time.

use crate::hash_table::{Shape, Table};
use crate::key_hash::hash;
use abi::ExceptionClass::KeyError;
use catalog::exception_args::{Described, PAYLOAD_WORDS, is_describable, with_owned_text};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, Search, cast};
use diag::Result;
use ir::{BlockCall, CompareOp, IntCond, Native, Value};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable, convert, fits_item, unify};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_get));
    catalog.add(Key::Setitem, Rule::Generic(resolve_set));
    catalog.add(Key::Compare(CompareOp::In), Rule::Generic(resolve_contains));
    catalog.add_generic("method.get", resolve_get_or);
    catalog.add_generic("method.setdefault", resolve_set_default);
    catalog.add_generic("method.add", resolve_add);
    catalog.add_generic("rumba.table_find", resolve_find);
    catalog.add_generic("rumba.default_factory", resolve_default_factory);
    catalog.state(&[
        ("builtins.dict.get", "returns=item:self@0,default@2"),
        ("builtins.dict.setdefault", "sets=self@0:key@1:default@2 returns=item:self@0,default@2"),
        ("builtins.set.add", "appends=self@0:object@1"),
    ]);
}

/// A dict and a key that can be looked for in it.
fn dict_and_key(types: &TypeTable, dict: Type, key: Type) -> Option<Shape> {
    let shape = Shape::of(types, dict)?;
    shape.value?;
    takes_key(types, &shape, key).then_some(shape)
}

/// Whether a value can be looked for among a table's keys.
pub(crate) fn takes_key(types: &TypeTable, shape: &Shape, key: Type) -> bool {
    if shape.is_empty() {
        return types.is_key(types.unliteral(key));
    }
    !shape.asks_methods(types) && fits_item(types, key, shape.key)
}

/// The type that a key is looked for as.
fn key_type(types: &TypeTable, shape: &Shape, key: Type) -> Type {
    if shape.is_empty() { types.unliteral(key) } else { shape.key }
}

fn resolve_get(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [dict, key] = *args else { return None };
    let shape = dict_and_key(types, dict, key).filter(|_| types.missing(dict).is_none())?;
    Some(Resolution {
        result: shape.value?,
        params: vec![dict, key_type(types, &shape, key)],
        emit: |emit, args| {
            let number = find(emit, &args[0], &args[1])?;
            let zero = emit.b.iconst(Native::I64, 0);
            let missing = emit.b.icmp(IntCond::Slt, number, zero);
            let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
            emit.b.branch(missing, BlockCall::new(fail, []), BlockCall::new(go_on, []));
            emit.b.switch_to(fail);
            raise_key_error(emit, &args[1])?;
            emit.b.switch_to(go_on);
            let table = Table::open(emit, &args[0])?;
            let entry = table.entry(emit, number);
            Ok(table.value(emit, entry))
        },
    })
}

/// KeyError with the key.
fn raise_key_error(emit: &mut Emit<'_>, key: &Operand) -> Result<()> {
    let mut described = Described::default();
    if is_describable(emit.types, key.ty) {
        let made_before = emit.refs.temporaries.len();
        let key = &with_owned_text(emit, key)?;
        described.add(emit, key)?;
        if described.words.len() <= PAYLOAD_WORDS {
            // Whoever makes the exception gives up the strings.
            for owner in emit.owners(key) {
                emit.retain(owner);
            }
            emit.give_refs(key);
            emit.raise_payload(KeyError, &described.layout, &described.words);
            // What was made here is not there on other paths.
            emit.refs.temporaries.truncate(made_before);
            return Ok(());
        }
    }
    emit.raise(KeyError, None);
    Ok(())
}

/// The number of a key's entry, -1 if there is none.
fn find(emit: &mut Emit<'_>, operand: &Operand, key: &Operand) -> Result<Value> {
    let table = Table::open(emit, operand)?;
    let nothing = emit.b.iconst(Native::I64, -1);
    if table.shape.is_empty() {
        return Ok(nothing);
    }
    let (hash, number) = match known_outcome(emit, &table, [operand, key]) {
        Some(outcome) => outcome,
        None => {
            let hash = hash(emit, key)?;
            let found = table.search(
                emit,
                key,
                hash,
                |_, number, _| Ok([number].into_iter().collect()),
                |_| Ok([nothing].into_iter().collect()),
            )?;
            (hash, found[0])
        }
    };
    emit.searched = Some(Search { table: operand.value(), key: key.parts.clone(), hash, number });
    Ok(number)
}

/// The key's hash and the number of its entry, where nothing is to be compared here: the search before this instruction was
/// for the same key in the same table, or the runtime searches.
fn known_outcome(
    emit: &mut Emit<'_>,
    table: &Table,
    [operand, key]: [&Operand; 2],
) -> Option<(Value, Value)> {
    match emit.earlier_search.take() {
        Some(search) if search.table == operand.value() && search.key == key.parts => {
            Some((search.hash, search.number))
        }
        _ => table.search_text(emit, key),
    }
}

/// What is done where the key is, with the address of its entry, or where it is not, with its hash.
fn either_way(
    emit: &mut Emit<'_>,
    table: &Table,
    [operand, key]: [&Operand; 2],
    found: impl FnOnce(&mut Emit<'_>, Value) -> Result<SmallVec<[Value; 2]>>,
    missing: impl FnOnce(&mut Emit<'_>, Value) -> Result<SmallVec<[Value; 2]>>,
) -> Result<SmallVec<[Value; 2]>> {
    if let Some((hash, number)) = known_outcome(emit, table, [operand, key]) {
        return Table::with_outcome(
            emit,
            number,
            |emit| {
                let entry = table.entry(emit, number);
                found(emit, entry)
            },
            |emit| missing(emit, hash),
        );
    }
    let hash = hash(emit, key)?;
    table.search(emit, key, hash, |emit, _, entry| found(emit, entry), |emit| missing(emit, hash))
}

fn resolve_find(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [table, key] = *args else { return None };
    let shape = Shape::of(types, table)?;
    takes_key(types, &shape, key).then_some(())?;
    Some(Resolution {
        result: Type::INT64,
        params: vec![table, key_type(types, &shape, key)],
        emit: |emit, args| Ok(Operand::single(Type::INT64, find(emit, &args[0], &args[1])?)),
    })
}

/// The factory of a `defaultdict`, which its type tells.
fn resolve_default_factory(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [dict] = *args else { return None };
    let result = types.missing(dict)?;
    Some(Resolution {
        result,
        params: vec![dict],
        emit: |emit, args| Ok(Operand::new(emit.types.missing(args[0].ty).unwrap_or(Type::NONE), [])),
    })
}

fn resolve_contains(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [key, table] = *args else { return None };
    let shape = Shape::of(types, table)?;
    takes_key(types, &shape, key).then_some(())?;
    let emit: EmitFn = |emit, args| {
        let number = find(emit, &args[1], &args[0])?;
        let zero = emit.b.iconst(Native::I64, 0);
        Ok(Operand::single(Type::BOOL, emit.b.icmp(IntCond::Sge, number, zero)))
    };
    Some(Resolution { result: Type::BOOL, params: vec![key_type(types, &shape, key), table], emit })
}

fn resolve_set(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [dict, key, value] = *args else { return None };
    let shape = dict_and_key(types, dict, key).filter(|shape| !shape.is_empty())?;
    fits_item(types, value, shape.value?).then_some(())?;
    Some(Resolution { result: Type::NONE, params: vec![dict, shape.key, shape.value?], emit: set })
}

fn set(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    either_way(
        emit,
        &table,
        [&args[0], &args[1]],
        |emit, entry| {
            table.replace_value(emit, entry, &args[2]);
            Ok(SmallVec::new())
        },
        |emit, hash| {
            let entry = table.add(emit, hash, &args[1]);
            table.set_value(emit, entry, &args[2]);
            Ok(SmallVec::new())
        },
    )?;
    Ok(Operand::new(Type::NONE, []))
}

/// `d.get(key)`, which may be None, and `d.get(key, default)`.
fn resolve_get_or(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[dict, key], rest) = args.split_first_chunk()?;
    let shape = dict_and_key(types, dict, key)?;
    let default = match *rest {
        [] => Type::NONE,
        [default] => types.unliteral(default),
        _ => return None,
    };
    let value = shape.value?;
    let result = unify(types, value, default)?;
    let mut params = vec![with_values(types, dict, result)?, key_type(types, &shape, key)];
    // A literal is converted as the integer that it is.
    params.extend(rest.iter().map(|_| result));
    Some(Resolution { result, params, emit: get_or })
}

/// The type of a dict whose values become this: itself, unless they are containers that have to hold more.
fn with_values(types: &TypeTable, dict: Type, result: Type) -> Option<Type> {
    let (key, value) = match types.get(dict) {
        TypeData::Dict { key, value, .. } => (key, value),
        _ => return Some(dict),
    };
    if convert(types, value, result).is_some() {
        return Some(dict);
    }
    let value = match types.get(result) {
        TypeData::Optional(inner) if !matches!(types.get(value), TypeData::Optional(_)) => inner,
        _ => result,
    };
    types.with_contents(dict, &[key, value])
}

fn get_or(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    let value = table.shape.value.unwrap_or(Type::NONE);
    let default = match args.get(2) {
        Some(default) => default.clone(),
        None => {
            let result = unify(emit.types, value, Type::NONE).unwrap_or(Type::NONE);
            cast(emit, &Operand::new(Type::NONE, []), result)?
        }
    };
    let result = default.ty;
    if table.shape.is_empty() {
        return Ok(default);
    }
    let number = find(emit, &args[0], &args[1])?;
    let parts = Table::with_outcome(
        emit,
        number,
        |emit| {
            let entry = table.entry(emit, number);
            let found = table.value(emit, entry);
            Ok(cast(emit, &found, result)?.parts)
        },
        |_| Ok(default.parts.clone()),
    )?;
    Ok(Operand::new(result, parts))
}

fn resolve_set_default(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [dict, key, default] = *args else { return None };
    let shape = dict_and_key(types, dict, key).filter(|shape| !shape.is_empty())?;
    let value = shape.value?;
    fits_item(types, default, value).then_some(())?;
    Some(Resolution { result: value, params: vec![dict, shape.key, value], emit: set_default })
}

fn set_default(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    let parts = either_way(
        emit,
        &table,
        [&args[0], &args[1]],
        |emit, entry| Ok(table.value(emit, entry).parts),
        |emit, hash| {
            let entry = table.add(emit, hash, &args[1]);
            table.set_value(emit, entry, &args[2]);
            Ok(table.value(emit, entry).parts)
        },
    )?;
    Ok(Operand::new(args[2].ty, parts))
}

fn resolve_add(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [set, item] = *args else { return None };
    let shape = Shape::of(types, set).filter(|shape| shape.value.is_none() && !shape.is_empty())?;
    (!types.is_frozenset(set) && takes_key(types, &shape, item)).then_some(())?;
    Some(Resolution { result: Type::NONE, params: vec![set, shape.key], emit: add_item })
}

fn add_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let table = Table::open(emit, &args[0])?;
    either_way(
        emit,
        &table,
        [&args[0], &args[1]],
        |_, _| Ok(SmallVec::new()),
        |emit, hash| {
            table.add(emit, hash, &args[1]);
            Ok(SmallVec::new())
        },
    )?;
    Ok(Operand::new(Type::NONE, []))
}
