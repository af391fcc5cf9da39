//! `np.array([f(i) for i in range(n)])` fills the array directly, without a list.
//!
//! This requires comprehensions with one `for` and no condition, and lists that are only used as the argument, or as an item
//! of such a list. In the Typed function they become
//!
//! ```text
//! ArrayBuilder of fixed length     an array of one dimension, as long as the source, which nothing changes
//! ArrayBuilder that grows          an array of any dimensions, whose length shows at its end
//! ```
//!
//! A nested list is a part of the outer builder's memory. `arrays::array_builder_1d` and
//! `arrays::array_builder` emit them.

use crate::solver::Solver;
use catalog::Special;
use ir::{Block, BlockCall, Def, Function, Inst, Op, Value, ValueType};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// Finds such comprehensions and rewrites them.
pub(crate) fn fuse_array_comprehension(solver: &Solver<'_>, func: &mut Function) {
    if !solver.semantics.fills_arrays {
        return;
    }
    let calls: Vec<Inst> =
        insts(func).filter(|&(_, inst)| makes_array(solver, func, inst)).map(|(_, inst)| inst).collect();
    for call in calls {
        let array = func.ty(func.result(call));
        let found = solver.cx.types.array(array).and_then(|parts| {
            let search = Search { types: solver.cx.types, func, dtype: parts.dtype };
            search.levels(call, 1, parts.ndim)
        });
        if let Some(levels) = found {
            rewrite(solver.cx.types, func, call, array, levels);
        }
    }
}

fn insts(func: &Function) -> impl Iterator<Item = (Block, Inst)> {
    func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
}

/// Whether an instruction is a call of `np.array` with one argument, a list, and perhaps a dtype.
fn makes_array(solver: &Solver<'_>, func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::Call || !matches!(data.args.len(), 2 | 3) {
        return false;
    }
    let callee = solver.types[data.args[0]].map(|ty| solver.cx.types.get(ty));
    let Some(TypeData::Function(name)) = callee else { return false };
    solver.cx.catalog.special(&name) == Some(Special::Array)
        && solver.cx.types.list_item(func.ty(data.args[1])).is_some()
}

/// A list that stands for an array, or for a part of one.
struct Level {
    /// Where it is made.
    made: Inst,
    /// What its comprehension goes through.
    source: Value,
    /// The list under all its names.
    names: Vec<Value>,
    /// Dimensions of what it stands for.
    ndim: u8,
}

/// The search for the comprehensions that one call of `np.array` is given.
struct Search<'a> {
    types: &'a TypeTable,
    func: &'a Function,
    dtype: Type,
}

impl Search<'_> {
    /// The list that an instruction uses as this argument, and those inside it, the outermost first.
    fn levels(&self, user: Inst, argument: usize, ndim: u8) -> Option<Vec<Level>> {
        let func = self.func;
        let mut levels = Vec::new();
        let (mut user, mut argument, mut iteration) = (user, argument, None);
        for ndim in (1..=ndim).rev() {
            let (made, names) = made_here(func, func.insts[user].args[argument])?;
            let (body, append) = only_append(func, &names, user)?;
            let (head, source) = source_of(func, made, body)?;
            if let Some((outer, end)) = iteration
                && !is_within(func, made, outer, end)
            {
                return None;
            }
            levels.push(Level { made, source, names, ndim });
            let item = func.ty(func.insts[append].args[1]);
            if ndim == 1 {
                return converts(item, self.dtype).then_some(levels);
            }
            if let Some(row) = self.types.array(item) {
                return (row.ndim + 1 == ndim && row.dtype == self.dtype).then_some(levels);
            }
            (user, argument, iteration) = (append, 1, Some((head, body)));
        }
        None
    }
}

/// Where a list is made, which is empty then, and its names from the last to the first.
fn made_here(func: &Function, list: Value) -> Option<(Inst, Vec<Value>)> {
    let mut names = vec![list];
    let made = loop {
        match func.values[*names.last()?].def {
            Def::Result(inst, _) => break inst,
            Def::Param(block, index) => names.push(*only_edge(func, block)?.args.get(usize::from(index))?),
        }
    };
    let data = &func.insts[made];
    (data.op == Op::BuildList && data.args.is_empty()).then_some((made, names))
}

