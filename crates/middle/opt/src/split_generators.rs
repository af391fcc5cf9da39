//! Splits a generator's body into a resume function: values that are live across a `suspend` move to the frame.
//!
//! ```text
//! block0: %n = arg 0, "n"                         block2: %frame = arg 0    %status = arg 1
//!         ...                                             %n = load i64, 24, %frame
//! block1: %s = suspend %x        becomes                  %state = load i64, 16, %frame
//!         ... %s, %y                                      branch ... to begin, again
//!                                                 block1: store 32, %frame, %y    store 16, %frame, 1
//!                                                         return true, %x
//!                                                 again:  %y = load i64, 32, %frame
//!                                                         ... %status, %y
//! ```
//!
//! Values that live across a `suspend` lie in the frame meanwhile, as does what stays of the stack's frame. They go through
//! cells of the stack's frame, of which [`crate::mem2reg`] makes values.

use crate::convert_stops::convert_stops;
use crate::mem2reg::mem2reg;
use abi::frame::{BEGIN, DONE, RETURNED, RUNNING, STATE};
use abi::{ExceptionClass, Runtime};
use diag::Span;
use entity::{HashMap, SideTable};
use flow::{BlockFacts, Cfg};
use ir::{
    Attr, Block, BlockCall, Builder, Def, Function, Inst, IntCond, Native, Op, References, SiteData, Value,
};

/// Where things lie in the frame of a generator.
pub struct Frame<'a> {
    /// Offset of each machine word of the parameters.
    pub args: &'a [i64],
    /// Offset of each part of what is returned.
    pub result: &'a [i64],
    /// Machine type and offset of each part of what is sent.
    pub sent: &'a [(Native, i64)],
    /// Where nothing lies yet.
    pub free: i64,
    /// Machine types of the parts of an item.
    pub items: &'a [Native],
    /// Which of them are references.
    pub gives: References,
    /// Whether a recursion may lead through the generator: it looks at the stack.
    pub checks_stack: bool,
}

/// Splits the code of a generator; how many bytes its frame has.
pub fn split_generator(func: &mut Function, frame: &Frame<'_>) -> i64 {
    mem2reg(func);
    // A stop that no path comes to would be one at which the generator continues.
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    let stops = cut(func, &frame.gives);
    let lives = live_values(func, &stops);
    let mut split = Split::new(func, frame);
    split.move_entry();
    split.move_constants();
    split.spill(&stops, &lives);
    split.rewrite_exits(&stops, &lives);
    split.dispatch(&stops, &lives);
    let size = split.free;
    mem2reg(func);
    size
}

/// Whether the code holds nothing wherever it stops and does nothing more when it fails there: then a frame can be given up as
/// it is. To be asked before it is split.
pub fn holds_nothing(func: &Function) -> bool {
    // What only notes where the exception came through does nothing.
    let is_empty = |inst: Inst| match func.insts[inst].op {
        Op::Fail | Op::SiteStatus => true,
        _ => func.callee(inst) == Some(Runtime::Through.symbol()),
    };
    let fails = |block: Block| {
        let insts = &func.blocks[block].insts;
        insts.iter().all(|&inst| is_empty(inst))
            && insts.last().is_some_and(|&last| func.insts[last].op == Op::Fail)
    };
    func.layout.iter().all(|&block| {
        let insts = &func.blocks[block].insts;
        let Some(at) = insts.iter().position(|&inst| func.insts[inst].op == Op::Suspend) else { return true };
        let [suspend, ref behind @ .., branch] = insts[at..] else { return false };
        let branches = &func.insts[branch];
        let tests_status = |&&inst: &&Inst| {
            let data = &func.insts[inst];
            data.op == Op::Icmp && data.args[0] == func.insts[suspend].results[0]
        };
        let [test] = behind.iter().filter(|&&inst| func.insts[inst].op != Op::Iconst).collect::<Vec<_>>()[..]
        else {
            return false;
        };
        tests_status(&test)
            && branches.op == Op::Branch
            && branches.args[0] == func.result(*test)
            && fails(branches.targets[0].block)
    })
}

