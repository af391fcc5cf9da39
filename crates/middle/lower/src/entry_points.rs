//! Additional entry points of a function: wrappers around the same body.
//!
//! [`entry`]: the entry of a recursive function, which looks up the stack limit once; every activation passes it on.
//! [`value_entry`]: the entry for calls of the function as a value. [`c_entry`]: the entry for calls from C.

use abi::ExceptionClass;
use abi::Runtime;
use catalog::{
    Callee, Catalog, Emit, Operand, Semantics, c_abi, call_native, cast, external, machine_types, references,
    stack_limit, stack_word,
};
use diag::{Result, Span};
use ir::{BlockCall, Function, IntCond, Native, Op, Phase, SiteData, Value};
use smallvec::SmallVec;
use types::{Type, TypeTable};

/// What an entry is made for.
#[derive(Clone, Copy)]
pub struct EntryOf<'a> {
    /// Name, file and line of the function.
    pub typed: &'a Function,
    /// How it is called.
    pub callee: &'a Callee,
    /// Whether a recursion may lead through this entry: it looks at the stack.
    pub checks_stack: bool,
    /// The session's types.
    pub types: &'a TypeTable,
}

/// A function of the same parameters as `callee` that calls it with where the limit of the stack is.
pub fn entry(typed: &Function, callee: &Callee, types: &TypeTable) -> Function {
    let of = EntryOf { typed, callee, checks_stack: false, types };
    let natives: Vec<Native> = callee.params.iter().flat_map(|&ty| machine_types(types, ty)).collect();
    let mut func = of.start();
    func.results = machine_types(types, callee.result).to_vec();
    func.gives = references(types, callee.result);
    func.can_fail = true;
    let catalog = Catalog::default();
    let mut emit = of.emit(&mut func, &catalog);
    let mut values = arguments(&mut emit, &natives);
    values.push(stack_word(&mut emit));
    let params = natives.into_iter().chain([Native::Ptr]).collect();
    let external = external(&emit, &callee.symbol, params, callee.result, false);
    let parts = call_native(&mut emit, external, &values, true);
    emit.b.terminate(Op::Return, &parts);
    func
}

/// A function that gives a status and a result of type `result`, whatever the function itself gives.
pub fn value_entry(of: EntryOf<'_>, result: Type) -> Result<Function> {
    let (callee, types) = (of.callee, of.types);
    let mut natives: Vec<Native> = callee.params.iter().flat_map(|&ty| machine_types(types, ty)).collect();
    let mut func = of.start();
    func.results = machine_types(types, result).to_vec();
    func.gives = references(types, result);
    func.can_fail = true;
    let catalog = Catalog::default();
    let mut emit = of.emit(&mut func, &catalog);
    let mut values = arguments(&mut emit, &natives);
    if of.checks_stack {
        let exhausted = is_exhausted(&mut emit);
        emit.raise_if(exhausted, ExceptionClass::RecursionError, EXHAUSTED);
    }
    if callee.in_cycle {
        values.push(stack_word(&mut emit));
        natives.push(Native::Ptr);
    }
    let external = external(&emit, &callee.symbol, natives, callee.result, false);
    let parts = call_native(&mut emit, external, &values, callee.can_fail);
    let value = cast(&mut emit, &Operand { ty: callee.result, parts: parts.into_iter().collect() }, result)?;
    emit.b.terminate(Op::Return, &value.parts);
    Ok(func)
}

