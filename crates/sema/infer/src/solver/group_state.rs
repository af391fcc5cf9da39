//! What the instances of a group of functions know about each other: results, cells, values sent to generators, type
//! requests.
//!
//! Absent: the code that fills it (`call_graph_solver` and the features), state that survives a restart (`restart_state`).

use crate::Natives;
use crate::Rewriting;
use crate::solver::restart_state::RestartState;
use catalog::{CalleeIr, Extended, ExtensionQuery, FunctionInfo, Host, NativeCode, Parameters};
use diag::{Diagnostic, Result, codes};
use entity::HashMap;
use ir::{Block, Inst};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;
use types::{Handle, Type, TypeData, TypeTable};

/// How many instances of one function a compilation may need, and how many in all: a function may make others for ever.
const MAX_INSTANCES: usize = 500;
const MAX_ALL_INSTANCES: usize = 20_000;

/// How often the result of an instance may grow. A number grows a few times, a tuple that holds the
/// function's own result for ever.
const MAX_GROWTH: u32 = 30;

/// A block of an instance.
pub(crate) type BlockOfInstance = (usize, Block);

/// What the instances of a group know of each other.
#[derive(Default)]
pub(crate) struct GroupState {
    state: RefCell<State>,
    /// Whether one of the instances catches exceptions: what others raise is not asked otherwise.
    pub has_handlers: Cell<bool>,
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
    /// How many instances each function has.
    counts: HashMap<Handle, usize>,
    /// The instances that blocks asked for when they were visited last.
    calls: HashMap<BlockOfInstance, Vec<usize>>,
    parameters: HashMap<Handle, Rc<Parameters>>,
    /// Of generator expressions.
    forms: HashMap<Handle, Form>,
    cells: Vec<CellState>,
    cell_numbers: HashMap<(usize, Inst), u32>,
    /// Compiled functions that become function values of these types.
    values: Vec<(Handle, Type)>,
    /// Blocks that read a cell which holds more now.
    stale: Vec<BlockOfInstance>,
    /// Containers that instances are asked to give, by their numbers.
    wanted: HashMap<usize, Type>,
    /// Containers that cells are asked to hold.
    wanted_cells: HashMap<u32, Type>,
    /// The instances that ask, by the cell.
    cell_requests: BTreeMap<u32, Vec<usize>>,
    /// Cells of which what is stored in them cannot become what they are asked to hold.
    refused_cells: Vec<u32>,
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

/// What the code of a generator expression became.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub is_generator: bool,
    pub parameters: usize,
}

/// What is sent to a generator.
#[derive(Default)]
struct SentState {
    content: Option<Type>,
    readers: Vec<BlockOfInstance>,
}

/// A variable that functions share.
#[derive(Default)]
struct CellState {
    content: Option<Type>,
    readers: Vec<BlockOfInstance>,
    growth: u32,
    /// Whether it has one value wherever a function is made that gets it, once that was found out.
    is_constant: Option<bool>,
    /// Whether it is on the heap: a function that changes it outlives the one that made it.
    is_on_heap: bool,
    /// The parameter that it holds from the start, and the instance that this is one of.
    origin: Option<(usize, usize)>,
}

struct InstanceState {
    key: Option<(Handle, Vec<Type>)>,
    result: Option<Type>,
    callers: Vec<BlockOfInstance>,
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

/// The implementations that are called in a group.
#[derive(Default)]
pub(crate) struct Implementations {
    made_for: entity::HashMap<Handle, (ExtensionQuery, bool)>,
    /// Machine code by its symbol: texts of libraries, nothing for instances of Rumba's own library.
    natives: BTreeMap<Arc<str>, Option<Arc<str>>>,
}

impl Implementations {
    pub fn note(&mut self, function: Handle, query: ExtensionQuery, wants_literals: bool) {
        self.made_for.entry(function).or_insert((query, wants_literals));
    }

    /// The display that made the argument of a parameter, if the function was the answer for that.
    pub fn initial_value(&self, function: Handle, parameter: usize) -> Option<Arc<[Type]>> {
        let (query, wants_literals) = self.made_for.get(&function)?;
        let is_by_position = parameter + query.names.len() < query.args.len();
        let mut known = query.initial_values.iter().filter(|_| *wants_literals && is_by_position);
        known.find(|&&(at, _)| at == parameter).map(|(_, constants)| constants.clone())
    }

    /// What a function was the answer for.
    pub fn what(&self, function: Handle) -> Option<&Extended> {
        self.made_for.get(&function).map(|(query, _)| &query.what)
    }

