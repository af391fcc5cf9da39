//! Activations, control flow, calls and limits.

use crate::ints::Fault;
use crate::{AddressSpace, Library, Outcome, Sandbox, Word, eval};
use abi::Runtime;
use diag::{Diagnostic, Result};
use entity::{EntityRef, HashMap, HashSet};
use ir::{Attr, Block, BlockCall, Function, Inst, InstData, Native, Op, Phase, Value};
use smallvec::SmallVec;

/// How much a run may use before it is stopped with an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions.
    pub steps: u64,
    /// Activations at once.
    pub depth: usize,
    /// Bytes of memory at once.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 10_000_000, depth: 10_000, memory: 256 << 20 }
    }
}

/// An error of the interpreter that no instruction is to blame for.
pub(crate) fn fault(what: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::internal("the interpreter", what)
}

/// Runs functions. Memory lives as long as the machine: fill it first, look at it afterwards.
pub struct Machine<'a, S = Sandbox> {
    /// Memory, and the functions that are not interpreted.
    pub space: S,
    pub(crate) library: &'a Library,
    limits: Limits,
    steps: u64,
    frames: Vec<Frame<'a>>,
    /// The address of a word where the stack has no limit, once asked for.
    pub(crate) stack_word: Option<u64>,
    /// Functions that the verifier accepted, by address: they outlive the machine.
    verified: HashSet<*const Function>,
}

/// An activation. Calls push one, so the depth of the host's stack does not depend on the program.
pub(crate) struct Frame<'a> {
    func: &'a Function,
    args: Vec<Word>,
    block: Block,
    position: usize,
    /// Values by index; `None` is one that does not exist or has no meaning.
    values: Vec<Option<Word>>,
    /// Addresses of the stack slots that ran already.
    slots: HashMap<Inst, u64>,
    /// The next chunk of the current parallel loop.
    pub(crate) chunk: i64,
}

/// What to do after an instruction.
pub(crate) enum Next<'a> {
    /// The instruction after it.
    Continue,
    /// Whatever the current position is now.
    Moved,
    Enter(Frame<'a>),
    /// Leave, with the values that the caller's instruction gets.
    Leave(Outcome, Vec<Option<Word>>),
}

impl<'a> Machine<'a> {
    /// A machine with empty memory and the default limits.
    pub fn new(library: &'a Library) -> Self {
        Machine::with_limits(library, Limits::default())
    }

    /// A machine with empty memory.
    pub fn with_limits(library: &'a Library, limits: Limits) -> Self {
        Machine::over(Sandbox::new(limits.memory), library, limits)
    }
}

impl<'a, S: AddressSpace> Machine<'a, S> {
    /// A machine that runs functions of `library` over this memory.
    pub fn over(space: S, library: &'a Library, limits: Limits) -> Self {
        Machine {
            space,
            library,
            limits,
            steps: 0,
            frames: Vec::new(),
            stack_word: None,
            verified: HashSet::default(),
        }
    }

    /// Calls a function of the Explicit phase.
    pub fn run(&mut self, func: &'a Function, args: &[Word]) -> Result<Outcome> {
        self.steps = 0;
        let frame = self.enter(func, args.to_vec()).map_err(fault)?;
        self.frames.push(frame);
        let outcome = self.until_left();
        self.frames.clear();
        outcome
    }

    fn until_left(&mut self) -> Result<Outcome> {
        loop {
            let (func, inst) = self.current()?;
            self.steps += 1;
            if self.steps > self.limits.steps {
                let limit = self.limits.steps;
                return Err(self.at(func, inst, format!("out of fuel after {limit} steps")));
            }
            match self.step(func, inst).map_err(|what| self.at(func, inst, what))? {
                Next::Continue => self.frame().position += 1,
                Next::Moved => {}
                Next::Enter(_) if self.frames.len() >= self.limits.depth => {
                    let depth = self.limits.depth;
                    return Err(self.at(func, inst, format!("more than {depth} activations at once")));
                }
                Next::Enter(frame) => self.frames.push(frame),
                Next::Leave(outcome, results) => {
                    self.frames.pop();
                    if self.frames.is_empty() {
                        return Ok(outcome);
                    }
                    let (func, inst) = self.current()?;
                    if func.callee(inst) == Some(Runtime::ParallelFor.symbol()) {
                        if results.first() == Some(&Some(Word::I64(0))) {
                            // The same instruction again, for the chunk after.
                            continue;
                        }
                        self.frame().chunk = 0;
                    }
                    self.define(&func.insts[inst].results, results);
                    self.frame().position += 1;
                }
            }
        }
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a machine that runs has an activation")
    }

    fn current(&mut self) -> Result<(&'a Function, Inst)> {
        let frame = self.frame();
        let inst = frame.func.blocks[frame.block].insts.get(frame.position);
        Ok((frame.func, *inst.ok_or_else(|| fault("ran over the end of a block"))?))
    }

