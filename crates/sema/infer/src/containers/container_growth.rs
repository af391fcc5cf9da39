//! Element types of lists, dicts and sets, which grow with what is inserted.
//!
//! The type of a container that is created empty is open. Later insertions make it grow: the container is traced back to
//! the instruction that created it (*type request*), and its type is widened there. So all aliases of a container
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

use crate::calls::captures;
use crate::calls::default_dicts;
use crate::containers::iterated_items::{item_of, with_elements};
use crate::containers::widen::{as_item, as_key};
use crate::diagnostics;
use crate::solver::Solver;
use crate::solver::effects;
use catalog::item_layout::Slot;
use catalog::{Key, Parameter, Put, Returned};
use diag::Result;
use entity::EntitySet;
use ir::{Attr, BinaryOp, Block, Def, Inst, InstData, Op, Value};
use std::sync::Arc;
use types::{Type, TypeData, TypeTable, convert, fits_item, unify};

/// The type of a container that an instruction makes; nothing for other instructions.
pub(crate) fn made(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Result<Type>> {
    let data = &solver.func.insts[inst];
    let types = solver.cx.types;
    let empty = match data.op {
        Op::BuildList => types.list(Type::UNDEFINED),
        Op::BuildSet => types.intern(TypeData::Set { item: Type::UNDEFINED, typed: false }),
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
        match unify(types, *part, if is_key { as_key(types, plain) } else { as_item(types, plain) }) {
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
    let types = solver.cx.types;
    let TypeData::Function(_) = types.get(callee) else { return None };
    let empty = effects::of_callee(solver, callee).makes?.ty(types);
    Some(with_growth(solver, inst, empty))
}

/// Why something cannot be a dict's key or a set's item.
fn unhashable_key(solver: &Solver<'_>, container: Type, key: Type) -> Option<String> {
    let types = solver.cx.types;
    let plain = types.unliteral(key);
    if types.list_item(container).is_some() || types.is_key(plain) {
        return None;
    }
    Some(match types.unhashable(plain) {
        Some(class) => format!("unhashable type: '{class}'"),
        None => format!("keys of type {} are not supported", types.name(plain)),
    })
}

/// Whether a container of `held` may get copies of items of a type: none of these would have to hold more.
fn copies_into(types: &TypeTable, item: Type, held: Type) -> bool {
    (types.present(held) == item || !types.may_hold_more(item)) && convert(types, item, held).is_some()
}

/// Whether what a type has for keys can be looked up, as None cannot be.
fn has_keys(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Set { item: key, .. } | TypeData::Dict { key, .. } => types.is_key(types.unliteral(key)),
        _ => true,
    }
}

pub(crate) fn with_growth(solver: &Solver<'_>, inst: Inst, shown: Type) -> Type {
    let grown = solver.grown.get(&inst).and_then(|&grown| unify(solver.cx.types, shown, grown));
    grown.unwrap_or(shown)
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
        (Op::Inplace, Some(Attr::Binary(BinaryOp::Add | BinaryOp::Or))) => all(1)?,
        (Op::Setitem, _) => match solver.cx.types.get(args[0]) {
            TypeData::Dict { .. } => pair(1)?,
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

fn is_slice(solver: &Solver<'_>, ty: Type) -> bool {
    matches!(solver.cx.types.get(ty), TypeData::Slice { .. } | TypeData::LiteralSlice { .. })
}

/// What comes out of a value that is iterated over: of a dict keys and values, of all else items; of what may be None,
/// what comes out of it otherwise.
fn iterated(solver: &Solver<'_>, ty: Type) -> Option<Vec<Type>> {
    let types = solver.cx.types;
    let ty = types.present(ty);
    if let Some(contents) = types.contents(ty) {
        return Some(contents);
    }
    if let Some(items) = types.items(ty) {
        let joined = items.iter().try_fold(Type::UNDEFINED, |known, &item| unify(types, known, item));
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
        let join = |known, &value: &Type| unify(types, known, types.unliteral(value));
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
    if let Some(why) = unhashable_key(solver, known, put[0]) {
        return Err(diagnostics::unhashable(solver, inst, &why));
    }
    let mut wanted = contents.clone();
    let mut converts = true;
    // A function of a library says itself what it does not take.
    let is_explained =
        solver.func.insts[inst].op == Op::Call && matches!(types.get(args[0]), TypeData::Function(_));
    for (at, (part, &new)) in wanted.iter_mut().zip(&put).enumerate() {
        let is_key = at == 0 && types.list_item(known).is_none();
        let plain = types.unliteral(new);
        let plain = if is_key { as_key(types, plain) } else { as_item(types, plain) };
        if Slot::of(types, plain).is_none() {
            return Err(diagnostics::cannot_lie(solver, inst, plain));
        }
        match unify(types, *part, plain) {
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

/// Asks for a value to be of this type, which holds more than what it is made as. Whether it will be.
pub(crate) fn require_type(solver: &mut Solver<'_>, value: Value, wanted: Type) -> bool {
    TypeRequest { solver, seen: EntitySet::new() }.value(value, wanted)
}

/// How a result comes from an argument.
#[derive(Clone, Copy)]
enum Way {
    Itself,
    Item,
    Items,
}

/// A request for a type, on its way to what makes the value.
pub(crate) struct TypeRequest<'e, 'a> {
    pub solver: &'e mut Solver<'a>,
    pub seen: EntitySet<Value>,
}

impl TypeRequest<'_, '_> {
    pub fn value(&mut self, value: Value, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(known) = self.solver.ty(value) else { return true };
        if known == wanted {
            return true;
        }
        if let Some(answer) = self.iterator(value, wanted) {
            return answer;
        }
        if !self.seen.insert(value) {
            return true;
        }
        if !types.may_hold_more(known) {
            return convert(types, known, wanted).is_some();
        }
        let wanted = match (types.get(known), types.get(wanted)) {
            (TypeData::Optional(_), _) => wanted,
            (_, TypeData::Optional(inner)) if inner == known => return true,
            (_, TypeData::Optional(inner)) => inner,
            _ => wanted,
        };
        let Some(wanted) = unify(types, known, wanted).filter(|&wanted| has_keys(types, wanted)) else {
            return false;
        };
        match self.solver.func.values[value].def {
            Def::Param(block, index) => self.param(block, index.into(), wanted),
            Def::Result(inst, result) => self.result(inst, result.into(), wanted),
        }
    }

    /// Every way that leads to a parameter.
    fn param(&mut self, block: Block, index: usize, wanted: Type) -> bool {
        // All are asked, so that what can grow does.
        self.incoming(block, index).into_iter().fold(true, |all, value| self.value(value, wanted) && all)
    }

    /// The values that a parameter of a block gets.
    pub fn incoming(&self, block: Block, index: usize) -> Vec<Value> {
        let reached = self.solver.reached_blocks();
        let edges = reached.iter().flat_map(|&from| self.solver.taken_edges(from));
        let edges = edges.filter(|call| call.block == block);
        edges.filter_map(|call| call.args.get(index).copied()).collect()
    }

    fn result(&mut self, inst: Inst, result: usize, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let data = self.solver.func.insts[inst].clone();
        let args: Vec<Option<Type>> = data.args.iter().map(|&arg| self.solver.ty(arg)).collect();
        let first = args.first().copied().flatten();
        match data.op {
            Op::BuildList if types.starred(wanted).is_some() => {
                types.items(wanted).is_some_and(|elements| self.each(&data.args, &elements))
            }
            Op::BuildList | Op::UnpackEx
                if self.solver.ty(data.results[result]).is_some_and(|ty| types.starred(ty).is_some()) =>
            {
                types.contents(wanted).is_some() && self.solver.make_list(inst)
            }
            Op::UnpackEx if self.is_made_of_items(inst, result, wanted) => {
                self.solver.grow_made(inst, wanted);
                true
            }
            Op::UnpackEx if let Some(item) = self.starred_of_list(inst, result) => {
                let Some(held) = types.list_item(wanted) else { return false };
                if item != Type::UNDEFINED && copies_into(types, item, held) {
                    self.solver.grow_made(inst, wanted);
                    return true;
                }
                self.items(data.args[0], held)
            }
            Op::UnpackEx if self.solver.fixed.contains_key(&data.results[result]) => {
                self.solver.grow_made(inst, wanted);
                first.is_some_and(|of| self.between(data.args[0], of, result, data.results.len() - 1, wanted))
            }
            Op::BuildList | Op::BuildSet | Op::BuildMap if types.contents(wanted).is_some() => {
                self.solver.grow_made(inst, wanted);
                self.of_display(&data.args, wanted)
            }
            Op::BuildMap => self.of_known_keys(&data.args, wanted),
            Op::BuildTuple => match types.elements(wanted) {
                Some(elements) => self.each(&data.args, &elements),
                None => false,
            },
            Op::CheckBound | Op::NotNone | Op::Cast | Op::Promote | Op::Declared => {
                self.value(data.args[0], wanted)
            }
            Op::Getitem => match first {
                Some(of) if args.get(1).copied().flatten().is_some_and(|at| is_slice(self.solver, at)) => {
                    if types.contents(of).is_some() || types.starred(of).is_some() {
                        self.value(data.args[0], wanted)
                    } else {
                        self.slice(data.args[0], of, args[1], wanted)
                    }
                }
                Some(of) => self.inside(data.args[0], of, args.get(1).copied().flatten(), wanted),
                None => false,
            },
            Op::Unpack => match first {
                Some(of) => self.element(data.args[0], of, result, wanted),
                None => false,
            },
            Op::UnpackEx => first.is_some_and(|of| self.beside_star(&data, of, result, wanted)),
            Op::Iternext => self.items(data.args[0], wanted),
            Op::Arg => match data.attrs.first() {
                Some(&Attr::Int(index)) => {
                    self.solver.shared.want_param(self.solver.number, index as usize, wanted, types)
                }
                _ => false,
            },
            Op::LoadCell => self.in_cell(first, wanted),
            Op::Freevar => match data.attrs.first() {
                Some(&Attr::Int(index)) => {
                    let captured = captures::captured(self.solver, index as usize);
                    self.in_cell(captured, wanted)
                }
                _ => false,
            },
            Op::Binary | Op::Inplace => {
                let lists = data.args.iter().zip(&args);
                let lists: Vec<Value> = lists
                    .filter(|(_, ty)| ty.is_some_and(|ty| types.contents(ty).is_some()))
                    .map(|(&value, _)| value)
                    .collect();
                !lists.is_empty() && lists.into_iter().all(|list| self.value(list, wanted))
            }
            Op::Call => self.call(inst, first, wanted),
            _ => false,
        }
    }

    /// What functions share in a cell.
    fn in_cell(&self, cell: Option<Type>, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        match cell.map(|cell| types.get(cell)) {
            Some(TypeData::Cell(cell)) => self.solver.shared.want_cell(cell, wanted, types),
            _ => false,
        }
    }

    /// What the new list of a starred name has, if it is a part of a list.
    fn starred_of_list(&self, inst: Inst, result: usize) -> Option<Type> {
        let (types, data) = (self.solver.cx.types, &self.solver.func.insts[inst]);
        let of = types.present(self.solver.ty(data.args[0])?);
        types.list_item(of).filter(|_| data.attrs.first() == Some(&Attr::Int(result as i64)))
    }

    /// Whether a result is the new list that items of something else than a list are put into.
    fn is_made_of_items(&self, inst: Inst, result: usize, wanted: Type) -> bool {
        let (types, data) = (self.solver.cx.types, &self.solver.func.insts[inst]);
        let is_star = data.attrs.first() == Some(&Attr::Int(result as i64));
        let of = self.solver.ty(data.args[0]).map(|of| types.present(of));
        is_star
            && types.list_item(wanted).is_some()
            && of.is_some_and(|of| types.list_item(of).is_none() && types.items(of).is_none())
    }

    /// What a display shows becomes what its container holds.
    fn of_display(&mut self, shown: &[Value], wanted: Type) -> bool {
        let contents = self.solver.cx.types.contents(wanted).unwrap_or_default();
        let pairs = shown.iter().enumerate().map(|(at, &value)| (value, contents[at % contents.len()]));
        pairs.collect::<Vec<_>>().into_iter().all(|(value, part)| self.value(value, part))
    }

    /// The same of a display of a dict whose keys are known.
    fn of_known_keys(&mut self, shown: &[Value], wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some((names, parts)) = types.keywords(wanted) else { return false };
        let last_of = |name: &String| {
            let is_key = |key: Value| match self.solver.ty(key).and_then(|ty| types.literal(ty)) {
                Some(types::LiteralValue::Str(known)) => *known == **name,
                _ => false,
            };
            shown.chunks_exact(2).rev().find(|pair| is_key(pair[0])).map(|pair| pair[1])
        };
        let values: Option<Vec<Value>> = names.iter().map(last_of).collect();
        values.is_some_and(|values| self.each(&values, &parts))
    }

    fn each(&mut self, values: &[Value], wanted: &[Type]) -> bool {
        values.len() == wanted.len() && values.iter().zip(wanted).all(|(&value, &ty)| self.value(value, ty))
    }

    /// Something that comes out of a container (or tuple) by an index.
    pub fn inside(&mut self, container: Value, of: Type, index: Option<Type>, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        if types.keywords(of).is_some() {
            return self.inside_known_keys(container, of, index, wanted);
        }
        if item_of(self.solver, of).is_some() {
            return self.items(container, wanted);
        }
        if let Some(mut contents) = types.contents(of) {
            let Some(last) = contents.last_mut() else { return false };
            *last = wanted;
            return types.with_contents(of, &contents).is_some_and(|whole| self.value(container, whole));
        }
        let count = types.items(of).map_or(0, |items| items.len() as i64);
        let at = match index.and_then(|index| types.literal(index)) {
            Some(types::LiteralValue::Int(at)) => usize::try_from(if at < 0 { at + count } else { at }).ok(),
            _ => None,
        };
        match at {
            Some(at) => self.element(container, of, at, wanted),
            // It may be any of them.
            None => {
                let all = vec![wanted; usize::try_from(count).unwrap_or(0)];
                count > 0 && self.value(container, with_elements(types, of, &all))
            }
        }
    }

    /// A slice of a tuple with bounds that are known.
    fn slice(&mut self, tuple: Value, of: Type, index: Option<Type>, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let (Some(elements), Some(parts)) = (types.elements(of), types.elements(wanted)) else {
            return false;
        };
        let Some(TypeData::LiteralSlice { start, step: None, .. }) = index.map(|index| types.get(index))
        else {
            return false;
        };
        let count = elements.len() as i64;
        let first = start.map_or(0, |at| if at < 0 { (at + count).max(0) } else { at.min(count) }) as usize;
        let mut all = elements.to_vec();
        let Some(places) = all.get_mut(first..first + parts.len()) else { return false };
        places.copy_from_slice(&parts);
        self.value(tuple, types.tuple(&all))
    }

    /// An element of a tuple, or of a list that never changes.
    fn element(&mut self, tuple: Value, of: Type, at: usize, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(elements) = types.items(of) else { return false };
        let mut all = elements.to_vec();
        let Some(place) = all.get_mut(at) else { return false };
        *place = wanted;
        self.value(tuple, with_elements(types, of, &all))
    }

    /// The element of a tuple that a name beside a starred one gets. Names behind that count from the end.
    fn beside_star(&mut self, data: &InstData, of: Type, result: usize, wanted: Type) -> bool {
        let Some(elements) = self.solver.cx.types.items(of) else { return false };
        let at = match data.attrs.first() {
            Some(&Attr::Int(before)) if result as i64 > before => {
                elements.len() + result - data.results.len()
            }
            _ => result,
        };
        self.element(data.args[0], of, at, wanted)
    }

    /// The elements of a tuple that are the items of a starred target's list.
    fn between(&mut self, tuple: Value, of: Type, before: usize, names: usize, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let (Some(elements), Some(item)) = (types.items(of), types.list_item(wanted)) else { return false };
        let mut all = elements.to_vec();
        let behind = all.len() + before - names;
        all[before..behind].fill(item);
        !types.may_hold_more(item) || self.value(tuple, with_elements(types, of, &all))
    }

    /// The same of a dict whose keys are known: the value of one of these, or, by any key, of a dict of any.
    fn inside_known_keys(&mut self, dict: Value, of: Type, key: Option<Type>, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let (Some((names, parts)), Some(any)) = (types.keywords(of), types.dict_of_keywords(of)) else {
            return false;
        };
        let at = match key.and_then(|key| types.literal(key)) {
            Some(types::LiteralValue::Str(key)) => names.iter().position(|name| **name == *key),
            _ => None,
        };
        let Some(at) = at else { return self.inside(dict, any, None, wanted) };
        let mut parts = parts.to_vec();
        parts[at] = wanted;
        self.value(dict, types.intern(TypeData::StaticDict { names, types: parts.into() }))
    }

    fn call(&mut self, inst: Inst, callee: Option<Type>, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(callee) = callee else { return true };
        match types.get(callee) {
            TypeData::Dispatcher(_) | TypeData::Closure { .. } => {
                self.solver.want_result(inst, callee, wanted)
            }
            TypeData::Function(_) | TypeData::Method(..) => self.known_call(inst, callee, wanted),
            _ => false,
        }
    }

    /// Whether a container is made of what an instruction gives, and its items may be copied to one of this type.
    fn is_copied(&self, container: Value, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(&given) = self.solver.fixed.get(&container) else { return false };
        let elements = types.starred(given).and_then(|tuple| types.elements(tuple));
        let held = types.list_item(wanted).unwrap_or(Type::UNDEFINED);
        let copies = |&element: &Type| copies_into(types, types.unliteral(element), held);
        elements.is_none_or(|elements| elements.iter().all(copies))
    }

    /// A call of what is not compiled makes the container, or its facts say where that comes from.
    fn known_call(&mut self, inst: Inst, callee: Type, wanted: Type) -> bool {
        let result = self.solver.func.insts[inst].results[0];
        if is_made(self.solver, inst) || self.is_copied(result, wanted) {
            self.solver.grow_made(inst, wanted);
            return true;
        }
        let info = effects::of_callee(self.solver, callee);
        let Some(arguments) = effects::arguments(self.solver, inst) else { return false };
        let given = |parameter: &Parameter| {
            let all = arguments.iter().filter(|argument| argument.is_for(parameter));
            all.map(|argument| argument.value).collect::<Vec<_>>()
        };
        let types = self.solver.cx.types;
        // A new list that has as many items as its type says.
        let is_fixed = |&value: &Value| self.solver.ty(value).is_some_and(|ty| types.starred(ty).is_some());
        if self.solver.func.insts[inst].results.iter().any(is_fixed)
            && info.returns.iter().all(|returned| matches!(returned, Returned::Listed(_)))
        {
            return types.contents(wanted).is_some() && self.solver.make_list(inst);
        }
        // `max(l, key=f)` gives an item of l.
        let count = arguments.iter().filter(|argument| !argument.is_named()).count();
        let mut ways = Vec::new();
        for returned in &info.returns {
            match returned {
                Returned::Argument(of) => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Itself)))
                }
                Returned::Any(of) if count > 1 => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Itself)));
                }
                Returned::Item(of) | Returned::Any(of) => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Item)));
                }
                Returned::Items(of) | Returned::Listed(of) => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Items)));
                }
            }
        }
        // All are asked, so that what can grow does.
        let grows = !ways.is_empty()
            && ways.into_iter().fold(true, |all, (value, way)| self.way(value, way, wanted) && all);
        // A new container without items, which came from what cannot hold more.
        let is_new = info.returns.iter().all(|returned| matches!(returned, Returned::Listed(_)));
        let is_empty = self.solver.ty(result).is_some_and(|ty| types.has_no_items(ty));
        grows || is_new && is_empty && types.contents(wanted).is_some() && self.solver.make_list(inst)
    }

    fn way(&mut self, value: Value, way: Way, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(of) = self.solver.ty(value) else { return true };
        match way {
            Way::Itself => self.value(value, wanted),
            Way::Item => self.inside(value, of, None, wanted),
            Way::Items if types.keywords(of).is_some() => self.known_items(value, of, wanted),
            Way::Items => {
                let whole = types.contents(wanted).and_then(|contents| types.with_contents(of, &contents));
                whole.is_some_and(|whole| self.value(value, whole))
            }
        }
    }
}
