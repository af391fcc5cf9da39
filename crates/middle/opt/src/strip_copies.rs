//! Writes what [`crate::check_ahead`] plans: the header of a strip, the loop that only checks, the loop without checks.

use crate::check_ahead::{Ahead, FEW, LENGTH, Plan};
use crate::clone_blocks::CloneMap;
use crate::spill_region::{new_slot, spill};
use entity::HashSet;
use ir::{Block, BlockCall, Builder, FloatCond, Function, Inst, IntCond, Native, Op, Value};

/// What is written for a loop.
pub(crate) struct Copies<'a> {
    func: &'a mut Function,
    plan: Plan,
    /// A slot that says whether a check failed.
    bad: Value,
    /// What the loop computes.
    inside: HashSet<Value>,
}

impl Copies<'_> {
    pub(crate) fn form(func: &mut Function, plan: Plan) {
        let insts = plan.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        let inside = insts.flat_map(|&inst| func.insts[inst].results.iter().copied()).collect();
        spill(func, &plan.blocks);
        let bad = new_slot(func);
        let mut copies = Copies { func, plan, bad, inside };
        let first = copies.enter();
        let head = copies.head(first);
        let params = copies.params(first);
        let begin = copies.block();
        copies.leave_or(first, &head, begin);
        let limit = copies.limit(begin, &params);
        let (check, run) = (copies.check(limit), copies.run(limit, first));
        copies.begin(begin, (limit, &params), check.0);
        copies.judge(check.1, &params, run);
    }

    fn block(&mut self) -> Block {
        self.func.add_block(self.func.blocks[self.plan.header].label)
    }

    fn params(&self, block: Block) -> Vec<Value> {
        self.func.blocks[block].params.clone()
    }

    /// All ways into the loop lead to a new block, with parameters as the head has them.
    fn enter(&mut self) -> Block {
        let header = self.plan.header;
        let first = self.block();
        for block in self.func.layout.clone() {
            let inside = block == first || self.plan.blocks.contains(&block);
            let Some(last) = self.func.terminator(block).filter(|_| !inside) else { continue };
            for target in self.func.insts[last].targets.iter_mut().filter(|target| target.block == header) {
                target.block = first;
            }
        }
        for param in self.params(header) {
            self.func.add_param(first, self.func.values[param].ty);
        }
        first
    }

    /// The strip begins with what the loop's head computes.
    fn head(&mut self, first: Block) -> CloneMap {
        let header = self.plan.header;
        let mut copy = CloneMap::default();
        copy.values.extend(self.params(header).into_iter().zip(self.params(first)));
        let insts = self.func.blocks[header].insts.clone();
        for &inst in &insts[..insts.len() - 1] {
            copy.inst(self.func, first, inst);
        }
        copy
    }

    /// The end of the loop where the head says so.
    fn leave_or(&mut self, first: Block, head: &CloneMap, begin: Block) {
        let Some(last) = self.func.terminator(self.plan.header) else { return };
        let data = self.func.insts[last].clone();
        let out = self.plan.counted.out;
        let end = head.args(&data.targets[out]);
        let go_on = BlockCall::new(begin, []);
        let (then, other) = if out == 0 { (end, go_on) } else { (go_on, end) };
        let mut builder = Builder::new(self.func, first);
        builder.span = data.span;
        builder.branch(head.value(data.args[0]), then, other);
    }

    fn limit(&mut self, begin: Block, params: &[Value]) -> Value {
        let start = params[self.plan.counted.param];
        let mut builder = Builder::new(self.func, begin);
        self.plan.counted.limit(&mut builder, start, LENGTH)
    }

    /// A loop of few iterations, or one that writes what its checks read, runs as it is.
    fn begin(&mut self, begin: Block, (limit, params): (Value, &[Value]), check: Block) {
        let counted = &self.plan.counted;
        let start = params[counted.param];
        let header = BlockCall::new(self.plan.header, params.iter().copied());
        let mut builder = Builder::new(self.func, begin);
        let few = counted.ends_within(&mut builder, start, FEW);
        let many = builder.new_block();
        builder.branch(few, header.clone(), BlockCall::new(many, []));
        builder.switch_to(many);
        let last = match counted.cond {
            IntCond::Sle | IntCond::Sge => limit,
            _ => {
                let native = builder.func.native(limit);
                let one = builder.iconst(native, counted.step.signum());
                builder.like_first(Op::Isub, &[limit, one])
            }
        };
        let mut apart = builder.bool(true);
        for pair in &self.plan.apart {
            let holds = pair.emit(&mut builder, (start, last), &self.inside);
            apart = builder.like_first(Op::Iand, &[apart, holds]);
        }
        let go = builder.new_block();
        builder.branch(apart, BlockCall::new(go, []), header);
        builder.switch_to(go);
        let fine = builder.bool(false);
        builder.store(self.bad, 0, fine);
        builder.jump(check, params);
    }

    /// The loop that only checks: its head, and where it ends.
    fn check(&mut self, limit: Value) -> (Block, Block) {
        let mut copy = self.blocks();
        let end = self.block();
        for block in self.plan.usual.clone() {
            let at = copy.blocks[&block];
            let insts = self.func.blocks[block].insts.clone();
            for &inst in &insts {
                if self.plan.needed.contains(&inst) {
                    copy.inst(self.func, at, inst);
                }
            }
            if let Some(&check) = self.plan.checks.get(&block) {
                self.note(&copy, block, check);
            }
            self.terminator(&copy, block, limit, end);
        }
        (copy.blocks[&self.plan.header], end)
    }

    /// Notes whether a check failed.
    fn note(&mut self, copy: &CloneMap, block: Block, check: Ahead) {
        let Some(last) = self.func.terminator(block) else { return };
        let asked = check.converts.unwrap_or(last);
        let value = self.func.insts[asked].args[0];
        let value = copy.value(value);
        let mut builder = Builder::new(self.func, copy.blocks[&block]);
        let failed = match (check.converts, check.on) {
            (Some(_), _) => {
                let native = builder.func.native(value);
                let size = builder.like_first(Op::Fabs, &[value]);
                let limit = builder.fconst(native, 2_147_483_648.0);
                let fits = builder.fcmp(FloatCond::Lt, size, limit);
                not(&mut builder, fits)
            }
            (None, 1) => value,
            _ => not(&mut builder, value),
        };
        let before = builder.load(Native::I1, self.bad, 0);
        let now = builder.like_first(Op::Ior, &[before, failed]);
        builder.store(self.bad, 0, now);
    }

    /// An integer that is known to fit 32 bits, by the conversion that runs vectorized.
    fn narrow(&mut self, copy: &mut CloneMap, to: Block, inst: Inst) {
        let data = self.func.insts[inst].clone();
        let value = copy.value(data.args[0]);
        let mut builder = Builder::new(self.func, to);
        builder.span = data.span;
        let native = builder.func.native(value);
        let (size, zero) = (builder.like_first(Op::Fabs, &[value]), builder.fconst(native, 0.0));
        let limit = builder.fconst(native, 2_147_483_648.0);
        let fits = builder.fcmp(FloatCond::Lt, size, limit);
        // The code generator sees an integer here.
        let value = builder.select(fits, value, zero);
        let narrow = builder.convert(Op::FloatToSint, value, Native::I32);
        let wide = builder.convert(Op::Sext, narrow, Native::I64);
        copy.values.insert(data.results[0], wide);
    }

    /// The loop without checks, and what leads to the next strip: the loop's head.
    fn run(&mut self, limit: Value, first: Block) -> Block {
        let mut copy = self.blocks();
        let end = self.block();
        let narrow: HashSet<Inst> = self.plan.checks.values().filter_map(|check| check.converts).collect();
        for block in self.plan.usual.clone() {
            let at = copy.blocks[&block];
            for inst in self.func.blocks[block].insts.clone() {
                let op = self.func.insts[inst].op;
                if narrow.contains(&inst) {
                    self.narrow(&mut copy, at, inst);
                } else if op != Op::Poll && !op.is_terminator() {
                    copy.inst(self.func, at, inst);
                }
            }
            self.terminator(&copy, block, limit, end);
        }
        let head = copy.blocks[&self.plan.header];
        let next = self.params(head);
        let again = BlockCall::new(first, next);
        match self.plan.poll.clone() {
            Some((block, fail, _)) => {
                let insts = &self.func.blocks[block].insts;
                let poll = insts[insts.len() - 2];
                let mut copied = CloneMap::default();
                copied.inst(self.func, end, poll);
                let raised = self.func.insts[poll].results[0];
                Builder::new(self.func, end).branch(copied.values[&raised], fail, again);
            }
            None => {
                Builder::new(self.func, end).jump(again.block, &again.args);
            }
        }
        head
    }

    /// After the checks: the strip, or the loop as it was.
    fn judge(&mut self, end: Block, params: &[Value], run: Block) {
        let slow = self.block();
        self.func.blocks[slow].cold = true;
        let mut builder = Builder::new(self.func, end);
        let bad = builder.load(Native::I1, self.bad, 0);
        builder.branch(bad, BlockCall::new(slow, []), BlockCall::new(run, params.iter().copied()));
        builder.switch_to(slow);
        builder.jump(self.plan.header, params);
    }

    /// New blocks for all usual ones, with their parameters.
    fn blocks(&mut self) -> CloneMap {
        let mut copy = CloneMap::default();
        for block in self.plan.usual.clone() {
            copy.add_block(self.func, block);
            copy.add_params(self.func, block);
        }
        copy
    }

    /// Goes on as a block does where nothing is rare; the head asks for the end of the strip.
    fn terminator(&mut self, copy: &CloneMap, block: Block, limit: Value, end: Block) {
        let Some(last) = self.func.terminator(block) else { return };
        let data = self.func.insts[last].clone();
        let target = |at: usize| {
            let call = copy.args(&data.targets[at]);
            BlockCall { block: copy.blocks[&call.block], ..call }
        };
        let counted = &self.plan.counted;
        let polls = self.plan.poll.as_ref().is_some_and(|poll| poll.0 == block);
        let mut builder = Builder::new(self.func, copy.blocks[&block]);
        builder.span = data.span;
        if block == self.plan.header {
            let more = builder.icmp(counted.cond, copy.value(counted.compared), limit);
            builder.branch(more, target(1 - counted.out), BlockCall::new(end, []));
            return;
        }
        let only = match (data.op, self.plan.checks.get(&block)) {
            (Op::Jump, _) => target(0),
            _ if polls => target(1),
            (_, Some(check)) => target(check.on),
            _ => {
                builder.branch(copy.value(data.args[0]), target(0), target(1));
                return;
            }
        };
        builder.jump(only.block, &only.args);
    }
}

fn not(builder: &mut Builder<'_>, value: Value) -> Value {
    let yes = builder.bool(true);
    builder.like_first(Op::Ixor, &[value, yes])
}
