//! Full unrolling of inner loops with a small, constant trip count.
//!
//! ```text
//! block1(%k = 0): branch %k != 3, block2, block3        becomes   ... the body with %k = 0
//! block2: ... %next = iadd %k, 1; jump block1(%next)               ... the body with %k = 1
//! block3:                                                          ... the body with %k = 2; jump block3
//! ```
//!
//! So windows of constant size, loops over tuples and the like become straight code: checks see constant distances, what
//! is stored in the frame at a counter's offset becomes a value, and the loop around runs vectorized. Counters become
//! numbers, and what is computed of them is computed here.
//!
//! Absent: loops that no other loop is around, which run too rarely to count; loops whose number of iterations LLVM finds only.

use crate::clone_blocks::CloneMap;
use crate::constant_folding::{evaluate, wrapped};
use crate::place_polls::remove_polls_in;
use crate::{dce::eliminate_dead_code, mem2reg::mem2reg, spill_region};
use entity::{HashMap, HashSet};
use flow::{Cfg, LoopForest, LoopId};
use ir::{Attr, Block, BlockCall, Builder, Def, Effect, Function, Inst, Native, Op, Value};

/// So often a loop may run at most.
const MAX_ITERATIONS: usize = 64;

/// Instructions that all iterations of a loop may have together.
const MAX_UNROLLED: usize = 1500;

/// Instructions that the iterations of all loops of a function may have.
const ALL_UNROLLED: usize = 6000;

/// Nests are looked into from within, so often.
const MAX_DEPTH: usize = 4;

/// Writes out the loops within others that run a known number of times.
pub fn unroll_constant_loops(func: &mut Function) {
    let mut room = ALL_UNROLLED;
    for _ in 0..MAX_DEPTH {
        let plans = plans_without_polls(func, &mut room);
        if plans.is_empty() {
            return;
        }
        for plan in &plans {
            unroll(func, plan);
            let cfg = Cfg::compute(func);
            func.layout.retain(|&block| cfg.is_reachable(block));
        }
        // Addresses that were computed would keep slots in the frame.
        eliminate_dead_code(func);
        mem2reg(func);
    }
}

/// The loops to write out, which look for no signals from here on: they end soon.
fn plans_without_polls(func: &mut Function, room: &mut usize) -> Vec<Plan> {
    let before = *room;
    let found = plans(func, room);
    let inside: HashSet<Block> = found.iter().flat_map(|plan| plan.blocks.iter().copied()).collect();
    if !remove_polls_in(func, |block| inside.contains(&block)) {
        return found;
    }
    *room = before;
    plans(func, room)
}

/// A loop to write out.
struct Plan {
    header: Block,
    /// Its blocks in reverse postorder.
    blocks: Vec<Block>,
    /// For each iteration, and for the test after the last, which of the header's parameters are which numbers.
    iterations: Vec<HashMap<Value, i64>>,
}

/// The innermost loops that can be written out.
fn plans(func: &Function, room: &mut usize) -> Vec<Plan> {
    let cfg = Cfg::compute(func);
    if !cfg.has_cycle() {
        return Vec::new();
    }
    let forest = flow::compute_loops(&cfg, &flow::compute_dominators(&cfg));
    if !forest.irreducible_edges().is_empty() {
        return Vec::new();
    }
    let inner = forest.innermost_loops().filter(|&id| forest.get(id).parent.is_some());
    inner.filter_map(|id| plan(func, &cfg, &forest, id, room)).collect()
}

