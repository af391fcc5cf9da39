//! The compiler: [`Session`] owns what compilations share: types, catalog, linker. A compilation has two halves:
//! [`Session::front`] may query Python and ends with the Typed function, [`Session::back`] runs without the GIL.
//!
//! Absent: Python (`python`), and the implementation of passes.

mod ahead;
mod compilation_unit;
mod compiled;
mod dumps;
mod entry_points;
mod explicit_text;
mod foreign_code;
mod generators;
mod global_repr;
mod inlining;
mod interpreter;
mod lazy_compile;
mod library;
mod long_version;
mod lowered;
mod object_cache;
mod pass_manager;
mod pipeline;
mod python_generators;
mod request;
mod session;
mod stage;
mod stage_passes;
mod user_rewrites;

pub use ahead::{ModuleArray, ModuleMember, ModuleUnit};
pub use cache;
pub use compiled::{Compiled, Inspection};
pub use dumps::{Dumps, Point};
pub use entry_points::Entries;
pub use explicit_text::check as check_explicit;
pub use foreign_code::ForeignCode;
pub use infer::WantedLiterals;
pub use interpreter::Interpreter;
pub use library::{Found, Instance, Library, LibraryFront, Paths};
pub use llvm::{Cpu, FastMath};
pub use lowered::{Lowered, LoweredFunction};
pub use object_cache::{CacheOutcome, CachePath};
pub use pipeline::{
    PASSES, Pass, numba_text, untyped_of_code as untyped, untyped_of_generator as untyped_generator,
};
pub use request::{EntryKind, Options, Request};
pub use session::Session;
pub use stage::Stage;
pub use stage_passes::{StagePasses, UserPasses, apply as apply_stage_passes};

use catalog::Catalog;
use compilation_unit::Naming;
use compiled::LinkedEntry;
use diag::{Diagnostic, Origin, Result, Span};
use infer::Typed;
pub use jit::{Borrowed, LineSamples, start_sampling, stop_sampling};
use lazy_compile::LazyFunctions;
use long_version::LongVersion;
use object_cache::{ObjectCache, source_addresses};
use pass_manager::{PassLog, PassManager};
use pipeline::Polling;
use request::origin_of;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use types::{Handle, Type, TypeTable};

/// The C functions that machine code calls by their own names.
pub fn libc_names() -> impl Iterator<Item = &'static str> {
    jit::libc_symbols().iter().map(|&(name, _)| name)
}

/// What the first half made, with everything the second half needs.
pub struct TypedUnit {
    /// The function itself first, then all compiled functions that it calls.
    typed: Vec<Typed>,
    options: Options,
    log: PassLog,
    /// Where Python objects and C functions lie that the code refers to.
    addresses: Vec<(String, usize)>,
}

/// What `typing.reveal_type` tells of one value.
pub struct Revealed {
    /// The function.
    pub origin: Origin,
    /// Where it asks.
    pub span: Span,
    /// The type, printed.
    pub ty: String,
}

impl TypedUnit {
    /// Type of the function's result.
    pub fn result(&self) -> Type {
        self.typed[0].result
    }

    /// The other compiled functions of the unit, with the types of their parameters.
    pub fn callees(&self) -> impl Iterator<Item = (Handle, Vec<Type>)> {
        self.typed[1..].iter().filter_map(|typed| Some((typed.handle?, typed.params.clone())))
    }

    /// Where the function is, for diagnostics.
    pub fn origin(&self, types: &TypeTable) -> Origin {
        origin_of_typed(&self.typed[0], types)
    }

    /// How far indices of stencil points lead, in all functions: see [`arrays::stencil_offsets`].
    pub fn stencil_offsets(&self, types: &TypeTable) -> Vec<arrays::Offsets> {
        self.typed.iter().flat_map(|typed| arrays::stencil_offsets(&typed.func, types)).collect()
    }

    /// The files and lines that code is made for, in order: what cannot be reached for these types is none of them.
    pub fn lines(&self) -> Vec<(String, u32)> {
        let of = |typed: &Typed| {
            let blocks = typed.func.layout.iter().map(|&block| &typed.func.blocks[block]);
            let spans = blocks.flat_map(|block| &block.insts).map(|&inst| typed.func.insts[inst].span);
            let lines: BTreeSet<u32> = spans.filter(|span| span.is_known()).map(|span| span.line).collect();
            lines.into_iter().map(|line| (typed.func.file.clone(), line)).collect::<Vec<_>>()
        };
        self.typed.iter().flat_map(of).collect()
    }

