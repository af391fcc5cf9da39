//! Element types of lists, dicts and sets, which grow with what is inserted.
//!
//! The type of a container that is created empty is open. Later insertions make it grow: the container is traced back to
//! the instruction that created it (`type_request`), and its type is widened there. So all aliases of a container
//! agree on its type, and values never change theirs.
//!
//! ```text
//! %0 = build_list             reflected list(undefined), then (int64), then (float64)
//! list_append %0, 1
//! list_append %0, 2.5
//! ```
//!
//! A call that gets an open container waits until nothing else is left to do.
//!
//! Absent: containers that meet (`joins`), what operations on containers mean (`containers`).

use crate::calls::default_dicts;
use crate::containers::type_request::require_type;
use crate::containers::widen::{as_item, as_key};
use crate::diagnostics;
use crate::solver::Solver;
use crate::solver::effects;
use catalog::item_layout::Slot;
use catalog::{Key, Parameter, Put};
use diag::Result;
use ir::{Attr, BinaryOp, Block, Inst, Op, Value};
use std::sync::Arc;
use types::{Type, TypeData, TypeTable, becomes_object, convert, fits_item, may_become_object, unify};

/// The type of a container that an instruction makes; nothing for other instructions.
pub(crate) fn made(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Result<Type>> {
    let data = &solver.func.insts[inst];
    let types = solver.cx.types;
    let of_class = |plain: Type| {
        let is_typed = solver.grown.get(&inst).is_some_and(|&grown| types.becomes_typed(plain, grown));
        types.as_typed(plain).filter(|_| is_typed).unwrap_or(plain)
    };
    let empty = match data.op {
        Op::BuildList => of_class(types.list(Type::UNDEFINED)),
        Op::BuildSet => of_class(types.set(Type::UNDEFINED)),
        Op::BuildMap => types.dict(Type::UNDEFINED, Type::UNDEFINED),
        Op::Call if args.len() == 1 => return constructed(solver, inst, args[0]).map(Ok),
        _ => return None,
    };
    let width = types.contents(empty).map_or(1, |contents| contents.len());
    let mut contents = vec![Type::UNDEFINED; width];
    for (at, &arg) in args.iter().enumerate() {
        let part = &mut contents[at % width];
        let is_key = data.op != Op::BuildList && at % width == 0;
        let plain = types.unliteral(arg);
        let plain = if is_key { as_key(types, plain) } else { as_item(types, plain) };
        // A list of different items is one of their union where it changes, or an item's index is no constant.
        let may_unite = !is_key && (data.op == Op::BuildMap || solver.is_changing_list(inst));
        let joined = unify(types, *part, plain);
        match joined.or_else(|| solver.unite(*part, plain).filter(|_| may_unite)) {
            Some(joined) => *part = joined,
            // Items of different types: a list that never changes.
            None if data.op == Op::BuildList => {
                return Some(Ok(types.intern(TypeData::FixedList(types.tuple(args)))));
            }
            None => return Some(Err(diagnostics::mixed_items(solver, inst, *part, arg))),
        }
    }
    if let Some(why) = unhashable_key(solver, empty, contents[0]) {
        return Some(Err(diagnostics::unhashable(solver, inst, &why)));
    }
    if let Some(&part) = contents.iter().find(|&&part| Slot::of(types, part).is_none()) {
        return Some(match data.op {
            Op::BuildList => Ok(types.intern(TypeData::FixedList(types.tuple(args)))),
            _ => Err(diagnostics::cannot_lie(solver, inst, part)),
        });
    }
    let shown = types.with_contents(empty, &contents).unwrap_or(empty);
    Some(Ok(with_growth(solver, inst, shown)))
}

/// The list that an instruction makes of items of a type; nothing for what cannot lie in lists.
pub(crate) fn made_of_items(solver: &Solver<'_>, inst: Inst, item: Type) -> Option<Type> {
    let types = solver.cx.types;
    let item = as_item(types, types.unliteral(item));
    Slot::of(types, item)?;
    Some(with_growth(solver, inst, types.list(item)))
}

/// Whether a call makes an empty container.
pub(crate) fn is_made(solver: &Solver<'_>, inst: Inst) -> bool {
    let callee = solver.func.insts[inst].args.first().and_then(|&callee| solver.ty(callee));
    let made = callee.and_then(|callee| made(solver, inst, &[callee]));
    solver.func.insts[inst].args.len() == 1 && made.is_some() || default_dicts::is_made(solver, inst)
}

/// `list()`, `dict()`, `set()`.
fn constructed(solver: &Solver<'_>, inst: Inst, callee: Type) -> Option<Type> {
    Some(with_growth(solver, inst, empty_of(solver, callee)?))
}

/// The empty container that a call makes, before anything is put into it.
pub(crate) fn empty(solver: &Solver<'_>, inst: Inst) -> Option<Type> {
    empty_of(solver, solver.ty(*solver.func.insts[inst].args.first()?)?)
}

fn empty_of(solver: &Solver<'_>, callee: Type) -> Option<Type> {
    let types = solver.cx.types;
    let TypeData::Function(_) = types.get(callee) else { return None };
    Some(effects::of_callee(solver, callee).makes?.ty(types))
}

/// Why something cannot be a dict's key or a set's item.
fn unhashable_key(solver: &Solver<'_>, container: Type, key: Type) -> Option<String> {
    let types = solver.cx.types;
    let plain = types.without_none(types.unliteral(key));
    if types.list_item(container).is_some() || types.is_key(plain) {
        return None;
    }
    Some(match types.unhashable(plain) {
        Some(class) => format!("unhashable type: '{class}'"),
        None if types.classes(plain).is_some() => {
            format!("{} defines `__eq__` without `__hash__`, so its objects are no keys", types.name(plain))
        }
        None => format!("keys of type {} are not supported", types.name(plain)),
    })
}

/// Whether a container of `held` may get copies of items of a type: none of these would have to hold more.
pub(crate) fn copies_into(types: &TypeTable, item: Type, held: Type) -> bool {
    (types.present(held) == item || !types.may_hold_more(item)) && convert(types, item, held).is_some()
}

/// Whether what a type has for keys can be looked up, as None cannot be.
pub(crate) fn has_keys(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Set { item: key, .. } | TypeData::Dict { key, .. } => types.is_key(types.unliteral(key)),
        _ => true,
    }
}

