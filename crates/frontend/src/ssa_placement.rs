//! SSA placement: liveness of variables, definite assignment, and which blocks need parameters.
//!
//! A *variable* here is anything that is assigned in one block and read in another: a slot of
//! the frame, the bit that says whether it is bound (only for names that may be unbound where they
//! are read), and an element of the stack at the boundary of two blocks.

use crate::basic_blocks::{Region, Regions};
use crate::definite_assignment;
use crate::stack_shape::{self, Kind, Shapes};
use bytecode::{CodeSnapshot, Decoded, LocalId, Op};
use entity::{EntityRef, SideTable};
use flow::{BlockFacts, Cfg, DominatorTree, Liveness};

entity::id!(
    /// A variable before SSA.
    pub(crate) struct Variable = "variable"
);

/// How variables are numbered.
#[derive(Clone, Copy)]
pub(crate) struct Numbering {
    locals: usize,
    depth: usize,
}

impl Numbering {
    pub fn count(self) -> usize {
        2 * (self.locals + self.depth)
    }

    /// A slot of the frame.
    pub fn local(self, local: LocalId) -> Variable {
        Variable::new(local.index())
    }

    /// Whether a slot of the frame is bound.
    pub fn bound(self, local: LocalId) -> Variable {
        Variable::new(self.locals + local.index())
    }

    /// An element of the stack, from the bottom.
    pub fn stack(self, position: usize) -> Variable {
        Variable::new(2 * self.locals + position)
    }

    /// Whether an element of the stack that a comprehension saved is bound.
    pub fn stack_bound(self, position: usize) -> Variable {
        Variable::new(2 * self.locals + self.depth + position)
    }

    /// The slot that a variable is, if it is one.
    pub fn as_local(self, variable: Variable) -> Option<usize> {
        Some(variable.index()).filter(|&index| index < self.locals)
    }

    /// Whether the variable says that another is bound.
    pub fn is_bit(self, variable: Variable) -> bool {
        let index = variable.index();
        (self.locals..2 * self.locals).contains(&index) || index >= 2 * self.locals + self.depth
    }
}

/// What renaming needs to know.
pub(crate) struct Plan {
    pub numbering: Numbering,
    pub cfg: Cfg<Region>,
    pub tree: DominatorTree<Region>,
    /// Parameters of each block, in order of their numbers.
    pub params: SideTable<Region, Vec<Variable>>,
    /// Slots that may be unbound where they are read: their bit is followed.
    pub tracked: Vec<bool>,
}

/// Where an element of the stack comes from, inside one block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It was there when the block began, at this position.
    Entry(usize),
    /// The block made it.
    New,
}

/// What an instruction does to a slot of the frame.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read(LocalId),
    Write(LocalId),
    /// Reads, then unbinds or replaces.
    Both(LocalId),
    None,
}

pub(crate) fn access(op: Op) -> Access {
    match op {
        Op::LoadFast(l) | Op::LoadClosure(l) | Op::LoadDeref(l) => Access::Read(l),
        Op::StoreDeref(l) | Op::DeleteDeref(l) | Op::LoadFromDictOrDeref(l) => Access::Read(l),
        Op::StoreFast(l) => Access::Write(l),
        Op::DeleteFast(l) | Op::MakeCell(l) | Op::LoadFastAndClear(l) => Access::Both(l),
        _ => Access::None,
    }
}