    /// Why instructions are done with Python objects, function by function.
    pub fn on_objects(&self, types: &TypeTable) -> Vec<Diagnostic> {
        self.told(types, |typed| &typed.on_objects)
    }

    /// What costs time, and could be written otherwise, function by function.
    pub fn performance_notes(&self, types: &TypeTable) -> Vec<Diagnostic> {
        self.told(types, |typed| &typed.performance_notes)
    }

    /// What inference tells of each function, with the function.
    fn told(&self, types: &TypeTable, of: impl Fn(&Typed) -> &[Diagnostic]) -> Vec<Diagnostic> {
        let one = |typed: &Typed| {
            let origin = origin_of_typed(typed, types);
            let told = of(typed).iter().cloned();
            told.map(move |told| Diagnostic { origin: Some(origin.clone()), ..told }).collect::<Vec<_>>()
        };
        self.typed.iter().flat_map(one).collect()
    }

    /// What `typing.reveal_type` tells, function by function.
    pub fn revealed(&self, types: &TypeTable) -> Vec<Revealed> {
        let one = |typed: &Typed, span: Span, ty: Type| Revealed {
            origin: origin_of_typed(typed, types),
            span,
            ty: types.name(ty),
        };
        let all = self.typed.iter();
        all.flat_map(|typed| typed.revealed.iter().map(move |&(span, ty)| one(typed, span, ty))).collect()
    }
}

/// The fast-math flags for the code of a unit, one set for all its functions: those of the root that every function with flags
/// of its own allows, too.
pub(crate) fn fastmath_of(typed: &[Typed], options: &Options) -> FastMath {
    let own = typed.iter().filter_map(|member| member.semantics.fastmath);
    own.fold(options.fastmath, |known, own| known.intersection(FastMath(own)))
}

fn origin_of_typed(typed: &Typed, types: &TypeTable) -> Origin {
    Origin {
        file: typed.func.file.clone(),
        function: typed.func.name.clone(),
        line: typed.func.first_line,
        arguments: Some(types.names(&typed.params)),
    }
}

/// Puts polls into a unit and its late functions, of which more come. Gives the version for large arguments, if there is one.
fn place_polls(
    lowered: &mut Lowered,
    late: &mut Vec<LoweredFunction>,
    (options, purpose): (&Options, EntryKind),
    passes: PassManager<'_>,
) -> Result<Option<LongVersion>> {
    let optimizes = options.opt_level != Some(0);
    let wanted = options.semantics.interrupts;
    let two_versions = wanted && optimizes && purpose == EntryKind::Python;
    let long = if two_versions { LongVersion::of(lowered) } else { None };
    let when = optimizes.then_some(opt::CompileWhen::Lazy);
    let most = long.as_ref().map(|long| long.bounds.most);
    // The code generator that does nothing but translate makes no code of what polls aside.
    let polling = Polling { wanted, when, most, aside: optimizes && rt::can_poll_out_of_line() };
    late.extend(pipeline::place_polls(&mut lowered.members, polling, passes)?);
    pipeline::place_polls(late, Polling { when: None, most: None, ..polling }, passes)?;
    Ok(long)
}

/// Functions in Numba IR, and the conversion back.
pub use numba_ir::{
    BlockId, IrBlock, Kind, NumbaIr, SsaMap, Stmt, VarData, VarId, rebuild, rebuild_traced,
    view as numba_view,
};

impl Session {
    /// Whether the environment says that a stage is printed.
    pub fn dumps_by_default(&self, stage: Stage) -> bool {
        self.dumps.stages.contains(&stage)
    }

    /// The half that may ask Python: bytecode to Typed SSA.
    pub fn compile_to_typed(&self, request: Request<'_>) -> Result<TypedUnit> {
        let code = request.code;
        self.front_passes(request).map_err(|error| error.in_function(|| origin_of(code)))
    }

