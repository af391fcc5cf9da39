//! Propagates type requests through iterators: if an item is required to have a wider or less precise type, the request
//! is passed on to the iterable, or to the function that computes the items.
//!
//! ```text
//! list({'b': x} for x in a)             the list holds dicts of any keys: the generator expression's function makes such
//! map(lambda d: d[s], [{'b': 1}, %d])   the display becomes a list of dicts of any keys
//! ```
//!
//! Absent: type requests for other values (`container_growth`).

use crate::calls::object_arrays;
use crate::containers::type_request::TypeRequest;
use crate::containers::widen::as_item;
use crate::solver::Solver;
use crate::solver::effects::{self, Argument};
use catalog::{Key, Returned};
use entity::EntitySet;
use ir::{Attr, Def, Inst, Op, Value};
use types::{Facet, Handle, Type, TypeData, TypeTable, unify};

/// What a function that is called with each item of iterables asks of these. Whether it asks for anything that they will
/// give: then it is another instance that will be called.
pub(crate) fn require_items(solver: &mut Solver<'_>, key: &(Handle, Vec<Type>), iterables: &[Value]) -> bool {
    let Some(asked) = solver.shared.wanted_params(key) else { return false };
    let gives = |&(at, wanted): &(usize, Type)| {
        let mut request = TypeRequest { solver: &mut *solver, seen: EntitySet::new() };
        iterables.get(at).is_some_and(|&iterable| request.items(iterable, wanted))
    };
    let settled = asked.iter().all(gives);
    if !settled {
        solver.shared.refuse(key);
    }
    settled
}

/// The type of a tuple, or of a list that never changes, with other elements.
pub(crate) fn with_elements(types: &TypeTable, of: Type, elements: &[Type]) -> Type {
    let tuple = types.tuple(elements);
    types.starred(of).map_or(tuple, |_| types.intern(TypeData::FixedList(tuple)))
}

/// The type of an iterator that gives such items and is else as this one.
fn with_items(solver: &Solver<'_>, of: Type, wanted: Type) -> Option<Type> {
    let types = solver.cx.types;
    if item_of(solver, of) == Some(wanted) {
        return Some(of);
    }
    let data = match types.get(of) {
        TypeData::GeneratorExpr { function, iterator, .. } => {
            TypeData::GeneratorExpr { function, iterator, item: wanted }
        }
        TypeData::Map { function, iterators, .. } => TypeData::Map { function, iterators, item: wanted },
        TypeData::Filter { function, iterator } => {
            TypeData::Filter { function, iterator: with_items(solver, iterator, wanted)? }
        }
        TypeData::Enumerate(iterator) => {
            let &[_, item] = &types.elements(wanted)?[..] else { return None };
            TypeData::Enumerate(with_items(solver, iterator, item)?)
        }
        TypeData::Zip(iterators) => {
            let parts = types.elements(wanted).filter(|parts| parts.len() == iterators.len())?;
            let each = iterators.iter().zip(parts.iter());
            TypeData::Zip(each.map(|(&of, &part)| with_items(solver, of, part)).collect::<Option<_>>()?)
        }
        TypeData::Iterator(of) => TypeData::Iterator(with_items(solver, of, wanted)?),
        TypeData::Tuple(parts) => return Some(types.tuple(&vec![wanted; parts.len()])),
        _ => return types.with_contents(of, &[wanted]),
    };
    Some(types.intern(data))
}

/// The type of an iterator whose items say less; nothing of what is no iterator.
pub(crate) fn widened(solver: &Solver<'_>, of: Type) -> Option<Type> {
    let types = solver.cx.types;
    with_items(solver, of, as_item(types, item_of(solver, of)?))
}

/// What an iterator gives; nothing of what is none.
pub(crate) fn item_of(solver: &Solver<'_>, of: Type) -> Option<Type> {
    let types = solver.cx.types;
    let is_iterator = matches!(
        types.get(of),
        TypeData::Iterator(_)
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
    );
    let resolve = || solver.cx.catalog.resolve(types, &Key::Iternext, &[of]);
    is_iterator.then(resolve).flatten().map(|resolution| resolution.result)
}

