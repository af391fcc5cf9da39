//! Poll placement: loops check for signals often enough to be interruptible, and rarely enough to cost nothing.
//!
//! Loops that end soon for certain do not poll, nor do such that become a formula, nor loops whose every iteration runs into another one that does. A loop that counts
//! must keep its vectors, and cost nothing where it is begun: it does not poll, and for the case that it is long a function
//! stands in its place, which is compiled when it is needed ([`crate::outline`]). There, and where the end of the loop may change, it runs in strips of
//! many iterations, and polls before each. What is left polls each iteration, or every other one ([`crate::unroll_by_two`]).
//!
//! ```text
//! block3: ...                               block3: ...
//!     %2 = poll                                 %2 = load_volatile i8, 0, %flag
//!     branch %2, block7, block4                 %3 = icmp ne, %2, 0
//!                                 becomes       branch %3, block5, block4
//!                                           block5 cold:
//!                                               %4 = call rumba_poll
//!                                               branch %4, block7, block4
//! ```
//!
//! A poll reads a byte (`rt::interrupts`); if it is set, `rumba_poll` runs Python's signal handlers.

use crate::argument_bounds::{ArgumentBounds, Bounds, Timed};
use crate::bit_loops::trip_count_of_bits;
use crate::closed_form::has_closed_form;
use crate::counted_loops::Counted;
use crate::long_loops::Guard;
use crate::loop_strips::Strips;
use crate::outline::CompileWhen;
use crate::range_analysis::{LoopAnalyses, Loops};
use crate::unroll_by_two::SecondIteration;
use abi::Runtime;
use entity::{HashSet, SideTable};
use flow::{Cfg, LoopId};
use ir::{Attr, Block, BlockCall, Builder, Function, Inst, IntCond, Native, Op, Site, Value};

/// Iterations of a strip, at most.
const MAX_ITERATIONS: i64 = 1 << 16;

/// Loops with shorter strips poll each iteration: what stands around a strip would be no less.
pub(crate) const MIN_ITERATIONS: i64 = 64;

/// What runs between two polls, in instructions.
const MAX_COST: u64 = 1 << 22;

/// Loops that cost no more as a whole do not poll.
const SHORT: u64 = 1 << 20;

/// What a call of the runtime that only computes may cost, and one that does more.
const PURE_CALL: u64 = 64;
const OTHER_CALL: u64 = 1 << 12;

/// How often a loop without a poll may go around: it looks something up.
const SEARCHED: u64 = 16;

/// How large arguments of a function may be for loops to end soon that are long only where arguments are large: nothing if there are
/// no such loops.
pub fn argument_bounds(func: &Function, cost: &dyn Fn(&str) -> Option<u64>) -> Option<ArgumentBounds> {
    let polls = find(func);
    if polls.is_empty() {
        return None;
    }
    with_loops(func, |loops| planner(loops, &polls, cost).bounds().find())
}

