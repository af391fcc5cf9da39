//! A function and all compiled functions that it calls, lowered together: one unit of machine code in which calls are
//! direct and may be inlined.

use crate::explicit_text;
use crate::generators::Generator;
use crate::inlining;
use crate::library::Instance;
use crate::lowered::{Lowered, LoweredFunction, ParallelLoop};
use crate::request::Options;
use crate::session::Session;
use catalog::{Callee, ChunkFunction, ChunkFunctions, Scalars};
use diag::{Diagnostic, Result, codes};
use entity::HashSet;
use flow::AdjacencyList;
use infer::{PrangeLoop, Typed};
use ir::Function;
use lower::EntryOf;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use types::{Handle, Type, TypeData, TypeTable};

entity::id!(
    /// A function of the group.
    struct Member = "member"
);

/// What the symbols of a group are made of.
#[derive(Clone, Copy)]
pub(crate) enum Naming<'a> {
    /// The number of a unit.
    Unit(u64),
    /// The number in a module that is built ahead of time. All that it calls comes into its unit.
    Module(u64),
    /// The symbol of an instance of the library. Large instances that it calls stay where they are.
    Library(&'a str),
}

/// The module and the qualified name of a function as C++ writes `module::name(...)`, so that debuggers and profilers
/// read it: characters that symbols cannot have are `_` and two hexadecimal digits for each byte.
fn mangled(func: &Function) -> String {
    let mut symbol = String::from("_ZN");
    for part in func.module.split('.').chain(func.name.split('.')).filter(|part| !part.is_empty()) {
        let mut text = String::new();
        for byte in part.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => text.push(char::from(byte)),
                _ => text.push_str(&format!("_{byte:02x}")),
            }
        }
        symbol.push_str(&format!("{}{text}", text.len()));
    }
    symbol + "Ez"
}

impl Naming<'_> {
    fn symbol(self, func: &Function, index: usize) -> Arc<str> {
        match self {
            Naming::Unit(number) | Naming::Module(number) => {
                format!("{}.{number}.{index}", mangled(func)).into()
            }
            Naming::Library(symbol) if index == 0 => symbol.into(),
            Naming::Library(symbol) => format!("{symbol}.{index}").into(),
        }
    }

    /// The symbol under which others call the first function.
    fn entry(self, func: &Function) -> String {
        match self {
            Naming::Unit(number) | Naming::Module(number) => format!("{}.{number}", mangled(func)),
            Naming::Library(symbol) => format!("{symbol}.entry"),
        }
    }
}

/// The functions of a group while they are lowered and inlined.
pub(crate) struct Group<'a> {
    pub typed: &'a [Typed],
    naming: Naming<'a>,
    /// The functions of the group, then those of library instances, then entries of function values.
    pub members: Vec<LoweredFunction>,
    callees: Vec<Callee>,
    /// Members in the order in which they are lowered and inlined: callees before callers.
    order: Vec<usize>,
    /// Members that go into no other.
    cyclic: Vec<bool>,
    /// Of members that call themselves: the body without a check of the stack, which goes into them once.
    pub self_inline_bodies: Vec<Option<Function>>,
    called: Vec<Arc<Instance>>,
    calls_values: bool,
    /// What threads run of instructions.
    chunks: Vec<ChunkFunction>,
    /// Where these stand.
    array_loops: Vec<ParallelLoop>,
}

/// Lowers the functions of a group, callees before callers.
pub(crate) fn lower<'a>(
    session: &Session,
    typed: &'a [Typed],
    naming: Naming<'a>,
    options: &Options,
) -> Result<Group<'a>> {
    let mut calls: AdjacencyList<Member> = AdjacencyList::new(typed.len());
    for (caller, member) in typed.iter().enumerate() {
        for (function, args) in &member.calls {
            if let Some(callee) = find(typed, *function, args) {
                calls.add_edge(entity::EntityRef::new(caller), entity::EntityRef::new(callee));
            }
        }
    }
    let components = flow::compute_components(&calls);
    let is_cyclic =
        |index: usize| components.is_cyclic(components.component_of(entity::EntityRef::new(index)));
    let callee_of = |(index, member): (usize, &Typed)| Callee {
        result: member.result,
        params: member.params.clone(),
        symbol: naming.symbol(&member.func, index),
        can_fail: true,
        // A call of a generator's function runs none of its code.
        in_cycle: is_cyclic(index) && !member.func.is_generator,
        scalars: match member.handle {
            Some(handle) if session.types.is_generator_expression(handle) && !member.func.is_generator => {
                lower::numpy_scalars(&member.func, &session.types)
            }
            _ => Scalars::Never,
        },
    };
    let mut group = Group {
        typed,
        naming,
        members: Vec::new(),
        callees: typed.iter().enumerate().map(callee_of).collect(),
        order: components
            .ids()
            .rev()
            .flat_map(|component| components.members(component))
            .map(|&member| entity::EntityRef::index(member))
            .collect(),
        cyclic: Vec::new(),
        self_inline_bodies: typed.iter().map(|_| None).collect(),
        called: Vec::new(),
        calls_values: false,
        chunks: Vec::new(),
        array_loops: Vec::new(),
    };
    group.cyclic = group.callees.iter().map(|callee| callee.in_cycle).collect();
    let generators = group.lower_members(session, options.opt_level != Some(0), &is_cyclic)?;
    group.add_generators(generators, &is_cyclic);
    group.add_chunk_entries(&session.types);
    let (bodies, called) = library_bodies(session, typed, naming)?;
    group.called = called;
    for (body, is_small) in bodies {
        group.cyclic.push(!is_small);
        group.members.push(body);
    }
    group.add_value_entries(&session.types)?;
    Ok(group)
}