/// A place where the generator stops.
struct Stop {
    /// The block that ends with it.
    block: Block,
    /// The instruction.
    inst: Inst,
    /// Where it continues: the parameters are the instruction's results.
    behind: Block,
}

/// Ends blocks at each `suspend`. The references among its operands are given up before it; now the return that it becomes does that.
fn cut(func: &mut Function, references: &References) -> Vec<Stop> {
    let mut stops = Vec::new();
    let mut next = 0;
    while let Some(&block) = func.layout.get(next) {
        next += 1;
        let insts = &func.blocks[block].insts;
        let Some(mut at) = insts.iter().position(|&inst| func.insts[inst].op == Op::Suspend) else {
            continue;
        };
        let inst = insts[at];
        let behind = func.add_block(func.blocks[block].label);
        let rest = func.blocks[block].insts.split_off(at + 1);
        let owners: Vec<Value> = references.iter().map(|part| func.insts[inst].args[part]).collect();
        for owner in owners.into_iter().rev() {
            let before = func.blocks[block].insts[..at].last().map(|&last| &func.insts[last]);
            // None is given up for an owner that is known to be 0.
            if before.is_some_and(|last| last.op == Op::GiveRef && last.args[0] == owner) {
                at -= 1;
                func.blocks[block].insts.remove(at);
            }
        }
        func.blocks[behind].insts = rest;
        func.blocks[behind].cold = func.blocks[block].cold;
        func.blocks[behind].handler = func.blocks[block].handler.clone();
        let results = std::mem::take(&mut func.insts[inst].results);
        for (at, &result) in results.iter().enumerate() {
            func.values[result].def = Def::Param(behind, at as u16);
            func.blocks[behind].params.push(result);
        }
        let natives: Vec<Native> = results.iter().map(|&result| func.native(result)).collect();
        let mut builder = Builder::new(func, block);
        let zeros: Vec<Value> = natives.into_iter().map(|native| zero(&mut builder, native)).collect();
        builder.jump(behind, &zeros);
        stops.push(Stop { block, inst, behind });
    }
    stops
}

/// The values that are used after each stop, apart from those that can be had again.
fn live_values(func: &Function, stops: &[Stop]) -> Vec<Vec<Value>> {
    let cfg = Cfg::compute(func);
    let mut facts: BlockFacts<Block, Value> = BlockFacts::new(&cfg, func.values.len());
    for &block in func.layout.iter().filter(|&&block| cfg.is_reachable(block)) {
        for &param in &func.blocks[block].params {
            facts.add_definition(block, param);
        }
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            for value in data.uses().filter(|&value| !is_at_hand(func, value)) {
                facts.add_use(block, value);
            }
            for &result in &data.results {
                facts.add_definition(block, result);
            }
        }
    }
    let live = flow::compute_liveness(&cfg, &facts);
    let of = |stop: &Stop| {
        let mut values: Vec<Value> = live.live_in(stop.behind).collect();
        values.sort_by_key(|&value| entity::EntityRef::index(value));
        values
    };
    stops.iter().map(of).collect()
}

/// Whether a value can be had at the begin of the function each time.
fn is_at_hand(func: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = func.values[value].def else { return false };
    matches!(
        func.insts[inst].op,
        Op::Arg | Op::StackSlot | Op::Iconst | Op::Fconst | Op::AddressOf | Op::SiteStatus
    )
}

fn zero(builder: &mut Builder<'_>, native: Native) -> Value {
    if native.is_float() { builder.fconst(native, 0.0) } else { builder.iconst(native, 0) }
}

struct Split<'a> {
    func: &'a mut Function,
    frame: &'a Frame<'a>,
    /// The new first block: what lies current is made in it.
    entry: Block,
    /// Where the code began.
    begin: Block,
    /// The address of the frame.
    base: Value,
    /// 0, or the status to fail with.
    status: Value,
    /// The next offset of the frame.
    free: i64,
    /// Of values that live across a stop: their cell and their offset in the frame.
    spilled: HashMap<Value, (Value, i64)>,
}

