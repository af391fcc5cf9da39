//! Promotes stack slots that do not escape to SSA values.
//!
//! ```text
//! block1:                                           block1(%2: i64):
//!     %2: i64 = load i64, 8, %1         becomes         ...
//!     ...                                               %3: i64 = isub %2, %one
//!     %3: i64 = isub %2, %one                           jump block1(%3)
//!     store 8, %1, %3
//!     jump block1
//! ```
//!
//! Iterators keep their state in stack slots; as block parameters, later passes can analyze it as induction variables.

use entity::{EntityRef, HashMap, SideTable};
use flow::{BlockFacts, Cfg};
use ir::{Attr, Block, Builder, Function, Inst, Native, Op, Value, ValueType};
use ssa::ReachingDefs;

entity::id!(
    /// A part of the frame that is read and written as a whole.
    struct Cell = "cell"
);

/// Blocks times cells up to which it is worth the time.
const MAX_STATE: usize = 1 << 22;

/// Makes values of the cells whose address goes nowhere.
pub fn mem2reg(func: &mut Function) {
    let cells = Cells::find(func);
    if cells.types.is_empty() || cells.types.len() * func.layout.len() > MAX_STATE {
        return;
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    Promotion { cells, cfg, replaced: HashMap::default(), zeros: HashMap::default() }.run(func);
}

/// The cells of a function.
struct Cells {
    numbers: HashMap<(Value, i64), Cell>,
    types: Vec<Native>,
}

impl Cells {
    fn find(func: &Function) -> Cells {
        let mut found: HashMap<Value, Vec<(i64, Native)>> = HashMap::default();
        let mut order = Vec::new();
        for &inst in &func.blocks[func.entry].insts {
            if func.insts[inst].op == Op::StackSlot {
                found.insert(func.result(inst), Vec::new());
                order.push(func.result(inst));
            }
        }
        let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
        for data in insts.map(|&inst| &func.insts[inst]) {
            let accessed = match (data.op, &data.attrs[..]) {
                (Op::Load, &[Attr::Native(native), Attr::Int(offset)]) => Some((offset, native)),
                (Op::Store, &[Attr::Int(offset)]) => Some((offset, func.native(data.args[1]))),
                _ => None,
            };
            let mut escaping = &data.args[..];
            if let Some(access) = accessed {
                if let Some(cells) = found.get_mut(&data.args[0])
                    && !cells.contains(&access)
                {
                    cells.push(access);
                }
                escaping = &data.args[1..];
            }
            for value in escaping.iter().chain(data.targets.iter().flat_map(|target| &target.args)) {
                found.remove(value);
            }
        }
        let mut cells = Cells { numbers: HashMap::default(), types: Vec::new() };
        for slot in order {
            let Some(mut accesses) = found.remove(&slot) else { continue };
            accesses.sort_unstable();
            let apart = |pair: &[(i64, Native)]| pair[0].0 + i64::from(pair[0].1.size()) <= pair[1].0;
            if accesses.windows(2).all(apart) {
                for (offset, native) in accesses {
                    cells.numbers.insert((slot, offset), Cell::new(cells.types.len()));
                    cells.types.push(native);
                }
            }
        }
        cells
    }

    /// The cell that an instruction reads or writes.
    fn of(&self, func: &Function, inst: Inst) -> Option<Cell> {
        let data = &func.insts[inst];
        let offset = match (data.op, data.attrs.last()) {
            (Op::Load | Op::Store, Some(&Attr::Int(offset))) => offset,
            _ => return None,
        };
        self.numbers.get(&(data.args[0], offset)).copied()
    }
}

struct Promotion {
    cells: Cells,
    cfg: Cfg<Block>,
    /// What stands for the results of loads.
    replaced: HashMap<Value, Value>,
    /// What is read before anything is written.
    zeros: HashMap<Native, Value>,
}

impl Promotion {
    fn run(mut self, func: &mut Function) {
        let tree = flow::compute_dominators(&self.cfg);
        let params = self.add_params(func, &tree);
        let mut given: SideTable<Block, Vec<Option<Value>>> = SideTable::new();
        let mut reaching = ReachingDefs::new(self.cells.types.len());
        let mut walk = ssa::Walk::new(&tree);
        while let Some(block) = walk.next(&mut reaching) {
            for &(cell, param) in &params[block] {
                reaching.set(cell, param);
            }
            self.rewrite(func, block, &mut reaching);
            given[block] = targets_of(func, block)
                .flat_map(|to| &params[to])
                .map(|&(cell, _)| reaching.get(cell))
                .collect();
        }
        for block in func.layout.clone() {
            let Some(last) = func.terminator(block) else { continue };
            let mut values = std::mem::take(&mut given[block]).into_iter();
            for number in 0..func.insts[last].targets.len() {
                let target = func.insts[last].targets[number].block;
                for (&(cell, _), value) in params[target].iter().zip(&mut values) {
                    let value = value.unwrap_or_else(|| self.zero(func, cell));
                    func.insts[last].targets[number].args.push(value);
                }
            }
        }
        self.substitute(func);
    }

    /// Parameters for the cells that are read after a join of different values.
    fn add_params(
        &self,
        func: &mut Function,
        tree: &flow::DominatorTree<Block>,
    ) -> SideTable<Block, Vec<(Cell, Value)>> {
        let count = self.cells.types.len();
        let mut facts: BlockFacts<Block, Cell> = BlockFacts::new(&self.cfg, count);
        let mut written: Vec<Vec<Block>> = vec![vec![func.entry]; count];
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                match self.cells.of(func, inst) {
                    Some(cell) if func.insts[inst].op == Op::Load => facts.add_use(block, cell),
                    Some(cell) => {
                        facts.add_definition(block, cell);
                        written[cell.index()].push(block);
                    }
                    None => {}
                }
            }
        }
        let live = flow::compute_liveness(&self.cfg, &facts);
        let frontiers = flow::compute_frontiers(&self.cfg, tree);
        let mut params: SideTable<Block, Vec<(Cell, Value)>> = SideTable::new();
        for (number, blocks) in written.into_iter().enumerate() {
            let cell = Cell::new(number);
            for join in ssa::place_params(&frontiers, &live, cell, blocks, &[]) {
                let param = func.add_param(join, ValueType::Native(self.cells.types[number]));
                params[join].push((cell, param));
            }
        }
        params
    }

    /// Takes loads and stores of cells out of a block.
    fn rewrite(&mut self, func: &mut Function, block: Block, reaching: &mut ReachingDefs<Cell, Value>) {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let Some(cell) = self.cells.of(func, inst) else { return true };
            if func.insts[inst].op == Op::Store {
                reaching.set(cell, func.insts[inst].args[1]);
                return false;
            }
            let value = reaching.get(cell).unwrap_or_else(|| self.zero(func, cell));
            let loaded = func.result(inst);
            self.keep_name(func, loaded, value);
            self.replaced.insert(loaded, value);
            false
        });
        // Instructions added to the entry in the meantime come first.
        insts.splice(..0, std::mem::take(&mut func.blocks[block].insts));
        func.blocks[block].insts = insts;
    }

    /// A value that was read into a variable bears its name.
    fn keep_name(&self, func: &mut Function, loaded: Value, value: Value) {
        if func.values[value].name.is_none()
            && let Some(name) = func.values[loaded].name.expand()
        {
            let version = func.values[loaded].version;
            func.set_name(value, name, version);
        }
    }

    fn zero(&mut self, func: &mut Function, cell: Cell) -> Value {
        let native = self.cells.types[cell.index()];
        *self.zeros.entry(native).or_insert_with(|| {
            let entry = func.entry;
            let before = std::mem::take(&mut func.blocks[entry].insts);
            let mut builder = Builder::new(func, entry);
            let zero =
                if native.is_float() { builder.fconst(native, 0.0) } else { builder.iconst(native, 0) };
            func.blocks[entry].insts.extend(before);
            zero
        })
    }

    fn substitute(&self, func: &mut Function) {
        let resolve = |value: &mut Value| {
            while let Some(&other) = self.replaced.get(value) {
                *value = other;
            }
        };
        let slots: Vec<Value> = self.cells.numbers.keys().map(|&(slot, _)| slot).collect();
        for block in func.layout.clone() {
            func.change_uses(block, resolve);
        }
        func.blocks[func.entry].insts.retain(|&inst| {
            let data = &func.insts[inst];
            data.op != Op::StackSlot || !slots.contains(&data.results[0])
        });
    }
}

/// Where a block leads.
fn targets_of(func: &Function, block: Block) -> impl Iterator<Item = Block> + '_ {
    let targets = func.terminator(block).map(|last| &func.insts[last].targets);
    targets.into_iter().flatten().map(|call| call.block)
}
