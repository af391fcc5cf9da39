//! Rebuilds SSA form from statements over named variables.
//!
//! A variable may be assigned in several places, so this is a construction of SSA form (`ssa`) as that of the front end.
//! A copy `x = y` leaves no trace.
//!
//! Before: `n.1 = n` and `jump 12` in block 0, `n.1 = n.2` and `jump 12` in block 30; block 12 reads `n.1`.
//! After: `block12(%n.1)`, reached by `jump block12(%n.0)` and `jump block12(%n.2)`.

use crate::model::{BlockId, Kind, NumbaIr, Stmt, VarId};
use diag::{Diagnostic, Result, codes};
use entity::{EntityRef, EntitySet, SideTable, Table};
use flow::{BlockFacts, Cfg, DominatorTree, Liveness};
use ir::{Block, BlockCall, Def, Function, InstData, Op, Value, ValueData, ValueType};
use smallvec::SmallVec;
use ssa::ReachingDefs;

/// What became of the statements of a sketch.
#[derive(Clone, Debug)]
pub struct SsaMap {
    /// The values that each variable holds somewhere.
    pub values: SideTable<VarId, Vec<Value>>,
    /// The block that a block became; none where nothing leads to it.
    pub blocks: SideTable<BlockId, Option<Block>>,
}

/// Fills `func`, which has an empty entry block and the names and constants that attributes refer to.
pub fn rebuild(func: Function, sketch: &NumbaIr) -> Result<Function> {
    let (mut func, trace) = rebuild_traced(func, sketch)?;
    for (node, part) in sketch.parts.iter() {
        match (part.kind, trace.blocks[node]) {
            (Kind::Head, Some(block)) => merge_head(&mut func, block),
            (Kind::Edge, Some(block)) => merge_edge(&mut func, block),
            _ => {}
        }
    }
    if func.layout.len() < func.blocks.len() {
        number_anew(&mut func);
    }
    Ok(func)
}

/// The same with every block by itself, and the mapping of variables and blocks.
pub fn rebuild_traced(mut func: Function, sketch: &NumbaIr) -> Result<(Function, SsaMap)> {
    let cfg = Cfg::compute(sketch);
    let tree = flow::compute_dominators(&cfg);
    let live = compute_live(sketch, &cfg);
    if let Some(name) = live.live_in(BlockId::new(0)).next() {
        return Err(unassigned(sketch, name));
    }
    check_handlers(sketch, &live)?;
    let params = place_params(sketch, &cfg, &tree, &live);
    let mut blocks: SideTable<BlockId, Block> = SideTable::with_default(func.entry);
    let mut handlers = EntitySet::new();
    handlers.extend(sketch.parts.values().filter_map(|part| part.handler));
    for node in sketch.parts.keys().filter(|&node| cfg.is_reachable(node)) {
        let label = sketch.parts[node].label;
        let block = if node.index() == 0 { func.entry } else { func.add_block(label) };
        func.blocks[block].label = label;
        blocks[node] = block;
        let count = params[node].len() + usize::from(handlers.contains(node));
        for _ in 0..count {
            func.add_param(block, ValueType::Untyped);
        }
    }
    let env = ReachingDefs::new(sketch.names.len());
    let reaching = SideTable::new();
    let mut walk = Walk { sketch, params: &params, blocks: &blocks, func: &mut func, env, reaching };
    walk.run(&tree)?;
    let values = walk.reaching;
    let mut made = SideTable::new();
    for node in sketch.parts.keys().filter(|&node| cfg.is_reachable(node)) {
        made[node] = Some(blocks[node]);
    }
    Ok((func, SsaMap { values, blocks: made }))
}

fn unassigned(sketch: &NumbaIr, name: VarId) -> Box<Diagnostic> {
    let name = &sketch.names[name].text;
    Diagnostic::new(codes::LIBRARY, format!("`{name}` is read where it may not have been assigned"))
        .hint("Assign the variable in the same block, before the statement that reads it.")
}

fn compute_live(sketch: &NumbaIr, cfg: &Cfg<BlockId>) -> Liveness<BlockId, VarId> {
    let mut facts = BlockFacts::new(cfg, sketch.names.len());
    for (node, part) in sketch.parts.iter() {
        part.exception.into_iter().for_each(|name| facts.add_definition(node, name));
        for step in &part.steps {
            step.args.iter().for_each(|&name| facts.add_use(node, name));
            step.results.iter().for_each(|&name| facts.add_definition(node, name));
        }
        if let Some(handler) = part.handler {
            facts.add_handler(node, handler);
        }
    }
    flow::compute_liveness(cfg, &facts)
}