    fn front_passes(&self, mut request: Request<'_>) -> Result<TypedUnit> {
        let dumps = self.dumps.chosen(request.options.dumps.as_deref());
        let log = PassLog::new(&dumps, &request.code.qualname);
        let passes = PassManager { log: &log, types: &self.types };
        let untyped = match request.func.take() {
            Some(func) => func,
            None => pipeline::untyped(request.code, &request.options.locals, passes)?,
        };
        let options = request.options.clone();
        let (typed, addresses) = pipeline::typed(self, request, untyped, passes)?;
        // The key of a cache entry knows the code of functions, not of the passes over them.
        let is_edited = options.passes.as_ref().is_some_and(|UserPasses(passes)| passes.found());
        // Without passes the half without the GIL never asks Python.
        let user_passes = options.passes.clone().filter(|_| is_edited);
        let options = Options { cache: options.cache && !is_edited, passes: user_passes, ..options };
        Ok(TypedUnit { typed, options, log, addresses })
    }

    /// The half that needs no Python: Typed SSA to linked machine code.
    pub fn compile_to_code(&self, front: TypedUnit, purpose: EntryKind) -> Result<Arc<Compiled>> {
        let origin = front.typed.first().map(|root| origin_of_typed(root, &self.types));
        self.back_passes(front, purpose).map_err(|error| error.in_function(|| origin.unwrap_or_default()))
    }

    fn back_passes(&self, front: TypedUnit, purpose: EntryKind) -> Result<Arc<Compiled>> {
        let TypedUnit { typed, options, log, addresses } = front;
        let passes = PassManager { log: &log, types: &self.types };
        let options = Options { cache: options.cache && self.can_cache(&typed), ..options };
        // Variables stay in memory where nothing is optimized.
        let debug = typed.iter().any(|member| member.semantics.debug);
        let options = Options { opt_level: if debug { Some(0) } else { options.opt_level }, ..options };
        // Another process would count otherwise; the number is only for display.
        let number = if options.cache { 0 } else { self.units.fetch_add(1, Ordering::Relaxed) };
        let mut lowered = pipeline::explicit(self, &typed, Naming::Unit(number), &options, passes)?;
        let mut late = match options.opt_level {
            Some(0) => Vec::new(),
            _ => pipeline::optimize(&mut lowered, opt::CompileWhen::Lazy, passes)?,
        };
        let long = place_polls(&mut lowered, &mut late, (&options, purpose), passes)?;
        let is_usual = purpose == EntryKind::Python && options.opt_level.is_none_or(|level| level == 2);
        if is_usual
            && long.is_none()
            && let Some(root) = typed.first()
        {
            late.extend(python_generators::compile_fast(&mut lowered, root.result, &self.types));
        }
        let user = (options.passes.clone(), typed.first().and_then(|root| root.handle));
        let fastmath = fastmath_of(&typed, &options);
        let cache = options.cache.then(|| Arc::clone(&self.objects));
        let options = llvm::Options {
            opt_level: options.opt_level.unwrap_or(2),
            fastmath,
            cpu: self.objects.cpu(),
            relocatable: cache.is_some(),
            lines: debug || self.jit.profile().needs_lines(),
            ..llvm::Options::default()
        };
        let late = LazyFunctions::new(late, &lowered, &options, cache.as_ref(), &self.jit);
        let addresses = late.bind(addresses);
        let linked = match purpose {
            EntryKind::Python => {
                self.emit_and_link(&lowered, (&options, cache.as_deref()), (&user, passes), addresses)?
            }
            EntryKind::Callback => LinkedEntry { linked: None, thunk: None, addresses, cache_outcome: None },
        };
        let root = typed.into_iter().next();
        let root = root.ok_or_else(|| Diagnostic::internal("the driver", "inference gave no function"))?;
        let (lowered, options) = ((lowered, late, long), (options, cache));
        let compiled = Compiled::new(root, lowered, linked, options, log.into_timings());
        if purpose == EntryKind::Callback {
            self.entries(&compiled)?;
        }
        if compiled.cache.is_some() {
            self.objects.tell();
        }
        Ok(Arc::new(compiled))
    }

