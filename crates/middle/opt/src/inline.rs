//! Inlining: replaces calls of other functions of the group by their bodies.
//!
//! If the body fails, the caller fails, as a caller that can fail does with a status that is not 0. A caller that cannot
//! fail receives the status after the body and continues from there.

use diag::Span;
use entity::{PackedOption, SideTable};
use ir::{
    Attr, Block, BlockCall, Builder, Def, Function, Inst, InstData, Native, Op, Origin, SiteData, Value,
    ValueData, ValueType,
};

/// Which calls are worth it.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Instructions of a body that always goes into its caller.
    pub tiny: usize,
    /// Instructions of a body that does where the call stands in a loop.
    pub in_loop: usize,
    /// Instructions that a caller may have in the end.
    pub most: usize,
}

/// The body for calls of a symbol, and whether it goes everywhere.
pub type Bodies<'a> = dyn Fn(&str) -> Option<(&'a Function, bool)> + 'a;

/// Symbols of the functions that `func` calls, once for each call.
pub fn calls_of(func: &Function) -> impl Iterator<Item = &str> {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.filter_map(|&inst| func.callee(inst))
}

/// Symbols of the functions that `func` calls or whose address it takes.
pub fn functions_named_in(func: &Function) -> impl Iterator<Item = &str> {
    calls_of(func).chain(func.addressed())
}

/// Replaces calls that stand in `caller` now by the bodies of their callees, where the policy says so.
/// Calls that come in with a body stay.
pub fn inline(caller: &mut Function, bodies: &Bodies<'_>, policy: Policy) {
    let in_loop = flow::compute_in_loops(&flow::Cfg::compute(caller));
    let mut sites = Vec::new();
    for &block in &caller.layout {
        for &inst in &caller.blocks[block].insts {
            let Some((body, everywhere)) = caller.callee(inst).and_then(bodies) else { continue };
            let size = body.len();
            let everywhere = everywhere || is_asked_for(caller, inst);
            if everywhere || size <= policy.tiny || (in_loop[block] && size <= policy.in_loop) {
                sites.push((inst, body));
            }
        }
    }
    for (inst, body) in sites {
        if is_asked_for(caller, inst) || caller.len() + body.len() <= policy.most {
            Splice::new(caller, body).run(inst);
        }
    }
}

/// Whether whoever made the call says that it becomes the body.
fn is_asked_for(func: &Function, call: Inst) -> bool {
    let Some(&Attr::External(id)) = func.insts[call].attrs.first() else { return false };
    func.externals.get(id).inline
}

/// One call being replaced.
struct Splice<'a> {
    caller: &'a mut Function,
    body: &'a Function,
    values: SideTable<Value, PackedOption<Value>>,
    blocks: SideTable<Block, PackedOption<Block>>,
    /// Where a call that fails goes with its status, if there is something to do before the caller fails.
    cleanup: Option<Block>,
    /// Where code from another file stands in the caller's: at the call.
    foreign: Option<Span>,
}

impl<'a> Splice<'a> {
    fn new(caller: &'a mut Function, body: &'a Function) -> Self {
        Splice {
            caller,
            body,
            values: SideTable::new(),
            blocks: SideTable::new(),
            cleanup: None,
            foreign: None,
        }
    }

