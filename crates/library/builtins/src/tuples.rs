//! Tuples: length, items, slices, membership, concatenation, comparison, methods.
//!
//! Building, unpacking and indexing with a constant need no run-time code: lowering does them.
//! Elements are compared by `==`, never by identity: a NaN differs from itself in a tuple, too.

use crate::emit_helpers::*;
use crate::equality::{are_comparable, holds_array, items_equal};
use abi::ExceptionClass::{IndexError, ValueError};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{Attr, BinaryOp, BlockCall, CompareOp, Def, IntCond, Native, Op, Value, ValueType};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.len", resolve_len).reads();
    catalog.add_generic("builtins.tuple", |types, args| match *args {
        [] => {
            Some(Resolution { result: types.tuple(&[]), params: vec![], emit: |e, _| Ok(tuple_of(e, &[])) })
        }
        [of] => {
            let result = types.tuple(&types.elements(of)?);
            Some(Resolution { result, params: vec![of], emit: identity })
        }
        _ => None,
    });
    catalog.state(&[("builtins.tuple", "returns=items:iterable@0 exhausts=iterable@0:tuple")]);
    catalog.add(Key::Binary(BinaryOp::Add), Rule::Generic(resolve_concatenation));
    catalog.add(Key::Binary(BinaryOp::Mul), Rule::Generic(resolve_repetition));
    catalog.add(Key::Getitem, Rule::Generic(resolve_slice));
    catalog.add(Key::Getitem, Rule::Generic(resolve_item));
    catalog.add(Key::Compare(CompareOp::In), Rule::Nested(|c, t, a| resolve_contains(c, t, a, contains)));
    catalog.add_nested("method.index", |c, t, a| resolve_method(c, t, a, index));
    catalog.add_nested("method.index", resolve_index_between);
    catalog.add_nested("method.count", |c, t, a| resolve_method(c, t, a, count));
}

fn resolve_len(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    types.elements(ty)?;
    // The number is known to branches: `if len(items) == 3` before `items[2]`.
    let result = types.literal_int(types.elements(ty)?.len() as i64);
    Some(Resolution { result, params: vec![ty], emit: length })
}

fn length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let count = emit.types.elements(args[0].ty).map_or(0, |elements| elements.len());
    let value = emit.b.iconst(Native::I64, count as i64);
    single(Type::INT64, value)
}

fn resolve_concatenation(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let elements: Vec<Type> = types.elements(a)?.iter().chain(types.elements(b)?.iter()).copied().collect();
    Some(Resolution { result: types.tuple(&elements), params: vec![a, b], emit: concatenate })
}

fn concatenate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let all: Vec<Operand> = [elements(emit, &args[0]), elements(emit, &args[1])].concat();
    Ok(tuple_of(emit, &all))
}

/// The longest tuple that a repetition may make.
const LONGEST: i64 = 1000;

/// A tuple and how often it is repeated, which must be known.
fn repetition(types: &TypeTable, args: &[Type]) -> Option<(usize, usize)> {
    let [a, b] = *args else { return None };
    let (tuple, times) = if types.elements(a).is_some() { (0, b) } else { (1, a) };
    let length = types.elements(args[tuple])?.len() as i64;
    let times = match types.literal(times)? {
        LiteralValue::Int(times) => times.max(0),
        LiteralValue::Bool(times) => i64::from(times),
        LiteralValue::Str(_) => return None,
    };
    (length.saturating_mul(times) <= LONGEST).then_some((tuple, times as usize))
}

fn resolve_repetition(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (tuple, times) = repetition(types, args)?;
    let repeated = types.elements(args[tuple])?.repeat(times);
    let emit: EmitFn = |emit, args| {
        let types = [args[0].ty, args[1].ty];
        let (tuple, times) =
            repetition(emit.types, &types).ok_or_else(|| unexpected("repetition of what is no tuple"))?;
        let once = elements(emit, &args[tuple]);
        let all: Vec<Operand> = std::iter::repeat_n(once, times).flatten().collect();
        Ok(tuple_of(emit, &all))
    };
    Some(Resolution { result: types.tuple(&repeated), params: args.to_vec(), emit })
}