/// A handler sees what variables reaching where the protected block began. Only copies for the block that comes next
/// may assign what it reads.
fn check_handlers(sketch: &NumbaIr, live: &Liveness<BlockId, VarId>) -> Result<()> {
    for part in sketch.parts.values() {
        let Some(handler) = part.handler else { continue };
        let body = part.steps.iter().rposition(|step| step.op.is_some_and(|op| !op.is_terminator()));
        let steps = &part.steps[..body.map_or(0, |last| last + 1)];
        let mut assigned = steps.iter().flat_map(|step| &step.results);
        if let Some(&name) = assigned.find(|&&name| live.is_live_in(handler, name)) {
            let name = &sketch.names[name].text;
            let message = format!(
                "`{name}` is assigned in block {}, and read where an exception of that block leads to",
                part.label
            );
            return Err(Diagnostic::new(codes::LIBRARY, message)
                .hint("Assign a new variable, or assign it before the `try`."));
        }
    }
    Ok(())
}

type Params = SideTable<BlockId, Vec<VarId>>;

fn place_params(
    sketch: &NumbaIr,
    cfg: &Cfg<BlockId>,
    tree: &DominatorTree<BlockId>,
    live: &Liveness<BlockId, VarId>,
) -> Params {
    let mut definitions: SideTable<VarId, Vec<BlockId>> = SideTable::new();
    for &node in cfg.reverse_postorder() {
        let part = &sketch.parts[node];
        for &name in part.exception.iter().chain(part.steps.iter().flat_map(|step| &step.results)) {
            if definitions[name].last() != Some(&node) {
                definitions[name].push(node);
            }
        }
    }
    let mut params: Params = SideTable::new();
    let defined = definitions.clone();
    for &node in cfg.reverse_postorder() {
        for &name in &sketch.parts[node].joins {
            let known = |&before: &BlockId| defined[name].contains(&before) || tree.dominates(node, before);
            let whole = || cfg.predecessors(node).iter().filter(|n| cfg.is_reachable(**n)).all(known);
            if live.is_live_in(node, name) || (!defined[name].is_empty() && whole()) {
                params[node].push(name);
                definitions[name].push(node);
            }
        }
        if let Some(handler) = sketch.parts[node].handler {
            for &name in sketch.parts[node].steps.iter().flat_map(|step| &step.results) {
                if live.is_live_in(handler, name) && !params[handler].contains(&name) {
                    params[handler].push(name);
                    definitions[name].push(handler);
                }
            }
        }
    }
    let frontiers = flow::compute_frontiers(cfg, tree);
    for name in sketch.names.keys() {
        let blocks = std::mem::take(&mut definitions[name]);
        for join in ssa::place_params(&frontiers, live, name, blocks, &[]) {
            if !params[join].contains(&name) {
                params[join].push(name);
            }
        }
    }
    params
}

/// The walk over the dominator tree.
struct Walk<'a> {
    sketch: &'a NumbaIr,
    params: &'a Params,
    blocks: &'a SideTable<BlockId, Block>,
    func: &'a mut Function,
    /// What each variable holds now.
    env: ReachingDefs<VarId, Value>,
    /// What each variable holds somewhere.
    reaching: SideTable<VarId, Vec<Value>>,
}