/// Whether an iterator calls a function for each item that never returns: it ends, or raises.
pub(crate) fn never_gives(solver: &Solver<'_>, iterator: Type) -> bool {
    let next = |of: Type| Some(solver.cx.catalog.resolve(solver.cx.types, &Key::Iternext, &[of])?.result);
    let never = |function: Type, iterators: &[Type]| {
        let items: Option<Vec<Type>> = iterators.iter().map(|&of| next(of)).collect();
        let key = items.and_then(|items| call_key(solver.cx.types, function, &items));
        key.is_some_and(|key| solver.shared.never_returns(&key))
            || iterators.iter().any(|&of| never_gives(solver, of))
    };
    match solver.cx.types.get(iterator) {
        TypeData::Map { function, iterators, .. } => never(function, &iterators),
        TypeData::GeneratorExpr { function, iterator, .. } => never(function, &[iterator]),
        TypeData::Filter { iterator: of, .. } | TypeData::Enumerate(of) => never_gives(solver, of),
        TypeData::Zip(all) => all.iter().any(|&of| never_gives(solver, of)),
        _ => false,
    }
}

/// The instance of a compiled function or a closure for arguments.
fn call_key(types: &TypeTable, function: Type, items: &[Type]) -> Option<(Handle, Vec<Type>)> {
    let (handle, own) = match types.get(function) {
        TypeData::Dispatcher(handle) => (handle, None),
        TypeData::Closure { function: handle, .. } => (handle, Some(function)),
        _ => return None,
    };
    let items = items.iter().map(|&item| types.unliteral(item));
    Some((handle, own.into_iter().chain(items).collect()))
}

impl TypeRequest<'_, '_> {
    /// An iterator of this type is asked for. Whether it will be; nothing where none is asked for.
    pub fn iterator(&mut self, iterator: Value, wanted: Type) -> Option<bool> {
        let item = item_of(self.solver, wanted)?;
        Some(self.items(iterator, item))
    }

    /// What an iterable gives is to be of this type. Whether it will be.
    pub fn items(&mut self, iterable: Value, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(of) = self.solver.ty(iterable) else { return true };
        // The rows of an array.
        if let Some(whole) = object_arrays::holding(types, of, wanted) {
            return self.value(iterable, whole);
        }
        if types.contents(of).is_some_and(|contents| contents.len() == 1) {
            return self.inside(iterable, of, None, wanted);
        }
        if let Some(parts) = types.elements(types.starred(of).unwrap_or(of)) {
            let whole = with_elements(types, of, &vec![wanted; parts.len()]);
            return self.value(iterable, whole);
        }
        let iterator = self.solver.cx.catalog.resolve(types, &Key::Getiter, &[of]);
        let item = iterator.and_then(|iterator| item_of(self.solver, iterator.result));
        if item == Some(wanted) || !self.seen.insert(iterable) {
            return true;
        }
        match self.solver.func.values[iterable].def {
            Def::Param(block, index) => {
                let incoming = self.incoming(block, index.into());
                incoming.into_iter().fold(true, |all, value| self.items(value, wanted) && all)
            }
            Def::Result(inst, _) => self.items_made(inst, of, wanted),
        }
    }

    fn items_made(&mut self, inst: Inst, of: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let data = self.solver.func.insts[inst].clone();
        match (data.op, data.attrs.first()) {
            (Op::Getiter | Op::CheckBound | Op::NotNone | Op::Narrow | Op::Cast | Op::Promote, _) => {
                self.items(data.args[0], wanted)
            }
            (Op::Arg, Some(&Attr::Int(index))) => with_items(self.solver, of, wanted).is_some_and(|wanted| {
                self.solver.shared.want_param(self.solver.number, index as usize, wanted, types)
            }),
            (Op::Call, _) => {
                self.items_of_call(&data.args, of, wanted)
                    || self.items_of_arguments(inst, &data.args, wanted)
            }
            _ => false,
        }
    }