fn find(typed: &[Typed], function: Handle, args: &[Type]) -> Option<usize> {
    typed.iter().position(|member| member.handle == Some(function) && member.params == args)
}

impl Group<'_> {
    /// Gives the functions that continue with a generator and that drop it, by the member that makes it.
    fn lower_members(
        &mut self,
        session: &Session,
        inlines: bool,
        is_cyclic: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<(usize, [LoweredFunction; 3])>> {
        let typed = self.typed;
        let mut generators = Vec::new();
        let mut funcs: Vec<Option<Function>> = typed.iter().map(|_| None).collect();
        // A `map` may call a function that the function around knows by the type of the iterator alone: then it
        // may be called before it is lowered, as one that can fail.
        let called: RefCell<Vec<bool>> = RefCell::new(vec![false; typed.len()]);
        let chunks: RefCell<Vec<ChunkFunction>> = RefCell::default();
        for &index in &self.order {
            let callees = &self.callees;
            let callee = |function: Handle, args: &[Type]| {
                let at = find(typed, function, args)?;
                called.borrow_mut()[at] = true;
                Some(callees[at].clone())
            };
            let lower_it = |checks_stack: bool| {
                let context = lower::Context {
                    types: &session.types,
                    catalog: &session.catalog,
                    resolved: &typed[index].resolved,
                    semantics: typed[index].semantics,
                    callee: &callee,
                    inlined: &typed[index].inlined,
                    in_cycle: callees[index].in_cycle,
                    checks_stack,
                    cells: &typed[0].cells,
                    chunks: typed[index]
                        .semantics
                        .parallel_arrays
                        .then_some(ChunkFunctions { symbol: &callees[index].symbol, made: &chunks }),
                    verifies: session.dumps.verify,
                };
                let Typed { func, params, result, .. } = &typed[index];
                match func.is_generator {
                    true => lower::generator_body(func, params, *result, context),
                    false => lower::lower(func, params, *result, context),
                }
            };
            if typed[index].func.is_generator {
                let made = Generator::new(session, &typed[index], &callees[index].symbol);
                let [create, others @ ..] = made.functions(lower_it(false)?, is_cyclic(index))?;
                funcs[index] = Some(create.func);
                generators.push((index, others));
                continue;
            }
            let mut func = lower_it(callees[index].in_cycle)?;
            if typed[index].handle.is_some_and(|handle| session.types.is_generator_expression(handle)) {
                opt::convert_stops(&mut func);
            }
            func.can_fail |= called.borrow()[index];
            if inlines && calls_itself(&func, &callees[index].symbol) && func.len() <= SMALL {
                self.self_inline_bodies[index] = Some(lower_it(false)?);
            }
            self.callees[index].can_fail = func.can_fail;
            funcs[index] = Some(func);
        }
        let lowered = funcs.into_iter().flatten().zip(&self.callees);
        self.members
            .extend(lowered.map(|(func, callee)| LoweredFunction { func, symbol: callee.symbol.clone() }));
        self.chunks = chunks.into_inner();
        Ok(generators)
    }

    fn add_generators(
        &mut self,
        generators: Vec<(usize, [LoweredFunction; 3])>,
        is_cyclic: &dyn Fn(usize) -> bool,
    ) {
        for (index, functions) in generators {
            let slot = self.order.iter().position(|&other| other == index).unwrap_or(self.order.len());
            for function in functions {
                self.order.insert(slot, self.members.len());
                self.cyclic.push(is_cyclic(index));
                self.members.push(function);
            }
        }
    }

    /// Bodies of parallel loops get the functions that threads call, and those of instructions join.
    fn add_chunk_entries(&mut self, types: &TypeTable) {
        for ChunkFunction { symbol, func, span } in std::mem::take(&mut self.chunks) {
            let (function, file) = (func.name.clone(), func.file.clone());
            let found =
                ParallelLoop { function, file, span, is_prange: false, reason: None, races: Vec::new() };
            if !self.array_loops.contains(&found) {
                self.array_loops.push(found);
            }
            self.order.insert(0, self.members.len());
            self.cyclic.push(true);
            self.members.push(LoweredFunction { func, symbol: symbol.into() });
        }
        for (index, member) in self.typed.iter().enumerate() {
            if !member.handle.is_some_and(lower::is_body) {
                continue;
            }
            let callee = &self.callees[index];
            let func = lower::chunk_entry(&member.func, callee, types);
            let symbol = lower::chunk_symbol(&callee.symbol).into();
            self.order.push(self.members.len());
            self.cyclic.push(true);
            self.members.push(LoweredFunction { func, symbol });
        }
    }

    /// Functions that become function values get their entries.
    fn add_value_entries(&mut self, types: &TypeTable) -> Result<()> {
        let typed = self.typed;
        let calls_values = calling_values(&self.members);
        for (function, ty) in &typed[0].values {
            let TypeData::FunctionValue { params, result } = types.get(*ty) else { continue };
            let Some(at) = find(typed, *function, &params) else {
                return Err(Diagnostic::internal("lowering", "a function value that was never compiled"));
            };
            let (typed, callee) = (&typed[at].func, &self.callees[at]);
            let of = EntryOf { typed, callee, checks_stack: calls_values[at], types };
            let symbol = catalog::value_symbol(*function, *ty).into();
            self.order.push(self.members.len());
            self.cyclic.push(false);
            self.members.push(LoweredFunction { func: lower::value_entry(of, result)?, symbol });
        }
        self.self_inline_bodies.resize_with(self.members.len(), || None);
        self.calls_values = calls_values.contains(&true);
        Ok(())
    }

    /// Calls of small functions of the group become their bodies.
    pub fn inline_calls(&mut self) {
        let bodies = std::mem::take(&mut self.self_inline_bodies);
        inlining::inline_group(&mut self.members, &self.order, &self.cyclic, bodies);
    }

    /// Calls of function values that inlining has shown to be one function become that function's body.
    pub fn devirtualize_calls(&mut self) {
        inlining::inline_known_values(&mut self.members);
    }

    /// Loops over `prange`, and those through arrays, function by function.
    fn parallel_loops(&self) -> Option<Vec<ParallelLoop>> {
        let chosen = self.typed[0].semantics;
        if !chosen.parallel && !chosen.parallel_arrays && !chosen.parallel_stencils {
            return None;
        }
        let mut found: Vec<ParallelLoop> = Vec::new();
        for member in self.typed {
            let of = |known: &PrangeLoop| ParallelLoop {
                function: member.func.name.clone(),
                file: member.func.file.clone(),
                span: known.span,
                is_prange: true,
                reason: known.reason.clone(),
                races: known.races.iter().map(|span| span.line).collect(),
            };
            found.extend(member.prange_loops.iter().map(of));
        }
        for member in self.typed {
            // What went into the body of a loop runs on the threads of that one.
            let insts = member.func.layout.iter().flat_map(|&block| &member.func.blocks[block].insts);
            let calls = insts.filter(|inst| member.parallel_calls.contains(inst));
            found.extend(calls.map(|&inst| ParallelLoop {
                function: member.func.name.clone(),
                file: member.func.file.clone(),
                span: member.func.insts[inst].span,
                is_prange: false,
                reason: None,
                races: Vec::new(),
            }));
        }
        // Arrays of the chunks of a loop are combined in its own place.
        let is_new =
            |of: &&ParallelLoop| !found.iter().any(|known| known.span == of.span && known.file == of.file);
        let others: Vec<ParallelLoop> = self.array_loops.iter().filter(is_new).cloned().collect();
        found.extend(others);
        Some(found)
    }

    /// The unit: what is called by its symbol comes first, and only what is needed stays.
    pub fn into_unit(mut self, types: &TypeTable) -> Result<Lowered> {
        let root = &self.typed[0];
        if self.callees[0].in_cycle {
            let func = lower::entry(&root.func, &self.callees[0], types);
            let symbol = self.naming.entry(&root.func).into();
            self.members.insert(0, LoweredFunction { func, symbol });
        }
        inlining::drop_unused(&mut self.members, 1);
        check_values(&self.members)?;
        let thunk = format!("{}.python", self.naming.entry(&root.func));
        let texts = self.typed.iter().flat_map(|member| member.natives.texts.iter().cloned());
        let texts = texts.filter(|text| !explicit_text::is_explicit(text));
        let (explicit, casts): (Vec<Arc<str>>, Vec<Arc<str>>) =
            casts_in(&self.members, types).into_iter().partition(|text| explicit_text::is_explicit(text));
        let texts = texts.chain(casts).collect();
        let callee = Callee {
            result: root.result,
            params: root.params.clone(),
            symbol: self.members[0].symbol.clone(),
            can_fail: self.members[0].func.can_fail,
            in_cycle: false,
            scalars: Scalars::Never,
        };
        for text in explicit {
            self.members.extend(explicit_text::read(&text, types)?);
        }
        let parallel = self.parallel_loops();
        // Those of other functions are told where these are compiled.
        let own = self.typed.iter().filter(|member| member.func.file == self.typed[0].func.file);
        let fusions = own.flat_map(|member| member.fusions.iter().cloned()).collect();
        let Group { members, called, calls_values, .. } = self;
        Ok(Lowered { members, thunk, texts, called, callee, calls_values, parallel, fusions })
    }
}

