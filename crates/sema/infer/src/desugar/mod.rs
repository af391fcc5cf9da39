//! Expands the calls, closures and cells of a Typed function, in one pass over its instructions.
//!
//! ```text
//! %2 = call[b] %f, %0, %1        becomes   %3 = const 5
//!                                          %2 = call %f, %0, %3, %1
//! %2 = freevar 0                           %4 = capture 0, %closure
//!                                          %2 = load_cell %4
//! ```
//!
//! Calls of compiled functions get one operand per parameter: defaults become constants, surplus positional
//! arguments a tuple, `*args` its elements. In a closure, the closure becomes the first parameter, with its
//! captured variables as parts. Values stored in a cell are converted to the final type of the cell.

pub(crate) mod array_comprehensions;
pub(crate) mod class_dispatch;
pub(crate) mod clone_blocks;
pub(crate) mod dispatch_errors;
pub(crate) mod expansion;
pub(crate) mod finalize;
pub(crate) mod imports;
pub(crate) mod key_displays;
pub(crate) mod literal_unroll;
pub(crate) mod literal_unroll_lists;
pub(crate) mod match_objects;
pub(crate) mod narrow_classes;
pub(crate) mod narrow_optionals;
pub(crate) mod starred_displays;
pub(crate) mod starred_literals;
pub(crate) mod unpack_match;
pub(crate) mod user_iterables;

use crate::calls::captures;
use crate::calls::map_filter;
use crate::calls::minmax_key;
use crate::calls::object_arrays;
use crate::containers::container_growth::is_unknown;
use crate::desugar::expansion::Expansion;
use crate::object_fallback;
use crate::overloads::overload_resolution;
use crate::solver::Solver;
use ir::{Attr, Block, Builder, Const, ConstData, Def, Function, Inst, Op, Value, ValueData, ValueType};
use types::{Type, TypeData, TypeTable};

/// Writes out the blocks of a function whose values have their types; the entry comes first. Gives the calls
/// of compiled functions.
pub(crate) fn expand(solver: &Solver<'_>, func: &mut Function, blocks: &[Block]) -> Vec<Inst> {
    let mut pass = Expansion { solver, func, block: solver.func.entry, own: None, calls: Vec::new() };
    for &block in blocks {
        pass.block = block;
        let insts = std::mem::take(&mut pass.func.blocks[block].insts);
        if let Some(closure) = solver.closure.filter(|_| block == solver.func.entry) {
            pass.add_own_parameter(closure);
        }
        for inst in insts {
            if pass.keeps(inst) {
                pass.func.blocks[block].insts.push(inst);
                pass.make_lists(inst);
            }
        }
    }
    pass.calls
}

impl Expansion<'_, '_> {
    fn add_own_parameter(&mut self, closure: Type) {
        let mut builder = Builder::new(self.func, self.block);
        let symbol = builder.symbol("closure");
        builder.func.params.insert(0, symbol);
        let attrs = [Attr::Int(0), Attr::Symbol(symbol)];
        self.own = Some(builder.value(Op::Arg, attrs, &[], ValueType::Typed(closure)));
    }

