//! Machine code through which interpreted code calls the runtime and learns addresses.
//!
//! Calling conventions, symbols and raise sites are those of every unit, because the code generator makes them: each function that
//! is called gets a function of the Explicit phase that calls it, with an entry for packed words.

use crate::compiled::Compiled;
use crate::long_version::costs;
use crate::lowered::LoweredFunction;
use crate::session::Session;
use abi::Runtime;
use diag::{Diagnostic, Result};
use entity::{HashMap, HashSet};
use interp::{Library, Word};
use ir::{Attr, Builder, External, Function, Native, Op, Origin, Phase, Site, SiteData};
use jit::LinkedUnit;
use llvm::{Options, Unit, UnitFunction};
use std::sync::Arc;

/// A call that interpreted code makes: of the function with the name, or of an address where there is no name.
type Callee = External;

/// What interpreted code can reach.
pub(super) struct Bridges {
    thunks: HashMap<Callee, abi::Thunk>,
    addresses: HashMap<String, u64>,
    /// Interpreted functions by their addresses.
    functions: HashMap<u64, String>,
    /// By the address of a function, which lives in the library.
    statuses: HashMap<(*const Function, Site), u64>,
    _linked: Arc<LinkedUnit>,
}

// SAFETY: addresses of functions are only compared.
unsafe impl Send for Bridges {}
// SAFETY: nothing changes after it was made.
unsafe impl Sync for Bridges {}

/// The symbol of the function that writes addresses and statuses.
const TABLE: &str = "table";

impl Bridges {
    pub(super) fn compile(
        session: &Session,
        compiled: &Compiled,
        library: &Library,
        root: &str,
    ) -> Result<Bridges> {
        let reached = Reached::from(library, root);
        let (table, words) = (reached.table(), reached.addresses.len() + reached.sites.len());
        let bridges: Vec<LoweredFunction> = reached
            .calls
            .iter()
            .enumerate()
            .map(|(number, callee)| LoweredFunction {
                func: bridge(callee),
                symbol: symbol_of(number).into(),
            })
            .collect();
        let linked = link(session, compiled, &table, &bridges, &reached.copied(library))?;
        let find = |symbol: &str| {
            let address = linked.address(&thunk_of(symbol));
            // SAFETY: the linker gave this address for a thunk that the code generator made.
            let thunk = address.map(|address| unsafe { std::mem::transmute::<usize, abi::Thunk>(address) });
            thunk.ok_or_else(|| Diagnostic::internal("linking", format!("`{symbol}` has no address")))
        };
        let mut written = vec![0u64; words];
        let pointer = [written.as_mut_ptr() as u64];
        // SAFETY: the function takes a pointer to as many words as it writes.
        unsafe { find(TABLE)?(pointer.as_ptr(), std::ptr::null_mut()) };
        let thunks = reached.calls.iter().enumerate();
        let thunks = thunks
            .map(|(number, callee)| Ok((callee.clone(), find(&symbol_of(number))?)))
            .collect::<Result<_>>()?;
        let (addresses, statuses) = written.split_at(reached.addresses.len());
        let named =
            || reached.addresses.iter().map(|symbol| symbol.to_string()).zip(addresses.iter().copied());
        let functions = named().filter(|(symbol, _)| library.function(symbol).is_some());
        Ok(Bridges {
            thunks,
            addresses: named().collect(),
            functions: functions.map(|(symbol, address)| (address, symbol)).collect(),
            statuses: reached
                .sites
                .iter()
                .map(|&(func, site)| (std::ptr::from_ref(func), site))
                .zip(statuses.iter().copied())
                .collect(),
            _linked: linked,
        })
    }

    pub(super) fn address_of(&self, symbol: &str) -> Option<u64> {
        self.addresses.get(symbol).copied()
    }

    pub(super) fn function_at(&self, address: u64) -> Option<&str> {
        self.functions.get(&address).map(String::as_str)
    }

    pub(super) fn status_of(&self, func: &Function, site: Site) -> Option<u64> {
        self.statuses.get(&(std::ptr::from_ref(func), site)).copied()
    }

    /// Calls a function, or an address that is the first operand where `external` has no name.
    pub(super) fn call(&self, external: &External, args: &[Word]) -> Option<Vec<Word>> {
        let thunk = self.thunks.get(&plain(external))?;
        let words: Vec<u64> = args.iter().map(|word| word.bits()).collect();
        let mut results = vec![0u64; external.results.len()];
        // SAFETY: the thunk was made for operands and results of these types; what the call does is what machine code would do.
        unsafe { thunk(words.as_ptr(), results.as_mut_ptr()) };
        let typed = external.results.iter().zip(results);
        Some(typed.map(|(&native, bits)| Word::from_bits(native, bits)).collect())
    }
}

/// Machine code of the table and the bridges, which Python's side enters, with copies of functions that others call.
fn link(
    session: &Session,
    compiled: &Compiled,
    table: &Function,
    bridges: &[LoweredFunction],
    copied: &[LoweredFunction],
) -> Result<Arc<LinkedUnit>> {
    let table = UnitFunction::python(table, TABLE, &thunk_of(TABLE));
    let bridges = bridges
        .iter()
        .map(|bridge| UnitFunction::python(&bridge.func, &bridge.symbol, &thunk_of(&bridge.symbol)));
    let copied = copied
        .iter()
        .map(|copy| UnitFunction { exported: false, ..UnitFunction::native(&copy.func, &copy.symbol) });
    let unit = Unit {
        name: "interpreter",
        functions: [table].into_iter().chain(bridges).chain(copied).collect(),
        texts: compiled.lowered.texts.iter().map(|text| &**text).collect(),
    };
    let options = Options { opt_level: 0, relocatable: false, ..compiled.options.clone() };
    let object = llvm::compile(&unit, &options)?.object;
    session.link(object, &compiled.lowered, &[&compiled.addresses])
}

