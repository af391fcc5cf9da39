//! SSA renaming: the walk over the dominator tree that gives every use its value.
//!
//! What a variable holds on entry to a block is what it reaching at the end of its immediate
//! dominator, unless the block has a parameter for it.

use crate::basic_blocks::{Region, Regions};
use crate::ssa_placement::{Plan, Variable};
use crate::stack_shape::{Kind, Shapes, fall_step, jump_step, send_exit};
use crate::translate::{self, Ended, Slot};
use bytecode::{CodeSnapshot, Decoded, LocalId, LocalKind};
use diag::{Diagnostic, Result};
use entity::{EntityRef, HashMap, SideTable};
use ir::{Attr, Block, BlockCall, Builder, ConstData, Function, Op, Phase, Symbol, Value, ValueType};
use ssa::{ReachingDefs, Walk};
use types::Type;

/// The state of the walk.
pub(crate) struct Renamer<'a> {
    pub b: Builder<'a>,
    pub code: &'a CodeSnapshot,
    pub plan: &'a Plan,
    /// The stack inside the block.
    pub stack: Vec<Slot>,
    /// What each variable holds now.
    reaching: ReachingDefs<Variable, Value>,
    versions: HashMap<Symbol, u32>,
    blocks: SideTable<Region, Block>,
    /// `True`, `False` and the value of names that are not bound.
    truths: [Value; 2],
    pub undefined: Value,
    /// Whether a free variable's cell is only read.
    pub read_only_free: Vec<bool>,
    /// Types that the user declared for names.
    declared: &'a [(String, Type)],
}

/// Builds the function in SSA form.
pub(crate) fn build(
    code: &CodeSnapshot,
    decoded: &Decoded,
    regions: &Regions,
    shapes: &Shapes,
    plan: &Plan,
    declared: &[(String, Type)],
) -> Result<Function> {
    let mut func = Function::new(&code.qualname, &code.filename, code.first_line, Phase::Untyped);
    let entry = func.entry;
    let mut builder = Builder::new(&mut func, entry);
    let truths = [false, true].map(|truth| constant(&mut builder, ConstData::Bool(truth)));
    let undefined = builder.untyped(Op::Undef, [], &[]);
    let mut renamer = Renamer {
        b: builder,
        code,
        plan,
        stack: Vec::new(),
        reaching: ReachingDefs::new(plan.numbering.count()),
        versions: HashMap::default(),
        blocks: SideTable::with_default(entry),
        truths,
        undefined,
        read_only_free: find_read_only_free(code, decoded),
        declared,
    };
    renamer.parameters();
    renamer.make_blocks(regions);
    let first = BlockCall::new(renamer.blocks[Region::new(0)], renamer.values_for(Region::new(0)));
    renamer.b.jump(first.block, &first.args);
    renamer.walk(decoded, regions, shapes)?;
    remove_unused(&mut func);
    Ok(func)
}

fn constant(b: &mut Builder<'_>, data: ConstData) -> Value {
    let id = b.constant(data);
    b.untyped(Op::Const, [Attr::Const(id)], &[])
}

/// Free variables that this function neither assigns nor passes on are frozen at compile time.
fn find_read_only_free(code: &CodeSnapshot, decoded: &Decoded) -> Vec<bool> {
    let mut read_only: Vec<bool> = code.locals.iter().map(|local| local.kind == LocalKind::Free).collect();
    for instruction in &decoded.instructions {
        match instruction.op {
            bytecode::Op::StoreDeref(local)
            | bytecode::Op::DeleteDeref(local)
            | bytecode::Op::LoadFromDictOrDeref(local)
            | bytecode::Op::LoadFastAndClear(local)
            | bytecode::Op::LoadClosure(local) => read_only[local.index()] = false,
            _ => {}
        }
    }
    read_only
}

