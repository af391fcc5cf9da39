//! The state of the fixpoint over the blocks of one function: the types of its values, and the blocks to visit.
//!
//! Absent: what a visit does (`visit`).

pub(crate) mod call_graph_solver;
pub(crate) mod effects;
pub(crate) mod exceptions;
pub(crate) mod group_state;
pub(crate) mod joins;
pub(crate) mod restart_state;
pub(crate) mod type_graph;
pub(crate) mod visit;

use crate::Context;
use crate::calls::call_data::{Choice, Extended, FoldedCall, WithoutItems};
use crate::desugar::starred_displays::Displays;
use crate::overloads::lookup::Failure;
use crate::solver::group_state::GroupState;
use catalog::{Host, Resolutions, Resolved, Semantics};
use diag::{Diagnostic, Result};
use entity::{HashMap, SideTable};
use ir::{Attr, Block, BlockCall, Const, Function, Inst, Op, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use types::{Handle, LiteralValue, Type, TypeData, unify};

pub(crate) struct Solver<'a> {
    pub func: Function,
    /// Number of this instance in its group.
    pub number: usize,
    /// The interface to Python for this function.
    pub host: Rc<dyn Host>,
    /// The state shared by the instances of the group.
    pub shared: &'a GroupState,
    pub args: Vec<Type>,
    /// For an inner function: its closure type.
    pub closure: Option<Type>,
    /// Type that the user declared for the result.
    pub declared: Option<Type>,
    /// The semantics that the user selected for operations.
    pub semantics: Semantics,
    pub cx: Context<'a>,
    /// The types known so far; none for a value that no visited path defines.
    pub types: SideTable<Value, Option<Type>>,
    /// Join of the returned values' types so far.
    pub result: Option<Type>,
    /// For a generator: the joins of the yielded and returned types so far.
    pub yielded: Option<Type>,
    pub returned: Option<Type>,
    /// Reachable blocks.
    pub reached: SideTable<Block, bool>,
    /// Constant results of instructions: globals and attributes of modules.
    pub constants: SideTable<Inst, Option<Const>>,
    /// The catalog's resolutions of instructions, for lowering.
    pub resolved: Resolutions,
    /// Calls of compiled functions: the argument of each parameter.
    pub folded: SideTable<Inst, Option<FoldedCall>>,
    /// Calls of one of several functions: the same for each of these.
    pub chosen: SideTable<Inst, Vec<FoldedCall>>,
    /// Calls of functions that never return, and accesses to containers that are always empty: the code after them is
    /// unreachable.
    pub ends: SideTable<Inst, Option<Type>>,
    /// Whether there are, or were, any.
    pub has_ends: bool,
    /// Whether `value` of an exception is used, whose type follows from those of generators.
    pub asks_stop_value: bool,
    /// Whether something is taken out of a container of which nobody knows what it holds.
    asks_open: bool,
    /// Instructions that call library implementations.
    pub extended: SideTable<Inst, Option<Extended>>,
    /// The calls that instructions were merged into.
    pub joined_by: SideTable<Inst, Option<Inst>>,
    /// Instructions whose implementation runs on several threads.
    pub in_parallel: SideTable<Inst, bool>,
    /// Failures by block, in reverse postorder.
    pub failures: BTreeMap<usize, (Inst, Failure)>,
    /// Calls of `map`, `filter` and generator expressions that give no item, and why.
    pub without_items: SideTable<Inst, Option<WithoutItems>>,
    /// Calls of `map` that are unrolled: the number of iterations.
    pub mapped: SideTable<Inst, Option<usize>>,
    /// Calls of `min` and `max` by a key.
    pub choices: SideTable<Inst, Option<Choice>>,
    /// Tuples with starred parts.
    pub displays: Displays,
    /// Instructions that are done with Python objects, and why (`object_fallback`).
    pub on_objects: HashMap<Inst, Box<Diagnostic>>,
    /// Why values of several types are Python objects under one name.
    pub joined_as_objects: Vec<Box<Diagnostic>>,
    /// Element types that containers have grown to, by the instruction that creates them.
    pub grown: HashMap<Inst, Type>,
    /// Less precise types that were requested for values, where an operation has no meaning for theirs, and whether they
    /// will have them.
    pub widened: HashMap<Value, (Type, bool)>,
    /// Values that must be mutable lists although their definition has this immutable list type.
    pub fixed: HashMap<Value, Type>,
    /// Blocks with calls that wait for a container to hold something.
    waiting: BTreeSet<usize>,
    /// Whether calls accept containers with unknown element types, because nothing else is left to do.
    pub accept_open: bool,
    /// Blocks to visit, by index in reverse postorder.
    pub pending: BTreeSet<usize>,
    pub order: Vec<Block>,
    order_index: SideTable<Block, usize>,
    users: SideTable<Value, Vec<Block>>,
    /// Values that are numbers of NumPy, or hold such, where `promotion` asks for that.
    pub from_numpy: SideTable<Value, bool>,
    /// How often the type of a block's parameter has grown.
    pub growths: SideTable<Value, u32>,
}

