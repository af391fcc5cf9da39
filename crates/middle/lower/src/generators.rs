//! Functions with `yield`: what a call creates, and the code that the frame points to.
//!
//! A call creates a frame with the arguments. The code itself ([`generator_body`]) is split after lowering
//! (`opt::split_generator`), which determines the size of the frame. [`GeneratorEntries`] are the other functions: the one that
//! is called, the one through which Python resumes the code, and the one that drops a frame without references.

use crate::entry_points::arguments;
use crate::{Context, Lowering, lower_code};
use abi::frame::{DONE, RESUME, RESUME_WORDS, RETURNED, RUNNING, STATE};
use abi::{ExceptionClass, Runtime};
use catalog::generator::{FrameLayout, parts_of, resume_signature, sent_to, sent_value};
use catalog::{Catalog, Emit, Operand, Semantics, cast, machine_types, propagate};
use diag::{Diagnostic, Result, Span};
use ir::{
    BlockCall, External, Function, Inst, IntCond, Native, Op, Phase, References, SiteData, Value, ValueType,
};
use types::{Type, TypeTable};

/// The code of a generator, not split yet; `generator` is the type of what a call gives.
pub fn generator_body(
    typed: &Function,
    params: &[Type],
    generator: Type,
    context: Context<'_>,
) -> Result<Function> {
    let (_, result) = generator_parts(context.types, generator)?;
    let mut func = lower_code(typed, params, (result, Some(generator)), context)?;
    func.can_fail = true;
    Ok(func)
}

/// `yield`: the item goes to whoever resumed the generator, with references of its own.
pub(crate) fn lower_yield(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let value = l.operand(data.args[0])?;
    let generator = l.generator.ok_or_else(|| Diagnostic::internal("lowering", "a yield of no generator"))?;
    let (item, _) = generator_parts(l.cx.types, generator)?;
    let item = cast(&mut l.emit, &value, item)?;
    for owner in l.emit.owners(&item) {
        let fresh = &mut l.emit.refs.temporaries;
        match fresh.iter().position(|&made| made == owner) {
            Some(at) => drop(fresh.remove(at)),
            None => l.emit.retain(owner),
        }
    }
    // The frame holds the values that are live meanwhile.
    let held = l.counted_at(inst);
    held.iter().for_each(|&owner| l.emit.b.count(Op::GiveRef, owner));
    let (status, sent) = suspend(l, generator, &item);
    held.iter().for_each(|&owner| l.emit.b.count(Op::TakeRef, owner));
    l.emit.take_refs(&sent);
    let owners = l.emit.owners(&sent);
    l.emit.refs.temporaries.extend(owners);
    let forwards = data.args.get(1).is_some_and(|&from| parts_of(l.cx.types, l.typed.ty(from)).is_some());
    if !forwards {
        propagate(&mut l.emit, status);
    }
    let given = l.typed.ty(data.results[0]);
    l.define(data.results[0], if given == Type::NONE { Operand::new(Type::NONE, []) } else { sent });
    if let Some(&asked) = data.results.get(1) {
        let status = if forwards { status } else { l.emit.b.iconst(Native::I64, 0) };
        l.define(asked, Operand::single(Type::INT64, status));
    }
    Ok(())
}

/// Leaves the generator with an item. When it continues: the status to fail with, and what is sent.
fn suspend(l: &mut Lowering<'_>, generator: Type, item: &Operand) -> (Value, Operand) {
    let sent = sent_value(l.cx.types, sent_to(l.cx.types, generator));
    let natives = [Native::I64].into_iter().chain(machine_types(l.cx.types, sent));
    let results: Vec<ValueType> = natives.map(ValueType::Native).collect();
    l.emit.give_refs(item);
    let made = l.emit.b.inst(Op::Suspend, [], &item.parts, &results);
    let results = &l.emit.b.func.insts[made].results;
    (results[0], Operand::new(sent, results[1..].iter().copied()))
}

/// What continues in a generator that another one goes through with `yield from`.
pub(crate) struct Delegated {
    generator: Operand,
    /// What is sent.
    sent: Operand,
    /// The status to fail with.
    status: Value,
}

/// How an instruction advances an iterator if it is a generator that gets what is sent.
pub(crate) fn delegated(l: &Lowering<'_>, next: Inst) -> Result<Option<Delegated>> {
    let &[generator, sent, status] = &l.typed.insts[next].args[..] else { return Ok(None) };
    if parts_of(l.cx.types, l.typed.ty(generator)).is_none() {
        return Ok(None);
    }
    let (generator, sent, status) = (l.operand(generator)?, l.operand(sent)?, l.operand(status)?.value());
    Ok(Some(Delegated { generator, sent, status }))
}