    /// Whether another process can use the code of these functions. A warning says why not.
    fn can_cache(&self, typed: &[Typed]) -> bool {
        let is_address = |data: &ir::ConstData| match data {
            ir::ConstData::Words(ty, words) => self.is_address(*ty, words),
            _ => false,
        };
        let found = typed.iter().any(|member| member.func.consts.iter().any(|(_, data)| is_address(data)));
        if found && let Some(root) = typed.first() {
            self.objects
                .refuse(&root.func, "a global value that it reads lies in the memory of this process");
        }
        !found
    }

    /// Whether words of a value of this type are addresses.
    fn is_address(&self, ty: Type, words: &[i64]) -> bool {
        let owners = catalog::owners(&self.types, ty);
        let natives = catalog::machine_types(&self.types, ty);
        let mut parts = words.iter().zip(natives).enumerate();
        parts.any(|(at, (&word, native))| word != 0 && (native == ir::Native::Ptr || owners.contains(&at)))
    }

    /// Machine code with the entry for Python.
    fn emit_and_link(
        &self,
        lowered: &Lowered,
        (options, cache): (&llvm::Options, Option<&ObjectCache>),
        (user, passes): (&(Option<UserPasses>, Option<Handle>), PassManager<'_>),
        addresses: Vec<(String, usize)>,
    ) -> Result<LinkedEntry> {
        let unit = lowered.unit();
        let number = lowered.thunk.rsplit('.').nth(1).unwrap_or_default();
        let edited = stage_passes::edited_object((user.0.as_ref(), user.1), (&unit, number), options)?;
        let (object, cache_outcome) = match cache {
            _ if let Some(object) = edited => (object, None),
            None => (pipeline::machine_code(&unit, options, passes)?.object, None),
            Some(cache) => {
                let (object, outcome) = pipeline::cached_machine_code(cache, &unit, options, passes)?;
                (object, Some(outcome))
            }
        };
        let sources = if options.relocatable { source_addresses(&unit) } else { Vec::new() };
        let linked = passes.run(&pipeline::LINK, || self.link(object, lowered, &[&addresses, &sources]))?;
        let address = linked.address(&lowered.thunk);
        let address = address
            .ok_or_else(|| Diagnostic::internal("linking", format!("`{}` has no address", lowered.thunk)))?;
        Ok(LinkedEntry { linked: Some(linked), thunk: Some(address), addresses, cache_outcome })
    }

    /// Says where object files of cached functions are kept from now on.
    pub fn set_cache_path(&self, path: CachePath) {
        self.objects.set_path(path);
    }

    /// Machine code is made for every processor of a level of x86-64 (`x86-64-v3`) instead of the one that this is.
    /// False if this is none of them.
    pub fn set_baseline(&self, name: &str) -> bool {
        let runs = library::runs_baseline(name);
        if runs {
            self.objects.set_baseline(name);
        }
        runs
    }

    /// The folder where object files of cached functions are kept.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        self.objects.folder()
    }

    /// What the compiler knows of.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What the compiler knows of, arrays aside: what the interpreter of the IR can run.
    pub fn catalog_of_scalars(&self) -> Catalog {
        builtins::catalog(self.catalog.python_minor)
    }

    /// The entry for Python where arguments are larger than the bounds, made the first time; nothing if that failed.
    pub fn long_thunk(&self, compiled: &Compiled) -> Option<abi::Thunk> {
        let long = compiled.long.as_ref()?;
        let options = (&compiled.options, compiled.cache.as_deref());
        let address = long.thunk(&self.jit, options, &compiled.addresses)?;
        // SAFETY: the linker gave this address for a thunk that the code generator made.
        Some(unsafe { std::mem::transmute::<usize, abi::Thunk>(address) })
    }

    /// Texts of a compiled function for `inspect_*`: made when asked for.
    pub fn inspect(&self, compiled: &Compiled) -> Result<Inspection> {
        Inspection::make(compiled)
    }

    /// The same texts with places in the source, and what LLVM's passes remark where `RUMBA_REMARKS` asks for it.
    pub fn inspect_lines(&self, compiled: &Compiled) -> Result<Inspection> {
        Inspection::with_lines(compiled)
    }

    /// How many units of machine code are in memory.
    pub fn live_units(&self) -> usize {
        self.jit.live_units()
    }
}
