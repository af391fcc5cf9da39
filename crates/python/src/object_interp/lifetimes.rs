//! Behind which instruction, and on the way into which block, a value is not read any more: the frame lets go of it there.
//!
//! Absent: what variables hold, which they keep until they are assigned again, as in CPython (`lines`).

use entity::HashMap;
use flow::{BlockFacts, Cfg, Liveness};
use ir::{Block, Function, Inst, Value};
use std::collections::HashSet;

/// Where values end, and where variables get them.
pub(super) struct Lifetimes {
    behind: HashMap<Inst, Vec<Value>>,
    at_entry: HashMap<Block, Vec<Value>>,
    renamings: HashMap<(Block, Option<Inst>), Vec<usize>>,
}

impl Lifetimes {
    pub(super) fn compute(func: &Function) -> Lifetimes {
        let live = compute_live(func);
        let mut made = Lifetimes {
            behind: HashMap::default(),
            at_entry: HashMap::default(),
            renamings: HashMap::default(),
        };
        for (number, renaming) in func.renamings.iter().enumerate() {
            made.renamings.entry((renaming.block, renaming.after.expand())).or_default().push(number);
        }
        for &block in &func.layout {
            made.add_last_uses(func, &live, block);
            let results = func.blocks[block].insts.iter().flat_map(|&inst| &func.insts[inst].results);
            let held: Vec<Value> =
                live.live_in(block).chain(func.blocks[block].params.iter().chain(results).copied()).collect();
            for edge in func.edges(block) {
                let params = &func.blocks[edge.block].params;
                let ends = |&value: &Value| !live.is_live_in(edge.block, value) && !params.contains(&value);
                made.at_entry.entry(edge.block).or_default().extend(held.iter().copied().filter(ends));
            }
        }
        for values in made.at_entry.values_mut() {
            values.sort_unstable();
            values.dedup();
        }
        made
    }

    /// The values that nothing reads behind this instruction.
    pub(super) fn behind(&self, inst: Inst) -> &[Value] {
        self.behind.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// The values of blocks before that nothing reads from this block on.
    pub(super) fn at_entry(&self, block: Block) -> &[Value] {
        self.at_entry.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The statements such as `y = x` that stand behind an instruction, or at the begin of the block: their numbers in the function.
    pub(super) fn renamings(&self, block: Block, after: Option<Inst>) -> &[usize] {
        self.renamings.get(&(block, after)).map_or(&[], Vec::as_slice)
    }

    fn add_last_uses(&mut self, func: &Function, live: &Liveness<Block, Value>, block: Block) {
        // What an exception edge takes along may be asked for anywhere in the block.
        let mut read: HashSet<Value> = live.live_out(block).collect();
        for edge in func.edges(block) {
            read.extend(edge.args.iter().copied().chain(live.live_in(edge.block)));
        }
        for &inst in func.blocks[block].insts.iter().rev() {
            let data = &func.insts[inst];
            let mut ends: Vec<Value> =
                data.results.iter().copied().filter(|value| !read.remove(value)).collect();
            ends.extend(data.args.iter().copied().filter(|&value| read.insert(value)));
            if !ends.is_empty() && !data.op.is_terminator() {
                self.behind.insert(inst, ends);
            }
        }
    }
}

fn compute_live(func: &Function) -> Liveness<Block, Value> {
    let cfg = Cfg::compute(func);
    let mut facts = BlockFacts::new(&cfg, func.values.len());
    for &block in &func.layout {
        let data = &func.blocks[block];
        data.params.iter().for_each(|&value| facts.add_definition(block, value));
        for &inst in &data.insts {
            let inst = &func.insts[inst];
            inst.args.iter().for_each(|&value| facts.add_use(block, value));
            inst.results.iter().for_each(|&value| facts.add_definition(block, value));
        }
        for edge in func.edges(block) {
            edge.args.iter().for_each(|&value| facts.add_use(block, value));
        }
        if let Some(handler) = &data.handler {
            facts.add_handler(block, handler.block);
        }
    }
    flow::compute_liveness(&cfg, &facts)
}
