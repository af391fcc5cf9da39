//! Requests for types of values: from a container that has to hold more back to what makes it.
//!
//! A call that makes a new container of items which are converted one by one need not make another: its result is copied
//! (`copy_contents`).
//!
//! Absent: what asks (`container_growth`), items of iterators (`iterated_items`).

use crate::calls::captures;
use crate::calls::object_arrays;
use crate::containers::container_growth::{copies_into, has_keys, is_made, is_slice};
use crate::containers::iterated_items::{item_of, with_elements};
use crate::solver::Solver;
use crate::solver::effects;
use catalog::{FunctionInfo, Parameter, Returned};
use entity::EntitySet;
use ir::{Attr, Block, Def, Inst, InstData, Op, Value};
use types::{Type, TypeData, convert, unify};

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
    /// The value of a key.
    Value,
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
        let joined = match self.is_display_of_class(value, known, wanted) {
            true => Some(wanted),
            false => unify(types, known, wanted),
        };
        let Some(wanted) = joined.filter(|&wanted| has_keys(types, wanted)) else {
            return false;
        };
        match self.solver.func.values[value].def {
            Def::Param(block, index) => self.param(block, index.into(), wanted),
            Def::Result(inst, result) => self.result(inst, result.into(), wanted),
        }
    }

    /// Whether a list or set is made by a display that can make one of the class that is wanted: a typed one.
    fn is_display_of_class(&self, value: Value, known: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Def::Result(inst, _) = self.solver.func.values[value].def else { return false };
        let is_display = matches!(self.solver.func.insts[inst].op, Op::BuildList | Op::BuildSet);
        is_display && types.becomes_typed(known, wanted)
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
            Op::BuildList | Op::BuildSet | Op::BuildMap if wanted == Type::PYOBJECT => {
                self.solver.grow_result(inst, wanted);
                true
            }
            Op::BuildList if types.starred(wanted).is_some() => {
                types.items(wanted).is_some_and(|elements| self.each(&data.args, &elements))
            }
            Op::BuildList | Op::UnpackEx
                if self.solver.ty(data.results[result]).is_some_and(|ty| types.starred(ty).is_some()) =>
            {
                types.contents(wanted).is_some() && self.solver.make_list(inst)
            }
            Op::UnpackEx if self.is_made_of_items(inst, result, wanted) => {
                self.solver.grow_result(inst, wanted);
                true
            }
            Op::UnpackEx if let Some(item) = self.starred_of_list(inst, result) => {
                let Some(held) = types.list_item(wanted) else { return false };
                if item != Type::UNDEFINED && copies_into(types, item, held) {
                    self.solver.grow_result(inst, wanted);
                    return true;
                }
                self.items(data.args[0], held)
            }
            Op::UnpackEx if self.solver.fixed.contains_key(&data.results[result]) => {
                self.solver.grow_result(inst, wanted);
                first.is_some_and(|of| self.between(data.args[0], of, result, data.results.len() - 1, wanted))
            }
            Op::BuildList | Op::BuildSet | Op::BuildMap if types.contents(wanted).is_some() => {
                self.solver.grow_result(inst, wanted);
                self.of_display(&data.args, wanted)
            }
            Op::BuildMap => self.of_known_keys(&data.args, wanted),
            Op::BuildTuple if wanted == Type::PYOBJECT => {
                let objects = vec![Type::PYOBJECT; data.args.len()];
                self.each(&data.args, &objects)
            }
            Op::BuildTuple => match types.elements(wanted) {
                Some(elements) => self.each(&data.args, &elements),
                None => false,
            },
            Op::CheckBound | Op::NotNone | Op::Narrow | Op::Cast | Op::Promote | Op::Declared => {
                self.value(data.args[0], wanted)
            }
            Op::Getitem
                if let Some(whole) = first.and_then(|of| object_arrays::holding(types, of, wanted)) =>
            {
                self.value(data.args[0], whole)
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
                    .filter(|(_, ty)| {
                        ty.is_some_and(|ty| types.contents(ty).is_some() || types.starred(ty).is_some())
                    })
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
            Some(TypeData::Cell(cell)) => {
                self.solver.shared.want_cell(self.solver.number, cell, wanted, types)
            }
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
        let Some(known) = all.get_mut(first..first + parts.len()) else { return false };
        known.copy_from_slice(&parts);
        self.value(tuple, types.tuple(&all))
    }

    /// An element of a tuple, or of a list that never changes.
    fn element(&mut self, tuple: Value, of: Type, at: usize, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(elements) = types.items(of) else { return false };
        let mut all = elements.to_vec();
        let Some(known) = all.get_mut(at) else { return false };
        *known = wanted;
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
        self.solver.fixed.get(&container).is_some_and(|&given| self.copies(given, wanted))
    }

    /// Whether the items of a container may be copied to one of this type.
    fn copies(&self, given: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let copies = |item: Type, held: Type| copies_into(types, types.unliteral(item), held);
        let Some(held) = types.contents(wanted) else { return false };
        if let Some(contents) = types.contents(given) {
            let is_same_class = types.with_contents(given, &held) == Some(wanted);
            let mut parts = contents.iter().zip(&held);
            return is_same_class
                && (types.has_no_items(given) || parts.all(|(&item, &held)| copies(item, held)));
        }
        let elements = types.starred(given).and_then(|tuple| types.elements(tuple));
        elements.is_none_or(|elements| elements.iter().all(|&item| copies(item, held[0])))
    }

    /// A call of what is not compiled makes the container, or its facts say where that comes from.
    fn known_call(&mut self, inst: Inst, callee: Type, wanted: Type) -> bool {
        let result = self.solver.func.insts[inst].results[0];
        if self.solver.mapped[inst].is_some() {
            return self.mapped(inst, wanted);
        }
        let is_object_array = self.solver.cx.types.items_of_object_array(wanted).is_some()
            && object_arrays::is_made(self.solver, inst);
        if is_made(self.solver, inst) || is_object_array || self.is_copied(result, wanted) {
            self.solver.grow_result(inst, wanted);
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
        let copies = |given| self.gives_copyable(&info, given, wanted);
        if self.solver.ty(result).is_some_and(copies) && self.solver.make_list(inst) {
            return true;
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
                Returned::Items(of) if of.is_any_name() => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Value)));
                }
                Returned::Items(of) | Returned::Listed(of) => {
                    ways.extend(given(of).into_iter().map(|value| (value, Way::Items)));
                }
            }
        }
        // All are asked, so that what can grow does.
        !ways.is_empty()
            && ways.into_iter().fold(true, |all, (value, way)| self.way(value, way, wanted) && all)
    }

    /// Whether a call gives a new container, whose items may be copied to one of this type. Of a function without facts it may
    /// be an argument, unless it has no items.
    fn gives_copyable(&self, info: &FunctionInfo, given: Type, wanted: Type) -> bool {
        let is_new =
            info.returns.iter().all(|returned| matches!(returned, Returned::Items(_) | Returned::Listed(_)));
        let is_known = !info.returns.is_empty() || self.solver.cx.types.has_no_items(given);
        let is_object_array = self.solver.cx.types.items_of_object_array(given).is_some();
        is_new && is_known && !is_object_array && self.copies(given, wanted)
    }

    fn way(&mut self, value: Value, way: Way, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(of) = self.solver.ty(value) else { return true };
        match way {
            Way::Itself => self.value(value, wanted),
            Way::Item => self.inside(value, of, None, wanted),
            Way::Value => match types.contents(wanted).as_deref() {
                Some(&[_, held]) => self.value(value, held),
                _ => false,
            },
            Way::Items if let Some(whole) = object_arrays::holding(types, of, wanted) => {
                self.value(value, whole)
            }
            Way::Items if types.keywords(of).is_some() => self.known_items(value, of, wanted),
            Way::Items
                if !matches!(types.get(of), TypeData::Dict { .. })
                    && let Some(contents) = types.contents(wanted) =>
            {
                // A dict is made of pairs.
                self.items(value, if contents.len() == 1 { contents[0] } else { types.tuple(&contents) })
            }
            Way::Items => {
                let whole = types.contents(wanted).and_then(|contents| types.with_contents(of, &contents));
                whole.is_some_and(|whole| self.value(value, whole))
            }
        }
    }
}
