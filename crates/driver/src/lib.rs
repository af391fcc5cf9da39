//! The compiler: [`Session`] owns what compilations share: types, catalog, linker. A compilation has two halves:
//! [`Session::front`] runs while Python may be asked (it ends with the Typed function),
//! [`Session::back`] needs nothing of Python and runs without the GIL.
//!
//! Absent: Python itself (`py`), and every pass's insides.

mod caught;
mod compilation_unit;
mod compiled;
mod dumps;
mod entry_points;
mod generators;
mod global_repr;
mod inlining;
mod interpret;
mod lazy_compile;
mod library;
mod llvm_text_unit;
mod pass_manager;
mod pipeline;
mod user_rewrites;

pub use cache;
pub use compilation_unit::{Lowered, LoweredFunction};
pub use compiled::{Compiled, Inspection, Stage};
pub use dumps::{Dumps, Point};
pub use entry_points::Entries;
pub use infer::WantedLiterals;
pub use interpret::{Interpreted, interpret};
pub use library::{Found, Instance, Library, LibraryFront, Places};
pub use llvm::FastMath;
pub use llvm_text_unit::ForeignCode;
pub use pipeline::{PASSES, Pass};

use bytecode::{CodeSnapshot, flags};
use catalog::{Catalog, Host, Semantics};
use compilation_unit::Naming;
use compiled::Placed;
use diag::{Diagnostic, Origin, Result, Span, codes};
use infer::Typed;
pub use jit::Borrowed;
use jit::{Imports, Jit, LinkedUnit};
use lazy_compile::LateFunctions;
use pass_manager::{PassLog, PassManager};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use types::{Handle, Type, TypeTable};

/// How one function is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// LLVM's share of the work: `None` chooses by content.
    pub opt_level: Option<u8>,
    /// Liberties of floating-point arithmetic.
    pub fastmath: llvm::FastMath,
    /// What the user chose of what operations do.
    pub semantics: Semantics,
    /// Types that the user declared for names of the function.
    pub locals: Vec<(String, Type)>,
    /// Whether expressions of arrays stay as they are written.
    pub no_rewrites: bool,
    /// Stages that are printed; those that the environment names if nothing is said.
    pub dumps: Option<Vec<Stage>>,
}

/// What compilations share. One per process is enough; several do not know of each other.
pub struct Session {
    /// All types.
    pub types: TypeTable,
    catalog: Catalog,
    jit: Jit,
    units: AtomicU64,
    dumps: Dumps,
    pub(crate) library: Library,
}

/// A function to compile for given argument types.
pub struct Request<'a> {
    /// Its code.
    pub code: &'a CodeSnapshot,
    /// Types of its parameters, `*args` as one tuple.
    pub args: &'a [Type],
    /// The declared type of the result.
    pub result: Option<Type>,
    /// The function as a callee of its own.
    pub own: Option<Handle>,
    /// Options of the decorator.
    pub options: Options,
    /// What only Python can answer.
    pub host: Rc<dyn Host>,
    /// Filled where the values of these parameters must be known.
    pub wanted: infer::WantedLiterals,
    /// The function as passes of the user left it; the code says where it is from.
    pub func: Option<ir::Function>,
}

/// What the first half made, with everything the second half needs.
pub struct TypedUnit {
    /// The function itself first, then all compiled functions that it calls.
    typed: Vec<Typed>,
    options: Options,
    log: PassLog,
    /// Where Python's objects and functions of C lie that the code refers to.
    addresses: Vec<(String, usize)>,
}