impl<'a> Split<'a> {
    fn new(func: &'a mut Function, frame: &'a Frame<'a>) -> Self {
        let begin = func.entry;
        let entry = func.add_block(func.blocks[begin].label);
        func.layout.rotate_right(1);
        func.entry = entry;
        let mut builder = Builder::new(func, entry);
        let names = ["frame", "status"].map(|name| builder.symbol(name));
        let mut arg = |index: usize, native| {
            let attrs = [Attr::Int(index as i64), Attr::Symbol(names[index])];
            builder.native(Op::Arg, attrs, &[], native)
        };
        let (base, status) = (arg(0, Native::Ptr), arg(1, Native::I64));
        func.params = names.to_vec();
        let free = frame.free;
        Split { func, frame, entry, begin, base, status, free, spilled: HashMap::default() }
    }

    fn at(&mut self, block: Block) -> Builder<'_> {
        Builder::new(self.func, block)
    }

    /// Arguments lie in the frame, and so does what stays of the stack's.
    fn move_entry(&mut self) {
        let insts = std::mem::take(&mut self.func.blocks[self.begin].insts);
        let mut kept = Vec::new();
        for inst in insts {
            let data = &mut self.func.insts[inst];
            match (data.op, &data.attrs[..]) {
                (Op::Arg, &[Attr::Int(index), _]) => {
                    let offset = self.frame.args[index as usize];
                    let native = self.func.native(self.func.result(inst));
                    let data = &mut self.func.insts[inst];
                    data.op = Op::Load;
                    data.attrs = [Attr::Native(native), Attr::Int(offset)].into_iter().collect();
                    data.args.push(self.base);
                    self.func.blocks[self.entry].insts.push(inst);
                }
                (Op::StackSlot, &[Attr::Int(size)]) => {
                    let offset = (self.free + 15) & -16;
                    self.free = offset + ((size + 7) & -8);
                    let (entry, base) = (self.entry, self.base);
                    let offset = self.at(entry).iconst(Native::I64, offset);
                    let data = &mut self.func.insts[inst];
                    data.op = Op::PtrAdd;
                    data.attrs.clear();
                    data.args.extend([base, offset]);
                    self.func.blocks[entry].insts.push(inst);
                }
                // A debugger reads the variable in the frame of the generator, whoever resumed it.
                (Op::DeclareVariable, _) => self.func.blocks[self.entry].insts.push(inst),
                _ => kept.push(inst),
            }
        }
        self.func.blocks[self.begin].insts = kept;
    }

    /// Constants stand in the first block.
    fn move_constants(&mut self) {
        let mut moved = Vec::new();
        for block in self.func.layout.clone().into_iter().filter(|&block| block != self.entry) {
            let Function { blocks, insts, .. } = &mut *self.func;
            blocks[block].insts.retain(|&inst| {
                let constant =
                    matches!(insts[inst].op, Op::Iconst | Op::Fconst | Op::AddressOf | Op::SiteStatus);
                moved.extend(constant.then_some(inst));
                !constant
            });
        }
        self.func.blocks[self.entry].insts.extend(moved);
    }

    /// What lives across a stop is kept in a cell, from which it is read wherever it may have been brought back.
    fn spill(&mut self, stops: &[Stop], lives: &[Vec<Value>]) {
        for &value in lives.iter().flatten() {
            if !self.spilled.contains_key(&value) {
                let (entry, offset) = (self.entry, self.free);
                let cell = self.at(entry).stack_slot(8);
                self.spilled.insert(value, (cell, offset));
                self.free += 8;
            }
        }
        let mut homes: SideTable<Value, Option<Block>> = SideTable::new();
        for &block in &self.func.layout {
            let results =
                self.func.blocks[block].insts.iter().flat_map(|&inst| &self.func.insts[inst].results);
            for &value in self.func.blocks[block].params.iter().chain(results) {
                homes[value] = Some(block);
            }
        }
        let jumps: Vec<Block> = stops.iter().map(|stop| stop.block).collect();
        for block in self.func.layout.clone() {
            let insts = std::mem::take(&mut self.func.blocks[block].insts);
            let params = self.func.blocks[block].params.clone();
            params.iter().for_each(|&param| self.keep(block, param));
            for inst in insts {
                let is_stop = jumps.contains(&block) && self.func.insts[inst].op == Op::Jump;
                if !is_stop {
                    self.read_spilled(block, inst, &homes);
                }
                self.func.blocks[block].insts.push(inst);
                for result in self.func.insts[inst].results.clone() {
                    self.keep(block, result);
                }
            }
        }
    }

    /// After its definition a value goes into its cell.
    fn keep(&mut self, block: Block, value: Value) {
        if let Some(&(cell, _)) = self.spilled.get(&value) {
            self.at(block).store(cell, 0, value);
        }
    }

    /// Operands from other blocks are read from their cells.
    fn read_spilled(&mut self, block: Block, inst: Inst, homes: &SideTable<Value, Option<Block>>) {
        let mut data = std::mem::take(&mut self.func.insts[inst].args);
        let mut targets = std::mem::take(&mut self.func.insts[inst].targets);
        let handed = targets.iter_mut().flat_map(|target| target.args.iter_mut());
        for operand in data.iter_mut().chain(handed) {
            if let Some(&(cell, _)) = self.spilled.get(operand)
                && homes[*operand] != Some(block)
            {
                let native = self.func.native(*operand);
                *operand = self.at(block).load(native, cell, 0);
            }
        }
        self.func.insts[inst].args = data;
        self.func.insts[inst].targets = targets;
    }

    /// The caller that resumed the generator gets an item, or that it is exhausted; or a status.
    fn rewrite_exits(&mut self, stops: &[Stop], lives: &[Vec<Value>]) {
        convert_stops(self.func);
        for block in self.func.layout.clone() {
            let Some(last) = self.func.terminator(block) else { continue };
            match self.func.insts[last].op {
                Op::Return => {
                    let values = self.func.insts[last].args.clone();
                    self.func.blocks[block].insts.pop();
                    for (part, (&value, &offset)) in values.iter().zip(self.frame.result).enumerate() {
                        let (base, gives) = (self.base, self.func.gives.contains(part));
                        let mut builder = self.at(block);
                        builder.store(base, offset, value);
                        if gives {
                            builder.count(Op::GiveRef, value);
                        }
                    }
                    self.set_state(block, if values.is_empty() { DONE } else { RETURNED });
                    self.give_nothing(block);
                }
                Op::Fail => {
                    self.func.blocks[block].insts.pop();
                    self.set_state(block, DONE);
                    self.func.blocks[block].insts.push(last);
                }
                _ => {}
            }
        }
        for (number, (stop, live)) in stops.iter().zip(lives).enumerate() {
            // The jump that stood for continuing, and the stop itself.
            self.func.blocks[stop.block].insts.pop();
            self.func.blocks[stop.block].insts.retain(|&inst| inst != stop.inst);
            for value in live {
                let (cell, offset) = self.spilled[value];
                let (native, base) = (self.func.native(*value), self.base);
                let mut builder = self.at(stop.block);
                let held = builder.load(native, cell, 0);
                builder.store(base, offset, held);
            }
            self.set_state(stop.block, number as i64 + 1);
            let items = self.func.insts[stop.inst].args.clone();
            let mut builder = self.at(stop.block);
            let mut values = vec![builder.bool(true)];
            values.extend(items);
            builder.terminate(Op::Return, &values);
        }
        self.func.results = [Native::I1].into_iter().chain(self.frame.items.iter().copied()).collect();
        self.func.gives = self.frame.gives.behind_one();
        self.func.can_fail = true;
    }

    fn set_state(&mut self, block: Block, state: i64) {
        let base = self.base;
        let mut builder = self.at(block);
        let state = builder.iconst(Native::I64, state);
        builder.store(base, STATE, state);
    }

    fn give_nothing(&mut self, block: Block) {
        let items = self.frame.items;
        let mut builder = self.at(block);
        let mut values = vec![builder.bool(false)];
        for &native in items {
            values.push(zero(&mut builder, native));
        }
        builder.terminate(Op::Return, &values);
    }

    /// The state says where to continue.
    fn dispatch(&mut self, stops: &[Stop], lives: &[Vec<Value>]) {
        let (base, entry) = (self.base, self.entry);
        let frame_end = self.frame.checks_stack.then(|| self.at(entry).stack_slot(1));
        let mut block = self.at(entry).new_block();
        self.at(entry).jump(block, &[]);
        if let Some(slot) = frame_end {
            self.check_stack(block, slot);
        }
        let state = self.at(block).load(Native::I64, base, STATE);
        for (number, (stop, live)) in stops.iter().zip(lives).enumerate() {
            let again = self.at(block).new_block();
            self.set_state(again, RUNNING);
            for value in live {
                let (cell, offset) = self.spilled[value];
                let native = self.func.native(*value);
                let mut builder = self.at(again);
                let held = builder.load(native, base, offset);
                builder.store(cell, 0, held);
            }
            let mut given = vec![self.status];
            for &(native, offset) in self.frame.sent {
                let mut builder = self.at(again);
                given.push(builder.load(native, base, offset));
                let zero = zero(&mut builder, native);
                builder.store(base, offset, zero);
            }
            self.at(again).jump(stop.behind, &given);
            block = self.branch_on(block, (state, number as i64 + 1), again);
        }
        let first = self.at(block).new_block();
        let begin = self.begin;
        let run = self.at(first).new_block();
        self.set_state(run, RUNNING);
        self.at(run).jump(begin, &[]);
        self.fail_or(first, run, true);
        block = self.branch_on(block, (state, BEGIN), first);
        let done = self.at(block).new_block();
        let empty = self.at(done).new_block();
        self.give_nothing(empty);
        self.fail_or(done, empty, false);
        block = self.branch_on(block, (state, DONE), done);
        if !self.frame.result.is_empty() {
            block = self.branch_on(block, (state, RETURNED), done);
        }
        let site = self.func.sites.push(SiteData {
            class: ExceptionClass::ValueError,
            user_class: None,
            message: Some("generator already executing".to_owned()),
            payload: false,
            span: Span::line(self.func.first_line),
            origin: None,
        });
        self.func.blocks[block].cold = true;
        let mut builder = self.at(block);
        let executing = builder.site_status(site);
        builder.terminate(Op::Fail, &[executing]);
    }

    /// Ends a block: where a generator is to fail that runs no code, it fails at once.
    fn fail_or(&mut self, block: Block, go_on: Block, ends: bool) {
        let status = self.status;
        let fails = self.at(block).new_block();
        let mut builder = self.at(block);
        let zero = builder.iconst(Native::I64, 0);
        let is_asked = builder.icmp(IntCond::Ne, status, zero);
        builder.branch(is_asked, BlockCall::new(fails, []), BlockCall::new(go_on, []));
        self.func.blocks[fails].cold = true;
        if ends {
            self.set_state(fails, DONE);
        }
        self.at(fails).terminate(Op::Fail, &[status]);
    }

    /// Goes to a block if the state is this one; where it continues otherwise.
    fn branch_on(&mut self, block: Block, (state, number): (Value, i64), to: Block) -> Block {
        let mut builder = self.at(block);
        let wanted = builder.iconst(Native::I64, number);
        let is_it = builder.icmp(IntCond::Eq, state, wanted);
        let other = builder.new_block();
        builder.branch(is_it, BlockCall::new(to, []), BlockCall::new(other, []));
        other
    }

    /// Where the stack is exhausted, the generator fails with a RecursionError at its place.
    fn check_stack(&mut self, block: Block, slot: Value) {
        let site = self.func.sites.push(SiteData {
            class: ExceptionClass::RecursionError,
            user_class: None,
            message: Some("maximum recursion depth exceeded".to_owned()),
            payload: false,
            span: Span::line(self.func.first_line),
            origin: None,
        });
        let status = self.status;
        let mut builder = self.at(block);
        let limit = builder.call_runtime(Runtime::StackLimit, &[])[0];
        let exhausted = builder.icmp(IntCond::Ult, slot, limit);
        let error = builder.site_status(site);
        self.status = builder.select(exhausted, error, status);
    }
}
