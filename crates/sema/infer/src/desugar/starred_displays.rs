//! Finds tuples with starred parts, and lists that are only passed on, before types are known.
//!
//! Absent: the types of these (`starred_literals`).

use entity::{EntitySet, HashMap};
use ir::{Block, Def, Function, Inst, Op, Value};

/// A part of a tuple that is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// One item.
    Item(Value),
    /// All items of a value.
    All(Value),
}

/// What a function's tuples with starred parts are made of.
#[derive(Default)]
pub(crate) struct Displays {
    /// By the instruction that turns the list into a tuple.
    pub pieces: HashMap<Inst, Vec<Piece>>,
    /// Instructions that work on the lists, by the same.
    parts: HashMap<Inst, Inst>,
    /// Instructions that make lists which are only passed to calls, or are indices.
    passed: EntitySet<Inst>,
    /// Whether such a list never changes, once that was asked.
    pub unchanged: HashMap<Inst, bool>,
}

impl Displays {
    /// Those of a function; `order` is its blocks in reverse postorder.
    pub fn compute(func: &Function, order: &[Block]) -> Self {
        let mut found = Displays::default();
        for &inst in order.iter().flat_map(|&block| &func.blocks[block].insts) {
            if func.insts[inst].op == Op::ListToTuple {
                found.add(func, order, inst);
            }
        }
        found.find_passed(func, order);
        found
    }

    /// Finds lists of which every use is an argument of a call, an index, or an item of such a list or a tuple.
    fn find_passed(&mut self, func: &Function, order: &[Block]) {
        let mut used_otherwise: EntitySet<Value> = EntitySet::new();
        let mut made = Vec::new();
        for &inst in order.iter().flat_map(|&block| &func.blocks[block].insts) {
            let data = &func.insts[inst];
            let passes = match data.op {
                Op::BuildList => {
                    made.push(inst);
                    0
                }
                Op::BuildTuple => 0,
                Op::Call | Op::Getitem => 1,
                _ => data.args.len(),
            };
            let edges = data.targets.iter().flat_map(|call| &call.args);
            for &value in data.args.iter().take(passes).chain(edges) {
                used_otherwise.insert(value);
            }
        }
        for inst in made {
            if !used_otherwise.contains(func.insts[inst].results[0]) && !self.parts.contains_key(&inst) {
                self.passed.insert(inst);
            }
        }
    }

    /// Whether the instruction makes a list that is only passed to calls.
    pub fn is_passed(&self, inst: Inst) -> bool {
        self.passed.contains(inst)
    }

    fn add(&mut self, func: &Function, order: &[Block], end: Inst) {
        let list = func.insts[end].args[0];
        let Def::Result(made, _) = func.values[list].def else { return };
        if func.insts[made].op != Op::BuildList {
            return;
        }
        let mut pieces: Vec<Piece> = func.insts[made].args.iter().map(|&item| Piece::Item(item)).collect();
        let mut parts = vec![made];
        let paths = Paths::to(func, end, made);
        for &block in order {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let on_edge = data.targets.iter().any(|call| call.args.contains(&list));
                let piece = match (data.op, &data.args[..]) {
                    (Op::ListAppend, &[of, item]) if of == list && item != list => Piece::Item(item),
                    (Op::ListExtend, &[of, all]) if of == list && all != list => Piece::All(all),
                    // On another path the list becomes another tuple.
                    (Op::ListToTuple, _) => continue,
                    (_, args) if !args.contains(&list) && !on_edge => continue,
                    // The list is used as a list too.
                    _ => return,
                };
                parts.push(inst);
                match (paths.always.contains(block), paths.sometimes.contains(block)) {
                    (true, _) => pieces.push(piece),
                    (false, false) => {}
                    (false, true) => return,
                }
            }
        }
        self.parts.extend(parts.into_iter().map(|part| (part, end)));
        self.pieces.insert(end, pieces);
    }

    /// Whether the instruction works on the list of one.
    pub fn is_part(&self, inst: Inst) -> bool {
        self.parts.contains_key(&inst)
    }

    /// A tuple is made of a list after all: nobody knows how many items it has.
    pub fn make_list(&mut self, end: Inst) {
        self.pieces.remove(&end);
        self.parts.retain(|_, of| *of != end);
    }

    /// Values that the instruction works on and that are no operands of it.
    pub fn uses(&self, inst: Inst) -> impl Iterator<Item = Value> {
        self.pieces.get(&inst).into_iter().flatten().map(|piece| match *piece {
            Piece::Item(value) | Piece::All(value) => value,
        })
    }
}

/// Blocks on the paths from where a list is made to where it becomes a tuple.
struct Paths {
    /// Those on every path.
    always: EntitySet<Block>,
    /// Those on some path.
    sometimes: EntitySet<Block>,
}

impl Paths {
    fn to(func: &Function, end: Inst, made: Inst) -> Self {
        let home = |inst: Inst| func.layout.iter().copied().find(|&b| func.blocks[b].insts.contains(&inst));
        let mut paths = Paths { always: EntitySet::new(), sometimes: EntitySet::new() };
        let (Some(last), Some(first)) = (home(end), home(made)) else { return paths };
        let cfg = flow::Cfg::compute(func);
        let dominators = flow::compute_dominators(&cfg);
        let mut open = vec![last];
        while let Some(block) = open.pop() {
            if !paths.sometimes.insert(block) {
                continue;
            }
            if dominators.dominates(block, last) {
                paths.always.insert(block);
            }
            if block != first {
                open.extend(cfg.predecessors(block));
            }
        }
        paths
    }
}