/// Puts polls where they are needed. `cost` tells what a call of a function costs at most, if it ends soon. With a symbol, loops
/// inside others may become functions of their own for the case that they are long: gives these with their symbols. `most` is what
/// arguments may be at most, as [`argument_bounds`] found. With `aside`, the code generator knows what to do about `poll_out_of_line`.
pub fn place_polls(
    func: &mut Function,
    cost: &dyn Fn(&str) -> Option<u64>,
    symbol: Option<(&str, CompileWhen)>,
    (most, aside): (Option<u64>, bool),
) -> Vec<(String, Function)> {
    let mut outlined = Vec::new();
    let mut polls = find(func);
    if polls.is_empty() {
        return outlined;
    }
    let mut plans = plan(func, &polls, cost, (symbol.is_some(), most));
    while let (Some((symbol, when)), Some(at)) = (symbol, plans.iter().position(Plan::is_guard)) {
        if let Plan::Guard(guard) = plans.swap_remove(at) {
            let name = format!("{symbol}.long{}", outlined.len());
            let slow = guard.form(func, &polls[at], (&name, when));
            outlined.push((name, slow));
        }
        polls = find(func);
        plans = plan(func, &polls, cost, (true, most));
    }
    let mut flag = None;
    for (poll, plan) in polls.into_iter().zip(plans) {
        match plan {
            Plan::Remove | Plan::Guard(_) => remove(func, &poll),
            Plan::EachRound(second) => {
                if let Some(site) = plain_way_out(func, &poll).filter(|_| aside) {
                    poll_out_of_line(func, &poll, second, site);
                    continue;
                }
                remove(func, &poll);
                func.blocks[poll.block].insts.pop();
                let flag = flag_of(func, &mut flag);
                look(func, poll.block, flag, (poll.fail, poll.go_on));
            }
            Plan::Strips(strips) => {
                let flag = flag_of(func, &mut flag);
                strips.form(func, &poll, flag);
            }
        }
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    outlined
}

/// The site whose status the function is left with where a handler raised, if nothing else happens there.
fn plain_way_out(func: &Function, poll: &Poll) -> Option<Site> {
    let [status, fail] = func.blocks[poll.fail.block].insts[..] else { return None };
    let (status, fail) = (&func.insts[status], &func.insts[fail]);
    let plain = status.op == Op::SiteStatus && fail.op == Op::Fail && fail.args[..] == status.results[..];
    match status.attrs.first() {
        Some(&Attr::Site(site)) if plain => Some(site),
        _ => None,
    }
}

/// Polls in one instruction, in a second iteration if there is one.
fn poll_out_of_line(func: &mut Function, poll: &Poll, second: Option<SecondIteration>, site: Site) {
    let block = match second {
        Some(second) => second.form(func, poll),
        None => {
            remove(func, poll);
            poll.block
        }
    };
    let back = func.blocks[block].insts.pop();
    Builder::new(func, block).inst(Op::PollAside, [Attr::Site(site)], &[], &[]);
    func.blocks[block].insts.extend(back);
}

/// Takes all polls away.
pub fn remove_polls(func: &mut Function) {
    remove_polls_in(func, |_| true);
}

/// Takes polls of some blocks away; whether there are any.
pub(crate) fn remove_polls_in(func: &mut Function, is_wanted: impl Fn(Block) -> bool) -> bool {
    let mut polls = find(func);
    polls.retain(|poll| is_wanted(poll.block));
    if polls.is_empty() {
        return false;
    }
    polls.iter().for_each(|poll| remove(func, poll));
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    true
}

/// What a call of a function costs at most, if it ends soon: the sum of its instructions, if it has no loops.
pub fn bounded_cost(func: &Function) -> Option<u64> {
    if Cfg::compute(func).has_cycle() {
        return None;
    }
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.map(|&inst| cost_of(func, inst, &|_| None)).sum()
}

/// A poll and the branch after it, which end a block.
pub(crate) struct Poll {
    pub block: Block,
    pub fail: BlockCall,
    pub go_on: BlockCall,
}

fn find(func: &Function) -> Vec<Poll> {
    let at_end = |&block: &Block| {
        let [.., poll, branch] = func.blocks[block].insts[..] else { return None };
        let (data, branch) = (&func.insts[poll], &func.insts[branch]);
        let tested = data.op == Op::Poll && branch.op == Op::Branch && branch.args[0] == data.results[0];
        tested.then(|| Poll { block, fail: branch.targets[0].clone(), go_on: branch.targets[1].clone() })
    };
    func.layout.iter().filter_map(at_end).collect()
}

/// Goes on in any case.
pub(crate) fn remove(func: &mut Function, poll: &Poll) {
    let branch = func.blocks[poll.block].insts.pop();
    let span = branch.map(|branch| func.insts[branch].span).unwrap_or_default();
    func.blocks[poll.block].insts.pop();
    let mut builder = Builder::new(func, poll.block);
    builder.span = span;
    builder.jump(poll.go_on.block, &poll.go_on.args);
}

/// The address of the byte that says whether to look, which the entry computes.
fn flag_of(func: &mut Function, known: &mut Option<Value>) -> Value {
    *known.get_or_insert_with(|| {
        let entry = func.entry;
        let last = func.blocks[entry].insts.pop();
        let flag = Builder::new(func, entry).native(Op::PollFlag, [], &[], Native::Ptr);
        func.blocks[entry].insts.extend(last);
        flag
    })
}

/// Looks for signals at the end of a block, which has no end yet: continues in the first block if a handler raised, else in the second.
pub(crate) fn look(func: &mut Function, block: Block, flag: Value, (fail, go_on): (BlockCall, BlockCall)) {
    let slow = func.add_block(func.blocks[block].label);
    func.blocks[slow].cold = true;
    let mut builder = Builder::new(func, block);
    let attrs = [Attr::Native(Native::I8), Attr::Int(0)];
    let byte = builder.native(Op::LoadVolatile, attrs, &[flag], Native::I8);
    let zero = builder.iconst(Native::I8, 0);
    let due = builder.icmp(IntCond::Ne, byte, zero);
    builder.branch(due, BlockCall::new(slow, []), go_on.clone());
    builder.switch_to(slow);
    let raised = builder.call_runtime(Runtime::Poll, &[])[0];
    builder.branch(raised, fail, go_on);
}

/// What becomes of a poll.
enum Plan {
    Remove,
    /// Perhaps only in every other one.
    EachRound(Option<SecondIteration>),
    Strips(Strips),
    Guard(Guard),
}

impl Plan {
    fn is_guard(&self) -> bool {
        matches!(self, Plan::Guard(_))
    }
}

fn plan(
    func: &Function,
    polls: &[Poll],
    cost: &dyn Fn(&str) -> Option<u64>,
    (guards, most): (bool, Option<u64>),
) -> Vec<Plan> {
    with_loops(func, |loops| {
        let forest = loops.forest;
        let mut planner = planner(loops, polls, cost);
        planner.guards = guards && func.can_fail;
        if let Some(most) = most {
            planner.bounded = planner.bounds().totals(most);
        }
        for this in forest.ids().rev() {
            planner.plan_loop(this);
        }
        if !forest.irreducible_edges().is_empty() {
            // Which iterations there are is not known, but which blocks run again.
            let again = flow::compute_in_loops(loops.cfg);
            for (poll, plan) in polls.iter().zip(&mut planner.plans) {
                if again[poll.block] && forest.innermost(poll.block).is_none() {
                    *plan = Plan::EachRound(None);
                }
            }
        }
        planner.plans
    })
}

fn with_loops<T>(func: &Function, then: impl FnOnce(&Loops<'_>) -> T) -> T {
    then(&LoopAnalyses::of(func).loops(func, &HashSet::default()))
}

fn planner<'a>(
    loops: &'a Loops<'a>,
    polls: &'a [Poll],
    cost: &'a dyn Fn(&str) -> Option<u64>,
) -> Planner<'a> {
    Planner {
        loops,
        polls,
        cost,
        guards: false,
        bounded: SideTable::new(),
        total: SideTable::new(),
        polled: Vec::new(),
        plans: polls.iter().map(|_| Plan::Remove).collect(),
    }
}

