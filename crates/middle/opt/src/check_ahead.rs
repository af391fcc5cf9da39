//! Strip-mined checks: a vectorized loop tests whether any check on floats would fail in a strip of iterations; if not,
//! the strip runs without these checks and is vectorized, too.
//!
//! ```text
//!                                                  block6(%j):  the end, or a strip up to %limit
//!                                                      branch %few, block2(%j), block7
//! block2(%i):                                      block7(%k, %bad):  for each iteration of the strip
//!     %1 = icmp slt, %i, %n                            %3 = load f64, 0, %address
//!     branch %1, block3, block5                        %4 = fcmp oeq, %3, %zero
//! block3:                               becomes        %worse = ior %bad, %4 ...
//!     %3 = load f64, 0, %address                       branch %worse, block2(%j), block8(%j)
//!     %4 = fcmp oeq, %3, %zero                     block8(%i):  the iterations without the check
//!     branch %4, block9, block4                        ... up to %limit, then jump block6(%i)
//! block4: ... jump block2(%next)                   block2(%i):  as it was
//! ```
//!
//! If a check would fail, the original loop continues with the first iteration of the strip: none of the strip has been executed
//! yet, and an exception is raised at the same point as before. The strip must not write what the checks read; addresses are compared
//! to ensure this ([`crate::strip_addresses`]).

use crate::bounds_checks::{failing_blocks, is_equality};
use crate::counted_loops::Counted;
use crate::mem2reg::mem2reg;
use crate::range_analysis::{Conditions, LoopAnalyses, Loops, Nest};
use crate::strip_addresses::{Access, Apart};
use crate::strip_copies::Copies;
use entity::{HashMap, HashSet, SideTable};
use flow::LoopId;
use ir::{Attr, Block, BlockCall, Def, Effect, Function, Inst, Native, Op, Value};

/// Iterations of a strip: what it reads stays in the first cache.
pub(crate) const LENGTH: i64 = 1024;

/// With fewer iterations a loop runs as it is.
pub(crate) const FEW: i64 = 16;

/// Loops of a function, instructions of a loop, and of the function, which is analyzed again after each.
const MAX_LOOPS: usize = 32;
const MAX_COPIED: usize = 400;
const MAX_INSTRUCTIONS: usize = 20_000;

/// Makes loops that store and may raise look ahead.
pub fn check_ahead(func: &mut Function) {
    let mut tried: HashSet<Block> = HashSet::default();
    for _ in 0..MAX_LOOPS {
        if func.len() > MAX_INSTRUCTIONS || !asks_for_floats(func) {
            return;
        }
        let Some(plan) = next_plan(func, &mut tried) else { return };
        Copies::form(func, plan);
        mem2reg(func);
    }
}

/// Whether some branch tests floats.
fn asks_for_floats(func: &Function) -> bool {
    let branches = func.layout.iter().filter_map(|&block| func.terminator(block));
    let mut branches = branches.map(|last| &func.insts[last]).filter(|last| last.op == Op::Branch);
    branches.any(|last| is_of_floats(func, last.args[0]) || conversion(func, last.args[0]).is_some())
}

/// The conversion to an integer of which a condition asks whether there was none.
fn conversion(func: &Function, condition: Value) -> Option<Inst> {
    let computed = |value: Value, op: Op| match func.values[value].def {
        Def::Result(inst, _) if func.insts[inst].op == op => Some(inst),
        _ => None,
    };
    let converted = *func.insts[computed(condition, Op::Icmp)?].args.first()?;
    let inst = computed(converted, Op::FloatToSintOrMin)?;
    let is_least = func.native(converted) == Native::I64 && is_equality(func, condition, converted, i64::MIN);
    is_least.then_some(inst)
}

/// A check that is made ahead.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    /// Which target of the branch continues.
    pub on: usize,
    /// What fits 32 bits if it passes: the check is whether a float is that small.
    pub converts: Option<Inst>,
}

fn is_of_floats(func: &Function, condition: Value) -> bool {
    let Def::Result(inst, _) = func.values[condition].def else { return false };
    let data = &func.insts[inst];
    match data.op {
        Op::Fcmp => true,
        Op::Iand | Op::Ior => data.args.iter().all(|&arg| is_of_floats(func, arg)),
        _ => false,
    }
}