fn plan(
    func: &Function,
    cfg: &Cfg<Block>,
    forest: &LoopForest<Block>,
    id: LoopId,
    room: &mut usize,
) -> Option<Plan> {
    let nest = forest.get(id);
    let mut blocks = forest.body(id).to_vec();
    let size: usize = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
    let is_fit = |&block: &Block| func.blocks[block].handler.is_none() && !suspends(func, block);
    if func.blocks[nest.header].cold || size * 2 > MAX_UNROLLED || !blocks.iter().all(is_fit) {
        return None;
    }
    let most = MAX_ITERATIONS.min(MAX_UNROLLED.min(*room) / size);
    let iterations = trip_count(func, forest, id, most)?;
    *room = room.checked_sub(size * (iterations.len() - 1))?;
    blocks.sort_unstable_by_key(|&block| cfg.order_of(block));
    Some(Plan { header: nest.header, blocks, iterations })
}

fn suspends(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().any(|&inst| func.insts[inst].op == Op::Suspend)
}

/// What is known of the header's parameters in each iteration; nothing if there are more than `most`, or if it is not known how many.
fn trip_count(
    func: &Function,
    forest: &LoopForest<Block>,
    id: LoopId,
    most: usize,
) -> Option<Vec<HashMap<Value, i64>>> {
    let nest = forest.get(id);
    let inside = goes_on(func, nest.header, |block| forest.contains(id, block))?;
    let condition = func.insts[func.terminator(nest.header)?].args[0];
    let mut iterations = vec![given(func, nest.header, &nest.entries, &HashMap::default())];
    loop {
        let known = iterations.last()?;
        let truth = evaluate(func, condition, known)? & 1;
        if (truth == 1) != (inside == 0) {
            return Some(iterations);
        }
        if iterations.len() > most {
            return None;
        }
        let next = given(func, nest.header, &nest.latches, known);
        iterations.push(next);
    }
}

/// Which target of the header's branch stays in the loop, if the other does not.
fn goes_on(func: &Function, header: Block, contains: impl Fn(Block) -> bool) -> Option<usize> {
    let data = &func.insts[func.terminator(header)?];
    let inside: Vec<bool> = data.targets.iter().map(|target| contains(target.block)).collect();
    match inside[..] {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}

/// The parameters of a block that are the same number on all edges from these blocks.
fn given(func: &Function, to: Block, from: &[Block], known: &HashMap<Value, i64>) -> HashMap<Value, i64> {
    let edges: Vec<&BlockCall> =
        from.iter().flat_map(|&block| func.edges(block)).filter(|call| call.block == to).collect();
    let params = func.blocks[to].params.iter().enumerate();
    let number = |at: usize| {
        let mut numbers = edges.iter().map(|call| evaluate(func, call.args[at], known));
        let first = numbers.next()??;
        numbers.all(|number| number == Some(first)).then_some(first)
    };
    params.filter_map(|(at, &param)| Some((param, number(at)?))).collect()
}

/// The copies that are being made of a loop.
struct Copies<'a> {
    func: &'a mut Function,
    plan: &'a Plan,
    /// Whether the header is entered from one edge, and gone back to from one.
    single: [bool; 2],
    /// The blocks of each iteration.
    blocks: Vec<HashMap<Block, Block>>,
    /// What stands for the values of the loop in the iteration that is being written.
    copy: CloneMap,
}

fn unroll(func: &mut Function, plan: &Plan) {
    spill_region::spill(func, &plan.blocks);
    let last = plan.iterations.len() - 1;
    let single = plan.single_edges(func);
    let mut copies = Copies { func, plan, single, blocks: Vec::new(), copy: CloneMap::default() };
    for iteration in 0..=last {
        let copied = if iteration == last { &plan.blocks[..1] } else { &plan.blocks[..] };
        copies.add_blocks(copied);
    }
    copies.enter();
    for iteration in 0..=last {
        copies.begin_iteration(iteration);
        let copied = if iteration == last { &plan.blocks[..1] } else { &plan.blocks[..] };
        for &block in copied {
            copies.copy_block(iteration, block, iteration == last);
        }
    }
}

