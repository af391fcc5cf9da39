//! The fixpoint over functions that call each other.
//!
//! An *instance* is a function with argument types. The first instance is what was asked for; each
//! call of a compiled function makes another one, once. Instances are inferred until no result
//! changes, so self and mutual recursion need no annotation: a call whose result is not known
//! yet waits, the paths around it go on.

use crate::call_trace::blame;
use crate::finalize::{check_all_typed, finish};
use crate::overload_candidates::Implementations;
use crate::restart_state::RestartState;
use crate::solver::Solver;
use crate::{
    Context, Request, Rewriting, Typed, closures, exceptions, first_class_functions, generators,
    literal_unroll_lists, literally, map_filter, starred_literals, static_dict,
};
use catalog::{CalleeIr, Extended, FunctionInfo, Host, Parameters};
use diag::{Diagnostic, Result, codes};
use entity::HashMap;
use ir::{Block, Function, Inst};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;
use types::{Handle, Type, TypeData, TypeTable};

/// How many instances a compilation may need.
const MOST_INSTANCES: usize = 500;

/// How often the result of an instance may grow. A number grows a few times, a tuple that holds the
/// function's own result for ever.
const MOST_GROWTH: u32 = 30;

/// A block of an instance.
type Place = (usize, Block);

/// What the instances of a group know of each other.
#[derive(Default)]
pub(crate) struct GroupState {
    state: RefCell<State>,
    /// Whether one of the instances catches exceptions: what others raise is not asked otherwise.
    has_handlers: Cell<bool>,
    /// What outlives an attempt.
    pub memory: Rc<RefCell<RestartState>>,
    /// The implementations that are called.
    pub implementations: RefCell<Implementations>,
    /// What users' rewrites take part in.
    pub rewriting: Rewriting,
    /// What is known of functions that are not compiled.
    info: RefCell<HashMap<Extended, Rc<FunctionInfo>>>,
}

#[derive(Default)]
struct State {
    numbers: HashMap<(Handle, Vec<Type>), usize>,
    /// By instance: which function for which types; what made it; its result so far; who waits.
    instances: Vec<InstanceState>,
    /// The instances that blocks asked for when they were visited last.
    calls: HashMap<Place, Vec<usize>>,
    parameters: HashMap<Handle, Rc<Parameters>>,
    /// Of generator expressions: whether they give a list of all values.
    collectors: HashMap<Handle, bool>,
    cells: Vec<CellState>,
    cell_numbers: HashMap<(usize, Inst), u32>,
    /// Compiled functions that become function values of these types.
    values: Vec<(Handle, Type)>,
    /// Blocks that read a cell which holds more now.
    stale: Vec<Place>,
    /// Containers that instances are asked to give, by their numbers.
    wanted: HashMap<usize, Type>,
    /// Containers that cells are asked to hold.
    wanted_cells: HashMap<u32, Type>,
    /// What instances ask of their callers for a parameter: nobody calls these in the end.
    wanted_params: BTreeMap<(usize, usize), Type>,
    /// Instances of which callers cannot give what they ask for.
    refused: Vec<usize>,
    /// Those of them that are to be looked at again.
    again: Vec<usize>,
    /// Instances that were asked for more.
    asked: Vec<usize>,
    /// What is sent to generators that ask for it, by instance.
    sent: BTreeMap<usize, SentState>,
}

/// What is sent to a generator.
#[derive(Default)]
struct SentState {
    content: Option<Type>,
    readers: Vec<Place>,
}

/// A variable that functions share.
#[derive(Default)]
struct CellState {
    content: Option<Type>,
    readers: Vec<Place>,
    growth: u32,
    /// The parameter that it holds from the start, and the instance that this is one of.
    origin: Option<(usize, usize)>,
}

struct InstanceState {
    key: Option<(Handle, Vec<Type>)>,
    result: Option<Type>,
    callers: Vec<Place>,
    /// How often the result has grown.
    growth: u32,
    /// Whether it is known never to return.
    never_returns: bool,
    /// The exceptions that it is known to raise.
    raised: Vec<Type>,
}

impl InstanceState {
    fn new(key: Option<(Handle, Vec<Type>)>, result: Option<Type>) -> InstanceState {
        InstanceState {
            key,
            result,
            callers: Vec::new(),
            growth: 0,
            never_returns: false,
            raised: Vec::new(),
        }
    }
}