    pub fn note_native(&mut self, native: &NativeCode) {
        self.natives.insert(native.symbol.clone(), native.text.clone());
    }
}

impl GroupState {
    /// The state of a group whose first instance is what was asked for.
    pub fn new(
        memory: Rc<RefCell<RestartState>>,
        rewriting: Rewriting,
        key: Option<(Handle, Vec<Type>)>,
        result: Option<Type>,
    ) -> Self {
        let group = GroupState { memory, rewriting, ..GroupState::default() };
        let mut state = group.state.borrow_mut();
        state.numbers.extend(key.clone().map(|key| (key, 0)));
        state.instances.push(InstanceState::new(key, result));
        drop(state);
        group
    }

    /// Blocks that read what has grown since this was asked.
    pub fn take_stale(&self) -> Vec<BlockOfInstance> {
        std::mem::take(&mut self.state.borrow_mut().stale)
    }

    /// Instances that are to be looked at again as a whole, and those that were asked for more.
    pub fn take_asked(&self) -> (Vec<usize>, Vec<usize>) {
        let state = &mut *self.state.borrow_mut();
        (std::mem::take(&mut state.again), std::mem::take(&mut state.asked))
    }

    /// Whether an instance is known never to return.
    pub fn note_never_returns(&self, number: usize, never: bool) {
        self.state.borrow_mut().instances[number].never_returns = never;
    }

