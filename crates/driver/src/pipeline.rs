//! The pipeline: every pass of the compiler, in the order in which it runs.
//!
//! Each function here is a part of the pipeline and reads from top to bottom. [`PassManager`] times, verifies and prints
//! around each call; `RUMBA_DEBUG_PRINT_AFTER` and `_BEFORE` take the names of [`PASSES`].

use crate::compilation_unit::{self, Group, Naming};
use crate::dumps::Dumps;
use crate::inlining;
use crate::long_version::costs;
use crate::lowered::{Lowered, LoweredFunction};
use crate::object_cache::{CacheOutcome, ObjectCache};
use crate::pass_manager::{PassLog, PassManager};
use crate::request::{Options, Request, check_kind, origin_of, report};
use crate::session::Session;
use crate::stage::Stage;
use crate::stage_passes::{self, UserPasses};
use crate::{global_repr, user_rewrites};
use bytecode::{CodeSnapshot, Listing, flags};
use catalog::Host;
use diag::{Diagnostic, Result};
use frontend::generator_expressions;
use infer::{PrangeLoop, Typed};
use ir::Function;
use types::{Type, TypeTable};

/// A pass.
#[derive(Debug)]
pub struct Pass {
    /// Its name in dumps, timings and errors.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Whether what it leaves is verified: not between passes that are one step for the verifier.
    pub verified: bool,
}

macro_rules! passes {
    ($($id:ident $name:literal $what:literal $(then $next:literal)?;)*) => {
        $(pub(crate) const $id: Pass =
            Pass { name: $name, what: $what, verified: { const NEXT: &[&str] = &[$($next)?]; NEXT.is_empty() } };)*
        /// All passes, in their order.
        pub const PASSES: &[Pass] = &[$($id),*];
    };
}