/// Splits protected blocks after each store to a name that its handler reads, so that within a
/// block the handler sees one value of every name, and after what changes the stack it keeps.
pub(crate) fn split_for_handlers(
    code: &CodeSnapshot,
    decoded: &Decoded,
    coarse: Regions,
    shapes: &Shapes,
) -> Regions {
    let cfg = Cfg::compute(&coarse);
    let numbering = Numbering { locals: code.locals.len(), depth: shapes.depth };
    let mut facts = BlockFacts::new(&cfg, numbering.locals);
    for (region, data) in coarse.blocks.iter() {
        for index in data.first..data.last {
            note_local(&mut facts, numbering, region, decoded.instructions[index].op);
        }
        if let Some(handler) = data.handler {
            facts.add_handler(region, handler.region);
        }
    }
    let live: Liveness<Region, Variable> = flow::compute_liveness(&cfg, &facts);
    let mut leaders = vec![false; decoded.instructions.len()];
    for data in coarse.blocks.values().filter(|data| data.first < data.last) {
        leaders[data.first] = true;
        let Some(handler) = data.handler else { continue };
        for index in data.first..data.last - 1 {
            let op = decoded.instructions[index].op;
            leaders[index + 1] |= match access(op) {
                Access::Write(local) | Access::Both(local) => {
                    live.is_live_in(handler.region, numbering.local(local))
                }
                // It puts another value where the handler of a handler finds the bottom of its stack.
                Access::Read(_) | Access::None => op == Op::PushExcInfo,
            };
        }
    }
    Regions::at_leaders(decoded, &leaders)
}

fn note_local(facts: &mut BlockFacts<Region, Variable>, numbering: Numbering, region: Region, op: Op) {
    match access(op) {
        Access::Read(local) => facts.add_use(region, numbering.local(local)),
        Access::Write(local) => facts.add_definition(region, numbering.local(local)),
        Access::Both(local) => {
            facts.add_use(region, numbering.local(local));
            facts.add_definition(region, numbering.local(local));
        }
        Access::None => {}
    }
}

/// Decides which blocks need parameters for which variables.
pub(crate) fn plan(code: &CodeSnapshot, decoded: &Decoded, regions: &Regions, shapes: &Shapes) -> Plan {
    let cfg = Cfg::compute(regions);
    let numbering = Numbering { locals: code.locals.len(), depth: shapes.depth };
    let tracked = definite_assignment::find_maybe_unbound(code, decoded, regions, shapes, &cfg);
    let mut notes = Notes {
        events: Vec::new(),
        definitions: vec![Vec::new(); numbering.count()],
        exposed: vec![false; numbering.count()],
        handlers: Vec::new(),
        region: Region::new(0),
    };
    for &region in cfg.reverse_postorder() {
        notes.region = region;
        note_block(decoded, regions, shapes, numbering, &tracked, &mut notes);
    }
    let tree = flow::compute_dominators(&cfg);
    let params = place_params(regions, &cfg, &tree, notes);
    Plan { numbering, cfg, tree, params, tracked }
}

entity::id!(
    /// A variable that some block reads before it assigns it.
    struct Exposed = "exposed"
);

/// What the blocks do to variables.
struct Notes {
    /// Reads (`false`) and writes (`true`) in order.
    events: Vec<(Region, Variable, bool)>,
    /// Blocks that write each variable.
    definitions: Vec<Vec<Region>>,
    /// Variables that some block reads before it assigns them: no other needs a parameter.
    exposed: Vec<bool>,
    /// Protected blocks and their handlers.
    handlers: Vec<(Region, Region)>,
    /// The current block.
    region: Region,
}

impl Notes {
    fn reads(&mut self, variable: Variable) {
        self.events.push((self.region, variable, false));
        self.exposed[variable.index()] |= self.definitions[variable.index()].last() != Some(&self.region);
    }

    fn writes(&mut self, variable: Variable) {
        self.events.push((self.region, variable, true));
        let blocks = &mut self.definitions[variable.index()];
        if blocks.last() != Some(&self.region) {
            blocks.push(self.region);
        }
    }

    /// The exposed variables in order, and the liveness of each.
    fn solve(&self, cfg: &Cfg<Region>) -> (Vec<Variable>, Liveness<Region, Exposed>) {
        let exposed = self.exposed.iter().enumerate().filter(|(_, exposed)| **exposed);
        let variables: Vec<Variable> = exposed.map(|(index, _)| Variable::new(index)).collect();
        let mut ids: SideTable<Variable, Option<Exposed>> = SideTable::new();
        for (index, &variable) in variables.iter().enumerate() {
            ids[variable] = Some(Exposed::new(index));
        }
        let mut facts = BlockFacts::new(cfg, variables.len());
        for &(region, variable, writes) in &self.events {
            match ids[variable] {
                Some(id) if writes => facts.add_definition(region, id),
                Some(id) => facts.add_use(region, id),
                None => {}
            }
        }
        for &(region, handler) in &self.handlers {
            facts.add_handler(region, handler);
        }
        (variables, flow::compute_liveness(cfg, &facts))
    }
}

