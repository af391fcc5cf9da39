//! Lowering: turns a Typed function into an Explicit one.
//!
//! Every value becomes its parts (`catalog::machine_types`), every op the machine operations of the
//! catalog's rule for its operand types; conversions, checks and raises become explicit.
//!
//! Absent: what an op means for given types (`catalog`, `builtins`), LLVM.

mod array_comprehensions;
mod borrowed_values;
mod calls;
mod closures;
mod constants;
mod containers;
mod entry_points;
mod exceptions;
mod generators;
mod hash_lookup_reuse;
mod insert_polls;
mod insert_refcounts;
mod iterator_escape;
mod loop_head;
mod numpy_scalars;
mod objects;
mod ops;
mod ownership;
mod parallel;
mod raise;
mod remainder_zero_test;
mod unpack;
mod variable_layout;
mod variables;
mod verify;

pub use entry_points::{EntryOf, c_entry, entry, value_entry};
pub use generators::{GeneratorEntries, generator_body};
pub use insert_polls::insert_polls;
pub use numpy_scalars::numpy_scalars;
pub use parallel::{
    ParallelBody, ParallelLoops, SerialLoop, body_handle, chunk_entry, chunk_symbol, form_parallel_loops,
    is_body,
};
pub use verify::{VerifyContext, verify};

use abi::{ExceptionClass, Runtime};
use catalog::{
    Callee, Callees, Catalog, ChunkFunctions, Emit, Operand, Resolutions, Semantics, machine_types,
    references,
};
use diag::{Diagnostic, Result, Span};
use entity::{EntitySet, SideTable};
use ir::{Attr, Block, BlockCall, Function, Inst, IntCond, Native, Op, Phase, Value, ValueType};
use smallvec::SmallVec;
use types::{Handle, Type, TypeTable};

/// What lowering works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session's types.
    pub types: &'a TypeTable,
    /// What the compiler knows of.
    pub catalog: &'a Catalog,
    /// What the catalog said in inference that instructions mean.
    pub resolved: &'a Resolutions,
    /// What the user chose of what operations do.
    pub semantics: Semantics,
    /// Other compiled functions that are called (and itself), by handle and argument types.
    pub callee: &'a dyn Fn(Handle, &[Type]) -> Option<Callee>,
    /// Calls that become the callee's body, whatever its size.
    pub inlined: &'a EntitySet<Inst>,
    /// Whether the function may call itself, also through others: it takes where the limit of the stack is.
    pub in_cycle: bool,
    /// Whether it looks at that limit.
    pub checks_stack: bool,
    /// What cells hold, by their number in the group.
    pub cells: &'a [Type],
    /// Where functions go that run items of arrays on threads, if that is wanted.
    pub chunks: Option<ChunkFunctions<'a>>,
    /// Whether what rules give is compared with what they said that they give.
    pub verifies: bool,
}

/// Lowers a Typed function with a result of type `result`.
pub fn lower(typed: &Function, params: &[Type], result: Type, context: Context<'_>) -> Result<Function> {
    lower_code(typed, params, (result, None), context)
}

/// The same with the type of the generator whose code it is.
fn lower_code(
    typed: &Function,
    params: &[Type],
    (result, generator): (Type, Option<Type>),
    context: Context<'_>,
) -> Result<Function> {
    let mut func = Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit);
    func.results = machine_types(context.types, result).to_vec();
    func.gives = references(context.types, result);
    func.can_fail = context.in_cycle;
    let entry = func.entry;
    let callees = Callees { find: context.callee, cells: context.cells, chunks: context.chunks };
    let mut emit = Emit::new(&mut func, entry, context.types, context.catalog, context.semantics);
    emit.callees = Some(&callees);
    let states = iterator_escape::IteratorStates::compute(typed, context.types);
    let mut lowering = Lowering {
        typed,
        cx: context,
        emit,
        params,
        result,
        generator,
        values: SideTable::new(),
        blocks: SideTable::new(),
        zero_tested: remainder_zero_test::zero_tested(typed, context.types),
        ownership: ownership::Ownership::compute(typed, context.types, context.catalog, &states),
        outliving: states.outliving,
        owned: SideTable::new(),
        handler: None,
        handlers: SideTable::new(),
        variables: context.semantics.debug.then(|| variables::Variables::of(typed, context.types)),
    };
    lowering.run()?;
    Ok(func)
}

