//! The environment of emission functions: a builder of the Explicit phase, operands, and ways to raise.

use crate::callees::Callees;
use crate::protection::Protection;
use crate::{Catalog, Key, machine_types};
use abi::ExceptionClass;
use abi::Runtime;
use diag::{Diagnostic, Result};
use ir::{Block, BlockCall, Builder, Function, IntCond, Native, Op, SiteData, Value, ValueType};
use smallvec::SmallVec;
use types::{Type, TypeTable};

/// A typed value as its machine values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// Its parts, as [`machine_types`] lists them.
    pub parts: SmallVec<[Value; 2]>,
}

impl Operand {
    /// A value of one part.
    pub fn single(ty: Type, value: Value) -> Self {
        Operand { ty, parts: [value].into_iter().collect() }
    }

    /// A value of these parts.
    pub fn new(ty: Type, parts: impl IntoIterator<Item = Value>) -> Self {
        Operand { ty, parts: parts.into_iter().collect() }
    }

    /// The same parts as a value of another type.
    pub fn as_type(&self, ty: Type) -> Self {
        Operand { ty, parts: self.parts.clone() }
    }

    /// The only (or first) part.
    ///
    /// # Panics
    /// If the type has no parts.
    pub fn value(&self) -> Value {
        self.parts[0]
    }
}

/// What division by zero and similar operations do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ErrorModel {
    /// They raise, as in Python.
    #[default]
    Python,
    /// They give infinity, NaN or 0, as in NumPy.
    Numpy,
}

/// The semantics that the user selected for operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Semantics {
    /// What division by zero does.
    pub error_model: ErrorModel,
    /// Whether array indices are checked.
    pub boundscheck: bool,
    /// Whether `np.array` of a comprehension fills the array without a list.
    pub fills_arrays: bool,
    /// Whether loops over `prange` run on several threads.
    pub parallel: bool,
    /// Whether loops over array elements run on several threads.
    pub parallel_arrays: bool,
    /// Whether stencils run on several threads.
    pub parallel_stencils: bool,
    /// Whether assignments to parts of an array run on several threads, if `parallel_arrays` is on.
    pub parallel_setitem: bool,
    /// Whether in-place operations on arrays run on several threads, if `parallel_arrays` is on.
    pub parallel_inplace: bool,
    /// Whether array operations are fused.
    pub fuses: bool,
    /// Whether loops and recursive functions run Python's signal handlers.
    pub interrupts: bool,
    /// Whether the function is always inlined: it is parallel where its callers are.
    pub inlined: bool,
    /// Whether debuggers see lines and variables of the function.
    pub debug: bool,
    /// Whether what has no meaning for the types of its operands is done with Python objects.
    pub objects: bool,
    /// Whether operations on numbers of NumPy have NumPy 2's rules of promotion.
    pub numpy_promotion: bool,
    /// The fast-math flags that the user selected for the function itself, with LLVM's bits.
    pub fastmath: Option<u32>,
}

impl Semantics {
    /// The semantics of a callee of a function with these semantics; `callee` is what the user selected for it.
    pub fn of_callee(&self, callee: Semantics) -> Semantics {
        let shared = callee.inlined;
        Semantics {
            parallel: callee.parallel || shared && self.parallel,
            parallel_arrays: callee.parallel_arrays || shared && self.parallel_arrays,
            parallel_stencils: callee.parallel_stencils || shared && self.parallel_stencils,
            parallel_setitem: callee.parallel_setitem && (!shared || self.parallel_setitem),
            parallel_inplace: callee.parallel_inplace && (!shared || self.parallel_inplace),
            debug: callee.debug || self.debug,
            ..callee
        }
    }
}

impl Default for Semantics {
    fn default() -> Self {
        Semantics {
            error_model: ErrorModel::Python,
            boundscheck: true,
            fills_arrays: true,
            parallel: false,
            parallel_arrays: false,
            parallel_stencils: false,
            parallel_setitem: true,
            parallel_inplace: true,
            fuses: true,
            interrupts: true,
            inlined: false,
            debug: false,
            objects: false,
            numpy_promotion: false,
            fastmath: None,
        }
    }
}