impl<'a> Solver<'a> {
    pub fn new(
        number: usize,
        func: Function,
        host: Rc<dyn Host>,
        args: Vec<Type>,
        declared: Option<Type>,
        cx: Context<'a>,
        shared: &'a GroupState,
    ) -> Self {
        let mut order = flow::Cfg::compute(&func).reverse_postorder().to_vec();
        order.retain(|&block| !func.blocks[block].insts.is_empty());
        let mut order_index = SideTable::new();
        for (index, &block) in order.iter().enumerate() {
            order_index[block] = index;
        }
        let mut users: SideTable<Value, Vec<Block>> = SideTable::new();
        for &block in &order {
            let insts = func.blocks[block].insts.iter().flat_map(|&inst| func.insts[inst].args.iter());
            let edges = func.edges(block).flat_map(|call| call.args.iter());
            for &value in insts.chain(edges) {
                if users[value].last() != Some(&block) {
                    users[value].push(block);
                }
            }
        }
        let displays = Displays::compute(&func, &order);
        for &block in &order {
            for value in func.blocks[block].insts.iter().flat_map(|&inst| displays.uses(inst)) {
                users[value].push(block);
            }
        }
        let mut solver = Solver {
            func,
            number,
            host,
            shared,
            args,
            closure: None,
            declared,
            semantics: Semantics::default(),
            cx,
            types: SideTable::new(),
            result: declared,
            yielded: None,
            returned: None,
            reached: SideTable::new(),
            constants: SideTable::new(),
            resolved: SideTable::new(),
            folded: SideTable::new(),
            chosen: SideTable::new(),
            ends: SideTable::new(),
            has_ends: false,
            asks_stop_value: false,
            asks_open: false,
            extended: SideTable::new(),
            joined_by: SideTable::new(),
            in_parallel: SideTable::new(),
            without_items: SideTable::new(),
            mapped: SideTable::new(),
            choices: SideTable::new(),
            displays,
            grown: HashMap::default(),
            widened: HashMap::default(),
            fixed: HashMap::default(),
            waiting: BTreeSet::new(),
            accept_open: false,
            failures: BTreeMap::new(),
            on_objects: HashMap::default(),
            joined_as_objects: Vec::new(),
            pending: BTreeSet::new(),
            order,
            order_index,
            users,
            from_numpy: SideTable::new(),
            growths: SideTable::new(),
        };
        solver.reach(solver.func.entry);
        solver
    }

    /// Lets what is taken out of containers that still hold nothing fail. Whether there is such.
    pub fn give_up_open(&mut self) -> bool {
        let asks = std::mem::take(&mut self.asks_open);
        if asks {
            self.accept_open = true;
            self.revisit_all();
        }
        asks
    }

    /// An instruction takes something out of a container of which nobody knows what it holds. If that does not become known,
    /// the container is empty, and the instruction fails.
    pub fn take_from_empty(&mut self, inst: Inst) {
        match self.accept_open {
            true => self.end_at(inst, Type::UNDEFINED),
            false => self.asks_open = true,
        }
    }

    /// Nothing after an instruction runs, which gives a value of this type as far as types go.
    pub fn end_at(&mut self, inst: Inst, gives: Type) {
        self.ends[inst] = Some(gives);
        self.has_ends = true;
    }