/// The texts of conversions of libraries that functions call, each once.
fn casts_in(members: &[LoweredFunction], types: &TypeTable) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    for (_, external) in members.iter().flat_map(|member| member.func.externals.iter()) {
        if let Some(text) = types.cast_text(&external.name)
            && !found.contains(&text)
        {
            found.push(text);
        }
    }
    found
}

/// Functions of library instances, each with whether it may be inlined.
type Bodies = Vec<(LoweredFunction, bool)>;

/// The functions of library instances that come into the group, and the instances that are called where they
/// are.
fn library_bodies(
    session: &Session,
    typed: &[Typed],
    naming: Naming<'_>,
) -> Result<(Bodies, Vec<Arc<Instance>>)> {
    let (mut bodies, mut called, mut open) = (Vec::new(), Vec::new(), VecDeque::new());
    for text in typed.iter().flat_map(|member| &member.natives.texts) {
        if let Some(body) = explicit_text::read(text, &session.types)? {
            bodies.push((body, true));
        }
    }
    for symbol in typed.iter().flat_map(|member| &member.natives.instances) {
        let instance = session.library.instance(symbol);
        let instance = instance.ok_or_else(|| Diagnostic::internal("lowering", "an unknown instance"))?;
        open.push_back(instance);
    }
    let mut seen: HashSet<*const Instance> = HashSet::default();
    while let Some(instance) = open.pop_front() {
        if !seen.insert(Arc::as_ptr(&instance)) {
            continue;
        }
        if !matches!(naming, Naming::Module(_)) && !instance.is_cloned() {
            called.push(instance);
            continue;
        }
        let members = instance.members(&session.types)?;
        let alone = members.len() == 1;
        bodies.extend(members.iter().map(|member| (member.clone(), alone)));
        open.extend(instance.called().iter().cloned());
    }
    Ok((bodies, called))
}