/// Emits machine operations into a function of the Explicit phase.
pub struct Emit<'a> {
    /// The builder of instructions.
    pub b: Builder<'a>,
    /// The session's types.
    pub types: &'a TypeTable,
    /// The catalog of operations.
    pub catalog: &'a Catalog,
    /// What division by zero does.
    pub error_model: ErrorModel,
    /// Whether array indices are checked.
    pub boundscheck: bool,
    /// Whether loops run Python's signal handlers.
    pub interrupts: bool,
    /// The functions that the function may call.
    pub callees: Option<&'a Callees<'a>>,
    /// The address of the stack limit, for functions in a cycle of the call graph.
    pub stack_word: Option<Value>,
    /// Whether loops of the current instruction may run on several threads.
    pub on_threads: bool,
    /// While an iterator is advanced: where to go if it has ended, and how much was made before.
    ended: Option<(Block, usize)>,
    /// The references that the function owns at the current instruction.
    pub refs: RefScope,
    /// The handler of exceptions at the current instruction.
    pub protection: Option<Protection>,
    /// Whether a conversion to a finer datetime unit raises on overflow, as at joins; NumPy's arithmetic wraps around.
    pub exact_times: bool,
    /// Whether iterators created by the current instruction may still be in use when it runs again, or after the frame
    /// is gone.
    pub outlives_frame: bool,
    /// The hash lookup whose result is still valid after this instruction.
    pub searched: Option<Search>,
    /// The lookup that was valid before this instruction, which may modify tables.
    pub earlier_search: Option<Search>,
}

/// A hash lookup in a dict or set: `if k in d: d[k] += 1` needs only one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// The table's owner word.
    pub table: Value,
    /// The key's parts.
    pub key: SmallVec<[Value; 2]>,
    /// The key's hash.
    pub hash: Value,
    /// Number of the key's entry, -1 if there is none.
    pub number: Value,
}

/// The references that a function owns, and must release on every exit path.
#[derive(Clone, Default, Debug)]
pub struct RefScope {
    /// References of values that are live at this instruction.
    pub live: Vec<Value>,
    /// References created by this instruction so far.
    pub temporaries: Vec<Value>,
    /// Cells of the frame whose values have owners, with their types.
    pub cells: Vec<(Value, Type)>,
    /// Words of the frame with references that variables hold until the function ends, where a debugger reads them: addresses and offsets.
    pub shown: Vec<(Value, i64)>,
}

impl RefScope {
    /// Whether there is nothing to release.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty() && self.temporaries.is_empty() && self.cells.is_empty() && self.shown.is_empty()
    }
}

impl<'a> Emit<'a> {
    /// Emission at the end of `block`.
    pub fn new(
        func: &'a mut Function,
        block: Block,
        types: &'a TypeTable,
        catalog: &'a Catalog,
        semantics: Semantics,
    ) -> Self {
        let b = Builder::new(func, block);
        let Semantics { error_model, boundscheck, interrupts, .. } = semantics;
        Emit {
            b,
            types,
            catalog,
            error_model,
            boundscheck,
            interrupts,
            callees: None,
            stack_word: None,
            on_threads: true,
            ended: None,
            refs: RefScope::default(),
            protection: None,
            exact_times: false,
            outlives_frame: false,
            searched: None,
            earlier_search: None,
        }
    }

    /// Resolves `key` for these operands and emits its code.
    pub fn call(&mut self, key: &Key, args: &[Operand]) -> Result<Operand> {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let Some(resolution) = self.catalog.resolve(self.types, key, &types) else {
            let message = format!("{key:?} has no rule for ({})", self.types.names(&types));
            return Err(Diagnostic::internal("emission", message));
        };
        self.apply(&resolution, args)
    }

    /// The next item of an iterator; branches to the block `ended` if there is none.
    pub fn next_item(&mut self, iterator: &Operand, ended: Block) -> Result<Operand> {
        self.advance(ended, |emit| emit.call(&Key::Iternext, std::slice::from_ref(iterator)))
    }

    /// The same with custom code that produces the item.
    pub fn advance(
        &mut self,
        ended: Block,
        next: impl FnOnce(&mut Self) -> Result<Operand>,
    ) -> Result<Operand> {
        let outer = self.ended.replace((ended, self.refs.temporaries.len()));
        let item = next(self);
        self.ended = outer;
        item
    }