    /// Blocks that were reached before it was known that a call before them never returns.
    pub fn leave_what_no_path_reaches(&mut self) {
        let mut reached: SideTable<Block, bool> = SideTable::new();
        let mut open = vec![self.func.entry];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut reached[block], true) {
                continue;
            }
            open.extend(self.taken_edges(block).iter().map(|call| call.block));
        }
        for (index, &block) in self.order.iter().enumerate() {
            if !reached[block] {
                self.reached[block] = false;
                self.failures.remove(&index);
                self.waiting.remove(&index);
                self.pending.remove(&index);
            }
        }
    }

    /// The edges of a block that some path takes, as far as is known.
    pub fn taken_edges(&self, block: Block) -> Vec<BlockCall> {
        let data = &self.func.blocks[block];
        let mut edges: Vec<BlockCall> = data.handler.iter().cloned().collect();
        let Some(last) = self.func.terminator(block) else { return edges };
        if data.insts.iter().any(|&inst| self.ends_block(inst)) {
            return edges;
        }
        let data = &self.func.insts[last];
        let known = (data.op == Op::Branch).then(|| self.types[data.args[0]]).flatten();
        match known.and_then(|ty| self.cx.types.literal(ty)) {
            Some(LiteralValue::Bool(truth)) => edges.push(data.targets[usize::from(!truth)].clone()),
            _ => edges.extend(data.targets.iter().cloned()),
        }
        edges
    }

    /// Lets calls that wait for a container to hold something continue without that. Whether there are any.
    pub fn force_open_containers(&mut self) -> bool {
        self.accept_open |= !self.waiting.is_empty();
        self.pending.append(&mut self.waiting);
        !self.pending.is_empty()
    }

    /// A call in this block waits.
    pub fn wait(&mut self, block: Block) {
        self.waiting.insert(self.order_index[block]);
    }

    /// The type of what may be a value of either type, a tagged union where they have no common one.
    pub fn join(&self, a: Type, b: Type) -> Option<Type> {
        unify(self.cx.types, a, b).or_else(|| self.unite(a, b))
    }

    /// The tagged union of types without a common one. A function that falls back to objects has objects instead.
    pub fn unite(&self, a: Type, b: Type) -> Option<Type> {
        if self.semantics.objects { None } else { self.cx.types.tagged_union(a, b) }
    }

    /// The container that an instruction makes holds more.
    pub fn grow_result(&mut self, inst: Inst, wanted: Type) {
        let types = self.cx.types;
        let known = self.grown.get(&inst).copied().unwrap_or(Type::UNDEFINED);
        self.grown.insert(inst, unify(types, known, wanted).unwrap_or(wanted));
        let home = self.order.iter().position(|&block| self.func.blocks[block].insts.contains(&inst));
        self.pending.extend(home);
    }

    /// What a call was to become for the types that its operands had before they were objects.
    pub fn forget_expansion(&mut self, inst: Inst) {
        self.folded[inst] = None;
        self.choices[inst] = None;
        self.mapped[inst] = None;
        self.without_items[inst] = None;
        self.chosen[inst].clear();
    }

    /// What an instruction gives is to be a list that may change, for which everything is inferred again. Whether it can.
    pub fn make_list(&self, maker: Inst) -> bool {
        let instance = self.shared.key(self.number);
        let mut memory = self.shared.memory.borrow_mut();
        let is_news = !memory.changes(&instance, maker);
        if is_news {
            memory.note_changing(instance, maker);
        }
        is_news
    }

    /// Whether what an instruction makes is to be a list that may change.
    pub fn is_changing_list(&self, maker: Inst) -> bool {
        self.shared.memory.borrow().changes(&self.shared.key(self.number), maker)
    }

    /// Types of an instruction's results, with lists that may change, and containers that may hold more, where these were asked
    /// for.
    pub fn with_lists(&mut self, inst: Inst, mut given: Vec<Option<Type>>) -> Vec<Option<Type>> {
        let types = self.cx.types;
        let is_call = self.func.insts[inst].op == Op::Call;
        let list = |ty: Option<Type>| {
            let is_container =
                |ty: Type| types.contents(ty).is_some() && types.items_of_object_array(ty).is_none();
            types.list_of_starred(ty?).or(ty.filter(|&ty| is_call && is_container(ty)))
        };
        if self.func.insts[inst].op == Op::BuildList
            || !given.iter().any(|&ty| list(ty).is_some())
            || !self.is_changing_list(inst)
        {
            return given;
        }
        let grown = self.grown.get(&inst).copied();
        for (ty, &value) in given.iter_mut().zip(&self.func.insts[inst].results) {
            if let (Some(fixed), Some(list)) = (*ty, list(*ty)) {
                self.fixed.insert(value, fixed);
                *ty = Some(grown.and_then(|grown| unify(types, list, grown)).unwrap_or(list));
            }
        }
        given
    }

    /// Asks another instance to give a container that holds more. Whether there is one.
    pub fn want_result(&mut self, inst: Inst, callee: Type, wanted: Type) -> bool {
        let (TypeData::Dispatcher(function) | TypeData::Closure { function, .. }) = self.cx.types.get(callee)
        else {
            return false;
        };
        let Some(folded) = &self.folded[inst] else { return false };
        let plain = || folded.types.iter().map(|&ty| self.cx.types.unliteral(ty)).collect();
        let key = (function, folded.exact.clone().unwrap_or_else(plain));
        self.shared.want_result(&key, wanted, self.cx.types)
    }

    /// What an instruction of this block does has no meaning for the types that are known now.
    pub fn note_failure(&mut self, block: Block, inst: Inst, failure: Failure) {
        self.failures.entry(self.order_index[block]).or_insert((inst, failure));
    }

    /// Whether an operation has no meaning for the types that are known now.
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// The instruction of the first failure.
    pub fn first_failed(&self) -> Option<Inst> {
        self.failures.first_key_value().map(|(_, &(inst, _))| inst)
    }

    /// The first of the failures that stayed.
    pub fn take_failure(&mut self) -> Option<(Inst, Failure)> {
        Some(self.failures.pop_first()?.1)
    }

    pub fn reach(&mut self, block: Block) {
        if !std::mem::replace(&mut self.reached[block], true) {
            self.pending.insert(self.order_index[block]);
        }
    }

    /// Whether the function catches exceptions.
    pub fn has_handlers(&self) -> bool {
        self.func.layout.iter().any(|&block| self.func.blocks[block].handler.is_some())
    }

    /// Whether some path reaches a block.
    pub fn is_reached(&self, block: Block) -> bool {
        self.reached[block]
    }

    /// Whether nothing after the instruction runs.
    pub fn ends_block(&self, inst: Inst) -> bool {
        self.ends[inst].is_some() || self.is_never_bound(inst)
    }

    /// Whether the instruction reads a name that no path so far has given a value: there it raises.
    pub fn is_never_bound(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        match data.op {
            Op::CheckBound => self.types[data.args[0]] == Some(Type::UNDEFINED),
            Op::LoadCell => self.types[data.results[0]].is_none(),
            _ => false,
        }
    }

    /// Whether all uses of a value stand in this block.
    pub fn is_used_in_one_block(&self, value: Value, block: Block) -> bool {
        self.users[value] == [block]
    }

    /// Whether nobody knows yet what is sent to a generator where it stops here: it continues once that is known or guessed.
    pub fn waits_for_sent(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        data.op == Op::Yield
            && data.args.len() == 1
            && self.types[data.results[0]].is_none()
            && self.is_used(data.results[0])
    }

    /// Whether anybody asks for a value.
    pub fn is_used(&self, value: Value) -> bool {
        !self.users[value].is_empty()
    }

    /// What is sent to this generator, as far as it is known; the block is visited again when that grows.
    pub fn read_sent(&self, block: Block) -> Option<Type> {
        self.shared.read_sent((self.number, block))
    }

    /// The block that all uses of a value stand in.
    pub fn only_user(&self, value: Value) -> Option<Block> {
        match self.users[value][..] {
            [block] => Some(block),
            _ => None,
        }
    }

    /// The type of a value that is known already.
    pub fn ty(&self, value: Value) -> Option<Type> {
        self.types[value]
    }

    /// A value has this type from here on; who uses it is visited again.
    pub fn set(&mut self, value: Value, ty: Option<Type>) {
        if self.types[value] != ty {
            self.types[value] = ty;
            if self.asks_stop_value
                && ty.is_some_and(|ty| matches!(self.cx.types.get(ty), TypeData::GeneratorObject { .. }))
            {
                self.revisit_all();
            }
            self.revisit_users(value);
        }
    }

    /// A value turns out to be a number of NumPy, or to hold such.
    pub fn note_from_numpy(&mut self, value: Value) {
        if !std::mem::replace(&mut self.from_numpy[value], true) {
            self.revisit_users(value);
        }
    }

    fn revisit_users(&mut self, value: Value) {
        for user in 0..self.users[value].len() {
            let block = self.users[value][user];
            if self.reached[block] {
                self.pending.insert(self.order_index[block]);
            }
        }
    }

    /// Whether some block is still to be visited.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// A function that this block calls has another result now.
    pub fn revisit(&mut self, block: Block) {
        self.pending.insert(self.order_index[block]);
    }

    /// What was found out about every block is to be found out again.
    pub fn revisit_all(&mut self) {
        let reached = self.order.iter().enumerate().filter(|&(_, &block)| self.reached[block]);
        self.pending.extend(reached.map(|(index, _)| index));
    }

    /// Whether some path comes to a `return`, as far as is known.
    pub fn returns(&self) -> bool {
        if self.func.is_generator {
            return true;
        }
        let ends = self.order.iter().filter(|&&block| self.reached[block]);
        let goes_on =
            |block: Block| !self.func.blocks[block].insts.iter().any(|&inst| self.ends[inst].is_some());
        ends.filter(|&&block| !self.has_ends || goes_on(block))
            .filter_map(|&block| self.func.terminator(block))
            .any(|last| self.func.insts[last].op == Op::Return)
    }

    /// The result of another instance as far as it is known; the block is visited again when it grows.
    pub fn request(&self, block: Block, function: Handle, args: Vec<Type>) -> Result<Option<Type>> {
        self.shared.request((self.number, block), function, args, self.cx.types)
    }

    /// The number of the cell that an instruction makes.
    pub fn cell(&self, inst: Inst) -> u32 {
        self.shared.cell(self.number, inst)
    }

    /// What a cell holds so far; the block is visited again when that grows.
    pub fn read_cell(&self, block: Block, cell: u32) -> Option<Type> {
        self.shared.read_cell((self.number, block), cell)
    }

    /// Which call of the function an instruction is, counted along the blocks; none of a function that is
    /// not as it was written any more.
    pub fn number_of_call(&self, inst: Inst) -> Option<usize> {
        let insts = self.func.layout.iter().flat_map(|&block| &self.func.blocks[block].insts);
        let mut calls = insts.filter(|&&inst| matches!(self.func.insts[inst].op, Op::Call | Op::CallEx));
        let is_as_written = self.shared.memory.borrow().unrolled(&self.shared.key(self.number)).is_empty();
        calls.position(|&call| call == inst).filter(|_| is_as_written)
    }

    /// The catalog knows what an instruction means. Gives the type of its result.
    pub fn note_resolved(&mut self, inst: Inst, resolved: Resolved) -> Type {
        let result = resolved.resolution.result;
        self.resolved[inst] = Some(Box::new(resolved));
        result
    }

    /// The name in the only symbol attribute of an instruction.
    pub fn symbol(&self, inst: Inst) -> &str {
        let symbol = self.func.insts[inst].attrs.iter().find_map(|attr| match attr {
            Attr::Symbol(symbol) => Some(*symbol),
            _ => None,
        });
        symbol.map_or("", |symbol| self.func.symbols.get(symbol))
    }

    /// Blocks that some path reaches, in reverse postorder.
    pub fn reached_blocks(&self) -> Vec<Block> {
        self.order.iter().copied().filter(|&block| self.reached[block]).collect()
    }
}