/// The indices that a slice takes of a sequence of this length; none for a step of 0.
fn sliced(length: usize, slice: &TypeData) -> Option<Vec<usize>> {
    let &TypeData::LiteralSlice { start, stop, step } = slice else { return None };
    let (length, step) = (length as i64, step.unwrap_or(1));
    if step == 0 {
        return None;
    }
    let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let position = |part: i64| if part < 0 { part.saturating_add(length).max(low) } else { part.min(high) };
    let mut at = start.map_or(if step > 0 { low } else { high }, position);
    let end = stop.map_or(if step > 0 { high } else { low }, position);
    let mut indices = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        indices.push(at as usize);
        at = at.saturating_add(step);
    }
    Some(indices)
}

fn resolve_slice(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [tuple, slice] = *args else { return None };
    let each = types.elements(tuple)?;
    let indices = sliced(each.len(), &types.get(slice))?;
    let taken: Vec<Type> = indices.iter().map(|&position| each[position]).collect();
    let emit: EmitFn = |emit, args| {
        let all = elements(emit, &args[0]);
        let indices = sliced(all.len(), &emit.types.get(args[1].ty)).unwrap_or_default();
        let taken: Vec<Operand> = indices.iter().map(|&position| all[position].clone()).collect();
        Ok(tuple_of(emit, &taken))
    };
    Some(Resolution { result: types.tuple(&taken), params: args.to_vec(), emit })
}

/// The type that all elements are of as they are, some of them None perhaps; `undefined` if there are none.
pub(crate) fn element_type(types: &TypeTable, tuple: Type) -> Option<Type> {
    let elements = types.elements(tuple)?;
    let Some((&first, rest)) = elements.split_first() else { return Some(Type::UNDEFINED) };
    rest.iter().try_fold(types.unliteral(first), |known, &element| {
        types::unify_unchanged(types, known, types.unliteral(element))
    })
}

/// The elements of a tuple as values of [`element_type`].
pub(crate) fn uniform_elements(emit: &mut Emit<'_>, tuple: &Operand) -> Result<Vec<Operand>> {
    let ty = element_type(emit.types, tuple.ty).ok_or_else(|| unexpected("a tuple of different types"))?;
    elements(emit, tuple).iter().map(|element| cast(emit, element, ty)).collect()
}

/// An item at a position known at run time, or by a literal where a function asks.
fn resolve_item(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [tuple, index] = *args else { return None };
    let each = types.elements(tuple)?;
    if let Some(LiteralValue::Int(at)) = types.literal(index) {
        let at = if at < 0 { at + each.len() as i64 } else { at };
        let emit: EmitFn = |emit, args| {
            let all = elements(emit, &args[0]);
            let Some(LiteralValue::Int(at)) = emit.types.literal(args[1].ty) else {
                return Err(unexpected("an index that is no literal"));
            };
            Ok(all[if at < 0 { at + all.len() as i64 } else { at } as usize].clone())
        };
        let result = *each.get(usize::try_from(at).ok()?)?;
        return Some(Resolution { result, params: args.to_vec(), emit });
    }
    let plain = types.unliteral(index);
    if !(plain.is_int() || plain == Type::BOOL) {
        return None;
    }
    let result = if each.is_empty() { Type::NONE } else { element_type(types, tuple)? };
    Some(Resolution { result, params: vec![types.unliteral(tuple), Type::INT64], emit: item_of_tuple })
}

fn item_of_tuple(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    item_at(emit, &args[0], &args[1], "tuple index out of range")
}

/// Up to this many elements are selected without going through memory.
const FEW: usize = 4;

/// The item at a position known at run time; IndexError with this message if there is none.
pub(crate) fn item_at(
    emit: &mut Emit<'_>,
    tuple: &Operand,
    index: &Operand,
    outside: &str,
) -> Result<Operand> {
    let all = if emit.types.elements(tuple.ty).is_some_and(|each| !each.is_empty()) {
        uniform_elements(emit, tuple)?
    } else {
        Vec::new()
    };
    if all.is_empty() {
        let always = emit.b.bool(true);
        emit.raise_if(always, IndexError, outside);
        return Ok(emit.undefined(Type::NONE));
    }
    let at = checked_index(emit, index.value(), all.len(), outside);
    if all.len() > FEW {
        let (slot, stride) = store_elements(emit, &all);
        return Ok(load_element(emit, slot, at, stride, 0, all[0].ty));
    }
    let mut item = all[all.len() - 1].clone();
    for (position, element) in all.iter().enumerate().rev().skip(1) {
        let position = emit.b.iconst(Native::I64, position as i64);
        let here = emit.b.icmp(IntCond::Eq, at, position);
        item = choose(emit, here, element, &item);
    }
    Ok(item)
}