impl Walk<'_> {
    fn run(&mut self, tree: &DominatorTree<BlockId>) -> Result<()> {
        let mut walk = ssa::Walk::new(tree);
        while let Some(node) = walk.next(&mut self.env) {
            self.node(node)?;
        }
        Ok(())
    }

    fn node(&mut self, node: BlockId) -> Result<()> {
        let (sketch, params, block) = (self.sketch, self.params, self.blocks[node]);
        let part = &sketch.parts[node];
        for (index, &name) in params[node].iter().chain(&part.exception).enumerate() {
            if let Some(&value) = self.func.blocks[block].params.get(index) {
                self.assign(name, value, true);
            }
        }
        if let Some(handler) = part.handler {
            self.func.blocks[block].handler = Some(self.call(handler)?);
        }
        for step in &part.steps {
            match step.op {
                None => {
                    for (&result, &arg) in step.results.iter().zip(&step.args) {
                        let value = self.read(arg)?;
                        self.assign(result, value, false);
                    }
                }
                Some(op) => self.step(block, op, step)?,
            }
        }
        Ok(())
    }

    fn step(&mut self, block: Block, op: Op, step: &Stmt) -> Result<()> {
        let args = step.args.iter().map(|&arg| self.read(arg)).collect::<Result<_>>()?;
        let targets = step.targets.iter().map(|&target| self.call(target)).collect::<Result<_>>()?;
        let data = InstData {
            op,
            attrs: step.attrs.clone(),
            args,
            results: SmallVec::new(),
            targets,
            span: step.span,
        };
        let inst = self.func.insts.push(data);
        for (index, &name) in step.results.iter().enumerate() {
            let def = Def::Result(inst, index as u16);
            let data = ValueData { ty: ValueType::Untyped, def, name: Default::default(), version: 0 };
            let value = self.func.values.push(data);
            self.func.insts[inst].results.push(value);
            self.assign(name, value, true);
        }
        self.func.blocks[block].insts.push(inst);
        Ok(())
    }

    fn read(&self, name: VarId) -> Result<Value> {
        self.env.get(name).ok_or_else(|| unassigned(self.sketch, name))
    }

    /// A value that is made for a variable gets its name.
    fn assign(&mut self, name: VarId, value: Value, names: bool) {
        if let Some((text, version)) = &self.sketch.names[name].source
            && names
        {
            let symbol = self.func.symbols.intern_str(text);
            self.func.set_name(value, symbol, *version);
        }
        self.reaching[name].push(value);
        self.env.set(name, value);
    }

    fn call(&self, target: BlockId) -> Result<BlockCall> {
        let args = self.params[target].iter().map(|&name| self.read(name));
        Ok(BlockCall { block: self.blocks[target], args: args.collect::<Result<_>>()? })
    }
}

/// The only block that a block of nothing but a jump leads to, with what it gives it.
fn only_target(func: &Function, block: Block) -> Option<BlockCall> {
    let [inst] = func.blocks[block].insts.as_slice() else { return None };
    let data = &func.insts[*inst];
    (data.op == Op::Jump).then(|| data.targets[0].clone())
}

fn edges_to(func: &Function, block: Block) -> usize {
    func.layout.iter().flat_map(|&from| func.edges(from)).filter(|call| call.block == block).count()
}

/// Gives each edge that leads to `from` another target.
fn redirect(func: &mut Function, from: Block, change: &dyn Fn(&mut BlockCall)) {
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let handler = func.blocks[block].handler.iter_mut().filter(|call| call.block == from);
        handler.for_each(change);
        if let Some(last) = func.terminator(block) {
            func.insts[last].targets.iter_mut().filter(|call| call.block == from).for_each(change);
        }
    }
    func.layout.retain(|&block| block != from);
}

/// The block after takes the place of one that only leads to it.
fn merge_head(func: &mut Function, head: Block) {
    let Some(call) = only_target(func, head) else { return };
    let body = call.block;
    if head == func.entry || !call.args.is_empty() || edges_to(func, body) != 1 {
        return;
    }
    let params = std::mem::take(&mut func.blocks[head].params);
    for (index, &param) in params.iter().enumerate() {
        func.values[param].def = Def::Param(body, index as u16);
    }
    func.blocks[body].params = params;
    redirect(func, head, &|call| call.block = body);
}

/// An edge takes the place of a block on it.
fn merge_edge(func: &mut Function, middle: Block) {
    let Some(next) = only_target(func, middle) else { return };
    let plain = func.blocks[middle].params.is_empty() && func.blocks[middle].handler.is_none();
    if middle == func.entry || !plain || edges_to(func, middle) != 1 {
        return;
    }
    redirect(func, middle, &|call| *call = next.clone());
}

/// Numbers the blocks that are left in the order of the layout.
fn number_anew(func: &mut Function) {
    let mut numbers: SideTable<Block, Block> = SideTable::with_default(func.entry);
    let mut blocks = Table::new();
    for &old in &func.layout {
        numbers[old] = blocks.push(func.blocks[old].clone());
    }
    for data in blocks.values_mut() {
        data.handler.iter_mut().for_each(|call| call.block = numbers[call.block]);
        for &inst in &data.insts {
            func.insts[inst].targets.iter_mut().for_each(|call| call.block = numbers[call.block]);
        }
    }
    for (block, data) in blocks.iter() {
        for (index, &param) in data.params.iter().enumerate() {
            func.values[param].def = Def::Param(block, index as u16);
        }
    }
    func.entry = numbers[func.entry];
    func.blocks = blocks;
    func.layout = func.blocks.keys().collect();
}
