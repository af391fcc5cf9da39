//! Finds `prange` loops that can be parallelized: those with a single exit, after the last iteration.
//!
//! Blocks from which the function can only fail belong to a loop that leads to them.

use super::carried::{Carried, classify};
use super::{SerialLoop, cost, races, shared};
use catalog::{Catalog, references};
use diag::Span;
use entity::HashSet;
use flow::{Cfg, compute_dominators, compute_loops};
use ir::{Block, BlockCall, Def, Function, Inst, Op, Value};
use types::{Type, TypeData, TypeTable};

/// The name of `prange` in the catalog.
const PRANGE: &str = "rumba.prange";

/// A loop that can be parallel.
pub(super) struct Loop {
    pub header: Block,
    /// The loop's blocks and those that only fail after them, the header first.
    pub blocks: Vec<Block>,
    /// Those of them that others lead to, too.
    pub shared: HashSet<Block>,
    /// The call of `prange`.
    pub call: Inst,
    /// The op that begins the iteration.
    pub getiter: Inst,
    /// What becomes of the header's parameters.
    pub carried: Vec<Carried>,
    /// About how many nanoseconds an iteration takes.
    pub cost: i64,
    /// Where iterations write over what others write.
    pub races: Vec<Span>,
}

/// What is known of a function and one of its loops.
pub(super) struct Scope<'a> {
    pub func: &'a Function,
    pub types: &'a TypeTable,
    pub catalog: &'a Catalog,
    pub header: Block,
    pub inside: HashSet<Block>,
}

/// The first loop that can be parallel; those before it that cannot are noted, each once.
pub(super) fn next_loop(
    func: &Function,
    (types, catalog): (&TypeTable, &Catalog),
    serial: &mut Vec<SerialLoop>,
) -> Option<Loop> {
    if func.is_generator {
        return None;
    }
    let mut starts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if !starts.any(|&inst| is_prange(func, types, inst)) {
        return None;
    }
    let cfg = Cfg::compute(func);
    let tree = compute_dominators(&cfg);
    let loops = compute_loops(&cfg, &tree);
    for id in loops.ids() {
        let header = loops.get(id).header;
        let Some((call, getiter)) = iterates_prange(func, types, header) else { continue };
        let span = func.insts[call].span;
        if serial.iter().any(|other| other.span == span) {
            continue;
        }
        let around = func.blocks[header].handler.as_ref();
        let mut failing = failing_blocks(func, &cfg, around);
        // Who handles what the loop raises stays with the loop's caller, also if that raises again.
        around.map(|handler| failing.remove(&handler.block));
        let (blocks, shared) = with_failing(&cfg, &failing, loops.body(id));
        let inside = blocks.iter().copied().collect();
        let scope = Scope { func, types, catalog, header, inside };
        match scope.check(loops.body(id), &blocks) {
            Ok(carried) => {
                let is_repeated = |block: Block| loops.depth(block) > loops.get(id).depth;
                let cost = cost::estimate(func, types, loops.body(id), &is_repeated);
                let races = races::find(&scope, &tree, &loops, id);
                return Some(Loop { header, blocks, shared, call, getiter, carried, cost, races });
            }
            Err(reason) => serial.push(SerialLoop { span, reason }),
        }
    }
    None
}