/// The index counted from the front; IndexError if there is no such position.
fn checked_index(emit: &mut Emit<'_>, index: Value, length: usize, message: &str) -> Value {
    let (zero, length) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, length as i64));
    let negative = emit.b.icmp(IntCond::Slt, index, zero);
    let moved = emit.b.like_first(Op::Iadd, &[index, length]);
    let at = emit.b.select(negative, moved, index);
    let outside = emit.b.icmp(IntCond::Uge, at, length);
    emit.raise_if(outside, IndexError, message);
    at
}

/// Bytes from one element to the next where they are stored.
fn elements_stride(all: &[Operand]) -> u32 {
    8 * all.first().map_or(0, |element| element.parts.len() as u32)
}

/// Bytes that elements take after `head` bytes.
pub(crate) fn elements_size(all: &[Operand], head: u32) -> u32 {
    (head + elements_stride(all) * all.len() as u32).max(1)
}

/// The elements in the frame: the address, and the bytes of each.
pub(crate) fn store_elements(emit: &mut Emit<'_>, all: &[Operand]) -> (Value, u32) {
    let slot = emit.frame_slot(elements_size(all, 0));
    match constants(emit, all) {
        // Where the function begins, for all rounds of its loops.
        Some(constants) => emit.at_entry(|b| {
            for (at, (op, attrs, native)) in (0..).zip(constants) {
                let constant = b.native(op, attrs, &[], native);
                b.store(slot, 8 * at, constant);
            }
        }),
        None => write_elements(emit, slot, all, 0),
    }
    (slot, elements_stride(all))
}

/// How the parts of elements are made, if all of them are constants.
fn constants(emit: &Emit<'_>, all: &[Operand]) -> Option<Vec<(Op, Vec<Attr>, Native)>> {
    let made = |&part: &Value| match emit.b.func.values[part].def {
        Def::Result(inst, _) if matches!(emit.b.func.insts[inst].op, Op::Iconst | Op::Fconst) => {
            let data = &emit.b.func.insts[inst];
            Some((data.op, data.attrs.to_vec(), emit.b.func.native(part)))
        }
        _ => None,
    };
    all.iter().flat_map(|element| &element.parts).map(made).collect()
}

/// Writes elements after `head` bytes of an address.
pub(crate) fn write_elements(emit: &mut Emit<'_>, slot: Value, all: &[Operand], head: u32) {
    let mut offset = i64::from(head);
    for &part in all.iter().flat_map(|element| &element.parts) {
        emit.b.store(slot, offset, part);
        offset += 8;
    }
}

/// Element number `at` of those that were stored.
pub(crate) fn load_element(
    emit: &mut Emit<'_>,
    slot: Value,
    at: Value,
    stride: u32,
    head: u32,
    ty: Type,
) -> Operand {
    let stride = emit.b.iconst(Native::I64, stride.into());
    let bytes = emit.b.like_first(Op::Imul, &[at, stride]);
    let address = emit.b.native(Op::PtrAdd, [], &[slot, bytes], Native::Ptr);
    let natives = emit.machine_types(ty);
    let mut offset = i64::from(head) - 8;
    let parts: Vec<Value> = natives
        .into_iter()
        .map(|native| {
            offset += 8;
            emit.b.load(native, address, offset)
        })
        .collect();
    Operand::new(ty, parts)
}

/// Membership where every element can be compared with the item.
fn resolve_contains(catalog: &Catalog, types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [item, tuple] = *args else { return None };
    comparable(catalog, types, tuple, item)?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn comparable(catalog: &Catalog, types: &TypeTable, tuple: Type, item: Type) -> Option<()> {
    types.elements(tuple)?.iter().try_for_each(|&element| are_comparable(catalog, types, element, item))
}

/// For each element whether it equals the item.
fn matches(emit: &mut Emit<'_>, tuple: &Operand, item: &Operand) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for element in elements(emit, tuple) {
        found.push(items_equal(emit, &element, item)?);
    }
    Ok(found)
}