    /// In a rule of [`Key::Iternext`]: exits the iteration unless there is an item.
    ///
    /// What changes the iterator's state is emitted after this, so that an iterator that has
    /// ended stays as it is, and loops count with a plain addition.
    pub fn exit_iteration_unless(&mut self, valid: Value) -> Result<()> {
        let ended = self.ended.ok_or_else(|| Diagnostic::internal("emission", "iteration without an end"))?;
        let (ended, made_before) = ended;
        let go_on = self.b.new_block();
        let made = self.refs.temporaries[made_before.min(self.refs.temporaries.len())..].to_vec();
        if made.is_empty() {
            self.b.branch(valid, BlockCall::new(go_on, []), BlockCall::new(ended, []));
        } else {
            // Another iterator has given an item already, which nobody gets.
            let given_up = self.b.new_block();
            self.b.branch(valid, BlockCall::new(go_on, []), BlockCall::new(given_up, []));
            self.b.switch_to(given_up);
            made.into_iter().for_each(|owner| self.release(owner));
            self.b.jump(ended, &[]);
        }
        self.b.switch_to(go_on);
        Ok(())
    }

    /// Releases the temporaries created since there were `made_before`, except those that the kept value owns: for code
    /// that runs more than once within one instruction.
    pub fn release_temporaries(&mut self, made_before: usize, kept: &[Value]) {
        let made = self.refs.temporaries.split_off(made_before);
        for owner in made {
            match kept.contains(&owner) {
                true => self.refs.temporaries.push(owner),
                false => self.release(owner),
            }
        }
    }

    /// The next item of an iterator and whether there was one; the item is zeros if there was none.
    pub fn try_next_item(&mut self, iterator: &Operand) -> Result<(Operand, Value)> {
        self.try_advance(|emit| emit.call(&Key::Iternext, std::slice::from_ref(iterator)))
    }

    /// The same with custom code that produces the item.
    pub fn try_advance(
        &mut self,
        next: impl FnOnce(&mut Self) -> Result<Operand>,
    ) -> Result<(Operand, Value)> {
        let (ended, join) = (self.b.new_block(), self.b.new_block());
        let made_before = self.refs.temporaries.len();
        let item = self.advance(ended, next)?;
        let owners = self.owners(&item);
        self.release_temporaries(made_before, &owners);
        let made = self.refs.temporaries.split_off(made_before);
        let mut parts = item.parts.clone();
        parts.push(self.b.bool(true));
        self.b.jump(join, &parts);
        let natives: SmallVec<[Native; 2]> = parts.iter().map(|&part| self.b.func.native(part)).collect();
        self.b.switch_to(ended);
        let nothing: SmallVec<[Value; 2]> = natives.iter().map(|&native| self.zero(native)).collect();
        self.b.jump(join, &nothing);
        let mut params: SmallVec<[Value; 2]> =
            natives.iter().map(|&native| self.b.func.add_param(join, ValueType::Native(native))).collect();
        self.b.switch_to(join);
        let valid =
            params.pop().ok_or_else(|| Diagnostic::internal("emission", "a block without parameters"))?;
        let taken = made.iter().filter_map(|owner| item.parts.iter().position(|part| part == owner));
        self.refs.temporaries.extend(taken.map(|at| params[at]));
        Ok((Operand::new(item.ty, params), valid))
    }

