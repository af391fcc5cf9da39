//! Iterators: over tuples, `enumerate`, `zip`, `reversed`, `iter` and `next`. (Over ranges: `range`.)
//!
//! An iterator over a tuple keeps the next index and the address of the elements. `enumerate` keeps its
//! count next to its iterator, `zip` has no state of its own.

use crate::emit_helpers::*;
use crate::tuples::{element_type, elements_size, load_element, write_elements};
use abi::ExceptionClass::StopIteration;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{IntCond, Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getiter, Rule::Generic(resolve_tuple));
    catalog.add(Key::Getiter, Rule::Generic(resolve_iterator));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next_of_tuple));
    catalog.add(Key::Iternext, Rule::Nested(resolve_next_of_enumerate));
    catalog.add(Key::Iternext, Rule::Nested(resolve_next_of_zip));
    catalog.add_nested("builtins.enumerate", resolve_enumerate);
    catalog.add_nested("builtins.zip", resolve_zip);
    catalog.add_generic("builtins.reversed", resolve_reversed);
    catalog.add_nested("builtins.iter", |catalog, types, args| {
        if args.len() == 1 { catalog.resolve(types, &Key::Getiter, args) } else { None }
    });
    catalog.add_nested("builtins.next", resolve_next);
    catalog.state(&[
        ("builtins.enumerate", "returns=items:iterable@0"),
        ("builtins.zip", "returns=items:*iterables@0"),
        ("builtins.reversed", "returns=items:sequence@0"),
        ("builtins.iter", "returns=items:object@0"),
        ("builtins.next", "mutates=iterator@0 returns=item:iterator@0,default@1"),
    ]);
}

fn resolve_tuple(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [tuple] = *args else { return None };
    let tuple = as_uniform(types, tuple)?;
    let result = types.intern(TypeData::Iterator(tuple));
    let emit: catalog::EmitFn = |emit, args| iterate(emit, &args[0]);
    Some(Resolution { result, params: vec![tuple], emit })
}

/// The type of a tuple whose elements are all of the type that each of these becomes as it is. In memory nothing is known by
/// its type alone: constant strings have no parts.
fn as_uniform(types: &TypeTable, tuple: Type) -> Option<Type> {
    let element = element_type(types, tuple)?;
    Some(types.tuple(&vec![element; types.elements(tuple)?.len()]))
}

/// Bytes before the elements: the next place, and the address of the elements.
const HEAD: u32 = 16;

/// In the frame, the elements have a place of their own: who counts does not depend on what is read at a place that was
/// computed.
fn iterate(emit: &mut Emit<'_>, tuple: &Operand) -> Result<Operand> {
    let all = elements(emit, tuple);
    let (slot, owner, items);
    if emit.outlives_frame {
        [slot, owner] = emit.iterator_state(elements_size(&all, HEAD));
        let head = emit.b.iconst(Native::I64, HEAD.into());
        items = emit.b.native(Op::PtrAdd, [], &[slot, head], Native::Ptr);
    } else {
        [slot, owner] = emit.iterator_state(HEAD);
        items = emit.frame_slot(elements_size(&all, 0));
    }
    write_elements(emit, items, &all, 0);
    emit.b.store(slot, 8, items);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(slot, 0, zero);
    let ty = emit.types.intern(TypeData::Iterator(tuple.ty));
    // What keeps the elements' memory alive goes along.
    let owners = emit.owners(tuple);
    Ok(Operand::new(ty, [slot, owner].into_iter().chain(owners)))
}

fn resolve_reversed(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [tuple] = *args else { return None };
    let tuple = as_uniform(types, tuple)?;
    let result = types.intern(TypeData::Iterator(tuple));
    let emit: catalog::EmitFn = |emit, args| {
        let mut all = elements(emit, &args[0]);
        all.reverse();
        let tuple = tuple_of(emit, &all);
        iterate(emit, &tuple)
    };
    Some(Resolution { result, params: vec![tuple], emit })
}

fn resolve_next_of_tuple(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [iterator] = *args else { return None };
    let TypeData::Iterator(tuple) = types.get(iterator) else { return None };
    let result = element_type(types, tuple)?;
    Some(Resolution { result, params: args.to_vec(), emit: next_of_tuple })
}

fn next_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Iterator(tuple) = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no iterator"));
    };
    let count = emit.types.elements(tuple).map_or(0, |elements| elements.len());
    let ty = element_type(emit.types, tuple).ok_or_else(|| unexpected("a tuple of different types"))?;
    let slot = args[0].value();
    let at = emit.b.load(Native::I64, slot, 0);
    let length = emit.b.iconst(Native::I64, count as i64);
    let valid = emit.b.icmp(IntCond::Ult, at, length);
    emit.exit_iteration_unless(valid)?;
    if count == 0 {
        return Ok(emit.undefined(ty));
    }
    let stride = 8 * emit.machine_types(ty).len() as u32;
    let items = emit.b.load(Native::Ptr, slot, 8);
    let item = load_element(emit, items, at, stride, 0, ty);
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(slot, 0, following);
    Ok(item)
}

/// An iterator is its own iterator.
fn resolve_iterator(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let is_iterator = match types.get(ty) {
        TypeData::Iterator(_) | TypeData::Enumerate(_) | TypeData::Zip(_) => true,
        TypeData::Map { .. } | TypeData::Filter { .. } | TypeData::GeneratorExpr { .. } => true,
        TypeData::GeneratorObject { .. } => true,
        _ => false,
    };
    is_iterator.then(|| Resolution { result: ty, params: vec![ty], emit: identity })
}