impl Renamer<'_> {
    /// Parameters and closure cells, in the entry block.
    fn parameters(&mut self) {
        let count = (self.code.parameter_count() as usize).min(self.code.locals.len());
        let mut free = 0;
        for index in 0..self.code.locals.len() {
            let name = self.b.symbol(&self.code.locals[index].name);
            let local = LocalId::new(index);
            if index < count {
                self.b.func.params.push(name);
                let value = self.b.untyped(Op::Arg, [Attr::Int(index as i64), Attr::Symbol(name)], &[]);
                let value = self.as_declared(local, value);
                self.set_local(local, value);
                self.set_bound(local, true);
            } else if self.code.locals[index].kind == LocalKind::Free {
                if !self.read_only_free[index] {
                    let attrs = [Attr::Int(free), Attr::Symbol(name)];
                    let value = self.b.untyped(Op::FreeCell, attrs, &[]);
                    self.set(self.plan.numbering.local(local), value);
                }
                free += 1;
                self.set_bound(local, true);
            } else {
                self.set(self.plan.numbering.local(local), self.undefined);
                self.set_bound(local, false);
            }
        }
    }

    fn make_blocks(&mut self, regions: &Regions) {
        for &region in self.plan.cfg.reverse_postorder() {
            let block = self.b.func.add_block(regions.label(region));
            self.blocks[region] = block;
            for _ in &self.plan.params[region] {
                self.b.func.add_param(block, ValueType::Untyped);
            }
            if regions.handled(region).is_some() {
                self.b.func.add_param(block, ValueType::Untyped);
            }
        }
    }

    fn walk(&mut self, decoded: &Decoded, regions: &Regions, shapes: &Shapes) -> Result<()> {
        let plan = self.plan;
        let mut walk = Walk::new(&plan.tree);
        while let Some(region) = walk.next(&mut self.reaching) {
            self.block(decoded, regions, shapes, region)?;
        }
        Ok(())
    }

    fn block(&mut self, decoded: &Decoded, regions: &Regions, shapes: &Shapes, region: Region) -> Result<()> {
        let block = self.blocks[region];
        self.b.switch_to(block);
        self.b.span = diag::Span::UNKNOWN;
        self.enter(regions, shapes, region, block);
        let data = &regions.blocks[region];
        if let Some(handler) = data.handler {
            let args = self.values_for(handler.region);
            self.b.func.blocks[block].handler = Some(BlockCall::new(self.blocks[handler.region], args));
        }
        let mut ended = Ended::No;
        for index in data.first..data.last {
            let instruction = &decoded.instructions[index];
            self.b.span = instruction.span;
            ended = translate::translate(self, instruction.op, shapes.restores[index])?;
        }
        if regions.is_send_exit(region) {
            send_exit(&mut self.stack).ok_or_else(|| self.bug("a receiver is missing"))?;
        }
        self.leave(shapes);
        let ending = data.last.checked_sub(1).filter(|_| data.first < data.last);
        let ending = ending.map(|last| decoded.instructions[last].op);
        self.terminate(&data.successors, ended, ending)
    }

    fn bug(&self, what: &str) -> Box<Diagnostic> {
        Diagnostic::internal("the front end", format!("`{}`: {what}", self.code.qualname))
    }

    /// Parameters and the stack where a block begins.
    fn enter(&mut self, regions: &Regions, shapes: &Shapes, region: Region, block: Block) {
        let plan = self.plan;
        for (index, &variable) in plan.params[region].iter().enumerate() {
            let value = self.b.func.blocks[block].params[index];
            self.set(variable, value);
            if let Some(local) = plan.numbering.as_local(variable) {
                self.name(value, LocalId::new(local));
            }
        }
        let kinds = shapes.at(region).unwrap_or_default();
        let handled = regions.handled(region);
        let kept = handled.map_or(kinds.len(), |handler| handler.depth as usize);
        self.stack.clear();
        for (position, &kind) in kinds.iter().enumerate().take(kept) {
            let slot = match kind {
                Kind::Null => Slot::null(),
                Kind::Value => Slot::value(self.read(plan.numbering.stack(position))),
                Kind::Saved => Slot {
                    value: Some(self.read(plan.numbering.stack(position))),
                    bound: Some(self.read(plan.numbering.stack_bound(position))),
                },
            };
            self.stack.push(slot);
        }
        if let Some(handler) = handled {
            if handler.push_lasti {
                let lasti = translate::python(self, "lasti", 0, &[], 1)[0];
                self.stack.push(Slot::value(lasti));
            }
            let exception = self.b.func.blocks[block].params.last().copied();
            self.stack.push(Slot::value(exception.unwrap_or(self.undefined)));
        }
    }

    /// Writes the stack down where a block ends.
    fn leave(&mut self, shapes: &Shapes) {
        let numbering = self.plan.numbering;
        for position in 0..self.stack.len().min(shapes.depth) {
            let Slot { value, bound } = self.stack[position];
            if let Some(value) = value {
                self.set(numbering.stack(position), value);
            }
            if let Some(bound) = bound {
                self.set(numbering.stack_bound(position), bound);
            }
        }
    }

    fn terminate(&mut self, successors: &[Region], ended: Ended, ending: Option<bytecode::Op>) -> Result<()> {
        // Stacks of different heights share the variables of their common part.
        debug_assert!({
            let mut stack = self.stack.clone();
            fall_step(ending, &mut stack);
            jump_step(ending, &mut stack).is_some()
        });
        match (ended, successors) {
            (Ended::Terminated, _) => Ok(()),
            (Ended::No, [next]) => {
                let args = self.values_for(*next);
                self.b.jump(self.blocks[*next], &args);
                Ok(())
            }
            (Ended::Branch { condition, jump_if }, [fall, jump]) => {
                let fall = BlockCall::new(self.blocks[*fall], self.values_for(*fall));
                let jump = BlockCall::new(self.blocks[*jump], self.values_for(*jump));
                let (then, other) = if jump_if { (jump, fall) } else { (fall, jump) };
                self.b.branch(condition, then, other);
                Ok(())
            }
            _ => Err(self.bug("a block with the wrong number of successors")),
        }
    }

    /// Values for the parameters of a block, as they are here.
    fn values_for(&mut self, region: Region) -> Vec<Value> {
        let plan = self.plan;
        plan.params[region].iter().map(|&variable| self.read(variable)).collect()
    }

    fn read(&self, variable: Variable) -> Value {
        let absent = if self.plan.numbering.is_bit(variable) { self.truths[0] } else { self.undefined };
        self.reaching.get(variable).unwrap_or(absent)
    }

    fn set(&mut self, variable: Variable, value: Value) {
        self.reaching.set(variable, value);
    }

    /// What a slot of the frame holds.
    pub fn local(&self, local: LocalId) -> Value {
        self.read(self.plan.numbering.local(local))
    }

    /// The value as what a slot's name is declared to hold.
    pub fn as_declared(&mut self, local: LocalId, value: Value) -> Value {
        let name = &self.code.locals[local.index()].name;
        let Some(&(_, ty)) = self.declared.iter().find(|(declared, _)| declared == name) else {
            return value;
        };
        let name = self.b.symbol(name);
        self.b.untyped(Op::Declared, [Attr::Symbol(name), Attr::Type(ty)], &[value])
    }

    /// Puts a value into a slot of the frame; a value without a name gets the variable's.
    pub fn set_local(&mut self, local: LocalId, value: Value) {
        if value != self.undefined && !self.truths.contains(&value) {
            self.name(value, local);
        }
        self.set(self.plan.numbering.local(local), value);
    }

    fn name(&mut self, value: Value, local: LocalId) {
        let symbol = self.b.symbol(&self.code.locals[local.index()].name);
        if let Some(known) = self.b.func.values[value].name.expand() {
            if known != symbol {
                let block = self.b.block;
                let after = self.b.func.blocks[block].insts.last().copied().into();
                let span = self.b.span;
                self.b.func.renamings.push(ir::Renaming { name: symbol, value, block, after, span });
                self.b.func.aliases.push((symbol, value));
            }
        } else {
            let version = self.versions.entry(symbol).or_default();
            self.b.func.set_name(value, symbol, *version);
            *version += 1;
        }
    }

    /// Whether a slot may be unbound where it is read.
    pub fn is_tracked(&self, local: LocalId) -> bool {
        self.plan.tracked[local.index()]
    }

    /// The bit that says whether a tracked slot is bound.
    pub fn bound(&self, local: LocalId) -> Value {
        self.read(self.plan.numbering.bound(local))
    }

    /// Says whether a slot is bound from here on.
    pub fn set_bound(&mut self, local: LocalId, bound: bool) {
        self.set_bound_value(local, self.truths[usize::from(bound)]);
    }

    /// The same with a bit that is not known.
    pub fn set_bound_value(&mut self, local: LocalId, bound: Value) {
        if self.is_tracked(local) {
            self.set(self.plan.numbering.bound(local), bound);
        }
    }

    /// `True` or `False`.
    pub fn truth(&self, truth: bool) -> Value {
        self.truths[usize::from(truth)]
    }
}

/// Removes the constants of the entry block that nothing uses.
fn remove_unused(func: &mut Function) {
    let mut used = entity::EntitySet::new();
    for data in func.insts.values() {
        used.extend(data.uses());
    }
    for data in func.blocks.values() {
        used.extend(data.handler.iter().flat_map(|call| call.args.iter().copied()));
    }
    let entry = func.entry;
    let mut insts = std::mem::take(&mut func.blocks[entry].insts);
    insts.retain(|&inst| {
        let data = &func.insts[inst];
        !matches!(data.op, Op::Const | Op::Undef) || data.results.iter().any(|&value| used.contains(value))
    });
    func.blocks[entry].insts = insts;
}