passes! {
    DECODE "decode" "bytecode of a Python version becomes common instructions";
    PYTHON_BLOCKS "python_blocks" "`objmode` blocks become calls";
    SSA "ssa" "instructions become Untyped SSA";
    DICT_LITERALS "dict_literals" "joins the parts of a large dict literal into one op";
    STOP_ITERATION "stop_iteration" "removes the StopIteration handler of a generator expression";
    YIELDS "yields" "turns a function with `yield` into a resumable one";
    TRIVIAL_HANDLERS "trivial_handlers" "removes handlers that only reraise";
    REDUNDANT_PARAMS "redundant_params" "removes block parameters with a single value";
    GENERATOR_EXPRESSIONS "generator_expressions" "turns a generator expression into a function of an item";
    INLINE_COMPREHENSIONS "inline_comprehensions" "inlines comprehensions";
    EXCEPTION_HANDLERS "exception_handlers" "removes exception edges of blocks that do not raise, and resolves chained exceptions";
    REWRITE "rewrite" "users' rewrites, before inference";
    STAGE_PASSES "stage_passes" "users' passes over the text of a stage (after `rewrite`, `infer` and `lower`)";
    LITERAL_UNROLL "literal_unroll" "unrolls loops over `literal_unroll` (in `infer`)";
    UNBOUND_METHODS "unbound_methods" "turns calls of methods through their class into calls on the value (in `infer`)";
    GETATTR_CALLS "getattr_calls" "turns calls of getattr with a constant name into attributes (in `infer`)";
    USER_ITERABLES "user_iterables" "makes the iterator of what is unpacked or mapped, where a class says how to iterate over it (in `infer`)";
    KEY_DISPLAYS "key_displays" "inserts the entries of displays whose keys are equal by methods (in `infer`)";
    MATCH_OBJECTS "match_objects" "tests the classes of objects in class patterns (in `infer`)";
    RAISED_CLASSES "raised_classes" "calls the classes that `raise` names and that run code (in `infer`)";
    SUPER_CALLS "super_calls" "replaces `super()` by the class that it refers to (in `infer`)";
    STATIC_DICTS "static_dicts" "joins merges of dicts with known keys into one op (in `infer`)";
    CONSTANT_LITERALS "constant_literals" "expands starred constants (in `infer`)";
    TUPLES_FROM_LISTS "tuples_from_lists" "turns lists of constants into tuples (in `infer`)";
    SINK_LISTS "sink_lists" "moves list literals to their use as an argument (in `infer`)";
    CLASS_DISPATCH "class_dispatch" "writes operations on objects of several classes out for each class (in `infer`)";
    DISPATCH_ERRORS "dispatch_errors" "raises where Python has no such operation for the type of a value (in `infer`)";
    NARROW_CLASSES "narrow_classes" "types objects as of fewer classes behind `isinstance` (in `infer`)";
    NARROW_OPTIONALS "narrow_optionals" "types values as not None behind tests that say so (in `infer`)";
    INFER "infer" "every value gets a type";
    ARRAY_COMPREHENSIONS "array_comprehensions" "`np.array` of comprehensions fills the array directly (in `infer`)"
        then "promote_edges";
    DESUGAR "desugar" "expands calls, closures and cells (in `infer`)" then "promote_edges";
    PROMOTE_EDGES "promote_edges" "converts values on edges between blocks (in `infer`)";
    PARALLEL_LOOPS "parallel_loops" "outlines the bodies of `prange` loops into functions that threads run";
    FUSE_ELEMENTWISE "fuse_elementwise" "fuses elementwise operations into one op";
    INSERT_POLLS "insert_polls" "inserts polls for signals into loops";
    LOWER "lower" "Typed becomes Explicit, and generators are split at their suspension points";
    INLINE_CALLS "inline_calls" "inlines calls of small functions";
    DEVIRTUALIZE "devirtualize" "makes calls of known function values direct";
    DROP_TRANSFERS "drop_transfers" "removes ops without code that only state ownership";
    NEW_OBJECTS "new_objects" "takes fields of new objects that nothing was written to as zero";
    REFCOUNT_PAIRS "refcount_pairs" "removes increments and decrements that cancel out";
    CAUGHT_RECORDS "caught_records" "removes the records of exceptions that are only tested for their class";
    INLINE_GENERATORS "inline_generators" "inlines generators that a function creates and consumes itself";
    POLL_BLOCKS "poll_blocks" "forwards loop-carried values through poll blocks (in `optimize_loops`)";
    MEM2REG "mem2reg" "promotes stack slots to values (in `optimize_loops`)";
    FOLD_CONSTANTS "fold_constants" "removes branches and selects that constants decide (in `optimize_loops`)";
    UNROLL_CONSTANT_LOOPS "unroll_constant_loops" "unrolls inner loops with a constant trip count (in `optimize_loops`)";
    LOOP_PEELING "loop_peeling" "peels first iterations with negative indices (in `optimize_loops`)";
    HOIST_BOUNDS "hoist_bounds" "hoists loop bounds (in `optimize_loops`)";
    REDUCE_MODULO "reduce_modulo" "replaces remainders by a length with comparisons (in `optimize_loops`)";
    OUTLINE_COLD "outline_cold" "outlines cold code into lazily compiled functions (in `optimize_loops`)";
    VERSION_LOOPS "version_loops" "adds versions of loops without checks (in `optimize_loops`)";
    WRAPAROUND "wraparound" "removes the adjustment of unchecked indices that are not negative (in `optimize_loops`)";
    NEGATIVE_INDEX "negative_index" "moves the handling of negative indices to cold paths (in `optimize_loops`)";
    INDUCTION_VARIABLES "induction_variables" "eliminates redundant induction variables (in `optimize_loops`)";
    CHECK_AHEAD "check_ahead" "tests the checks of a strip of iterations in advance (in `optimize_loops`)";
    TRIP_COUNTS "trip_counts" "computes trip counts of loops with steps (in `optimize_loops`)";
    CORRELATED_BRANCHES "correlated_branches" "threads jumps to branches that earlier ones decide (in `optimize_loops`)";
    ZERO_TRIP_GUARDS "zero_trip_guards" "enters loops over ranges only where these are not empty (in `optimize_loops`)";
    DCE "dce" "dead code elimination (in `optimize_loops`)";
    PLACE_POLLS "place_polls" "removes polls from short loops, and moves them between strips of counted loops";
    CACHE "cache" "looks the object file up in the cache (around `llvm`)";
    LLVM "llvm" "Explicit becomes an object file";
    LINK "link" "the object file becomes callable memory";
}

/// Bytecode to Untyped SSA. What is stored to a name with a declared type is converted to it.
pub(crate) fn untyped(
    code: &CodeSnapshot,
    declared: &[(String, Type)],
    p: PassManager<'_>,
) -> Result<Function> {
    if generator_expressions::is_expression(code)
        && let Some(func) = untyped_as(code, declared, p, true)?
    {
        return Ok(func);
    }
    untyped_generator(code, declared, p)
}

