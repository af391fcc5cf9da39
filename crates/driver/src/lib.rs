//! The pipeline: one page of plain calls, wrapped so that every pass is timed, verified, dumped.
//!
//! [`Session`] owns what compilations share: types, catalog, linker. A compilation has two halves:
//! [`Session::front`] runs while Python may be asked (it ends with the Typed function),
//! [`Session::back`] needs nothing of Python and runs without the GIL.
//!
//! Absent: Python itself (`py`), and every pass's insides.

mod compiled;
mod dumps;
mod interpret;
mod passes;

pub use compiled::{Compiled, Inspection, Stage};
pub use dumps::{Dumps, Point};
pub use interpret::interpret;

use bytecode::{CodeSnapshot, Listing, flags};
use catalog::{Callee, Catalog, ErrorModel, Host};
use diag::{Diagnostic, Result, codes};
use infer::Typed;
use jit::{Imports, Jit};
use passes::Passes;
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
    /// What division by zero does.
    pub error_model: ErrorModel,
}

/// What compilations share. One per process is enough; several do not know of each other.
pub struct Session {
    /// All types.
    pub types: TypeTable,
    catalog: Catalog,
    jit: Jit,
    units: AtomicU64,
    dumps: Dumps,
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
    pub host: &'a dyn Host,
}

/// What the first half made, with everything the second half needs.
pub struct Front {
    typed: Typed,
    own: Option<Handle>,
    options: Options,
    passes: Passes,
}

/// A compiled function that another one calls.
pub type CalledFunction = (Handle, Vec<Type>, Callee, Arc<Compiled>);

impl Session {
    /// A session; dumps go where `dumps` says.
    pub fn new(dumps: Dumps) -> Self {
        Session {
            types: TypeTable::default(),
            catalog: builtins::catalog(),
            jit: Jit::new(&rt::symbols()),
            units: AtomicU64::new(0),
            dumps,
        }
    }

    /// The half that may ask Python: bytecode to Typed SSA.
    pub fn front(&self, request: Request<'_>) -> Result<Front> {
        check_kind(request.code)?;
        let mut passes = Passes::new(&self.dumps, &request.code.qualname);
        let decoded = passes.run("decode", || bytecode::decode(request.code))?;
        passes.dump(Stage::Bytecode, "decode", || {
            Listing { code: request.code, decoded: &decoded }.to_string()
        });
        if passes.wants(Stage::Cfg) {
            let regions = frontend::control_flow(request.code, &decoded)?;
            passes.dump(Stage::Cfg, "flow", || report(&regions));
        }
        let untyped = passes.run("ssa", || frontend::build(request.code, &decoded))?;
        passes.check("ssa", &untyped, &self.types, Stage::Ssa)?;
        let context = infer::Context {
            types: &self.types,
            catalog: &self.catalog,
            host: request.host,
            own: request.own,
        };
        let typed = passes.run("infer", || infer::infer(&untyped, request.args, request.result, context))?;
        passes.check("infer", &typed.func, &self.types, Stage::Typed)?;
        Ok(Front { typed, own: request.own, options: request.options, passes })
    }

    /// The half that needs no Python: Typed SSA to linked machine code.
    pub fn back(&self, front: Front, callees: &[CalledFunction]) -> Result<Arc<Compiled>> {
        let Front { typed, own, options, mut passes } = front;
        let number = self.units.fetch_add(1, Ordering::Relaxed);
        let symbol: Arc<str> = format!("{}#{number}", typed.func.name).into();
        let known: Vec<_> =
            callees.iter().map(|(h, args, callee, _)| (*h, args.clone(), callee.clone())).collect();
        let context = lower::Context {
            types: &self.types,
            catalog: &self.catalog,
            error_model: options.error_model,
            callees: &known,
            own,
            symbol: &symbol,
        };
        let explicit =
            passes.run("lower", || lower::lower(&typed.func, &typed.params, typed.result, context))?;
        passes.check("lower", &explicit, &self.types, Stage::Explicit)?;
        let thunk = format!("{symbol}.python");
        let options = llvm::Options {
            opt_level: options.opt_level.unwrap_or(2),
            fastmath: options.fastmath,
            texts: passes.texts(),
            ..llvm::Options::default()
        };
        let member = llvm::UnitFunction::python(&explicit, &symbol, &thunk);
        let unit = llvm::Unit { name: &symbol, functions: vec![member] };
        let code = passes.run("llvm", || llvm::compile(&unit, &options))?;
        passes.add_timings(&code.timings);
        passes.dump_texts(&code.texts);
        let units: Vec<_> =
            callees.iter().map(|(_, _, _, compiled)| compiled.native(self)).collect::<Result<_>>()?;
        let linked =
            passes.run("link", || self.jit.link(code.object, &Imports { addresses: &[], units: &units }))?;
        let address = linked
            .address(&thunk)
            .ok_or_else(|| Diagnostic::internal("linking", format!("`{thunk}` has no address")))?;
        Ok(Arc::new(Compiled::new(typed, explicit, symbol, linked, address, options, passes.into_timings())))
    }

    /// Machine code of a function that other compiled functions call: made when the first one does.
    pub(crate) fn link_native(&self, compiled: &Compiled) -> Result<Arc<jit::LinkedUnit>> {
        let member = llvm::UnitFunction::native(&compiled.explicit, &compiled.symbol);
        let unit = llvm::Unit { name: &compiled.symbol, functions: vec![member] };
        let code = llvm::compile(&unit, &compiled.options)?;
        self.jit.link(code.object, &Imports { addresses: &[], units: compiled.linked.callees() })
    }

    /// Texts of a compiled function for `inspect_*`: made when asked for.
    pub fn inspect(&self, compiled: &Compiled) -> Result<Inspection> {
        Inspection::make(self, compiled)
    }

    /// How many units of machine code are in memory.
    pub fn live_units(&self) -> usize {
        self.jit.live_units()
    }
}

/// Generators, coroutines and class bodies are not compiled.
fn check_kind(code: &CodeSnapshot) -> Result<()> {
    let kinds = [
        (flags::GENERATOR, "a generator"),
        (flags::COROUTINE, "a coroutine"),
        (flags::ASYNC_GENERATOR, "an asynchronous generator"),
    ];
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