/// A C function. An exception cannot leave it: it is reported to the runtime, and the result is zero. An error for types that
/// C does not have.
pub fn c_entry(of: EntryOf<'_>) -> Result<Function> {
    let (callee, types) = (of.callee, of.types);
    let mut func = of.start();
    let catalog = Catalog::default();
    let mut emit = of.emit(&mut func, &catalog);
    let natives = c_abi::parameters(&emit, &callee.params)?;
    let results = c_abi::result(&emit, callee.result)?;
    emit.b.func.results = results.clone();
    let given = arguments(&mut emit, &natives);
    let (mut values, mut params, mut at) = (Vec::new(), Vec::new(), 0);
    for &ty in &callee.params {
        let count = c_abi::parameters(&emit, &[ty])?.len();
        values.extend(c_abi::from_c(&mut emit, ty, &given[at..at + count]).parts);
        params.extend(machine_types(types, ty));
        at += count;
    }
    let failed = emit.b.new_block();
    let status = emit.b.func.add_param(failed, ir::ValueType::Native(Native::I64));
    if of.checks_stack {
        let exhausted = is_exhausted(&mut emit);
        let site = of.site(ExceptionClass::RecursionError, Some(EXHAUSTED.to_owned()));
        let site = emit.b.func.sites.push(site);
        let error = emit.b.site_status(site);
        leave_if(&mut emit, exhausted, failed, error);
    }
    if callee.in_cycle {
        values.push(stack_word(&mut emit));
        params.push(Native::Ptr);
    }
    let external = external(&emit, &callee.symbol, params, callee.result, false);
    let external = if callee.can_fail { external.failing() } else { external };
    let mut parts = emit.b.call_external(external, &values);
    if callee.can_fail {
        let error = parts.remove(0);
        let zero = emit.b.iconst(Native::I64, 0);
        let is_error = emit.b.icmp(IntCond::Ne, error, zero);
        leave_if(&mut emit, is_error, failed, error);
    }
    let value = Operand { ty: callee.result, parts: parts.into_iter().collect() };
    let value = c_abi::to_c(&mut emit, &value);
    emit.b.terminate(Op::Return, &value);
    ignore(&mut emit, of, failed, status, &results);
    Ok(func)
}

/// The block where a failure is reported and nothing is returned; it goes away if nothing fails.
fn ignore(emit: &mut Emit<'_>, of: EntryOf<'_>, failed: ir::Block, status: Value, results: &[Native]) {
    if !of.callee.can_fail && !of.checks_stack {
        emit.b.func.layout.retain(|&block| block != failed);
        return;
    }
    emit.b.switch_to(failed);
    emit.b.func.blocks[failed].cold = true;
    let context = emit.b.address_of("rumba_context");
    let site = of.site(ExceptionClass::Exception, None);
    let site = emit.b.func.sites.push(site);
    let own = emit.b.site_status(site);
    emit.call_runtime(Runtime::Ignored, &[context, status, own]);
    let zeros: SmallVec<[Value; 2]> = results.iter().map(|&native| emit.zero(native)).collect();
    emit.b.terminate(Op::Return, &zeros);
}

const EXHAUSTED: &str = "maximum recursion depth exceeded";

impl EntryOf<'_> {
    fn start(&self) -> Function {
        let typed = self.typed;
        Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit)
    }

    fn emit<'f>(&'f self, func: &'f mut Function, catalog: &'f Catalog) -> Emit<'f> {
        let block = func.entry;
        Emit::new(func, block, self.types, catalog, Semantics::default())
    }

    fn site(&self, class: ExceptionClass, message: Option<String>) -> SiteData {
        let span = Span::line(self.typed.first_line);
        SiteData { class, user_class: None, message, payload: false, span, origin: None }
    }
}

/// Gives the function parameters of these machine types, and continues in a block after its entry.
pub(crate) fn arguments(emit: &mut Emit<'_>, natives: &[Native]) -> Vec<Value> {
    let values = emit.b.arguments(natives);
    // Slots of the frame precede the jump that ends the first block.
    let body = emit.b.new_block();
    emit.b.jump(body, &[]);
    emit.b.switch_to(body);
    values
}

/// Whether the frame is below the limit.
fn is_exhausted(emit: &mut Emit<'_>) -> Value {
    let limit = stack_limit(emit);
    let frame = emit.frame_slot(1);
    emit.b.icmp(IntCond::Ult, frame, limit)
}

fn leave_if(emit: &mut Emit<'_>, condition: Value, failed: ir::Block, status: Value) {
    let go_on = emit.b.new_block();
    emit.b.branch(condition, BlockCall::new(failed, [status]), BlockCall::new(go_on, []));
    emit.b.switch_to(go_on);
}