    /// Writes out one instruction, mostly by what stands before it; whether the instruction stays.
    fn keeps(&mut self, inst: Inst) -> bool {
        let solver = self.solver;
        if solver.displays.is_part(inst) {
            return false;
        }
        // A call of `np.array` whose argument is filled already.
        if self.func.insts[inst].op == Op::Promote && solver.func.insts[inst].op == Op::Call {
            return true;
        }
        if solver.on_objects.contains_key(&inst) {
            object_fallback::expand(self, inst);
            return true;
        }
        if let Some(extended) = solver.extended[inst] {
            return overload_resolution::expand(self, inst, extended);
        }
        if let Some(choice) = &solver.choices[inst] {
            minmax_key::expand(self, inst, choice);
        }
        if let Some(why) = solver.without_items[inst] {
            map_filter::expand_without_items(self, inst, why);
            return true;
        }
        if let Some(iterations) = solver.mapped[inst] {
            map_filter::expand(self, inst, iterations);
            return true;
        }
        match (self.func.insts[inst].op, self.func.insts[inst].attrs.first_mut()) {
            (Op::Arg, Some(Attr::Int(index))) if self.own.is_some() => *index += 1,
            (Op::Freevar | Op::FreeCell, Some(&mut Attr::Int(index))) => self.expand_captured(inst, index),
            (Op::MakeCell | Op::EmptyCell | Op::StoreCell, _) => self.expand_cell(inst),
            (Op::Const, Some(&mut Attr::Const(id))) => self.expand_constant_list(inst, id),
            (Op::ListToTuple, _) => {
                starred_literals::expand_starred(&mut self.builder(inst), solver, inst);
            }
            (Op::Call | Op::CallEx, _) => {
                self.expand_call(inst);
                if solver.cx.types.has_classes() {
                    object_arrays::expand(self, inst);
                }
            }
            (Op::Reraise, _) => self.keep_generators(inst),
            (Op::Python, _) if solver.symbol(inst) == "drop_iterator" => {
                return holds_generator(solver.cx.types, self.ty(self.func.insts[inst].args[0]));
            }
            _ => {}
        }
        true
    }

    /// A global list is made of its items where it stands.
    fn expand_constant_list(&mut self, inst: Inst, id: Const) {
        let types = self.solver.cx.types;
        let result = self.func.insts[inst].results[0];
        let elements = types.starred(self.func.ty(result)).and_then(|tuple| types.elements(tuple));
        let (Some(elements), ConstData::Tuple(items)) = (elements, self.func.consts.get(id).clone()) else {
            return;
        };
        let mut builder = self.builder(inst);
        let items = items
            .iter()
            .zip(elements.iter())
            .map(|(&item, &ty)| builder.value(Op::Const, [Attr::Const(item)], &[], ValueType::Typed(ty)));
        let items: Vec<Value> = items.collect();
        let data = &mut self.func.insts[inst];
        data.op = Op::BuildList;
        data.attrs.clear();
        data.args = items.into_iter().collect();
    }

    /// Of the iterators that live until an exception leaves their loops, those of which it shows when they go.
    fn keep_generators(&mut self, inst: Inst) {
        let args = self.func.insts[inst].args.clone();
        let Some((&exception, iterators)) = args.split_last() else { return };
        let types = self.solver.cx.types;
        let generators =
            iterators.iter().copied().filter(|&iterator| holds_generator(types, self.ty(iterator)));
        self.func.insts[inst].args = generators.chain([exception]).collect();
    }

    /// Makes lists that may change of those that an instruction gives, and containers that hold more of those that hold less, where
    /// these were asked for.
    fn make_lists(&mut self, inst: Inst) {
        let solver = self.solver;
        for (at, list) in self.func.insts[inst].results.to_vec().into_iter().enumerate() {
            let Some(&fixed) = solver.fixed.get(&list).filter(|&&fixed| fixed != self.ty(list)) else {
                continue;
            };
            let data = &self.func.values[list];
            let given = ValueData {
                ty: ValueType::Typed(fixed),
                def: Def::Result(inst, at as u16),
                name: data.name,
                version: data.version,
            };
            let given = self.func.values.push(given);
            self.func.insts[inst].results[at] = given;
            let mut builder = self.builder(inst);
            let types = solver.cx.types;
            let (op, items) = match types.get(fixed) {
                // It has no items if nobody knows what they are.
                _ if types
                    .contents(fixed)
                    .is_some_and(|contents| !contents.iter().any(|&part| is_unknown(types, part))) =>
                {
                    (Op::CopyContents, vec![given])
                }
                TypeData::List { .. } => (Op::BuildList, Vec::new()),
                TypeData::Set { .. } => (Op::BuildSet, Vec::new()),
                // Its `maxlen` is taken along, and what makes the value of a missing key.
                TypeData::Deque { .. } => (Op::CopyContents, vec![given]),
                TypeData::Dict { missing, .. } if missing != Type::NONE => (Op::CopyContents, vec![given]),
                TypeData::Dict { .. } => (Op::BuildMap, Vec::new()),
                _ => (Op::BuildList, starred_literals::unpacked(&mut builder, solver, given)),
            };
            let made = builder.inst(op, [], &items, &[]);
            builder.func.insts[made].results.push(list);
            builder.func.values[list].def = Def::Result(made, 0);
        }
    }