/// The same, where a generator expression is a generator like any other.
pub(crate) fn untyped_generator(
    code: &CodeSnapshot,
    declared: &[(String, Type)],
    p: PassManager<'_>,
) -> Result<Function> {
    let func = untyped_as(code, declared, p, false)?;
    func.ok_or_else(|| Diagnostic::internal("the front end", "a function without a form"))
}

/// The same; with `returns`, of a generator expression: nothing if it cannot be a function that returns.
fn untyped_as(
    code: &CodeSnapshot,
    declared: &[(String, Type)],
    p: PassManager<'_>,
    returns: bool,
) -> Result<Option<Function>> {
    check_kind(code)?;
    let is_expression = generator_expressions::is_expression(code);
    let decoded = p.run(&DECODE, || bytecode::decode(code))?;
    p.dump(Stage::Bytecode, Some(&DECODE), || Listing { code, decoded: &decoded }.to_string());
    let decoded = match code.python_blocks[..] {
        [] => decoded,
        _ => p.run(&PYTHON_BLOCKS, || frontend::replace_python_blocks(code, decoded))?,
    };
    if p.wants(Stage::Cfg) {
        let regions = frontend::control_flow(code, &decoded)?;
        p.dump(Stage::Cfg, None, || report(&regions));
    }
    let mut func = p.make(&SSA, || frontend::build_ssa(code, &decoded, declared))?;
    p.apply(&DICT_LITERALS, &mut func, frontend::join_dict_literals)?;
    if returns {
        p.apply(&STOP_ITERATION, &mut func, generator_expressions::remove_conversion)?;
    } else if is_expression {
        p.apply(&YIELDS, &mut func, generator_expressions::form_generator)?;
    } else if code.has_flag(flags::GENERATOR) {
        p.apply(&YIELDS, &mut func, frontend::form_generator)?;
    }
    p.apply(&TRIVIAL_HANDLERS, &mut func, frontend::remove_trivial_handlers)?;
    p.apply(&REDUNDANT_PARAMS, &mut func, frontend::remove_redundant_params)?;
    if returns && !p.apply(&GENERATOR_EXPRESSIONS, &mut func, generator_expressions::form)? {
        return Ok(None);
    }
    p.change(&INLINE_COMPREHENSIONS, &mut func, |func| {
        frontend::inline_comprehensions(func, code, &mut |inner| untyped(inner, &[], p))
    })?;
    p.apply(&EXCEPTION_HANDLERS, &mut func, frontend::finalize_handlers)?;
    Ok(Some(func))
}

/// Untyped SSA to Typed SSA of the function and of all that it calls, with the addresses of what these refer to.
pub(crate) fn typed(
    session: &Session,
    request: Request<'_>,
    mut func: Function,
    p: PassManager<'_>,
) -> Result<(Vec<Typed>, Vec<(String, usize)>)> {
    func.module = request.host.module();
    p.stage(Stage::Ssa, &EXCEPTION_HANDLERS, &func);
    if p.wants(Stage::TypeGraph) {
        p.dump(Stage::TypeGraph, None, || infer::TypeGraph::compute(&func).to_string());
    }
    let shown = p.wants(Stage::Ir);
    p.dump(Stage::Ir, None, || numba_text(&func, &*request.host, &session.types));
    if let Some(changed) = p.run(&REWRITE, || request.host.rewritten(&func, shown))? {
        func = Function { module: func.module, ..changed };
        p.after(&REWRITE, &func)?;
        p.stage(Stage::Ssa, &REWRITE, &func);
    }
    if stage_passes::apply(request.options.passes.as_ref(), request.own, &mut func, &session.types)? {
        p.stage(Stage::Ssa, &STAGE_PASSES, &func);
    }
    p.before(&INFER, &func);
    let context = infer::Context { types: &session.types, catalog: &session.catalog, passes: &p };
    let host = request.host.clone();
    let no_rewrites = request.options.no_rewrites;
    let passes = request.options.passes.clone();
    let root = infer::Request {
        func,
        host: request.host,
        handle: request.own,
        args: request.args.to_vec(),
        result: request.result,
        semantics: request.options.semantics,
        wanted: request.wanted,
        rewriting: infer::Rewriting::default(),
    };
    let mut typed = p.run(&INFER, || user_rewrites::infer(root, context, shown))?;
    check_typed(session, &typed, &INFER, p)?;
    edit_typed(session, &mut typed, passes.as_ref(), p)?;
    let is_parallel = form_parallel_loops(session, &mut typed, p)?;
    if !no_rewrites {
        fuse_elementwise(session, &mut typed, p)?;
    }
    let last = if is_parallel { &PARALLEL_LOOPS } else { &INFER };
    let last = if no_rewrites { last } else { &FUSE_ELEMENTWISE };
    for function in &typed {
        p.stage(Stage::Typed, last, &function.func);
    }
    insert_polls(&mut typed, p)?;
    let addresses = addresses(&typed, &*host);
    Ok((typed, addresses))
}