impl GroupState {
    /// The result of an instance as far as it is known; a new instance is noted.
    pub fn request(
        &self,
        caller: Place,
        function: Handle,
        args: Vec<Type>,
        types: &TypeTable,
    ) -> Result<Option<Type>> {
        let mut state = self.state.borrow_mut();
        let key = (function, args);
        let number = match state.numbers.get(&key) {
            Some(&number) => number,
            None if state.instances.len() >= MOST_INSTANCES => {
                return Err(too_many_instances(&state, function, types));
            }
            None => {
                let number = state.instances.len();
                state.numbers.insert(key.clone(), number);
                state.instances.push(InstanceState::new(Some(key), None));
                number
            }
        };
        let calls = state.calls.entry(caller).or_default();
        if !calls.contains(&number) {
            calls.push(number);
        }
        let known = &mut state.instances[number];
        if !known.callers.contains(&caller) {
            known.callers.push(caller);
        }
        Ok(known.result)
    }

    /// A block is visited: what it calls is to be seen anew.
    pub fn forget_calls(&self, caller: Place) {
        if let Some(calls) = self.state.borrow_mut().calls.get_mut(&caller) {
            calls.clear();
        }
    }

    /// What an instance infers: a rewritten function, or what Python knows.
    fn open(&self, host: &dyn Host, function: Handle, params: &[Type]) -> Result<CalleeIr> {
        let mut replaced = self.rewriting.replaced.iter();
        match replaced.find(|known| known.handle == function && known.params == params) {
            Some(known) => Ok(known.opened.clone()),
            None => host.load_callee_for(function, params),
        }
    }

    /// What is known of a function, once that was asked.
    pub fn info(&self, what: &Extended) -> Option<Rc<FunctionInfo>> {
        self.info.borrow().get(what).cloned()
    }

    pub fn note_info(&self, what: Extended, info: Rc<FunctionInfo>) {
        self.info.borrow_mut().insert(what, info);
    }

    /// The parameters of a function, asked for once.
    pub fn parameters(&self, host: &dyn Host, function: Handle) -> Result<Rc<Parameters>> {
        if let Some(known) = self.state.borrow().parameters.get(&function) {
            return Ok(known.clone());
        }
        let parameters = Rc::new(host.parameters(function)?);
        self.state.borrow_mut().parameters.insert(function, parameters.clone());
        Ok(parameters)
    }

    /// Whether a generator expression gives a list of all its values: it has a parameter for what is looked for.
    pub fn collects(&self, host: &dyn Host, function: Handle) -> Result<bool> {
        if let Some(&known) = self.state.borrow().collectors.get(&function) {
            return Ok(known);
        }
        let collects = host.open(function)?.func.params.len() > 1;
        self.state.borrow_mut().collectors.insert(function, collects);
        Ok(collects)
    }

    /// The number of the cell that an instruction of an instance makes.
    pub fn cell(&self, instance: usize, inst: Inst) -> u32 {
        let mut state = self.state.borrow_mut();
        let next = state.cells.len() as u32;
        let number = *state.cell_numbers.entry((instance, inst)).or_insert(next);
        if number == next {
            state.cells.push(CellState::default());
        }
        number
    }

    /// What a cell holds so far; the place looks again when that grows.
    pub fn read_cell(&self, reader: Place, cell: u32) -> Option<Type> {
        let state = &mut self.state.borrow_mut().cells[cell as usize];
        if !state.readers.contains(&reader) {
            state.readers.push(reader);
        }
        state.content
    }