/// What is to be done about a loop.
pub(crate) struct Plan {
    pub counted: Counted,
    pub header: Block,
    /// The blocks of the loop, and those in which it only fails.
    pub blocks: Vec<Block>,
    /// The blocks that run where nothing is rare, each after those that it comes from.
    pub usual: Vec<Block>,
    /// The checks at the end of blocks.
    pub checks: HashMap<Block, Ahead>,
    /// The block that looks for signals, and where it continues.
    pub poll: Option<(Block, BlockCall, BlockCall)>,
    /// What the checks are computed by.
    pub needed: HashSet<Inst>,
    /// What must lie apart.
    pub apart: Vec<Apart>,
}

fn next_plan(func: &Function, tried: &mut HashSet<Block>) -> Option<Plan> {
    let analyses = LoopAnalyses::of(func);
    if analyses.is_irreducible() {
        return None;
    }
    let lengths = HashSet::default();
    let loops = analyses.loops(func, &lengths);
    let failing = failing_blocks(func);
    let outer: HashSet<LoopId> = loops.forest.ids().filter_map(|id| loops.forest.get(id).parent).collect();
    let mut inner = loops.forest.ids().filter(|id| !outer.contains(id));
    inner.find_map(|this| {
        let is_new = tried.insert(loops.forest.get(this).header);
        let finder = Finder { loops: &loops, failing: &failing, this };
        is_new.then(|| finder.plan())?
    })
}

struct Finder<'a> {
    loops: &'a Loops<'a>,
    failing: &'a SideTable<Block, bool>,
    this: LoopId,
}

/// The blocks of a loop that run where nothing is rare.
#[derive(Default)]
struct Usual {
    blocks: Vec<Block>,
    checks: HashMap<Block, Ahead>,
    poll: Option<(Block, BlockCall, BlockCall)>,
}