/// Passes of users over the Typed phase of the functions of a unit.
fn edit_typed(
    session: &Session,
    typed: &mut [Typed],
    passes: Option<&UserPasses>,
    p: PassManager<'_>,
) -> Result<()> {
    if passes.is_none() {
        return Ok(());
    }
    for index in 0..typed.len() {
        let function = &mut typed[index];
        if !stage_passes::apply(passes, function.handle, &mut function.func, &session.types)? {
            continue;
        }
        // What was noted of instructions is of others now: the catalog is asked again.
        function.resolved = catalog::Resolutions::default();
        function.inlined = entity::EntitySet::default();
        function.parallel_calls.clear();
        session
            .verify_types(typed)
            .map_err(|error| stage_passes::refused(&typed[index].func, &error.message))?;
        p.stage(Stage::Typed, &STAGE_PASSES, &typed[index].func);
    }
    Ok(())
}

/// The same over the Explicit phase, before calls are inlined.
fn edit_explicit(
    session: &Session,
    group: &mut Group<'_>,
    passes: Option<&UserPasses>,
    number: &str,
) -> Result<()> {
    for index in 0..group.typed.len() {
        let handle = group.typed[index].handle;
        let func = &mut group.members[index].func;
        if stage_passes::apply_numbered((passes, handle), func, &session.types, number)? {
            ir::verify_counts(func).map_err(|error| stage_passes::refused(func, &error.message))?;
            group.self_inline_bodies[index] = None;
        }
    }
    Ok(())
}

/// Loops of functions that can be interrupted look for signals.
pub(crate) fn insert_polls(typed: &mut [Typed], p: PassManager<'_>) -> Result<()> {
    for function in typed.iter_mut().filter(|function| function.semantics.interrupts) {
        p.apply(&INSERT_POLLS, &mut function.func, lower::insert_polls)?;
    }
    Ok(())
}

/// Elementwise operations that feed each other become one op.
pub(crate) fn fuse_elementwise(session: &Session, typed: &mut [Typed], p: PassManager<'_>) -> Result<()> {
    let fuses = |function: &&mut Typed| function.semantics.fuses && !function.func.keeps_operations;
    for function in typed.iter_mut().filter(fuses) {
        let pairs = p.change(&FUSE_ELEMENTWISE, &mut function.func, |func| {
            Ok(arrays::fuse_elementwise(func, &session.catalog, &session.types))
        })?;
        let told = |of: arrays::Pair| infer::Fusion {
            user: of.user,
            operand: of.operand,
            reason: of.reason.map(str::to_owned),
        };
        function.fusions.extend(pairs.into_iter().map(told));
    }
    p.verify(&FUSE_ELEMENTWISE, || session.verify_types(typed))
}

