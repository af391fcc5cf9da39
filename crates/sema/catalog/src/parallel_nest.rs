//! Parallelizes the loops of a single instruction: the code emitted for a range of iterations becomes a C function,
//! like the body of a `prange` loop, and the instruction launches it.
//!
//! The function loads the values that it captures from a block of the frame. It owns no references: the captured
//! values live as long as the instruction.

use crate::callees::{ChunkFunction, ChunkFunctions};
use crate::calls::propagate;
use crate::emit::{Emit, RefScope};
use abi::Runtime;
use diag::Result;
use entity::{EntityRef, HashMap, HashSet};
use ir::{
    Attr, Block, BlockCall, Builder, Def, External, Function, IntCond, Native, Op, References, Value,
    ValueType,
};

impl Emit<'_> {
    /// Whether loops of one instruction may run on several threads.
    pub fn is_parallel(&self) -> bool {
        self.chunk_functions().is_some()
    }

    fn chunk_functions(&self) -> Option<ChunkFunctions<'_>> {
        // The limit of the stack is another one on each thread.
        self.callees
            .and_then(|callees| callees.chunks)
            .filter(|_| self.on_threads && self.stack_word.is_none())
    }

    /// Emits a loop of `count` iterations, each of which takes about `cost` nanoseconds and writes to memory of its own: `body` emits it for the
    /// iterations from one number up to another.
    pub fn parallel_nest(
        &mut self,
        count: Value,
        cost: Value,
        body: impl FnOnce(&mut Self, [Value; 2]) -> Result<()>,
    ) -> Result<()> {
        if !self.is_parallel() {
            let zero = self.b.iconst(Native::I64, 0);
            return body(self, [zero, count]);
        }
        let (here, blocks, insts) = (self.b.block, self.b.func.layout.len(), self.b.func.insts.len());
        let start = self.b.new_block();
        let bounds = [(); 2].map(|()| self.b.func.add_param(start, ValueType::Native(Native::I64)));
        self.b.switch_to(start);
        let held = std::mem::take::<RefScope>(&mut self.refs);
        let protection = self.protection.take();
        let emitted = body(self, bounds);
        (self.refs, self.protection) = (held, protection);
        emitted?;
        self.b.terminate(Op::Return, &[]);
        let inner = self.b.func.layout.split_off(blocks);
        self.b.switch_to(here);
        let (func, captured) = Chunk { func: self.b.func, inner: &inner, start, new: insts }.extract();
        let span = self.b.span;
        let Some(ChunkFunctions { symbol, made }) = self.callees.and_then(|callees| callees.chunks) else {
            return Ok(());
        };
        let symbol = format!("{symbol}.nest{}", made.borrow().len());
        self.launch(&symbol, &captured, [count, cost]);
        made.borrow_mut().push(ChunkFunction { symbol, func, span });
        Ok(())
    }

    /// Runs the function: by a plain call where a launch would not pay.
    fn launch(&mut self, symbol: &str, captured: &[Value], [count, cost]: [Value; 2]) {
        let context = self.frame_slot(8 * captured.len().max(1) as u32);
        for (at, &value) in captured.iter().enumerate() {
            self.b.store(context, 8 * at as i64, value);
        }
        let work = self.b.like_first(Op::Imul, &[count, cost]);
        let worth = self.b.iconst(Native::I64, abi::WORTH_A_LAUNCH);
        let is_little = self.b.icmp(IntCond::Slt, work, worth);
        let [direct, launched, behind] = [(); 3].map(|()| self.b.new_block());
        let status = self.b.func.add_param(behind, ValueType::Native(Native::I64));
        self.b.branch(is_little, BlockCall::new(direct, []), BlockCall::new(launched, []));
        self.b.switch_to(direct);
        let zero = self.b.iconst(Native::I64, 0);
        let params = vec![Native::Ptr, Native::I64, Native::I64, Native::I64];
        let body = External::new(symbol, params, Vec::new()).failing();
        let own = self.b.call_external(body, &[context, zero, zero, count])[0];
        self.b.jump(behind, &[own]);
        self.b.switch_to(launched);
        let chunks = self.call_runtime(Runtime::ParallelChunks, &[count, cost])[0];
        let code = self.b.address_of(symbol);
        let shared = self.call_runtime(Runtime::ParallelFor, &[code, context, count, chunks])[0];
        self.b.jump(behind, &[shared]);
        self.b.switch_to(behind);
        propagate(self, status);
    }
}

/// Blocks that become a function.
struct Chunk<'a> {
    func: &'a Function,
    inner: &'a [Block],
    /// The first one, which takes the bounds.
    start: Block,
    /// The first instruction that was made with them: a slot of the frame from there on is theirs.
    new: usize,
}

impl Chunk<'_> {
    /// The function, and what it finds in its context.
    fn extract(&self) -> (Function, Vec<Value>) {
        let mut func = self.func.clone();
        func.layout.clear();
        func.entry = func.add_block(self.func.blocks[self.start].label);
        func.layout.extend(self.inner);
        (func.results, func.gives, func.can_fail) = (Vec::new(), References::default(), true);
        func.params = ["context", "chunk", "begin", "end"].map(|name| func.symbols.intern_str(name)).to_vec();
        let (repeated, captured): (Vec<Value>, Vec<Value>) =
            self.used().into_iter().partition(|&value| self.is_repeated(value));
        let entry = func.entry;
        let symbols = func.params.clone();
        let mut b = Builder::new(&mut func, entry);
        let natives = [Native::Ptr, Native::I64, Native::I64, Native::I64];
        let args: Vec<Value> = natives
            .into_iter()
            .zip(symbols)
            .enumerate()
            .map(|(at, (native, symbol))| {
                b.native(Op::Arg, [Attr::Int(at as i64), Attr::Symbol(symbol)], &[], native)
            })
            .collect();
        let mut inside: HashMap<Value, Value> = HashMap::default();
        for value in repeated {
            let Def::Result(inst, _) = b.func.values[value].def else { continue };
            let data = b.func.insts[inst].clone();
            let native = b.func.native(value);
            inside.insert(value, b.native(data.op, data.attrs, &[], native));
        }
        let read = b.new_block();
        b.jump(read, &[]);
        b.switch_to(read);
        for (at, &value) in captured.iter().enumerate() {
            let native = b.func.native(value);
            inside.insert(value, b.load(native, args[0], 8 * at as i64));
        }
        b.jump(self.start, &args[2..]);
        for &block in self.inner {
            func.change_uses(block, |value| *value = inside.get(value).copied().unwrap_or(*value));
        }
        (func, captured)
    }

    /// What the blocks use and do not define, each once.
    fn used(&self) -> Vec<Value> {
        let mut own: HashSet<Value> = HashSet::default();
        let insts = || self.inner.iter().flat_map(|&block| &self.func.blocks[block].insts);
        own.extend(self.inner.iter().flat_map(|&block| self.func.blocks[block].params.iter().copied()));
        own.extend(insts().flat_map(|&inst| self.func.insts[inst].results.iter().copied()));
        let mut found = Vec::new();
        for &inst in insts() {
            for value in self.func.insts[inst].uses() {
                if own.insert(value) {
                    found.push(value);
                }
            }
        }
        found
    }

    fn is_repeated(&self, value: Value) -> bool {
        let Def::Result(inst, _) = self.func.values[value].def else { return false };
        match self.func.insts[inst].op {
            Op::Iconst | Op::Fconst | Op::SiteStatus | Op::AddressOf => true,
            Op::StackSlot => inst.index() >= self.new,
            _ => false,
        }
    }
}