    /// Emits `body` into a block that runs only if the condition holds.
    pub fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.emit_branch(condition, false, body)
    }

    /// The same for an unlikely condition.
    pub fn if_unlikely(
        &mut self,
        condition: Value,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.emit_branch(condition, true, body)
    }

    fn emit_branch(
        &mut self,
        condition: Value,
        cold: bool,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (rare, go_on) = (self.b.new_block(), self.b.new_block());
        self.b.func.blocks[rare].cold = cold;
        self.b.branch(condition, BlockCall::new(rare, []), BlockCall::new(go_on, []));
        self.b.switch_to(rare);
        body(self)?;
        self.b.jump(go_on, &[]);
        self.b.switch_to(go_on);
        Ok(())
    }

    /// `usual`, or the value of `rare` if the unlikely condition holds: a predicted branch costs nothing, while a
    /// select waits for both.
    pub fn select_unlikely(
        &mut self,
        usual: Value,
        condition: Value,
        rare: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let (unlikely, join) = (self.b.new_block(), self.b.new_block());
        self.b.func.blocks[unlikely].cold = true;
        self.b.branch(condition, BlockCall::new(unlikely, []), BlockCall::new(join, [usual]));
        self.b.switch_to(unlikely);
        let value = rare(self);
        self.b.jump(join, &[value]);
        let ty = self.b.func.values[usual].ty;
        let result = self.b.func.add_param(join, ty);
        self.b.switch_to(join);
        result
    }

    /// Calls a runtime function.
    pub fn call_runtime(&mut self, function: Runtime, args: &[Value]) -> SmallVec<[Value; 1]> {
        self.b.call_runtime(function, args)
    }

    /// Machine types of a value of this type.
    pub fn machine_types(&self, ty: Type) -> SmallVec<[Native; 2]> {
        machine_types(self.types, ty)
    }

    /// Allocates `size` bytes of the frame in the entry block and returns the address.
    pub fn frame_slot(&mut self, size: u32) -> Value {
        self.at_entry(|b| b.stack_slot(size))
    }

    /// Memory for the state of an iterator, and its owner, which is 0 for a slot of the frame.
    pub fn iterator_state(&mut self, size: u32) -> [Value; 2] {
        if !self.outlives_frame {
            return [self.frame_slot(size), self.b.iconst(Native::I64, 0)];
        }
        let bytes = self.b.iconst(Native::I64, size.into());
        let [owner, data] = self.new_block(bytes, false, "no memory for an iterator");
        [data, owner]
    }

    /// The owner of a new block of memory, which the instruction being emitted holds, and the address of its `size` bytes, which have any value or
    /// zero. MemoryError with this message if there is no memory.
    pub fn new_block(&mut self, size: Value, zeroed: bool, message: &str) -> [Value; 2] {
        let zeroed = self.b.iconst(Native::I64, zeroed.into());
        let block = self.b.alloc(size, zeroed);
        let owner = self.b.convert(Op::Bitcast, block, Native::I64);
        let null = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Eq, owner, null);
        self.raise_if(failed, ExceptionClass::MemoryError, message);
        self.refs.temporaries.push(owner);
        // The bytes lie after the block's head.
        let head = self.b.iconst(Native::I64, abi::ITEMS);
        [owner, self.b.native(Op::PtrAdd, [], &[block, head], Native::Ptr)]
    }

    /// Emits instructions into the entry block.
    pub fn at_entry<T>(&mut self, emit: impl FnOnce(&mut Builder<'a>) -> T) -> T {
        let entry = self.b.func.entry;
        let here = std::mem::replace(&mut self.b.block, entry);
        // The entry block is a list of arguments and slots and one jump: keep the jump last.
        let insts = &mut self.b.func.blocks[entry].insts;
        let jump = insts.pop_if(|&mut last| self.b.func.insts[last].op.is_terminator());
        let value = emit(&mut self.b);
        self.b.func.blocks[entry].insts.extend(jump);
        self.b.block = here;
        value
    }

    /// Raises an exception if `condition` holds.
    pub fn raise_if(&mut self, condition: Value, class: ExceptionClass, message: &str) {
        let (fail, go_on) = (self.b.new_block(), self.b.new_block());
        self.b.branch(condition, BlockCall::new(fail, []), BlockCall::new(go_on, []));
        self.b.switch_to(fail);
        self.raise(class, Some(message));
        self.b.switch_to(go_on);
    }

    /// Raises an exception. The block ends here.
    pub fn raise(&mut self, class: ExceptionClass, message: Option<&str>) {
        let message = message.map(str::to_owned);
        let span = self.b.span;
        self.raise_site(SiteData { class, user_class: None, message, payload: false, span, origin: None });
    }

    /// Raises an exception whose arguments are in the thread's buffer; `layout` describes them
    /// ([`abi::RaiseSite::PAYLOAD`]). The block ends here.
    pub fn raise_payload(&mut self, class: ExceptionClass, layout: &str, words: &[Value]) {
        let payload = self.call_runtime(Runtime::Payload, &[])[0];
        for (index, &word) in words.iter().enumerate() {
            self.b.store(payload, 8 * index as i64, word);
        }
        let (span, message) = (self.b.span, Some(layout.to_owned()));
        self.raise_site(SiteData { class, user_class: None, message, payload: true, span, origin: None });
    }

    /// The same if `condition` holds.
    pub fn raise_payload_if(
        &mut self,
        condition: Value,
        class: ExceptionClass,
        layout: &str,
        words: &[Value],
    ) {
        let (fail, go_on) = (self.b.new_block(), self.b.new_block());
        self.b.branch(condition, BlockCall::new(fail, []), BlockCall::new(go_on, []));
        self.b.switch_to(fail);
        self.raise_payload(class, layout, words);
        self.b.switch_to(go_on);
    }

    /// At the end of an iteration of a loop, where nothing is held but what the next iteration needs: lets Python's handlers of signals
    /// run, and leaves the function with the exception that one raised. `opt::place_polls` says which loops do so how often.
    pub fn poll(&mut self) {
        if !self.interrupts {
            return;
        }
        let raised = self.b.native(Op::Poll, [], &[], Native::I1);
        self.raise_pending_if(raised);
    }

    /// Runs Python's signal handlers now.
    pub fn poll_now(&mut self) {
        if self.interrupts {
            let raised = self.call_runtime(Runtime::Poll, &[])[0];
            self.raise_pending_if(raised);
        }
    }

    /// Propagates the exception that is set in Python if `raised` holds.
    fn raise_pending_if(&mut self, raised: Value) {
        let (fail, go_on) = (self.b.new_block(), self.b.new_block());
        self.b.branch(raised, BlockCall::new(fail, []), BlockCall::new(go_on, []));
        self.b.switch_to(fail);
        let (class, message, span) = (ExceptionClass::Exception, Some("!".to_owned()), self.b.span);
        self.raise_site(SiteData { class, user_class: None, message, payload: true, span, origin: None });
        self.b.switch_to(go_on);
    }

    /// Raises the exception of a raise site. The block ends here.
    pub fn raise_site(&mut self, data: SiteData) {
        let site = self.b.func.sites.push(data);
        let status = self.b.site_status(site);
        self.fail(status);
    }

    /// Returns a status other than 0, or jumps to the handler that protects the current instruction. The block ends
    /// here.
    pub fn fail(&mut self, status: Value) {
        // Where all are caught, passes that make functions of loops still count on this.
        self.b.func.can_fail = true;
        let Some(Protection { block, mut args, counted }) = self.protection.clone() else {
            self.release_live();
            self.release_cells();
            self.b.terminate(Op::Fail, &[status]);
            return;
        };
        for owner in counted {
            self.retain(owner);
        }
        self.release_live();
        args.push(status);
        self.b.jump(block, &args);
    }

    /// The value of `then` if the condition holds, else that of `other`. Each is emitted in its own block; the values
    /// must have the same machine types.
    pub fn if_else(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
        other: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        self.branches(condition, false, then, other)
    }

    /// The same for an unlikely condition.
    pub fn if_else_unlikely(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
        other: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        self.branches(condition, true, then, other)
    }

    fn branches(
        &mut self,
        condition: Value,
        cold: bool,
        then: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
        other: impl FnOnce(&mut Self) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        let (yes, no, join) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.func.blocks[yes].cold = cold;
        self.b.branch(condition, BlockCall::new(yes, []), BlockCall::new(no, []));
        self.b.switch_to(yes);
        let values = then(self)?;
        self.b.jump(join, &values);
        let params: SmallVec<[Value; 2]> = values
            .iter()
            .map(|&value| {
                let ty = self.b.func.values[value].ty;
                self.b.func.add_param(join, ty)
            })
            .collect();
        self.b.switch_to(no);
        let values = other(self)?;
        if values.len() != params.len() {
            return Err(Diagnostic::internal("emission", "two branches give different numbers of values"));
        }
        self.b.jump(join, &values);
        self.b.switch_to(join);
        Ok(params)
    }

    /// An undefined value of a type, for unbound variables.
    pub fn undefined(&mut self, ty: Type) -> Operand {
        let parts: SmallVec<[Value; 2]> =
            self.machine_types(ty).into_iter().map(|native| self.zero(native)).collect();
        Operand { ty, parts }
    }

    /// Zero of a machine type.
    pub fn zero(&mut self, native: Native) -> Value {
        if native.is_float() { self.b.fconst(native, 0.0) } else { self.b.iconst(native, 0) }
    }
}

/// A constant text in the notation of layouts: [`abi::RaiseSite::PAYLOAD`].
pub fn constant_text(text: &str) -> String {
    format!("s{}:{text}", text.len())
}