/// Removes what handlers are given and do not use, so that a loop within one may assign those names.
pub(super) fn drop_unused_of_handlers(func: &mut Function, types: &TypeTable) {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if !insts.any(|&inst| is_prange(func, types, inst)) {
        return;
    }
    loop {
        let uses = func.count_uses();
        let handlers = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
        let is_unused = |block: Block, at: usize| !uses.contains_key(&func.blocks[block].params[at]);
        // The exception itself follows what is given.
        let unused = handlers
            .flat_map(|to| (0..to.args.len()).map(|at| (to.block, at)))
            .find(|&(block, at)| is_unused(block, at));
        let Some((block, at)) = unused else { return };
        func.blocks[block].params.remove(at);
        for (index, param) in func.blocks[block].params.clone().into_iter().enumerate().skip(at) {
            func.values[param].def = Def::Param(block, index as u16);
        }
        for from in func.layout.clone() {
            let handler = func.blocks[from].handler.as_mut();
            handler.filter(|to| to.block == block).map(|to| to.args.remove(at));
            for inst in func.blocks[from].insts.clone() {
                let targets = func.insts[inst].targets.iter_mut();
                for to in targets.filter(|to| to.block == block) {
                    to.args.remove(at);
                }
            }
        }
    }
}

fn is_prange(func: &Function, types: &TypeTable, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_named = |callee: Type| matches!(types.get(callee), TypeData::Function(name) if *name == *PRANGE);
    data.op == Op::Call && is_named(func.ty(data.args[0]))
}

/// The call of `prange` and the start of the iteration that a block is the head of.
fn iterates_prange(func: &Function, types: &TypeTable, header: Block) -> Option<(Inst, Inst)> {
    let &[next, branch] = &func.blocks[header].insts[..] else { return None };
    if !crate::loop_head::is_loop_head(func, next, branch) || func.insts[next].args.len() != 1 {
        return None;
    }
    let made_by = |value: Value, op: Op| match func.values[value].def {
        Def::Result(inst, 0) if func.insts[inst].op == op => Some(inst),
        _ => None,
    };
    let getiter = made_by(func.insts[next].args[0], Op::Getiter)?;
    let call = made_by(func.insts[getiter].args[0], Op::Call)?;
    is_prange(func, types, call).then_some((call, getiter))
}

/// Blocks from which every way ends in an exception that leaves the function, or goes to this handler.
fn failing_blocks(func: &Function, cfg: &Cfg<Block>, handler: Option<&BlockCall>) -> HashSet<Block> {
    let mut failing = HashSet::default();
    for &block in cfg.reverse_postorder().iter().rev() {
        let Some(last) = func.terminator(block) else { continue };
        let data = &func.insts[last];
        let fails = match data.op {
            Op::Raise | Op::Reraise | Op::Unreachable => true,
            Op::Return => false,
            _ => data.targets.iter().all(|to| failing.contains(&to.block)),
        };
        let own = func.blocks[block].handler.as_ref();
        if fails && (own.is_none() || own == handler) {
            failing.insert(block);
        }
    }
    failing
}

/// A loop's blocks and the failing ones after them, and those of these that others lead to, too.
fn with_failing(cfg: &Cfg<Block>, failing: &HashSet<Block>, body: &[Block]) -> (Vec<Block>, HashSet<Block>) {
    let mut blocks = body.to_vec();
    let mut inside: HashSet<Block> = body.iter().copied().collect();
    let mut shared = HashSet::default();
    for &block in cfg.reverse_postorder() {
        if !failing.contains(&block) || inside.contains(&block) {
            continue;
        }
        let alone = |before: Block| inside.contains(&before) && !shared.contains(&before);
        let all = cfg.reachable_predecessors(block).all(alone);
        if cfg.reachable_predecessors(block).any(|before| inside.contains(&before)) {
            inside.insert(block);
            blocks.push(block);
            if !all {
                shared.insert(block);
            }
        }
    }
    (blocks, shared)
}