/// Loops over `prange` become functions of the group, where the function around them is compiled so. Whether there are any.
pub(crate) fn form_parallel_loops(
    session: &Session,
    typed: &mut Vec<Typed>,
    p: PassManager<'_>,
) -> Result<bool> {
    let mut bodies: Vec<Typed> = Vec::new();
    for function in typed.iter_mut().filter(|function| function.semantics.parallel) {
        let loops = p.change(&PARALLEL_LOOPS, &mut function.func, |func| {
            Ok(lower::form_parallel_loops(func, &session.types, &session.catalog, bodies.len()))
        })?;
        let parallel = loops.bodies.iter().map(|body| (body.span, None, body.races.clone()));
        let serial = loops.serial.into_iter().map(|other| (other.span, Some(other.reason), Vec::new()));
        let all = parallel.chain(serial);
        function.prange_loops = all.map(|(span, reason, races)| PrangeLoop { span, reason, races }).collect();
        for body in loops.bodies {
            let handle = lower::body_handle(bodies.len());
            bodies.push(function.parallel_body(handle, body.func, body.params, body.result));
            let params = bodies[bodies.len() - 1].params.clone();
            function.calls.push((handle, params));
        }
    }
    let found = !bodies.is_empty();
    typed.extend(bodies);
    if found {
        check_typed(session, typed, &PARALLEL_LOOPS, p)?;
    }
    Ok(found)
}

fn check_typed(session: &Session, typed: &[Typed], pass: &Pass, p: PassManager<'_>) -> Result<()> {
    typed.iter().try_for_each(|function| p.after(pass, &function.func))?;
    p.verify(pass, || session.verify_types(typed))
}

/// Typed SSA to the Explicit functions of a unit, calls inlined.
pub(crate) fn explicit(
    session: &Session,
    typed: &[Typed],
    naming: Naming<'_>,
    options: &Options,
    p: PassManager<'_>,
) -> Result<Lowered> {
    typed.iter().for_each(|function| p.before(&LOWER, &function.func));
    let mut group = p.run(&LOWER, || compilation_unit::lower(session, typed, naming, options))?;
    let number = match naming {
        Naming::Unit(number) | Naming::Module(number) => number.to_string(),
        Naming::Library(_) => String::new(),
    };
    edit_explicit(session, &mut group, options.passes.as_ref(), &number)?;
    check_counts(&group.members, &LOWER, p)?;
    if options.opt_level != Some(0) {
        p.run(&INLINE_CALLS, || Ok(group.inline_calls()))?;
        check_counts(&group.members, &INLINE_CALLS, p)?;
        p.run(&DEVIRTUALIZE, || Ok(group.devirtualize_calls()))?;
    }
    let lowered = group.into_unit(&session.types)?;
    if options.opt_level != Some(0) {
        check_counts(&lowered.members, &DEVIRTUALIZE, p)?;
    }
    for member in &lowered.members {
        p.stage(Stage::Explicit, &DEVIRTUALIZE, &member.func);
    }
    Ok(lowered)
}

/// Later passes drop the ops that say who holds a reference, so this is where references are verified.
fn check_counts(members: &[LoweredFunction], pass: &Pass, p: PassManager<'_>) -> Result<()> {
    for member in members {
        p.after(pass, &member.func)?;
        p.verify(pass, || ir::verify_counts(&member.func))?;
    }
    Ok(())
}

/// The functions of a unit, made faster. Gives those that rarely run.
pub(crate) fn optimize(
    lowered: &mut Lowered,
    when: opt::CompileWhen,
    p: PassManager<'_>,
) -> Result<Vec<LoweredFunction>> {
    let mut outlined = Vec::new();
    for member in &mut lowered.members {
        let func = &mut member.func;
        p.apply(&DROP_TRANSFERS, func, opt::drop_transfers)?;
        p.apply(&NEW_OBJECTS, func, opt::forward_new_objects)?;
        p.apply(&REFCOUNT_PAIRS, func, opt::eliminate_refcount_pairs)?;
        p.apply(&CAUGHT_RECORDS, func, opt::eliminate_caught_records)?;
    }
    p.run(&INLINE_GENERATORS, || Ok(inlining::inline_generators(&mut lowered.members)))?;
    for member in &mut lowered.members {
        let (func, symbol) = (&mut member.func, &*member.symbol);
        p.after(&INLINE_GENERATORS, func)?;
        // `poll_blocks` to `dce`, of a function with loops.
        let opt::ColdFunctions { cold, checked } = opt::optimize_loops(func, symbol, when, &p)?;
        for (pass, functions) in [(&OUTLINE_COLD, cold), (&VERSION_LOOPS, checked)] {
            for (symbol, func) in functions {
                p.after(pass, &func)?;
                outlined.push(LoweredFunction { func, symbol: symbol.into() });
            }
        }
    }
    Ok(outlined)
}