    /// What a call gives are items of arguments, as the callee's facts say.
    fn items_of_arguments(&mut self, inst: Inst, args: &[Value], wanted: Type) -> bool {
        let Some(callee) = self.solver.ty(args[0]) else { return true };
        let info = effects::of_callee(self.solver, callee);
        let Some(arguments) = effects::arguments(self.solver, inst) else { return false };
        let gives = |returned: &Returned, argument: &Argument<'_>| match returned {
            Returned::Items(of) | Returned::Listed(of) => argument.is_for(of),
            _ => false,
        };
        let is_given =
            |argument: &&Argument<'_>| info.returns.iter().any(|returned| gives(returned, argument));
        let values: Vec<Value> = arguments.iter().filter(is_given).map(|argument| argument.value).collect();
        !values.is_empty() && values.into_iter().fold(true, |all, value| self.items(value, wanted) && all)
    }

    /// What a call gives goes through its arguments, or calls a function for each of their items.
    fn items_of_call(&mut self, args: &[Value], of: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        match (types.get(of), args) {
            // `iter` of an iterator.
            (_, &[_, iterable]) if self.solver.ty(iterable) == Some(of) => self.items(iterable, wanted),
            (TypeData::GeneratorExpr { function, iterator, .. }, _) => {
                self.made_by(function, &[iterator], types.tuple(&[wanted]))
            }
            (TypeData::Map { function, iterators, .. }, _) => self.made_by(function, &iterators, wanted),
            (TypeData::Filter { .. }, &[_, _, iterable]) => self.items(iterable, wanted),
            (TypeData::Iterator(_), &[_, iterable]) => self.items(iterable, wanted),
            (TypeData::Enumerate(_), &[_, iterable, ..]) => match types.elements(wanted).as_deref() {
                Some(&[_, item]) => self.items(iterable, item),
                _ => false,
            },
            (TypeData::Zip(_), [_, iterables @ ..]) => match types.elements(wanted) {
                Some(parts) if parts.len() == iterables.len() => {
                    iterables.iter().zip(parts.iter()).all(|(&iterable, &part)| self.items(iterable, part))
                }
                _ => false,
            },
            (TypeData::Facet { facet: facet @ (Facet::Values | Facet::Items), of }, &[method]) => {
                self.items_of_view(method, facet, of, wanted)
            }
            _ => false,
        }
    }

    /// What a function gives for items of iterators.
    fn made_by(&mut self, function: Type, iterators: &[Type], wanted: Type) -> bool {
        let items: Option<Vec<Type>> =
            iterators.iter().map(|&iterator| item_of(self.solver, iterator)).collect();
        items.is_some_and(|items| self.made_of(function, &items, wanted))
    }

    /// What a function gives for arguments.
    fn made_of(&mut self, function: Type, items: &[Type], wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let key = call_key(types, function, items);
        key.is_some_and(|key| self.solver.shared.want_result(&key, wanted, types))
    }

    /// What `map` over tuples gives, which is a tuple of the results.
    pub fn mapped(&mut self, inst: Inst, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let args: Option<Vec<Type>> =
            self.solver.func.insts[inst].args.iter().map(|&arg| self.solver.ty(arg)).collect();
        let (Some(&[_, function, ref iterables @ ..]), Some(parts)) =
            (args.as_deref(), types.elements(wanted))
        else {
            return false;
        };
        let tuples: Option<Vec<_>> = iterables.iter().map(|&of| types.items(of)).collect();
        let Some(tuples) = tuples else { return false };
        parts.iter().enumerate().all(|(iteration, &part)| {
            let items: Option<Vec<Type>> = tuples.iter().map(|items| items.get(iteration).copied()).collect();
            items.is_some_and(|items| self.made_of(function, &items, part))
        })
    }

    /// The values, or the pairs, of a dict.
    fn items_of_view(&mut self, method: Value, facet: Facet, dict: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let Some(receiver) = effects::receiver(self.solver, method) else { return false };
        match (facet, types.elements(wanted).as_deref()) {
            (Facet::Values, _) => self.inside(receiver, dict, None, wanted),
            (_, Some(pair)) => {
                types.with_contents(dict, pair).is_some_and(|wanted| self.value(receiver, wanted))
            }
            _ => false,
        }
    }

    /// The values, or the pairs, of a dict whose keys are known, which come as a tuple.
    pub fn known_items(&mut self, dict: Value, of: Type, wanted: Type) -> bool {
        let types = self.solver.cx.types;
        let (Some((names, known)), Some(parts)) = (types.keywords(of), types.elements(wanted)) else {
            return false;
        };
        let joins = |parts: &[Type]| {
            let pairs = known.iter().zip(parts);
            parts.len() == known.len() && pairs.into_iter().all(|(&a, &b)| unify(types, a, b).is_some())
        };
        let second = |&pair: &Type| types.elements(pair).and_then(|pair| pair.get(1).copied());
        let values = match parts.iter().map(second).collect::<Option<Vec<Type>>>() {
            _ if joins(&parts) => parts,
            Some(values) if joins(&values) => values.into(),
            _ => return false,
        };
        self.value(dict, types.intern(TypeData::StaticDict { names, types: values }))
    }
}