/// Reads and writes of one block, in order.
fn note_block(
    decoded: &Decoded,
    regions: &Regions,
    shapes: &Shapes,
    numbering: Numbering,
    tracked: &[bool],
    notes: &mut Notes,
) {
    let data = &regions.blocks[notes.region];
    let entry = shapes.at(notes.region).unwrap_or_default();
    let mut stack: Vec<Origin> = (0..entry.len()).map(Origin::Entry).collect();
    // What the exception edge pushes is made in the handler itself.
    let kept = regions.handled(notes.region).map_or(entry.len(), |handler| handler.depth as usize);
    for origin in stack.iter_mut().skip(kept) {
        *origin = Origin::New;
    }
    for index in data.first..data.last {
        let op = decoded.instructions[index].op;
        let before = stack.clone();
        if stack_shape::step(op, &mut stack, |_| Origin::New).is_none() {
            return;
        }
        let used = before.len() - (op.effect().pops as usize).min(before.len());
        for origin in &before[used..] {
            if let Origin::Entry(position) = *origin {
                notes.reads(numbering.stack(position));
                if entry[position] == Kind::Saved {
                    notes.reads(numbering.stack_bound(position));
                }
            }
        }
        note_access(numbering, tracked, notes, op);
    }
    if regions.is_send_exit(notes.region) && stack.len() >= 2 {
        notes.reads(numbering.stack(stack.len() - 1));
        notes.writes(numbering.stack(stack.len() - 2));
        return;
    }
    for (position, origin) in stack.iter().enumerate().take(shapes.depth) {
        if *origin != Origin::Entry(position) {
            notes.writes(numbering.stack(position));
            notes.writes(numbering.stack_bound(position));
            if let Origin::Entry(from) = *origin {
                notes.reads(numbering.stack(from));
            }
        }
    }
    if let Some(handler) = data.handler {
        notes.handlers.push((notes.region, handler.region));
    }
}

fn note_access(numbering: Numbering, tracked: &[bool], notes: &mut Notes, op: Op) {
    let (read, write) = match access(op) {
        Access::Read(local) => (Some(local), None),
        Access::Write(local) => (None, Some(local)),
        Access::Both(local) => (Some(local), Some(local)),
        Access::None => (None, None),
    };
    if let Some(local) = read {
        notes.reads(numbering.local(local));
        if tracked[local.index()] {
            notes.reads(numbering.bound(local));
        }
    }
    if let Some(local) = write {
        notes.writes(numbering.local(local));
        if tracked[local.index()] {
            notes.writes(numbering.bound(local));
        }
    }
}

fn place_params(
    regions: &Regions,
    cfg: &Cfg<Region>,
    tree: &DominatorTree<Region>,
    mut notes: Notes,
) -> SideTable<Region, Vec<Variable>> {
    let frontiers = flow::compute_frontiers(cfg, tree);
    let (variables, live) = notes.solve(cfg);
    let mut params: SideTable<Region, Vec<Variable>> = SideTable::new();
    for (index, &variable) in variables.iter().enumerate() {
        let id = Exposed::new(index);
        let blocks = std::mem::take(&mut notes.definitions[variable.index()]);
        if blocks.is_empty() {
            continue;
        }
        // A handler sees what a name held before its block, not what the block's end assigned.
        let mut forced: Vec<Region> = blocks
            .iter()
            .filter_map(|&block| regions.blocks[block].handler.map(|handler| handler.region))
            .filter(|&handler| live.is_live_in(handler, id))
            .collect();
        forced.sort_unstable();
        forced.dedup();
        for join in ssa::place_params(&frontiers, &live, id, blocks, &forced) {
            params[join].push(variable);
        }
    }
    params
}