/// For each function whether a call of it may come to a call of a function value.
/// Instances of the library do not.
fn calling_values(members: &[LoweredFunction]) -> Vec<bool> {
    let mut found: Vec<bool> = members.iter().map(|member| member.func.calls_by_address()).collect();
    while found.contains(&true) {
        let before = found.clone();
        for (slot, member) in found.iter_mut().zip(members) {
            let calls = |callee: &str| {
                members.iter().zip(&before).any(|(other, &calls)| calls && *other.symbol == *callee)
            };
            *slot = *slot || opt::calls_of(&member.func).any(calls);
        }
        if found == before {
            break;
        }
    }
    found
}

/// Every function value has its entry. Inference looks for what becomes one where types meet; elsewhere it is
/// not supported.
fn check_values(members: &[LoweredFunction]) -> Result<()> {
    let mut named = members.iter().flat_map(|member| member.func.addressed());
    let missing = named.any(|name| {
        name.starts_with(catalog::VALUE_PREFIX) && !members.iter().any(|member| *member.symbol == *name)
    });
    if missing {
        let message = "a compiled function that becomes a value of a function type here is not supported";
        return Err(Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
            .hint("Give it a name first, in a variable that holds functions of that type."));
    }
    Ok(())
}

/// Instructions of a function that goes into itself once.
const SMALL: usize = 100;

fn calls_itself(func: &Function, symbol: &str) -> bool {
    opt::calls_of(func).any(|callee| callee == symbol)
}