impl Delegated {
    /// The next item.
    pub fn emit(&self, emit: &mut Emit<'_>) -> Result<Operand> {
        if self.sent.ty != Type::NONE {
            emit.put_sent(&self.generator, &self.sent)?;
        }
        let (item, has_item) = emit.resume_with(&self.generator, self.status)?;
        // One that is closed and returns closes the generator around it all the same.
        let zero = emit.b.iconst(Native::I64, 0);
        let is_asked = emit.b.icmp(IntCond::Ne, self.status, zero);
        let never = emit.b.bool(false);
        let has_ended = emit.b.icmp(IntCond::Eq, has_item, never);
        let both = emit.b.like_first(Op::Iand, &[is_asked, has_ended]);
        let (rare, closes, go_on) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
        emit.b.func.blocks[rare].cold = true;
        emit.b.branch(both, BlockCall::new(rare, []), BlockCall::new(go_on, []));
        emit.b.switch_to(rare);
        let site = emit.b.convert(Op::Bitcast, self.status, Native::Ptr);
        let class = emit.b.load(Native::I32, site, 0);
        let exit = emit.b.iconst(Native::I32, ExceptionClass::GeneratorExit as i64);
        let is_exit = emit.b.icmp(IntCond::Eq, class, exit);
        emit.b.branch(is_exit, BlockCall::new(closes, []), BlockCall::new(go_on, []));
        emit.b.switch_to(closes);
        emit.fail(self.status);
        emit.b.switch_to(go_on);
        emit.exit_iteration_unless(has_item)?;
        Ok(item)
    }
}

/// `g.throw(e)`: the exception as if it had been raised and caught here, with which the generator fails.
pub(crate) fn lower_throw(l: &mut Lowering<'_>, inst: Inst, generator: &Operand) -> Result<()> {
    let data = &l.typed.insts[inst];
    let frame = l.emit.frame_of(generator.value());
    let state = l.emit.b.load(Native::I64, frame, STATE);
    let running = l.emit.b.iconst(Native::I64, RUNNING);
    let is_running = l.emit.b.icmp(IntCond::Eq, state, running);
    l.emit.raise_if(is_running, ExceptionClass::ValueError, "generator already executing");
    let exception = crate::raise::exception(l, inst, data.args[1])?;
    let status = l.emit.call_runtime(Runtime::CaughtStatus, &[exception])[0];
    let (item, has_item) = l.emit.resume_with(generator, status)?;
    let (ended, go_on) = (l.emit.b.new_block(), l.emit.b.new_block());
    l.emit.b.branch(has_item, BlockCall::new(go_on, []), BlockCall::new(ended, []));
    l.emit.b.switch_to(ended);
    l.emit.raise_stop(generator)?;
    l.emit.b.switch_to(go_on);
    l.define(data.results[0], item);
    Ok(())
}

/// What a generator returned that a `yield from` went through; None of any other iterator.
pub(crate) fn lower_generator_result(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let iterator = l.operand(data.args[0])?;
    let result = match parts_of(l.cx.types, iterator.ty) {
        Some(_) => l.emit.result_of_generator(&iterator)?,
        None => Operand::new(Type::NONE, []),
    };
    l.define(data.results[0], result);
    Ok(())
}

fn generator_parts(types: &TypeTable, generator: Type) -> Result<(Type, Type)> {
    let parts = parts_of(types, generator);
    parts.ok_or_else(|| Diagnostic::internal("lowering", "the code of a generator that gives something else"))
}

/// What goes with the code of a generator.
pub struct GeneratorEntries<'a> {
    /// Its Typed form.
    pub typed: &'a Function,
    /// Types of its parameters.
    pub params: &'a [Type],
    /// Type of what a call gives.
    pub generator: Type,
    /// Symbol of the code that continues where it stopped.
    pub resume: &'a str,
    /// Symbols of the functions of [`Self::resume_words`] and [`Self::give_up`].
    pub symbols: [&'a str; 2],
    /// Bytes of the frame.
    pub size: i64,
    /// Whether the code has nothing to give up wherever it stops.
    pub holds_nothing: bool,
    /// The session's types.
    pub types: &'a TypeTable,
}