pub(crate) struct Lowering<'a> {
    pub typed: &'a Function,
    pub cx: Context<'a>,
    pub emit: Emit<'a>,
    params: &'a [Type],
    pub result: Type,
    /// The type of the generator whose code it is.
    pub generator: Option<Type>,
    /// The parts of each Typed value, once lowered.
    values: SideTable<Value, Option<Operand>>,
    /// The Explicit block where each Typed block begins.
    blocks: SideTable<Block, Option<Block>>,
    /// Remainders of which nothing but being zero matters.
    pub zero_tested: SideTable<Value, bool>,
    /// Where values that keep memory alive are used last.
    ownership: ownership::Ownership,
    /// Instructions whose iterators may outlive the frame's slots.
    outliving: EntitySet<Inst>,
    /// The owners that are counted for each value.
    owned: SideTable<Value, SmallVec<[Value; 1]>>,
    /// Who handles exceptions of the current block.
    handler: Option<BlockCall>,
    /// Blocks that handle exceptions, with the status that they get.
    handlers: SideTable<Block, Option<Value>>,
    /// What a debugger sees, if it is to see anything.
    variables: Option<variables::Variables>,
}

impl Lowering<'_> {
    fn run(&mut self) -> Result<()> {
        self.arguments()?;
        let cfg = flow::Cfg::compute(self.typed);
        let order = cfg.reverse_postorder();
        let mut searches = hash_lookup_reuse::Searches::new();
        for &block in order {
            self.make_block(block);
        }
        self.make_handlers()?;
        let first = self.block(self.typed.entry)?;
        if self.cx.checks_stack {
            self.check_stack(first);
        } else {
            self.emit.b.jump(first, &[]);
        }
        for &block in order {
            let start = self.block(block)?;
            self.emit.b.switch_to(start);
            self.enter_handler(block);
            self.take_over(block)?;
            self.protect(block)?;
            self.show_params(block)?;
            self.emit.searched = searches[block].take();
            self.block_body(&self.typed.blocks[block].insts)?;
            hash_lookup_reuse::carry_over(self, &cfg, block, &mut searches);
        }
        Ok(())
    }

    fn block_body(&mut self, insts: &[Inst]) -> Result<()> {
        for (at, &inst) in insts.iter().enumerate() {
            self.emit.b.span = self.typed.insts[inst].span;
            self.hold(inst)?;
            hash_lookup_reuse::before(self, inst);
            if let [branch] = insts[at + 1..]
                && loop_head::is_loop_head(self.typed, inst, branch)
            {
                return ops::lower_loop_head(self, inst, branch);
            }
            self.emit.outlives_frame = self.outliving.contains(inst);
            ops::lower(self, inst)?;
            if self.cx.verifies {
                self.check_results(inst)?;
            }
            if !self.typed.insts[inst].op.is_terminator() {
                self.insert_after(inst)?;
                self.show_results(inst)?;
            }
        }
        Ok(())
    }

    /// The entry block: one `arg` per machine word of the parameters.
    fn arguments(&mut self) -> Result<()> {
        let mut operands = Vec::new();
        let mut index = 0;
        for (number, &ty) in self.params.iter().enumerate() {
            let name = self.typed.params.get(number).map(|&symbol| self.typed.symbols.get(symbol).as_str());
            let natives = machine_types(self.cx.types, ty);
            let many = natives.len() > 1;
            let mut operand = Operand::new(self.cx.types.within_function(ty), []);
            for (part, native) in natives.into_iter().enumerate() {
                let base = name.unwrap_or("arg");
                let symbol = if many { format!("{base}.{part}") } else { base.to_owned() };
                let symbol = self.emit.b.symbol(&symbol);
                self.emit.b.func.params.push(symbol);
                let attrs = [Attr::Int(index), Attr::Symbol(symbol)];
                operand.parts.push(self.emit.b.native(Op::Arg, attrs, &[], native));
                index += 1;
            }
            // A value that the type promises is a number of the program.
            operands.push(constants::literal(self, operand.ty).unwrap_or(operand));
        }
        if self.cx.in_cycle {
            let symbol = self.emit.b.symbol("stack word");
            self.emit.b.func.params.push(symbol);
            let attrs = [Attr::Int(index), Attr::Symbol(symbol)];
            self.emit.stack_word = Some(self.emit.b.native(Op::Arg, attrs, &[], Native::Ptr));
        }
        for &block in &self.typed.layout {
            for &inst in &self.typed.blocks[block].insts {
                let data = &self.typed.insts[inst];
                if let (Op::Arg, Some(&Attr::Int(number))) = (data.op, data.attrs.first()) {
                    self.values[data.results[0]] = operands.get(number as usize).cloned();
                }
            }
        }
        self.show_arguments(&operands)
    }

    /// RecursionError if the frame is below the limit, which is at the address that the caller passed. If signals are to be looked
    /// for, every frame is below what lies there.
    fn check_stack(&mut self, first: Block) {
        let word = self
            .emit
            .stack_word
            .expect("the parameters of a function in a cycle end with where the limit is");
        let [checked, below] = [(); 2].map(|()| self.emit.b.new_block());
        self.emit.b.jump(checked, &[]);
        let frame = self.emit.frame_slot(1);
        self.emit.b.switch_to(checked);
        self.emit.b.span = Span::line(self.typed.first_line);
        let attrs = [Attr::Native(Native::Ptr), Attr::Int(0)];
        let limit = self.emit.b.native(Op::LoadVolatile, attrs, &[word], Native::Ptr);
        let is_below = self.emit.b.icmp(IntCond::Ult, frame, limit);
        self.emit.b.branch(is_below, BlockCall::new(below, []), BlockCall::new(first, []));
        self.emit.b.func.blocks[below].cold = true;
        self.emit.b.switch_to(below);
        let exhausted = self.emit.call_runtime(Runtime::StackExhausted, &[frame])[0];
        self.emit.raise_if(exhausted, ExceptionClass::RecursionError, "maximum recursion depth exceeded");
        self.emit.poll_now();
        self.emit.b.jump(first, &[]);
    }

    fn make_block(&mut self, block: Block) {
        let new = self.emit.b.func.add_block(self.typed.blocks[block].label);
        self.blocks[block] = Some(new);
        for &param in &self.typed.blocks[block].params {
            let ty = self.typed.ty(param);
            let parts = machine_types(self.cx.types, ty)
                .into_iter()
                .map(|native| self.emit.b.func.add_param(new, ValueType::Native(native)));
            let operand = Operand::new(ty, parts.collect::<Vec<_>>());
            self.name(param, &operand);
            self.values[param] = Some(operand);
        }
    }

    /// Where a Typed block begins.
    pub fn block(&self, block: Block) -> Result<Block> {
        self.blocks[block]
            .ok_or_else(|| Diagnostic::internal("lowering", format!("{block} is not reachable")))
    }

    /// Each result has its type and the parts of that.
    fn check_results(&self, inst: Inst) -> Result<()> {
        let data = &self.typed.insts[inst];
        for &result in &data.results {
            let operand = self.operand(result)?;
            let ty = self.typed.ty(result);
            let known = self.cx.types.literal(ty).is_some() && self.cx.types.unliteral(ty) == operand.ty;
            if operand.ty != ty && !known && !self.zero_tested[result] {
                let (have, name) = (self.cx.types.name(operand.ty), data.op.info().name);
                let message = format!(
                    "`{name}` at {} of `{}` gives {have}, not {}",
                    data.span,
                    self.typed.name,
                    self.cx.types.name(ty)
                );
                return Err(Diagnostic::internal("the verifier of emission", message));
            }
            self.emit.check_parts(&operand)?;
        }
        Ok(())
    }

    /// The parts of a Typed value.
    pub fn operand(&self, value: Value) -> Result<Operand> {
        let operand = self.values[value].clone();
        operand
            .ok_or_else(|| Diagnostic::internal("lowering", format!("{value} is used before it is lowered")))
    }

    /// Notes the parts of a Typed value.
    pub fn define(&mut self, value: Value, operand: Operand) {
        self.name(value, &operand);
        self.values[value] = Some(operand);
    }

    /// The only part of a variable keeps the variable's name.
    fn name(&mut self, value: Value, operand: &Operand) {
        if let ([part], Some(name)) = (&operand.parts[..], self.typed.value_name(value))
            && self.emit.b.func.values[*part].name.is_none()
        {
            let symbol = self.emit.b.symbol(name);
            self.emit.b.func.set_name(*part, symbol, self.typed.values[value].version);
        }
    }
}