impl Finder<'_> {
    fn plan(&self) -> Option<Plan> {
        let (func, forest) = (self.loops.func, self.loops.forest);
        let nest = forest.get(self.this);
        let body = forest.body(self.this);
        let size: usize = body.iter().map(|&block| func.blocks[block].insts.len()).sum();
        let plain = |&block: &Block| func.blocks[block].handler.is_none();
        if size > MAX_COPIED || nest.entries.len() != 1 || !body.iter().all(plain) {
            return None;
        }
        let counted = Counted::find(self.loops, self.this)?;
        if !counted.ahead || counted.changes || !self.only_counts() {
            return None;
        }
        let usual = self.usual(&counted)?;
        let stores = self.stores(&usual)?;
        let needed = self.needed(&usual)?;
        let apart = self.apart(&counted, &usual, &needed, &stores)?;
        let Usual { blocks: usual, checks, poll } = usual;
        let ends = |&&block: &&Block| {
            self.failing[block] && self.loops.tree.dominates(nest.header, block) && !body.contains(&block)
        };
        let blocks = body.iter().chain(func.layout.iter().filter(ends)).copied().collect();
        Some(Plan { counted, header: nest.header, blocks, usual, checks, poll, needed, apart })
    }

    fn nest(&self) -> Nest<'_> {
        Nest { loops: self.loops, outer: self.this, conditions: Conditions::default() }
    }

    /// Whether nothing goes from one iteration to the next but counters, and the head only computes.
    fn only_counts(&self) -> bool {
        let func = self.loops.func;
        let header = &func.blocks[self.loops.forest.get(self.this).header];
        let nest = self.nest();
        let pure =
            |&inst: &Inst| matches!(func.insts[inst].op.info().effect, Effect::Pure | Effect::Terminator);
        header.params.iter().all(|&param| nest.counter(self.this, param).is_some())
            && header.insts.iter().all(pure)
    }

    fn usual(&self, counted: &Counted) -> Option<Usual> {
        let (func, forest) = (self.loops.func, self.loops.forest);
        let mut found = Usual::default();
        let mut seen: HashSet<Block> = HashSet::default();
        let mut open = vec![forest.get(self.this).header];
        while let Some(block) = open.pop() {
            if !seen.insert(block) {
                continue;
            }
            let insts = &func.blocks[block].insts;
            let last = &func.insts[*insts.last()?];
            let polls = insts.len() > 1 && func.insts[insts[insts.len() - 2]].op == Op::Poll;
            let goes_on: Vec<usize> = match last.op {
                Op::Jump => vec![0],
                Op::Branch if block == counted.test => vec![1 - counted.out],
                Op::Branch if polls => {
                    self.raises_at_once(last.targets[0].block)?;
                    found.poll = Some((block, last.targets[0].clone(), last.targets[1].clone()));
                    vec![1]
                }
                Op::Branch if conversion(func, last.args[0]).is_some() => {
                    let converts = conversion(func, last.args[0]);
                    found.checks.insert(block, Ahead { on: 1, converts });
                    vec![1]
                }
                Op::Branch => {
                    let rare =
                        |target: &BlockCall| self.failing[target.block] || func.blocks[target.block].cold;
                    let usual: Vec<usize> = (0..2).filter(|&at| !rare(&last.targets[at])).collect();
                    if let [on] = usual[..] {
                        let check = Ahead { on, converts: None };
                        is_of_floats(func, last.args[0]).then(|| found.checks.insert(block, check))?;
                    }
                    usual
                }
                _ => return None,
            };
            for at in goes_on {
                let target = last.targets[at].block;
                forest.contains(self.this, target).then(|| open.push(target))?;
            }
        }
        let order = self.loops.cfg.reverse_postorder().iter();
        found.blocks = order.copied().filter(|block| seen.contains(block)).collect();
        (!found.checks.is_empty()).then_some(found)
    }

    /// Whether a block without parameters does nothing but fail.
    fn raises_at_once(&self, block: Block) -> Option<()> {
        let func = self.loops.func;
        let [status, fail] = func.blocks[block].insts[..] else { return None };
        let plain = func.insts[status].op == Op::SiteStatus && func.insts[fail].op == Op::Fail;
        (plain && func.blocks[block].params.is_empty()).then_some(())
    }

    fn insts<'a>(&'a self, usual: &'a Usual) -> impl Iterator<Item = (Block, usize, Inst)> + 'a {
        let func = self.loops.func;
        usual.blocks.iter().flat_map(move |&block| {
            func.blocks[block].insts.iter().enumerate().map(move |(at, &inst)| (block, at, inst))
        })
    }

    /// What writes to memory, if that is all that happens.
    fn stores(&self, usual: &Usual) -> Option<Vec<Access>> {
        let func = self.loops.func;
        let mut stores = Vec::new();
        for (block, at, inst) in self.insts(usual) {
            let data = &func.insts[inst];
            match (data.op, data.op.info().effect) {
                (Op::Store | Op::StoreUnaligned, _) => stores.push(Access::of(func, block, at, inst)?),
                (Op::Poll, _) => {}
                (Op::CallExternal, _) => {
                    let Some(&Attr::External(id)) = data.attrs.first() else { return None };
                    func.externals.get(id).pure.then_some(())?;
                }
                (_, Effect::Any) => return None,
                _ => {}
            }
        }
        (!stores.is_empty()).then_some(stores)
    }

    /// What is asked at the end of a block: a condition, or a float that must be small.
    fn asked(&self, usual: &Usual, block: Block) -> Option<Value> {
        let func = self.loops.func;
        match usual.checks.get(&block).and_then(|check| check.converts) {
            Some(inst) => func.insts[inst].args.first().copied(),
            None => func.insts[func.terminator(block)?].args.first().copied(),
        }
    }

    /// What checks and branches are computed by, and what goes from block to block: it can be computed though a check fails.
    fn needed(&self, usual: &Usual) -> Option<HashSet<Inst>> {
        let func = self.loops.func;
        let is_usual: HashSet<Block> = usual.blocks.iter().copied().collect();
        let mut open: Vec<Value> = Vec::new();
        for &block in &usual.blocks {
            let last = &func.insts[func.terminator(block)?];
            let polls = usual.poll.as_ref().is_some_and(|poll| poll.0 == block);
            if !polls && last.op == Op::Branch {
                open.push(self.asked(usual, block)?);
            }
            let inside = last.targets.iter().filter(|target| is_usual.contains(&target.block));
            open.extend(inside.flat_map(|target| &target.args));
        }
        let mut needed: HashSet<Inst> = HashSet::default();
        while let Some(value) = open.pop() {
            let Def::Result(inst, _) = func.values[value].def else { continue };
            let Some(home) = self.loops.block_of[inst].expand() else { continue };
            if self.loops.forest.contains(self.this, home) && needed.insert(inst) {
                is_usual.contains(&home).then_some(())?;
                open.extend(&func.insts[inst].args);
            }
        }
        let guards: Vec<(Block, HashSet<Value>)> = usual
            .checks
            .keys()
            .map(|&block| Some((block, self.sources(self.asked(usual, block)?))))
            .collect::<Option<_>>()?;
        needed.iter().all(|&inst| self.is_safe(inst, &guards)).then_some(needed)
    }

    /// Whether an instruction does no harm where a check failed that stands before it. Neither the index that it reads nor what it divides by has to do
    /// with what the check looks at.
    fn is_safe(&self, inst: Inst, guards: &[(Block, HashSet<Value>)]) -> bool {
        let func = self.loops.func;
        let data = &func.insts[inst];
        let reads = match data.op {
            Op::CallExternal | Op::Frem => return false,
            Op::Load | Op::LoadUnaligned => true,
            Op::Sdiv | Op::Udiv | Op::Srem | Op::Urem | Op::FloatToSint | Op::FloatToUint => false,
            Op::Ishl | Op::Sshr | Op::Ushr => false,
            _ => return data.op.info().effect == Effect::Pure,
        };
        let Some(home) = self.loops.block_of[inst].expand() else { return false };
        let mut behind =
            guards.iter().filter(|(block, _)| !self.loops.tree.dominates(home, *block)).peekable();
        if behind.peek().is_none() {
            return true;
        }
        let mut sources: HashSet<Value> = HashSet::default();
        data.args.iter().for_each(|&arg| sources.extend(self.sources(arg)));
        let is_address = |value: &Value| func.native(*value) == Native::Ptr;
        if reads && sources.iter().any(is_address) {
            return false;
        }
        behind.all(|(_, looked_at)| !looked_at.is_empty() && looked_at.is_disjoint(&sources))
    }

    /// What a value is computed from in an iteration: variables and what is read.
    fn sources(&self, value: Value) -> HashSet<Value> {
        let func = self.loops.func;
        let (mut found, mut seen, mut open) = (HashSet::default(), HashSet::default(), vec![value]);
        let nest = self.nest();
        while let Some(value) = open.pop() {
            if nest.is_invariant(value) || !seen.insert(value) {
                continue;
            }
            match func.values[value].def {
                Def::Result(inst, _) if func.insts[inst].op.info().effect == Effect::Pure => {
                    open.extend(&func.insts[inst].args);
                }
                _ => {
                    found.insert(value);
                }
            }
        }
        found
    }

    /// What must lie apart for the checks to read the same before the strip as in each iteration.
    fn apart(
        &self,
        counted: &Counted,
        usual: &Usual,
        needed: &HashSet<Inst>,
        stores: &[Access],
    ) -> Option<Vec<Apart>> {
        let func = self.loops.func;
        let nest = self.nest();
        let counter = func.blocks[self.loops.forest.get(self.this).header].params[counted.param];
        let mut apart: Vec<Apart> = Vec::new();
        for (block, at, inst) in self.insts(usual).filter(|(_, _, inst)| needed.contains(inst)) {
            if !matches!(func.insts[inst].op, Op::Load | Op::LoadUnaligned) {
                continue;
            }
            let read = Access::of(func, block, at, inst)?;
            for &written in stores {
                if read.is_replaced_by(&written, &nest, counter) {
                    continue;
                }
                let pair = Apart::find(&nest, counter, read, written)?;
                if !apart.iter().any(|known| known.is_same(&pair, func)) {
                    apart.push(pair);
                }
            }
        }
        (apart.len() <= crate::strip_addresses::MAX_PAIRS).then_some(apart)
    }
}