    /// The result of an instance as far as it is known; a new instance is noted.
    pub fn request(
        &self,
        caller: BlockOfInstance,
        function: Handle,
        args: Vec<Type>,
        types: &TypeTable,
    ) -> Result<Option<Type>> {
        let mut state = self.state.borrow_mut();
        let key = (function, args);
        let number = match state.numbers.get(&key) {
            Some(&number) => number,
            None => {
                let number = state.instances.len();
                let own = state.counts.entry(function).or_default();
                *own += 1;
                let too_many = *own > MAX_INSTANCES || number >= MAX_ALL_INSTANCES;
                if too_many {
                    return Err(too_many_instances(&state, function, types));
                }
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

    /// A block is visited: what it calls is to be seen again.
    pub fn forget_calls(&self, caller: BlockOfInstance) {
        if let Some(calls) = self.state.borrow_mut().calls.get_mut(&caller) {
            calls.clear();
        }
    }

    /// What an instance infers: a rewritten function, or what Python knows.
    pub fn open(&self, host: &dyn Host, function: Handle, params: &[Type]) -> Result<CalleeIr> {
        let mut replaced = self.rewriting.replaced.iter();
        match replaced.find(|known| known.handle == function && known.params == params) {
            Some(known) => Ok(known.opened.clone()),
            None if self.memory.borrow().is_generator(function) => host.open_generator(function),
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

    /// What a function is of which somebody asks: opened once.
    pub fn form(&self, host: &dyn Host, function: Handle) -> Result<Form> {
        if let Some(&known) = self.state.borrow().forms.get(&function) {
            return Ok(known);
        }
        let func = match self.memory.borrow().is_generator(function) {
            true => host.open_generator(function)?.func,
            false => host.open(function)?.func,
        };
        let form = Form { is_generator: func.is_generator, parameters: func.params.len() };
        self.state.borrow_mut().forms.insert(function, form);
        Ok(form)
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
    pub fn read_cell(&self, reader: BlockOfInstance, cell: u32) -> Option<Type> {
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
        if found.growth > MAX_GROWTH {
            return Err(Diagnostic::new(
                codes::NO_FIXPOINT,
                "the type of a variable that functions share grows with each call",
            ));
        }
        let readers = found.readers.clone();
        let is_late = found.is_on_heap && known.is_some();
        state.stale.extend(readers);
        if is_late
            && let Some((&(instance, inst), _)) = state.cell_numbers.iter().find(|&(_, &it)| it == cell)
        {
            let key = state.instances[instance].key.clone();
            self.memory.borrow_mut().note_heap_cell(key, inst, joined);
        }
        Ok(())
    }

    /// A cell is on the heap: functions that outlive its maker have its content in their types, so that is no literal.
    pub fn put_on_heap(&self, cell: u32, content: Type) -> Result<()> {
        self.grow_cell(cell, |_| Ok(content))?;
        self.state.borrow_mut().cells[cell as usize].is_on_heap = true;
        Ok(())
    }

    /// Whether nobody has found out yet whether a cell has one value only.
    pub fn asks_constant(&self, cell: u32) -> bool {
        self.state.borrow().cells[cell as usize].is_constant.is_none()
    }

    pub fn note_constant(&self, cell: u32, is_constant: bool) {
        self.state.borrow_mut().cells[cell as usize].is_constant = Some(is_constant);
    }

    /// Whether a cell has one value wherever a function is made that gets it.
    pub fn is_constant(&self, cell: u32) -> bool {
        self.state.borrow().cells[cell as usize].is_constant == Some(true)
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

    /// What all cells hold; nothing of those that nobody stores to. Those on the heap say so.
    pub fn contents(&self, types: &TypeTable) -> Vec<Type> {
        let state = self.state.borrow();
        let content = |cell: &CellState| match cell.content.unwrap_or(Type::UNDEFINED) {
            content if cell.is_on_heap => types.intern(TypeData::HeapCell(content)),
            content => content,
        };
        state.cells.iter().map(content).collect()
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
    pub fn read_sent(&self, reader: BlockOfInstance) -> Option<Type> {
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
    pub fn set_result(&self, number: usize, result: Option<Type>) -> Result<Vec<BlockOfInstance>> {
        let known = &mut self.state.borrow_mut().instances[number];
        if known.result == result {
            return Ok(Vec::new());
        }
        known.result = result;
        known.growth += 1;
        if known.growth > MAX_GROWTH {
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
    pub fn raised_from(&self, is_caller: impl Fn(&BlockOfInstance) -> bool) -> Vec<Type> {
        let state = self.state.borrow();
        let called = state.instances.iter().filter(|known| known.callers.iter().any(&is_caller));
        called.flat_map(|known| known.raised.iter().copied()).collect()
    }

    /// Notes what an instance raises; who has to look again if that is more than was known.
    pub fn set_raised(&self, number: usize, raised: Vec<Type>) -> Vec<BlockOfInstance> {
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
    pub fn want_cell(&self, instance: usize, cell: u32, wanted: Type, types: &TypeTable) -> bool {
        let state = &mut *self.state.borrow_mut();
        if state.refused_cells.contains(&cell) {
            return false;
        }
        state.cell_requests.entry(cell).or_default().push(instance);
        let maker = state.cell_numbers.iter().find(|&(_, &number)| number == cell);
        let Some(maker) = maker.map(|(&(maker, _), _)| maker) else { return false };
        if grow(&mut state.wanted_cells, cell, wanted, types) {
            state.asked.push(maker);
        }
        true
    }

    /// What is stored in a cell cannot become what instances ask it to hold: they do with what it is.
    pub fn refuse_cell(&self, cell: u32) {
        let state = &mut *self.state.borrow_mut();
        state.wanted_cells.remove(&cell);
        state.refused_cells.push(cell);
        state.again.extend(state.cell_requests.remove(&cell).into_iter().flatten());
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
    /// `reached` gives the blocks that some path of an instance reaches, for the first `count` instances.
    pub fn lives(&self, count: usize, reached: impl Fn(usize) -> Vec<Block>, types: &TypeTable) -> Vec<bool> {
        let state = self.state.borrow();
        let mut lives = vec![false; count];
        let instance_of = |(function, ty): &(Handle, Type)| match types.get(*ty) {
            TypeData::FunctionValue { params, .. } => {
                state.numbers.get(&(*function, params.to_vec())).copied()
            }
            _ => None,
        };
        let mut open: Vec<usize> = state.values.iter().filter_map(instance_of).collect();
        open.push(0);
        while let Some(number) = open.pop() {
            if number >= count || std::mem::replace(&mut lives[number], true) {
                continue;
            }
            let blocks = reached(number);
            let calls = blocks.iter().filter_map(|&block| state.calls.get(&(number, block)));
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
    pub fn first_call(&self, number: usize) -> Option<(BlockOfInstance, (Handle, Vec<Type>))> {
        let state = self.state.borrow();
        let known = state.instances.get(number)?;
        Some((*known.callers.first()?, known.key.clone()?))
    }

    /// The instances that these blocks of an instance call.
    pub fn calls_of(&self, number: usize, blocks: Vec<Block>) -> Vec<(Handle, Vec<Type>)> {
        let state = self.state.borrow();
        let calls = blocks.into_iter().filter_map(|block| state.calls.get(&(number, block)));
        let called: BTreeSet<usize> = calls.flatten().copied().collect();
        called.into_iter().filter_map(|number| state.instances[number].key.clone()).collect()
    }
}

impl GroupState {
    /// Whether a function takes the arguments' types with the values they know.
    pub fn keeps_literals(&self, function: Handle) -> bool {
        self.implementations.borrow().made_for.get(&function).is_some_and(|(_, literals)| *literals)
    }

    /// Machine code of libraries that the group calls: texts, and symbols of instances.
    pub fn natives(&self) -> Natives {
        let mut found = Natives::default();
        for (symbol, text) in &self.implementations.borrow().natives {
            match text {
                Some(text) => found.texts.push(text.clone()),
                None => found.instances.push(symbol.clone()),
            }
        }
        found
    }

    /// What the function of an instance implements.
    pub fn implements(&self, instance: usize) -> Option<ExtensionQuery> {
        let (_, (function, _)) = self.first_call(instance)?;
        self.implementations.borrow().made_for.get(&function).map(|(query, _)| query.clone())
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