fn rewrite(types: &TypeTable, func: &mut Function, call: Inst, array: Type, levels: Vec<Level>) {
    let Some(of) = types.array(array) else { return };
    let mut parent: Option<Value> = None;
    for level in levels {
        let part = types.intern(TypeData::Array(types::ArrayType { ndim: level.ndim, ..of }));
        let source = func.ty(level.source);
        let growable = level.ndim > 1 || !has_fixed_length(types, source);
        let ty = types.intern(TypeData::ArrayBuilder { array: part, growable });
        for &name in &level.names {
            func.values[name].ty = ValueType::Typed(ty);
        }
        // How long it is at least likely to become.
        let counted = has_fixed_length(types, source) || types.list_item(source).is_some();
        let args: SmallVec<[Value; 4]> = counted.then_some(level.source).into_iter().chain(parent).collect();
        let data = &mut func.insts[level.made];
        parent = data.results.first().copied();
        data.args = args.into_iter().collect();
    }
    let data = &mut func.insts[call];
    let list = data.args[1];
    data.op = Op::Promote;
    data.attrs.clear();
    data.args = [list].into_iter().collect();
}

/// The only way into a block, if there is one way.
fn only_edge(func: &Function, block: Block) -> Option<&BlockCall> {
    let all = func.layout.iter().flat_map(|&from| func.edges(from).chain(&func.blocks[from].handler));
    let mut edges = all.filter(|edge| edge.block == block);
    edges.next().filter(|_| edges.next().is_none())
}

/// What appends to the list, and its block, if nothing else is done with the list before it is used.
fn only_append(func: &Function, names: &[Value], user: Inst) -> Option<(Block, Inst)> {
    let mut appends = None;
    for (block, inst) in insts(func) {
        let data = &func.insts[inst];
        if inst == user || !data.args.iter().any(|arg| names.contains(arg)) {
            continue;
        }
        if data.op != Op::ListAppend || names.contains(&data.args[1]) || appends.is_some() {
            return None;
        }
        appends = Some((block, inst));
    }
    let passes_on = |edge: &BlockCall| {
        let params = &func.blocks[edge.block].params;
        edge.args.iter().zip(params).all(|(arg, param)| !names.contains(arg) || names.contains(param))
    };
    let mut handlers = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
    let kept = handlers.any(|handler| handler.args.iter().any(|arg| names.contains(arg)));
    let all_pass = func.layout.iter().all(|&block| func.edges(block).all(passes_on));
    appends.filter(|_| all_pass && !kept)
}

/// The head of the loop of which each iteration ends with this block, and which is entered after the list's making; and what
/// it goes through.
fn source_of(func: &Function, made: Inst, body: Block) -> Option<(Block, Value)> {
    let (from, _) = insts(func).find(|&(_, inst)| inst == made)?;
    let jump = |block: Block| {
        let last = func.terminator(block)?;
        let data = &func.insts[last];
        (data.op == Op::Jump).then(|| data.targets[0].block)
    };
    let head = jump(body)?;
    let mut before = from;
    while jump(before)? != head {
        before = jump(before)?;
        only_edge(func, before)?;
    }
    let entries = func.layout.iter().flat_map(|&block| func.edges(block)).filter(|edge| edge.block == head);
    let &first = func.blocks[head].insts.first()?;
    let Op::Iternext = func.insts[first].op else { return None };
    let Def::Result(iterator, _) = func.values[func.insts[first].args[0]].def else { return None };
    // (It stands before the list in all code that CPython compiles.)
    let is_earlier = func.insts[iterator].op == Op::Getiter && iterator < made;
    (entries.count() == 2 && is_earlier).then(|| (head, func.insts[iterator].args[0]))
}

/// Whether an instruction runs once in each iteration of a loop, which begins and ends with these blocks.
fn is_within(func: &Function, inst: Inst, head: Block, end: Block) -> bool {
    let Some((block, _)) = insts(func).find(|&(_, other)| other == inst) else { return false };
    let dominators = flow::compute_dominators(&flow::Cfg::compute(func));
    block != head && dominators.dominates(head, block) && dominators.dominates(block, end)
}

/// Whether what is iterated over has a length that is known at the start.
fn has_fixed_length(types: &TypeTable, source: Type) -> bool {
    matches!(types.get(types.unliteral(source)), TypeData::Range(_) | TypeData::Array(_) | TypeData::Str)
        || types.elements(source).is_some()
}

/// Whether items become those of the array as they would from a list.
fn converts(item: Type, dtype: Type) -> bool {
    let is_number = |ty: Type| ty.is_int() || ty.is_float();
    item == dtype && (item == Type::BOOL || is_number(item) || item.is_complex())
        || is_number(item) && (dtype.is_float() || dtype.is_complex())
}