impl Copies<'_> {
    fn add_blocks(&mut self, blocks: &[Block]) {
        let mut made = CloneMap::default();
        for &block in blocks {
            made.add_block(self.func, block);
        }
        self.blocks.push(made.blocks);
    }

    /// The header's parameters that its copy has in an iteration: none where one edge leads there, whose values stand for them.
    fn kept(&self, iteration: usize) -> Vec<usize> {
        let params = &self.plan.header_params(self.func);
        if self.single[usize::from(iteration > 0)] {
            return Vec::new();
        }
        let known = &self.plan.iterations[iteration];
        (0..params.len()).filter(|&at| !known.contains_key(&params[at])).collect()
    }

    /// Leads what enters the loop to the first iteration.
    fn enter(&mut self) {
        let (kept, first) = (self.kept(0), self.blocks[0][&self.plan.header]);
        let old: HashSet<Block> = self.plan.blocks.iter().copied().collect();
        let params = self.plan.header_params(self.func);
        for block in self.func.layout.clone() {
            let Some(last) = self.func.terminator(block).filter(|_| !old.contains(&block)) else { continue };
            for target in &mut self.func.insts[last].targets {
                if target.block == self.plan.header {
                    if self.single[0] {
                        self.copy.values.extend(params.iter().copied().zip(target.args.iter().copied()));
                    }
                    let args: Vec<Value> = kept.iter().map(|&at| target.args[at]).collect();
                    *target = BlockCall::new(first, args);
                }
            }
        }
    }

    /// Notes what stands for the header's parameters.
    fn begin_iteration(&mut self, iteration: usize) {
        let header = self.plan.header;
        let copy = self.blocks[iteration][&header];
        let params = self.plan.header_params(self.func);
        let before = std::mem::take(&mut self.copy.values);
        if iteration == 0 {
            self.copy.values = before;
        } else if self.single[1] {
            let args = self.latch_args();
            let read = args.into_iter().map(|arg| before.get(&arg).copied().unwrap_or(arg));
            self.copy.values = params.iter().copied().zip(read).collect();
        }
        for at in self.kept(iteration) {
            let made = self.func.add_param(copy, self.func.values[params[at]].ty);
            self.copy.values.insert(params[at], made);
        }
        for (at, &param) in params.iter().enumerate() {
            if let Some(&number) = self.plan.iterations[iteration].get(&param) {
                let native = self.func.native(params[at]);
                let made = Builder::new(self.func, copy).iconst(native, number);
                self.copy.values.insert(param, made);
            }
        }
    }

    /// What the one edge back to the header hands it.
    fn latch_args(&self) -> Vec<Value> {
        let edges = self.plan.blocks.iter().flat_map(|&block| self.func.edges(block));
        let mut back = edges.filter(|call| call.block == self.plan.header);
        back.next().map(|call| call.args.to_vec()).unwrap_or_default()
    }

    fn copy_block(&mut self, iteration: usize, block: Block, is_last: bool) {
        let copy = self.blocks[iteration][&block];
        if block != self.plan.header {
            for param in self.func.blocks[block].params.clone() {
                let made = self.func.add_param(copy, self.func.values[param].ty);
                self.copy.values.insert(param, made);
            }
        }
        let insts = self.func.blocks[block].insts.clone();
        let Some((&last, body)) = insts.split_last() else { return };
        body.iter().for_each(|&inst| self.copy_inst(copy, inst));
        self.copy_terminator(iteration, copy, last, is_last);
    }

    fn copy_inst(&mut self, copy: Block, inst: Inst) {
        let mut data = self.func.insts[inst].clone();
        data.args.iter_mut().for_each(|arg| *arg = self.copy.value(*arg));
        if data.op.info().effect == Effect::Pure
            && let [result] = data.results[..]
            && let Some(known) = self.folded(copy, &data, result)
        {
            self.copy.values.insert(result, known);
            return;
        }
        self.fold_address(&mut data);
        self.copy.push(self.func, copy, data);
    }

    /// What an instruction computes, if that is a number or one of its operands.
    fn folded(&mut self, copy: Block, data: &ir::InstData, result: Value) -> Option<Value> {
        let none = HashMap::default();
        if data.op == Op::Select
            && let Some(truth) = evaluate(self.func, data.args[0], &none)
        {
            return Some(data.args[if truth & 1 == 1 { 1 } else { 2 }]);
        }
        let native = self.func.native(result);
        if !native.is_int() || data.args.is_empty() {
            return None;
        }
        // The operands of the copy, under the names of those that it is a copy of.
        let Def::Result(original, _) = self.func.values[result].def else { return None };
        let mut known = HashMap::default();
        for (&old, &new) in self.func.insts[original].args.iter().zip(&data.args) {
            if let Some(number) = evaluate(self.func, new, &none) {
                known.insert(old, number);
            }
        }
        let number = wrapped(native, evaluate(self.func, result, &known)?);
        Some(Builder::new(self.func, copy).iconst(native, number))
    }

    /// A place in a slot of the frame at a distance that is known.
    fn fold_address(&self, data: &mut ir::InstData) {
        if !matches!(data.op, Op::Load | Op::Store) {
            return;
        }
        let Def::Result(inst, _) = self.func.values[data.args[0]].def else { return };
        let address = &self.func.insts[inst];
        if address.op != Op::PtrAdd || !is_slot(self.func, address.args[0]) {
            return;
        }
        let distance = evaluate(self.func, address.args[1], &HashMap::default());
        if let (Some(distance), Some(Attr::Int(offset))) = (distance, data.attrs.last_mut()) {
            *offset += distance;
            data.args[0] = address.args[0];
        }
    }

    fn copy_terminator(&mut self, iteration: usize, copy: Block, inst: Inst, is_last: bool) {
        let mut data = self.func.insts[inst].clone();
        data.args.iter_mut().for_each(|arg| *arg = self.copy.value(*arg));
        let own = &self.blocks[iteration];
        let is_header = own[&self.plan.header] == copy;
        let mut targets: Vec<BlockCall> = data.targets.to_vec();
        if data.op == Op::Branch {
            let inside = |target: &BlockCall| self.plan.blocks.contains(&target.block);
            let known = evaluate(self.func, data.args[0], &HashMap::default());
            if is_header {
                targets.retain(|target| inside(target) != is_last);
            } else if let Some(truth) = known {
                targets.remove((truth & 1) as usize);
            }
            if targets.len() == 1 {
                data.op = Op::Jump;
                data.args.clear();
            }
        }
        for target in &mut targets {
            target.args.iter_mut().for_each(|arg| *arg = self.copy.value(*arg));
            if target.block == self.plan.header {
                let kept = self.kept(iteration + 1);
                let args: Vec<Value> = kept.iter().map(|&at| target.args[at]).collect();
                *target = BlockCall::new(self.blocks[iteration + 1][&self.plan.header], args);
            } else if let Some(&block) = own.get(&target.block) {
                target.block = block;
            }
        }
        data.targets = targets.into_iter().collect();
        data.results.clear();
        let made = self.func.insts.push(data);
        self.func.blocks[copy].insts.push(made);
    }
}

impl Plan {
    /// Whether one edge enters the loop, and one goes back to its header.
    fn single_edges(&self, func: &Function) -> [bool; 2] {
        let mut edges = [0, 0];
        for &block in &func.layout {
            let count = func.edges(block).filter(|call| call.block == self.header).count();
            edges[usize::from(self.blocks.contains(&block))] += count;
        }
        edges.map(|count| count == 1)
    }

    fn header_params(&self, func: &Function) -> Vec<Value> {
        func.blocks[self.header].params.clone()
    }
}

fn is_slot(func: &Function, value: Value) -> bool {
    matches!(func.values[value].def, Def::Result(inst, _) if func.insts[inst].op == Op::StackSlot)
        && func.native(value) == Native::Ptr
}