/// The place of the first element that equals the item, -1 if there is none. No element after it is looked at.
fn first_match(emit: &mut Emit<'_>, tuple: &Operand, item: &Operand, bounds: &[Value]) -> Result<Value> {
    let join = emit.b.new_block();
    let found = emit.b.func.add_param(join, ValueType::Native(Native::I64));
    for (position, element) in elements(emit, tuple).iter().enumerate() {
        let position = emit.b.iconst(Native::I64, position as i64);
        let next = emit.b.new_block();
        for (&bound, inside) in bounds.iter().zip([IntCond::Sge, IntCond::Slt]) {
            let inside = emit.b.icmp(inside, position, bound);
            let here = emit.b.new_block();
            emit.b.branch(inside, BlockCall::new(here, []), BlockCall::new(next, []));
            emit.b.switch_to(here);
        }
        let equal = items_equal(emit, element, item)?;
        emit.b.branch(equal, BlockCall::new(join, [position]), BlockCall::new(next, []));
        emit.b.switch_to(next);
    }
    let none = emit.b.iconst(Native::I64, -1);
    emit.b.jump(join, &[none]);
    emit.b.switch_to(join);
    Ok(found)
}

/// Whether elements are compared in turn, up to the first that is found: comparing arrays may raise.
fn in_turn(emit: &Emit<'_>, args: &[Operand]) -> bool {
    args[..2].iter().any(|arg| holds_array(emit.types, arg.ty))
}

fn contains(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    if in_turn(emit, args) {
        let position = first_match(emit, &args[1], &args[0], &[])?;
        let zero = emit.b.iconst(Native::I64, 0);
        let found = emit.b.icmp(IntCond::Sge, position, zero);
        return single(Type::BOOL, found);
    }
    let mut any = emit.b.bool(false);
    for here in matches(emit, &args[1], &args[0])? {
        any = bool_or(emit, any, here);
    }
    single(Type::BOOL, any)
}

fn resolve_method(catalog: &Catalog, types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [tuple, item] = *args else { return None };
    comparable(catalog, types, tuple, item)?;
    Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

/// `t.index(x, start)` and `t.index(x, start, stop)`.
fn resolve_index_between(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&[tuple, item], bounds) = args.split_first_chunk()?;
    comparable(catalog, types, tuple, item)?;
    let whole = |&ty: &Type| types.unliteral(ty).is_int() || types.unliteral(ty) == Type::BOOL;
    let known = matches!(bounds.len(), 1 | 2) && bounds.iter().all(whole);
    let params = [tuple, item].into_iter().chain(bounds.iter().map(|_| Type::INT64)).collect();
    known.then_some(Resolution { result: Type::INT64, params, emit: index })
}

/// A bound of a search, counted from the front.
fn from_front(emit: &mut Emit<'_>, bound: Value, length: usize) -> Value {
    let (zero, length) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, length as i64));
    let negative = emit.b.icmp(IntCond::Slt, bound, zero);
    let moved = emit.b.like_first(Op::Iadd, &[bound, length]);
    emit.b.select(negative, moved, bound)
}

fn index(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let none = emit.b.iconst(Native::I64, -1);
    let mut at = none;
    let count = elements(emit, &args[0]).len();
    let bounds: Vec<Value> = args[2..].iter().map(|arg| from_front(emit, arg.value(), count)).collect();
    if in_turn(emit, args) {
        let at = first_match(emit, &args[0], &args[1], &bounds)?;
        let missing = emit.b.icmp(IntCond::Eq, at, none);
        emit.raise_if(missing, ValueError, "tuple.index(x): x not in tuple");
        return single(Type::INT64, at);
    }
    let found = matches(emit, &args[0], &args[1])?;
    for (position, mut here) in found.into_iter().enumerate().rev() {
        let position = emit.b.iconst(Native::I64, position as i64);
        for (&bound, inside) in bounds.iter().zip([IntCond::Sge, IntCond::Slt]) {
            let inside = emit.b.icmp(inside, position, bound);
            here = bool_and(emit, here, inside);
        }
        at = emit.b.select(here, position, at);
    }
    let missing = emit.b.icmp(IntCond::Eq, at, none);
    emit.raise_if(missing, ValueError, "tuple.index(x): x not in tuple");
    single(Type::INT64, at)
}

fn count(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let mut total = emit.b.iconst(Native::I64, 0);
    for here in matches(emit, &args[0], &args[1])? {
        let one = cast(emit, &Operand::single(Type::BOOL, here), Type::INT64)?.value();
        total = emit.b.like_first(Op::Iadd, &[total, one]);
    }
    single(Type::INT64, total)
}