    /// The error of an instruction.
    fn at(&self, func: &Function, inst: Inst, what: impl std::fmt::Display) -> Box<Diagnostic> {
        let data = &func.insts[inst];
        fault(format!("`{}` at {} of `{}`: {what}", data.op.info().name, data.span, func.name))
    }

    /// A new activation, after a look at what is to run.
    pub(crate) fn enter(
        &mut self,
        func: &'a Function,
        args: Vec<Word>,
    ) -> std::result::Result<Frame<'a>, Fault> {
        if func.phase != Phase::Explicit {
            return Err(format!("`{}` is in the {} phase", func.name, func.phase.text()));
        }
        if !self.verified.contains(&std::ptr::from_ref(func)) {
            ir::verify(func).map_err(|error| error.message)?;
            self.verified.insert(func);
        }
        if args.len() != func.params.len() {
            let (given, wants) = (args.len(), func.params.len());
            return Err(format!("`{}` takes {wants} arguments, {given} were given", func.name));
        }
        Ok(Frame {
            func,
            args,
            block: func.entry,
            position: 0,
            values: vec![None; func.values.len()],
            slots: HashMap::default(),
            chunk: 0,
        })
    }

    /// The value; it must have one.
    pub(crate) fn read(&mut self, value: Value) -> std::result::Result<Word, Fault> {
        let frame = self.frame();
        frame.values[value.index()].ok_or_else(|| match frame.func.value_name(value) {
            Some(name) => format!("reads {name}.{}, which is undefined", frame.func.values[value].version),
            None => format!("reads {value}, which is undefined"),
        })
    }

    pub(crate) fn define(&mut self, values: &[Value], words: impl IntoIterator<Item = Option<Word>>) {
        let frame = self.frame();
        for (&value, word) in values.iter().zip(words) {
            frame.values[value.index()] = word;
        }
    }

    /// Goes to another block. All values are read before any parameter changes.
    fn go_to(&mut self, call: &BlockCall) -> Next<'a> {
        let frame = self.frame();
        let words: SmallVec<[Option<Word>; 4]> =
            call.args.iter().map(|arg| frame.values[arg.index()]).collect();
        frame.block = call.block;
        frame.position = 0;
        let params = &frame.func.blocks[call.block].params;
        self.define(params, words);
        Next::Moved
    }

    fn step(&mut self, func: &'a Function, inst: Inst) -> std::result::Result<Next<'a>, Fault> {
        let data = &func.insts[inst];
        match data.op {
            Op::Jump => return Ok(self.go_to(&data.targets[0])),
            Op::Branch => {
                let taken = self.read(data.args[0])? == Word::I1(true);
                return Ok(self.go_to(&data.targets[usize::from(!taken)]));
            }
            Op::Unreachable => return Err("was reached".into()),
            Op::Suspend => return Err("runs once the generator is split at it".into()),
            Op::Return | Op::Fail => return self.leave(func, data),
            Op::CallExternal => return self.call(func, data),
            Op::CallIndirect => return self.call_indirect(func, data),
            Op::Select => {
                // Only the operand that is chosen must have a value.
                let chosen = if self.read(data.args[0])? == Word::I1(true) { 1 } else { 2 };
                let word = self.frame().values[data.args[chosen].index()];
                self.define(&data.results, [word]);
            }
            Op::AddressOf => {
                let Attr::External(id) = data.attrs[0] else { return Err("names no function".into()) };
                let address = self.space.address_of(&func.externals.get(id).name)?;
                self.define(&data.results, [Some(address)]);
            }
            Op::Arg => self.arg(func, data)?,
            Op::Alloc => {
                let (size, zeroed) = (self.read(data.args[0])?.bits(), self.read(data.args[1])?.bits() != 0);
                let block = self.space.alloc(size, zeroed)?;
                self.define(&data.results, [Some(block)]);
            }
            Op::Incref | Op::Decref => {
                let owner = self.read(data.args[0])?;
                self.space.count(owner, data.op == Op::Incref)?;
            }
            Op::TakeRef | Op::GiveRef => {}
            Op::NullRef if self.read(data.args[0])?.bits() != 0 => return Err("is no 0".into()),
            Op::NullRef => {}
            Op::StackSlot => self.stack_slot(inst, data)?,
            Op::Load | Op::Store | Op::LoadUnaligned | Op::StoreUnaligned | Op::LoadVolatile => {
                self.access(data)?
            }
            Op::AtomicAdd | Op::AtomicExchange | Op::AtomicCas => self.exchange(data)?,
            // No signals come here.
            Op::Poll => self.define(&data.results, [Some(Word::from_bits(Native::I1, 0))]),
            Op::PollAside | Op::DeclareVariable => {}
            Op::PollFlag => self.poll_flag(inst, data)?,
            Op::SiteStatus => {
                let Attr::Site(site) = data.attrs[0] else { return Err("names no site".into()) };
                let status = self.space.status_of(func, site)?;
                self.define(&data.results, [Some(status)]);
            }
            op => {
                let args = self.read_all(&data.args)?;
                let words = eval::compute(op, &data.attrs, &args)?;
                self.define(&data.results, words.into_iter().map(Some));
            }
        }
        Ok(Next::Continue)
    }

    pub(crate) fn read_all(&mut self, values: &[Value]) -> std::result::Result<Vec<Word>, Fault> {
        values.iter().map(|&value| self.read(value)).collect()
    }

    fn arg(&mut self, func: &Function, data: &InstData) -> std::result::Result<(), Fault> {
        let Attr::Int(index) = data.attrs[0] else { return Err("has no number".into()) };
        let word = usize::try_from(index).ok().and_then(|index| self.frame().args.get(index).copied());
        let word = word.ok_or_else(|| format!("there is no argument {index}"))?;
        let wanted = func.native(data.results[0]);
        if word.ty() != wanted {
            let given = word.ty().text();
            return Err(format!(
                "argument {index} is {} by the function, {given} by its caller",
                wanted.text()
            ));
        }
        self.define(&data.results, [Some(word)]);
        Ok(())
    }

    fn stack_slot(&mut self, inst: Inst, data: &InstData) -> std::result::Result<(), Fault> {
        let known = self.frame().slots.get(&inst).copied();
        let address = match (known, &data.attrs[0]) {
            (Some(address), _) => address,
            (None, &Attr::Int(size)) => {
                let size = u64::try_from(size).map_err(|_| format!("{size} is no size"))?;
                self.space.allocate(size)?
            }
            _ => return Err("has no size".into()),
        };
        self.frame().slots.insert(inst, address);
        self.define(&data.results, [Some(Word::Ptr(address))]);
        Ok(())
    }

    /// A byte of the frame that stays 0.
    fn poll_flag(&mut self, inst: Inst, data: &InstData) -> std::result::Result<(), Fault> {
        let address = match self.frame().slots.get(&inst).copied() {
            Some(address) => address,
            None => self.space.allocate(1)?,
        };
        self.space.store(address, Word::from_bits(Native::I8, 0))?;
        self.frame().slots.insert(inst, address);
        self.define(&data.results, [Some(Word::Ptr(address))]);
        Ok(())
    }

    fn access(&mut self, data: &InstData) -> std::result::Result<(), Fault> {
        let pointer = self.read(data.args[0])?.bits();
        match (data.op, &data.attrs[..]) {
            (Op::Load | Op::LoadUnaligned | Op::LoadVolatile, &[Attr::Native(ty), Attr::Int(offset)]) => {
                let word = self.space.load(ty, pointer.wrapping_add_signed(offset))?;
                self.define(&data.results, [Some(word)]);
                Ok(())
            }
            (Op::Store | Op::StoreUnaligned, &[Attr::Int(offset)]) => {
                let word = self.read(data.args[1])?;
                self.space.store(pointer.wrapping_add_signed(offset), word)
            }
            _ => Err("has no offset".into()),
        }
    }

    /// An atomic op. (Nobody else runs.)
    fn exchange(&mut self, data: &InstData) -> std::result::Result<(), Fault> {
        let pointer = self.read(data.args[0])?.bits();
        let value = self.read(data.args[1])?;
        let old = self.space.load(value.ty(), pointer)?;
        let new = match data.op {
            Op::AtomicAdd => Word::from_bits(value.ty(), old.bits().wrapping_add(value.bits())),
            Op::AtomicExchange => value,
            _ if old.bits() == value.bits() => self.read(data.args[2])?,
            _ => old,
        };
        self.space.store(pointer, new)?;
        self.define(&data.results, [Some(old)]);
        Ok(())
    }

    fn leave(&mut self, func: &Function, data: &InstData) -> std::result::Result<Next<'a>, Fault> {
        let words = self.read_all(&data.args)?;
        let slots: Vec<u64> = self.frame().slots.values().copied().collect();
        for address in slots {
            self.space.free(address)?;
        }
        if data.op == Op::Return {
            let status = func.can_fail.then_some(Some(Word::I64(0)));
            let results = status.into_iter().chain(words.iter().copied().map(Some)).collect();
            return Ok(Next::Leave(Outcome::Returned(words), results));
        }
        if !self.space.is_status(words[0]) {
            return Err(format!("{} is the status of no site", words[0]));
        }
        // The results of a call that failed have no meaning.
        let mut results = vec![None; 1 + func.results.len()];
        results[0] = Some(words[0]);
        Ok(Next::Leave(Outcome::Failed(words[0]), results))
    }
}