struct Planner<'a> {
    loops: &'a Loops<'a>,
    polls: &'a [Poll],
    cost: &'a dyn Fn(&str) -> Option<u64>,
    /// Whether loops may become functions.
    guards: bool,
    /// What loops cost as a whole that end soon unless arguments are large.
    bounded: SideTable<LoopId, Option<u64>>,
    /// What each loop costs as a whole; nothing where that has no bound.
    total: SideTable<LoopId, Option<u64>>,
    /// Blocks that run when signals are looked for.
    polled: Vec<Block>,
    plans: Vec<Plan>,
}

impl Planner<'_> {
    /// The loops as far as it matters how long they take.
    fn bounds(&self) -> Bounds<'_> {
        let timed = |this: LoopId| Timed {
            parent: self.loops.forest.get(this).parent,
            own: self.own_cost(this),
            iterations: self.polls_of(this).is_empty().then_some(SEARCHED),
            counted: Counted::at_most(self.loops, this).filter(|counted| !counted.changes),
        };
        Bounds { loops: self.loops, timed: self.loops.forest.ids().map(|this| (this, timed(this))).collect() }
    }

    fn polls_of(&self, this: LoopId) -> Vec<usize> {
        let home = |&number: &usize| self.loops.forest.innermost(self.polls[number].block) == Some(this);
        (0..self.polls.len()).filter(home).collect()
    }

    /// Loops inside this one were planned before.
    fn plan_loop(&mut self, this: LoopId) {
        let forest = self.loops.forest;
        if self.bounded[this].is_some() {
            self.total[this] = self.bounded[this];
            return;
        }
        let own = self.polls_of(this);
        let cost = self.iteration(this);
        if own.is_empty() {
            self.total[this] = cost.map(|cost| cost.saturating_mul(SEARCHED));
            return;
        }
        let latches = &forest.get(this).latches;
        let each_iteration =
            |block: Block| latches.iter().all(|&latch| self.loops.tree.dominates(block, latch));
        let inside = |block: Block| forest.contains(this, block) && forest.innermost(block) != Some(this);
        if self.polled.iter().any(|&block| inside(block) && each_iteration(block)) {
            return;
        }
        let counted = Counted::find(self.loops, this);
        if counted.as_ref().is_some_and(|counted| has_closed_form(self.loops, this, counted)) {
            self.total[this] = cost;
            return;
        }
        let most = Counted::at_most(self.loops, this);
        let iterations = most.as_ref().and_then(|counted| counted.trip_count(self.loops.func));
        let bits = trip_count_of_bits(self.loops, this);
        let certain = bits.as_ref().filter(|bits| bits.not_negative.is_none());
        let iterations = iterations.or(certain.map(|bits| bits.most));
        let whole = cost.zip(iterations).map(|(cost, iterations)| cost.saturating_mul(iterations));
        if whole.is_some_and(|whole| whole <= SHORT) {
            self.total[this] = whole;
            return;
        }
        let always = own.iter().filter(|&&number| each_iteration(self.polls[number].block));
        // The last one of an iteration leads to the next.
        let Some(&always) = always.max_by_key(|&&number| latches[..] == [self.polls[number].go_on.block])
        else {
            for number in own {
                self.plans[number] = Plan::EachRound(None);
            }
            return;
        };
        let poll = &self.polls[always];
        let length = cost.map(|cost| (1 << (MAX_COST / cost.max(1)).max(1).ilog2()).min(MAX_ITERATIONS));
        let alone = counted.is_none() && own.len() == 1;
        let strips = counted
            .zip(length.filter(|&length| length >= MIN_ITERATIONS))
            .and_then(|(counted, length)| Strips::plan(self.loops, this, poll, (counted, length)));
        let number = bits.and_then(|bits| bits.not_negative);
        let guard = cost.filter(|_| self.guards).and_then(|cost| match (&strips, number, &most) {
            (Some(strips), ..) => Guard::plan(self.loops, this, &strips.counted, cost),
            (None, Some(number), _) => Guard::of_bits(self.loops, this, number),
            (None, None, Some(most)) => Guard::plan(self.loops, this, most, cost),
            (None, None, None) => None,
        });
        if let Some(guard) = guard {
            self.plans[always] = Plan::Guard(guard);
            return;
        }
        self.polled.push(if strips.is_some() { forest.get(this).header } else { poll.block });
        self.plans[always] = match strips {
            Some(strips) => Plan::Strips(strips),
            None => Plan::EachRound(if alone { SecondIteration::plan(self.loops, this) } else { None }),
        };
    }

    /// What the instructions of an iteration cost that stand in no loop inside, if that has a bound.
    fn own_cost(&self, this: LoopId) -> Option<u64> {
        let (func, forest) = (self.loops.func, self.loops.forest);
        let own = forest.body(this).iter().filter(|&&block| forest.innermost(block) == Some(this));
        let usual = own.filter(|&&block| !func.blocks[block].cold);
        let insts = usual.flat_map(|&block| &func.blocks[block].insts);
        insts.map(|&inst| cost_of(func, inst, self.cost)).sum()
    }

    /// What an iteration costs, if that has a bound.
    fn iteration(&self, this: LoopId) -> Option<u64> {
        let (own, forest) = (self.own_cost(this), self.loops.forest);
        let inner = forest.ids().filter(|&id| forest.get(id).parent == Some(this));
        let inner: Option<u64> = inner.map(|id| self.total[id]).sum();
        Some(own?.saturating_add(inner?))
    }
}

/// What an instruction costs, if that has a bound.
fn cost_of(func: &Function, inst: Inst, cost: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let data = &func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::CallExternal, Some(&Attr::External(id))) => {
            let external = func.externals.get(id);
            match Runtime::from_symbol(&external.name) {
                _ if external.pure => Some(PURE_CALL),
                Some(function) if function.row().has(abi::Effect::Python) => None,
                Some(_) => Some(OTHER_CALL),
                None => cost(&external.name),
            }
        }
        (Op::CallIndirect | Op::Suspend, _) => None,
        (Op::Alloc | Op::Decref, _) => Some(PURE_CALL),
        _ => Some(1),
    }
}
