//! Builds an instance: compiles a function that does nothing but the call, with all its callees.
//!
//! ```text
//! functools.reduce(Function(operator.add), UniTuple(int64 x 3))
//!     is    def reduce(a0, a1): return functools.reduce(a0, a1)    for these types
//! numpy.sum(array(float64, 2d, C), axis=int64, keepdims=Literal[bool](True))
//!     is    def sum(a0, a1, a2): return numpy.sum(a0, axis=a1, keepdims=True)
//! ```

use super::instance::SMALL;
use super::{Found, Library, Lookup, SYMBOL, is_value};
use crate::compilation_unit::Naming;
use crate::lowered::{Lowered, LoweredFunction};
use crate::pass_manager::{PassLog, PassManager};
use crate::pipeline::{self, DCE, FOLD_CONSTANTS, INFER, MEM2REG, Polling};
use crate::request::Options;
use crate::session::Session;
use cache::{Entry, Level, Member};
use catalog::{Extended, ExtensionQuery, Host, Semantics};
use diag::{Diagnostic, Result, codes};
use entity::HashSet;
use infer::Typed;
use ir::{Attr, Builder, ConstData, Function, Op, Phase, Printer, Value};
use std::rc::Rc;
use types::{LiteralValue, Type, TypeData, TypeTable};

/// What the half that asks Python made of an instance.
pub struct LibraryFront {
    key: String,
    typed: Vec<Typed>,
    log: PassLog,
}

/// The name by which the function that does nothing but the call finds what it calls.
const TARGET: &str = "target";

fn caller(types: &TypeTable, query: &ExtensionQuery) -> Function {
    let name = match &query.what {
        Extended::Function(name) => name.rsplit('.').next().unwrap_or_default(),
        _ => "",
    };
    let mut func = Function::new(name, "rumba", 0, Phase::Untyped);
    let entry = func.entry;
    let mut builder = Builder::new(&mut func, entry);
    let symbol = builder.symbol(TARGET);
    let mut args = vec![builder.untyped(Op::Global, [Attr::Symbol(symbol)], &[])];
    for (index, &ty) in query.args.iter().enumerate() {
        let symbol = builder.symbol(&format!("a{index}"));
        builder.func.params.push(symbol);
        let given = builder.untyped(Op::Arg, [Attr::Int(index as i64), Attr::Symbol(symbol)], &[]);
        args.push(with_constants(&mut builder, types, ty, given));
    }
    let names = query.names.iter().map(|name| builder.symbol(name)).collect();
    let result = builder.untyped(Op::Call, [Attr::Symbols(names)], &args);
    let result = builder.untyped(Op::Cast, [], &[result]);
    builder.terminate(Op::Return, &[result]);
    func
}

fn returns(func: &Function) -> bool {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.into_iter().any(|&inst| func.insts[inst].op == Op::Return)
}

/// An argument, with constants in the places for which its type has some.
fn with_constants(builder: &mut Builder<'_>, types: &TypeTable, ty: Type, given: Value) -> Value {
    if let Some(data) = constant(types, ty) {
        let id = builder.constant(data);
        return builder.untyped(Op::Const, [Attr::Const(id)], &[]);
    }
    let TypeData::Tuple(elements) = types.get(ty) else { return given };
    if types.unliteral(ty) == ty {
        return given;
    }
    let each = elements.iter().enumerate().map(|(at, &element)| {
        let id = builder.constant(ConstData::Int(at as i64));
        let at = builder.untyped(Op::Const, [Attr::Const(id)], &[]);
        let item = builder.untyped(Op::Getitem, [], &[given, at]);
        with_constants(builder, types, element, item)
    });
    let each: Vec<Value> = each.collect();
    builder.untyped(Op::BuildTuple, [], &each)
}

/// The constant that an argument of a literal type is.
fn constant(types: &TypeTable, ty: Type) -> Option<ConstData> {
    match types.get(ty) {
        TypeData::Literal(LiteralValue::Bool(flag)) => Some(ConstData::Bool(flag)),
        TypeData::Literal(LiteralValue::Int(number)) => Some(ConstData::Int(number)),
        TypeData::Literal(LiteralValue::Str(text)) => Some(ConstData::Str(text.to_string())),
        _ => None,
    }
}

impl Session {
    /// The half of making an instance that may ask Python. `host` knows the called function as a global.
    pub fn library_front(&self, query: &ExtensionQuery, host: Rc<dyn Host>) -> Result<LibraryFront> {
        let key = self
            .library
            .key(&self.types, query)
            .ok_or_else(|| unfit("other processes would not understand the types of the arguments"))?;
        let log = PassLog::new(&self.dumps.silent(), &key);
        let passes = PassManager { log: &log, types: &self.types };
        let context = infer::Context { types: &self.types, catalog: &self.catalog, passes: &passes };
        let request = infer::Request {
            func: caller(&self.types, query),
            host,
            handle: None,
            args: query.args.iter().map(|&ty| self.types.unliteral(ty)).collect(),
            result: None,
            semantics: Semantics::default(),
            wanted: infer::WantedLiterals::default(),
            rewriting: infer::Rewriting::default(),
        };
        let mut typed = passes.run(&INFER, || infer::infer(request, context))?;
        pipeline::form_parallel_loops(self, &mut typed, passes)?;
        pipeline::fuse_elementwise(self, &mut typed, passes)?;
        pipeline::insert_polls(&mut typed, passes)?;
        if typed.len() == 1 && typed[0].natives.instances.is_empty() {
            return Err(unfit("the compiler has a rule of its own for the call, the library is not asked"));
        }
        if !returns(&typed[0].func) {
            return Err(unfit("the call always raises, which its callers are to know"));
        }
        if !is_value(&self.types, typed[0].result) {
            return Err(unfit("values of the type of the result cannot leave an instance"));
        }
        Ok(LibraryFront { key, typed, log })
    }