    /// In a closure: a variable of the functions around it, by value or as a cell.
    fn expand_captured(&mut self, inst: Inst, index: i64) {
        let Some(own) = self.own else { return };
        let captured = captures::captured(self.solver, index as usize).unwrap_or(Type::UNDEFINED);
        let data = &self.func.insts[inst];
        let part = [Attr::Int(index)];
        if data.op == Op::Freevar && captured != self.ty(data.results[0]) {
            let cell = self.builder(inst).value(Op::Capture, part, &[own], ValueType::Typed(captured));
            let data = &mut self.func.insts[inst];
            data.op = Op::LoadCell;
            data.attrs.remove(0);
            data.attrs.push(Attr::Int(1));
            data.args.push(cell);
        } else {
            let data = &mut self.func.insts[inst];
            data.op = Op::Capture;
            data.attrs = part.into_iter().collect();
            data.args.push(own);
        }
    }

    /// What goes into a cell is converted to the type that the cell has in the end, which a new cell says.
    fn expand_cell(&mut self, inst: Inst) {
        let data = &self.func.insts[inst];
        let cell = if data.op == Op::StoreCell { data.args[0] } else { data.results[0] };
        let content = match self.solver.cx.types.get(self.ty(cell)) {
            TypeData::Cell(number) => self.solver.shared.content(number),
            TypeData::HeapCell(content) => Some(content),
            _ => None,
        };
        if data.op == Op::EmptyCell {
            self.func.insts[inst].attrs[1] = Attr::Type(content.unwrap_or(Type::UNDEFINED));
            return;
        }
        let at = data.args.len() - 1;
        let value = data.args[at];
        if let Some(content) = content.filter(|&content| content != self.ty(value)) {
            let content = ValueType::Typed(content);
            let converted = self.builder(inst).value(Op::Promote, [], &[value], content);
            self.func.insts[inst].args[at] = converted;
        }
    }

    fn expand_call(&mut self, inst: Inst) {
        let callee = self.func.insts[inst].args[0];
        if let Some(folded) = &self.solver.folded[inst] {
            let args = self.arguments(inst, callee, folded);
            self.make_call(inst, callee, &args);
        } else if !self.solver.chosen[inst].is_empty() {
            let args = self.chosen_arguments(inst, callee);
            self.make_call(inst, callee, &args);
        }
    }

    /// A call of one of several functions: for each of them the tuple of its arguments.
    fn chosen_arguments(&mut self, inst: Inst, choice: Value) -> Vec<Value> {
        let solver = self.solver;
        let members = solver.cx.types.functions(self.ty(choice)).unwrap_or_default();
        let mut tuples = Vec::new();
        for (at, (folded, &member)) in solver.chosen[inst].iter().zip(members.iter()).enumerate() {
            let number = [Attr::Int(at as i64)];
            let member = ValueType::Typed(member);
            let callee = self.builder(inst).value(Op::Capture, number, &[choice], member);
            let args = self.arguments(inst, callee, folded);
            let types: Vec<Type> = args.iter().map(|&arg| self.ty(arg)).collect();
            let tuple = ValueType::Typed(solver.cx.types.tuple(&types));
            tuples.push(self.builder(inst).value(Op::BuildTuple, [], &args, tuple));
        }
        tuples
    }
}

/// Whether a value of this type is a generator, or has some that are closed when it goes.
fn holds_generator(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::GeneratorObject { .. } => true,
        TypeData::Iterator(iterable) => holds_generator(types, iterable),
        TypeData::FixedList(items) => holds_generator(types, items),
        TypeData::List { item, .. } | TypeData::Deque { item } => holds_generator(types, item),
        _ => types.components(ty).is_some_and(|all| all.iter().any(|&part| holds_generator(types, part))),
    }
}
