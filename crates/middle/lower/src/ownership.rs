//! Computes where references are released: at the last use of each value that owns memory.
//!
//! A value with owners holds one reference, from its definition to its last use. Arguments are borrowed from
//! the caller and not counted. Everything else is owned by the function: results of instructions, and
//! block parameters, to which a predecessor transfers its own reference if it does not use the
//! value any more. A value that another one keeps valid while it is used ([`crate::borrowed_values`]) needs no
//! reference of its own. This file computes last uses; [`crate::insert_refcounts`] emits the operations.

use crate::borrowed_values::Borrowed;
use crate::iterator_escape::IteratorStates;
use catalog::{Catalog, owners, owns_memory};
use entity::{EntityRef, HashMap, SideTable};
use flow::{BlockFacts, Cfg, Liveness, compute_liveness};
use ir::{Block, BlockCall, Def, Function, Inst, Op, Value};
use types::TypeTable;

/// The last uses of a Typed function's values with owners.
#[derive(Default, Debug)]
pub(crate) struct Ownership {
    /// Values with owners that are not arguments.
    counted: SideTable<Value, bool>,
    /// Whether there are any.
    pub any: bool,
    /// Counted values that live when an instruction begins.
    live: HashMap<Inst, Vec<Value>>,
    /// Counted values without a use after an instruction, that lived when it began or that it made.
    dying: HashMap<Inst, Vec<Value>>,
    /// Parameters of a block that nothing uses.
    unused: HashMap<Block, Vec<Value>>,
    /// Counted values that live when a block begins.
    into: HashMap<Block, Vec<Value>>,
    /// Values that others hold.
    borrowed: Borrowed,
}

impl Ownership {
    /// Finds last uses.
    pub fn compute(
        func: &Function,
        types: &TypeTable,
        catalog: &Catalog,
        states: &IteratorStates,
    ) -> Ownership {
        let mut found = Ownership::default();
        let counts = |value: Value| match states.counted {
            true => !owners(types, func.ty(value)).is_empty(),
            false => owns_memory(types, func.ty(value)),
        };
        for &block in &func.layout {
            let data = &func.blocks[block];
            let results = data.insts.iter().filter(|&&inst| func.insts[inst].op != Op::Arg);
            let results = results.flat_map(|&inst| func.insts[inst].results.iter().copied());
            for value in data.params.iter().copied().chain(results).filter(|&value| counts(value)) {
                found.counted[value] = true;
                found.any = true;
            }
        }
        if found.any {
            found.borrowed = Borrowed::compute(func, (types, catalog), &found.counted);
            for value in found.borrowed.values() {
                found.counted[value] = false;
            }
        }
        if found.any {
            let cfg = Cfg::compute(func);
            let liveness = found.liveness(func, &cfg);
            for &block in cfg.reverse_postorder() {
                found.scan(func, &liveness, block);
            }
        }
        found
    }

    fn liveness(&self, func: &Function, cfg: &Cfg<Block>) -> Liveness<Block, Value> {
        let mut facts = BlockFacts::new(cfg, func.values.len());
        for &block in &func.layout {
            for &param in &func.blocks[block].params {
                facts.add_definition(block, param);
            }
            if let Some(handler) = &func.blocks[block].handler {
                for value in self.handed(handler) {
                    facts.add_use(block, value);
                }
            }
            for &inst in &func.blocks[block].insts {
                for value in self.uses(func, inst).filter(|&value| self.counted[value]) {
                    facts.add_use(block, value);
                }
                for &result in &func.insts[inst].results {
                    facts.add_definition(block, result);
                }
            }
        }
        compute_liveness(cfg, &facts)
    }

    /// Goes through a block from its end.
    fn scan(&mut self, func: &Function, liveness: &Liveness<Block, Value>, block: Block) {
        let mut live: Vec<Value> = liveness.live_out(block).filter(|&value| self.counted[value]).collect();
        // An exception may come up to the end of the block.
        for value in func.blocks[block].handler.iter().flat_map(|handler| self.handed(handler)) {
            if !live.contains(&value) {
                live.push(value);
            }
        }
        live.sort_by_key(|value| value.index());
        for &inst in func.blocks[block].insts.iter().rev() {
            let mut dying = Vec::new();
            for &result in func.insts[inst].results.iter().filter(|&&result| self.counted[result]) {
                match live.iter().position(|&value| value == result) {
                    Some(at) => drop(live.remove(at)),
                    None => dying.push(result),
                }
            }
            for value in self.uses(func, inst).filter(|&value| self.counted[value]) {
                if !live.contains(&value) {
                    live.push(value);
                    dying.push(value);
                }
            }
            if !live.is_empty() {
                self.live.insert(inst, live.clone());
            }
            if !dying.is_empty() {
                self.dying.insert(inst, dying);
            }
        }
        let params = &func.blocks[block].params;
        let unused = params.iter().copied().filter(|&param| self.counted[param] && !live.contains(&param));
        let unused: Vec<Value> = unused.collect();
        if !unused.is_empty() {
            self.unused.insert(block, unused);
        }
        live.retain(|value| !params.contains(value));
        self.into.insert(block, live);
    }

    /// Whether the value has owners that this function counts.
    pub fn counts(&self, value: Value) -> bool {
        self.counted[value]
    }

    /// Counted values that live when the instruction begins.
    pub fn live(&self, inst: Inst) -> &[Value] {
        self.live.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// Counted values that the instruction uses last, or makes for nobody.
    pub fn dying(&self, inst: Inst) -> &[Value] {
        self.dying.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// Parameters of a block that nothing uses.
    pub fn unused(&self, block: Block) -> &[Value] {
        self.unused.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Whether a value is used in a block or after it.
    pub fn lives_into(&self, block: Block, value: Value) -> bool {
        self.into.get(&block).is_some_and(|live| live.contains(&value))
    }

    /// Counted values that a handler is given.
    fn handed<'f>(&self, handler: &'f BlockCall) -> impl Iterator<Item = Value> + use<'f, '_> {
        handler.args.iter().map(|&value| self.borrowed.holder(value)).filter(|&value| self.counted[value])
    }

    /// Values that an instruction uses; for what is borrowed, who holds it.
    fn uses<'f>(&self, func: &'f Function, inst: Inst) -> impl Iterator<Item = Value> + use<'f, '_> {
        uses(func, inst).map(|value| self.borrowed.holder(value))
    }
}

/// Values that an instruction uses, those that it hands to other blocks included. An exception has no parts: raising it
/// uses what it was made of.
pub(crate) fn uses(func: &Function, inst: Inst) -> impl Iterator<Item = Value> + '_ {
    let data = &func.insts[inst];
    let handed = data.targets.iter().flat_map(|target| target.args.iter().copied());
    let raised = data.args.iter().filter(|_| data.op == Op::Raise);
    let made_of = raised.filter_map(|&raised| match func.values[raised].def {
        Def::Result(made, _) if func.insts[made].op == Op::Call => {
            Some(func.insts[made].args.iter().copied())
        }
        _ => None,
    });
    data.args.iter().copied().chain(handed).chain(made_of.flatten())
}