impl Scope<'_> {
    /// What becomes of the values that the header takes, or why the loop stays as it is.
    fn check(&self, body: &[Block], blocks: &[Block]) -> Result<Vec<Carried>, String> {
        for &block in body {
            let Some(last) = self.func.terminator(block) else { continue };
            let data = &self.func.insts[last];
            if data.op == Op::Return {
                return Err("it is left by `return`".into());
            }
            let leaves = |to: &&BlockCall| !self.inside.contains(&to.block);
            let leaving = data.targets.iter().filter(leaves).count();
            if leaving > usize::from(block == self.header) {
                return Err("it is left by `break` or `return`".into());
            }
        }
        self.check_handlers(blocks)?;
        let mut insts = blocks.iter().flat_map(|&block| &self.func.blocks[block].insts);
        if insts.any(|&inst| self.func.insts[inst].op == Op::Yield) {
            return Err("it suspends the function".into());
        }
        shared::check(self, blocks)?;
        self.check_uses_behind(body)?;
        let carried = classify(self)?;
        shared::check_sums(self, blocks, &carried)?;
        Ok(carried)
    }

    /// Exceptions are handled in the loop, or by who would handle them if the whole loop raised.
    fn check_handlers(&self, blocks: &[Block]) -> Result<(), String> {
        let own = self.defined(blocks);
        let of_loop = self.func.blocks[self.header].handler.as_ref();
        for &block in blocks {
            let Some(handler) = &self.func.blocks[block].handler else { continue };
            let is_inside = self.inside.contains(&handler.block);
            let may_stay = match is_inside {
                true => block != self.header,
                false => of_loop == Some(handler) && !handler.args.iter().any(|arg| own.contains(arg)),
            };
            if !may_stay {
                return Err("an exception is handled outside of it, with names that it assigns".into());
            }
        }
        Ok(())
    }

    /// Only the header's parameters are used after the loop.
    fn check_uses_behind(&self, body: &[Block]) -> Result<(), String> {
        let own = self.defined(body);
        let params = &self.func.blocks[self.header].params;
        let outside: Vec<Block> =
            self.func.layout.iter().copied().filter(|block| !self.inside.contains(block)).collect();
        let exit = self.func.insts[self.func.blocks[self.header].insts[1]].targets[1].args.iter().copied();
        let used = self.used(&outside).chain(exit);
        match used.into_iter().find(|value| own.contains(value) && !params.contains(value)) {
            Some(_) => Err("a value of its last iteration is used behind it".into()),
            None => Ok(()),
        }
    }

    pub fn defined(&self, blocks: &[Block]) -> HashSet<Value> {
        defined(self.func, blocks)
    }

    fn used<'b>(&'b self, blocks: &'b [Block]) -> impl Iterator<Item = Value> + 'b {
        used(self.func, blocks)
    }

    /// Whether the type is one of arrays of numbers, which can be added up item by item.
    pub fn is_summed(&self, ty: Type) -> bool {
        Scope::is_array_of_numbers(self.types, ty)
    }

    /// The same, given the types.
    pub fn is_array_of_numbers(types: &TypeTable, ty: Type) -> bool {
        let array = types.array(ty).filter(|array| array.mutable && array.ndim > 0);
        array.is_some_and(|array| array.dtype.is_int() || array.dtype.is_float() || array.dtype.is_complex())
    }

    /// Whether values of the type hold no reference.
    pub fn is_plain(&self, ty: Type) -> bool {
        references(self.types, ty).is_empty()
    }
}

/// Values that blocks define.
pub(super) fn defined(func: &Function, blocks: &[Block]) -> HashSet<Value> {
    let mut found = HashSet::default();
    for &block in blocks {
        let data = &func.blocks[block];
        found.extend(data.params.iter().copied());
        found.extend(data.insts.iter().flat_map(|&inst| func.insts[inst].results.iter().copied()));
    }
    found
}

/// Values that blocks use, in their order and as often; not those that go to handlers outside them.
pub(super) fn used<'a>(func: &'a Function, blocks: &'a [Block]) -> impl Iterator<Item = Value> + 'a {
    blocks.iter().flat_map(|&block| {
        let data = &func.blocks[block];
        let insts = data.insts.iter().flat_map(|&inst| func.insts[inst].uses());
        let handler = data.handler.iter().filter(|handler| blocks.contains(&handler.block));
        insts.chain(handler.flat_map(|handler| handler.args.iter().copied()))
    })
}