fn thunk_of(symbol: &str) -> String {
    format!("{symbol}.thunk")
}

fn symbol_of(number: usize) -> String {
    format!("bridge{number}")
}

/// The signature alone: what callers may know of effects does not matter here.
fn plain(external: &External) -> External {
    External::new(external.name.clone(), external.params.clone(), external.results.clone())
}

/// What a function and those that it calls name.
#[derive(Default)]
struct Reached<'a> {
    functions: HashSet<&'a str>,
    calls: Vec<Callee>,
    addresses: Vec<&'a str>,
    sites: Vec<(&'a Function, Site)>,
}

impl<'a> Reached<'a> {
    fn from(library: &'a Library, root: &'a str) -> Self {
        let mut reached = Reached::default();
        let mut open = vec![root];
        let mut calls = HashSet::default();
        while let Some(symbol) = open.pop() {
            let Some(func) = library.function(symbol).filter(|_| reached.functions.insert(symbol)) else {
                continue;
            };
            let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
            for data in insts.map(|&inst| &func.insts[inst]) {
                match (data.op, data.attrs.first()) {
                    (Op::CallExternal, Some(&Attr::External(id))) => {
                        let external = func.externals.get(id);
                        open.push(&external.name);
                        if library.function(&external.name).is_none() {
                            calls.insert(plain(external));
                        }
                    }
                    (Op::CallIndirect, Some(&Attr::External(id))) => {
                        calls.insert(External { name: String::new(), ..plain(func.externals.get(id)) });
                    }
                    (Op::AddressOf, Some(&Attr::External(id))) => {
                        let name = func.externals.get(id).name.as_str();
                        open.push(name);
                        if !reached.addresses.contains(&name) {
                            reached.addresses.push(name);
                        }
                    }
                    (Op::SiteStatus, Some(&Attr::Site(site))) => reached.sites.push((func, site)),
                    (op, _) => calls.extend(runtime_of(op).map(|function| plain(&function.into()))),
                }
            }
        }
        reached.calls = calls.into_iter().collect();
        reached.calls.sort_by(|a, b| (&a.name, &a.params).cmp(&(&b.name, &b.params)));
        reached
    }

    /// Functions whose machine code others call by address, with those that these call.
    fn copied(&self, library: &Library) -> Vec<LoweredFunction> {
        let (mut seen, mut copied) = (HashSet::default(), Vec::new());
        let mut open: Vec<String> = self.addresses.iter().map(|symbol| symbol.to_string()).collect();
        while let Some(symbol) = open.pop() {
            let Some(func) = library.function(&symbol).filter(|_| seen.insert(symbol.clone())) else {
                continue;
            };
            open.extend(func.externals.iter().map(|(_, external)| external.name.clone()));
            copied.push(LoweredFunction { func: func.clone(), symbol: symbol.into() });
        }
        let costs = costs(&copied);
        for copy in &mut copied {
            // Instances of the library have their polls where no caller placed them yet.
            if copy.func.insts.values().any(|data| data.op == Op::Poll) {
                opt::place_polls(&mut copy.func, &|symbol| costs.get(symbol).copied(), None, (None, false));
            }
        }
        copied
    }

    /// A function that writes all addresses, then all statuses.
    fn table(&self) -> Function {
        let mut func = Function::new(TABLE, "", 0, Phase::Explicit);
        let sites: Vec<Site> =
            self.sites.iter().map(|&(of, site)| func.sites.push(with_origin(of, site))).collect();
        let entry = func.entry;
        let mut b = Builder::new(&mut func, entry);
        let room = b.arguments(&[Native::Ptr])[0];
        for (index, symbol) in self.addresses.iter().enumerate() {
            let address = b.address_of(symbol);
            b.store(room, 8 * index as i64, address);
        }
        for (index, &site) in sites.iter().enumerate() {
            let status = b.site_status(site);
            b.store(room, 8 * (self.addresses.len() + index) as i64, status);
        }
        b.terminate(Op::Return, &[]);
        func
    }
}

/// The function of the runtime that an op stands for.
pub(super) fn runtime_of(op: Op) -> Option<Runtime> {
    match op {
        Op::Alloc => Some(Runtime::Allocate),
        Op::Incref => Some(Runtime::Incref),
        Op::Decref => Some(Runtime::Decref),
        _ => None,
    }
}

/// The site of a function, as it is in another one.
fn with_origin(func: &Function, site: Site) -> SiteData {
    let data = func.sites[site].clone();
    let own = || Origin {
        name: func.name.as_str().into(),
        file: func.file.as_str().into(),
        first_line: func.first_line,
    };
    let origin = data.origin.clone().or_else(|| Some(own()));
    SiteData { origin, ..data }
}

/// A function of the same signature that calls `callee`; the address comes first where that has no name.
fn bridge(callee: &Callee) -> Function {
    let mut func = Function::new("bridge", "", 0, Phase::Explicit);
    func.results = callee.results.clone();
    let entry = func.entry;
    let mut b = Builder::new(&mut func, entry);
    let results = if callee.name.is_empty() {
        let natives: Vec<Native> = [Native::Ptr].into_iter().chain(callee.params.iter().copied()).collect();
        let values = b.arguments(&natives);
        b.call_indirect(values[0], callee.clone(), &values[1..])
    } else {
        let values = b.arguments(&callee.params);
        b.call_external(callee.clone(), &values)
    };
    b.terminate(Op::Return, &results);
    func
}