/// How loops of functions look for signals.
#[derive(Clone, Copy)]
pub(crate) struct Polling {
    /// Whether they do.
    pub wanted: bool,
    /// When the functions are compiled that loops become for the case that they are long. No loop becomes one if nothing is said, as in
    /// functions that rarely run themselves.
    pub when: Option<opt::CompileWhen>,
    /// What the arguments of the first function are at most, if that is known.
    pub most: Option<u64>,
    /// Whether loops may poll aside.
    pub aside: bool,
}

/// Loops look for signals seldom enough to cost nothing; where nobody wants that, not at all.
/// Gives the functions that loops became for the case that they are long.
pub(crate) fn place_polls(
    functions: &mut [LoweredFunction],
    polling: Polling,
    p: PassManager<'_>,
) -> Result<Vec<LoweredFunction>> {
    let Polling { wanted, when, most, aside } = polling;
    let costs = costs(functions);
    let mut outlined = Vec::new();
    for (number, LoweredFunction { func, symbol }) in functions.iter_mut().enumerate() {
        let most = most.filter(|_| number == 0);
        let own = when.map(|when| (&**symbol, when));
        let made = p.apply(&PLACE_POLLS, func, |func| {
            if !wanted {
                opt::remove_polls(func);
                return Vec::new();
            }
            opt::place_polls(func, &|symbol| costs.get(symbol).copied(), own, (most, aside))
        })?;
        outlined
            .extend(made.into_iter().map(|(symbol, func)| LoweredFunction { func, symbol: symbol.into() }));
    }
    Ok(outlined)
}

/// Explicit functions to an object file, which the cache may have.
pub(crate) fn cached_machine_code(
    cache: &ObjectCache,
    unit: &llvm::Unit<'_>,
    options: &llvm::Options,
    p: PassManager<'_>,
) -> Result<(Vec<u8>, CacheOutcome)> {
    let compile = || Ok(machine_code(unit, options, p)?.object);
    if p.texts(&LLVM).any() {
        // Who wants to read LLVM's text wants it to be written.
        return Ok((compile()?, CacheOutcome::Miss));
    }
    p.run(&CACHE, || cache.object(unit, options, compile))
}

/// Explicit functions to an object file.
pub(crate) fn machine_code(
    unit: &llvm::Unit<'_>,
    options: &llvm::Options,
    p: PassManager<'_>,
) -> Result<llvm::Compiled> {
    unit.functions.iter().for_each(|function| p.before(&LLVM, function.func));
    let options = llvm::Options { texts: p.texts(&LLVM), ..options.clone() };
    let code = p.run(&LLVM, || llvm::compile(unit, &options))?;
    p.note_code(&code);
    Ok(code)
}

/// The Untyped form of a code object; what is stored to a name with a declared type is converted to it.
pub fn untyped_of_code(code: &CodeSnapshot, declared: &[(String, Type)]) -> Result<ir::Function> {
    alone(code, |passes| untyped(code, declared, passes))
}

/// The same, where a generator expression is a generator like any other.
pub fn untyped_of_generator(code: &CodeSnapshot) -> Result<ir::Function> {
    alone(code, |passes| untyped_generator(code, &[], passes))
}

fn alone(
    code: &CodeSnapshot,
    build: impl FnOnce(PassManager<'_>) -> Result<ir::Function>,
) -> Result<ir::Function> {
    let log = PassLog::new(&Dumps::none(|_| {}), &code.qualname);
    let passes = PassManager { log: &log, types: &TypeTable::default() };
    build(passes).map_err(|error| error.in_function(|| origin_of(code)))
}

/// The Untyped form of a function as text in the shape that Numba's users know.
pub fn numba_text(func: &ir::Function, host: &dyn Host, types: &TypeTable) -> String {
    numba_ir::numba_text(func, &|outside: numba_ir::Outside<'_>| global_repr::describe(host, types, outside))
}

/// Where the Python objects and the C functions lie that code of these functions may refer to.
fn addresses(typed: &[Typed], host: &dyn Host) -> Vec<(String, usize)> {
    let dispatchers = typed.iter().flat_map(|member| &member.values).filter_map(|&(function, _)| {
        Some((catalog::object_symbol(function), host.object_address(function)?))
    });
    let constants = (0..)
        .zip(host.function_values())
        .flat_map(|(number, addresses)| catalog::constant_symbols(number).into_iter().zip(addresses));
    dispatchers.chain(constants).collect()
}
