//! Functions with `yield`: what a call creates, and the code that the frame points to.
//!
//! A call makes a frame with the arguments in it. The code itself ([`generator_body`]) is split behind lowering
//! (`opt::split`), after which the size of the frame is known. [`GeneratorEntries`] are the other functions: the one that
//! calls are of, the one through which Python resumes the code, and the one that gives up a frame which nobody holds any more.

use crate::entry_points::arguments;
use crate::{Context, Lowering, lower_code};
use abi::frame::{RESUME, RESUME_WORDS, STATE};
use abi::{ExceptionClass, Runtime};
use catalog::generator::{FrameLayout, parts_of, resume_signature};
use catalog::{Catalog, Emit, Operand, Semantics, cast, machine_types, propagate, references};
use diag::{Diagnostic, Result, Span};
use ir::{Attr, BlockCall, External, Function, Inst, IntCond, Native, Op, Phase, SiteData, Value};
use types::{Type, TypeTable};

/// The code of a generator, not split yet; `generator` is the type of what a call gives.
pub fn generator_body(
    typed: &Function,
    params: &[Type],
    generator: Type,
    context: Context<'_>,
) -> Result<Function> {
    let (item, result) = generator_parts(context.types, generator)?;
    let mut func = lower_code(typed, params, (result, item), context)?;
    func.can_fail = true;
    Ok(func)
}

/// `yield`: the item goes to whoever resumed the generator, with references of its own.
pub(crate) fn lower_yield(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let value = l.operand(data.args[0])?;
    let item = cast(&mut l.emit, &value, l.item)?;
    for owner in l.emit.owners(&item) {
        let fresh = &mut l.emit.held.fresh;
        match fresh.iter().position(|&made| made == owner) {
            Some(at) => drop(fresh.remove(at)),
            None => l.emit.retain(owner),
        }
    }
    // What the code holds meanwhile lies in the frame.
    let held = l.counted_at(inst);
    held.iter().for_each(|&owner| l.emit.b.count(Op::GiveRef, owner));
    let gives = Attr::Int(references(l.cx.types, item.ty).cast_signed());
    let status = l.emit.b.native(Op::Suspend, [gives], &item.parts, Native::I64);
    held.iter().for_each(|&owner| l.emit.b.count(Op::TakeRef, owner));
    propagate(&mut l.emit, status);
    l.define(data.results[0], Operand::new(Type::NONE, []));
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
    /// Symbol of the code that goes on where it stopped.
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

    fn layout(&self, result: Type) -> FrameLayout {
        FrameLayout::of(self.types, self.params, result)
    }

    /// What a call does: a frame that holds the arguments.
    pub fn create(&self) -> Result<Function> {
        let (_, result) = generator_parts(self.types, self.generator)?;
        let natives: Vec<Native> =
            self.params.iter().flat_map(|&param| machine_types(self.types, param)).collect();
        let mut func = self.start();
        func.results = vec![Native::I64];
        func.gives = 1;
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
        emit.held.fresh.push(block);
        let layout = self.layout(result);
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
        // What was returned is told once; the frame holds it until then.
        let layout = self.layout(result);
        let mut parts = Vec::new();
        for (native, &offset) in machine_types(self.types, result).into_iter().zip(&layout.result) {
            parts.push(emit.b.load(native, frame, offset));
            let zero = emit.zero(native);
            emit.b.store(frame, offset, zero);
        }
        write_words(&mut emit, out, 0, &parts);
        emit.b.terminate(Op::Return, &[zero]);
        Ok(func)
    }

    /// What is called with a frame that nobody holds any more.
    pub fn give_up(&self) -> Result<Function> {
        let (item, result) = generator_parts(self.types, self.generator)?;
        let mut func = self.start();
        let catalog = Catalog::default();
        let mut emit = self.emit(&mut func, &catalog);
        let frame = arguments(&mut emit, &[Native::Ptr, Native::I64, Native::Ptr])[0];
        if !self.holds_nothing {
            self.end(&mut emit, frame, item)?;
        }
        let layout = self.layout(result);
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
            emit.release_made(caught.value());
            emit.b.jump(join, &[]);
            // One that yields all the same; without an item the words are 0.
            emit.b.switch_to(goes_on);
            emit.owners(&item).into_iter().for_each(|owner| emit.release(owner));
            emit.b.jump(join, &[]);
            emit.b.switch_to(join);
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

/// Writes a truth value, and parts as words behind it.
fn write_words(emit: &mut Emit<'_>, out: Value, truth: i64, parts: &[Value]) {
    let truth = emit.b.iconst(Native::I64, truth);
    emit.b.store(out, 0, truth);
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