    fn run(mut self, call: Inst) {
        let (block, at) = self.position_of(call);
        self.cleanup = self.find_cleanup(block, at, call);
        self.foreign = (self.body.file != self.caller.file).then_some(self.caller.insts[call].span);
        let rest = self.split(block, at, call);
        let args = self.caller.insts[call].args.clone();
        for &old in &self.body.layout {
            let new = self.caller.add_block(self.body.blocks[old].label);
            self.caller.blocks[new].cold = self.body.blocks[old].cold;
            self.blocks[old] = new.into();
            for &param in &self.body.blocks[old].params {
                let ty = self.body.values[param].ty;
                let copy = self.caller.add_param(new, ty);
                self.values[param] = copy.into();
            }
        }
        // Values may be used in blocks that stand before the one that defines them.
        let order = flow::Cfg::compute(self.body).reverse_postorder().to_vec();
        for old in order {
            for &inst in &self.body.blocks[old].insts {
                self.copy(old, inst, &args, rest);
            }
        }
        let entry = self.block(self.body.entry);
        let span = self.caller.insts[call].span;
        let mut jump = plain(Op::Jump);
        jump.targets.push(BlockCall::new(entry, []));
        jump.span = span;
        let jump = self.caller.insts.push(jump);
        self.caller.blocks[block].insts.push(jump);
        self.drop_unreachable();
    }

    fn position_of(&self, call: Inst) -> (Block, usize) {
        let blocks = &self.caller.blocks;
        let mut found = self.caller.layout.iter().filter_map(|&block| {
            let at = blocks[block].insts.iter().position(|&inst| inst == call)?;
            Some((block, at))
        });
        found.next().expect("a call that was found stands in a block")
    }

    /// The block that the call's status is handed to when it failed, unless that does nothing but fail.
    fn find_cleanup(&self, block: Block, at: usize, call: Inst) -> Option<Block> {
        let both = self.body.can_fail && self.caller.can_fail;
        let status = *self.caller.insts[call].results.first().filter(|_| both)?;
        let following = &self.caller.blocks[block].insts[at..];
        let targets = following.iter().flat_map(|&inst| &self.caller.insts[inst].targets);
        let fail = targets.into_iter().find(|target| target.args[..] == [status])?.block;
        let only_fails = match &self.caller.blocks[fail].insts[..] {
            &[only] => self.caller.insts[only].op == Op::Fail,
            _ => false,
        };
        (!only_fails).then_some(fail)
    }

    /// Moves what follows the call to a block of its own, whose parameters are the results.
    fn split(&mut self, block: Block, at: usize, call: Inst) -> Block {
        let label = self.caller.blocks[block].label;
        let rest = self.caller.add_block(label);
        let mut tail = self.caller.blocks[block].insts.split_off(at);
        tail.remove(0);
        let mut results = self.caller.insts[call].results.clone();
        if self.body.can_fail && self.caller.can_fail {
            // After the body the call has succeeded.
            let status = results.remove(0);
            let mut zero = plain(Op::Iconst);
            zero.attrs.extend([Attr::Native(Native::I64), Attr::Int(0)]);
            zero.results.push(status);
            zero.span = self.caller.insts[call].span;
            let zero = self.caller.insts.push(zero);
            self.caller.values[status].def = Def::Result(zero, 0);
            tail.insert(0, zero);
        }
        for (index, &result) in results.iter().enumerate() {
            self.caller.values[result].def = Def::Param(rest, index as u16);
            self.caller.blocks[rest].params.push(result);
        }
        self.caller.blocks[rest].insts = tail;
        rest
    }

    fn block(&self, old: Block) -> Block {
        self.blocks[old].expand().expect("blocks of the layout have copies")
    }

    fn value(&self, old: Value) -> Value {
        self.values[old].expand().expect("definitions come before uses in reverse postorder")
    }