    /// A cell holds more.
    pub fn grow_cell(&self, cell: u32, join: impl FnOnce(Option<Type>) -> Result<Type>) -> Result<()> {
        let known = self.state.borrow().cells[cell as usize].content;
        let joined = join(known)?;
        if known == Some(joined) {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        let found = &mut state.cells[cell as usize];
        found.content = Some(joined);
        found.growth += 1;
        if found.growth > MOST_GROWTH {
            return Err(Diagnostic::new(
                codes::NO_FIXPOINT,
                "the type of a variable that functions share grows with each call",
            ));
        }
        let readers = found.readers.clone();
        state.stale.extend(readers);
        Ok(())
    }

    /// A cell holds a parameter of an instance from the start.
    pub fn note_origin(&self, cell: u32, instance: usize, parameter: usize) {
        self.state.borrow_mut().cells[cell as usize].origin = Some((instance, parameter));
    }

    /// The instance and its parameter that a cell holds from the start.
    pub fn origin(&self, cell: u32) -> Option<(usize, usize)> {
        self.state.borrow().cells[cell as usize].origin
    }

    /// What a cell holds in the end.
    pub fn content(&self, cell: u32) -> Option<Type> {
        self.state.borrow().cells[cell as usize].content
    }

    /// What all cells hold; nothing of those that nobody stores to.
    pub fn contents(&self) -> Vec<Type> {
        let state = self.state.borrow();
        state.cells.iter().map(|cell| cell.content.unwrap_or(Type::UNDEFINED)).collect()
    }

    /// A generator asks for what is sent.
    pub fn ask_sent(&self, instance: usize) {
        self.state.borrow_mut().sent.entry(instance).or_default();
    }

    /// The type of what may be sent to a generator, as its own type says it.
    pub fn sent_to(&self, instance: usize) -> Type {
        let state = self.state.borrow();
        state.sent.get(&instance).map_or(Type::NONE, |sent| sent.content.unwrap_or(Type::UNDEFINED))
    }

    /// Whether a generator asks for what is sent and nobody knows what that is.
    pub fn is_sent_open(&self, instance: usize) -> bool {
        self.state.borrow().sent.get(&instance).is_some_and(|sent| sent.content.is_none())
    }

    /// What the function that was asked for gives, as far as it is known.
    pub fn root_result(&self) -> Option<Type> {
        self.state.borrow().instances[0].result
    }

    /// What is sent to a generator, as far as it is known; the place looks again when that grows.
    pub fn read_sent(&self, reader: Place) -> Option<Type> {
        let state = &mut *self.state.borrow_mut();
        let sent = state.sent.entry(reader.0).or_default();
        if !sent.readers.contains(&reader) {
            sent.readers.push(reader);
        }
        sent.content
    }

    /// Values of a type are sent to a generator; nothing if they have no type in common with others that are.
    pub fn grow_sent_of(&self, instance: usize, value: Type, types: &TypeTable) -> Option<()> {
        let state = &mut *self.state.borrow_mut();
        let sent = state.sent.entry(instance).or_default();
        let joined = types::unify(types, sent.content.unwrap_or(Type::UNDEFINED), value)?;
        if sent.content != Some(joined) {
            sent.content = Some(joined);
            state.stale.extend(sent.readers.iter().copied());
        }
        Some(())
    }

    /// The same for the generators that a value of a type may be.
    pub fn grow_sent(&self, generator: Type, value: Type, types: &TypeTable) -> Option<()> {
        let state = self.state.borrow();
        let asking = |number: &usize| state.instances[*number].result == Some(generator);
        let asking: Vec<usize> = state.sent.keys().copied().filter(asking).collect();
        drop(state);
        asking.into_iter().try_for_each(|number| self.grow_sent_of(number, value, types))
    }

    /// How many instances there are.
    pub fn count(&self) -> usize {
        self.state.borrow().instances.len()
    }

    pub fn key(&self, number: usize) -> Option<(Handle, Vec<Type>)> {
        self.state.borrow().instances[number].key.clone()
    }

    /// Notes the result of an instance; who has to look again if it changed.
    fn set_result(&self, number: usize, result: Option<Type>) -> Result<Vec<Place>> {
        let known = &mut self.state.borrow_mut().instances[number];
        if known.result == result {
            return Ok(Vec::new());
        }
        known.result = result;
        known.growth += 1;
        if known.growth > MOST_GROWTH {
            return Err(Diagnostic::new(
                codes::NO_FIXPOINT,
                "Return type of recursive function does not converge: it grows with each call",
            )
            .hint(
                "Return values of one type: the result must not hold another result of the same function.",
            ));
        }
        Ok(known.callers.clone())
    }

    /// What instances are known to raise so far that are called from these places.
    pub fn raised_from(&self, is_caller: impl Fn(&Place) -> bool) -> Vec<Type> {
        let state = self.state.borrow();
        let called = state.instances.iter().filter(|known| known.callers.iter().any(&is_caller));
        called.flat_map(|known| known.raised.iter().copied()).collect()
    }

    /// Notes what an instance raises; who has to look again if that is more than was known.
    fn set_raised(&self, number: usize, raised: Vec<Type>) -> Vec<Place> {
        let known = &mut self.state.borrow_mut().instances[number];
        let is_news = raised.iter().any(|ty| !known.raised.contains(ty));
        if is_news {
            known.raised = raised;
        }
        if is_news { known.callers.clone() } else { Vec::new() }
    }

    /// The result of the instance that a call is of.
    pub fn result_of(&self, function: Handle, args: &[Type]) -> Option<Type> {
        let state = self.state.borrow();
        let number = *state.numbers.get(&(function, args.to_vec()))?;
        state.instances[number].result
    }

    /// An instance is asked to give a container of this type. Whether there is such an instance.
    pub fn want_result(&self, key: &(Handle, Vec<Type>), wanted: Type, types: &TypeTable) -> bool {
        let state = &mut *self.state.borrow_mut();
        let Some(&number) = state.numbers.get(key) else { return false };
        if grow(&mut state.wanted, number, wanted, types) {
            state.asked.push(number);
        }
        true
    }

    /// What a cell holds is asked to be of this type, which the instance that made the cell sees to.
    pub fn want_cell(&self, cell: u32, wanted: Type, types: &TypeTable) -> bool {
        let state = &mut *self.state.borrow_mut();
        let maker = state.cell_numbers.iter().find(|&(_, &number)| number == cell);
        let Some(maker) = maker.map(|(&(maker, _), _)| maker) else { return false };
        if grow(&mut state.wanted_cells, cell, wanted, types) {
            state.asked.push(maker);
        }
        true
    }

    /// An instance asks for an argument of this type. Whether there are callers who may have it.
    pub fn want_param(&self, instance: usize, index: usize, wanted: Type, types: &TypeTable) -> bool {
        let state = &mut *self.state.borrow_mut();
        let callers = state.instances[instance].callers.clone();
        if instance == 0 || callers.is_empty() || state.refused.contains(&instance) {
            return false;
        }
        let known = state.wanted_params.entry((instance, index)).or_insert(Type::UNDEFINED);
        let joined = types::unify(types, *known, wanted).unwrap_or(wanted);
        if std::mem::replace(known, joined) != joined {
            state.stale.extend(callers);
        }
        true
    }

    /// The parameters for which an instance asks its callers for other arguments, by their places; nothing if it asks for none.
    pub fn wanted_params(&self, key: &(Handle, Vec<Type>)) -> Option<Vec<(usize, Type)>> {
        let state = self.state.borrow();
        let number = *state.numbers.get(key).filter(|_| !state.wanted_params.is_empty())?;
        let asked = state.wanted_params.range((number, 0)..(number + 1, 0));
        let asked: Vec<(usize, Type)> = asked.map(|(&(_, index), &ty)| (index, ty)).collect();
        (!asked.is_empty()).then_some(asked)
    }

    /// A caller cannot give what an instance asks for.
    pub fn refuse(&self, key: &(Handle, Vec<Type>)) {
        let state = &mut *self.state.borrow_mut();
        let Some(&number) = state.numbers.get(key) else { return };
        state.wanted_params.retain(|&(instance, _), _| instance != number);
        state.refused.push(number);
        state.again.push(number);
        let callers = state.instances[number].callers.clone();
        state.stale.extend(callers);
    }

    /// Which instances are called in the end: types of arguments may have grown since others were asked for.
    fn lives(&self, engines: &[Solver<'_>], types: &TypeTable) -> Vec<bool> {
        let state = self.state.borrow();
        let mut lives = vec![false; engines.len()];
        let instance_of = |(function, ty): &(Handle, Type)| match types.get(*ty) {
            TypeData::FunctionValue { params, .. } => {
                state.numbers.get(&(*function, params.to_vec())).copied()
            }
            _ => None,
        };
        let mut open: Vec<usize> = state.values.iter().filter_map(instance_of).collect();
        open.push(0);
        while let Some(number) = open.pop() {
            if engines.get(number).is_none() || std::mem::replace(&mut lives[number], true) {
                continue;
            }
            let reached = engines[number].reached_blocks();
            let calls = reached.iter().filter_map(|&block| state.calls.get(&(number, block)));
            open.extend(calls.flatten());
        }
        lives
    }

    /// Whether an instance is known never to return.
    pub fn never_returns(&self, key: &(Handle, Vec<Type>)) -> bool {
        let state = self.state.borrow();
        state.numbers.get(key).is_some_and(|&number| state.instances[number].never_returns)
    }

    /// The container that a cell is asked to hold.
    pub fn wanted_in_cell(&self, cell: u32) -> Option<Type> {
        self.state.borrow().wanted_cells.get(&cell).copied()
    }

    /// The container that an instance is asked to give.
    pub fn wanted_result(&self, number: usize) -> Option<Type> {
        self.state.borrow().wanted.get(&number).copied()
    }

    /// A compiled function becomes a function value of this type.
    pub fn want_value(&self, function: Handle, ty: Type) {
        let values = &mut self.state.borrow_mut().values;
        if !values.contains(&(function, ty)) {
            values.push((function, ty));
        }
    }

    /// The compiled functions that become function values, with the types of these.
    pub fn values(&self) -> Vec<(Handle, Type)> {
        self.state.borrow().values.clone()
    }

    /// The call that made an instance, and what it is.
    pub fn first_call(&self, number: usize) -> Option<(Place, (Handle, Vec<Type>))> {
        let state = self.state.borrow();
        let known = state.instances.get(number)?;
        Some((*known.callers.first()?, known.key.clone()?))
    }

    /// The instances that an instance calls.
    fn calls_of(&self, solver: &Solver<'_>) -> Vec<(Handle, Vec<Type>)> {
        let state = self.state.borrow();
        let reached = solver.reached_blocks().into_iter();
        let calls = reached.filter_map(|block| state.calls.get(&(solver.number, block)));
        let called: BTreeSet<usize> = calls.flatten().copied().collect();
        called.into_iter().filter_map(|number| state.instances[number].key.clone()).collect()
    }
}

/// Something is asked to hold this, too. Whether that is news.
fn grow<K: Eq + Hash>(asked: &mut HashMap<K, Type>, key: K, wanted: Type, types: &TypeTable) -> bool {
    let known = asked.entry(key).or_insert(Type::UNDEFINED);
    let joined = types::unify(types, *known, wanted).unwrap_or(wanted);
    std::mem::replace(known, joined) != joined
}

fn too_many_instances(state: &State, function: Handle, types: &TypeTable) -> Box<Diagnostic> {
    let keys = state.instances.iter().filter_map(|known| known.key.as_ref());
    let first: Vec<String> = keys
        .filter(|(called, _)| *called == function)
        .map(|(_, args)| format!("({})", types.names(args)))
        .take(3)
        .collect();
    Diagnostic::new(codes::NO_FIXPOINT, "functions call each other with ever new types")
        .note(format!("the arguments are {}, and so on", first.join(", then ")))
        .hint("Make the recursive call pass arguments of the types that the function was called with.")
}

pub(crate) fn infer(request: Request, cx: Context<'_>) -> Result<Vec<Typed>> {
    let memory = Rc::new(RefCell::new(RestartState::new(request.wanted.clone())));
    loop {
        let outcome = attempt(request.clone(), cx, memory.clone());
        let again =
            |memory: &mut RestartState| memory.take_restart() || memory.guess_again(generators::GUESSES);
        if outcome.is_ok() || !again(&mut memory.borrow_mut()) {
            return outcome.map_err(|failure| memory.borrow_mut().take_failure().unwrap_or(failure));
        }
    }
}

fn attempt(request: Request, cx: Context<'_>, memory: Rc<RefCell<RestartState>>) -> Result<Vec<Typed>> {
    let shared = GroupState { memory, rewriting: request.rewriting, ..GroupState::default() };
    let key = request.handle.map(|handle| (handle, request.args.clone()));
    {
        let mut state = shared.state.borrow_mut();
        if let Some(key) = &key {
            state.numbers.insert(key.clone(), 0);
        }
        state.instances.push(InstanceState::new(key, request.result));
    }
    let Request { func, host, args, result, semantics, .. } = request;
    let func = rewrite_untyped(func, &*host, 0, &shared, cx)?;
    let mut engines = vec![Solver::new(0, func, host, args, result, cx, &shared)];
    engines[0].semantics = semantics;
    shared.has_handlers.set(engines[0].has_handlers());
    let outcome = infer_all(&mut engines, &shared, cx);
    let revised = engines.iter().fold(false, |revised, solver| starred_literals::revise(solver) || revised);
    if let Err(failure) = outcome {
        let is_of_types = failure.code != codes::LIBRARY && !shared.memory.borrow().will_restart();
        let last = engines.len() - 1;
        let mut retreats = false;
        for solver in &engines {
            retreats |= is_of_types && starred_literals::retreat(solver, solver.number < last);
        }
        if retreats {
            shared.memory.borrow_mut().note_failure(failure.clone());
        }
        return Err(failure);
    }
    if revised {
        return Err(Diagnostic::internal("inference", "a list display changes after all"));
    }
    let lives = shared.lives(&engines, cx.types);
    let finished =
        engines.into_iter().enumerate().filter(|&(number, _)| lives[number]).map(|(number, solver)| {
            let handle = shared.key(number).map(|(handle, _)| handle);
            let calls = shared.calls_of(&solver);
            finish(solver, handle, calls)
        });
    finished.collect()
}

/// What is written out before types are known.
fn rewrite_untyped(
    mut func: Function,
    host: &dyn Host,
    number: usize,
    shared: &GroupState,
    cx: Context<'_>,
) -> Result<Function> {
    let mut change = |pass, body: &mut dyn FnMut(&mut Function)| {
        cx.passes.change(pass, &mut func, &mut |func| {
            body(func);
            Ok(())
        })
    };
    change("literal_unroll", &mut |func| literally::unroll_loops(shared, number, func))?;
    change("static_dicts", &mut static_dict::form_merges)?;
    change("constant_literals", &mut starred_literals::expand_constant_literals)?;
    change("tuples_from_lists", &mut |func| literal_unroll_lists::tuples_from_lists(func, host, cx.catalog))?;
    change("sink_lists", &mut starred_literals::sink_passed_lists)?;
    Ok(func)
}

/// Infers instances until nothing changes.
fn infer_all<'a>(engines: &mut Vec<Solver<'a>>, shared: &'a GroupState, cx: Context<'a>) -> Result<()> {
    loop {
        while let Some(number) = next_or_settle(engines, shared)? {
            run(engines, shared, number, cx)?;
        }
        let known = shared.count();
        for number in 0..engines.len() {
            let noted = first_class_functions::note_values(&engines[number]);
            noted.map_err(|error| blame(engines, shared, number, error))?;
            open_new(engines, shared, number, cx)?;
        }
        if shared.count() == known {
            break;
        }
    }
    // Callees stand behind their callers: the failure nearest to its cause is told.
    let lives = shared.lives(engines, cx.types);
    for number in (0..engines.len()).rev().filter(|&number| lives[number]) {
        if let Some(failure) = engines[number].take_failure() {
            return Err(blame(engines, shared, number, failure));
        }
    }
    for (number, solver) in engines.iter().enumerate().filter(|&(number, _)| lives[number]) {
        check_all_typed(solver).map_err(|error| blame(engines, shared, number, error))?;
        map_filter::check_result(solver).map_err(|error| blame(engines, shared, number, error))?;
    }
    first_class_functions::check_values(&engines[0]).map_err(|error| blame(engines, shared, 0, error))?;
    Ok(())
}

/// The instance to run next: the one made last, so that callees come before their callers.
fn next_pending(engines: &[Solver<'_>]) -> Option<usize> {
    engines.iter().rposition(Solver::is_pending)
}

fn run<'a>(
    engines: &mut Vec<Solver<'a>>,
    shared: &'a GroupState,
    number: usize,
    cx: Context<'a>,
) -> Result<()> {
    if let Err(error) = engines[number].run() {
        if shared.lives(engines, cx.types)[number] {
            return Err(blame(engines, shared, number, error));
        }
        // Nobody calls it with these types any more.
        let entry = engines[number].func.entry;
        let first = engines[number].func.blocks[entry].insts[0];
        engines[number].note_failure(entry, first, error.into());
    }
    if shared.memory.borrow().will_restart() {
        return Err(Diagnostic::new(codes::UNTYPED, "lists that were taken for such as never change do"));
    }
    open_new(engines, shared, number, cx)?;
    announce(engines, shared, number)?;
    revisit_stale(engines, shared);
    let again = std::mem::take(&mut shared.state.borrow_mut().again);
    for solver in again {
        engines[solver].revisit_all();
    }
    let asked = std::mem::take(&mut shared.state.borrow_mut().asked);
    for solver in asked {
        let entry = engines[solver].func.entry;
        engines[solver].revisit(entry);
    }
    Ok(())
}

/// Blocks that read what has grown are visited again.
fn revisit_stale(engines: &mut [Solver<'_>], shared: &GroupState) {
    let stale = std::mem::take(&mut shared.state.borrow_mut().stale);
    for (reader, block) in stale {
        engines[reader].revisit(block);
    }
}

/// The result that a function gives which compiles no more.
fn fixed_result(
    host: &dyn Host,
    shared: &GroupState,
    cx: Context<'_>,
    function: Handle,
    args: &[Type],
) -> Option<Type> {
    let parameters = shared.parameters(host, function).ok()?;
    let signature = parameters.signatures.iter().flatten().find(|signature| signature.params == args)?;
    // A function that is returned is known by what it takes along, which inference finds again.
    let plain = |ty: Type| cx.types.functions(ty).is_none();
    let of_values =
        cx.types.components(signature.result).iter().flat_map(|all| all.iter()).all(|&ty| plain(ty));
    (of_values && plain(signature.result)).then_some(signature.result)
}

/// Opens the functions that an instance was the first to ask for.
fn open_new<'a>(
    engines: &mut Vec<Solver<'a>>,
    shared: &'a GroupState,
    number: usize,
    cx: Context<'a>,
) -> Result<()> {
    for new in engines.len()..shared.count() {
        if let Some((function, args)) = shared.key(new) {
            let opened = shared.open(&*engines[number].host, function, &args);
            let opened = opened.map_err(|error| blame(engines, shared, new, error))?;
            let mut args = args;
            let closure = closures::closure_of(cx.types, function, &args);
            if closure.is_some() {
                args.remove(0);
            }
            let declared = fixed_result(&*engines[number].host, shared, cx, function, &args);
            let func = rewrite_untyped(opened.func, &*opened.host, new, shared, cx)?;
            let mut solver = Solver::new(new, func, opened.host, args, declared, cx, shared);
            solver.closure = closure;
            solver.semantics = opened.semantics;
            let has_handlers = solver.has_handlers();
            engines.push(solver);
            if has_handlers && !shared.has_handlers.replace(true) {
                (0..engines.len()).for_each(|known| note_raised(engines, shared, known));
            }
        }
    }
    Ok(())
}

/// Callers look again where the result of an instance has changed.
fn announce(engines: &mut [Solver<'_>], shared: &GroupState, number: usize) -> Result<()> {
    if engines[number].returns() {
        shared.state.borrow_mut().instances[number].never_returns = false;
    }
    for (caller, block) in shared.set_result(number, engines[number].result)? {
        engines[caller].revisit(block);
    }
    if shared.has_handlers.get() {
        note_raised(engines, shared, number);
    }
    Ok(())
}

/// Callers with handlers look again where an instance raises more.
fn note_raised(engines: &mut [Solver<'_>], shared: &GroupState, number: usize) {
    for (caller, block) in shared.set_raised(number, exceptions::raised_by(&engines[number])) {
        engines[caller].revisit(block);
    }
}

/// The instance to run next. When nothing is pending, a function that never returns gets a result
/// all the same, which lets its callers go on.
fn next_or_settle(engines: &mut [Solver<'_>], shared: &GroupState) -> Result<Option<usize>> {
    loop {
        if let Some(number) = next_pending(engines) {
            return Ok(Some(number));
        }
        let is_silent =
            |solver: &Solver<'_>| solver.result.is_none() && !solver.returns() && !solver.has_failed();
        if engines.iter().any(generators::settle_sent) {
            revisit_stale(engines, shared);
            continue;
        }
        if engines.iter_mut().rev().any(Solver::force_open_containers) {
            continue;
        }
        if engines.iter_mut().rev().any(Solver::give_up_open) {
            continue;
        }
        let silent = engines.iter().position(is_silent);
        let Some(silent) = silent else { return Ok(None) };
        engines[silent].result = Some(Type::NONE);
        shared.state.borrow_mut().instances[silent].never_returns = true;
        announce(engines, shared, silent)?;
    }
}