pub(crate) fn with_growth(solver: &Solver<'_>, inst: Inst, shown: Type) -> Type {
    let grown = solver.grown.get(&inst).and_then(|&grown| unify(solver.cx.types, shown, grown));
    grown.unwrap_or(shown)
}

/// Whether a display is made as a Python object: it shows one, or has to hold one, or be one.
pub(crate) fn is_object_display(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> bool {
    matches!(solver.func.insts[inst].op, Op::BuildList | Op::BuildSet | Op::BuildMap)
        && !solver.displays.is_part(inst)
        && (args.contains(&Type::PYOBJECT) || solver.grown.get(&inst) == Some(&Type::PYOBJECT))
}

/// Operands of an operation on objects that are containers are made as objects. Whether some will be.
pub(crate) fn make_objects(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> bool {
    args.contains(&Type::PYOBJECT) && make_all_objects(solver, inst, args)
}

/// The same where no operand is an object.
pub(crate) fn make_all_objects(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> bool {
    let types = solver.cx.types;
    let values = solver.func.insts[inst].args.clone();
    let mut grows = false;
    for (&value, &arg) in values.iter().zip(args) {
        if !becomes_object(types, arg) && may_become_object(types, arg) {
            grows |= require_type(solver, value, Type::PYOBJECT);
        }
    }
    grows
}

/// What an instruction puts into a container: the container, what is put in as far as there are values of it, and its types.
type Added = (Value, Vec<Option<Value>>, Vec<Type>);

fn put_in(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Added> {
    let data = &solver.func.insts[inst];
    let item = |at: usize| Some((vec![data.args.get(at).copied()], vec![*args.get(at)?]));
    let pair = |at: usize| {
        let values = vec![data.args.get(at).copied(), data.args.get(at + 1).copied()];
        Some((values, vec![*args.get(at)?, *args.get(at + 1)?]))
    };
    let all = |at: usize| {
        let contents = iterated(solver, *args.get(at)?)?;
        Some((vec![None; contents.len()], contents))
    };
    let (values, put) = match (data.op, data.attrs.first()) {
        (Op::ListAppend | Op::SetAdd, _) => item(1)?,
        (Op::MapAdd, _) => pair(1)?,
        (Op::Getitem, _) if solver.cx.types.missing(args[0]).is_some() => {
            let types = solver.cx.types;
            if types.is_counter(args[0]) {
                return None;
            }
            let value = types.contents(args[0])?.pop()?;
            (vec![data.args.get(1).copied(), None], vec![*args.get(1)?, value])
        }
        (Op::ListExtend | Op::SetUpdate, _) => all(1)?,
        // What is not changed is the result of an operator.
        (Op::Inplace, _) if solver.cx.types.is_frozenset(args[0]) => return None,
        (Op::Inplace, Some(Attr::Binary(BinaryOp::Add | BinaryOp::Or))) => all(1)?,
        (Op::Setitem, _) => match solver.cx.types.get(args[0]) {
            TypeData::Dict { .. } => pair(1)?,
            TypeData::Buffer(..) if solver.cx.types.items_of_object_array(args[2]).is_some() => all(2)?,
            TypeData::List { .. } if is_slice(solver, args[1]) => all(2)?,
            _ => item(2)?,
        },
        (Op::Call, _) => return put_in_by_call(solver, inst, args[0]),
        _ => return None,
    };
    Some((data.args[0], values, put))
}

/// What a call puts into one of its arguments, as the callee's facts say.
fn put_in_by_call(solver: &Solver<'_>, inst: Inst, callee: Type) -> Option<Added> {
    let info = effects::of_callee(solver, callee);
    let (container, put) = info.puts.first()?;
    let arguments = effects::arguments(solver, inst)?;
    let given = |parameter: &Parameter| arguments.iter().find(|argument| argument.is_for(parameter));
    let typed = |parameter: &Parameter| {
        let value = given(parameter)?.value;
        Some((Some(value), solver.ty(value)?))
    };
    let (values, types): (Vec<Option<Value>>, Vec<Type>) = match put {
        Put::Item(item) => [typed(item)?].into_iter().unzip(),
        Put::Pair(key, value) => [typed(key)?, typed(value)?].into_iter().unzip(),
        Put::Items(items) => {
            let mut contents = iterated(solver, typed(items)?.1)?;
            // A counter counts items, and adds the counts of a dict.
            if contents.len() == 1 && solver.cx.types.is_counter(solver.ty(given(container)?.value)?) {
                contents.push(Type::INT64);
            }
            contents.into_iter().map(|ty| (None, ty)).unzip()
        }
        Put::Pairs(items) => pairs(solver, typed(items)?.1)?.into_iter().map(|ty| (None, ty)).unzip(),
    };
    Some((given(container)?.value, values, types))
}

pub(crate) fn is_slice(solver: &Solver<'_>, ty: Type) -> bool {
    matches!(solver.cx.types.get(ty), TypeData::Slice { .. } | TypeData::LiteralSlice { .. })
}

/// What comes out of a value that is iterated over: of a dict keys and values, of all else items; of what may be None,
/// what comes out of it otherwise.
fn iterated(solver: &Solver<'_>, ty: Type) -> Option<Vec<Type>> {
    let types = solver.cx.types;
    let ty = types.present(ty);
    let is_nested = types.items_of_object_array(ty).is_some_and(|items| items.ndim != 1);
    if let Some(contents) = types.contents(ty).filter(|_| !is_nested) {
        return Some(contents);
    }
    if let Some(items) = types.items(ty) {
        let joined = items.iter().try_fold(Type::UNDEFINED, |known, &item| solver.join(known, item));
        return joined.map(|item| vec![types.unliteral(item)]);
    }
    let iterator = solver.cx.catalog.resolve(types, &Key::Getiter, &[ty])?.result;
    Some(vec![solver.cx.catalog.resolve(types, &Key::Iternext, &[iterator])?.result])
}

/// Whether nobody knows the type of an item, or of a part of it.
pub(crate) fn is_unknown(types: &TypeTable, item: Type) -> bool {
    let is_part_unknown = |parts: Arc<[Type]>| parts.iter().any(|&part| is_unknown(types, part));
    item == Type::UNDEFINED || types.components(item).is_some_and(is_part_unknown)
}

/// How deep containers may be nested: one that holds itself would have no end.
const DEEPEST: usize = 40;

fn depth(types: &TypeTable, ty: Type) -> usize {
    let parts = types.contents(ty).or_else(|| Some(types.components(ty)?.to_vec()));
    1 + parts.into_iter().flatten().map(|part| depth(types, part)).max().unwrap_or(0)
}

/// Types of the keys and values that a dict is updated with: those of a dict of any kind, or of pairs.
fn pairs(solver: &Solver<'_>, ty: Type) -> Option<Vec<Type>> {
    let types = solver.cx.types;
    let ty = types.present(ty);
    if let Some((_, values)) = types.keywords(ty) {
        let join = |known, &value: &Type| solver.join(known, types.unliteral(value));
        return Some(vec![Type::STR, values.iter().try_fold(Type::UNDEFINED, join)?]);
    }
    match iterated(solver, ty)?[..] {
        [pair] => Some(types.elements(pair)?.to_vec()).filter(|parts| parts.len() == 2),
        [key, value] => Some(vec![key, value]),
        _ => None,
    }
}

/// Makes a container hold what an instruction puts into it. Whether types have grown, so that the instruction is to be
/// looked at again.
pub(crate) fn grow(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Result<bool> {
    let types = solver.cx.types;
    let Some((container, values, put)) = put_in(solver, inst, args) else { return Ok(false) };
    let Some(known) = solver.ty(container) else { return Ok(false) };
    let Some(contents) = types.contents(known) else { return Ok(false) };
    if put.len() != contents.len() && !(put.len() == 2 && contents.len() == 1) {
        return Ok(false);
    }
    if put.contains(&Type::PYOBJECT) && require_type(solver, container, Type::PYOBJECT) {
        return Ok(true);
    }
    let is_table = types.list_item(known).is_none() && types.items_of_object_array(known).is_none();
    if let Some(why) = unhashable_key(solver, known, put[0]).filter(|_| is_table) {
        return Err(diagnostics::unhashable(solver, inst, &why));
    }
    let mut wanted = contents.clone();
    let mut converts = true;
    // A function of a library says itself what it does not take.
    let is_explained =
        solver.func.insts[inst].op == Op::Call && matches!(types.get(args[0]), TypeData::Function(_));
    for (at, (part, &new)) in wanted.iter_mut().zip(&put).enumerate() {
        let plain = types.unliteral(new);
        let plain = match types.items_of_object_array(known) {
            // Numbers are refused by the rule.
            Some(_) => match types.item_of_objects(plain) {
                Some(item) => item,
                None => return Ok(false),
            },
            None if at == 0 && types.list_item(known).is_none() => as_key(types, plain),
            None => as_item(types, plain),
        };
        if Slot::of(types, plain).is_none() {
            return Err(diagnostics::cannot_lie(solver, inst, plain));
        }
        let is_key = at == 0 && types.list_item(known).is_none();
        let joined = unify(types, *part, plain);
        // A list or set that is made here becomes a typed one.
        if joined.is_none()
            && types.becomes_typed(plain, *part)
            && let Some(value) = values.get(at).copied().flatten()
            && require_type(solver, value, *part)
        {
            return Ok(true);
        }
        match joined.or_else(|| solver.unite(*part, plain).filter(|_| !is_key && !is_explained)) {
            Some(joined) if joined == *part => {}
            Some(joined) => {
                converts &= fits_item(types, new, *part);
                *part = joined;
            }
            None if is_explained => return Ok(false),
            None => return Err(diagnostics::cannot_hold(solver, inst, known, new)),
        }
    }
    if wanted != contents {
        let grown = types.with_contents(known, &wanted).unwrap_or(known);
        if depth(types, grown) > DEEPEST {
            return Err(diagnostics::holds_itself(solver, inst));
        }
        match require_type(solver, container, grown) {
            true => return Ok(true),
            false if converts || is_explained => {}
            false => return Err(diagnostics::cannot_grow(solver, inst, container, grown)),
        }
    }
    // What is put in may be a container that was made empty.
    for (&value, (&part, &given)) in values.iter().zip(wanted.iter().zip(&put)) {
        let is_that = convert(types, given, part).is_some();
        let Some(value) = value.filter(|_| !is_that && types.may_hold_more(given)) else { continue };
        if !require_type(solver, value, part) {
            return Err(diagnostics::cannot_grow(solver, inst, value, part));
        }
        return Ok(true);
    }
    Ok(false)
}

/// Whether a call waits because it is not known yet what an argument holds.
pub(crate) fn waits(solver: &mut Solver<'_>, block: Block, args: &[Type]) -> bool {
    let types = solver.cx.types;
    let waits = !solver.accept_open && types.has_containers() && args.iter().any(|&arg| types.is_open(arg));
    if waits {
        solver.wait(block);
    }
    waits
}