    fn copy(&mut self, block: Block, inst: Inst, args: &[Value], rest: Block) {
        let data = &self.body.insts[inst];
        if data.op == Op::Arg {
            if let Some(&Attr::Int(index)) = data.attrs.first() {
                self.values[data.results[0]] = args[index as usize].into();
            }
            return;
        }
        if data.op == Op::DeclareVariable {
            return;
        }
        let mut copy = plain(data.op);
        copy.span = self.foreign.unwrap_or(data.span);
        copy.attrs = data.attrs.iter().map(|attr| self.attr(attr)).collect();
        copy.args = data.args.iter().map(|&arg| self.value(arg)).collect();
        for target in &data.targets {
            let args = target.args.iter().map(|&arg| self.value(arg));
            copy.targets.push(BlockCall::new(self.block(target.block), args));
        }
        if data.op == Op::Return {
            copy.op = Op::Jump;
            let values: Vec<Value> = copy.args.drain(..).collect();
            let status = self.merges().then(|| self.zero(block, Native::I64));
            copy.targets.push(BlockCall::new(rest, status.into_iter().chain(values)));
        } else if data.op == Op::Fail && self.merges() {
            copy.op = Op::Jump;
            let status = copy.args[0];
            copy.args.clear();
            let types = self.body.results.clone();
            let zeros: Vec<Value> = types.iter().map(|&native| self.zero(block, native)).collect();
            copy.targets.push(BlockCall::new(rest, [status].into_iter().chain(zeros)));
        }
        if let (Op::Fail, Some(cleanup)) = (data.op, self.cleanup) {
            copy.op = Op::Jump;
            copy.targets.push(BlockCall::new(cleanup, copy.args.drain(..)));
        }
        let new = self.caller.insts.push(copy);
        for (index, &result) in data.results.iter().enumerate() {
            let value = self.new_value(result, Def::Result(new, index as u16));
            self.caller.insts[new].results.push(value);
            self.values[result] = value.into();
        }
        if data.op == Op::StackSlot {
            // Slots stand in the entry, whose last instruction is a jump.
            let insts = &mut self.caller.blocks[self.caller.entry].insts;
            insts.insert(insts.len() - 1, new);
        } else {
            let target = self.block(block);
            self.caller.blocks[target].insts.push(new);
        }
    }

    /// Whether the caller looks at the status itself: a function that cannot fail calls one that can.
    fn merges(&self) -> bool {
        self.body.can_fail && !self.caller.can_fail
    }

    /// A zero at the end of the copy of a block.
    fn zero(&mut self, old: Block, native: Native) -> Value {
        let target = self.block(old);
        let mut builder = Builder::new(self.caller, target);
        if native.is_float() { builder.fconst(native, 0.0) } else { builder.iconst(native, 0) }
    }

    fn new_value(&mut self, old: Value, def: Def) -> Value {
        let data = &self.body.values[old];
        let name = data.name.expand().map(|name| self.caller.symbols.intern_str(self.body.symbols.get(name)));
        let ValueType::Native(_) = data.ty else { unreachable!("values of the Explicit phase are native") };
        self.caller.values.push(ValueData { ty: data.ty, def, name: name.into(), version: data.version })
    }

    fn attr(&mut self, attr: &Attr) -> Attr {
        match *attr {
            Attr::Symbol(symbol) => {
                Attr::Symbol(self.caller.symbols.intern_str(self.body.symbols.get(symbol)))
            }
            Attr::External(id) => {
                Attr::External(self.caller.externals.intern(self.body.externals.get(id).clone()))
            }
            Attr::Site(site) => {
                let data = self.body.sites[site].clone();
                let origin = data.origin.clone().or_else(|| self.origin());
                Attr::Site(self.caller.sites.push(SiteData { origin, ..data }))
            }
            ref other => other.clone(),
        }
    }

    /// The function that the body was written in, if that is not the caller's own text.
    fn origin(&self) -> Option<Origin> {
        let (name, file) = (&self.body.name, &self.body.file);
        let own = *name == self.caller.name && *file == self.caller.file;
        let first_line = self.body.first_line;
        (!own).then(|| Origin { name: name.as_str().into(), file: file.as_str().into(), first_line })
    }

    /// Copies of blocks that nothing reaches have no instructions.
    fn drop_unreachable(&mut self) {
        let blocks = &self.caller.blocks;
        self.caller.layout.retain(|&block| !blocks[block].insts.is_empty());
    }
}

fn plain(op: Op) -> InstData {
    InstData {
        op,
        attrs: Default::default(),
        args: Default::default(),
        results: Default::default(),
        targets: Default::default(),
        span: Default::default(),
    }
}