/// Who enters a compiled function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// Python, through the thunk; others ask for entries later.
    Python,
    /// C and function values.
    Callback,
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

    /// Where the function is, for diagnostics.
    pub fn origin(&self, types: &TypeTable) -> Origin {
        origin_of_typed(&self.typed[0], types)
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

fn origin_of_typed(typed: &Typed, types: &TypeTable) -> Origin {
    Origin {
        file: typed.func.file.clone(),
        function: typed.func.name.clone(),
        line: typed.func.first_line,
        arguments: Some(types.names(&typed.params)),
    }
}

/// The Untyped form of a code object; what is stored to a name with a declared type is converted to it.
pub fn untyped(code: &CodeSnapshot, declared: &[(String, Type)]) -> Result<ir::Function> {
    let log = PassLog::new(&Dumps::none(|_| {}), &code.qualname);
    let passes = PassManager { log: &log, types: &TypeTable::default() };
    pipeline::untyped(code, declared, passes).map_err(|error| error.in_function(|| origin_of(code)))
}

/// The front end's own way back from the shape that Numba's users know.
pub use numba_ir::{BlockId, IrBlock, Kind, NumbaIr, SsaMap, Stmt, VarData, VarId, rebuild, rebuild_traced};

/// The Untyped form of a function as text in the shape that Numba's users know.
pub fn numba_text(func: &ir::Function, host: &dyn Host, types: &TypeTable) -> String {
    numba_ir::numba_text(func, &|outside: numba_ir::Outside<'_>| global_repr::describe(host, types, outside))
}

fn origin_of(code: &CodeSnapshot) -> Origin {
    Origin {
        file: code.filename.clone(),
        function: code.qualname.clone(),
        line: code.first_line,
        arguments: None,
    }
}

/// Everything the compiler knows of by itself.
fn catalog(python_minor: u8) -> Catalog {
    let mut catalog = builtins::catalog(python_minor);
    arrays::add(&mut catalog);
    containers::add(&mut catalog);
    strings::add(&mut catalog);
    catalog
}

impl Session {
    /// A session; dumps go where `dumps` says, exceptions carry the messages of this Python 3.
    ///
    /// `callbacks` are what compiled code calls besides the runtime: `rumba_ignored(rumba_context, status, site)` where
    /// an exception has nowhere to go, and `rumba_function_address(rumba_context, object)` where a function of C has none.
    /// `borrowed` finds functions that belong to others.
    pub fn new(
        dumps: Dumps,
        python_minor: u8,
        callbacks: &[(&'static str, usize)],
        borrowed: Borrowed,
    ) -> Self {
        Session {
            types: TypeTable::default(),
            catalog: catalog(python_minor),
            jit: Jit::borrowing(
                &[rt::symbols(), callbacks.to_vec(), vec![lazy_compile::symbols()]].concat(),
                borrowed,
            ),
            units: AtomicU64::new(0),
            dumps,
            library: Library::default(),
        }
    }

    /// Whether the environment says that a stage is printed.
    pub fn dumps_by_default(&self, stage: Stage) -> bool {
        self.dumps.stages.contains(&stage)
    }

    /// Whether what passes make is verified.
    pub(crate) fn verifies(&self) -> bool {
        self.dumps.verify
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
        Ok(TypedUnit { typed, options, log, addresses })
    }

    /// Checks the types of a group against the rules of its ops.
    pub(crate) fn verify_types(&self, typed: &[Typed]) -> Result<()> {
        let instance = |function: Handle, args: &[Type]| {
            let found = typed.iter().find(|known| known.handle == Some(function) && known.params == args)?;
            Some((found.params.clone(), found.result))
        };
        typed.iter().try_for_each(|function| {
            let context = lower::VerifyContext {
                types: &self.types,
                catalog: &self.catalog,
                params: &function.params,
                result: function.result,
                cells: &typed[0].cells,
                instance: &instance,
            };
            lower::verify(&function.func, context)
        })
    }

    /// The half that needs no Python: Typed SSA to linked machine code.
    pub fn compile_to_code(&self, front: TypedUnit, purpose: EntryKind) -> Result<Arc<Compiled>> {
        let origin = front.typed.first().map(|root| origin_of_typed(root, &self.types));
        self.back_passes(front, purpose).map_err(|error| error.in_function(|| origin.unwrap_or_default()))
    }

    fn back_passes(&self, front: TypedUnit, purpose: EntryKind) -> Result<Arc<Compiled>> {
        let TypedUnit { typed, options, log, addresses } = front;
        let passes = PassManager { log: &log, types: &self.types };
        let number = self.units.fetch_add(1, Ordering::Relaxed);
        let mut lowered = pipeline::explicit(self, &typed, Naming::Unit(number), &options, passes)?;
        let late = match options.opt_level {
            Some(0) => Vec::new(),
            _ => pipeline::optimize(&mut lowered, opt::CompileWhen::Lazy, passes)?,
        };
        let options = llvm::Options {
            opt_level: options.opt_level.unwrap_or(2),
            fastmath: options.fastmath,
            ..llvm::Options::default()
        };
        let late = LateFunctions::new(late, &lowered, &options, &self.jit);
        let addresses = late.bind(addresses);
        let placed = match purpose {
            EntryKind::Python => self.place(&lowered, &options, passes, addresses)?,
            EntryKind::Callback => Placed { linked: None, thunk: None, addresses },
        };
        let root = typed.into_iter().next();
        let root = root.ok_or_else(|| Diagnostic::internal("the driver", "inference gave no function"))?;
        let compiled = Compiled::new(root, (lowered, late), placed, options, log.into_timings());
        if purpose == EntryKind::Callback {
            self.entries(&compiled)?;
        }
        Ok(Arc::new(compiled))
    }

    /// Machine code with the entry for Python.
    fn place(
        &self,
        lowered: &Lowered,
        options: &llvm::Options,
        passes: PassManager<'_>,
        addresses: Vec<(String, usize)>,
    ) -> Result<Placed> {
        let code = pipeline::machine_code(&lowered.unit(), options, passes)?;
        let linked = passes.run(&pipeline::LINK, || self.link(code.object, lowered, &addresses))?;
        let address = linked.address(&lowered.thunk);
        let address = address
            .ok_or_else(|| Diagnostic::internal("linking", format!("`{}` has no address", lowered.thunk)))?;
        Ok(Placed { linked: Some(linked), thunk: Some(address), addresses })
    }

    /// The unit holds the instances of the library that it calls.
    pub(crate) fn link(
        &self,
        object: Vec<u8>,
        lowered: &Lowered,
        addresses: &[(String, usize)],
    ) -> Result<Arc<LinkedUnit>> {
        link(&self.jit, object, &lowered.called, addresses)
    }

    /// What the compiler knows of, arrays aside: what the interpreter of the IR can run.
    pub fn catalog_of_scalars(&self) -> Catalog {
        builtins::catalog(self.catalog.python_minor)
    }

    /// Texts of a compiled function for `inspect_*`: made when asked for.
    pub fn inspect(&self, compiled: &Compiled) -> Result<Inspection> {
        Inspection::make(compiled)
    }

    /// How many units of machine code are in memory.
    pub fn live_units(&self) -> usize {
        self.jit.live_units()
    }
}

/// A unit's object in memory, with the instances of the library that it calls.
pub(crate) fn link(
    jit: &Jit,
    object: Vec<u8>,
    called: &[Arc<Instance>],
    addresses: &[(String, usize)],
) -> Result<Arc<LinkedUnit>> {
    let units = called.iter().map(|instance| instance.link(jit)).collect::<Result<Vec<_>>>()?;
    let addresses: Vec<(&str, usize)> =
        addresses.iter().map(|(name, address)| (name.as_str(), *address)).collect();
    jit.link(object, &Imports { units: &units, addresses: &addresses })
}

/// Where the Python objects and the functions of C lie that code of these functions may refer to.
fn addresses(typed: &[Typed], host: &dyn Host) -> Vec<(String, usize)> {
    let dispatchers = typed.iter().flat_map(|member| &member.values).filter_map(|&(function, _)| {
        Some((catalog::object_symbol(function), host.object_address(function)?))
    });
    let constants = (0..)
        .zip(host.function_values())
        .flat_map(|(number, addresses)| catalog::constant_symbols(number).into_iter().zip(addresses));
    dispatchers.chain(constants).collect()
}

/// Coroutines and asynchronous generators are not compiled.
fn check_kind(code: &CodeSnapshot) -> Result<()> {
    let kinds = [(flags::COROUTINE, "a coroutine"), (flags::ASYNC_GENERATOR, "an asynchronous generator")];
    match kinds.iter().find(|(flag, _)| code.has_flag(*flag)) {
        None => Ok(()),
        Some((_, kind)) => Err(Diagnostic::new(
            codes::UNSUPPORTED_FUNCTION_KIND,
            format!("`{}` is {kind}, which is not compiled", code.qualname),
        )
        .label(diag::Span::line(code.first_line), "defined here")
        .hint("Compute the values in a loop, and call the compiled function from plain Python.")),
    }
}

fn report(regions: &frontend::Regions) -> String {
    let cfg = flow::Cfg::compute(regions);
    flow::report::CfgReport::new(&cfg, |region| regions.label(region)).to_string()
}