fn iterator_type(catalog: &Catalog, types: &TypeTable, iterable: Type) -> Option<Type> {
    Some(catalog.resolve(types, &Key::Getiter, &[iterable])?.result)
}

fn item_type(catalog: &Catalog, types: &TypeTable, iterator: Type) -> Option<Type> {
    Some(catalog.resolve(types, &Key::Iternext, &[iterator])?.result)
}

fn resolve_enumerate(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (iterable, start) = match *args {
        [iterable] => (iterable, None),
        [iterable, start] => (iterable, Some(types.unliteral(start))),
        _ => return None,
    };
    let inner = iterator_type(catalog, types, iterable)?;
    if start.is_some_and(|start| !start.is_int() && start != Type::BOOL) {
        return None;
    }
    let params = [iterable].into_iter().chain(start.map(|_| Type::INT64)).collect();
    let result = types.intern(TypeData::Enumerate(inner));
    Some(Resolution { result, params, emit: start_enumerate })
}

fn start_enumerate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let inner = emit.call(&Key::Getiter, &args[..1])?;
    let [slot, owner] = emit.iterator_state(8);
    let start = match args.get(1) {
        Some(start) => start.value(),
        None => emit.b.iconst(Native::I64, 0),
    };
    emit.b.store(slot, 0, start);
    let ty = emit.types.intern(TypeData::Enumerate(inner.ty));
    Ok(Operand::new(ty, [slot, owner].into_iter().chain(inner.parts)))
}

fn resolve_next_of_enumerate(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Enumerate(inner) = types.get(ty) else { return None };
    let result = types.tuple(&[Type::INT64, item_type(catalog, types, inner)?]);
    Some(Resolution { result, params: vec![ty], emit: next_of_enumerate })
}

fn next_of_enumerate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Enumerate(inner) = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no enumerate"));
    };
    let slot = args[0].value();
    let inner = Operand::new(inner, args[0].parts[2..].iter().copied());
    let item = emit.call(&Key::Iternext, &[inner])?;
    let count = emit.b.load(Native::I64, slot, 0);
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[count, one]);
    emit.b.store(slot, 0, following);
    let ty = emit.types.tuple(&[Type::INT64, item.ty]);
    Ok(Operand::new(ty, [count].into_iter().chain(item.parts)))
}

fn resolve_zip(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let inner: Option<Vec<Type>> = args.iter().map(|&arg| iterator_type(catalog, types, arg)).collect();
    let result = types.intern(TypeData::Zip(inner?.into()));
    let emit: catalog::EmitFn = |emit, args| {
        let (mut types, mut parts) = (Vec::new(), Vec::new());
        for arg in args {
            let inner = emit.call(&Key::Getiter, std::slice::from_ref(arg))?;
            types.push(inner.ty);
            parts.extend(inner.parts);
        }
        Ok(Operand::new(emit.types.intern(TypeData::Zip(types.into())), parts))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_next_of_zip(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let TypeData::Zip(inner) = types.get(ty) else { return None };
    let items: Option<Vec<Type>> = inner.iter().map(|&inner| item_type(catalog, types, inner)).collect();
    Some(Resolution { result: types.tuple(&items?), params: vec![ty], emit: next_of_zip })
}

/// Iterators are asked in order, and those after the first that has ended are not asked.
fn next_of_zip(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Zip(inner) = emit.types.get(args[0].ty) else {
        return Err(unexpected("next of what is no zip"));
    };
    if inner.is_empty() {
        let never = emit.b.bool(false);
        emit.exit_iteration_unless(never)?;
    }
    let (mut items, mut at) = (Vec::new(), 0);
    for &ty in inner.iter() {
        let count = emit.machine_types(ty).len();
        let iterator = Operand::new(ty, args[0].parts[at..at + count].iter().copied());
        at += count;
        items.push(emit.call(&Key::Iternext, &[iterator])?);
    }
    Ok(tuple_of(emit, &items))
}

fn resolve_next(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let item = item_type(catalog, types, *args.first()?)?;
    let (result, emit): (Type, catalog::EmitFn) = match *args {
        [_] => (item, next_or_stop),
        [_, default] => (types::unify(types, item, default)?, next_or_default),
        _ => return None,
    };
    let params = [args[0]].into_iter().chain(args.get(1).map(|_| result)).collect();
    Some(Resolution { result, params, emit })
}

fn next_or_stop(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let ended = emit.b.new_block();
    let made_before = emit.refs.temporaries.len();
    let item = emit.next_item(&args[0], ended)?;
    let go_on = emit.b.block;
    let made = emit.refs.temporaries.split_off(made_before);
    emit.b.switch_to(ended);
    match emit.types.get(args[0].ty) {
        TypeData::GeneratorObject { .. } => emit.raise_stop(&args[0])?,
        _ => emit.raise(StopIteration, None),
    }
    emit.b.switch_to(go_on);
    emit.refs.temporaries.extend(made);
    Ok(item)
}

fn next_or_default(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (item, valid) = emit.try_next_item(&args[0])?;
    let item = cast(emit, &item, args[1].ty)?;
    Ok(choose(emit, valid, &item, &args[1]))
}