impl GeneratorEntries<'_> {
    fn start(&self) -> Function {
        let typed = self.typed;
        Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit)
    }

    fn emit<'f>(&'f self, func: &'f mut Function, catalog: &'f Catalog) -> Emit<'f> {
        let block = func.entry;
        let mut emit = Emit::new(func, block, self.types, catalog, Semantics::default());
        emit.b.span = Span::line(self.typed.first_line);
        emit
    }

    fn layout(&self) -> FrameLayout {
        FrameLayout::of(self.types, self.params, self.generator)
    }

    /// What a call does: a frame that holds the arguments.
    pub fn create(&self) -> Result<Function> {
        let natives: Vec<Native> =
            self.params.iter().flat_map(|&param| machine_types(self.types, param)).collect();
        let mut func = self.start();
        func.results = vec![Native::I64];
        func.gives = References::from(1);
        func.can_fail = true;
        let catalog = Catalog::default();
        let mut emit = self.emit(&mut func, &catalog);
        let values = arguments(&mut emit, &natives);
        let size = emit.b.iconst(Native::I64, self.size);
        let give_up = emit.b.address_of(self.symbols[1]);
        let block = emit.call_runtime(Runtime::AllocateFrame, &[size, give_up])[0];
        let zero = emit.b.iconst(Native::I64, 0);
        let is_none = emit.b.icmp(IntCond::Eq, block, zero);
        emit.raise_if(is_none, ExceptionClass::MemoryError, "no memory for a generator");
        let frame = emit.frame_of(block);
        for (symbol, offset) in [(self.resume, RESUME), (self.symbols[0], RESUME_WORDS)] {
            let address = emit.b.address_of(symbol);
            emit.b.store(frame, offset, address);
        }
        emit.refs.temporaries.push(block);
        let layout = self.layout();
        let (mut values, mut offsets) = (values.into_iter(), layout.args.into_iter());
        for &param in self.params {
            let count = machine_types(self.types, param).len();
            let value = Operand::new(param, values.by_ref().take(count).collect::<Vec<_>>());
            let held = emit.hand_over(&value);
            for (&part, offset) in held.parts.iter().zip(offsets.by_ref()) {
                emit.b.store(frame, offset, part);
            }
            emit.give_refs(&held);
        }
        emit.b.terminate(Op::Return, &[block]);
        Ok(func)
    }

    /// How Python resumes the code: [`abi::frame::RESUME_WORDS`].
    pub fn resume_words(&self) -> Result<Function> {
        let (item, result) = generator_parts(self.types, self.generator)?;
        let mut func = self.start();
        func.is_rare = true;
        func.results = vec![Native::I64];
        let catalog = Catalog::default();
        let mut emit = self.emit(&mut func, &catalog);
        let args = arguments(&mut emit, &[Native::Ptr, Native::I64, Native::Ptr]);
        let (frame, out) = (args[0], args[2]);
        let mut made = self.call(&mut emit, item, &args[..2]);
        let status = made.remove(0);
        let (failed, go_on) = (emit.b.new_block(), emit.b.new_block());
        let zero = emit.b.iconst(Native::I64, 0);
        let has_failed = emit.b.icmp(IntCond::Ne, status, zero);
        emit.b.branch(has_failed, BlockCall::new(failed, []), BlockCall::new(go_on, []));
        let has_item = made.remove(0);
        let item = Operand::new(item, made);
        emit.b.switch_to(failed);
        emit.holds_nothing(&item);
        emit.b.terminate(Op::Return, &[status]);
        emit.b.switch_to(go_on);
        let (given, ended) = (emit.b.new_block(), emit.b.new_block());
        emit.b.branch(has_item, BlockCall::new(given, []), BlockCall::new(ended, []));
        emit.b.switch_to(given);
        emit.give_refs(&item);
        write_words(&mut emit, out, 1, &item.parts);
        emit.b.terminate(Op::Return, &[zero]);
        emit.b.switch_to(ended);
        emit.holds_nothing(&item);
        self.tell_result(&mut emit, frame, out, result)?;
        emit.b.terminate(Op::Return, &[zero]);
        Ok(func)
    }

    /// What was returned is reported once; the frame holds it until then.
    fn tell_result(&self, emit: &mut Emit<'_>, frame: Value, out: Value, result: Type) -> Result<()> {
        let nothing = emit.b.iconst(Native::I64, 0);
        emit.b.store(out, 0, nothing);
        let state = emit.b.load(Native::I64, frame, STATE);
        let returned = emit.b.iconst(Native::I64, RETURNED);
        let is_news = emit.b.icmp(IntCond::Eq, state, returned);
        emit.when(is_news, |emit| {
            let mut parts = Vec::new();
            for (native, &offset) in machine_types(self.types, result).into_iter().zip(&self.layout().result)
            {
                parts.push(emit.b.load(native, frame, offset));
                let zero = emit.zero(native);
                emit.b.store(frame, offset, zero);
            }
            let done = emit.b.iconst(Native::I64, DONE);
            emit.b.store(frame, STATE, done);
            write_words(emit, out, 2, &parts);
            Ok(())
        })
    }

    /// What is called with a frame that nobody holds any more.
    pub fn give_up(&self) -> Result<Function> {
        let (item, result) = generator_parts(self.types, self.generator)?;
        let mut func = self.start();
        func.is_rare = true;
        let catalog = Catalog::default();
        let mut emit = self.emit(&mut func, &catalog);
        let frame = arguments(&mut emit, &[Native::Ptr, Native::I64, Native::Ptr])[0];
        if !self.holds_nothing {
            self.end(&mut emit, frame, item)?;
        }
        let layout = self.layout();
        let mut offsets = layout.result.into_iter().chain(layout.args);
        for &ty in [result].iter().chain(self.params) {
            let natives = machine_types(self.types, ty);
            let parts: Vec<Value> = natives
                .into_iter()
                .zip(offsets.by_ref())
                .map(|(native, offset)| emit.b.load(native, frame, offset))
                .collect();
            for owner in emit.owners(&Operand::new(ty, parts)) {
                emit.b.count(Op::TakeRef, owner);
                emit.release(owner);
            }
        }
        emit.b.terminate(Op::Return, &[]);
        Ok(func)
    }

    /// Code that has stopped fails at its place.
    fn end(&self, emit: &mut Emit<'_>, frame: Value, item: Type) -> Result<()> {
        let state = emit.b.load(Native::I64, frame, STATE);
        let zero = emit.b.iconst(Native::I64, 0);
        let has_stopped = emit.b.icmp(IntCond::Sgt, state, zero);
        emit.when(has_stopped, |emit| {
            // It may be given up because of an exception that is on its way.
            emit.call_runtime(Runtime::StashException, &[]);
            let site = self.site(ExceptionClass::GeneratorExit);
            let site = emit.b.func.sites.push(site);
            let exit = emit.b.site_status(site);
            let mut made = self.call(emit, item, &[frame, exit]);
            let status = made.remove(0);
            made.remove(0);
            let item = Operand::new(item, made);
            let (failed, join) = (emit.b.new_block(), emit.b.new_block());
            let goes_on = emit.b.new_block();
            let zero = emit.b.iconst(Native::I64, 0);
            let has_failed = emit.b.icmp(IntCond::Ne, status, zero);
            emit.b.branch(has_failed, BlockCall::new(failed, []), BlockCall::new(goes_on, []));
            emit.b.switch_to(failed);
            emit.holds_nothing(&item);
            // Nobody asks for the exception.
            let caught = emit.catch(status);
            emit.release_results(caught.value());
            emit.b.jump(join, &[]);
            // One that yields all the same; without an item the words are 0.
            emit.b.switch_to(goes_on);
            emit.owners(&item).into_iter().for_each(|owner| emit.release(owner));
            emit.b.jump(join, &[]);
            emit.b.switch_to(join);
            emit.call_runtime(Runtime::UnstashException, &[]);
            Ok(())
        })
    }

    /// Resumes the code: the status, whether there is an item, its parts.
    fn call(&self, emit: &mut Emit<'_>, item: Type, args: &[Value]) -> Vec<Value> {
        let signature = resume_signature(self.types, item);
        let external = External { name: self.resume.to_owned(), ..signature };
        emit.b.call_external(external, args).into_iter().collect()
    }

    fn site(&self, class: ExceptionClass) -> SiteData {
        let span = Span::line(self.typed.first_line);
        SiteData { class, user_class: None, message: None, payload: false, span, origin: None }
    }
}

/// Writes what there is, and parts as words after it.
fn write_words(emit: &mut Emit<'_>, out: Value, what: i64, parts: &[Value]) {
    let what = emit.b.iconst(Native::I64, what);
    emit.b.store(out, 0, what);
    for (index, &part) in parts.iter().enumerate() {
        let word = match emit.b.func.native(part) {
            Native::I64 => part,
            Native::F64 | Native::Ptr => emit.b.convert(Op::Bitcast, part, Native::I64),
            Native::F32 => {
                let bits = emit.b.convert(Op::Bitcast, part, Native::I32);
                emit.b.convert(Op::Zext, bits, Native::I64)
            }
            _ => emit.b.convert(Op::Zext, part, Native::I64),
        };
        emit.b.store(out, 8 * (index as i64 + 1), word);
    }
}