    /// The half that needs no Python: an entry, with machine code for these levels if it is not small.
    pub fn library_back(&self, front: LibraryFront, levels: &[Level]) -> Result<Entry> {
        let LibraryFront { key, typed, log } = front;
        let passes = PassManager { log: &log, types: &self.types };
        let options = Options::default();
        let symbol = format!("{SYMBOL}{key}");
        let naming = Naming::Library(&symbol);
        let mut lowered = pipeline::explicit(self, &typed, naming, &options, passes)?;
        self.shorten_names(&mut lowered);
        check_portable(&lowered.members)?;
        simplify(&mut lowered, passes)?;
        let ops: usize = lowered.members.iter().map(|member| member.func.len()).sum();
        let mut entry = entry_of(&self.types, key, &typed[0], &lowered);
        if ops > SMALL || lowered.members.len() > 1 {
            let outlined = pipeline::optimize(&mut lowered, opt::CompileWhen::Eager, passes)?;
            lowered.members.extend(outlined);
            let when = Some(opt::CompileWhen::Eager);
            let polling = Polling { wanted: true, when, most: None, aside: rt::can_poll_out_of_line() };
            let mut long = pipeline::place_polls(&mut lowered.members, polling, passes)?;
            pipeline::place_polls(&mut long, Polling { when: None, ..polling }, passes)?;
            lowered.members.extend(long);
            for level in levels {
                let options = llvm::Options { cpu: cpu(level), ..llvm::Options::default() };
                let code = pipeline::machine_code(&lowered.exported(), &options, passes)?;
                entry.objects.push((level.clone(), code.object));
            }
        }
        Ok(entry)
    }

    /// Lets this process use an instance, and the next ones, too.
    pub fn library_keep(&self, entry: Entry, query: &ExtensionQuery) -> Found {
        if let Some(store) = self.library.store() {
            // A store that cannot be written is no store.
            let _ = store.keep(&entry);
        }
        match self.library.adopt(&self.types, entry) {
            Some(instance) => Found::Instance(instance.call(&self.types, query)),
            None => Found::Never,
        }
    }

    /// An instance for this call could not be made: it is not tried again.
    pub fn library_give_up(&self, query: &ExtensionQuery) {
        if let Some(key) = self.library.key(&self.types, query) {
            self.library.known().entry(key).or_insert(Lookup::Nowhere);
        }
    }

    /// The processors that instances for the store are made for.
    pub fn library_levels(&self) -> Vec<Level> {
        vec![Level::Exactly(llvm::host_name())]
    }

    /// Rumba's own library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    fn shorten_names(&self, lowered: &mut Lowered) {
        let Some(paths) = self.library.paths() else { return };
        for member in &mut lowered.members {
            member.func.file = paths.short_name(&member.func.file);
            for site in member.func.sites.values_mut() {
                if let Some(origin) = &mut site.origin {
                    origin.file = paths.short_name(&origin.file).into();
                }
            }
        }
    }
}

/// Removes what constant arguments and defaults leave behind, so that the text is short and is read fast.
fn simplify(lowered: &mut Lowered, passes: PassManager<'_>) -> Result<()> {
    for LoweredFunction { func, .. } in &mut lowered.members {
        passes.apply(&MEM2REG, func, opt::mem2reg)?;
        passes.apply(&FOLD_CONSTANTS, func, opt::fold_constants)?;
        passes.apply(&DCE, func, opt::eliminate_dead_code)?;
    }
    Ok(())
}

fn cpu(level: &Level) -> llvm::Cpu {
    match level {
        Level::X86(level) => llvm::Cpu::Named(format!("x86-64-v{level}"), String::new()),
        Level::Exactly(_) => llvm::Cpu::Host,
    }
}

fn entry_of(types: &TypeTable, key: String, root: &Typed, lowered: &Lowered) -> Entry {
    let members = lowered.members.iter().map(|member| Member {
        symbol: member.symbol.to_string(),
        text: Printer::new(&member.func, types).to_string(),
    });
    Entry {
        key,
        result: types.name(root.result),
        can_fail: lowered.members[0].func.can_fail,
        ops: lowered.members.iter().map(|member| member.func.len() as u32).sum(),
        members: members.collect(),
        calls: lowered.called.iter().map(|instance| instance.key().to_owned()).collect(),
        objects: Vec::new(),
    }
}

/// Classes of the user and addresses belong to this process, but for those of the unit's own functions.
fn check_portable(members: &[LoweredFunction]) -> Result<()> {
    if members.iter().flat_map(|member| member.func.sites.values()).any(|site| site.user_class.is_some()) {
        return Err(unfit("other processes would not understand an exception class of the user"));
    }
    // Constant bytes go along, and the table of characters is the runtime's.
    let own: HashSet<&str> = members.iter().map(|member| &*member.symbol).collect();
    let stays =
        |symbol: &str| ir::symbol_bytes(symbol).is_some() || symbol == "rumba_latin" || own.contains(symbol);
    let is_foreign =
        |func: &Function| func.calls_by_address() || func.addressed().any(|symbol| !stays(symbol));
    match members.iter().any(|member| is_foreign(&member.func)) {
        true => Err(unfit("the addresses of function values are those of this process")),
        false => Ok(()),
    }
}

fn unfit(what: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::LIBRARY, what)
}

impl Lowered {
    /// The functions as other units call the first of them.
    fn exported(&self) -> llvm::Unit<'_> {
        crate::lowered::unit_of(&self.members, 1, &self.texts)
    }
}
